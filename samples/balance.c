// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Feedback control: a motor reads angle and rate of a pendulum before each step and keeps it upright.
#include <math.h>
#include <pawl/pawl.h>
#include <stdio.h>

int main(void)
{
    pawl_env env = pawl_env_default();
    pawl_builder *b = NULL;
    pawl_model *model = NULL;
    pawl_sim *sim = NULL;
    pawl_body_id rod = {0};
    pawl_joint_id hinge = {0};
    pawl_actuator_id motor = {0};
    pawl_vec3 centre = {0, 0, 0.5}, size = {0.02, 0.02, 0.5}, pivot = {0, 0, 0}, axis = {0, 1, 0};
    pawl_builder_create(&env, "balance", &b);
    pawl_builder_add_solid(b, "rod", PAWL_SHAPE_BOX, centre, size, 1000, &rod);
    pawl_builder_connect(b, "hinge", PAWL_JOINT_REVOLUTE, PAWL_WORLD, rod, pivot, axis, &hinge);
    pawl_builder_add_motor(b, hinge, 30, &motor);
    pawl_builder_set_start(b, hinge, &(double){0.4}); // rad from upright
    pawl_builder_compile(b, &model);
    pawl_settings settings = pawl_settings_default(); // steps of 1 ms
    if (pawl_sim_create(&env, model, &settings, &sim) != PAWL_OK) {
        return 1; // whatever went wrong above ends here: NULL and bad ids are refused
    }
    double angle, rate;
    for (int step = 0; step < 3000; ++step) {
        pawl_state_joint(pawl_sim_state(sim), hinge, &angle, &rate);
        pawl_state_set_target(pawl_sim_edit_state(sim), motor, -60 * angle - 10 * rate);
        pawl_sim_step(sim, NULL);
    }
    printf("after 3 s the pendulum is %.1e rad from upright\n", angle);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    pawl_builder_destroy(b);
    return fabs(angle) < 1e-6 ? 0 : 1;
}
