// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Samples of steps: against D written out here from J and the masses, through a file and back, by every solver, and the
// published variants against their printed formulas.
#include "pawl/io.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The sample of one step of a model, after so many.
static pawl_sample *sample_of(test_env *t, const char *path, int steps)
{
    pawl_model *model;
    pawl_sim *sim;
    pawl_settings settings = pawl_settings_default();
    CHECK_OK(pawl_model_load(&t->env, path, NULL, &model));
    CHECK_OK(pawl_sim_create(&t->env, model, &settings, &sim));
    pawl_sim_keep_samples(sim, true);
    for (int i = 0; i < steps; ++i) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    pawl_sample *copy;
    CHECK_OK(pawl_sample_create(&t->env, pawl_sample_get(pawl_sim_kept_sample(sim)), &copy));
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    return copy;
}

// x (3) of I x = b by Cramer's rule.
static void sample_solve3(const double *I, const double *b, double *x)
{
    double det = I[0] * (I[4] * I[8] - I[5] * I[7]) - I[1] * (I[3] * I[8] - I[5] * I[6]) +
                 I[2] * (I[3] * I[7] - I[4] * I[6]);
    for (int c = 0; c < 3; ++c) {
        double m[9];
        memcpy(m, I, sizeof m);
        m[c] = b[0], m[3 + c] = b[1], m[6 + c] = b[2];
        x[c] = (m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                m[2] * (m[3] * m[7] - m[4] * m[6])) /
               det;
    }
}

// v = J M^-1 JT lambda + R lambda + v_f, straight from the data.
static void sample_velocity(const pawl_sample_data *d, const double *lambda, double *v)
{
    double *u = calloc((size_t)(6 * d->body_count) + 1, sizeof *u);
    for (int i = 0; i < d->row_count; ++i) {
        for (int e = d->row_start[i]; e < d->row_start[i + 1]; ++e) {
            u[d->column[e]] += d->value[e] * lambda[i];
        }
    }
    for (int b = 0; b < d->body_count; ++b) {
        double turn[3] = {u[6 * b + 3], u[6 * b + 4], u[6 * b + 5]};
        for (int k = 0; k < 3; ++k) {
            u[6 * b + k] = d->mass[b] > 0.0 ? u[6 * b + k] / d->mass[b] : 0.0;
        }
        sample_solve3(d->inertia + 9 * b, turn, u + 6 * b + 3);
    }
    for (int i = 0; i < d->row_count; ++i) {
        v[i] = d->v_f[i] + d->compliance[i] * lambda[i];
        for (int e = d->row_start[i]; e < d->row_start[i + 1]; ++e) {
            v[i] += d->value[e] * u[d->column[e]];
        }
    }
    free(u);
}

// Joints do not move, limits push or open, contacts obey Signorini and Coulomb.
static void sample_check_answer(const pawl_sample_data *d, const double *lambda, double tolerance)
{
    double *v = calloc((size_t)d->row_count + 1, sizeof *v);
    sample_velocity(d, lambda, v);
    int contacts = d->row_count - 3 * d->contact_count;
    for (int i = 0; i < d->free_row_count; ++i) {
        CHECK_NEAR(v[i], 0.0, tolerance);
    }
    for (int i = d->free_row_count; i < contacts; ++i) {
        CHECK(lambda[i] >= d->lower[i] - 1e-12 && lambda[i] <= d->upper[i] + 1e-12);
    }
    for (int k = 0; k < d->contact_count; ++k) {
        const double *x = lambda + contacts + 3 * k, *z = v + contacts + 3 * k;
        double t = hypot(x[0], x[1]), slip = hypot(z[0], z[1]);
        CHECK(x[2] >= -1e-12 && t <= d->friction[k] * x[2] + 1e-9);
        CHECK(z[2] >= -tolerance);
        CHECK(fabs(x[2] * z[2]) <= tolerance * (1.0 + x[2]));
        // What slides is opposed: x_T = -mu x_N z_T / |z_T|.
        CHECK(fabs(x[0] * slip + d->friction[k] * x[2] * z[0]) <= 1e2 * tolerance * (1.0 + x[2]));
        CHECK(fabs(x[1] * slip + d->friction[k] * x[2] * z[1]) <= 1e2 * tolerance * (1.0 + x[2]));
    }
    free(v);
}

TEST(the_answer_of_a_step_solves_its_sample)
{
    static const char *const models[] = {
        "models/suite/nunchuk.sdf", "models/suite/boxes-fixed.sdf", "models/suite/quadruped.sdf",
        "models/suite/fourbar-fixed.sdf", "models/suite/figure22.sdf"};
    for (int i = 0; i < 5; ++i) {
        test_env t;
        test_env_init(&t);
        pawl_sample *s = sample_of(&t, models[i], 30);
        sample_check_answer(pawl_sample_get(s), pawl_sample_get(s)->answer, 2e-8);
        pawl_sample_destroy(s);
        CHECK_NO_LEAK(&t);
    }
}

TEST(every_solver_of_coulombs_law_solves_a_sample_of_a_standing_machine)
{
    test_env t;
    test_env_init(&t);
    pawl_sample *s = sample_of(&t, "models/suite/boxes-fixed.sdf", 40);
    const pawl_sample_data *d = pawl_sample_get(s);
    CHECK(d->contact_count > 0);
    static const char *const names[] = {"auto",        "nsgs",        "newton",
                                        "pgs-ncp",     "raisim-ds",   "admm-ncp",
                                        "admm-ncp-la", "admm-ncp-sa", "prox"};
    double *lambda = calloc((size_t)d->row_count, sizeof *lambda);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        pawl_settings settings = pawl_settings_default();
        CHECK_OK(pawl_settings_set(&t.env, &settings, "solver", names[i]));
        pawl_sample_solver *solver;
        pawl_sample_result result;
        memset(lambda, 0, (size_t)d->row_count * sizeof *lambda);
        CHECK_OK(pawl_sample_solver_create(&t.env, s, &settings, &solver));
        CHECK_OK(pawl_sample_solver_run(solver, NULL, NULL, NULL, lambda, &result));
        CHECK(result.outcome == PAWL_CONVERGED);
        sample_check_answer(d, lambda, 2e-8);
        pawl_sample_solver_destroy(solver);
    }
    free(lambda);
    pawl_sample_destroy(s);
    CHECK_NO_LEAK(&t);
}

// Table II: 26 rows of which 3 repeat others; boxes on four corners: rank 6 of 12 for each.
TEST(ranks_and_categories_are_those_of_the_machines)
{
    test_env t;
    test_env_init(&t);
    pawl_sample_properties p;
    pawl_sample *s = sample_of(&t, "models/suite/fourbar-fixed.sdf", 3);
    CHECK_OK(pawl_sample_measure(&t.env, s, &p));
    CHECK_INT(p.joint_rows, 26);
    CHECK_INT(p.rank, 23);
    CHECK_INT(p.hyperstaticity, 3);
    CHECK_INT((int)p.category, PAWL_SAMPLE_DENSE_JOINTS); // 26 rows on 24 freedoms
    pawl_sample_destroy(s);
    s = sample_of(&t, "models/suite/arm7.sdf", 3);
    CHECK_OK(pawl_sample_measure(&t.env, s, &p));
    CHECK_INT(p.joint_rows, 41);
    CHECK_INT(p.joint_rank, 41);
    CHECK_INT((int)p.category, PAWL_SAMPLE_INDEPENDENT_JOINTS);
    CHECK_NEAR(p.mass_ratio, 19.54, 0.005);
    pawl_sample_destroy(s);
    s = sample_of(&t, "models/suite/box-on-plane.sdf", 40);
    CHECK_OK(pawl_sample_measure(&t.env, s, &p));
    CHECK_INT(p.rank, 6);
    CHECK_INT(p.hyperstaticity, 6); // four contacts, twelve rows
    CHECK_INT((int)p.category, PAWL_SAMPLE_DENSE_CONTACTS);
    pawl_sample_destroy(s);
    CHECK_NO_LEAK(&t);
}

static void sample_check_same(const pawl_sample_data *a, const pawl_sample_data *b)
{
    CHECK_INT(a->row_count, b->row_count);
    CHECK_INT(a->contact_count, b->contact_count);
    CHECK(a->step == b->step && a->dt == b->dt && a->reach == b->reach);
    size_t rows = (size_t)a->row_count, entries = (size_t)a->row_start[rows];
    CHECK(memcmp(a->row_start, b->row_start, (rows + 1) * sizeof(int)) == 0);
    CHECK(memcmp(a->value, b->value, entries * sizeof(double)) == 0);
    CHECK(memcmp(a->column, b->column, entries * sizeof(int)) == 0);
    CHECK(memcmp(a->v_f, b->v_f, rows * sizeof(double)) == 0);
    CHECK(memcmp(a->upper, b->upper, rows * sizeof(double)) == 0);
    CHECK(memcmp(a->answer, b->answer, rows * sizeof(double)) == 0);
    CHECK(memcmp(a->inertia, b->inertia, 9 * (size_t)a->body_count * sizeof(double)) == 0);
}

TEST(samples_come_back_from_a_file_as_they_went_in)
{
    test_env t;
    test_env_init(&t);
    pawl_sample *in[3] = {sample_of(&t, "models/suite/nunchuk.sdf", 30),
                          sample_of(&t, "models/suite/fourbar-fixed.sdf", 5),
                          sample_of(&t, "models/suite/box-on-plane.sdf", 20)};
    char path[] = "test_samples_XXXXXX";
    close(mkstemp(path));
    pawl_sample_writer *writer;
    CHECK_OK(pawl_sample_writer_create(&t.env, path, &writer));
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(pawl_sample_writer_add(writer, in[i], "machine", "case"));
    }
    CHECK_OK(pawl_sample_writer_close(writer));
    CHECK(pawl_sample_file_is(path));
    pawl_sample_file *file;
    CHECK_OK(pawl_sample_file_open(&t.env, path, &file));
    CHECK_INT(pawl_sample_file_count(file), 3);
    for (int i = 2; i >= 0; --i) {
        pawl_sample *out;
        CHECK_OK(pawl_sample_file_read(file, i, &out));
        CHECK(strcmp(pawl_sample_get(out)->system, "machine") == 0);
        sample_check_same(pawl_sample_get(in[i]), pawl_sample_get(out));
        pawl_sample_destroy(out);
        pawl_sample_destroy(in[i]);
    }
    pawl_sample_file_close(file);
    remove(path);
    CHECK_NO_LEAK(&t);
}

// One contact with an own matrix: a body of mass 1 that cannot turn, pushed down and sideways.
static pawl_sample *sample_point(test_env *t)
{
    static const int blocks[] = {3}, kind[] = {4, 4, 4}, start[] = {0, 1, 2, 3},
                     column[] = {0, 1, 2};
    static const double mass[] = {0.5}, inertia[9] = {0}, value[] = {1, 1, 1},
                        v_f[] = {0.3, -0.4, -2.0}, bias[] = {0, 0, 0}, friction[] = {0.1},
                        zero[] = {0, 0, 0};
    double lower[] = {-INFINITY, -INFINITY, 0}, upper[] = {INFINITY, INFINITY, INFINITY};
    double gap[] = {NAN, NAN, 0.0};
    pawl_sample_data d = {.system = "point",
                          .scenario = "",
                          .dt = 1e-3,
                          .reach = 1e-3,
                          .body_count = 1,
                          .row_count = 3,
                          .block_count = 1,
                          .contact_count = 1,
                          .mass = mass,
                          .inertia = inertia,
                          .block_rows = blocks,
                          .kind = kind,
                          .row_start = start,
                          .column = column,
                          .value = value,
                          .v_f = v_f,
                          .bias = bias,
                          .gap = gap,
                          .lower = lower,
                          .upper = upper,
                          .compliance = zero,
                          .friction = friction,
                          .start = zero,
                          .answer = zero};
    pawl_sample *s;
    CHECK_OK(pawl_sample_create(&t->env, &d, &s));
    return s;
}

// Algorithms 2 and 3 of the loops paper by hand, one sweep from zero; D = 2 I.
TEST(one_sweep_of_a_published_solver_is_its_printed_step)
{
    test_env t;
    test_env_init(&t);
    pawl_sample *s = sample_point(&t);
    pawl_settings settings = pawl_settings_default();
    settings.solver.variant = PAWL_VARIANT_PAPER;
    settings.solver.max_iterations = 1;
    pawl_sample_solver *solver;
    pawl_sample_result result;
    double lambda[3] = {0};
    CHECK_OK(pawl_settings_set(&t.env, &settings, "solver", "pgs-ncp"));
    CHECK_OK(pawl_sample_solver_create(&t.env, s, &settings, &solver));
    CHECK_OK(pawl_sample_solver_run(solver, NULL, NULL, NULL, lambda, &result));
    // normal 2 / 2 = 1, tangent -v / 2 of length 0.25 cut to mu = 0.1
    CHECK_NEAR(lambda[2], 1.0, 1e-15);
    CHECK_NEAR(lambda[0], -0.06, 1e-15);
    CHECK_NEAR(lambda[1], 0.08, 1e-15);
    pawl_sample_solver_destroy(solver);
    memset(lambda, 0, sizeof lambda);
    CHECK_OK(pawl_settings_set(&t.env, &settings, "solver", "pgs-ccp"));
    CHECK_OK(pawl_sample_solver_create(&t.env, s, &settings, &solver));
    CHECK_OK(pawl_sample_solver_run(solver, NULL, NULL, NULL, lambda, &result));
    // x = -(3 / 6) (v + De Saxce's 0.1 * 0.5), projected on the cone by (150)
    double x[3] = {-0.15, 0.2, 0.5 * (2.0 - 0.05)}, n = (0.1 * 0.25 + x[2]) / 1.01;
    CHECK_NEAR(lambda[2], n, 1e-15);
    CHECK_NEAR(lambda[0], 0.1 * n * -0.6, 1e-15);
    CHECK_NEAR(lambda[1], 0.1 * n * 0.8, 1e-15);
    pawl_sample_solver_destroy(solver);
    CHECK_OK(pawl_settings_set(&t.env, &settings, "solver", "nsgs"));
    CHECK(pawl_sample_solver_create(&t.env, s, &settings, &solver) == PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "solver.variant=paper");
    pawl_sample_destroy(s);
    CHECK_NO_LEAK(&t);
}

static void sample_count_call(void *user, int iteration, const pawl_residual *residual)
{
    (void)residual;
    CHECK_INT(iteration, ++*(int *)user);
}

// Without who watches, the answer has the same bits.
static void sample_check_watch(test_env *t, const pawl_sample *s, const pawl_settings *settings)
{
    size_t rows = (size_t)pawl_sample_get(s)->row_count;
    double *seen_answer = calloc(rows, sizeof *seen_answer), *answer = calloc(rows, sizeof *answer);
    pawl_sample_solver *solver;
    pawl_sample_result result, alone;
    int seen = 0;
    CHECK_OK(pawl_sample_solver_create(&t->env, s, settings, &solver));
    CHECK_OK(pawl_sample_solver_run(solver, NULL, sample_count_call, &seen, seen_answer, &result));
    CHECK_OK(pawl_sample_solver_run(solver, NULL, NULL, NULL, answer, &alone));
    CHECK_INT(seen, result.iterations);
    CHECK_INT(alone.iterations, result.iterations);
    CHECK(memcmp(answer, seen_answer, rows * sizeof *answer) == 0);
    pawl_sample_solver_destroy(solver);
    free(seen_answer);
    free(answer);
}

TEST(a_watch_sees_every_sweep)
{
    test_env t;
    test_env_init(&t);
    pawl_sample *s = sample_of(&t, "models/suite/boxes-fixed.sdf", 40);
    static const char *const names[] = {"nbgs", "pgs-ncp", "admm-ncp-la"};
    for (int i = 0; i < 6; ++i) {
        pawl_settings settings = pawl_settings_default();
        CHECK_OK(pawl_settings_set(&t.env, &settings, "solver", names[i / 2]));
        settings.solver.variant = i % 2 == 0 ? PAWL_VARIANT_OWN : PAWL_VARIANT_PAPER;
        settings.solver.max_iterations = 37;
        sample_check_watch(&t, s, &settings);
    }
    pawl_sample_destroy(s);
    CHECK_NO_LEAK(&t);
}

TEST(a_watch_sees_every_step_gradient_and_sweep_of_auto_and_newton)
{
    // Between them these go through every stage that a few contacts need.
    static const struct {
        const char *model;
        int steps;
    } cases[] = {{"models/suite/boxes-fixed.sdf", 40},
                 {"models/suite/nunchuk.sdf", 420},
                 {"models/suite/quadruped.sdf", 60},
                 {"models/suite/biped21.sdf", 40},
                 {"models/suite/walker31.sdf", 300}};
    static const char *const names[] = {"auto", "newton"};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; ++i) {
        test_env t;
        test_env_init(&t);
        pawl_sample *s = sample_of(&t, cases[i / 2].model, cases[i / 2].steps);
        pawl_settings settings = pawl_settings_default();
        CHECK(pawl_sample_get(s)->contact_count > 0);
        CHECK_OK(pawl_settings_set(&t.env, &settings, "solver", names[i % 2]));
        sample_check_watch(&t, s, &settings);
        pawl_sample_destroy(s);
        CHECK_NO_LEAK(&t);
    }
}
