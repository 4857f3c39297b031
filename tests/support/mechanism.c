// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/mechanism.h"

#include "math/rotation.h"

void mechanism_begin(mechanism *m)
{
    *m = (mechanism){.builder = NULL};
    test_env_init(&m->t);
    CHECK_OK(pawl_builder_create(&m->t.env, "mechanism", &m->builder));
    pawl_builder_set_gravity(m->builder, v3(0.0, 0.0, 0.0));
}

void mechanism_end(mechanism *m)
{
    pawl_sim_destroy(m->sim);
    pawl_model_destroy(m->model);
    pawl_builder_destroy(m->builder);
    CHECK_NO_LEAK(&m->t);
}

pawl_body_id mechanism_body(mechanism *m, const pawl_body_def *def)
{
    pawl_body_id index;
    CHECK_OK(pawl_builder_add_body(m->builder, def, &index));
    return index;
}

pawl_body_id mechanism_solid(mechanism *m, double mass, pawl_vec3 position, pawl_vec3 inertia)
{
    pawl_body_def def = pawl_body_def_default();
    def.mass = mass;
    def.pose.position = position;
    def.inertia[0] = inertia.x;
    def.inertia[1] = inertia.y;
    def.inertia[2] = inertia.z;
    return mechanism_body(m, &def);
}

pawl_joint_id mechanism_joint(mechanism *m, const pawl_joint_def *def)
{
    pawl_joint_id index;
    CHECK_OK(pawl_builder_add_joint(m->builder, def, &index));
    return index;
}

pawl_joint_def mechanism_joint_def(const mechanism *m, pawl_joint_kind kind, pawl_body_id base,
                                   pawl_body_id follower, pawl_vec3 point, pawl_vec3 axis)
{
    pawl_joint_def def = pawl_joint_def_default();
    def.kind = kind;
    def.base = base;
    def.follower = follower;
    pawl_builder_place_joint(m->builder, &def, point, axis, v3(0.0, 0.0, 0.0));
    return def;
}

pawl_joint_id mechanism_world_joint(mechanism *m, pawl_joint_kind kind, pawl_body_id follower,
                                    pawl_vec3 point, pawl_vec3 axis)
{
    pawl_joint_def def = mechanism_joint_def(m, kind, PAWL_WORLD, follower, point, axis);
    return mechanism_joint(m, &def);
}

pawl_joint_id mechanism_gear(mechanism *m, const pawl_gear_def *def)
{
    pawl_joint_id index;
    CHECK_OK(pawl_builder_add_gear(m->builder, def, &index));
    return index;
}

pawl_actuator_id mechanism_actuator(mechanism *m, const pawl_actuator_def *def)
{
    pawl_actuator_id index;
    CHECK_OK(pawl_builder_add_actuator(m->builder, def, &index));
    return index;
}

pawl_motion_id mechanism_motion(mechanism *m, const pawl_motion_def *def)
{
    pawl_motion_id index;
    CHECK_OK(pawl_builder_add_motion(m->builder, def, &index));
    return index;
}

pawl_force_id mechanism_force(mechanism *m, const pawl_force_def *def)
{
    pawl_force_id index;
    CHECK_OK(pawl_builder_add_force(m->builder, def, &index));
    return index;
}

pawl_spring_id mechanism_spring(mechanism *m, const pawl_spring_def *def)
{
    pawl_spring_id index;
    CHECK_OK(pawl_builder_add_spring(m->builder, def, &index));
    return index;
}

void mechanism_compile(mechanism *m)
{
    if (m->model == NULL) {
        CHECK_OK(pawl_builder_compile(m->builder, &m->model));
    }
}

void mechanism_start(mechanism *m, const pawl_settings *settings)
{
    mechanism_compile(m);
    CHECK_OK(pawl_sim_create(&m->t.env, m->model, settings, &m->sim));
    m->verdict = pawl_verdict_begin(pawl_sim_state(m->sim));
}

void mechanism_restart(mechanism *m, const pawl_settings *settings)
{
    pawl_sim_destroy(m->sim);
    m->sim = NULL;
    mechanism_start(m, settings);
}

void mechanism_throw(mechanism *m)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_body_def def = pawl_body_def_default();
    def.mass = 3.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
    def.com = v3(0.1, 0.2, 0.3);
    def.twist.linear = v3(1, 0, 5);
    def.gravity_scale = 0.5;
    mechanism_body(m, &def);
}

void mechanism_take(mechanism *m, const void *bytes, size_t size)
{
    pawl_state *state;
    CHECK_OK(pawl_state_create(&m->t.env, m->model, &state));
    CHECK_OK(pawl_state_load(&m->t.env, state, bytes, size));
    CHECK_OK(pawl_sim_set_state(m->sim, state));
    pawl_state_destroy(state);
}

void mechanism_resume(mechanism *m, const pawl_settings *settings)
{
    size_t size = pawl_state_size(mechanism_state(m));
    void *bytes = test_malloc(size);
    pawl_state_save(mechanism_state(m), bytes);
    mechanism_restart(m, settings);
    mechanism_take(m, bytes, size);
    test_free(bytes);
}

void mechanism_step(mechanism *m)
{
    CHECK_OK(pawl_sim_step(m->sim, &m->report));
    CHECK_INT(m->report.outcome, PAWL_CONVERGED);
    pawl_verdict_add(&m->verdict, &m->report);
}

void mechanism_run(mechanism *m, int steps)
{
    for (int i = 0; i < steps; ++i) {
        mechanism_step(m);
    }
}

const pawl_state *mechanism_state(const mechanism *m)
{
    return pawl_sim_state(m->sim);
}

double mechanism_time(const mechanism *m)
{
    return pawl_state_time(mechanism_state(m));
}

double mechanism_position(const mechanism *m, pawl_joint_id joint, int coordinate)
{
    double position[6], rate[6];
    pawl_state_joint(mechanism_state(m), joint, position, rate);
    return position[coordinate];
}

double mechanism_rate(const mechanism *m, pawl_joint_id joint, int coordinate)
{
    double position[6], rate[6];
    pawl_state_joint(mechanism_state(m), joint, position, rate);
    return rate[coordinate];
}

pawl_energy mechanism_energy(const mechanism *m)
{
    return pawl_state_energy(mechanism_state(m));
}

// From public figures alone, so that it does not share code with what it judges.
pawl_vec3 mechanism_momentum(const mechanism *m)
{
    pawl_vec3 sum = {0};
    for (int i = 0; i < pawl_model_body_count(m->model); ++i) {
        pawl_body_info info = pawl_model_body(m->model, pawl_model_body_at(m->model, i));
        pawl_pose pose = pawl_state_pose(mechanism_state(m), pawl_model_body_at(m->model, i));
        pawl_twist twist = pawl_state_twist(mechanism_state(m), pawl_model_body_at(m->model, i));
        pawl_vec3 arm = pawl_quat_rotate(pose.orientation, info.com);
        pawl_vec3 velocity = v3_add(twist.linear, v3_cross(twist.angular, arm));
        sum = v3_axpy(sum, info.mass, velocity);
    }
    return sum;
}

pawl_vec3 mechanism_angular_momentum(const mechanism *m)
{
    pawl_vec3 sum = {0};
    for (int i = 0; i < pawl_model_body_count(m->model); ++i) {
        pawl_body_info info = pawl_model_body(m->model, pawl_model_body_at(m->model, i));
        pawl_pose pose = pawl_state_pose(mechanism_state(m), pawl_model_body_at(m->model, i));
        pawl_twist twist = pawl_state_twist(mechanism_state(m), pawl_model_body_at(m->model, i));
        pawl_vec3 arm = pawl_quat_rotate(pose.orientation, info.com);
        pawl_vec3 velocity = v3_add(twist.linear, v3_cross(twist.angular, arm));
        pawl_vec3 centre = v3_add(pose.position, arm);
        pawl_mat3 inertia = m3_from_six(info.inertia);
        pawl_vec3 spin = pawl_quat_rotate(quat_conj(pose.orientation), twist.angular);
        sum = v3_add(sum, v3_scale(info.mass, v3_cross(centre, velocity)));
        sum = v3_add(sum, pawl_quat_rotate(pose.orientation, m3_mul(&inertia, spin)));
    }
    return sum;
}

pawl_settings mechanism_settings(double dt, pawl_stepper_kind stepper)
{
    pawl_settings settings = pawl_settings_default();
    settings.dt = dt;
    settings.stepper = stepper;
    return settings;
}
