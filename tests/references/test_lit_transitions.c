// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contacts that stick, slip and open within steps of lit, against closed forms that pawl did not compute:
// D13 and D14 of tests/references/data, a block under a rising push, and the carts of the lit paper.
#include "support/reference.h"
#include "support/reference_data.h"
#include "support/scene.h"

#include <math.h>

enum { TRANSITIONS_MAX = 16 };
typedef struct transitions {
    int count;
    pawl_event event[TRANSITIONS_MAX]; // in order, impacts left out
    pawl_vec3 position, velocity;      // of body 0 in the end
    double energy_error;
} transitions;

static pawl_settings transition_settings(double dt)
{
    pawl_settings settings = scene_settings(dt);
    settings.stepper = PAWL_STEPPER_LIT;
    settings.solver.tolerance = 1e-11;
    return settings;
}

// Runs what was started, and ends it.
static transitions transition_run(mechanism *m, double until)
{
    transitions out = {.count = 0};
    while (mechanism_time(m) < until - 1e-9) {
        scene_step(m);
        for (int k = 0; k < pawl_sim_event_count(m->sim); ++k) {
            pawl_event e = pawl_sim_event(m->sim, k);
            if (e.kind != PAWL_EVENT_IMPACT && out.count < TRANSITIONS_MAX) {
                out.event[out.count++] = e;
            }
        }
    }
    out.position = scene_position(m, pawl_model_body_at(m->model, 0));
    out.velocity = scene_velocity(m, pawl_model_body_at(m->model, 0));
    out.energy_error = pawl_verdict_energy_error(&m->verdict);
    CHECK_INT(m->verdict.not_converged, 0);
    mechanism_end(m);
    return out;
}

static void transition_check_order(const char *what, const double error[3])
{
    print_message("%s: errors %.2e %.2e %.2e\n", what, error[0], error[1], error[2]);
    CHECK_NEAR(reference_order(error[0], error[1]), 2.0, 0.25);
    CHECK_NEAR(reference_order(error[1], error[2]), 2.0, 0.25);
}

// --- D14: dry friction ---------------------------------------------------------------------------

// The same oscillator with the friction in a joint instead of a contact.
static void transition_slider(mechanism *m, const json_t *data, const pawl_settings *settings)
{
    (void)data;
    mechanism_begin(m);
    pawl_body_id body = mechanism_solid(m, 1.0, v3(0.25, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_joint_def def =
        mechanism_joint_def(m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, body, v3(0.25, 0, 0), v3(1, 0, 0));
    def.coordinate[0].friction = 0.2 * 9.81;
    def.coordinate[0].stiffness = 100.0;
    def.coordinate[0].rest = -0.25;
    mechanism_joint(m, &def);
    mechanism_start(m, settings);
}

// Five reversals half a period apart, then rest. The amplitudes are exact, because energy is kept between
// turns that are exactly at rest; the period is that of the trapezoidal rule.
TEST(d14_reversals_and_the_stop_are_located_in_a_contact_and_in_a_joint)
{
    json_t *data = reference_data_load("D14_dry_friction_oscillator.json");
    double half = reference_data_scalar(data, "half_period");
    for (int joint = 0; joint < 2; ++joint) {
        double error[3];
        for (int level = 0; level < 3; ++level) {
            pawl_settings settings = transition_settings(4e-3 / (double)(1 << level));
            mechanism m;
            if (joint) {
                transition_slider(&m, data, &settings);
            } else {
                scene_load(&m, CLASSIC("D14-dry-friction"), &settings);
            }
            transitions t = transition_run(&m, 3.0);
            CHECK_INT(t.count, 6);
            error[level] = 0.0;
            for (int k = 0; k < 6; ++k) {
                CHECK_INT(t.event[k].kind, k < 5 ? PAWL_EVENT_REVERSAL : PAWL_EVENT_STICK);
                CHECK_INT(pawl_joint_index(t.event[k].joint), joint ? 0 : -1);
                error[level] = fmax(error[level], fabs(t.event[k].time - (k + 1) * half));
            }
            CHECK_NEAR(t.position.x, reference_data_scalar(data, "stop_position"), 1e-9);
            CHECK_NEAR(t.velocity.x, 0.0, 1e-9);
            CHECK(t.energy_error < 1e-9);
        }
        transition_check_order(joint ? "D14 in a joint" : "D14", error);
        CHECK(error[0] < 3e-4);
    }
    json_decref(data);
}

// --- D13: take-off -------------------------------------------------------------------------------

TEST(d13_take_off_is_located_and_the_flight_after_it_is_of_order_two)
{
    json_t *data = reference_data_load("D13_sphere_off_sphere.json");
    double t = reference_data_scalar(data, "t_leave"),
           v = reference_data_scalar(data, "speed_at_leave");
    double z = reference_data_scalar(data, "height_of_centre_at_leave");
    double angle = reference_data_scalar(data, "theta_leave_deg") * SCENE_DEGREE;
    // Free flight from there to 1.2 s.
    double s = 1.2 - t, x = 1.1 * sin(angle) + v * cos(angle) * s;
    double fall = z - v * sin(angle) * s - 0.5 * SCENE_G * s * s, error[3];
    for (int level = 0; level < 3; ++level) {
        double dt = 4e-3 / (double)(1 << level);
        pawl_settings settings = transition_settings(dt);
        mechanism m;
        scene_load(&m, CLASSIC("D13-sphere-off-sphere"), &settings);
        transitions out = transition_run(&m, 1.2);
        CHECK_INT(out.count, 1);
        CHECK_INT(out.event[0].kind, PAWL_EVENT_TAKEOFF);
        CHECK_NEAR(out.event[0].time, t, 4.0 * dt * dt);
        CHECK_NEAR(out.event[0].figure, v, 40.0 * dt * dt);
        error[level] = fmax(fabs(out.position.x - x), fabs(out.position.z - fall));
    }
    transition_check_order("D13", error);
    CHECK(error[0] < 1e-4);
    json_decref(data);
}

// --- release from stick --------------------------------------------------------------------------

// A block of 1 kg on a floor with friction 0.5 is pushed by 6 N/s: it lets go when the push is 4.905 N, at
// t0 = 0.8175 s, and then moves by t^3 after that time.
TEST(a_block_lets_go_when_the_push_reaches_the_cone)
{
    static const double times[] = {0.0, 2.0}, values[] = {0.0, 12.0};
    double t0 = 0.5 * SCENE_G / 6.0, error[3];
    for (int level = 0; level < 3; ++level) {
        double dt = 1e-2 / (double)(1 << level);
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        pawl_body_id box = scene_box(&m, 1.0, v3(0.4, 0.4, 0.02), 0.5);
        pawl_force_def push = pawl_force_def_default();
        push.body = box;
        push.force[0] =
            (pawl_signal){.kind = PAWL_SIGNAL_TABLE, .count = 2, .times = times, .values = values};
        mechanism_force(&m, &push);
        pawl_settings settings = transition_settings(dt);
        mechanism_start(&m, &settings);
        transitions t = transition_run(&m, 1.2);
        // t0 is the end of step 327 at the last level: rounding decides whether that step or the next reports it,
        // or both.
        CHECK(t.count == 1 || (t.count == 2 && fabs(t.event[1].time - t.event[0].time) < 1e-12));
        CHECK_INT(t.event[0].kind, PAWL_EVENT_SLIP);
        CHECK_NEAR(t.event[0].time, t0, 0.02 * dt);
        error[level] = fabs(t.position.x - pow(1.2 - t0, 3.0));
    }
    print_message("release: errors %.2e %.2e %.2e\n", error[0], error[1], error[2]);
    CHECK(error[0] < 1e-4 && error[2] < 0.3 * error[0]);
}

// --- the carts -----------------------------------------------------------------------------------

// Two point masses of 1 kg on a floor with friction 0.05, a spring of 100 N/m from a wall to the first, a
// stopper with restitution 0.3 before it, a damper of 10 N s/m between them. The positions at 2 s, after one
// impact and nine reversals, stops and releases, are those of the piecewise linear equations (matrix
// exponentials, 40 digits; not computed by pawl).
static const double carts_exact[2] = {0.20452314838214367, 4.902185153129988};

static void carts_start(mechanism *m, const pawl_settings *settings)
{
    const double radius = 0.05;
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    scene_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, -radius), 0.05, 0.0);
    pawl_shape_def stopper = pawl_shape_def_default();
    stopper.kind = PAWL_SHAPE_PLANE;
    stopper.frame.position = v3(-radius, 0, 0);
    stopper.frame.orientation = quat_exp(v3(0, 0.5 * acos(-1.0), 0));
    stopper.friction = 0.0;
    stopper.restitution = 0.3;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &stopper, NULL));
    for (int k = 0; k < 2; ++k) {
        pawl_body_def def = pawl_body_def_default();
        def.kind = PAWL_BODY_POINT;
        def.mass = 1.0;
        def.pose.position = v3(0.2 + 5.0 * k, 0, 0);
        def.twist.linear = v3(-3.0, 0, 0);
        pawl_body_id body = mechanism_body(m, &def);
        scene_shape(m, body, PAWL_SHAPE_SPHERE, v3(radius, 0, 0), v3(0, 0, 0), 0.05, 0.3);
    }
    pawl_spring_def spring = pawl_spring_def_default();
    spring.body_a = PAWL_WORLD;
    spring.point_a = v3(-1.0, 0, 0);
    spring.body_b = pawl_builder_body_at(m->builder, 0);
    spring.stiffness = 100.0;
    spring.rest_length = 1.2;
    mechanism_spring(m, &spring);
    pawl_spring_def damper = pawl_spring_def_default();
    damper.body_a = pawl_builder_body_at(m->builder, 0);
    damper.body_b = pawl_builder_body_at(m->builder, 1);
    damper.rest_length = 5.0;
    damper.damping = 10.0;
    mechanism_spring(m, &damper);
    mechanism_start(m, settings);
}

static double carts_error(pawl_lit_variant variant, pawl_lit_events events, double dt)
{
    pawl_settings settings = transition_settings(dt);
    settings.lit.variant = variant;
    settings.lit.events = events;
    settings.contact.friction_rule = settings.contact.restitution_rule = PAWL_PAIR_MIN;
    settings.contact.restitution_threshold = 1e-6;
    mechanism m;
    carts_start(&m, &settings);
    double energy = INFINITY;
    while (mechanism_time(&m) < 2.0 - 1e-9) {
        scene_step(&m);
        pawl_energy e = mechanism_energy(&m);
        CHECK(e.kinetic + e.springs <= energy + 1e-11);
        energy = e.kinetic + e.springs;
    }
    double x = scene_position(&m, pawl_model_body_at(m.model, 0)).x - carts_exact[0],
           y = scene_position(&m, pawl_model_body_at(m.model, 1)).x - carts_exact[1];
    CHECK_INT(m.verdict.events[PAWL_EVENT_COLLISION], 1);
    mechanism_end(&m);
    return sqrt(x * x + y * y);
}

// Energy never rises, and with transitions located the error falls with the square of the step through all
// reversals. Without, it does not: friction points the wrong way for part of a step each time.
TEST(the_carts_reverse_with_order_two_where_that_is_located)
{
    for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
        double error[3];
        for (int level = 0; level < 3; ++level) {
            error[level] = carts_error((pawl_lit_variant)variant, PAWL_LIT_EVENTS_ALL,
                                       5e-3 / (double)(1 << level));
        }
        transition_check_order(variant == PAWL_LIT_PAPER    ? "carts, paper"
                               : variant == PAWL_LIT_SDIRK2 ? "carts, sdirk2"
                                                            : "carts, midpoint",
                               error);
        CHECK(error[0] < 1e-5);
    }
    double blind = carts_error(PAWL_LIT_MIDPOINT, PAWL_LIT_EVENTS_COLLISIONS, 1.25e-3);
    print_message("carts, collisions alone, 1.25 ms: error %.2e\n", blind);
    CHECK(blind > 1e-5);
}
