// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Springs and dampers of joints and between points, against the closed forms of oscillators and of
// the steppers' own recurrences.
#include "math/rotation.h"
#include "support/mechanism.h"

static const double spring_mass = 2.0, spring_k = 50.0, spring_d = 1.2, spring_rest = 0.1,
                    spring_start = 0.35;

// Position and velocity of m x'' + d x' + k (x - rest) = 0 from rest at `start`.
static void spring_closed_form(double t, double *x, double *v)
{
    double a = 0.5 * spring_d / spring_mass, w = sqrt(spring_k / spring_mass - a * a);
    double x0 = spring_start - spring_rest;
    *x = spring_rest + x0 * exp(-a * t) * (cos(w * t) + a / w * sin(w * t));
    *v = -x0 * exp(-a * t) * (w + a * a / w) * sin(w * t);
}

// A mass on a joint with a spring and a damper along one coordinate, displaced.
static void spring_build(mechanism *m, pawl_joint_kind kind)
{
    mechanism_begin(m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = spring_mass;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
    def.pose.position = v3(spring_start, 0, 0);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = kind;
    joint.follower = mechanism_body(m, &def);
    joint.coordinate[0].stiffness = spring_k;
    joint.coordinate[0].damping = spring_d;
    joint.coordinate[0].rest = spring_rest;
    mechanism_joint(m, &joint);
}

typedef struct spring_error {
    double position, velocity, balance;
} spring_error;

static spring_error spring_run(pawl_joint_kind kind, pawl_stepper_kind stepper, double dt)
{
    mechanism m;
    spring_build(&m, kind);
    pawl_settings settings = mechanism_settings(dt, stepper);
    mechanism_start(&m, &settings);
    mechanism_run(&m, (int)rint(1.0 / dt));
    double x, v;
    spring_closed_form(mechanism_time(&m), &x, &v);
    spring_error e = {fabs(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0) - x),
                      fabs(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0) - v),
                      m.verdict.balance_max};
    CHECK(mechanism_energy(&m).work_dampers < 0.0);
    mechanism_end(&m);
    return e;
}

TEST(a_damped_oscillator_converges_with_the_order_of_the_stepper)
{
    static const pawl_joint_kind kinds[] = {PAWL_JOINT_FREE, PAWL_JOINT_PRISMATIC};
    for (int k = 0; k < 2; ++k) {
        for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
            double order = s == PAWL_STEPPER_EULER ? 1.0 : 2.0;
            spring_error coarse = spring_run(kinds[k], (pawl_stepper_kind)s, 2e-3);
            spring_error fine = spring_run(kinds[k], (pawl_stepper_kind)s, 1e-3);
            CHECK_NEAR(log2(coarse.position / fine.position), order, 0.05);
            CHECK_NEAR(log2(coarse.velocity / fine.velocity), order, 0.05);
            // Implicit Euler loses (m dv^2 + k dx^2) / 2 a step, in all h / 2 times the integral of
            // m a^2 + k v^2, at most h / 2 k x0^2 w^2 times 1 s; and half of h d a v of the damper.
            double x0 = spring_start - spring_rest, w2 = spring_k / spring_mass;
            CHECK(fine.balance < 0.5e-3 * x0 * x0 * w2 * (spring_k + spring_d * sqrt(w2)));
            CHECK(fine.balance < 0.6 * coarse.balance || fine.balance < 1e-12);
        }
    }
}

// The trapezoidal rule keeps quadratic energies exactly: per step the balance is rounding.
TEST(moreau_keeps_the_energy_of_a_linear_spring_exactly)
{
    spring_error e = spring_run(PAWL_JOINT_PRISMATIC, PAWL_STEPPER_MOREAU, 1e-2);
    CHECK_NEAR(e.balance, 0.0, 100.0 * 4e-16 * 0.5 * spring_k * 0.0625);
}

// The recurrence of implicit Euler, (m + h d + h^2 k) v+ = m v - h k (x - rest), written out here.
TEST(euler_takes_springs_and_dampers_at_the_end_of_the_step)
{
    mechanism m;
    spring_build(&m, PAWL_JOINT_PRISMATIC);
    double h = 0.05, x = spring_start, v = 0.0;
    pawl_settings settings = mechanism_settings(h, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    for (int i = 0; i < 100; ++i) {
        mechanism_step(&m);
        v = (spring_mass * v - h * spring_k * (x - spring_rest)) /
            (spring_mass + h * spring_d + h * h * spring_k);
        x += h * v;
        CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), x, 1e-14);
        CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), v, 1e-13);
    }
    mechanism_end(&m);
}

// A torsion spring on a revolute joint: I phi'' = -k (phi - rest), angles beyond a turn included.
TEST(a_torsion_spring_pulls_back_over_many_turns)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.5;
    def.twist.angular = v3(40.0, 0, 0);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_REVOLUTE;
    joint.follower = mechanism_body(&m, &def);
    joint.coordinate[0].stiffness = 2.0;
    mechanism_joint(&m, &joint);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    double largest = 0.0;
    for (int i = 0; i < 3000; ++i) {
        mechanism_step(&m);
        double t = mechanism_time(&m), phi = 40.0 / 2.0 * sin(2.0 * t);
        largest = fmax(largest, fabs(phi));
        // phase error of the trapezoidal rule: (w h)^2 / 12 per radian, 6 rad, amplitude 20
        CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), phi,
                   6.0 / 12.0 * 4e-6 * 20.0);
    }
    CHECK(largest > 19.9); // three turns
    mechanism_end(&m);
}

// Closed form: a spring of no rest length is the same in all directions; the orbit is an ellipse.
static double spring_orbit_error(pawl_stepper_kind stepper, double dt, bool world_first,
                                 double *balance)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.kind = PAWL_BODY_POINT;
    def.mass = 0.5;
    def.pose.position = v3(1.3, 0.2, -0.1);
    def.twist.linear = v3(0.0, 2.0, 1.0);
    pawl_spring_def spring = pawl_spring_def_default();
    pawl_body_id body = mechanism_body(&m, &def);
    spring.body_a = world_first ? PAWL_WORLD : body;
    spring.body_b = world_first ? body : PAWL_WORLD;
    *(world_first ? &spring.point_a : &spring.point_b) = v3(0.3, 0.2, -0.1);
    spring.stiffness = 8.0;
    mechanism_spring(&m, &spring);
    pawl_settings settings = mechanism_settings(dt, stepper);
    mechanism_start(&m, &settings);
    mechanism_run(&m, (int)rint(2.0 / dt));
    double w = 4.0, t = mechanism_time(&m);
    pawl_vec3 expected = v3_axpy(v3(0.3, 0.2, -0.1), cos(w * t), v3(1, 0, 0));
    expected = v3_axpy(expected, sin(w * t) / w, def.twist.linear);
    pawl_vec3 got = pawl_state_pose(mechanism_state(&m), body).position;
    *balance = m.verdict.balance_max;
    mechanism_end(&m);
    return v3_norm(v3_sub(got, expected));
}

TEST(a_spring_of_no_rest_length_makes_elliptic_orbits)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        double balance[2];
        double coarse = spring_orbit_error((pawl_stepper_kind)s, 2e-3, s == 0, &balance[0]);
        double fine = spring_orbit_error((pawl_stepper_kind)s, 1e-3, s != 0, &balance[1]);
        CHECK_NEAR(log2(coarse / fine), s == PAWL_STEPPER_EULER ? 1.0 : 2.0, 0.05);
        CHECK(balance[1] < 0.6 * balance[0] || balance[1] < 1e-12);
    }
}

// Closed form: on a circle of radius r a spring of rest length l balances the centrifugal force
// when m v^2 / r = k (r - l). Error of order h.
TEST(a_stretched_spring_holds_a_mass_on_a_circle)
{
    double error[2], balance[2];
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        mechanism_begin(&m);
        double r = 0.8, l = 0.5, stiffness = 100.0, mass = 0.4, dt = k == 0 ? 2e-3 : 1e-3;
        pawl_body_def def = pawl_body_def_default();
        def.mass = mass;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.01;
        def.pose.position = v3(r, 0, 0);
        def.twist.linear = v3(0, sqrt(stiffness * (r - l) * r / mass), 0);
        pawl_spring_def spring = pawl_spring_def_default();
        spring.body_b = mechanism_body(&m, &def);
        spring.stiffness = stiffness;
        spring.rest_length = l;
        mechanism_spring(&m, &spring);
        pawl_settings settings = mechanism_settings(dt, PAWL_STEPPER_EULER);
        mechanism_start(&m, &settings);
        error[k] = 0.0;
        for (int i = 0; i < (int)rint(0.5 / dt); ++i) {
            mechanism_step(&m);
            pawl_vec3 at =
                pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position;
            error[k] = fmax(error[k], fabs(v3_norm(at) - r));
        }
        balance[k] = m.verdict.balance_max;
        mechanism_end(&m);
    }
    CHECK(error[0] < 0.05);
    CHECK_NEAR(log2(error[0] / error[1]), 1.0, 0.2);
    CHECK(balance[1] < 0.6 * balance[0]);
}

// Newton's third law: a spring between two free bodies, off their centres, with a damper: linear
// momentum stays to rounding; angular momentum, too, for bodies that are round. The balance falls
// with the step.
TEST(a_spring_between_two_bodies_conserves_momentum)
{
    double balance = 0.0;
    for (int run = 0; run < 4; ++run) {
        int s = run / 2;
        double dt = run % 2 == 0 ? 1e-3 : 5e-4;
        mechanism m;
        mechanism_begin(&m);
        mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
        mechanism_solid(&m, 3.0, v3(1, 0.2, 0), v3(0.4, 0.4, 0.4));
        pawl_spring_def spring = pawl_spring_def_default();
        spring.body_a = pawl_builder_body_at(m.builder, 0);
        spring.body_b = pawl_builder_body_at(m.builder, 1);
        spring.point_a = v3(0.1, 0.3, 0);
        spring.point_b = v3(-0.1, 0, 0.2);
        spring.stiffness = 40.0;
        spring.damping = 0.5;
        spring.rest_length = 0.5;
        mechanism_spring(&m, &spring);
        pawl_settings settings = mechanism_settings(dt, (pawl_stepper_kind)s);
        mechanism_start(&m, &settings);
        mechanism_run(&m, (int)rint(2.0 / dt));
        CHECK_NEAR3(mechanism_momentum(&m), v3(0, 0, 0), 1e-12); // 4000 steps
        CHECK_NEAR3(mechanism_angular_momentum(&m), v3(0, 0, 0), 1e-12);
        pawl_energy e = mechanism_energy(&m);
        CHECK(e.work_dampers < -1e-3);
        CHECK(run % 2 == 0 || m.verdict.balance_max < 0.6 * balance);
        balance = m.verdict.balance_max;
        mechanism_end(&m);
    }
}

// The axis of a spring is lost when its ends meet; it must go on with finite numbers.
TEST(a_spring_whose_ends_meet_stays_finite)
{
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_spring_def spring = pawl_spring_def_default();
    spring.body_b = pawl_builder_body_at(m.builder, 0);
    spring.stiffness = 100.0;
    spring.rest_length = 0.5;
    mechanism_spring(&m, &spring);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 500);
    CHECK(isfinite(mechanism_energy(&m).kinetic));
    mechanism_end(&m);
}
