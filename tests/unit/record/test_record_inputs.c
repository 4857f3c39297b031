// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Recordings hold the inputs of a run: one that is resumed has the bits of one that was not interrupted.
#include "math/vec.h"
#include "pawl/io.h"
#include "support/mechanism.h"
#include <math.h>

static pawl_actuator_id inputs_build(mechanism *m)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_joint_id hinge;
    pawl_actuator_id motor;
    pawl_body_id rod;
    CHECK_OK(pawl_builder_add_solid(m->builder, "rod", PAWL_SHAPE_CAPSULE, v3(0, 0, 0.5),
                                    v3(0.02, 0, 0.4), 1000, &rod));
    CHECK_OK(pawl_builder_connect(m->builder, "hinge", PAWL_JOINT_REVOLUTE, PAWL_WORLD, rod,
                                  v3(0, 0, 0), v3(0, 1, 0), &hinge));
    CHECK_OK(pawl_builder_add_motor(m->builder, hinge, 30, &motor));
    return motor;
}

// The last input is not set again after the run was resumed: it must come from the recording.
static void inputs_run(mechanism *m, pawl_recorder *recorder, pawl_actuator_id motor, int from,
                       int to)
{
    for (int step = from; step < to; ++step) {
        pawl_state *s = pawl_sim_edit_state(m->sim);
        if (step == 5) {
            CHECK_OK(pawl_state_set_gravity(s, v3(1, 0, -5)));
            CHECK_OK(pawl_state_set_wrench(s, pawl_model_body_at(pawl_state_model(s), 0),
                                           v3(0.5, 0, 0), v3(0, 0.25, 0)));
        }
        if (step % 7 == 0) {
            CHECK_OK(pawl_state_set_target(
                s, motor,
                -20.0 * mechanism_position(m, pawl_model_joint_at(m->model, 0), 0) + 0.3));
        }
        mechanism_run(m, 1);
        if (recorder != NULL) {
            CHECK_OK(pawl_recorder_add(recorder, &m->report, &m->verdict));
        }
    }
}

TEST(a_recorded_run_with_inputs_is_resumed_with_the_same_bits)
{
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism whole, first, second;
    pawl_actuator_id motor = inputs_build(&whole);
    inputs_build(&first);
    inputs_build(&second);
    mechanism_start(&whole, &settings);
    inputs_run(&whole, NULL, motor, 0, 60);

    char path[256];
    test_path("inputs.h5", path, sizeof path);
    pawl_recorder_options options = pawl_recorder_options_default();
    pawl_recorder *recorder;
    mechanism_start(&first, &settings);
    CHECK_OK(pawl_recorder_create(&first.t.env, path, first.sim, &options, &recorder));
    CHECK_OK(pawl_recorder_add(recorder, NULL, &first.verdict));
    inputs_run(&first, recorder, motor, 0, 31);
    CHECK_OK(pawl_recorder_close(recorder));

    mechanism_start(&second, &settings);
    pawl_record *record;
    pawl_state *state;
    CHECK_OK(pawl_state_create(&second.t.env, second.model, &state));
    CHECK_OK(pawl_record_open(&second.t.env, path, &record));
    CHECK_OK(pawl_record_last_state(record, state, NULL));
    pawl_record_close(record);
    CHECK_INT(pawl_state_input_count(state), 3);
    CHECK_OK(pawl_sim_set_state(second.sim, state));
    CHECK_OK(pawl_recorder_append(&second.t.env, path, second.sim, &recorder));
    inputs_run(&second, recorder, motor, 31, 60);
    CHECK_OK(pawl_recorder_close(recorder));
    CHECK(pawl_state_hash(mechanism_state(&second)) == pawl_state_hash(mechanism_state(&whole)));
    pawl_state_destroy(state);
    mechanism_end(&whole);
    mechanism_end(&first);
    mechanism_end(&second);
}
