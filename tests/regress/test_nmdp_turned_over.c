// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// With pbd a robot that landed with steps of 50 ms was turned over within one step, with 47 kJ from nothing: the moment by
// which the rule's inertia holds a link back falls beyond 90 degrees, and Newton's method came to the root at 180.
#include "pawl/io.h"
#include "support/scene.h"

#include <math.h>

static void turned_run(pawl_nmdp_dynamics dynamics, double dt)
{
    test_env t;
    test_env_init(&t);
    pawl_load_options options = pawl_load_options_default();
    options.motion_path = "models/nmdp/motions/robosimian-jump-linear.motion";
    pawl_model *model;
    pawl_sim *sim;
    CHECK_OK(pawl_model_load(&t.env, "models/nmdp/robosimian-planar.sdf", &options, &model));
    pawl_settings settings = mechanism_settings(dt, PAWL_STEPPER_NMDP);
    settings.nmdp.dynamics = dynamics;
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    pawl_joint_id base = pawl_model_find_joint(model, "base");
    for (double time = 0.0; time < 2.0; time += dt) {
        pawl_step_report report;
        double q[3];
        CHECK_OK(pawl_sim_step(sim, &report));
        pawl_state_joint(pawl_sim_state(sim), base, q, NULL);
        CHECK(fabs(q[2]) < 0.05);
    }
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

TEST(no_landing_turns_a_robot_over)
{
    for (double dt = 0.04; dt < 0.081; dt += 0.005) {
        turned_run(PAWL_NMDP_PBD, dt);
        turned_run(PAWL_NMDP_PBD_RIGID, dt);
    }
}

// A link that a limit stops is rightly far from where it would be without forces, and the step may be divided.
TEST(a_link_that_a_limit_stops_is_not_turned_over)
{
    for (double rate = 5.0; rate < 60.0; rate *= 1.5) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_def body = pawl_body_def_default();
        body.mass = 0.1;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 1e-3;
        body.twist.angular = v3(0.0, 0.0, rate);
        pawl_body_id arm = mechanism_body(&m, &body);
        pawl_joint_def def = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, arm,
                                                 v3(0.0, 0.0, 0.0), v3(0.0, 0.0, 1.0));
        def.coordinate[0].lower = -100.0;
        def.coordinate[0].upper = 1.0;
        pawl_joint_id hinge = mechanism_joint(&m, &def);
        pawl_settings settings = mechanism_settings(0.05, PAWL_STEPPER_NMDP);
        settings.nmdp.dynamics = PAWL_NMDP_PBD;
        mechanism_start(&m, &settings);
        for (int k = 0; k < 40; ++k) {
            double q, v;
            mechanism_step(&m);
            pawl_state_joint(mechanism_state(&m), hinge, &q, &v);
            CHECK(q < 1.1 && fabs(v) < 1.01 * rate);
        }
        mechanism_end(&m);
    }
}
