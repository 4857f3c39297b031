// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Analytic derivatives of trees of mixed joints, away from the centres of their charts, against a step
// along the imaginary axis through homogeneous matrices (tests/support/tree_reference.c), which has no
// cancellation: relative to the largest entry 1e-9 and better.
#include "support/random.h"
#include "support/tree_reference.h"
#include "tree/derivatives.h"
#include "tree/pose_form.h"

#include <stdlib.h>
#include <string.h>

enum { DERIVATIVES_MOST = 320 };
static const double derivatives_step = 1e-30;

typedef struct derivatives_case {
    tree_case c;
    tree_reference r;
    int n, links;
    reference_number x[DERIVATIVES_MOST], v[DERIVATIVES_MOST], a[DERIVATIVES_MOST];
    reference_number zero[DERIVATIVES_MOST];
    reference_matrix *T; // (3 links)
} derivatives_case;

static void derivatives_begin(derivatives_case *d, int bodies, bool floating, reduced_base base,
                              uint64_t seed)
{
    tree_case_make(&d->c, bodies, floating, base, seed);
    d->r = (tree_reference){d->c.tree, &d->c.config, 0.0};
    d->n = d->c.tree->column_count;
    d->links = d->c.tree->link_count;
    CHECK(d->n <= DERIVATIVES_MOST);
    d->T = malloc((size_t)(3 * d->links) * sizeof *d->T);
    for (int k = 0; k < d->n; ++k) {
        d->x[k] = d->c.config.theta[k], d->v[k] = d->c.rate[k], d->a[k] = d->c.acceleration[k];
        d->zero[k] = 0.0;
    }
}

static void derivatives_end(derivatives_case *d)
{
    free(d->T);
    tree_case_end(&d->c);
}

static double derivatives_largest(const double *x, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

// Every `stride`-th column of d tau/d theta and d tau/d theta'.
static void derivatives_check_dynamics(int bodies, bool floating, reduced_base base, int stride,
                                       uint64_t seed)
{
    derivatives_case d;
    derivatives_begin(&d, bodies, floating, base, seed);
    int n = d.n;
    link_force external[DERIVATIVES_MOST];
    for (int i = 0; i < d.links; ++i) {
        external[i].force = random_vec(&seed, 20.0);
        external[i].moment = random_vec(&seed, 5.0);
    }
    double *tau = tree_case_numbers(&d.c, n), *by_theta = tree_case_numbers(&d.c, n * n),
           *by_rate = tree_case_numbers(&d.c, n * n);
    pawl_reduced_inverse_dynamics(d.c.motion, d.c.acceleration, external, tau);
    pawl_reduced_dynamics_derivatives(d.c.motion, external, by_theta, by_rate);
    double size = derivatives_largest(by_theta, n * n);
    double rate_size = derivatives_largest(by_rate, n * n);
    reference_number t[DERIVATIVES_MOST];
    for (int j = 0; j < n; j += stride) {
        reference_number step = derivatives_step * I;
        d.x[j] += step;
        tree_reference_dynamics(&d.r, d.x, d.v, d.a, external, t);
        d.x[j] -= step;
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(by_theta[k * n + j], cimag(t[k]) / derivatives_step, 1e-11 * size);
        }
        d.v[j] += step;
        tree_reference_dynamics(&d.r, d.x, d.v, d.a, external, t);
        d.v[j] -= step;
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(by_rate[k * n + j], cimag(t[k]) / derivatives_step, 1e-11 * rate_size);
        }
    }
    derivatives_end(&d);
}

TEST(inverse_dynamics_has_the_derivatives_that_a_complex_step_finds)
{
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        derivatives_check_dynamics(1 + (int)(seed % 6), seed % 2 == 0, REDUCED_BASE_QUATERNION, 1,
                                   seed);
    }
    derivatives_check_dynamics(5, true, REDUCED_BASE_EULER, 1, 91);
    derivatives_check_dynamics(20, false, REDUCED_BASE_QUATERNION, 5, 92);
    derivatives_check_dynamics(50, true, REDUCED_BASE_QUATERNION, 11, 93);
}

static pawl_vec3 derivatives_apply(const reference_matrix *T, const double at[4], double part)
{
    reference_number y[3] = {0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            y[i] += T->m[i][j] * at[j];
        }
    }
    return part > 0.0 ? v3(creal(y[0]), creal(y[1]), creal(y[2]))
                      : v3(cimag(y[0]) / derivatives_step, cimag(y[1]) / derivatives_step,
                           cimag(y[2]) / derivatives_step);
}

static pawl_vec3 derivatives_column3(const double *rows, int n, int j)
{
    return v3(rows[j], rows[n + j], rows[2 * n + j]);
}

// Position, velocity and acceleration of points fixed in a link.
TEST(points_have_the_jacobians_that_a_complex_step_finds)
{
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        uint64_t more = seed;
        derivatives_case d;
        derivatives_begin(&d, 8, seed % 2 == 0, REDUCED_BASE_QUATERNION, 300 + seed);
        reduced_motion *m = d.c.motion;
        int n = d.n, link = random_index(&more, d.links);
        pawl_vec3 local = random_vec(&more, 0.5);
        double at[4] = {local.x, local.y, local.z, 1.0};
        double *J = tree_case_numbers(&d.c, 6 * n), *by_theta = tree_case_numbers(&d.c, 3 * n);
        tree_reference_poses(&d.r, d.x, d.v, d.a, d.T);
        pawl_vec3 point = v3_add(m->position[link], m3_mul(&m->rotation[link], local));
        CHECK_NEAR3(point, derivatives_apply(&d.T[3 * link], at, 1.0), 1e-13);
        pawl_reduced_accelerate(m, d.c.acceleration);
        pawl_vec3 velocity = derivatives_apply(&d.T[3 * link + 1], at, 1.0);
        CHECK_NEAR3(pawl_reduced_point_velocity(m, link, point), velocity, 1e-12);
        pawl_vec3 acceleration = derivatives_apply(&d.T[3 * link + 2], at, 1.0);
        CHECK_NEAR3(pawl_reduced_point_acceleration(m, link, point), acceleration,
                    1e-12 * v3_norm(acceleration));
        pawl_reduced_jacobian(m, link, point, J);
        pawl_reduced_point_velocity_derivative(m, link, point, by_theta);
        for (int j = 0; j < n; ++j) {
            d.x[j] += derivatives_step * I;
            tree_reference_poses(&d.r, d.x, d.v, d.a, d.T);
            d.x[j] -= derivatives_step * I;
            CHECK_NEAR3(derivatives_column3(J, n, j), derivatives_apply(&d.T[3 * link], at, -1.0),
                        1e-13);
            CHECK_NEAR3(derivatives_column3(by_theta, n, j),
                        derivatives_apply(&d.T[3 * link + 1], at, -1.0), 1e-11);
        }
        derivatives_end(&d);
    }
}

// <A, B> over the upper three rows
static reference_number derivatives_inner(const pose_matrix *A, const reference_matrix *B)
{
    reference_number sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            sum += A->m[i][j] * B->m[i][j];
        }
    }
    return sum;
}

// Virtual work of a world wrench at a link's point: f . dx + m . (rotation), for a displacement D of T.
static reference_number derivatives_wrench_work(const reference_matrix *T,
                                                const reference_matrix *D, const double at[4],
                                                pawl_vec3 force, pawl_vec3 moment)
{
    double f[3] = {force.x, force.y, force.z}, m[3] = {moment.x, moment.y, moment.z};
    reference_number work = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            work += f[i] * D->m[i][j] * at[j];
        }
        for (int j = 0; j < 3; ++j) {
            work += m[i] * D->m[(i + 2) % 3][j] * T->m[(i + 1) % 3][j];
        }
    }
    return work;
}

TEST(a_wrench_fixed_in_the_world_has_the_derivative_that_a_complex_step_finds)
{
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        uint64_t more = 50 + seed;
        derivatives_case d;
        derivatives_begin(&d, 6, seed % 2 == 0, REDUCED_BASE_QUATERNION, 400 + seed);
        reduced_motion *m = d.c.motion;
        int n = d.n, link = random_index(&more, d.links);
        pawl_vec3 local = random_vec(&more, 0.5), force = random_vec(&more, 3.0),
                  moment = random_vec(&more, 2.0);
        pawl_vec3 point = v3_add(m->position[link], m3_mul(&m->rotation[link], local));
        double at[4] = {local.x, local.y, local.z, 1.0};
        double *out = tree_case_numbers(&d.c, n * n), *tau = tree_case_numbers(&d.c, n);
        pawl_reduced_add_wrench_derivative(m, link, point, force, moment, 2.0, out);
        pawl_reduced_add_wrench(m, link, point, force, moment, tau);
        reference_number unit[DERIVATIVES_MOST] = {0};
        for (int j = 0; j < n; ++j) {
            d.x[j] += derivatives_step * I;
            for (int k = 0; k < n; ++k) {
                unit[k] = 1.0;
                tree_reference_poses(&d.r, d.x, unit, d.zero, d.T);
                unit[k] = 0.0;
                reference_number work =
                    derivatives_wrench_work(&d.T[3 * link], &d.T[3 * link + 1], at, force, moment);
                CHECK_NEAR(tau[k], creal(work), 1e-12);
                CHECK_NEAR(out[k * n + j], 2.0 * cimag(work) / derivatives_step, 1e-11);
            }
            d.x[j] -= derivatives_step * I;
        }
        derivatives_end(&d);
    }
}

TEST(functions_of_poses_have_the_gradient_and_hessian_that_a_complex_step_finds)
{
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        uint64_t more = 70 + seed;
        derivatives_case d;
        reduced_base base = seed == 3 ? REDUCED_BASE_EULER : REDUCED_BASE_QUATERNION;
        derivatives_begin(&d, 6, seed % 2 == 0, base, 500 + seed);
        reduced_motion *m = d.c.motion;
        int n = d.n;
        pose_matrix A[6];
        pose_weight W[6];
        for (int l = 0; l < 6; ++l) {
            for (int i = 0; i < 12; ++i) {
                (&A[l].m[0][0])[i] = random_in(&more, -1.0, 1.0);
            }
            for (int i = 0; i < 4; ++i) {
                for (int j = 0; j <= i; ++j) {
                    W[l].m[i][j] = W[l].m[j][i] = random_in(&more, -1.0, 1.0);
                }
            }
        }
        double *gradient = tree_case_numbers(&d.c, n), *hessian = tree_case_numbers(&d.c, n * n),
               *gram = tree_case_numbers(&d.c, n * n);
        pawl_reduced_pose_gradient(m, A, gradient);
        pawl_reduced_pose_hessian(m, A, hessian);
        pawl_reduced_pose_gram(m, W, gram);
        reference_number unit[DERIVATIVES_MOST] = {0};
        reference_matrix *D = malloc((size_t)(18 * n) * sizeof *D);
        for (int j = 0; j < n; ++j) {
            d.x[j] += derivatives_step * I;
            for (int k = 0; k < n; ++k) {
                unit[k] = 1.0;
                tree_reference_poses(&d.r, d.x, unit, d.zero, D + 18 * k);
                unit[k] = 0.0;
                reference_number sum = 0.0;
                for (int l = 0; l < 6; ++l) {
                    sum += derivatives_inner(&A[l], &D[18 * k + 3 * l + 1]);
                }
                CHECK_NEAR(gradient[k], creal(sum), 1e-12);
                CHECK_NEAR(hessian[k * n + j], cimag(sum) / derivatives_step, 1e-11);
            }
            d.x[j] -= derivatives_step * I;
        }
        for (int j = 0; j < n * n; ++j) {
            double sum = 0.0;
            for (int l = 0; l < 6; ++l) {
                const reference_matrix *a = &D[18 * (j / n) + 3 * l + 1],
                                       *b = &D[18 * (j % n) + 3 * l + 1];
                for (int i = 0; i < 48; ++i) {
                    int r = i / 16, p = i / 4 % 4, q = i % 4;
                    sum += creal(a->m[r][p]) * W[l].m[p][q] * creal(b->m[r][q]);
                }
            }
            CHECK_NEAR(gram[j], sum, 1e-12);
        }
        free(D);
        derivatives_end(&d);
    }
}

// K = 1/2 sum tr(T' W T'T) with the weight of the masses, differentiated by a complex step; its Gram matrix
// is the inertia.
TEST(energies_have_the_gradients_that_a_complex_step_finds)
{
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        derivatives_case d;
        derivatives_begin(&d, 8, seed % 2 == 0, REDUCED_BASE_QUATERNION, 600 + seed);
        reduced_motion *m = d.c.motion;
        int n = d.n;
        double *by_theta = tree_case_numbers(&d.c, n), *by_rate = tree_case_numbers(&d.c, n),
               *potential = tree_case_numbers(&d.c, n), *gram = tree_case_numbers(&d.c, n * n),
               *H = tree_case_numbers(&d.c, n * n);
        pose_weight W[8];
        for (int l = 0; l < 8; ++l) {
            W[l] = pawl_reduced_mass_weight(d.c.m.model, d.c.tree->links[l].body);
        }
        pawl_reduced_kinetic_gradient(m, by_theta, by_rate);
        pawl_reduced_potential_gradient(m, potential);
        double size = fmax(derivatives_largest(by_theta, n), derivatives_largest(by_rate, n));
        for (int j = 0; j < 2 * n; ++j) {
            reference_number *moved = j < n ? &d.x[j] : &d.v[j - n];
            *moved += derivatives_step * I;
            tree_reference_poses(&d.r, d.x, d.v, d.zero, d.T);
            *moved -= derivatives_step * I;
            reference_number kinetic = 0.0, height = 0.0;
            for (int l = 0; l < 8; ++l) {
                const reference_matrix *t = &d.T[3 * l + 1];
                for (int i = 0; i < 48; ++i) {
                    int r = i / 16, p = i / 4 % 4, q = i % 4;
                    kinetic += 0.5 * t->m[r][p] * W[l].m[p][q] * t->m[r][q];
                }
                pawl_vec3 f = pawl_reduced_weight(m, l);
                const reference_matrix *T = &d.T[3 * l];
                height -= f.x * T->m[0][3] + f.y * T->m[1][3] + f.z * T->m[2][3];
            }
            double expected = cimag(kinetic) / derivatives_step;
            CHECK_NEAR(j < n ? by_theta[j] : by_rate[j - n], expected, 1e-12 * size);
            if (j < n) {
                CHECK_NEAR(potential[j], cimag(height) / derivatives_step, 1e-11);
            }
        }
        pawl_reduced_pose_gram(m, W, gram);
        pawl_reduced_inertia_dense(m, H);
        for (int i = 0; i < n * n; ++i) {
            CHECK_NEAR(gram[i], H[i], 1e-12 * derivatives_largest(H, n * n));
        }
        derivatives_end(&d);
    }
}
