// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Trees of mixed joints: inverse dynamics against d'Alembert's principle over homogeneous matrices, the inertia
// against columns of inverse dynamics, the kinetic energy against that of the bodies, and the way from bodies to
// coordinates and back.
#include "support/random.h"
#include "support/tree_reference.h"
#include "tree/articulated.h"

#include <string.h>

enum { DYNAMICS_MOST = 320 };

static double dynamics_largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void dynamics_check(int bodies, bool floating, reduced_base base, uint64_t seed)
{
    tree_case c;
    tree_case_make(&c, bodies, floating, base, seed);
    int n = c.tree->column_count;
    CHECK(n > 0 && n <= DYNAMICS_MOST);
    double *tau = tree_case_numbers(&c, n);
    pawl_reduced_inverse_dynamics(c.motion, c.acceleration, tau);
    double size = dynamics_largest(tau, n);

    reference_number x[DYNAMICS_MOST], v[DYNAMICS_MOST], a[DYNAMICS_MOST], t[DYNAMICS_MOST];
    for (int k = 0; k < n; ++k) {
        x[k] = c.config.theta[k], v[k] = c.rate[k], a[k] = c.acceleration[k];
    }
    tree_reference r = {c.tree, &c.config, 0.0};
    tree_reference_dynamics(&r, x, v, a, t);
    for (int k = 0; k < n; ++k) {
        CHECK_NEAR(tau[k], creal(t[k]), 1e-12 * size);
    }
    tree_case_end(&c);
}

// Lagrange's equations of the same motion, independent of spatial vectors.
TEST(inverse_dynamics_agrees_with_dalembert)
{
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        dynamics_check(1 + (int)seed, seed % 2 == 0, REDUCED_BASE_QUATERNION, seed);
        dynamics_check(1 + (int)seed, true, REDUCED_BASE_EULER, 100 + seed);
    }
    dynamics_check(50, true, REDUCED_BASE_QUATERNION, 77);
}

// Column j of H is inverse dynamics of a unit acceleration at rest without gravity: here as a difference.
TEST(inertia_is_what_inverse_dynamics_says_and_its_factor_solves)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        tree_case c;
        tree_case_make(&c, 5 * (int)seed, seed % 2 == 0, REDUCED_BASE_QUATERNION, 10 * seed);
        int n = c.tree->column_count;
        double *H = tree_case_numbers(&c, n * n), *f = tree_case_numbers(&c, c.tree->factor_size);
        double *bias = tree_case_numbers(&c, n), *tau = tree_case_numbers(&c, n),
               *acc = tree_case_numbers(&c, n);
        pawl_reduced_inertia_dense(c.motion, H);
        double size = dynamics_largest(H, n * n);
        pawl_reduced_inverse_dynamics(c.motion, acc, bias);
        for (int j = 0; j < n; ++j) {
            acc[j] = 1.0;
            pawl_reduced_inverse_dynamics(c.motion, acc, tau);
            acc[j] = 0.0;
            for (int k = 0; k < n; ++k) {
                double slack = 1e-13 * (size + dynamics_largest(bias, n));
                CHECK_NEAR(tau[k] - bias[k], H[k * n + j], slack);
            }
        }
        pawl_reduced_inertia(c.motion, f);
        CHECK(pawl_reduced_factor(c.tree, f));
        double *x = tau;
        for (int k = 0; k < n; ++k) {
            x[k] = 0.0;
            for (int j = 0; j < n; ++j) {
                x[k] += H[k * n + j] * c.acceleration[j];
            }
        }
        pawl_reduced_solve(c.tree, f, x);
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(x[k], c.acceleration[k], 1e-11 * 5.0);
        }
        tree_case_end(&c);
    }
}

// The inverse by articulated bodies against the factor of the inertia, for forces of random wrenches; with
// something added to its diagonal, too.
TEST(articulated_bodies_invert_the_inertia)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        uint64_t more = seed;
        tree_case c;
        tree_case_make(&c, 4 * (int)seed, seed % 2 == 0, REDUCED_BASE_QUATERNION, 3000 + seed);
        int n = c.tree->column_count;
        double *f = tree_case_numbers(&c, c.tree->factor_size), *tau = tree_case_numbers(&c, n);
        double *added = tree_case_numbers(&c, n), *x = tree_case_numbers(&c, n);
        spatial U[6 * DYNAMICS_MOST];
        articulated_factor articulated = {U, tree_case_numbers(&c, n), tree_case_numbers(&c, n)};
        pawl_reduced_inertia(c.motion, f);
        for (int k = 0; k < n && seed % 3 == 0; ++k) {
            added[k] = fabs(random_vec(&more, 1.0).x);
            f[c.tree->factor_row[k] + c.tree->columns[k].depth] += added[k];
        }
        CHECK(pawl_reduced_factor(c.tree, f));
        spatial wrench[DYNAMICS_MOST], V[DYNAMICS_MOST];
        for (int i = 0; i < c.tree->link_count; ++i) {
            pawl_vec3 force = random_vec(&more, 3.0), moment = random_vec(&more, 3.0);
            pawl_reduced_add_wrench(c.motion, i, c.motion->position[i], force, moment, tau);
            wrench[i] =
                sp_force_from(v3_sub(c.motion->position[i], c.motion->origin[i]), force, moment);
        }
        pawl_reduced_solve(c.tree, f, tau);
        pawl_reduced_articulate(c.motion, added, &articulated);
        pawl_reduced_articulated_forces(c.motion, &articulated, NULL, wrench, x);
        for (int k = 0; k < n; ++k) {
            x[k] *= articulated.inverse[k];
        }
        pawl_reduced_articulated_rates(c.motion, &articulated, x, x, V);
        pawl_reduced_move(c.motion, x);
        double size = dynamics_largest(tau, n);
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(x[k], tau[k], 1e-11 * size);
        }
        for (int i = 0; i < c.tree->link_count; ++i) {
            CHECK_NEAR3(V[i].v, c.motion->V[i].v, 1e-10 * size);
            CHECK_NEAR3(V[i].w, c.motion->V[i].w, 1e-10 * size);
        }
        tree_case_end(&c);
    }
}

// The bodies' own sum, from their twists alone.
TEST(kinetic_energy_is_the_sum_over_the_bodies)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        tree_case c;
        tree_case_make(&c, 12, seed % 2 == 0, REDUCED_BASE_QUATERNION, 1000 + seed);
        body_state bodies[12];
        pawl_reduced_write_bodies(c.motion, true, bodies);
        double kinetic = 0.0;
        for (int i = 0; i < 12; ++i) {
            const model_body *b = &c.m.model->bodies[i];
            pawl_mat3 rot = quat_matrix(bodies[i].q), inertia = m3_congruence(&rot, &b->inertia);
            kinetic += 0.5 * b->mass * v3_dot(bodies[i].v, bodies[i].v);
            kinetic += 0.5 * v3_dot(bodies[i].w, m3_mul(&inertia, bodies[i].w));
        }
        CHECK_NEAR(pawl_reduced_kinetic_energy(c.motion), kinetic, 1e-13 * kinetic);
        tree_case_end(&c);
    }
}

// Poses and twists of random coordinates lead back to them: angles within a turn of what they were, balls
// to references at the pose, rates to angular velocities.
TEST(coordinates_go_to_bodies_and_back)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        tree_case c;
        reduced_base base = seed % 3 == 0 ? REDUCED_BASE_EULER : REDUCED_BASE_QUATERNION;
        tree_case_make(&c, 15, seed % 2 == 0, base, 2000 + seed);
        int n = c.tree->column_count;
        for (int k = 0; k < n; ++k) {
            const reduced_column *col = &c.tree->columns[k];
            bool hinge = c.tree->links[col->link].column_count == 1 && col->turn != 0.0;
            c.config.theta[k] += hinge ? 100.0 : 0.0; // many turns
        }
        pawl_reduced_place(c.motion, &c.config, 0.0);
        pawl_reduced_move(c.motion, c.rate);
        body_state bodies[15], again[15];
        pawl_reduced_write_bodies(c.motion, true, bodies);
        reduced_config found = {
            .theta = tree_case_numbers(&c, n),
            .reference = (pawl_quat *)(void *)tree_case_numbers(&c, 4 * c.tree->ball_count)};
        for (int k = 0; k < n; ++k) {
            found.theta[k] = c.config.theta[k] + 0.4;
        }
        double *rate = tree_case_numbers(&c, n), *ball = tree_case_numbers(&c, n);
        pawl_reduced_config_from(c.tree, bodies, NULL, &found);
        pawl_reduced_place(c.motion, &found, 0.0);
        pawl_reduced_rate_from(c.motion, bodies, rate);
        pawl_reduced_ball_velocity(c.tree, c.config.theta, c.rate, ball);
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(rate[k], ball[k], 1e-11); // at xi = 0 they are the same
        }
        pawl_reduced_move(c.motion, rate);
        pawl_reduced_write_bodies(c.motion, true, again);
        for (int i = 0; i < 15; ++i) {
            CHECK_NEAR3(again[i].r, bodies[i].r, 1e-12);
            CHECK_NEAR(fabs(again[i].q.w * bodies[i].q.w + again[i].q.x * bodies[i].q.x +
                            again[i].q.y * bodies[i].q.y + again[i].q.z * bodies[i].q.z),
                       1.0, 1e-14);
            CHECK_NEAR3(again[i].v, bodies[i].v, 1e-11);
            CHECK_NEAR3(again[i].w, bodies[i].w, 1e-11);
        }
        // recentring the first one gives the second, too
        pawl_reduced_recentre(c.tree, &c.config, c.rate);
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(c.config.theta[k], found.theta[k], 1e-11);
            CHECK_NEAR(c.rate[k], rate[k], 1e-11);
        }
        tree_case_end(&c);
    }
}
