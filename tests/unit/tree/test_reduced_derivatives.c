// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Analytic derivatives of trees of mixed joints, away from the centres of their charts, against a step
// along the imaginary axis through homogeneous matrices (tests/support/tree_reference.c), which has no
// cancellation: relative to the largest entry 1e-9 and better.
#include "support/random.h"
#include "support/tree_reference.h"
#include "tree/derivatives.h"

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

// Every `stride`-th column of d tau/d theta + (d tau/d theta')/h + (d tau/d theta'')/h^2: tau is linear in the last.
static void derivatives_check_dynamics(int bodies, bool floating, reduced_base base, int stride,
                                       double h, uint64_t seed)
{
    derivatives_case d;
    derivatives_begin(&d, bodies, floating, base, seed);
    int n = d.n;
    double *tau = tree_case_numbers(&d.c, n), *matrix = tree_case_numbers(&d.c, n * n);
    pawl_reduced_inverse_dynamics(d.c.motion, d.c.acceleration, tau);
    pawl_reduced_stage_derivative(d.c.motion, h, matrix);
    double size = derivatives_largest(matrix, n * n);
    reference_number t[DERIVATIVES_MOST];
    for (int j = 0; j < n; j += stride) {
        reference_number step = derivatives_step * I;
        reference_number x = d.x[j], v = d.v[j], a = d.a[j];
        d.x[j] += step, d.v[j] += step / h, d.a[j] += step / (h * h);
        tree_reference_dynamics(&d.r, d.x, d.v, d.a, t);
        d.x[j] = x, d.v[j] = v, d.a[j] = a;
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(matrix[k * n + j], cimag(t[k]) / derivatives_step, 1e-11 * size);
        }
    }
    derivatives_end(&d);
}

TEST(a_stage_has_the_derivative_that_a_complex_step_finds)
{
    // long steps show the terms by theta, short ones those by theta''
    const double h[] = {10.0, 0.3, 0.01};
    for (int i = 0; i < 3; ++i) {
        for (uint64_t seed = 1; seed <= 12; ++seed) {
            derivatives_check_dynamics(1 + (int)(seed % 6), seed % 2 == 0, REDUCED_BASE_QUATERNION,
                                       1, h[i], seed);
        }
        derivatives_check_dynamics(5, true, REDUCED_BASE_EULER, 1, h[i], 91);
    }
    derivatives_check_dynamics(20, false, REDUCED_BASE_QUATERNION, 5, 1.0, 92);
    derivatives_check_dynamics(50, true, REDUCED_BASE_QUATERNION, 11, 1.0, 93);
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
        double *J = tree_case_numbers(&d.c, 6 * n);
        tree_reference_poses(&d.r, d.x, d.v, d.a, d.T);
        pawl_vec3 point = v3_add(m->position[link], m3_mul(&m->rotation[link], local));
        CHECK_NEAR3(point, derivatives_apply(&d.T[3 * link], at, 1.0), 1e-13);
        pawl_reduced_jacobian(m, link, point, J);
        for (int j = 0; j < n; ++j) {
            d.x[j] += derivatives_step * I;
            tree_reference_poses(&d.r, d.x, d.v, d.a, d.T);
            d.x[j] -= derivatives_step * I;
            CHECK_NEAR3(derivatives_column3(J, n, j), derivatives_apply(&d.T[3 * link], at, -1.0),
                        1e-13);
        }
        derivatives_end(&d);
    }
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

TEST(a_wrench_does_the_work_of_its_generalized_forces)
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
        double *tau = tree_case_numbers(&d.c, n);
        pawl_reduced_add_wrench(m, link, point, force, moment, tau);
        reference_number unit[DERIVATIVES_MOST] = {0};
        for (int k = 0; k < n; ++k) {
            unit[k] = 1.0;
            tree_reference_poses(&d.r, d.x, unit, d.zero, d.T);
            unit[k] = 0.0;
            reference_number work =
                derivatives_wrench_work(&d.T[3 * link], &d.T[3 * link + 1], at, force, moment);
            CHECK_NEAR(tau[k], creal(work), 1e-12);
        }
        derivatives_end(&d);
    }
}
