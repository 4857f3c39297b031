// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The rules that adapt ADMM's penalty compare the residual of the over-relaxed x with the dual one, as
// published (seed 002, Algorithm 6, lines 7 and 12). They were given the residual before relaxation, which
// hardly grows, so that the penalty stayed where it began: of a four-bar that falls on the floor 15 to 19
// of 2000 steps ran out of iterations, at 33 to 48 iterations a step.
#include "pawl/io.h"
#include "pawl/pawl.h"
#include "support/test.h"

// Steps that missed the tolerance, and iterations a step, of a model file that falls.
static int penalty_missed(const char *path, pawl_solver_kind solver, double *iterations)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model = NULL;
    CHECK(pawl_model_load(&t.env, path, NULL, &model) == PAWL_OK);
    pawl_settings settings = pawl_settings_default();
    settings.stepper = PAWL_STEPPER_EULER;
    settings.solver.kind = solver;
    settings.dt = 1e-3;
    pawl_sim *sim = NULL;
    CHECK(pawl_sim_create(&t.env, model, &settings, &sim) == PAWL_OK);
    enum { STEPS = 1500 };
    int missed = 0;
    int64_t sum = 0;
    for (int k = 0; k < STEPS; ++k) {
        pawl_step_report report;
        CHECK(pawl_sim_step(sim, &report) == PAWL_OK);
        missed += report.outcome != PAWL_CONVERGED ? 1 : 0;
        sum += report.iterations;
    }
    *iterations = (double)sum / STEPS;
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
    return missed;
}

TEST(adapted_penalties_solve_the_impacts_of_a_linkage)
{
    const pawl_solver_kind solvers[] = {PAWL_SOLVER_ADMM_NCP_LA, PAWL_SOLVER_ADMM_NCP_SA};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; ++i) {
        double iterations = 0.0;
        int missed =
            penalty_missed("models/primitives/fourbar-dropped.sdf", solvers[i], &iterations);
        CHECK(missed == 0);
        CHECK(iterations < 30.0);
    }
}
