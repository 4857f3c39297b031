// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A contact problem without a model: a point of 2 kg that is pressed onto a plane and pushed along it with an
// increasing force. It sticks until the push reaches friction times the pressure, and then slides.
#include <math.h>
#include <pawl/pawl.h>
#include <stdio.h>

static const double push_friction = 0.5, push_mass = 2.0;
static const double push_down = -0.0981; // what gravity does in a step of 0.01 s [m/s]

// Solves for one push; false when that fails.
static bool push_solve(const pawl_env *env, double push, double r[3], double u[3])
{
    int i[] = {0, 1, 2}; // two tangents, then the normal
    double w[] = {1 / push_mass, 1 / push_mass, 1 / push_mass}, q[] = {push, 0, push_down};
    pawl_contact_problem_def def = {
        .contact_count = 1, .W = {3, 3, 3, i, i, w}, .q = q, .friction = &push_friction};
    pawl_contact_problem *problem;
    if (pawl_contact_problem_create(env, &def, &problem) != PAWL_OK) {
        return false;
    }
    pawl_settings settings = pawl_settings_default();
    settings.solver.tolerance = 1e-10;
    settings.solver.max_iterations = 10000;
    pawl_contact_result result;
    r[0] = r[1] = r[2] = 0;
    pawl_status status = pawl_contact_problem_solve(problem, &settings, r, &result);
    pawl_contact_problem_velocity(problem, r, u);
    pawl_contact_problem_destroy(problem);
    return status == PAWL_OK && result.outcome == PAWL_CONVERGED;
}

int main(void)
{
    pawl_env env = pawl_env_default();
    bool right = true;
    printf("%10s %12s %12s %12s\n", "push [m/s]", "normal [Ns]", "friction [Ns]", "slides [m/s]");
    for (int k = 0; k <= 8; ++k) {
        double push = 0.01 * k, r[3], u[3];
        if (!push_solve(&env, push, r, u)) {
            return 1;
        }
        printf("%10.2f %12.5f %12.5f %12.5f\n", push, r[2], r[0], u[0]);
        double sliding = fmax(0.0, push + push_friction * push_down); // closed form
        right = right && fabs(u[0] - sliding) < 1e-9;
    }
    return right ? 0 : 1;
}
