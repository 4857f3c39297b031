// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Friction losses and joint limits: stick, slide and stop as closed forms say, on every solver and
// stepper.
#include "math/rotation.h"
#include "support/mechanism.h"

static const double bounds_mass = 2.0;

// A slider along x with friction, driven by a constant force; joint 0.
static void bounds_slider(mechanism *m, double friction, double force, double speed)
{
    mechanism_begin(m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = bounds_mass;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
    def.twist.linear = v3(speed, 0, 0);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_PRISMATIC;
    joint.follower = mechanism_body(m, &def);
    joint.coordinate[0].friction = friction;
    mechanism_joint(m, &joint);
    pawl_force_def push = pawl_force_def_default();
    push.body = pawl_builder_body_at(m->builder, 0);
    push.force[0] = pawl_signal_constant(force);
    mechanism_force(m, &push);
}

typedef void bounds_test(pawl_settings settings);

// Both steppers and every way to solve.
static void bounds_each(double dt, bounds_test *test)
{
    for (int variant = 0; variant < 6; ++variant) {
        pawl_settings settings = mechanism_settings(dt, (pawl_stepper_kind)(variant % 2));
        settings.solver.kind = variant < 2 ? PAWL_SOLVER_DIRECT : PAWL_SOLVER_PGS_NCP;
        settings.solver.exact_joints = variant < 4;
        settings.solver.tolerance = 1e-12;
        test(settings);
    }
}

static void bounds_stick(pawl_settings settings)
{
    mechanism m;
    bounds_slider(&m, 5.0, 4.9, 0.0);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 200);
    CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), 0.0, 1e-12);
    CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), 0.0, 1e-12);
    mechanism_end(&m);
}

// Coulomb: below the loss nothing moves, not even by creep.
TEST(friction_holds_a_smaller_force_without_creep)
{
    bounds_each(1e-2, bounds_stick);
}

static void bounds_slide(pawl_settings settings)
{
    mechanism m;
    bounds_slider(&m, 5.0, 8.0, 0.0);
    mechanism_start(&m, &settings);
    for (int i = 0; i < 100; ++i) {
        mechanism_step(&m);
        CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), 1.5 * mechanism_time(&m),
                   1e-10);
    }
    pawl_energy e = mechanism_energy(&m);
    CHECK_NEAR(e.work_friction, -5.0 * 0.75, 1e-9); // mean of begin and end is exact here
    CHECK_NEAR(e.balance, 0.0, 1e-12 * 5.0);
    mechanism_end(&m);
}

// Closed form: (F - f) / m.
TEST(friction_takes_its_part_of_a_larger_force)
{
    bounds_each(1e-2, bounds_slide);
}

static void bounds_stop(pawl_settings settings)
{
    mechanism m;
    bounds_slider(&m, 5.0, 0.0, 1.13); // stops after 0.452 s, inside a step
    mechanism_start(&m, &settings);
    for (int i = 0; i < 100; ++i) {
        mechanism_step(&m);
        double v = fmax(0.0, 1.13 - 2.5 * mechanism_time(&m));
        CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), v, 1e-10);
    }
    // all kinetic energy went into friction
    CHECK_NEAR(mechanism_energy(&m).work_friction, -0.5 * bounds_mass * 1.13 * 1.13, 1e-10);
    CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), 1.13 * 1.13 / 5.0,
               1.13 * settings.dt);
    mechanism_end(&m);
}

// Closed form: v0 - f t / m until it rests, then it stays.
TEST(friction_stops_a_slider_and_keeps_it)
{
    bounds_each(1e-2, bounds_stop);
}

// Friction of a joint that a prescribed motion drives: the motion wins, the friction slips and
// takes loss times distance out of what the motion puts in.
TEST(friction_of_a_driven_joint_is_paid_by_the_drive)
{
    for (int solver = 0; solver < PAWL_SOLVER_COUNT; ++solver) {
        mechanism m;
        bounds_slider(&m, 5.0, 0.0, 2.0);
        pawl_motion_def motion = pawl_motion_def_default();
        motion.joint = pawl_builder_joint_at(m.builder, 0);
        const double times[2] = {0.0, 10.0}, places[2] = {0.0, 20.0};
        motion.target =
            (pawl_signal){.kind = PAWL_SIGNAL_TABLE, .count = 2, .times = times, .values = places};
        mechanism_motion(&m, &motion);
        pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
        settings.solver.kind = (pawl_solver_kind)solver;
        mechanism_start(&m, &settings);
        mechanism_run(&m, 100);
        CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), 2.0, 1e-12);
        CHECK_NEAR(mechanism_energy(&m).work_friction, -10.0, 1e-9);
        CHECK_NEAR(mechanism_energy(&m).work_motion, 10.0, 1e-9);
        mechanism_end(&m);
    }
}

// A pendulum about y that falls onto a limit: joint 0.
static void bounds_pendulum(mechanism *m, double lower, double upper)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    mechanism_solid(m, bounds_mass, v3(0.5, 0, 0), v3(0.02, 0.04, 0.04));
    pawl_joint_def joint =
        mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, pawl_builder_body_at(m->builder, 0),
                            v3(0, 0, 0), v3(0, 1, 0));
    joint.coordinate[0].lower = lower;
    joint.coordinate[0].upper = upper;
    mechanism_joint(m, &joint);
}

static void bounds_fall(pawl_settings settings)
{
    mechanism m;
    bounds_pendulum(&m, -1.0, 0.6); // falls towards positive angles
    mechanism_start(&m, &settings);
    double fall = bounds_mass * 9.81 * 0.5 * sin(0.6);
    double turn = settings.dt * sqrt(2.0 * fall / (0.04 + bounds_mass * 0.25));
    double slip = turn * turn * turn / 6.0;
    bool reached = false;
    for (int i = 0; i < 300; ++i) {
        mechanism_step(&m);
        double q = mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0),
               rate = mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0);
        // The rate is such that q + h q' meets the limit; bringing the joint together again after
        // the drift turns the body by (h q')^3 / 6 at most, here 2e-6. erp.limit takes that back.
        CHECK(q <= 0.6 + slip);
        CHECK_NEAR(m.report.closure.limit, fmax(0.0, q - 0.6), 1e-15);
        if (reached) {
            CHECK_NEAR(q, 0.6, slip);
            CHECK_NEAR(rate, 0.0, settings.erp.limit * slip / settings.dt);
        }
        reached = q > 0.6 - slip;
    }
    CHECK(reached);
    // the limit's work took the whole fall: m g 0.5 sin(0.6)
    pawl_energy e = mechanism_energy(&m);
    CHECK_NEAR(e.work_limits, -fall, 0.05 * fall);
    CHECK_NEAR(e.balance, 0.0, 0.05 * fall); // order dt
    mechanism_end(&m);
}

// Conservation, and no restitution: the limit stops the fall where it is, without a bounce.
TEST(a_limit_stops_a_falling_pendulum_without_bounce_or_penetration)
{
    bounds_each(5e-3, bounds_fall);
}

// Closed form: a bounded slider hit at high speed must not jump through a thin range.
TEST(a_limit_is_not_tunnelled_through_at_high_speed)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        mechanism m;
        bounds_slider(&m, 0.0, 0.0, 500.0); // 5 m a step
        pawl_joint_def joint =
            mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD,
                                pawl_builder_body_at(m.builder, 0), v3(0, 0, 0), v3(1, 0, 0));
        joint.coordinate[0].lower = -0.01;
        joint.coordinate[0].upper = 0.01;
        pawl_joint_id limited = mechanism_joint(&m, &joint); // redundant with joint 0
        pawl_settings settings = mechanism_settings(1e-2, (pawl_stepper_kind)s);
        mechanism_start(&m, &settings);
        for (int i = 0; i < 10; ++i) {
            mechanism_step(&m);
            if (s == PAWL_STEPPER_EULER) { // moreau drifts half a step before it looks
                CHECK(fabs(mechanism_position(&m, limited, 0)) <= 0.01 + 1e-12);
            }
        }
        CHECK_NEAR(mechanism_rate(&m, limited, 0), 0.0, 500.0);
        mechanism_end(&m);
    }
}

// A force that would carry the slider far past its limit within one step from rest.
TEST(a_limit_holds_against_a_force_that_would_cross_it_in_one_step)
{
    mechanism m;
    bounds_slider(&m, 0.0, 1e6, 0.0); // 50 m in the first step of 10 ms
    pawl_joint_def joint =
        mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD,
                            pawl_builder_body_at(m.builder, 0), v3(0, 0, 0), v3(1, 0, 0));
    joint.coordinate[0].upper = 1.0;
    pawl_joint_id limited = mechanism_joint(&m, &joint);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    for (int i = 0; i < 10; ++i) {
        mechanism_step(&m);
        CHECK(mechanism_position(&m, limited, 0) <= 1.0 + 1e-9);
    }
    mechanism_end(&m);
}

// By hand: both limits at one place hold the coordinate there, from both sides.
TEST(equal_limits_fix_a_coordinate)
{
    mechanism m;
    bounds_pendulum(&m, 0.0, 0.0);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 100);
    CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), 0.0, 1e-9);
    mechanism_end(&m);
}

// A start outside the limits comes back by erp.limit a step, no faster than limit.max_push, and at rest: what
// corrects a position is no velocity.
TEST(a_violated_limit_is_corrected_by_its_fraction_a_step)
{
    mechanism m;
    bounds_slider(&m, 0.0, 0.0, 0.0);
    pawl_joint_def joint =
        mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD,
                            pawl_builder_body_at(m.builder, 0), v3(0, 0, 0), v3(1, 0, 0));
    joint.coordinate[0].lower = 0.1; // the slider is at 0
    pawl_joint_id limited = mechanism_joint(&m, &joint);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
    settings.erp.limit = 0.25;
    mechanism_start(&m, &settings);
    mechanism_step(&m);
    CHECK_NEAR(mechanism_position(&m, limited, 0), settings.limit.max_push * settings.dt, 1e-12);
    for (int k = 1; k < 7; ++k) {
        mechanism_step(&m);
    }
    double left = 0.1 - 7.0 * settings.limit.max_push * settings.dt;
    CHECK_NEAR(m.report.closure.limit, left, 1e-12);
    mechanism_step(&m);
    CHECK_NEAR(m.report.closure.limit, 0.75 * left, 1e-12);
    CHECK_NEAR(mechanism_energy(&m).kinetic, 0.0, 1e-30);
    CHECK(pawl_joint_same(m.report.closure.worst_limit, limited));
    mechanism_end(&m);
}
