// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A budget of sweeps: no more than so many, the residual of the judge in the report, and the answer of the exact
// solver when there are enough of them.
#include "support/mechanism.h"
#include "support/scene.h"
#include "support/test.h"

#include <math.h>

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
