// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/recording.h"
#include "support/test.h"
#include <string.h>

static void recording_build(pawl_builder *b)
{
    for (int i = 0; i < 2; ++i) {
        pawl_body_def body = pawl_body_def_default();
        body.name = i == 0 ? "upper" : "lower";
        body.pose.position = (pawl_vec3){0.5 + i, 0.0, 0.0};
        body.density = 800.0;
        pawl_body_id index;
        CHECK_OK(pawl_builder_add_body(b, &body, &index));
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = i == 0 ? PAWL_SHAPE_BOX : PAWL_SHAPE_CAPSULE;
        shape.size = i == 0 ? (pawl_vec3){0.5, 0.04, 0.06} : (pawl_vec3){0.05, 0.05, 0.45};
        shape.frame.orientation =
            i == 0 ? (pawl_quat){1, 0, 0, 0} : pawl_quat_from_rpy(0.0, 1.5707963267948966, 0.0);
        CHECK_OK(pawl_builder_add_shape(b, index, &shape, NULL));
        pawl_joint_def joint = pawl_joint_def_default();
        joint.name = i == 0 ? "shoulder" : "elbow";
        joint.kind = PAWL_JOINT_REVOLUTE;
        joint.base = i == 0 ? PAWL_WORLD : pawl_builder_body_at(b, 0);
        joint.follower = pawl_builder_body_at(b, i);
        joint.coordinate[0].damping = 0.2;
        pawl_builder_place_joint(b, &joint, (pawl_vec3){(double)i, 0.0, 0.0}, (pawl_vec3){0, 1, 0},
                                 (pawl_vec3){0});
        CHECK_OK(pawl_builder_add_joint(b, &joint, NULL));
    }
    pawl_actuator_def motor = pawl_actuator_def_default();
    motor.name = "motor";
    motor.kind = PAWL_ACTUATOR_FORCE;
    motor.joint = pawl_builder_joint_at(b, 1);
    motor.target = (pawl_signal){
        .kind = PAWL_SIGNAL_SINUSOID, .amplitude = 20.0, .frequency = 3.0, .phase = 0.3};
    CHECK_OK(pawl_builder_add_actuator(b, &motor, NULL));
    pawl_spring_def spring = pawl_spring_def_default();
    spring.name = "spring";
    spring.body_a = PAWL_WORLD;
    spring.body_b = pawl_builder_body_at(b, 1);
    spring.point_a = (pawl_vec3){1.0, 0.0, 1.0};
    spring.stiffness = 200.0;
    spring.rest_length = 0.8;
    CHECK_OK(pawl_builder_add_spring(b, &spring, NULL));
}

const pawl_vec3 recording_gem[RECORDING_GEM_POINTS] = {{0.15, 0, 0},  {-0.15, 0, 0}, {0, 0.15, 0},
                                                       {0, -0.15, 0}, {0, 0, 0.15},  {0, 0, -0.15}};

static void recording_build_crate(pawl_builder *b)
{
    pawl_shape_def ground = pawl_shape_def_default();
    ground.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &ground, NULL));
    for (int i = 0; i < 2; ++i) {
        pawl_body_def body = pawl_body_def_default();
        body.name = i == 0 ? "<crate>" : "ball & chain";
        body.density = 500.0;
        body.pose.position = (pawl_vec3){0.5 * i, 0.0, i == 0 ? 0.1242 : 0.1021};
        body.pose.orientation = pawl_quat_from_rpy(i == 0 ? 0.13 : 0.0, i == 0 ? 0.11 : 0.0, 0.0);
        body.twist.linear = (pawl_vec3){0.3, 0.1, -0.2};
        pawl_body_id index;
        CHECK_OK(pawl_builder_add_body(b, &body, &index));
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = i == 0 ? PAWL_SHAPE_BOX : PAWL_SHAPE_SPHERE;
        shape.size = (pawl_vec3){0.1, 0.1, 0.1};
        CHECK_OK(pawl_builder_add_shape(b, index, &shape, NULL));
        if (i == 1) { // only drawn
            shape.kind = PAWL_SHAPE_HULL;
            shape.points = recording_gem;
            shape.point_count = RECORDING_GEM_POINTS;
            shape.visual_only = true;
            CHECK_OK(pawl_builder_add_shape(b, index, &shape, NULL));
        }
    }
}

static void recording_start(recording *r, const pawl_env *env, const char *name, double dt,
                            void (*build)(pawl_builder *))
{
    memset(r, 0, sizeof *r);
    r->env = env;
    pawl_builder *builder;
    CHECK_OK(pawl_builder_create(env, name, &builder));
    build(builder);
    CHECK_OK(pawl_builder_compile(builder, &r->model));
    pawl_builder_destroy(builder);
    pawl_settings settings = pawl_settings_default();
    settings.dt = dt;
    settings.stepper = PAWL_STEPPER_EULER; // loses energy at large steps, which a report is to say
    CHECK_OK(pawl_sim_create(env, r->model, &settings, &r->sim));
    r->verdict = pawl_verdict_begin(pawl_sim_state(r->sim));
}

void recording_begin(recording *r, const pawl_env *env, const char *name, double dt)
{
    recording_start(r, env, name, dt, recording_build);
}

void recording_begin_crate(recording *r, const pawl_env *env, double dt)
{
    recording_start(r, env, "crate", dt, recording_build_crate);
}

pawl_status recording_create(recording *r, const char *path, double interval, int flush_frames)
{
    pawl_recorder_options options = pawl_recorder_options_default();
    options.interval = interval;
    options.flush_frames = flush_frames;
    options.model_path = "models/none.sdf";
    pawl_status status = pawl_recorder_create(r->env, path, r->sim, &options, &r->recorder);
    return status != PAWL_OK ? status : pawl_recorder_add(r->recorder, NULL, &r->verdict);
}

pawl_status recording_resume(recording *r, const char *path)
{
    pawl_record *record;
    pawl_status status = pawl_record_open(r->env, path, &record);
    if (status != PAWL_OK) {
        return status;
    }
    pawl_state *state;
    CHECK_OK(pawl_state_create(r->env, r->model, &state));
    status = pawl_record_last_state(record, state, &r->verdict);
    pawl_record_close(record);
    if (status == PAWL_OK) {
        status = pawl_sim_set_state(r->sim, state);
    }
    pawl_state_destroy(state);
    return status != PAWL_OK ? status : pawl_recorder_append(r->env, path, r->sim, &r->recorder);
}

pawl_status recording_run(recording *r, int64_t step)
{
    while (pawl_state_step(pawl_sim_state(r->sim)) < step) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(r->sim, &report));
        pawl_verdict_add(&r->verdict, &report);
        pawl_status status =
            r->recorder == NULL ? PAWL_OK : pawl_recorder_add(r->recorder, &report, &r->verdict);
        if (status != PAWL_OK) {
            return status;
        }
    }
    return PAWL_OK;
}

pawl_status recording_close(recording *r)
{
    pawl_status status = pawl_recorder_close(r->recorder);
    r->recorder = NULL;
    return status;
}

void recording_end(recording *r)
{
    (void)recording_close(r);
    pawl_sim_destroy(r->sim);
    pawl_model_destroy(r->model);
}
