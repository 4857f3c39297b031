// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A budget of sweeps: no more than so many, the residual of the judge in the report, and the answer of the exact
// solver when there are enough of them. Groups of four contacts against formulas of one contact and of all rows.
#include "problem/natural.h"
#include "solve/contact_local.h"
#include "solve/sweep_group.h"
#include "support/mechanism.h"
#include "support/random.h"
#include "support/scene.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

// Three boxes on each other and one beside them on a slope: contacts that stick and slip, in colours that share bodies.
static void budget_heap(mechanism *m, pawl_body_id *top)
{
    static const pawl_vec3 at[] = {
        {0.0, 0.0, 0.05}, {0.04, 0.0, 0.15}, {0.3, 0.0, 0.05}, {0.01, 0.02, 0.25}};
    scene_floor(m, 0.3, 0.4, 0.3);
    for (int i = 0; i < 4; ++i) {
        *top = scene_box_at(m, 1.0 + i, v3(0.1, 0.1, 0.1), at[i], 0.3);
    }
}

// One step from the start; the natural residual that it leaves.
static double budget_step(int budget, pawl_twist *twist, int *iterations)
{
    mechanism m;
    pawl_body_id top;
    budget_heap(&m, &top);
    pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_EULER);
    settings.solver.budget = budget;
    mechanism_start(&m, &settings);
    pawl_step_report report;
    CHECK_OK(pawl_sim_step(m.sim, &report));
    CHECK(report.contacts > 8);
    *twist = pawl_state_twist(pawl_sim_state(m.sim), top);
    *iterations = report.iterations;
    CHECK((report.outcome == PAWL_CONVERGED) == (report.own_residual <= settings.solver.tolerance));
    mechanism_end(&m);
    return report.own_residual;
}

TEST(a_budget_bounds_the_sweeps_and_more_of_them_leave_less)
{
    pawl_twist exact, twist;
    int iterations;
    CHECK(budget_step(0, &exact, &iterations) <= 1e-8);
    double before = INFINITY;
    static const int budgets[] = {1, 30, 30000};
    for (int k = 0; k < 3; ++k) {
        double left = budget_step(budgets[k], &twist, &iterations);
        print_message("%d sweeps leave %.1e m/s\n", budgets[k], left);
        CHECK(iterations <= budgets[k]);
        CHECK(left < before);
        before = left;
    }
    CHECK(before <= 1e-8);
    CHECK_NEAR(twist.linear.x, exact.linear.x, 1e-6); // velocities are unique here
    CHECK_NEAR(twist.linear.z, exact.linear.z, 1e-6);
}

// How many of 40 steps of a tower at rest reach the tolerance.
static int budget_solved(int newton)
{
    mechanism m;
    int solved = 0;
    scene_floor(&m, 0.6, 0.0, 0.0);
    for (int i = 0; i < 6; ++i) {
        (void)scene_box_at(&m, 1.0 + i, v3(0.1, 0.1, 0.1), v3(0.0, 0.0, 0.05 + 0.1 * i), 0.6);
    }
    pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_EULER);
    settings.solver.budget = 20;
    settings.solver.budget_newton = newton;
    mechanism_start(&m, &settings);
    for (int k = 0; k < 40; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(m.sim, &report));
        CHECK(report.factorizations <= newton);
        solved += report.own_residual <= settings.solver.tolerance;
    }
    mechanism_end(&m);
    return solved;
}

TEST(newton_steps_after_the_sweeps_are_bounded_and_solve_most_steps)
{
    int without = budget_solved(0), with = budget_solved(12);
    print_message("of 40 steps %d without, %d with 12 Newton steps\n", without, with);
    CHECK(without < with);
    CHECK(with > 30);
}

enum { BUDGET_BODIES = 2 * SWEEP_LANES };

typedef struct budget_group {
    double Y[SWEEP_LANES][2][18], w[SWEEP_WIDTH * (BUDGET_BODIES + 1)];
    double lambda[SWEEP_LANES][3], v_f[SWEEP_LANES][3], R[SWEEP_LANES], mu[SWEEP_LANES];
    sweep_group group;
} budget_group;

// Four random contacts: lane l between bodies 2 l and 2 l + 1, or between the first of them and the world.
static void budget_random_group(uint64_t *random, budget_group *b, bool warm)
{
    int nobody = SWEEP_WIDTH * BUDGET_BODIES;
    sweep_source from = {0};
    memset(b, 0, sizeof *b);
    for (int l = 0; l < SWEEP_LANES; ++l) {
        bool two = random_in(random, 0.0, 1.0) < 0.7;
        for (int side = 0; side < (two ? 2 : 1); ++side) {
            for (int e = 0; e < 18; ++e) {
                b->Y[l][side][e] = random_in(random, -1.0, 1.0);
            }
        }
        b->R[l] = random_in(random, 0.0, 1.0) < 0.5 ? 0.0 : 0.1;
        b->mu[l] = random_in(random, 0.0, 1.0);
        for (int r = 0; r < 3; ++r) {
            b->v_f[l][r] = random_in(random, -1.0, 1.0);
            b->lambda[l][r] = warm ? random_in(random, -1.0, 1.0) : 0.0;
            b->group.R[r][l] = b->R[l];
            b->group.v_f[r][l] = b->v_f[l][r];
            b->group.lambda[r][l] = b->lambda[l][r];
        }
        b->group.mu[l] = b->mu[l];
        b->group.a[l] = SWEEP_WIDTH * 2 * l;
        b->group.b[l] = two ? SWEEP_WIDTH * (2 * l + 1) : nobody;
        b->group.contact[l] = l;
        from.Ya[l] = b->Y[l][0];
        from.Yb[l] = two ? b->Y[l][1] : NULL;
    }
    pawl_sweep_group_fill(&b->group, &from, nobody);
}

// D (3 x 3) of lane l, and v = D lambda + v_f without and with compliance in D.
static void budget_lane(const budget_group *b, int l, double D[9])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            D[3 * r + c] = r == c ? b->R[l] : 0.0;
            for (int e = 0; e < 6; ++e) {
                D[3 * r + c] += b->Y[l][0][6 * r + e] * b->Y[l][0][6 * c + e] +
                                b->Y[l][1][6 * r + e] * b->Y[l][1][6 * c + e];
            }
        }
    }
}

TEST(a_group_measures_what_the_natural_map_says_of_each_contact)
{
    uint64_t random = 3;
    for (int n = 0; n < 300; ++n) {
        budget_group b;
        double worst = 0.0;
        budget_random_group(&random, &b, true);
        pawl_sweep_groups_push(&b.group, 1, b.w);
        for (int l = 0; l < SWEEP_LANES; ++l) {
            double D[9], v[3];
            budget_lane(&b, l, D);
            for (int r = 0; r < 3; ++r) {
                v[r] = b.v_f[l][r];
                for (int c = 0; c < 3; ++c) {
                    v[r] += D[3 * r + c] * b.lambda[l][c];
                }
            }
            double f = pawl_natural_contact(b.lambda[l], v, b.mu[l], (D[0] + D[4] + D[8]) / 3.0);
            worst = fmax(worst, f);
        }
        CHECK_NEAR(pawl_sweep_groups_natural(&b.group, 1, b.w), worst, 1e-12);
    }
}

// Alone a contact is solved exactly, but for the root of a slip, which a few sweeps find.
TEST(a_group_solves_each_contact_as_the_exact_local_solver_does)
{
    uint64_t random = 7;
    for (int n = 0; n < 300; ++n) {
        budget_group b;
        budget_random_group(&random, &b, n % 2 == 0);
        pawl_sweep_groups_push(&b.group, 1, b.w);
        for (int k = 0; k < 30; ++k) {
            pawl_sweep_groups_solve(&b.group, 1, b.w);
        }
        CHECK(pawl_sweep_groups_natural(&b.group, 1, b.w) <= 1e-9);
        for (int l = 0; l < SWEEP_LANES; ++l) {
            double D[9], lambda[3];
            budget_lane(&b, l, D);
            pawl_contact_exact(D, b.v_f[l], b.mu[l], lambda);
            for (int r = 0; r < 3; ++r) {
                CHECK_NEAR(b.group.lambda[r][l], lambda[r], 1e-7 * (1.0 + fabs(lambda[r])));
            }
        }
    }
}
