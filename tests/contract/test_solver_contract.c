// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What every row of the solver table promises, on problems whose answers come from brute force:
// all combinations of bounds are tried, each by a dense pseudo-inverse. Contacts are boxes on planes
// and on each other, whose motion is known by hand. The operator is dense and the test's own, so that
// solvers are judged without the engine's assembly.
#include "linalg/dense.h"
#include "solve/solver_ops.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

#include <float.h>
#include <string.h>

enum { CASE_ROWS = 48, CASE_SPEEDS = 40, CASE_BLOCKS = 24 };

// D = J W JT, W diagonal: the waist's view of any mechanism.
typedef struct contract_case {
    pawl_delassus delassus; // first, so that the operator's functions can get back to the case
    pawl_problem problem;
    int rows, free_rows, speeds;
    problem_block blocks[CASE_BLOCKS];
    double J[CASE_ROWS * CASE_SPEEDS], W[CASE_SPEEDS];
    double D[CASE_ROWS * CASE_ROWS], A[CASE_ROWS * CASE_ROWS]; // A = D + R
    double v_f[CASE_ROWS], lower[CASE_ROWS], upper[CASE_ROWS], compliance[CASE_ROWS];
    double factor[CASE_ROWS * CASE_ROWS], inverse_d[CASE_ROWS], x[CASE_ROWS];
    double shifted[CASE_ROWS * CASE_ROWS], shifted_d[CASE_ROWS];
    bool defeats_sweeps; // pgs-ncp may run out of sweeps
    double friction[CASE_BLOCKS], u_free[CASE_SPEEDS], bias[CASE_ROWS]; // of cases with contacts
} contract_case;

static contract_case *contract_of(pawl_delassus *d)
{
    return (contract_case *)(void *)d;
}

static void contract_apply(pawl_delassus *d, const double *x, double *y)
{
    contract_case *c = contract_of(d);
    dense_product(c->D, x, c->rows, c->rows, 1, y);
}

static void contract_diagonal(pawl_delassus *d, int first_block, double *out)
{
    contract_case *c = contract_of(d);
    for (int i = c->blocks[first_block].first_row; i < c->rows; ++i) {
        out[i] = c->D[i * c->rows + i];
    }
}

static void contract_block(pawl_delassus *d, int block, double *out)
{
    contract_case *c = contract_of(d);
    problem_block b = c->blocks[block];
    for (int r = 0; r < b.dim; ++r) {
        for (int s = 0; s < b.dim; ++s) {
            out[r * b.dim + s] = c->D[(b.first_row + r) * c->rows + b.first_row + s];
        }
    }
}

static void contract_sweep_begin(pawl_delassus *d, const double *x)
{
    contract_case *c = contract_of(d);
    memcpy(c->x, x, (size_t)c->rows * sizeof *x);
}

static void contract_sweep_velocity(pawl_delassus *d, int block, double *out)
{
    contract_case *c = contract_of(d);
    problem_block b = c->blocks[block];
    dense_product(c->D + b.first_row * c->rows, c->x, b.dim, c->rows, 1, out);
}

static void contract_sweep_add(pawl_delassus *d, int block, const double *dx)
{
    contract_case *c = contract_of(d);
    problem_block b = c->blocks[block];
    for (int r = 0; r < b.dim; ++r) {
        c->x[b.first_row + r] += dx[r];
    }
}

static int contract_factor(pawl_delassus *d, const double *compliance, double shift)
{
    contract_case *c = contract_of(d);
    int n = c->free_rows;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            c->factor[i * n + j] = c->D[i * c->rows + j];
        }
        c->factor[i * n + i] = (c->D[i * c->rows + i] + compliance[i]) * (1.0 + shift);
    }
    return pawl_ldl_factor(c->factor, n, n, 1e-13, NULL, c->inverse_d);
}

static void contract_solve(pawl_delassus *d, double *x)
{
    contract_case *c = contract_of(d);
    pawl_ldl_solve(c->factor, c->free_rows, c->free_rows, c->inverse_d, x);
}

static bool contract_factor_shifted(pawl_delassus *d, const double *sigma, const double *contacts)
{
    contract_case *c = contract_of(d);
    int n = c->rows, first = pawl_problem_contact_row(&c->problem, 0);
    memcpy(c->shifted, c->D, (size_t)(n * n) * sizeof *c->D);
    for (int i = 0; i < n; ++i) {
        c->shifted[i * n + i] += contacts == NULL || i < first ? sigma[i] : 0.0;
    }
    for (int i = first; contacts != NULL && i < n; i += 3) {
        for (int k = 0; k < 9; ++k) {
            c->shifted[(i + k / 3) * n + i + k % 3] += contacts[3 * (i - first) + k];
        }
    }
    return pawl_ldl_factor(c->shifted, n, n, 0.0, NULL, c->shifted_d) == 0;
}

static void contract_solve_shifted(pawl_delassus *d, double *x)
{
    contract_case *c = contract_of(d);
    pawl_ldl_solve(c->shifted, c->rows, c->rows, c->shifted_d, x);
}

static const pawl_delassus_ops contract_ops = {
    .apply = contract_apply,
    .diagonal = contract_diagonal,
    .block = contract_block,
    .sweep_begin = contract_sweep_begin,
    .sweep_velocity = contract_sweep_velocity,
    .sweep_add = contract_sweep_add,
    .factor = contract_factor,
    .solve = contract_solve,
    .factor_shifted = contract_factor_shifted,
    .solve_shifted = contract_solve_shifted,
};

// What kind of problem to make.
typedef struct contract_plan {
    int blocks;                     // of free rows, one to six rows each
    int redundant;                  // free rows that depend on those before them
    int soft;                       // free rows with compliance: springs
    int limits, frictions, efforts; // bounded rows
    int twins;                      // bounded rows that act along another bounded one
    int held;                       // and along free ones, which hold them still
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
    for (int i = 0; i < plan->twins + plan->held; ++i) {
        double loss = random_in(seed, 0.0, 0.3);
        contract_bounded(c, -loss, loss, 0.0);
    }
    c->speeds = c->rows + 8; // enough to spare for a good condition
    CHECK(c->rows <= CASE_ROWS && c->speeds <= CASE_SPEEDS && p->block_count <= CASE_BLOCKS);
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
    for (int r = c->rows - plan->held; r < c->rows; ++r) {
        int a = random_index(seed, c->free_rows), b = random_index(seed, c->free_rows);
        for (int i = 0; i < c->speeds; ++i) {
            c->J[r * c->speeds + i] = c->J[a * c->speeds + i] - c->J[b * c->speeds + i];
            if (a == b) {
                c->J[r * c->speeds + i] = c->J[a * c->speeds + i];
            }
        }
    }
    for (int r = first_twin; r < c->rows - plan->held; ++r) {
        int other = c->free_rows + random_index(seed, first_twin - c->free_rows);
        double sign = random_in(seed, -1.0, 1.0) < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < c->speeds; ++i) {
            c->J[r * c->speeds + i] = sign * c->J[other * c->speeds + i];
        }
    }
    for (int r = 0; r < c->rows; ++r) {
        for (int s = 0; s < c->rows; ++s) {
            double sum = 0.0;
            for (int i = 0; i < c->speeds; ++i) {
                sum += c->J[r * c->speeds + i] * c->W[i] * c->J[s * c->speeds + i];
            }
            c->D[r * c->rows + s] = sum;
        }
    }
    memcpy(c->A, c->D, sizeof c->A);
    double u[CASE_SPEEDS];
    for (int i = 0; i < c->speeds; ++i) {
        u[i] = random_in(seed, -1.0, 1.0);
    }
    dense_product(c->J, u, c->rows, c->speeds, 1, c->v_f); // can be met, redundant or not
    for (int r = 0; r < c->rows; ++r) {
        c->A[r * c->rows + r] += c->compliance[r];
        c->v_f[r] += r >= c->free_rows ? random_in(seed, -0.3, 0.3) : 0.0;
    }
    c->delassus = (pawl_delassus){.ops = &contract_ops, .maybe_singular = plan->redundant > 0};
    p->row_count = c->rows;
    p->blocks = c->blocks;
    p->v_f = c->v_f;
    p->lower = c->lower;
    p->upper = c->upper;
    p->compliance = c->compliance;
    p->delassus = &c->delassus;
}

static void contract_velocity(const contract_case *c, const double *lambda, double *v)
{
    dense_product(c->A, lambda, c->rows, c->rows, 1, v);
    for (int r = 0; r < c->rows; ++r) {
        v[r] += c->v_f[r];
    }
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

// Every solver in each of its ways to run.
typedef struct contract_solver {
    pawl_solver_kind kind;
    bool exact_joints;
} contract_solver;
static const contract_solver contract_solvers[] = {
    {PAWL_SOLVER_DIRECT, true},       {PAWL_SOLVER_PGS_NCP, true},
    {PAWL_SOLVER_PGS_NCP, false},     {PAWL_SOLVER_ADMM_NCP, true},
    {PAWL_SOLVER_ADMM_NCP, false},    {PAWL_SOLVER_ADMM_NCP_FP, true},
    {PAWL_SOLVER_ADMM_NCP_FP, false}, {PAWL_SOLVER_ADMM_NCP_LA, true},
    {PAWL_SOLVER_ADMM_NCP_LA, false}, {PAWL_SOLVER_ADMM_NCP_SA, true},
    {PAWL_SOLVER_ADMM_NCP_SA, false}};
enum { CONTRACT_SOLVERS = sizeof contract_solvers / sizeof contract_solvers[0] };
static const double contract_tolerance = 1e-10;

// All solve through here, so all are judged, and all are seen not to allocate. Returns the
// iterations.
static int contract_run(contract_case *c, contract_solver way, double *lambda, double *v)
{
    test_env t;
    test_env_init(&t);
    solver_def def = {.kind = way.kind,
                      .max_rows = c->rows,
                      .max_bounded = c->rows - c->free_rows - 3 * c->problem.contact_count,
                      .max_block_dim = 6,
                      .max_blocks = c->problem.block_count,
                      .tolerance = contract_tolerance,
                      .max_iterations = 100000,
                      .exact_joints = way.exact_joints,
                      .regularization = 1e-8,
                      .admm = {.rho = 1.0, .eta = 1e-5, .relaxation = 1.6, .precondition = true}};
    pawl_solver *solver;
    CHECK_OK(pawl_solver_create(&t.env, &def, &solver));
    int64_t calls = t.calls;
    solver_report report;
    pawl_solver_solve(solver, &c->problem, lambda, &report);
    CHECK_INT(t.calls, calls);
    bool ran_out = c->defeats_sweeps && way.kind == PAWL_SOLVER_PGS_NCP &&
                   report.outcome == PAWL_ITERATION_LIMIT;
    CHECK_INT(report.outcome, ran_out ? PAWL_ITERATION_LIMIT : PAWL_CONVERGED);
    double scratch[CASE_ROWS];
    contract_velocity(c, lambda, v);
    pawl_residual residual = pawl_problem_judge(&c->problem, lambda, v, scratch);
    CHECK_NEAR(residual.natural_scaled, 0.0, ran_out ? 1e-8 : contract_tolerance);
    double largest = 0.0;
    for (int r = 0; r < c->rows; ++r) {
        largest = fmax(largest, c->problem.contact_count > 0 ? fabs(lambda[r]) : 0.0);
    }
    CHECK_NEAR(residual.primal, 0.0, 1e-15 + 4.0 * DBL_EPSILON * largest);
    pawl_solver_destroy(solver);
    CHECK_NO_LEAK(&t);
    return report.iterations;
}

static void contract_check_plan(const contract_plan *plan, int trials, uint64_t seed)
{
    static contract_case c;
    double expected[CASE_ROWS], expected_v[CASE_ROWS], lambda[CASE_ROWS], v[CASE_ROWS];
    for (int trial = 0; trial < trials; ++trial) {
        contract_make(&c, plan, &seed);
        contract_brute_force(&c, expected, expected_v);
        for (int k = 0; k < CONTRACT_SOLVERS; ++k) {
            for (int r = 0; r < c.rows; ++r) { // any warm start will do
                lambda[r] = trial % 2 == 0 ? 0.0 : random_in(&seed, -1.0, 1.0);
            }
            contract_run(&c, contract_solvers[k], lambda, v);
            // A residual of 1e-10 moves the answer by no more than the condition of A times that;
            // the non-zero eigenvalues of these problems span less than 1e3.
            double slack = contract_solvers[k].kind == PAWL_SOLVER_DIRECT ? 1e-10 : 1e-7;
            for (int r = 0; r < c.rows; ++r) {
                CHECK_NEAR(v[r], expected_v[r], slack);
                if (plan->redundant + plan->twins + plan->held == 0) {
                    CHECK_NEAR(lambda[r], expected[r], slack);
                }
            }
        }
    }
}

TEST(independent_joints_are_solved)
{
    contract_check_plan(&(contract_plan){.blocks = 5}, 30, 1);
}

TEST(joints_with_springs_are_solved)
{
    contract_check_plan(&(contract_plan){.blocks = 4, .soft = 3}, 30, 2);
}

TEST(redundant_joints_give_the_velocities_of_the_pseudo_inverse)
{
    contract_check_plan(&(contract_plan){.blocks = 5, .redundant = 2}, 30, 3);
}

TEST(limits_are_active_or_open_as_brute_force_finds)
{
    contract_check_plan(&(contract_plan){.blocks = 2, .limits = 5}, 30, 4);
    contract_check_plan(&(contract_plan){.limits = 4}, 30, 5); // no joint at all
}

TEST(friction_losses_stick_or_slip_as_brute_force_finds)
{
    contract_check_plan(&(contract_plan){.blocks = 2, .frictions = 5}, 30, 6);
}

TEST(effort_limits_saturate_as_brute_force_finds)
{
    contract_check_plan(&(contract_plan){.blocks = 2, .soft = 2, .efforts = 5}, 30, 7);
}

TEST(all_of_them_together_with_redundant_joints_agree_with_brute_force)
{
    contract_plan plan = {
        .blocks = 3, .redundant = 1, .soft = 1, .limits = 2, .frictions = 2, .efforts = 1};
    contract_check_plan(&plan, 20, 8);
}

// Friction on a coordinate that is also at a limit or driven with limited effort: the bounded rows
// depend on each other, so impulses may be shared in more ways than one, velocities not.
TEST(bounded_rows_along_one_coordinate_give_unique_velocities)
{
    contract_plan plan = {.blocks = 2, .limits = 1, .frictions = 2, .twins = 2};
    contract_check_plan(&plan, 30, 9);
}

// Friction of a joint that a prescribed motion drives: the friction cannot change the velocity, so
// it is at its bound, on the side that opposes the motion.
TEST(bounded_rows_that_joints_hold_still_are_at_their_bounds)
{
    contract_plan plan = {.blocks = 3, .limits = 1, .frictions = 1, .held = 2};
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
        contract_plan plan = {.blocks = 5, .redundant = 1 + trial % 3};
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
        contract_run(&c, contract_solvers[0], lambda, v);
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
TEST(contradicting_rows_are_met_half_way)
{
    static contract_case c;
    uint64_t seed = 11;
    for (int trial = 0; trial < 20; ++trial) {
        contract_plan plan = {.blocks = 3, .redundant = 1};
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
        pawl_solver_solve(solver, &c.problem, lambda, &report);
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
    contract_make(&c, &(contract_plan){.limits = 1}, &seed);
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

// ---- Contacts -----------------------------------------------------------------------------------

// Boxes with half sides (a, a, c), six speeds each, on a plane and on each other; u_free is what a
// step of 10 ms of gravity adds. Rows are added joints first, contacts last.
static const double scene_a = 0.1, scene_c = 0.06, scene_h = 0.01, scene_g = 9.81;

static void scene_begin(contract_case *c, int boxes, const double *mass)
{
    memset(c, 0, sizeof *c);
    c->speeds = 6 * boxes;
    for (int b = 0; b < boxes; ++b) {
        double tilt = mass[b] * (scene_a * scene_a + scene_c * scene_c) / 3.0;
        double spin = mass[b] * 2.0 * scene_a * scene_a / 3.0;
        const double weight[6] = {1.0 / mass[b], 1.0 / mass[b], 1.0 / mass[b],
                                  1.0 / tilt,    1.0 / tilt,    1.0 / spin};
        memcpy(c->W + 6 * b, weight, sizeof weight);
        c->u_free[6 * b + 2] = -scene_g * scene_h;
    }
}

// One row along `e` at a lever from the centre of body b (sign 1) or a (sign -1).
static void scene_side(contract_case *c, int row, int body, double sign, pawl_vec3 lever,
                       pawl_vec3 e)
{
    if (body < 0) {
        return;
    }
    pawl_vec3 t = v3_cross(lever, e);
    const double values[6] = {e.x, e.y, e.z, t.x, t.y, t.z};
    for (int k = 0; k < 6; ++k) {
        c->J[row * c->speeds + 6 * body + k] += sign * values[k];
    }
}

static const pawl_vec3 scene_axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// Locks body b to a (its centre at `offset` from a's): three rows of translation, three of rotation.
static void scene_weld(contract_case *c, int a, int b, pawl_vec3 offset)
{
    pawl_problem *p = &c->problem;
    c->blocks[p->block_count++] = (problem_block){c->rows, 6};
    for (int r = 0; r < 3; ++r, ++c->rows) {
        scene_side(c, c->rows, b, 1.0, v3(0, 0, 0), scene_axes[r]);
        scene_side(c, c->rows, a, -1.0, offset, scene_axes[r]);
    }
    for (int r = 0; r < 3; ++r, ++c->rows) {
        c->J[c->rows * c->speeds + 6 * b + 3 + r] = 1.0;
        c->J[c->rows * c->speeds + 6 * a + 3 + r] = -1.0;
    }
    c->free_rows = p->free_row_count = c->rows;
    p->free_block_count = p->block_count;
}

// A contact under body b, on body a or the world: the point from either centre, z up.
static void scene_contact(contract_case *c, int a, pawl_vec3 from_a, int b, pawl_vec3 from_b,
                          double mu)
{
    pawl_problem *p = &c->problem;
    c->blocks[p->block_count++] = (problem_block){c->rows, 3};
    c->friction[p->contact_count++] = mu;
    for (int r = 0; r < 3; ++r, ++c->rows) {
        scene_side(c, c->rows, b, 1.0, from_b, scene_axes[r]);
        scene_side(c, c->rows, a, -1.0, from_a, scene_axes[r]);
    }
}

// The four corners under box b, on the plane or on top of box a.
static void scene_corners(contract_case *c, int a, int b, double mu)
{
    for (int k = 0; k < 4; ++k) {
        double x = k % 2 == 0 ? scene_a : -scene_a, y = k / 2 == 0 ? scene_a : -scene_a;
        scene_contact(c, a, v3(x, y, scene_c), b, v3(x, y, -scene_c), mu);
    }
}

static void scene_velocity(contract_case *c)
{
    dense_product(c->J, c->u_free, c->rows, c->speeds, 1, c->v_f);
    for (int r = 0; r < c->rows; ++r) {
        c->v_f[r] += c->bias[r];
    }
}

static void scene_end(contract_case *c, bool redundant_joints)
{
    pawl_problem *p = &c->problem;
    CHECK(c->rows <= CASE_ROWS && c->speeds <= CASE_SPEEDS && p->block_count <= CASE_BLOCKS);
    for (int r = 0; r < c->rows; ++r) {
        c->lower[r] = -INFINITY;
        c->upper[r] = INFINITY;
        for (int s = 0; s < c->rows; ++s) {
            double sum = 0.0;
            for (int i = 0; i < c->speeds; ++i) {
                sum += c->J[r * c->speeds + i] * c->W[i] * c->J[s * c->speeds + i];
            }
            c->D[r * c->rows + s] = c->A[r * c->rows + s] = sum;
        }
    }
    scene_velocity(c);
    c->delassus = (pawl_delassus){.ops = &contract_ops, .maybe_singular = redundant_joints};
    p->row_count = c->rows;
    p->blocks = c->blocks;
    p->v_f = c->v_f;
    p->lower = c->lower;
    p->upper = c->upper;
    p->compliance = c->compliance;
    p->friction = c->friction;
    p->delassus = &c->delassus;
}

// Signorini and Coulomb, one by one, as a textbook has them; the judge has them in one formula.
static void scene_check_laws(const contract_case *c, const double *lambda, const double *v,
                             double slack)
{
    for (int k = 0; k < c->problem.contact_count; ++k) {
        int i = pawl_problem_contact_row(&c->problem, k);
        double mu = c->friction[k], t = hypot(lambda[i], lambda[i + 1]), n = lambda[i + 2];
        double speed = hypot(v[i], v[i + 1]);
        double size = 1.0 + fabs(n);
        CHECK(n >= 0.0 && t <= mu * n + 1e-12 * size * (1.0 + mu));
        CHECK(v[i + 2] >= -slack);
        CHECK_NEAR(n * v[i + 2], 0.0, slack * size);
        if (speed > 1e-6) { // slips: on the cone, against the motion
            CHECK_NEAR(lambda[i] * speed + mu * n * v[i], 0.0, slack * size * (1.0 + mu));
            CHECK_NEAR(lambda[i + 1] * speed + mu * n * v[i + 1], 0.0, slack * size * (1.0 + mu));
        }
    }
}

static bool scene_solver(int k)
{
    return pawl_solver_find((int)contract_solvers[k].kind)->contacts;
}

// All solvers that know contacts, from zero and from nonsense, must move the boxes to `expected`.
static void scene_check(contract_case *c, const double *expected, double slack)
{
    uint64_t seed = 77;
    for (int k = 0; k < CONTRACT_SOLVERS; ++k) {
        for (int warm = 0; warm < 2 && scene_solver(k); ++warm) {
            double lambda[CASE_ROWS], v[CASE_ROWS], u[CASE_SPEEDS];
            for (int r = 0; r < c->rows; ++r) {
                lambda[r] = warm == 0 ? 0.0 : random_in(&seed, -0.1, 0.1);
            }
            contract_run(c, contract_solvers[k], lambda, v);
            scene_check_laws(c, lambda, v, slack);
            memcpy(u, c->u_free, sizeof u);
            for (int r = 0; r < c->rows; ++r) {
                for (int i = 0; i < c->speeds; ++i) {
                    u[i] += c->W[i] * c->J[r * c->speeds + i] * lambda[r];
                }
            }
            for (int i = 0; expected != NULL && i < c->speeds; ++i) {
                CHECK_NEAR(u[i], expected[i], slack);
            }
        }
    }
}

static void scene_one_box(contract_case *c, double mu, double vx, double vy, double vz)
{
    scene_begin(c, 1, (const double[]){2.0});
    c->u_free[0] = vx;
    c->u_free[1] = vy;
    c->u_free[2] += vz;
    scene_corners(c, -1, 0, mu);
    scene_end(c, false);
}

// By hand: friction can take mu g h = 49 mm/s of the speed in a step. Twelve rows on six speeds:
// how the corners share the load is open, what the box does is not.
TEST(contacts_stick_when_friction_can_hold_the_box)
{
    static contract_case c;
    const double rest[6] = {0};
    scene_one_box(&c, 0.5, 0.03, 0.02, 0.0);
    scene_check(&c, rest, 1e-8);
    scene_one_box(&c, 0.5, 0.0, 0.0, 0.0);
    scene_check(&c, rest, 1e-8);
}

// By hand: mu g h is taken from the speed, along it, in any direction. The height stays: the convex
// relaxation of friction would lift the box with mu times its speed.
TEST(contacts_slide_with_all_the_friction_there_is_and_do_not_lift_off)
{
    static contract_case c;
    for (int k = 0; k < 5; ++k) {
        double a = 0.4 * k, speed = 0.8, left = speed - 0.3 * scene_g * scene_h;
        scene_one_box(&c, 0.3, speed * cos(a), speed * sin(a), 0.0);
        scene_check(&c, (const double[6]){left * cos(a), left * sin(a)}, 1e-8);
    }
}

TEST(contacts_that_separate_have_no_impulse)
{
    static contract_case c;
    scene_one_box(&c, 0.5, 0.3, 0.0, 0.5);
    scene_check(&c, c.u_free, 0.0);
}

// By hand: Newton's law with e = 0.5 leaves half of the approach, upwards.
TEST(contacts_bounce_by_their_bias)
{
    static contract_case c;
    scene_one_box(&c, 0.0, 0.0, 0.0, -1.0);
    for (int k = 0; k < 4; ++k) {
        c.bias[3 * k + 2] = -0.5 * 1.0;
    }
    scene_velocity(&c);
    scene_check(&c, (const double[6]){[2] = 0.5}, 1e-8);
}

// By hand: without friction nothing changes the speed along the plane; with very much of it the box
// stops (0.3 of what would tip it), however fast the step would have to slide it.
TEST(contacts_without_friction_and_with_very_much_of_it)
{
    static contract_case c;
    scene_one_box(&c, 0.0, 0.7, -0.2, 0.0);
    scene_check(&c, (const double[6]){0.7, -0.2}, 1e-8);
    double tips = scene_g * scene_h * scene_a / scene_c;
    const double mus[] = {10.0, 1e3};
    for (int k = 0; k < 2; ++k) {
        scene_one_box(&c, mus[k], 0.3 * tips, 0.0, 0.0);
        scene_check(&c, (const double[6]){0}, 1e-8);
    }
}

// Statics: everything stays where it is, light on heavy and heavy on light. Sweeps carry a weight
// through the light box a thousandth a sweep, which is what ADMM is for: they may run out, and must
// say so.
TEST(contacts_carry_a_stack_with_a_mass_ratio_of_1000)
{
    static contract_case c;
    const double masses[][2] = {{1.0, 1.0}, {1000.0, 1.0}, {1.0, 1000.0}};
    for (int k = 0; k < 3; ++k) {
        scene_begin(&c, 2, masses[k]);
        scene_corners(&c, -1, 0, 0.5);
        scene_corners(&c, 0, 1, 0.5);
        scene_end(&c, false);
        c.defeats_sweeps = masses[k][1] > masses[k][0];
        scene_check(&c, (const double[12]){0}, 1e-6);
    }
}

// By hand, as one rigid body: two boxes side by side, welded, slide together, and rest together.
// With the weld given twice the joint's rows are redundant as well.
TEST(contacts_and_joints_are_solved_together)
{
    static contract_case c;
    for (int twice = 0; twice < 2; ++twice) {
        for (int slides = 0; slides < 2; ++slides) {
            double speed = slides ? 0.8 : 0.02, left = slides ? 0.8 - 0.3 * scene_g * scene_h : 0.0;
            scene_begin(&c, 2, (const double[]){1.0, 3.0});
            c.u_free[0] = c.u_free[6] = speed;
            for (int k = 0; k <= twice; ++k) {
                scene_weld(&c, 0, 1, v3(0.25, 0.0, 0.0));
            }
            scene_corners(&c, -1, 0, 0.3);
            scene_corners(&c, -1, 1, 0.3);
            scene_end(&c, twice == 1);
            double expected[12] = {0};
            expected[0] = expected[6] = left;
            scene_check(&c, expected, 1e-7);
        }
    }
}

// A box that turns and slides, thrown against the plane on three of its corners: no answer by hand,
// but the laws must hold and, friction being small, all solvers must agree. (On four corners the
// normal impulses could be split in more ways than one, and friction would turn the box differently.)
TEST(contacts_of_thrown_boxes_obey_the_laws_and_solvers_agree)
{
    static contract_case c;
    uint64_t seed = 20;
    for (int trial = 0; trial < 20; ++trial) {
        scene_begin(&c, 1, (const double[]){2.0});
        for (int i = 0; i < 6; ++i) {
            c.u_free[i] += random_in(&seed, -1.0, 1.0);
        }
        for (int k = 0; k < 3; ++k) {
            double x = k % 2 == 0 ? scene_a : -scene_a, y = k / 2 == 0 ? scene_a : -scene_a;
            scene_contact(&c, -1, v3(0, 0, 0), 0, v3(x, y, -scene_c), 0.2);
        }
        scene_end(&c, false);
        double first[CASE_ROWS], lambda[CASE_ROWS], v[CASE_ROWS];
        bool have = false;
        for (int k = 0; k < CONTRACT_SOLVERS; ++k) {
            if (!scene_solver(k)) {
                continue;
            }
            memset(lambda, 0, sizeof lambda);
            contract_run(&c, contract_solvers[k], lambda, v);
            scene_check_laws(&c, lambda, v, 1e-8);
            for (int r = 0; r < c.rows && have; ++r) {
                CHECK_NEAR(v[r], first[r], 1e-6);
            }
            memcpy(first, v, sizeof first);
            have = true;
        }
    }
}

// What a step finds when the last one was nearly the same.
TEST(contacts_need_fewer_iterations_from_a_warm_start)
{
    static contract_case c;
    for (int k = 0; k < CONTRACT_SOLVERS; ++k) {
        if (!scene_solver(k)) {
            continue;
        }
        scene_begin(&c, 2, (const double[]){1.0, 20.0});
        c.u_free[0] = 0.02;
        scene_corners(&c, -1, 0, 0.5);
        scene_corners(&c, 0, 1, 0.5);
        scene_end(&c, false);
        double lambda[CASE_ROWS] = {0}, v[CASE_ROWS];
        int cold = contract_run(&c, contract_solvers[k], lambda, v);
        c.u_free[0] += 1e-7;
        scene_velocity(&c);
        int warm = contract_run(&c, contract_solvers[k], lambda, v);
        CHECK(cold > 1 && warm < cold);
    }
}

// By hand: D = 2 on all three rows, mu = 0.5.
TEST(the_judge_measures_contacts_as_problem_h_says)
{
    static contract_case c;
    scene_begin(&c, 1, (const double[]){0.5});
    c.u_free[2] = 0.0;
    scene_contact(&c, -1, v3(0, 0, 0), 0, v3(0, 0, 0), 0.5);
    scene_end(&c, false);
    double scratch[3];
    // slips along x as it should: u = (1, 0, 0.5) is in the dual cone and orthogonal to lambda
    const double good[3] = {-0.5, 0.0, 1.0}, slip[3] = {1.0, 0.0, 0.0};
    pawl_residual r = pawl_problem_judge(&c.problem, good, slip, scratch);
    CHECK_NEAR(r.primal, 0.0, 1e-16);
    CHECK_NEAR(r.dual, 0.0, 1e-16);
    CHECK_NEAR(r.complementarity, 0.0, 1e-16);
    CHECK_NEAR(r.natural, 0.0, 1e-15);
    CHECK_NEAR(r.natural_scaled, 0.0, 1e-15);
    // the convex relaxation's answer, which lifts off by mu times the speed, is none: 0.5 J
    const double lifts[3] = {1.0, 0.0, 0.5};
    r = pawl_problem_judge(&c.problem, good, lifts, scratch);
    CHECK_NEAR(r.complementarity, 0.5, 1e-15);
    CHECK(r.natural_scaled > 0.1);
    // a pull: the nearest point of the cone is its tip
    const double pull[3] = {0.0, 0.0, -1.0}, still[3] = {0.0, 0.0, 0.0};
    r = pawl_problem_judge(&c.problem, pull, still, scratch);
    CHECK_NEAR(r.primal, 1.0, 1e-15);
    CHECK_NEAR(r.natural_scaled, 2.0, 1e-15);
    // an approach that nothing stops: the distance of (0, 0, -1) to the dual cone is 1
    const double none[3] = {0.0, 0.0, 0.0}, approach[3] = {0.0, 0.0, -1.0};
    r = pawl_problem_judge(&c.problem, none, approach, scratch);
    CHECK_NEAR(r.dual, 1.0, 1e-15);
    CHECK_NEAR(r.natural_scaled, 1.0, 1e-15);
}
