// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Force, position and velocity actuators on a slider, whose motion has closed forms.
#include "math/rotation.h"
#include "support/mechanism.h"

static const double slider_mass = 2.0;

// A slider along x in the world, no gravity; body 0, joint 0.
static void slider_build(mechanism *m, double start)
{
    mechanism_begin(m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = slider_mass;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
    def.pose.position = v3(start, 0, 0);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_PRISMATIC;
    joint.follower = mechanism_body(m, &def);
    mechanism_joint(m, &joint);
}

static pawl_actuator_def slider_actuator(const mechanism *m, pawl_actuator_kind kind, double target)
{
    pawl_actuator_def def = pawl_actuator_def_default();
    def.kind = kind;
    def.joint = pawl_builder_joint_at(m->builder, 0);
    def.target = pawl_signal_constant(target);
    return def;
}

// Closed form: constant force, v = F t / m at every step of both steppers; the work is the kinetic
// energy, to rounding.
TEST(a_force_actuator_accelerates_by_force_over_mass_and_its_work_is_exact)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        mechanism m;
        slider_build(&m, 0.0);
        pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_FORCE, 3.0);
        pawl_actuator_id actuator = mechanism_actuator(&m, &def);
        pawl_settings settings = mechanism_settings(1e-2, (pawl_stepper_kind)s);
        mechanism_start(&m, &settings);
        for (int i = 0; i < 200; ++i) {
            mechanism_step(&m);
            double v = 3.0 / slider_mass * mechanism_time(&m);
            CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), v, 1e-13);
            CHECK_NEAR(pawl_sim_actuator_effort(m.sim, actuator), 3.0, 0.0);
            pawl_energy e = mechanism_energy(&m);
            CHECK_NEAR(e.work_actuators, 0.5 * slider_mass * v * v, 1e-12 * (1.0 + v * v));
            CHECK_NEAR(e.balance, 0.0, 1e-12 * (1e-3 + e.kinetic));
        }
        mechanism_end(&m);
    }
}

// Closed form: the integral of F sin(w t) / m; the midpoint rule's error is (w h)^2 / 24 of it,
// that of the end-point rule w h / 2.
TEST(a_sinusoidal_force_is_followed_with_the_order_of_the_stepper)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            mechanism m;
            slider_build(&m, 0.0);
            pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_FORCE, 0.0);
            def.target =
                (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 3.0, .frequency = 5.0};
            mechanism_actuator(&m, &def);
            double dt = k == 0 ? 1e-2 : 5e-3;
            pawl_settings settings = mechanism_settings(dt, (pawl_stepper_kind)s);
            mechanism_start(&m, &settings);
            mechanism_run(&m, (int)rint(1.0 / dt));
            double v = 3.0 / 5.0 / slider_mass * (1.0 - cos(5.0));
            error[k] = fabs(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0) - v);
            // rattle's books are as accurate as its steps: F'' v dt^2 / 12
            double off = s == PAWL_STEPPER_RATTLE ? 75.0 * 0.5 * dt * dt / 12.0 : 1e-13;
            CHECK_NEAR(mechanism_energy(&m).balance, 0.0, off);
            mechanism_end(&m);
        }
        CHECK_NEAR(log2(error[0] / error[1]), s == PAWL_STEPPER_EULER ? 1.0 : 2.0, 0.05);
    }
}

// By hand: what is above the effort is cut off, either way.
TEST(a_force_actuator_is_cut_off_at_its_effort)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        mechanism m;
        slider_build(&m, 0.0);
        pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_FORCE, 10.0 * sign);
        def.effort = 4.0;
        pawl_actuator_id actuator = mechanism_actuator(&m, &def);
        pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 100);
        CHECK_NEAR(pawl_sim_actuator_effort(m.sim, actuator), 4.0 * sign, 0.0);
        CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), 2.0 * sign, 1e-13);
        mechanism_end(&m);
    }
}

// Implicit Euler contracts the error of a spring without damping by m / (m + h^2 k) = 2e-4 a step:
// any gain at any step. The trapezoidal rule does not damp, but does not grow either.
TEST(a_stiff_position_actuator_is_stable_at_ten_milliseconds_and_reaches_its_target)
{
    mechanism m;
    slider_build(&m, 0.0);
    pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_POSITION, 0.7);
    def.stiffness = 1e8;
    mechanism_actuator(&m, &def);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    double ratio = slider_mass / (slider_mass + 1e-4 * 1e8), error = 0.7, v = 0.0;
    for (int i = 0; i < 20; ++i) {
        mechanism_step(&m);
        v = ratio * v + 1e-2 * 1e8 * error / (slider_mass + 1e-4 * 1e8);
        error -= 1e-2 * v;
        CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), 0.7 - error, 1e-12);
    }
    CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), 0.7, 1e-12);
    CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), 0.0, 1e-9);
    settings.stepper = PAWL_STEPPER_MOREAU;
    mechanism_restart(&m, &settings);
    for (int i = 0; i < 1000; ++i) {
        mechanism_step(&m);
        CHECK(fabs(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0) - 0.7) < 0.7001);
    }
    mechanism_end(&m);
}

// The recurrence of PD at the end of the step, written out: (m + h d + h^2 k) v+ = m v + h k e.
TEST(a_position_actuator_with_damping_follows_implicit_euler)
{
    mechanism m;
    slider_build(&m, 0.2);
    pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_POSITION, 1.0);
    def.stiffness = 300.0;
    def.damping = 12.0;
    pawl_actuator_id actuator = mechanism_actuator(&m, &def);
    double h = 1e-2, x = 0.2, v = 0.0;
    pawl_settings settings = mechanism_settings(h, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    for (int i = 0; i < 200; ++i) {
        mechanism_step(&m);
        double next =
            (slider_mass * v + h * 300.0 * (1.0 - x)) / (slider_mass + h * 12.0 + h * h * 300.0);
        x += h * next;
        CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), next, 1e-13);
        CHECK_NEAR(pawl_sim_actuator_effort(m.sim, actuator), slider_mass * (next - v) / h, 1e-10);
        v = next;
        // the PD's whole impulse is its work: exact on one mass
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-12 * 20.0);
    }
    mechanism_end(&m);
}

// Closed form: with infinite damping the rate is the target after every step, against any load.
TEST(a_velocity_actuator_of_infinite_damping_is_exact)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        mechanism m;
        slider_build(&m, 0.0);
        pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_VELOCITY, 1.5);
        def.damping = INFINITY;
        pawl_actuator_id motor = mechanism_actuator(&m, &def);
        def = slider_actuator(&m, PAWL_ACTUATOR_FORCE, -6.0); // a load
        mechanism_actuator(&m, &def);
        pawl_settings settings = mechanism_settings(1e-2, (pawl_stepper_kind)s);
        mechanism_start(&m, &settings);
        for (int i = 0; i < 100; ++i) {
            mechanism_step(&m);
            CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), 1.5, 1e-14);
        }
        CHECK_NEAR(pawl_sim_actuator_effort(m.sim, motor), 6.0, 1e-10);
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-12);
        mechanism_end(&m);
    }
}

// By hand: the same with an effort limit saturates while it accelerates, then holds.
TEST(a_velocity_actuator_with_limited_effort_saturates_then_holds)
{
    mechanism m;
    slider_build(&m, 0.0);
    pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_VELOCITY, 1.0);
    def.damping = INFINITY;
    def.effort = 4.0; // 2 m/s^2: the target is reached after 0.5 s
    pawl_actuator_id motor = mechanism_actuator(&m, &def);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    for (int i = 0; i < 100; ++i) {
        mechanism_step(&m);
        double t = mechanism_time(&m);
        CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), fmin(1.0, 2.0 * t),
                   1e-13);
        CHECK_NEAR(pawl_sim_actuator_effort(m.sim, motor), t < 0.505 ? 4.0 : 0.0, 1e-10);
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-13);
    }
    mechanism_end(&m);
}

// The recurrence (m + h d) v+ = m v + h d target, and its trapezoidal counterpart.
TEST(a_velocity_actuator_of_finite_damping_approaches_its_target)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        mechanism m;
        slider_build(&m, 0.0);
        pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_VELOCITY, 1.0);
        def.damping = 8.0;
        mechanism_actuator(&m, &def);
        double h = 1e-2, v = 0.0, theta = s == PAWL_STEPPER_EULER ? 1.0 : 0.5;
        pawl_settings settings = mechanism_settings(h, (pawl_stepper_kind)s);
        mechanism_start(&m, &settings);
        for (int i = 0; i < 200; ++i) {
            mechanism_step(&m);
            v = (slider_mass * v + h * 8.0 * (1.0 - (1.0 - theta) * v)) /
                (slider_mass + theta * h * 8.0);
            CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), v, 1e-13);
        }
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-13);
        mechanism_end(&m);
    }
}

// By hand: far from its target a PD with limited effort gives the effort, 4 N; near it the PD's own
// force. Both solvers.
TEST(a_position_actuator_with_limited_effort_saturates_far_from_its_target)
{
    for (int solver = 0; solver < PAWL_SOLVER_COUNT; ++solver) {
        mechanism m;
        slider_build(&m, 0.0);
        pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_POSITION, 1.0);
        def.stiffness = 100.0;
        def.damping = 30.0;
        def.effort = 4.0;
        pawl_actuator_id motor = mechanism_actuator(&m, &def);
        double h = 1e-3, x = 0.0, v = 0.0;
        pawl_settings settings = mechanism_settings(h, PAWL_STEPPER_EULER);
        settings.solver.kind = (pawl_solver_kind)solver;
        settings.solver.tolerance =
            1e-12; // an error of a velocity is one of m / h times that of a force
        mechanism_start(&m, &settings);
        bool saturated = false, free = false;
        for (int i = 0; i < 3000; ++i) {
            mechanism_step(&m);
            double next = (slider_mass * v + h * 100.0 * (1.0 - x)) /
                          (slider_mass + h * 30.0 + h * h * 100.0);
            double force = slider_mass * (next - v) / h;
            saturated = saturated || fabs(force) > 4.0;
            free = free || fabs(force) < 4.0;
            force = fmin(fmax(force, -4.0), 4.0);
            v += h * force / slider_mass;
            x += h * v;
            CHECK_NEAR(pawl_sim_actuator_effort(m.sim, motor), force, 1e-8);
            CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), x, 1e-8);
        }
        CHECK(saturated && free);
        CHECK_NEAR(x, 1.0, 1e-3);
        mechanism_end(&m);
    }
}

// Newton's third law on the carriage: the actuator between two free sliders moves no common centre.
TEST(an_actuator_between_two_bodies_pushes_both)
{
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    mechanism_solid(&m, 4.0, v3(1, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_joint_def joint =
        mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, pawl_builder_body_at(m.builder, 0),
                            pawl_builder_body_at(m.builder, 1), v3(1, 0, 0), v3(1, 0, 0));
    mechanism_joint(&m, &joint);
    pawl_actuator_def def = slider_actuator(&m, PAWL_ACTUATOR_FORCE, 2.0);
    mechanism_actuator(&m, &def);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 100);
    CHECK_NEAR3(mechanism_momentum(&m), v3(0, 0, 0), 1e-14);
    CHECK_NEAR(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear.x, -2.0,
               1e-13);
    CHECK_NEAR(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 1)).linear.x, 0.5,
               1e-13);
    CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-12);
    mechanism_end(&m);
}

// The actuator's force on a moving stage is paid for by the stage's drive: what the slider gains
// is the actuator's work plus the motion's. Uniform motion of the stage.
TEST(the_work_of_an_actuator_on_a_driven_stage_is_shared_with_the_drive)
{
    for (int kind = 0; kind < 2; ++kind) { // an applied force, and a row of the problem
        mechanism m;
        mechanism_begin(&m);
        pawl_body_def stage = pawl_body_def_default();
        stage.kind = PAWL_BODY_KINEMATIC;
        const double times[2] = {0.0, 10.0}, places[2] = {0.0, 20.0};
        stage.motion[0] =
            (pawl_signal){.kind = PAWL_SIGNAL_TABLE, .count = 2, .times = times, .values = places};
        pawl_body_id base = mechanism_body(&m, &stage);
        pawl_body_def def = pawl_body_def_default();
        def.mass = slider_mass;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
        def.twist.linear = v3(2.0, 0, 0);
        pawl_body_id body = mechanism_body(&m, &def);
        pawl_joint_def joint =
            mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, base, body, v3(0, 0, 0), v3(1, 0, 0));
        mechanism_joint(&m, &joint);
        pawl_actuator_def actuator = slider_actuator(
            &m, kind == 0 ? PAWL_ACTUATOR_FORCE : PAWL_ACTUATOR_VELOCITY, kind == 0 ? 3.0 : 1.0);
        actuator.damping = kind == 0 ? 0.0 : 5.0;
        mechanism_actuator(&m, &actuator);
        pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 100);
        if (kind == 0) {
            CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), 1.5, 1e-12);
            CHECK_NEAR(mechanism_energy(&m).work_actuators, 0.5 * slider_mass * 2.25, 1e-12);
        }
        CHECK(mechanism_energy(&m).work_motion > 1.0);
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-11);
        mechanism_end(&m);
    }
}
