// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/scene.h"
#include "pawl/io.h"
#include "support/reference.h"

#include <math.h>

pawl_settings scene_settings(double dt)
{
    return mechanism_settings(dt, PAWL_STEPPER_EULER);
}

pawl_settings scene_rest_settings(double dt)
{
    pawl_settings settings = scene_settings(dt);
    settings.solver.tolerance = 1e-9;
    return settings;
}

void scene_load(mechanism *m, const char *path, const pawl_settings *settings)
{
    mechanism_begin(m);
    pawl_load_options options = pawl_load_options_default();
    CHECK_OK(pawl_model_load(&m->t.env, path, &options, &m->model));
    mechanism_start(m, settings);
}

void scene_step(mechanism *m)
{
    CHECK_OK(pawl_sim_step(m->sim, &m->report));
    pawl_verdict_add(&m->verdict, &m->report);
}

void scene_run(mechanism *m, double until)
{
    while (mechanism_time(m) < until - 1e-9) {
        scene_step(m);
    }
}

pawl_vec3 scene_position(const mechanism *m, pawl_body_id body)
{
    return pawl_state_pose(mechanism_state(m), body).position;
}

pawl_vec3 scene_velocity(const mechanism *m, pawl_body_id body)
{
    return pawl_state_twist(mechanism_state(m), body).linear;
}

pawl_vec3 scene_spin(const mechanism *m, pawl_body_id body)
{
    return pawl_state_twist(mechanism_state(m), body).angular;
}

double scene_speed(const mechanism *m, pawl_body_id body)
{
    return v3_norm(scene_velocity(m, body)) + v3_norm(scene_spin(m, body));
}

double scene_top_speed(const mechanism *m)
{
    double speed = 0.0;
    for (int k = 0; k < pawl_model_body_count(m->model); ++k) {
        speed = fmax(speed, scene_speed(m, pawl_model_body_at(m->model, k)));
    }
    return speed;
}

double scene_stored(const mechanism *m)
{
    pawl_energy e = mechanism_energy(m);
    return e.kinetic + e.gravity;
}

double scene_yaw(const mechanism *m, pawl_body_id body, double before)
{
    pawl_vec3 x =
        pawl_quat_rotate(pawl_state_pose(mechanism_state(m), body).orientation, v3(1, 0, 0));
    double yaw = atan2(x.y, x.x), turn = 4.0 * acos(0.0);
    return yaw + turn * round((before - yaw) / turn); // counts turns
}

pawl_vec3 scene_force(const mechanism *m, pawl_body_id other, pawl_body_id body)
{
    int a = pawl_body_index(other), b = pawl_body_index(body);
    pawl_vec3 sum = {0};
    for (int k = 0; k < pawl_sim_contact_count(m->sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m->sim, k);
        if (pawl_body_index(c.body_a) == a && pawl_body_index(c.body_b) == b) {
            sum = v3_add(sum, c.force);
        } else if (pawl_body_index(c.body_a) == b && pawl_body_index(c.body_b) == a) {
            sum = v3_sub(sum, c.force);
        }
    }
    return sum;
}

pawl_shape_id scene_shape(mechanism *m, pawl_body_id body, pawl_shape_kind kind, pawl_vec3 size,
                          pawl_vec3 at, double friction, double restitution)
{
    pawl_shape_def def = pawl_shape_def_default();
    pawl_shape_id index;
    def.kind = kind;
    def.size = size;
    def.frame.position = at;
    def.friction = friction;
    def.restitution = restitution;
    CHECK_OK(pawl_builder_add_shape(m->builder, body, &def, &index));
    return index;
}

void scene_floor(mechanism *m, double friction, double slope, double azimuth)
{
    mechanism_begin(m);
    scene_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), friction, 0.0);
    double along = SCENE_G * sin(slope);
    pawl_builder_set_gravity(m->builder,
                             v3(along * cos(azimuth), along * sin(azimuth), -SCENE_G * cos(slope)));
}

pawl_body_id scene_box_at(mechanism *m, double mass, pawl_vec3 size, pawl_vec3 at, double friction)
{
    double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z, s = mass / 12.0;
    pawl_body_id body = mechanism_solid(m, mass, at, v3(s * (y + z), s * (x + z), s * (x + y)));
    scene_shape(m, body, PAWL_SHAPE_BOX, v3_scale(0.5, size), v3(0, 0, 0), friction, 0.0);
    return body;
}

pawl_body_id scene_box(mechanism *m, double mass, pawl_vec3 size, double friction)
{
    return scene_box_at(m, mass, size, v3(0, 0, 0.5 * size.z), friction);
}

pawl_body_id scene_sphere(mechanism *m, double mass, double radius, pawl_vec3 at,
                          pawl_vec3 velocity, double friction, double restitution)
{
    pawl_body_def def = pawl_body_def_default();
    def.mass = mass;
    def.pose.position = at;
    def.twist.linear = velocity;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.4 * mass * radius * radius;
    pawl_body_id body = mechanism_body(m, &def);
    scene_shape(m, body, PAWL_SHAPE_SPHERE, v3(radius, 0, 0), v3(0, 0, 0), friction, restitution);
    return body;
}

pawl_body_id scene_rod(mechanism *m, double half, double theta, const double v[2], double omega,
                       double friction, double restitution)
{
    const double tip = 1e-7; // radius: friction acts that far off the axis
    scene_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), friction, restitution);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = 1e-6;
    def.inertia[1] = def.inertia[2] = half * half / 3.0;
    def.pose.position = v3(half * cos(theta), 0, half * sin(theta) + tip);
    def.pose.orientation = pawl_quat_from_rpy(0.0, -theta, 0.0);
    def.twist = (pawl_twist){v3(v[0], 0, v[1]), v3(0, -omega, 0)};
    pawl_body_id rod = mechanism_body(m, &def);
    scene_shape(m, rod, PAWL_SHAPE_SPHERE, v3(tip, 0, 0), v3(-half, 0, 0), friction, restitution);
    return rod;
}

double scene_bottom_gap(const mechanism *m, pawl_body_id body, pawl_vec3 half)
{
    pawl_pose pose = pawl_state_pose(mechanism_state(m), body);
    double worst = 0.0;
    for (int k = 0; k < 4; ++k) {
        pawl_vec3 corner = v3(k % 2 ? half.x : -half.x, k / 2 ? half.y : -half.y, -half.z);
        worst = fmax(worst, fabs(pawl_pose_apply(pose, corner).z));
    }
    return worst;
}

void scene_check_falls(const char *what, const double error[3], double slack)
{
    double order = reference_order(error[1], error[2]);
    print_message("%s: errors %.2e %.2e %.2e, order %.2f\n", what, error[0], error[1], error[2],
                  order);
    CHECK_NEAR(reference_order(error[0], error[1]), 1.0, slack);
    CHECK_NEAR(order, 1.0, slack);
}

void scene_check_order(const char *what, double (*measure)(const pawl_settings *settings),
                       double dt, double expected, double slack)
{
    double error[3];
    for (int k = 0; k < 3; ++k) {
        pawl_settings settings = scene_settings(dt / (double)(1 << k));
        error[k] = fabs(measure(&settings) - expected);
    }
    scene_check_falls(what, error, slack);
}
