// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What every row of the solver table promises of joints and bounded rows, on problems whose answers
// come from brute force: all combinations of bounds are tried, each by a dense pseudo-inverse. The
// operator is dense and the test's own, so that solvers are judged without the engine's assembly.
#include "support/contract_case.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

#include <float.h>
#include <string.h>

// What kind of problem to make.
typedef struct contract_plan {
    const char *scene;
    int blocks;                     // of free rows, one to six rows each
    int redundant;                  // free rows that depend on those before them
    int soft;                       // free rows with compliance: springs
    int limits, frictions, efforts; // bounded rows
    int twins;                      // bounded rows that act along another bounded one
    int blocked;                    // and along free ones, which hold them still
} contract_plan;

static void contract_bounded(contract_case *c, double lower, double upper, double compliance)
{
    int r = c->rows++;
    c->lower[r] = lower;
    c->upper[r] = upper;
    c->compliance[r] = compliance;
    c->blocks[c->problem.block_count++] = (problem_block){r, 1};
}

static void contract_make(contract_case *c, const contract_plan *plan, uint64_t *seed)
{
    memset(c, 0, sizeof *c);
    c->scene = plan->scene;
    pawl_problem *p = &c->problem;
    for (int k = 0; k < plan->blocks; ++k) {
        int dim = 1 + random_index(seed, 5);
        c->blocks[p->block_count++] = (problem_block){c->rows, dim};
        c->rows += dim;
    }
    c->free_rows = p->free_row_count = c->rows;
    p->free_block_count = p->block_count;
    for (int r = 0; r < c->rows; ++r) {
        c->lower[r] = -INFINITY;
        c->upper[r] = INFINITY;
        c->compliance[r] = r < plan->soft ? random_in(seed, 0.1, 3.0) : 0.0;
    }
    for (int i = 0; i < plan->limits; ++i) {
        contract_bounded(c, 0.0, INFINITY, 0.0);
    }
    for (int i = 0; i < plan->frictions; ++i) {
        double loss = random_in(seed, 0.0, 0.3);
        contract_bounded(c, -loss, loss, 0.0);
    }
    for (int i = 0; i < plan->efforts; ++i) {
        double effort = random_in(seed, 0.0, 0.3);
        contract_bounded(c, -effort, effort, random_in(seed, 0.01, 1.0));
    }
    int first_twin = c->rows;
    for (int i = 0; i < plan->twins + plan->blocked; ++i) {
        double loss = random_in(seed, 0.0, 0.3);
        contract_bounded(c, -loss, loss, 0.0);
    }
    c->speeds = c->rows + 8; // enough to spare for a good condition
    for (int i = 0; i < c->speeds; ++i) {
        c->W[i] = random_in(seed, 0.5, 2.0);
    }
    for (int r = 0; r < c->rows; ++r) {
        for (int i = 0; i < c->speeds; ++i) {
            c->J[r * c->speeds + i] = random_in(seed, -1.0, 1.0);
        }
    }
    for (int k = 0; k < plan->redundant; ++k) { // the last free rows: sums of two others
        int r = c->free_rows - 1 - k, a = random_index(seed, c->free_rows - plan->redundant),
            b = random_index(seed, c->free_rows - plan->redundant);
        double s = random_in(seed, -2.0, 2.0);
        for (int i = 0; i < c->speeds; ++i) {
            c->J[r * c->speeds + i] = c->J[a * c->speeds + i] + s * c->J[b * c->speeds + i];
        }
    }
    for (int r = c->rows - plan->blocked; r < c->rows; ++r) {
        int a = random_index(seed, c->free_rows), b = random_index(seed, c->free_rows);
        for (int i = 0; i < c->speeds; ++i) {
            c->J[r * c->speeds + i] = c->J[a * c->speeds + i] - c->J[b * c->speeds + i];
            if (a == b) {
                c->J[r * c->speeds + i] = c->J[a * c->speeds + i];
            }
        }
    }
    for (int r = first_twin; r < c->rows - plan->blocked; ++r) {
        int other = c->free_rows + random_index(seed, first_twin - c->free_rows);
        double sign = random_in(seed, -1.0, 1.0) < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < c->speeds; ++i) {
            c->J[r * c->speeds + i] = sign * c->J[other * c->speeds + i];
        }
    }
    double u[CASE_SPEEDS];
    for (int i = 0; i < c->speeds; ++i) {
        u[i] = random_in(seed, -1.0, 1.0);
    }
    dense_product(c->J, u, c->rows, c->speeds, 1, c->v_f); // can be met, redundant or not
    for (int r = c->free_rows; r < c->rows; ++r) {
        c->v_f[r] += random_in(seed, -0.3, 0.3);
    }
    contract_pose(c, plan->redundant > 0);
}

// The rows that are not at a bound with v = 0, the others at theirs. False unless that is an
// answer.
static bool contract_try(const contract_case *c, const int *side, double *lambda, double *v)
{
    static double part[CASE_ROWS * CASE_ROWS], right[CASE_ROWS], x[CASE_ROWS];
    int index[CASE_ROWS], n = 0;
    for (int r = 0; r < c->rows; ++r) {
        int s = r < c->free_rows ? 0 : side[r - c->free_rows];
        lambda[r] = s < 0 ? c->lower[r] : s > 0 ? c->upper[r] : 0.0;
        if (s == 0) {
            index[n++] = r;
        }
    }
    contract_velocity(c, lambda, v);
    for (int i = 0; i < n; ++i) {
        right[i] = -v[index[i]];
        for (int j = 0; j < n; ++j) {
            part[i * n + j] = c->A[index[i] * c->rows + index[j]];
        }
    }
    if (dense_solve(part, n, right, x) < 1e-9) {
        dense_pseudo_solve(part, n, 1e-11, right, x);
    }
    for (int i = 0; i < n; ++i) {
        lambda[index[i]] = x[i];
    }
    contract_velocity(c, lambda, v);
    const double slack = 1e-9;
    for (int r = 0; r < c->rows; ++r) {
        int s = r < c->free_rows ? 0 : side[r - c->free_rows];
        bool good = s == 0 ? fabs(v[r]) <= slack && lambda[r] >= c->lower[r] - slack &&
                                 lambda[r] <= c->upper[r] + slack
                           : (s < 0 ? v[r] >= -slack : v[r] <= slack);
        if (!good) {
            return false;
        }
    }
    return true;
}

// All 3^m combinations. The velocities of an answer are unique, its impulses need not be.
static void contract_brute_force(const contract_case *c, double *lambda, double *v)
{
    int m = c->rows - c->free_rows, count = 1;
    for (int i = 0; i < m; ++i) {
        count *= 3;
    }
    for (int k = 0; k < count; ++k) {
        int side[CASE_ROWS], rest = k;
        bool possible = true;
        for (int i = 0; i < m; ++i, rest /= 3) {
            side[i] = rest % 3 - 1;
            possible = possible && !(side[i] > 0 && isinf(c->upper[c->free_rows + i]));
        }
        if (possible && contract_try(c, side, lambda, v)) {
            return;
        }
    }
    fail_msg("brute force found no answer");
}

static void contract_check_plan(const contract_plan *plan, int trials, uint64_t seed)
{
    static contract_case c;
    contract_variant variants[CONTRACT_MAX_VARIANTS];
    int count = contract_variants(false, variants), iterations;
    double expected[CASE_ROWS], expected_v[CASE_ROWS], lambda[CASE_ROWS], v[CASE_ROWS];
    for (int trial = 0; trial < trials; ++trial) {
        contract_make(&c, plan, &seed);
        contract_brute_force(&c, expected, expected_v);
        for (int k = 0; k < count; ++k) {
            uint64_t start = seed; // the same for all, and problems do not depend on their number
            for (int r = 0; r < c.rows; ++r) { // any warm start will do
                lambda[r] = trial % 2 == 0 ? 0.0 : random_in(&start, -1.0, 1.0);
            }
            if (!contract_run(&c, variants[k], lambda, v, &iterations)) {
                continue;
            }
            // A residual of 1e-10 moves the answer by no more than the condition of A times that;
            // the non-zero eigenvalues of these problems span less than 1e3.
            double slack = variants[k].kind == PAWL_SOLVER_DIRECT ? 1e-10 : 1e-7;
            for (int r = 0; r < c.rows; ++r) {
                CHECK_NEAR(v[r], expected_v[r], slack);
                if (plan->redundant + plan->twins + plan->blocked == 0) {
                    CHECK_NEAR(lambda[r], expected[r], slack);
                }
            }
        }
    }
}

TEST(independent_joints_are_solved)
{
    contract_check_plan(&(contract_plan){.scene = "joints", .blocks = 5}, 30, 1);
}

TEST(joints_with_springs_are_solved)
{
    contract_check_plan(&(contract_plan){.scene = "springs", .blocks = 4, .soft = 3}, 30, 2);
}

TEST(redundant_joints_give_the_velocities_of_the_pseudo_inverse)
{
    contract_check_plan(&(contract_plan){.scene = "redundant joints", .blocks = 5, .redundant = 2},
                        30, 3);
}

TEST(limits_are_active_or_open_as_brute_force_finds)
{
    contract_check_plan(&(contract_plan){.scene = "limits", .blocks = 2, .limits = 5}, 30, 4);
    contract_check_plan(&(contract_plan){.scene = "limits alone", .limits = 4}, 30,
                        5); // no joint at all
}

TEST(friction_losses_stick_or_slip_as_brute_force_finds)
{
    contract_check_plan(&(contract_plan){.scene = "friction losses", .blocks = 2, .frictions = 5},
                        30, 6);
}

TEST(effort_limits_saturate_as_brute_force_finds)
{
    contract_check_plan(
        &(contract_plan){.scene = "effort limits", .blocks = 2, .soft = 2, .efforts = 5}, 30, 7);
}

TEST(all_of_them_together_with_redundant_joints_agree_with_brute_force)
{
    contract_plan plan = {.scene = "all rows",
                          .blocks = 3,
                          .redundant = 1,
                          .soft = 1,
                          .limits = 2,
                          .frictions = 2,
                          .efforts = 1};
    contract_check_plan(&plan, 20, 8);
}

// Friction on a coordinate that is also at a limit or driven with limited effort: the bounded rows
// depend on each other, so impulses may be shared in more ways than one, velocities not.
TEST(bounded_rows_along_one_coordinate_give_unique_velocities)
{
    contract_plan plan = {.scene = "twins", .blocks = 2, .limits = 1, .frictions = 2, .twins = 2};
    contract_check_plan(&plan, 30, 9);
}

// Friction of a joint that a prescribed motion drives: the friction cannot change the velocity, so
// it is at its bound, on the side that opposes the motion.
TEST(bounded_rows_that_joints_hold_still_are_at_their_bounds)
{
    contract_plan plan = {
        .scene = "held rows", .blocks = 3, .limits = 1, .frictions = 1, .blocked = 2};
    contract_check_plan(&plan, 30, 13);
}

// The pseudo-inverse in the unknowns sqrt(D_ii) lambda_i, which weighs impulses by diag(D).
// Sums of n products are rounded by n epsilon at most, and a shift of 1e-8 is what stands between
// this noise and the null space.
TEST(direct_shares_redundant_reactions_with_the_least_norm)
{
    static contract_case c;
    uint64_t seed = 10;
    for (int trial = 0; trial < 50; ++trial) {
        contract_plan plan = {.scene = "redundant joints", .blocks = 5, .redundant = 1 + trial % 3};
        contract_make(&c, &plan, &seed);
        static double scaled[CASE_ROWS * CASE_ROWS];
        double right[CASE_ROWS], expected[CASE_ROWS], lambda[CASE_ROWS] = {0}, v[CASE_ROWS];
        int n = c.rows;
        for (int i = 0; i < n; ++i) {
            double di = sqrt(c.A[i * n + i]);
            right[i] = -c.v_f[i] / di;
            for (int j = 0; j < n; ++j) {
                scaled[i * n + j] = c.A[i * n + j] / (di * sqrt(c.A[j * n + j]));
            }
        }
        CHECK_INT(dense_pseudo_solve(scaled, n, 1e-11, right, expected), n - plan.redundant);
        int iterations;
        contract_variant variant = {PAWL_SOLVER_DIRECT, pawl_solver_find(PAWL_SOLVER_DIRECT), true};
        CHECK(contract_run(&c, variant, lambda, v, &iterations));
        double largest = 0.0;
        for (int i = 0; i < n; ++i) {
            largest = fmax(largest, fabs(expected[i]));
        }
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(sqrt(c.A[i * n + i]) * lambda[i], expected[i],
                       n * DBL_EPSILON / 1e-8 * largest);
        }
    }
}

// Least squares: two equal rows ask for different velocities. No impulse can meet both; the bodies'
// velocities that leave the least scaled error meet them half way, and nothing blows up.
TEST(contradicting_rows_are_satisfied_in_the_mean)
{
    static contract_case c;
    uint64_t seed = 11;
    for (int trial = 0; trial < 20; ++trial) {
        contract_plan plan = {.scene = "contradiction", .blocks = 3, .redundant = 1};
        contract_make(&c, &plan, &seed);
        int r = c.rows - 1, a = 0; // row r becomes a copy of row a
        for (int i = 0; i < c.speeds; ++i) {
            c.J[r * c.speeds + i] = c.J[a * c.speeds + i];
        }
        for (int i = 0; i < c.rows; ++i) {
            c.D[i * c.rows + r] = c.D[i * c.rows + a];
        }
        for (int i = 0; i < c.rows; ++i) {
            c.D[r * c.rows + i] = c.D[a * c.rows + i];
        }
        memcpy(c.A, c.D, sizeof c.A);
        double gap = trial % 2 == 0 ? 0.2 : 1e-5;
        c.v_f[r] = c.v_f[a] + gap;
        double lambda[CASE_ROWS] = {0}, v[CASE_ROWS];
        pawl_env env = pawl_env_default();
        solver_def def = {
            .kind = PAWL_SOLVER_DIRECT,
            .max_rows = c.rows,
            .max_block_dim = 6,
            .max_blocks = c.problem.block_count,
            .tolerance = contract_tolerance,
            .max_iterations = 100,
            .regularization = 1e-8,
            .admm = {.rho = 1.0, .eta = 1e-5, .relaxation = 1.6, .precondition = true}};
        pawl_solver *solver;
        CHECK_OK(pawl_solver_create(&env, &def, &solver));
        solver_report report;
        pawl_solver_solve(solver, &c.problem, pawl_solver_goal(solver), lambda, &report);
        pawl_solver_destroy(solver);
        contract_velocity(&c, lambda, v);
        // On the way the two reactions reach gap / shift, and that much of rounding is seen by all.
        for (int i = 0; i < c.rows; ++i) {
            double expected = i == a ? -0.5 * gap : i == r ? 0.5 * gap : 0.0;
            CHECK_NEAR(v[i], expected, c.rows * DBL_EPSILON / 1e-8 * 10.0 * gap + 1e-12);
        }
        CHECK_NEAR(lambda[a], lambda[r], 1e-6); // least norm: equal shares
    }
}

TEST(the_table_has_a_name_and_a_summary_for_each_solver_and_none_beyond)
{
    for (int k = 0; k < PAWL_SOLVER_COUNT; ++k) {
        CHECK(pawl_solver_name(k) != NULL && pawl_solver_summary(k) != NULL);
        for (int j = 0; j < k; ++j) {
            CHECK(strcmp(pawl_solver_name(k), pawl_solver_name(j)) != 0);
        }
    }
    CHECK(pawl_solver_name(PAWL_SOLVER_COUNT) == NULL && pawl_solver_name(-1) == NULL);
    test_env t;
    test_env_init(&t);
    solver_def def = {.kind = PAWL_SOLVER_COUNT};
    pawl_solver *solver;
    CHECK_STATUS(pawl_solver_create(&t.env, &def, &solver), PAWL_BAD_ARGUMENT);
    CHECK(solver == NULL);
    CHECK_NO_LEAK(&t);
}

static pawl_status contract_create(const pawl_env *env, void *argument)
{
    solver_def def = {.kind = *(pawl_solver_kind *)argument,
                      .max_rows = 20,
                      .max_bounded = 8,
                      .max_block_dim = 6,
                      .max_blocks = 10};
    pawl_solver *solver;
    pawl_status status = pawl_solver_create(env, &def, &solver);
    pawl_solver_destroy(solver);
    return status;
}

TEST(creation_takes_one_block_and_survives_not_getting_it)
{
    for (int k = 0; k < PAWL_SOLVER_COUNT; ++k) {
        pawl_solver_kind kind = (pawl_solver_kind)k;
        CHECK_INT(CHECK_SURVIVES_NO_MEMORY(contract_create, &kind), 1);
    }
}

// By hand: one limit row with D = 2, lambda = 0.3 and v = 0.5.
TEST(the_judge_measures_what_pawl_problem_h_says)
{
    static contract_case c;
    uint64_t seed = 12;
    contract_make(&c, &(contract_plan){.scene = "judge", .limits = 1}, &seed);
    c.D[0] = c.A[0] = 2.0;
    double lambda[1] = {0.3}, v[1] = {0.5}, scratch[1];
    pawl_residual r = pawl_problem_judge(&c.problem, lambda, v, scratch);
    CHECK_NEAR(r.primal, 0.0, 0.0);
    CHECK_NEAR(r.dual, 0.0, 0.0);
    CHECK_NEAR(r.complementarity, 0.15, 1e-16);
    CHECK_NEAR(r.natural, 0.3, 1e-16);        // 0.3 - max(0, 0.3 - 0.5)
    CHECK_NEAR(r.natural_scaled, 0.5, 1e-15); // 2 (0.3 - max(0, 0.3 - 0.25))
    lambda[0] = -0.1, v[0] = -0.4;
    r = pawl_problem_judge(&c.problem, lambda, v, scratch);
    CHECK_NEAR(r.primal, 0.1, 1e-16);
    CHECK_NEAR(r.dual, 0.4, 1e-16);
    CHECK_NEAR(r.natural, 0.4, 1e-15);
}

TEST(no_exception_is_listed_that_is_not_needed)
{
    contract_check_exceptions();
}
