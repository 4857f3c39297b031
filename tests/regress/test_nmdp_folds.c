// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Where more friction presses a foot deeper, which makes more friction, G(theta, w) = 0 has a fold and no root beyond it.
// The descent used to creep towards the fold until nothing moved, and ended up to 8 m/s short of the least K as if it had
// converged. Such steps are divided now. Both the gap and the motion that was left are upper bounds that the program of
// the step gives.
#include "pawl/io.h"
#include "support/scene.h"

#include <math.h>

// Planar Robosimian trots with 50 ms.
TEST(a_step_with_a_fold_is_divided)
{
    test_env t;
    test_env_init(&t);
    pawl_load_options options = pawl_load_options_default();
    options.motion_path = "models/nmdp/motions/robosimian-walk.motion";
    pawl_model *model;
    pawl_sim *sim;
    CHECK_OK(pawl_model_load(&t.env, "models/nmdp/robosimian-planar.sdf", &options, &model));
    pawl_settings settings = mechanism_settings(0.05, PAWL_STEPPER_NMDP);
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    double gap = 0.0, left = 0.0;
    for (int k = 0; k < 200; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
        gap = fmax(gap, report.dissipation_gap);
        left = fmax(left, report.own_residual);
    }
    CHECK(gap < 0.01);
    CHECK(left < 1e-6);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
