// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies without joints, and point masses on rods: gravity, applied forces and damping.
#include "math/rotation.h"
#include "support/mechanism.h"

// Closed form of both rules: semi-implicit Euler falls by g t (t + h) / 2, the midpoint rule by
// g t^2 / 2 exactly.
TEST(a_body_falls_as_its_stepper_integrates_a_parabola)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        mechanism m;
        mechanism_throw(&m);
        double h = 1e-2;
        pawl_settings settings = mechanism_settings(h, (pawl_stepper_kind)s);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 100);
        double t = mechanism_time(&m), g = 0.5 * 9.81;
        double z = 5.0 * t - 0.5 * g * t * (s == PAWL_STEPPER_EULER ? t + h : t);
        CHECK_NEAR3(pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position,
                    v3(t, 0, z), 1e-12);
        pawl_energy e = mechanism_energy(&m);
        CHECK_NEAR(e.gravity, 3.0 * g * (z + 0.3), 1e-11);
        // euler's extra fall of g h t / 2 shows in the balance as it must
        CHECK_NEAR(e.balance, s == PAWL_STEPPER_EULER ? -3.0 * g * 0.5 * g * h * t : 0.0, 1e-11);
        mechanism_end(&m);
    }
}

// Closed form: a force off the centre of mass, F / m and r x F / I; its work is exact (the body
// turns about one axis and the force turns with it).
TEST(a_force_off_the_centre_moves_and_turns)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 2.0;
    def.com = v3(0.1, 0, 0);
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.5;
    pawl_body_id body = mechanism_body(&m, &def);
    pawl_force_def force = pawl_force_def_default();
    force.body = body;
    force.point = v3(0.6, 0, 0); // 0.5 from the centre of mass
    force.force[1] = pawl_signal_constant(3.0);
    force.torque[2] = pawl_signal_constant(0.5);
    force.in_body_axes = true;
    mechanism_force(&m, &force);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 1000);
    double alpha = (3.0 * 0.5 + 0.5) / 0.5, t = mechanism_time(&m);
    pawl_twist twist = pawl_state_twist(mechanism_state(&m), body);
    CHECK_NEAR3(twist.angular, v3(0, 0, alpha * t), 1e-11);
    pawl_energy e = mechanism_energy(&m);
    CHECK_NEAR(e.work_forces, e.kinetic, 1e-12 * e.kinetic);
    CHECK_NEAR(e.balance, 0.0, 1e-12 * e.kinetic);
    mechanism_end(&m);
}

static double free_ramp(void *user, double t)
{
    (void)user;
    return 6.0 * t;
}

// Closed form: F = 6 t gives v = 3 t^2 / m; the midpoint rule is exact for a linear force.
TEST(forces_as_functions_of_time_are_read_where_the_stepper_needs_them)
{
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 2.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_force_def force = pawl_force_def_default();
    const double times[2] = {0.0, 10.0}, values[2] = {0.0, 60.0};
    force.body = pawl_builder_body_at(m.builder, 0);
    force.force[0] =
        (pawl_signal){.kind = PAWL_SIGNAL_TABLE, .count = 2, .times = times, .values = values};
    force.force[1] = (pawl_signal){.kind = PAWL_SIGNAL_CALLBACK, .callback = free_ramp};
    mechanism_force(&m, &force);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 100);
    CHECK_NEAR3(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear,
                v3(1.5, 1.5, 0), 1e-13);
    CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-12 * mechanism_energy(&m).kinetic);
    mechanism_end(&m);
}

// Closed form of the rules: v0 / (1 + h d / m)^n and v0 ((1 - x) / (1 + x))^n, x = h d / 2m; both
// tend to the exponential with their order.
TEST(body_damping_decays_exponentially)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        double error[2], balance[2];
        for (int k = 0; k < 2; ++k) {
            mechanism m;
            mechanism_begin(&m);
            pawl_body_def def = pawl_body_def_default();
            def.mass = 2.0;
            def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.5;
            def.twist.linear = v3(1, 2, 3);
            def.twist.angular = v3(-1, 0.5, 2);
            def.linear_damping = 4.0;
            def.angular_damping = 0.5;
            mechanism_body(&m, &def);
            double h = k == 0 ? 1e-2 : 5e-3;
            pawl_settings settings = mechanism_settings(h, (pawl_stepper_kind)s);
            mechanism_start(&m, &settings);
            int n = (int)rint(1.0 / h);
            mechanism_run(&m, n);
            double x = 0.5 * h * 2.0, y = 0.5 * h * 1.0;
            double a = s == PAWL_STEPPER_EULER ? 1.0 / (1.0 + 2.0 * x) : (1.0 - x) / (1.0 + x);
            double b = s == PAWL_STEPPER_EULER ? 1.0 / (1.0 + 2.0 * y) : (1.0 - y) / (1.0 + y);
            pawl_twist twist =
                pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0));
            CHECK_NEAR3(twist.linear, v3_scale(pow(a, n), v3(1, 2, 3)), 1e-13);
            CHECK_NEAR3(twist.angular, v3_scale(pow(b, n), v3(-1, 0.5, 2)), 1e-13);
            error[k] = fabs(twist.linear.z - 3.0 * exp(-2.0));
            pawl_energy e = mechanism_energy(&m);
            balance[k] = fabs(e.balance);
            CHECK(e.work_dampers < -10.0);
            mechanism_end(&m);
        }
        CHECK_NEAR(log2(error[0] / error[1]), s == PAWL_STEPPER_EULER ? 1.0 : 2.0, 0.05);
        // whatever euler may count as its own loss falls with the step; moreau's is none
        CHECK(balance[1] < (s == PAWL_STEPPER_EULER ? 0.6 * balance[0] + 1e-12 : 1e-12));
    }
}

// An anisotropic body that spins and is damped loses energy at every step, and never gains.
TEST(angular_damping_of_a_tumbling_body_only_takes_energy)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_def def = pawl_body_def_default();
        def.mass = 1.0;
        def.inertia[0] = 0.1, def.inertia[1] = 0.15, def.inertia[2] = 0.2;
        def.twist.angular = v3(0.1, 50.0, 0.1);
        def.angular_damping = 0.01;
        mechanism_body(&m, &def);
        pawl_settings settings = mechanism_settings(1e-3, (pawl_stepper_kind)s);
        mechanism_start(&m, &settings);
        double energy = mechanism_energy(&m).kinetic;
        for (int i = 0; i < 1000; ++i) {
            mechanism_step(&m);
            double next = mechanism_energy(&m).kinetic;
            CHECK(next < energy);
            energy = next;
        }
        CHECK(fabs(m.verdict.balance_max) < 1e-2 * m.verdict.energy_initial);
        mechanism_end(&m);
    }
}

// Closed form: a conical pendulum of length l at angle a circles with w^2 = g / (l cos a). With
// projection euler is of first order and moreau of second.
static double free_conical_error(pawl_stepper_kind stepper, double dt)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    double l = 1.2, a = 0.6, w = sqrt(9.81 / (l * cos(a))), error = 0.0;
    pawl_body_def def = pawl_body_def_default();
    def.kind = PAWL_BODY_POINT;
    def.mass = 0.7;
    def.pose.position = v3(l * sin(a), 0, -l * cos(a));
    def.twist.linear = v3(0, w * l * sin(a), 0);
    pawl_joint_def rod = pawl_joint_def_default();
    rod.kind = PAWL_JOINT_DISTANCE;
    rod.follower = mechanism_body(&m, &def);
    mechanism_joint(&m, &rod);
    pawl_settings settings = mechanism_settings(dt, stepper);
    mechanism_start(&m, &settings);
    for (int i = 0; i < (int)rint(1.0 / dt); ++i) {
        mechanism_step(&m);
        double t = mechanism_time(&m);
        pawl_vec3 expected = v3(l * sin(a) * cos(w * t), l * sin(a) * sin(w * t), -l * cos(a));
        pawl_vec3 got =
            pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position;
        error = fmax(error, v3_norm(v3_sub(got, expected)));
        CHECK_NEAR(v3_norm(got), l, 1e-11);
    }
    pawl_vec3 force, torque; // the rod's tension: m g / cos a, towards the pivot
    pawl_sim_joint_reaction(m.sim, pawl_model_joint_at(m.model, 0), &force, &torque);
    CHECK_NEAR(v3_norm(force), 0.7 * 9.81 / cos(a), 0.02);
    CHECK(force.z > 0.0);
    CHECK_NEAR3(torque, v3(0, 0, 0), 1e-12);
    CHECK(m.verdict.balance_max < 10.0 * dt);
    mechanism_end(&m);
    return error;
}

TEST(a_point_mass_on_a_rod_makes_a_conical_pendulum)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        double coarse = free_conical_error((pawl_stepper_kind)s, 2e-3);
        double fine = free_conical_error((pawl_stepper_kind)s, 1e-3);
        CHECK_NEAR(log2(coarse / fine), s == PAWL_STEPPER_EULER ? 1.0 : 2.0, 0.1);
    }
}

// Conservation: two point masses on a rod in space; no force from outside, no spin of their own.
TEST(two_point_masses_on_a_rod_keep_their_momenta)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.kind = PAWL_BODY_POINT;
    def.mass = 1.0;
    def.twist.linear = v3(0, 1, 0);
    mechanism_body(&m, &def);
    def.mass = 2.0;
    def.pose.position = v3(1, 0, 0);
    def.twist.linear = v3(0, -1, 0.5);
    mechanism_body(&m, &def);
    pawl_joint_def rod = pawl_joint_def_default();
    rod.kind = PAWL_JOINT_DISTANCE;
    rod.base = pawl_builder_body_at(m.builder, 0);
    rod.follower = pawl_builder_body_at(m.builder, 1);
    mechanism_joint(&m, &rod);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    settings.project = false;
    mechanism_start(&m, &settings);
    pawl_vec3 p = mechanism_momentum(&m), L = mechanism_angular_momentum(&m);
    mechanism_run(&m, 1000);
    CHECK_NEAR3(mechanism_momentum(&m), p, 1e-13);
    CHECK_NEAR3(mechanism_angular_momentum(&m), L, 1e-12);
    mechanism_end(&m);
}

// By hand: a hanging body's joint carries its weight, with the moment of its offset.
TEST(the_reaction_of_a_bolted_body_is_its_weight)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    pawl_body_id body = mechanism_solid(&m, 2.0, v3(0.5, 0, 0), v3(0.1, 0.1, 0.1));
    mechanism_world_joint(&m, PAWL_JOINT_FIXED, body, v3(0, 0, 0), v3(1, 0, 0));
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 10);
    pawl_vec3 force, torque;
    pawl_sim_joint_reaction(m.sim, pawl_model_joint_at(m.model, 0), &force, &torque);
    CHECK_NEAR3(force, v3(0, 0, 2.0 * 9.81), 1e-10);
    CHECK_NEAR3(torque, v3(0, -0.5 * 2.0 * 9.81, 0), 1e-10);
    mechanism_end(&m);
}
