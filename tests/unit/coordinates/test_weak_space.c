// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The weak space of mechanisms from files with few digits, against its definition: projectors, and the singular
// vectors of a dense matrix of the rows, found by Jacobi rotations of all of them.
#include "linalg/jacobi.h"
#include "pawl/io.h"
#include "rows/measure.h"
#include "sim/sim.h"
#include "support/linkage_zoo.h"
#include "support/random.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct weak_case {
    test_env t;
    pawl_model *model;
    pawl_sim *sim;
} weak_case;

static void weak_begin(weak_case *w, const linkage *l, int digits)
{
    test_env_init(&w->t);
    pawl_load_options options = pawl_load_options_default();
    pawl_settings settings = pawl_settings_default();
    settings.stepper = PAWL_STEPPER_MOREAU;
    settings.dt = 2e-3;
    char *text = linkage_sdf(l, digits);
    CHECK_OK(pawl_model_parse(&w->t.env, "weak.sdf", text, strlen(text), &options, &w->model));
    free(text);
    CHECK_OK(pawl_sim_create(&w->t.env, w->model, &settings, &w->sim));
    pawl_assembly_build_closure(w->sim->assembly);
}

static void weak_end(weak_case *w)
{
    pawl_sim_destroy(w->sim);
    pawl_model_destroy(w->model);
    CHECK_NO_LEAK(&w->t);
}

static const pawl_problem *weak_problem(const weak_case *w)
{
    return &w->sim->assembly->problem;
}

static void weak_random(uint64_t *seed, int n, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] = random_in(seed, -1.0, 1.0);
    }
}

static double weak_dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void make_case(int which, linkage *l)
{
    switch (which) {
    case 0:
        zoo_four_bar(l);
        break;
    case 1:
        zoo_bennett(l);
        break;
    case 2:
        zoo_bricard(l);
        break;
    case 3:
        zoo_delta(l);
        break;
    default:
        zoo_ladder(l, 4);
        break;
    }
}
enum { WEAK_CASES = 5 };

// Q Q = Q, and QT is its transpose: (Q v) . x = v . (QT x).
TEST(q_is_a_projector_and_its_transpose_is_that_of_impulses)
{
    for (int which = 0; which < WEAK_CASES; ++which) {
        linkage l;
        weak_case w;
        uint64_t seed = 7;
        make_case(which, &l);
        weak_begin(&w, &l, 6);
        const pawl_problem *p = weak_problem(&w);
        CHECK(pawl_is_weak(p));
        int n = p->free_row_count;
        double *v = calloc((size_t)(4 * n), sizeof *v), *x = v + n, *once = x + n,
               *twice = once + n;
        weak_random(&seed, n, v);
        weak_random(&seed, n, x);
        memcpy(once, v, (size_t)n * sizeof *v);
        pawl_weak_velocities(p, once);
        memcpy(twice, once, (size_t)n * sizeof *v);
        pawl_weak_velocities(p, twice);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(twice[i], once[i], 1e-13);
        }
        double left = weak_dot(once, x, n);
        pawl_weak_impulses(p, x);
        CHECK_NEAR(weak_dot(v, x, n), left, 1e-12);
        free(v);
        weak_end(&w);
    }
}

// Q D QT is symmetric; and a combination of impulses does on a motion what its rows do on the velocities.
TEST(the_projected_problem_is_symmetric_and_keeps_virtual_work)
{
    for (int which = 0; which < WEAK_CASES; ++which) {
        linkage l;
        weak_case w;
        uint64_t seed = 11;
        make_case(which, &l);
        weak_begin(&w, &l, 5);
        const pawl_problem *p = weak_problem(&w);
        pawl_assembly *a = w.sim->assembly;
        int n = p->free_row_count, bodies = 6 * w.model->body_count;
        double *x = calloc((size_t)(4 * n + 2 * bodies), sizeof *x), *y = x + n, *Dx = y + n,
               *Dy = Dx + n, *u = Dy + n, *wrench = u + bodies;
        weak_random(&seed, n, x);
        weak_random(&seed, n, y);
        pawl_weak_impulses(p, x);
        pawl_weak_impulses(p, y);
        p->delassus->ops->apply(p->delassus, x, Dx);
        p->delassus->ops->apply(p->delassus, y, Dy);
        pawl_weak_velocities(p, Dx);
        pawl_weak_velocities(p, Dy);
        double scale = fabs(weak_dot(x, Dx, n)) + fabs(weak_dot(y, Dy, n));
        CHECK_NEAR(weak_dot(x, Dy, n), weak_dot(y, Dx, n), 1e-12 * scale);
        weak_random(&seed, bodies, u);
        pawl_assembly_row_velocity(a, u, Dx);
        pawl_weak_velocities(p, Dx);
        for (int k = 0; k < a->free_blocks; ++k) { // JT x
            const row_block *b = &a->blocks[k];
            for (int i = 0; i < b->body_count; ++i) {
                for (int r = 0; r < 6 * b->rows.dim; ++r) {
                    wrench[6 * b->body[i] + r % 6] +=
                        x[b->rows.first_row + r / 6] * a->J[b->jacobian[i] + r];
                }
            }
        }
        double rows = weak_dot(x, Dx, n), motion = weak_dot(wrench, u, bodies);
        CHECK_NEAR(rows, motion, 1e-12 * (fabs(rows) + sqrt(weak_dot(wrench, wrench, bodies))));
        free(x);
        weak_end(&w);
    }
}

// The rows of a mechanism of one part, scaled as the definition says, as a dense matrix; its left singular
// vectors to u (n x n), least first.
static void weak_dense(const weak_case *w, double *u, double *sigma)
{
    const pawl_assembly *a = w->sim->assembly;
    int n = a->free_rows, columns = 6 * w->model->body_count;
    double length = w->sim->weak->parts[0].length;
    double *y = calloc((size_t)(n * columns), sizeof *y);
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            double linear = 0.0, *row = y + (b->rows.first_row + r) * columns;
            for (int i = 0; i < b->body_count; ++i) {
                const double *j = a->J + b->jacobian[i] + 6 * r;
                linear += weak_dot(j, j, 3);
            }
            double scale = linear > 0.0 ? 1.0 : length;
            for (int i = 0; i < b->body_count; ++i) {
                const double *j = a->J + b->jacobian[i] + 6 * r;
                for (int c = 0; c < 6; ++c) {
                    row[6 * b->body[i] + c] = scale * (c < 3 ? j[c] : j[c] / length);
                }
            }
        }
    }
    memset(u, 0, (size_t)(n * n) * sizeof *u);
    for (int i = 0; i < n; ++i) {
        u[i * n + i] = 1.0;
    }
    pawl_jacobi_rotate(n, columns, y, n, u, sigma);
    free(y);
}

// After half a second of motion the space is that of the dense singular vectors there, as many as at the
// start, and its singular values are theirs.
TEST(the_space_is_that_of_the_singular_vectors_wherever_the_bodies_are)
{
    for (int which = 0; which < WEAK_CASES; ++which) {
        for (int digits = 4; digits <= 8; digits += 2) {
            linkage l;
            weak_case w;
            make_case(which, &l);
            weak_begin(&w, &l, digits);
            for (int k = 0; k < 100; ++k) {
                CHECK_OK(pawl_sim_step(w.sim, NULL));
            }
            pawl_assembly *a = w.sim->assembly;
            pawl_assembly_build_closure(a);
            pawl_weak_follow(&a->problem);
            int n = a->free_rows, r = pawl_weak_space_dimension(w.sim->weak);
            double *u = calloc((size_t)(n * n + 2 * n), sizeof *u), *sigma = u + n * n;
            double *v = sigma + n;
            weak_dense(&w, u, sigma);
            CHECK(sigma[r - 1] < 1e-3 && sigma[r] > 1e-2);
            // Each of N's vectors is in the span of the dense weak ones, and there are as many.
            const weak_space *space = w.sim->weak;
            double largest = 0.0;
            for (int i = 0; i < space->cluster_count; ++i) {
                const weak_cluster *c = &space->clusters[i];
                for (int k = 0; k < c->count; ++k) {
                    memset(v, 0, (size_t)n * sizeof *v);
                    for (int j = 0; j < c->n; ++j) {
                        v[c->rows[j]] = c->u[k * c->n + j];
                    }
                    double inside = 0.0;
                    for (int j = 0; j < r; ++j) {
                        double s = weak_dot(v, u + j * n, n);
                        inside += s * s;
                    }
                    CHECK_NEAR(inside, 1.0, 1e-5);
                    largest = fmax(largest, c->sigma[k]);
                }
            }
            CHECK(largest >= 0.1 * sigma[r - 1] && largest <= 3.0 * sigma[r - 1] + 1e-10);
            free(u);
            weak_end(&w);
        }
    }
}

// Ten four-bars in a row have their 30 vectors in ten clusters of 20 rows; a delta robot has some that no
// loop holds.
TEST(vectors_are_kept_by_loop)
{
    linkage l;
    weak_case w;
    zoo_ladder(&l, 10);
    weak_begin(&w, &l, 6);
    CHECK_INT(pawl_weak_space_dimension(w.sim->weak), 30);
    CHECK_INT(w.sim->weak->cluster_count, 10);
    for (int i = 0; i < 10; ++i) {
        CHECK_INT(w.sim->weak->clusters[i].n, 20);
    }
    weak_end(&w);
    zoo_delta(&l);
    weak_begin(&w, &l, 6);
    CHECK_INT(pawl_weak_space_dimension(w.sim->weak), 12);
    CHECK(w.sim->weak->parts[0].wide);
    weak_end(&w);
}
