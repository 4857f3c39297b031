// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Free rotation: conservation laws at any spin, closed forms of symmetric tops.
#include "math/rotation.h"
#include "step/common/gyroscope.h"
#include "support/mechanism.h"
#include "support/random.h"

static const pawl_stepper_kind gyro_steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU};

// Conservation: without torque both the energy and the length of the angular momentum stay, at
// any spin and a step of 10 ms. 1000 steps of at most 20 parts, each rounded by a few 1e-16.
TEST(a_spinning_body_keeps_energy_and_angular_momentum_at_any_spin)
{
    static const double spins[] = {1.0, 30.0, 300.0, 1000.0};
    uint64_t seed = 1;
    for (int k = 0; k < 2; ++k) {
        for (int s = 0; s < 4; ++s) {
            mechanism m;
            mechanism_begin(&m);
            pawl_body_def def = pawl_body_def_default();
            def.mass = 1.0;
            def.com = v3(0.1, 0.2, -0.1);
            random_inertia(&seed, 1.0, 0.3, def.inertia);
            pawl_vec3 axis = pawl_quat_rotate(random_quat(&seed), v3(1, 0, 0));
            def.twist.angular = v3_scale(spins[s], axis);
            mechanism_body(&m, &def);
            pawl_settings settings = mechanism_settings(1e-2, gyro_steppers[k]);
            mechanism_start(&m, &settings);
            double energy = mechanism_energy(&m).kinetic;
            // about the centre of mass, which moves with the link frame's origin at rest at first
            pawl_vec3 p = mechanism_momentum(&m), L = mechanism_angular_momentum(&m);
            pawl_vec3 centre = def.com;
            double length = v3_norm(v3_sub(L, v3_cross(centre, p)));
            for (int i = 0; i < 1000; ++i) {
                mechanism_step(&m);
                CHECK_NEAR(mechanism_energy(&m).kinetic, energy, 1e-12 * energy);
                pawl_vec3 at = pawl_pose_apply(
                    pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)), def.com);
                L = v3_sub(mechanism_angular_momentum(&m), v3_cross(at, mechanism_momentum(&m)));
                CHECK_NEAR(v3_norm(L), length, 1e-12 * length);
            }
            CHECK_NEAR(m.verdict.balance_max, 0.0, 1e-12 * energy);
            mechanism_end(&m);
        }
    }
}

// Closed form: a symmetric top's axis precesses about its angular momentum at L / I1; its spin
// about the axis stays. Error of order h for euler, h^2 for moreau.
static double gyro_precession_error(pawl_stepper_kind stepper, double dt)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = 0.02;
    def.inertia[2] = 0.03;
    def.twist.angular = v3(1.0, 0.0, 10.0);
    mechanism_body(&m, &def);
    pawl_settings settings = mechanism_settings(dt, stepper);
    mechanism_start(&m, &settings);
    pawl_vec3 L = mechanism_angular_momentum(&m);
    mechanism_run(&m, (int)rint(0.5 / dt));
    double t = mechanism_time(&m), rate = v3_norm(L) / 0.02;
    pawl_vec3 axis =
        pawl_quat_rotate(pawl_quat_from_axis_angle(L, rate * t), v3(0, 0, 1)); // of the body
    pawl_pose pose = pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0));
    double error = v3_norm(v3_sub(pawl_quat_rotate(pose.orientation, v3(0, 0, 1)), axis));
    mechanism_end(&m);
    return error;
}

TEST(a_symmetric_top_precesses_with_the_order_of_the_stepper)
{
    double coarse = gyro_precession_error(PAWL_STEPPER_EULER, 2e-4);
    double fine = gyro_precession_error(PAWL_STEPPER_EULER, 1e-4);
    CHECK_NEAR(log2(coarse / fine), 1.0, 0.1);
    coarse = gyro_precession_error(PAWL_STEPPER_MOREAU, 2e-3);
    fine = gyro_precession_error(PAWL_STEPPER_MOREAU, 1e-3);
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.1);
}

// Closed form: an isotropic body feels no gyroscopic torque; a torque along a principal axis
// through which it spins only changes the spin.
TEST(a_torque_along_a_principal_axis_changes_the_spin_alone)
{
    model_body body = {.mass = 1.0};
    body.inertia = (pawl_mat3){{{0.1, 0, 0}, {0, 0.2, 0}, {0, 0, 0.25}}};
    body.inverse_inertia = m3_inverse(&body.inertia);
    pawl_vec3 W = pawl_gyroscope_step(&body, v3(0, 5, 0), v3(0, 2, 0), 0.01);
    CHECK_NEAR3(W, v3(0, 5.1, 0), 1e-14);
    // implicit midpoint equation, written out, at a general spin
    pawl_vec3 from = v3(1, 2, 3), torque = v3(0.3, -0.2, 0.1);
    W = pawl_gyroscope_step(&body, from, torque, 0.01);
    pawl_vec3 mean = v3_scale(0.5, v3_add(from, W));
    pawl_vec3 rate = v3_sub(torque, v3_cross(mean, m3_mul(&body.inertia, mean)));
    CHECK_NEAR3(m3_mul(&body.inertia, v3_sub(W, from)), v3_scale(0.01, rate), 1e-15);
}
