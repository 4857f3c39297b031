// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Ideal sensors against mechanics: what an accelerometer reads at rest, in free fall and on a circle, Newton's law for
// what a joint transmits, and rays between bodies that move.
#include "math/rotation.h"
#include "pawl/pawl.h"
#include "support/mechanism.h"
#include "support/random.h"

static pawl_settings sensor_settings(double dt)
{
    pawl_settings settings = pawl_settings_default();
    settings.dt = dt;
    return settings;
}

// Closed form: at rest on its joint a body reads gravity upwards, in the axes of the sensor.
TEST(at_rest_an_accelerometer_reads_gravity_upwards)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    pawl_body_id body = mechanism_solid(&m, 2.0, v3(0, 0, 1), v3(1, 2, 2));
    mechanism_world_joint(&m, PAWL_JOINT_FIXED, body, v3(0, 0, 0), v3(1, 0, 0));
    pawl_settings settings = sensor_settings(1e-3);
    mechanism_start(&m, &settings);
    pawl_pose frame = {{0.3, 0.1, 0}, quat_exp(v3(0.7, 0, 0))};
    pawl_imu imu;
    CHECK_OK(pawl_sim_imu(m.sim, body, frame, &imu));
    CHECK(!imu.stepped);
    mechanism_run(&m, 3);
    CHECK_OK(pawl_sim_imu(m.sim, body, frame, &imu));
    CHECK(imu.stepped);
    CHECK_NEAR(imu.specific_force.x, 0.0, 1e-9);
    CHECK_NEAR(imu.specific_force.y, 9.81 * sin(0.7), 1e-9);
    CHECK_NEAR(imu.specific_force.z, 9.81 * cos(0.7), 1e-9);
    pawl_state_set_twist(pawl_sim_edit_state(m.sim), body, (pawl_twist){{0, 0, 0}, {0, 0, 0}});
    CHECK_OK(pawl_sim_imu(m.sim, body, frame, &imu));
    CHECK(!imu.stepped);
    mechanism_end(&m);
}

// Closed form: in free fall nothing at the centre of mass; on a body that spins about z at w, -w^2 r off the axis.
TEST(in_free_fall_an_accelerometer_reads_the_spin_alone)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = 0.1;
    def.inertia[2] = 0.2;
    def.twist = (pawl_twist){{1, 2, 3}, {0, 0, 5.0}};
    pawl_body_id body = mechanism_body(&m, &def);
    pawl_settings settings = sensor_settings(1e-4);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 100);
    pawl_imu centre, rim;
    CHECK_OK(pawl_sim_imu(m.sim, body, pawl_pose_identity(), &centre));
    CHECK_OK(pawl_sim_imu(m.sim, body, (pawl_pose){{0.4, 0, 0}, {1, 0, 0, 0}}, &rim));
    CHECK_NEAR(v3_norm(centre.specific_force), 0.0, 1e-9);
    CHECK_NEAR(centre.angular_velocity.z, 5.0, 1e-9);
    // mean over a step: the direction turns by w h / 2
    CHECK_NEAR(rim.specific_force.x, -25.0 * 0.4, 1e-3 * 10.0);
    CHECK_NEAR(rim.specific_force.y, 0.0, 1e-3 * 10.0);
    mechanism_end(&m);
}

// Newton's and Euler's laws over a step: what a hinge transmits, with motor, spring, damper, friction and a limit that
// is hit, is all that acts on its only follower but gravity. Every stepper with rows, both formulations.
TEST(a_force_torque_sensor_reads_all_that_a_joint_transmits)
{
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        for (int formulation = 0; formulation < 2; ++formulation) {
            if (formulation == 1 && stepper == PAWL_STEPPER_RATTLE) {
                continue; // refused
            }
            mechanism m;
            mechanism_begin(&m);
            pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
            pawl_body_id body = mechanism_solid(&m, 2.0, v3(0.5, 0, 0), v3(0.1, 0.2, 0.3));
            pawl_joint_def def = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, body,
                                                     v3(0, 0, 0), v3(0, 1, 0));
            def.coordinate[0].stiffness = 3.0;
            def.coordinate[0].damping = 0.2;
            def.coordinate[0].friction = 0.4;
            def.coordinate[0].upper = 0.3;
            pawl_joint_id joint = mechanism_joint(&m, &def);
            pawl_actuator_id motor;
            CHECK_OK(pawl_builder_add_motor(m.builder, joint, 30.0, &motor));
            pawl_settings settings = sensor_settings(1e-3);
            settings.stepper = (pawl_stepper_kind)stepper;
            settings.formulation = (pawl_formulation)formulation;
            mechanism_start(&m, &settings);
            CHECK_OK(pawl_state_set_target(pawl_sim_edit_state(m.sim), motor, 1.5));
            for (int k = 0; k < 400; ++k) { // falls, hits its limit, stays there
                pawl_twist before = pawl_state_twist(pawl_sim_state(m.sim), body);
                mechanism_step(&m);
                pawl_twist after = pawl_state_twist(pawl_sim_state(m.sim), body);
                pawl_pose pose = pawl_state_pose(pawl_sim_state(m.sim), body);
                pawl_vec3 force, torque;
                CHECK_OK(pawl_sim_force_torque(m.sim, joint, &force, &torque));
                // the joint's x axis is that of the hinge, the world's y
                pawl_quat axes = quat_mul(pose.orientation, def.follower_frame.orientation);
                force = pawl_quat_rotate(axes, force);
                torque = pawl_quat_rotate(axes, torque);
                pawl_vec3 a = v3_scale(1e3, v3_sub(after.linear, before.linear));
                pawl_vec3 wanted = v3_scale(2.0, v3_add(a, v3(0, 0, 9.81)));
                double size = 1.0 + v3_norm(wanted);
                CHECK_NEAR(v3_norm(v3_sub(force, wanted)), 0.0, 1e-2 * size);
                pawl_vec3 arm = v3_scale(-1.0, pose.position);
                double turned = 0.2 * 1e3 * (after.angular.y - before.angular.y);
                double moment = v3_add(torque, v3_cross(arm, force)).y;
                CHECK_NEAR(moment, turned, 1e-2 * size);
            }
            mechanism_end(&m);
        }
    }
}

// Closed form: a ball falls from 5 m onto the ground plane under a sensor that looks down through it.
TEST(a_scanner_sees_the_nearest_shape_and_not_its_own_body)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -10.0));
    pawl_body_id ball = mechanism_solid(&m, 1.0, v3(0, 0, 5), v3(1, 1, 1));
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_SPHERE;
    shape.size.x = 0.5;
    pawl_shape_id own, ground;
    CHECK_OK(pawl_builder_add_shape(m.builder, ball, &shape, &own));
    shape.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &shape, &ground));
    pawl_settings settings = sensor_settings(1e-3);
    mechanism_start(&m, &settings);
    pawl_scanner *scanner;
    CHECK_OK(pawl_scanner_create(&m.t.env, m.model, &scanner));
    pawl_ray_hit hit;
    pawl_vec3 from = v3(0.3, 0, 20), down = v3(0, 0, -2);
    CHECK_OK(pawl_scanner_cast(scanner, from, down, INFINITY, (pawl_body_id){0}, &hit));
    CHECK(hit.hit && pawl_body_index(hit.body) == pawl_body_index(ball));
    CHECK_NEAR(hit.distance, 20 - 5 - 0.4, 1e-12);
    CHECK_NEAR(hit.normal.x, 0.6, 1e-12);
    mechanism_run(&m, 500);
    CHECK_OK(pawl_scanner_place(scanner, pawl_sim_state(m.sim)));
    CHECK_OK(pawl_scanner_cast(scanner, from, down, INFINITY, (pawl_body_id){0}, &hit));
    CHECK_NEAR(hit.distance, 20 - (5 - 0.5 * 10 * 0.25) - 0.4, 1e-9);
    CHECK_OK(pawl_scanner_cast(scanner, from, down, INFINITY, ball, &hit));
    CHECK(hit.hit && pawl_body_is_world(hit.body));
    CHECK_NEAR(hit.distance, 20.0, 1e-12);
    CHECK_OK(pawl_scanner_cast(scanner, from, down, 10.0, ball, &hit));
    CHECK(!hit.hit);
    CHECK_OK(pawl_scanner_cast(scanner, v3(0, 0, 3.75), down, 10.0, (pawl_body_id){0}, &hit));
    CHECK(hit.hit && hit.distance == 0.0 && pawl_body_index(hit.body) == pawl_body_index(ball));
    pawl_scanner_destroy(scanner);
    mechanism_end(&m);
}

// Brute force: of many shapes the nearest, whatever their order and their boxes say.
TEST(a_scanner_agrees_with_rays_against_one_shape_at_a_time)
{
    uint64_t seed = 9;
    for (int scene = 0; scene < 20; ++scene) {
        enum { SHAPES = 30 };
        mechanism m, alone[SHAPES];
        pawl_scanner *scanner, *each[SHAPES];
        mechanism_begin(&m);
        for (int i = 0; i < SHAPES; ++i) {
            pawl_shape_def shape = pawl_shape_def_default();
            shape.kind = (pawl_shape_kind)random_index(&seed, PAWL_SHAPE_HULL);
            shape.size = v3_add(v3(0.6, 0.6, 0.6), random_vec(&seed, 0.5));
            shape.frame = random_pose(&seed, 0.0);
            pawl_pose pose = random_pose(&seed, 6.0);
            if (shape.kind == PAWL_SHAPE_PLANE) {
                shape.kind = PAWL_SHAPE_BOX;
            }
            mechanism_begin(&alone[i]);
            mechanism *both[2] = {&m, &alone[i]};
            for (int k = 0; k < 2; ++k) {
                pawl_body_id body = mechanism_solid(both[k], 1.0, pose.position, v3(1, 1, 1));
                CHECK_OK(pawl_builder_add_shape(both[k]->builder, body, &shape, NULL));
            }
            mechanism_compile(&alone[i]);
            CHECK_OK(pawl_scanner_create(&alone[i].t.env, alone[i].model, &each[i]));
        }
        mechanism_compile(&m);
        CHECK_OK(pawl_scanner_create(&m.t.env, m.model, &scanner));
        for (int k = 0; k < 50; ++k) {
            pawl_vec3 from = random_vec(&seed, 10.0), along = random_vec(&seed, 1.0);
            pawl_ray_hit hit, one;
            CHECK_OK(pawl_scanner_cast(scanner, from, along, INFINITY, (pawl_body_id){0}, &hit));
            double nearest = INFINITY;
            for (int i = 0; i < SHAPES; ++i) {
                CHECK_OK(
                    pawl_scanner_cast(each[i], from, along, INFINITY, (pawl_body_id){0}, &one));
                nearest = one.hit ? fmin(nearest, one.distance) : nearest;
            }
            CHECK(hit.hit == isfinite(nearest));
            CHECK(!hit.hit || hit.distance == nearest);
        }
        for (int i = 0; i < SHAPES; ++i) {
            pawl_scanner_destroy(each[i]);
            mechanism_end(&alone[i]);
        }
        pawl_scanner_destroy(scanner);
        mechanism_end(&m);
    }
}
