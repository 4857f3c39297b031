// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The members of the admm family on dense random problems of contacts. Answers come from the plainest
// method there is, written here: projected fixed-point steps, small enough to contract, to rounding.
#include "linalg/cone.h"
#include "problem/dense_delassus.h"
#include "problem/natural.h"
#include "solve/solver_ops.h"
#include "support/random.h"
#include "support/test.h"

#include <string.h>

enum { ADMM_CONTACTS = 4, ADMM_ROWS = 3 * ADMM_CONTACTS };

typedef struct admm_case {
    test_env t;
    pawl_problem problem;
    dense_delassus matrix;
    char *memory;
    size_t bytes;
    problem_block blocks[ADMM_CONTACTS];
    double v_f[ADMM_ROWS], lower[ADMM_ROWS], upper[ADMM_ROWS], compliance[ADMM_ROWS];
    double friction[ADMM_CONTACTS];
} admm_case;

static void admm_case_begin(admm_case *c, int contacts)
{
    memset(c, 0, sizeof *c);
    test_env_init(&c->t);
    pawl_carver need = {0};
    (void)pawl_dense_delassus_layout(ADMM_ROWS, &need);
    c->bytes = need.used;
    c->memory = pawl_alloc(&c->t.env, c->bytes);
    pawl_carver mem = {.base = c->memory, .capacity = c->bytes};
    c->matrix = pawl_dense_delassus_layout(ADMM_ROWS, &mem);
    for (int k = 0; k < contacts; ++k) {
        c->blocks[k] = (problem_block){3 * k, 3};
    }
    for (int i = 0; i < ADMM_ROWS; ++i) {
        c->lower[i] = -INFINITY;
        c->upper[i] = INFINITY;
    }
    c->problem = (pawl_problem){.row_count = 3 * contacts,
                                .block_count = contacts,
                                .blocks = c->blocks,
                                .v_f = c->v_f,
                                .lower = c->lower,
                                .upper = c->upper,
                                .compliance = c->compliance,
                                .contact_count = contacts,
                                .friction = c->friction};
    pawl_dense_delassus_bind(&c->matrix, &c->problem);
}

static void admm_case_end(admm_case *c)
{
    pawl_free(&c->t.env, c->memory, c->bytes);
    CHECK_NO_LEAK(&c->t);
}

// D = J JT with more columns than rows, and little friction: one answer.
static void admm_case_random(admm_case *c, uint64_t *seed)
{
    enum { COLUMNS = ADMM_ROWS + 6 };
    int n = c->problem.row_count;
    double J[ADMM_ROWS * COLUMNS];
    for (int k = 0; k < c->problem.contact_count; ++k) {
        c->friction[k] = random_in(seed, 0.0, 0.3);
        for (int i = 0; i < 3 * COLUMNS; ++i) {
            J[3 * k * COLUMNS + i] = random_in(seed, -1.0, 1.0);
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < COLUMNS; ++k) {
                sum += J[i * COLUMNS + k] * J[j * COLUMNS + k];
            }
            c->matrix.matrix[i * n + j] = sum;
        }
        c->v_f[i] = random_in(seed, -1.0, 1.0);
    }
}

// lambda <- P_K(lambda - r (v + s)), r below one over the largest eigenvalue.
static void admm_case_reference(const admm_case *c, bool relaxed, double *lambda, double *v)
{
    int n = c->problem.row_count;
    double trace = 0.0, change = 1.0;
    for (int i = 0; i < n; ++i) {
        trace += c->matrix.matrix[i * n + i];
        lambda[i] = 0.0;
    }
    for (int k = 0; k < 1000000 && change > 1e-16; ++k) {
        change = 0.0;
        pawl_problem_velocity(&c->problem, lambda, v);
        for (int i = 0; i < n; i += 3) {
            double mu = c->friction[i / 3], slip = relaxed ? 0.0 : mu * hypot(v[i], v[i + 1]);
            double y[3] = {lambda[i] - v[i] / trace, lambda[i + 1] - v[i + 1] / trace,
                           lambda[i + 2] - (v[i + 2] + slip) / trace};
            pawl_cone_project(y, mu);
            for (int r = 0; r < 3; ++r) {
                change = fmax(change, fabs(y[r] - lambda[i + r]));
                lambda[i + r] = y[r];
            }
        }
    }
    CHECK(change <= 1e-16);
    pawl_problem_velocity(&c->problem, lambda, v);
}

static const admm_options admm_defaults = {
    .rho = 1.0, .eta = 1e-5, .relaxation = 1.6, .precondition = true};
static const pawl_solver_kind admm_members[] = {PAWL_SOLVER_ADMM_NCP_FP, PAWL_SOLVER_ADMM_NCP_LA,
                                                PAWL_SOLVER_ADMM_NCP_SA, PAWL_SOLVER_ADMM_NCP,
                                                PAWL_SOLVER_ADMM_CCP};
enum { ADMM_MEMBERS = sizeof admm_members / sizeof admm_members[0], ADMM_NCP_MEMBERS = 4 };

static solver_report admm_case_solve(admm_case *c, pawl_solver_kind kind,
                                     const admm_options *options, double *lambda, double *v)
{
    solver_def def = {.kind = kind,
                      .max_rows = ADMM_ROWS,
                      .max_block_dim = 3,
                      .max_blocks = ADMM_CONTACTS,
                      .tolerance = 1e-11,
                      .max_iterations = 100000,
                      .exact_joints = true,
                      .regularization = 1e-8,
                      .admm = *options};
    pawl_solver *solver;
    CHECK_OK(pawl_solver_create(&c->t.env, &def, &solver));
    solver_report report;
    int64_t calls = c->t.calls;
    memset(lambda, 0, ADMM_ROWS * sizeof *lambda);
    pawl_solver_solve(solver, &c->problem, pawl_solver_goal(solver), lambda, &report);
    CHECK_INT(c->t.calls, calls);
    CHECK_INT(report.outcome, PAWL_CONVERGED);
    pawl_problem_velocity(&c->problem, lambda, v);
    pawl_solver_destroy(solver);
    return report;
}

// A residual of 1e-11 moves velocities by no more than the condition of D times that.
static void admm_case_compare(admm_case *c, pawl_solver_kind kind, const admm_options *options,
                              const double *expected)
{
    double lambda[ADMM_ROWS], v[ADMM_ROWS];
    admm_case_solve(c, kind, options, lambda, v);
    for (int i = 0; i < c->problem.row_count; ++i) {
        CHECK_NEAR(v[i], expected[i], 1e-8);
    }
}

// The fixed point: all of the family find its velocities, and no other.
TEST(members_find_the_velocities_of_coulombs_law)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < 40; ++trial) {
        admm_case c;
        double lambda[ADMM_ROWS], v[ADMM_ROWS];
        admm_case_begin(&c, 1 + trial % ADMM_CONTACTS);
        admm_case_random(&c, &seed);
        admm_case_reference(&c, false, lambda, v);
        for (int k = 0; k < ADMM_NCP_MEMBERS; ++k) {
            admm_case_compare(&c, admm_members[k], &admm_defaults, v);
        }
        admm_case_end(&c);
    }
}

// Conditions of the convex problem (loops eq. 18), one by one: lambda in K, v in K*, orthogonal; and the
// one minimum, by projected gradients.
TEST(the_relaxation_is_solved_to_its_own_conditions)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 40; ++trial) {
        admm_case c;
        double lambda[ADMM_ROWS], v[ADMM_ROWS], expected[ADMM_ROWS], expected_v[ADMM_ROWS];
        admm_case_begin(&c, 1 + trial % ADMM_CONTACTS);
        admm_case_random(&c, &seed);
        admm_case_reference(&c, true, expected, expected_v);
        admm_case_solve(&c, PAWL_SOLVER_ADMM_CCP, &admm_defaults, lambda, v);
        for (int i = 0; i < c.problem.row_count; i += 3) {
            double mu = c.friction[i / 3];
            CHECK(hypot(lambda[i], lambda[i + 1]) <= mu * lambda[i + 2] + 1e-14);
            CHECK(v[i + 2] >= mu * hypot(v[i], v[i + 1]) - 1e-9);
            CHECK_NEAR(lambda[i] * v[i] + lambda[i + 1] * v[i + 1] + lambda[i + 2] * v[i + 2], 0.0,
                       1e-9);
        }
        for (int i = 0; i < c.problem.row_count; ++i) {
            CHECK_NEAR(v[i], expected_v[i], 1e-8);
        }
        admm_case_end(&c);
    }
}

// By hand: one contact with D = 1 slides at 1 m/s and is pushed down with 0.1 m/s. Coulomb's law leaves
// it on the ground, the relaxation lifts it with mu times its speed.
TEST(the_relaxation_lifts_what_slides_and_coulombs_law_does_not)
{
    admm_case c;
    admm_case_begin(&c, 1);
    for (int i = 0; i < 3; ++i) {
        c.matrix.matrix[4 * i] = 1.0;
    }
    c.friction[0] = 0.5;
    c.v_f[0] = 1.0;
    c.v_f[2] = -0.1;
    for (int k = 0; k < ADMM_MEMBERS; ++k) {
        double lambda[ADMM_ROWS], v[ADMM_ROWS];
        admm_case_solve(&c, admm_members[k], &admm_defaults, lambda, v);
        bool relaxed = pawl_solver_find((int)admm_members[k])->relaxed;
        // relaxed: lambda = (-mu n, 0, n), v = (1 - mu n, 0, n - 0.1), v_N = mu v_T
        double n = relaxed ? (0.1 + 0.5) / (1.0 + 0.25) : 0.1;
        CHECK_NEAR(lambda[2], n, 1e-10);
        CHECK_NEAR(lambda[0], -0.5 * n, 1e-10);
        CHECK_NEAR(v[2], relaxed ? 0.5 * v[0] : 0.0, 1e-10);
    }
    admm_case_end(&c);
}

// The same fixed points, whatever way leads to them.
TEST(every_option_leads_to_the_same_velocities)
{
    uint64_t seed = 3;
    for (int trial = 0; trial < 20; ++trial) {
        admm_case c;
        double lambda[ADMM_ROWS], v[ADMM_ROWS];
        admm_case_begin(&c, 1 + trial % ADMM_CONTACTS);
        admm_case_random(&c, &seed);
        for (int k = 0; k < ADMM_MEMBERS; ++k) {
            bool relaxed = pawl_solver_find((int)admm_members[k])->relaxed;
            admm_case_reference(&c, relaxed, lambda, v);
            for (int variant = 0; variant < 16; ++variant) {
                const admm_options options = {.rho = variant & 1 ? 0.1 : 3.0,
                                              .eta = 1e-4,
                                              .relaxation = variant & 2 ? 1.0 : 1.8,
                                              .precondition = (variant & 4) != 0,
                                              .accelerate = (variant & 8) != 0};
                admm_case_compare(&c, admm_members[k], &options, v);
            }
        }
        admm_case_end(&c);
    }
}

// By dimensions: in other units of mass every impulse changes and no velocity does. The preconditioner
// makes the iterations the same; without it rho would have to be another.
TEST(preconditioned_iterations_do_not_know_the_unit_of_mass)
{
    uint64_t seed = 4;
    for (int k = 0; k < ADMM_MEMBERS; ++k) {
        admm_case c;
        double lambda[ADMM_ROWS], v[ADMM_ROWS], u[ADMM_ROWS];
        admm_case_begin(&c, ADMM_CONTACTS);
        admm_case_random(&c, &seed);
        solver_report light = admm_case_solve(&c, admm_members[k], &admm_defaults, lambda, v);
        for (int i = 0; i < ADMM_ROWS * ADMM_ROWS; ++i) {
            c.matrix.matrix[i] *= 0x1p20; // exact
        }
        solver_report heavy = admm_case_solve(&c, admm_members[k], &admm_defaults, lambda, u);
        CHECK_INT(heavy.iterations, light.iterations);
        for (int i = 0; i < ADMM_ROWS; ++i) {
            CHECK_NEAR(u[i], v[i], 1e-12);
        }
        admm_case_end(&c);
    }
}

// Counted: a fixed penalty is one factorization; rules refactor when they change it, and only then.
TEST(factorizations_are_those_of_new_penalties)
{
    uint64_t seed = 5;
    int changed[2] = {0};
    for (int trial = 0; trial < 20; ++trial) {
        admm_case c;
        double lambda[ADMM_ROWS], v[ADMM_ROWS];
        admm_case_begin(&c, ADMM_CONTACTS);
        admm_case_random(&c, &seed);
        const admm_options off = {
            .rho = 100.0, .eta = 1e-5, .relaxation = 1.0, .precondition = true};
        CHECK_INT(admm_case_solve(&c, PAWL_SOLVER_ADMM_NCP_FP, &off, lambda, v).factorizations, 1);
        for (int k = 0; k < 2; ++k) {
            solver_report r = admm_case_solve(
                &c, k == 0 ? PAWL_SOLVER_ADMM_NCP_LA : PAWL_SOLVER_ADMM_NCP_SA, &off, lambda, v);
            CHECK(r.factorizations >= 1 && r.factorizations <= r.iterations);
            changed[k] += r.factorizations > 1;
        }
        admm_case_end(&c);
    }
    CHECK(changed[0] > 0 && changed[1] > 0);
}
