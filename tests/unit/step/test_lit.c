// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The smooth step of lit: its recurrences on linear problems, contacts and limits that hold, what is stiff,
// and that a run can be resumed. Orders on mechanisms are in tests/references.
#include "support/scene.h"

static pawl_settings lit_settings(double dt, pawl_lit_variant variant)
{
    pawl_settings settings = mechanism_settings(dt, PAWL_STEPPER_LIT);
    settings.lit.variant = variant;
    return settings;
}

// A mass on a slide with a spring and a damper, at `start` with speed `v`.
static void lit_oscillator(mechanism *m, double k, double d, double start, double v)
{
    mechanism_begin(m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 2.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
    def.pose.position = v3(start, 0, 0);
    def.twist.linear = v3(v, 0, 0);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_PRISMATIC;
    joint.follower = mechanism_body(m, &def);
    joint.coordinate[0].stiffness = k;
    joint.coordinate[0].damping = d;
    mechanism_joint(m, &joint);
}

// (m + h/2 d + h^2/4 k) (v+ - v) = -h (d v + k x) - h^2/2 k v, written out here: with a constant gradient
// the linearizations at the start (6.9) and at the middle are the same.
TEST(springs_follow_the_linearly_implicit_trapezoidal_rule)
{
    const double k = 50.0, d = 1.2, h = 0.05;
    for (int variant = PAWL_LIT_MIDPOINT; variant <= PAWL_LIT_PAPER; ++variant) {
        mechanism m;
        double x = 0.35, v = 0.4;
        lit_oscillator(&m, k, d, x, v);
        pawl_settings settings = lit_settings(h, (pawl_lit_variant)variant);
        mechanism_start(&m, &settings);
        for (int i = 0; i < 100; ++i) {
            mechanism_step(&m);
            double change = -h * (d * v + k * x) - 0.5 * h * h * k * v;
            double next = v + change / (2.0 + 0.5 * h * d + 0.25 * h * h * k);
            x += 0.5 * h * (v + next);
            v = next;
            CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), x, 1e-13);
            CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), v, 1e-12);
        }
        mechanism_end(&m);
    }
}

// Alexander's two stages for the linear oscillator, each a 2 x 2 implicit Euler step.
TEST(sdirk2_follows_its_two_stages)
{
    const double k = 50.0, d = 1.2, h = 0.05, g = 1.0 - sqrt(0.5);
    mechanism m;
    double x = 0.35, v = 0.4;
    lit_oscillator(&m, k, d, x, v);
    pawl_settings settings = lit_settings(h, PAWL_LIT_SDIRK2);
    mechanism_start(&m, &settings);
    for (int i = 0; i < 100; ++i) {
        mechanism_step(&m);
        double mass = 2.0 + g * h * d + g * g * h * h * k;
        double v1 = (2.0 * v - g * h * k * x) / mass, x1 = x + g * h * v1;
        double a1 = -(k * x1 + d * v1) / 2.0;
        double vs = v + (1.0 - g) * h * a1, xs = x + (1.0 - g) * h * v1;
        double v2 = (2.0 * vs - g * h * k * xs) / mass;
        x = xs + g * h * v2;
        v = v2;
        CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), x, 1e-13);
        CHECK_NEAR(mechanism_rate(&m, pawl_model_joint_at(m.model, 0), 0), v, 1e-12);
    }
    mechanism_end(&m);
}

// h omega is 500: the trapezoidal rule swings on and on, the damped variant is at rest at once.
TEST(what_is_stiff_stays_bounded_and_dies_out_with_the_damped_variant)
{
    static const double expected[PAWL_LIT_VARIANT_COUNT][2] = {
        [PAWL_LIT_MIDPOINT] = {0.9, 1.0 + 1e-9},
        [PAWL_LIT_PAPER] = {0.9, 1.0 + 1e-9},
        [PAWL_LIT_SDIRK2] = {0.0, 1e-9}};
    for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
        mechanism m;
        const double k = 2e8;
        lit_oscillator(&m, k, 0.0, 0.0, 1.0);
        pawl_settings settings = lit_settings(0.05, (pawl_lit_variant)variant);
        mechanism_start(&m, &settings);
        double start = scene_stored(&m), before = start;
        for (int i = 0; i < 40; ++i) {
            mechanism_step(&m);
            double stored = scene_stored(&m) + mechanism_energy(&m).springs;
            CHECK(stored <= before + 1e-9 * start);
            before = stored;
        }
        CHECK(before >= expected[variant][0] * start && before <= expected[variant][1] * start);
        mechanism_end(&m);
    }
}

// Two spheres, the lower one fixed, no friction: the upper one slides off and its contact turns.
static pawl_vec3 lit_slide(double dt, pawl_lit_variant variant)
{
    mechanism m;
    pawl_settings settings = lit_settings(dt, variant);
    settings.solver.tolerance = 1e-12;
    scene_load(&m, CLASSIC("D13-sphere-off-sphere"), &settings);
    double start = scene_stored(&m);
    while (mechanism_time(&m) < 0.4 - 1e-9) {
        scene_step(&m);
        pawl_vec3 r = scene_position(&m, pawl_model_body_at(m.model, 0));
        CHECK_NEAR(v3_norm(r), 1.1, 1e-11);
        CHECK_NEAR(v3_dot(r, scene_velocity(&m, pawl_model_body_at(m.model, 0))), 0.0, 1e-8);
    }
    CHECK_NEAR(scene_stored(&m), start, 1e-5 * start);
    pawl_vec3 at = scene_position(&m, pawl_model_body_at(m.model, 0));
    mechanism_end(&m);
    return at;
}

TEST(a_contact_on_a_curved_surface_lasts_with_order_two)
{
    for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
        pawl_vec3 at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = lit_slide(4e-3 / (1 << k), (pawl_lit_variant)variant);
        }
        double coarse = v3_norm(v3_sub(at[0], at[1])), fine = v3_norm(v3_sub(at[1], at[2]));
        CHECK_NEAR(log2(coarse / fine), 2.0, 0.05);
    }
}

// Rows on the mean of both ends would leave a block that has stopped with v+ = -v for ever.
TEST(a_block_that_has_come_to_rest_does_not_chatter)
{
    for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
        mechanism m;
        pawl_settings settings = lit_settings(5e-3, (pawl_lit_variant)variant);
        scene_floor(&m, 0.5, 0.2, 0.0);
        pawl_body_id box = scene_box(&m, 1.0, v3(0.4, 0.3, 0.2), 0.5);
        mechanism_compile(&m);
        mechanism_start(&m, &settings);
        pawl_state *start;
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &start));
        pawl_state_set_twist(start, box, (pawl_twist){.linear = v3(1.0, 0.0, 0.0)});
        CHECK_OK(pawl_sim_set_state(m.sim, start));
        pawl_state_destroy(start);
        // It stops after v / (g (mu cos - sin)) = 0.35 s.
        scene_run(&m, 0.45);
        pawl_vec3 at = scene_position(&m, box);
        for (int k = 0; k < 100; ++k) {
            scene_step(&m);
            CHECK(scene_speed(&m, box) < 1e-7);
        }
        CHECK(v3_norm(v3_sub(scene_position(&m, box), at)) < 1e-7);
        mechanism_end(&m);
    }
}

// The same state in another simulation goes on with the same bits.
TEST(a_run_resumes_with_the_same_bits_from_its_state)
{
    for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
        pawl_settings settings = lit_settings(2e-3, (pawl_lit_variant)variant);
        mechanism a, b;
        scene_load(&a, PRIMITIVE("fourbar-dropped"), &settings);
        scene_load(&b, PRIMITIVE("fourbar-dropped"), &settings);
        for (int k = 0; k < 400; ++k) {
            scene_step(&a);
        }
        CHECK(a.report.contacts > 0);
        CHECK_OK(pawl_sim_set_state(b.sim, mechanism_state(&a)));
        for (int k = 0; k < 50; ++k) {
            scene_step(&a);
            scene_step(&b);
            CHECK(pawl_state_hash(mechanism_state(&a)) == pawl_state_hash(mechanism_state(&b)));
        }
        mechanism_end(&a);
        mechanism_end(&b);
    }
}

// Without projection the joints of a pendulum open, by O(h^2); the linearized constraint keeps them.
TEST(linearized_constraints_keep_joints_from_drifting)
{
    double closure[2];
    for (int on = 0; on < 2; ++on) {
        mechanism m;
        pawl_settings settings = lit_settings(1e-2, PAWL_LIT_PAPER);
        settings.project = false;
        settings.lit.linearized_constraints = on == 1;
        scene_load(&m, CLASSIC("A01-pendulum"), &settings);
        scene_run(&m, 5.0);
        closure[on] = m.report.closure.position;
        mechanism_end(&m);
    }
    print_message("A01, 5 s at 10 ms without projection: closure %.1e m, linearized %.1e m\n",
                  closure[0], closure[1]);
    CHECK(closure[1] < 0.2 * closure[0]);
}

// Two balls, a stiff damper between them, the lower one falls onto the floor. Whatever is not located is
// caught by the step it happens in; extrapolating from such a stage would give energy, and did.
TEST(what_a_step_catches_gains_no_energy)
{
    for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
        mechanism m;
        scene_floor(&m, 0.0, 0.0, 0.0);
        pawl_spring_def damper = pawl_spring_def_default();
        damper.body_a = scene_sphere(&m, 1.0, 0.1, v3(0, 0, 0.15), v3(0, 0, -2), 0.0, 0.3);
        damper.body_b = scene_sphere(&m, 1.0, 0.1, v3(0, 0, 1.15), v3(0, 0, -2), 0.0, 0.3);
        damper.rest_length = 1.0;
        damper.damping = 1e6;
        mechanism_spring(&m, &damper);
        pawl_settings settings = lit_settings(1e-2, (pawl_lit_variant)variant);
        settings.lit.events = PAWL_LIT_EVENTS_NONE;
        mechanism_start(&m, &settings);
        double before = scene_stored(&m);
        const double lift = 2.0 * SCENE_G * 5e-4; // of balls that had come as far into the floor
        for (int k = 0; k < 100; ++k) {
            mechanism_step(&m);
            CHECK(scene_stored(&m) <= before + lift);
            before = scene_stored(&m);
        }
        mechanism_end(&m);
    }
}
