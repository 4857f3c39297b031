// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The loop over the pieces of a step of lit: order, bounds, memory, and the same bits when resumed.
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>

static pawl_settings events_settings(double dt)
{
    pawl_settings settings = scene_settings(dt);
    settings.stepper = PAWL_STEPPER_LIT;
    return settings;
}

// A row of n balls in the air between two walls, without weight, all as fast as they like.
static void events_row(mechanism *m, int count, double e, uint64_t seed)
{
    mechanism_begin(m);
    double half = 0.3 * count;
    for (int side = -1; side <= 1; side += 2) {
        scene_shape(m, PAWL_WORLD, PAWL_SHAPE_BOX, v3(0.1, 1, 1), v3((half + 0.1) * side, 0, 0),
                    0.0, e);
    }
    for (int k = 0; k < count; ++k) {
        double x = -half + 0.3 + 0.6 * k, v = random_in(&seed, -8.0, 8.0);
        scene_sphere(m, random_in(&seed, 0.5, 2.0), 0.1, v3(x, 0, 0), v3(v, 0, 0), 0.0, e);
    }
}

// Elastic collisions in a row: energy stays, order stays, and each ball flies straight in between. Followed
// here by hand from collision to collision.
typedef struct events_by_hand {
    double x[8], v[8], m[8];
    int count, collisions;
} events_by_hand;

static void events_follow(events_by_hand *h, double wall, double until)
{
    for (double t = 0.0;;) {
        double next = until - t;
        int who = -2;
        for (int k = -1; k < h->count; ++k) { // ball k with k + 1; the walls at both ends
            double xa = k < 0 ? -wall : h->x[k] + 0.1, va = k < 0 ? 0.0 : h->v[k];
            double xb = k + 1 == h->count ? wall : h->x[k + 1] - 0.1;
            double vb = k + 1 == h->count ? 0.0 : h->v[k + 1];
            double when = va > vb ? (xb - xa) / (va - vb) : INFINITY;
            if (when < next && when >= 0.0) {
                next = when;
                who = k;
            }
        }
        for (int k = 0; k < h->count; ++k) {
            h->x[k] += next * h->v[k];
        }
        t += next;
        if (who == -2) {
            return;
        }
        ++h->collisions;
        if (who < 0 || who + 1 == h->count) {
            int k = who < 0 ? 0 : who;
            h->v[k] = -h->v[k];
        } else {
            double *v = h->v + who, p = h->m[who] * v[0] + h->m[who + 1] * v[1];
            double mean = p / (h->m[who] + h->m[who + 1]);
            v[0] = 2.0 * mean - v[0];
            v[1] = 2.0 * mean - v[1];
        }
    }
}

TEST(many_collisions_in_one_step_happen_in_their_order)
{
    for (int i = 0; i < 10; ++i) {
        enum { COUNT = 5 };
        uint64_t seed = (uint64_t)(100 + i);
        mechanism m;
        events_row(&m, COUNT, 1.0, seed);
        pawl_settings settings = events_settings(0.1); // some hit twice in a step
        settings.solver.tolerance = 1e-12;
        mechanism_start(&m, &settings);
        events_by_hand h = {.count = COUNT};
        for (int k = 0; k < COUNT; ++k) {
            h.x[k] = scene_position(&m, pawl_model_body_at(m.model, k)).x;
            h.v[k] = scene_velocity(&m, pawl_model_body_at(m.model, k)).x;
            h.m[k] = pawl_model_body(m.model, pawl_model_body_at(m.model, k)).mass;
        }
        double energy = mechanism_energy(&m).kinetic;
        scene_run(&m, 0.6);
        events_follow(&h, 0.3 * COUNT, 0.6);
        CHECK_INT(m.verdict.events[PAWL_EVENT_COLLISION], h.collisions);
        CHECK_INT(m.verdict.events[PAWL_EVENT_UNRESOLVED], 0);
        CHECK_INT(m.verdict.tunnelled, 0);
        for (int k = 0; k < COUNT; ++k) {
            CHECK_NEAR(scene_position(&m, pawl_model_body_at(m.model, k)).x, h.x[k], 1e-7);
            CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, k)).x, h.v[k], 1e-7);
        }
        CHECK_NEAR(mechanism_energy(&m).kinetic, energy, 1e-8);
        mechanism_end(&m);
    }
}

// More events in a step than the log had room for at first: it grows, and none is lost.
TEST(the_log_grows_at_the_step_boundary_and_then_no_more)
{
    mechanism m;
    events_row(&m, 8, 1.0, 3);
    pawl_settings settings = events_settings(0.5);
    mechanism_start(&m, &settings);
    scene_step(&m);
    int events = pawl_sim_event_count(m.sim), reported = 0;
    CHECK(events > 32);
    double last = 0.0;
    for (int k = 0; k < PAWL_EVENT_KIND_COUNT; ++k) {
        reported += m.report.events[k];
    }
    CHECK_INT(reported, events);
    for (int k = 0; k < events; ++k) {
        pawl_event e = pawl_sim_event(m.sim, k);
        CHECK(e.time >= last && e.time <= 0.5);
        last = e.time;
    }
    for (int i = 0; i < 4; ++i) {
        scene_step(&m);
    }
    int64_t calls = m.t.calls;
    for (int i = 0; i < 4; ++i) {
        scene_step(&m);
    }
    CHECK_INT(m.t.calls, calls); // the same balls go on hitting each other as often
    mechanism_end(&m);
}

// The models of this project that bounce, slide, stick and let go.
static const char *const events_models[] = {CLASSIC("D8-bouncing-ball"),
                                            CLASSIC("D14-dry-friction"), CLASSIC("E3-topple"),
                                            PRIMITIVE("nunchuk"), PRIMITIVE("hulls")};
enum { EVENTS_MODELS = sizeof events_models / sizeof events_models[0] };

static uint64_t events_hash(const char *model, pawl_lit_variant variant, int resume_at, int steps)
{
    pawl_settings settings = events_settings(4e-3);
    settings.lit.variant = variant;
    mechanism m;
    scene_load(&m, model, &settings);
    for (int i = 0; i < steps; ++i) {
        if (i > 0 && i == resume_at) {
            mechanism_resume(&m, &settings);
        }
        scene_step(&m);
    }
    uint64_t hash = pawl_state_hash(mechanism_state(&m));
    mechanism_end(&m);
    return hash;
}

TEST(steps_with_events_end_in_the_same_bits_again_and_when_resumed)
{
    for (int i = 0; i < EVENTS_MODELS; ++i) {
        for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
            if (variant == PAWL_LIT_PAPER) {
                continue; // locates with the last step, which a state does not have
            }
            uint64_t hash = events_hash(events_models[i], (pawl_lit_variant)variant, 0, 130);
            CHECK(events_hash(events_models[i], (pawl_lit_variant)variant, 0, 130) == hash);
            CHECK(events_hash(events_models[i], (pawl_lit_variant)variant, 79, 130) == hash);
        }
    }
}

// A slider thrown against its limits, which have no restitution, by a spring that pulls it back.
TEST(limits_are_reached_within_steps)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def body = pawl_body_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
    body.twist.linear = v3(2.0, 0, 0);
    pawl_body_id slider = mechanism_body(&m, &body);
    pawl_joint_def def =
        mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, slider, v3(0, 0, 0), v3(1, 0, 0));
    def.coordinate[0].lower = -0.5;
    def.coordinate[0].upper = 0.333;
    pawl_joint_id joint = mechanism_joint(&m, &def);
    pawl_settings settings = events_settings(0.05);
    mechanism_start(&m, &settings);
    double at = -1.0;
    while (mechanism_time(&m) < 0.5) {
        scene_step(&m);
        for (int k = 0; k < pawl_sim_event_count(m.sim); ++k) {
            pawl_event e = pawl_sim_event(m.sim, k);
            if (e.kind == PAWL_EVENT_LIMIT) {
                CHECK(at < 0.0);
                at = e.time;
                CHECK(pawl_joint_same(e.joint, joint));
                CHECK_NEAR(e.figure, 2.0, 1e-12);
            }
        }
        CHECK(mechanism_position(&m, joint, 0) <= 0.333 + 1e-9);
    }
    CHECK_NEAR(at, 0.333 / 2.0, 1e-12);
    CHECK_NEAR(mechanism_position(&m, joint, 0), 0.333, 1e-9);
    CHECK_NEAR(mechanism_rate(&m, joint, 0), 0.0, 1e-12);
    CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-10);
    mechanism_end(&m);
}

// What would go through a thin plate within a step bounces off it.
TEST(a_bullet_bounces_off_a_thin_plate)
{
    mechanism m;
    mechanism_begin(&m);
    scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_BOX, v3(1, 1, 0.01), v3(0, 0, 0), 0.0, 0.5);
    pawl_body_id bullet =
        scene_sphere(&m, 1.0, 0.01, v3(0.1, 0.2, 0.5), v3(0, 0, -100.0), 0.0, 0.5);
    pawl_settings settings = events_settings(0.01);
    mechanism_start(&m, &settings);
    scene_run(&m, 0.02);
    CHECK_INT(m.verdict.tunnelled, 0);
    CHECK_NEAR(scene_velocity(&m, bullet).z, 50.0, 1e-9);
    CHECK_NEAR(scene_position(&m, bullet).z, 0.02 + 50.0 * (0.02 - 0.0048), 1e-9);
    mechanism_end(&m);
}

// A ball 1 mm inside a floor at `at`, or far above one, that flies up, with or without weight.
static void events_start_inside(mechanism *m, double at, double gravity, pawl_lit_variant variant)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -gravity));
    scene_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, at), 0.3, 0.5);
    scene_sphere(m, 1.0, 0.1, v3(0, 0, 0.099), v3(0.2, 0, 0.1), 0.3, 0.5);
    pawl_settings settings = events_settings(1e-3);
    settings.lit.variant = variant;
    mechanism_start(m, &settings);
}

// What leaves a floor in which it starts meets nothing, and its steps are not cut: it flies as it would
// without the floor, to the last bit.
TEST(what_leaves_a_floor_in_which_it_starts_hits_nothing)
{
    for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
        mechanism m, free;
        events_start_inside(&m, 0.0, 0.0, (pawl_lit_variant)variant);
        events_start_inside(&free, -9.0, 0.0, (pawl_lit_variant)variant);
        scene_run(&m, 0.05);
        scene_run(&free, 0.05);
        CHECK_INT(m.verdict.events[PAWL_EVENT_IMPACT], 0);
        CHECK_INT(m.verdict.events[PAWL_EVENT_UNRESOLVED], 0);
        CHECK(scene_position(&m, pawl_model_body_at(m.model, 0)).z ==
              scene_position(&free, pawl_model_body_at(free.model, 0)).z);
        CHECK(scene_velocity(&m, pawl_model_body_at(m.model, 0)).x ==
              scene_velocity(&free, pawl_model_body_at(free.model, 0)).x);
        mechanism_end(&m);
        mechanism_end(&free);
    }
}

// Where weight pulls it back before it is out, it is stopped, and lies on the floor in the end.
TEST(what_does_not_get_out_of_a_floor_is_stopped)
{
    for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
        mechanism m;
        events_start_inside(&m, 0.0, SCENE_G, (pawl_lit_variant)variant);
        scene_run(&m, 0.5);
        CHECK_INT(m.verdict.events[PAWL_EVENT_UNRESOLVED], 0);
        CHECK_NEAR(scene_position(&m, pawl_model_body_at(m.model, 0)).z, 0.1, 1e-9);
        CHECK(fabs(scene_velocity(&m, pawl_model_body_at(m.model, 0)).z) < 1e-9);
        mechanism_end(&m);
    }
}

// Whatever a step does to a plate that spins by several radians in it and hits the floor, it gives it no energy to
// speak of. Gyroscopic torques that answer to themselves would, without bound.
TEST(a_plate_that_spins_much_too_fast_for_the_step_hits_the_floor)
{
    const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                          PAWL_STEPPER_LIT};
    for (int k = 0; k < 3; ++k) {
        uint64_t seed = 7;
        for (int trial = 0; trial < 10; ++trial) {
            mechanism m;
            scene_floor(&m, 0.5, 0.0, 0.0);
            pawl_body_id plate = scene_box_at(&m, 1.0, v3(0.5, 0.3, 0.05), v3(0, 0, 0.4), 0.5);
            mechanism_compile(&m);
            pawl_settings settings = events_settings(0.01);
            settings.stepper = steppers[k];
            mechanism_start(&m, &settings);
            pawl_state *start;
            CHECK_OK(pawl_state_create(&m.t.env, m.model, &start));
            pawl_vec3 spin; // one after the other: arguments of a function have no order
            spin.z = random_in(&seed, -1, 1);
            spin.y = random_in(&seed, -1, 1);
            spin.x = random_in(&seed, -1, 1);
            pawl_state_set_twist(
                start, plate, (pawl_twist){.linear = v3(0, 0, -5), .angular = v3_scale(800, spin)});
            CHECK_OK(pawl_sim_set_state(m.sim, start));
            pawl_state_destroy(start);
            double energy = scene_stored(&m);
            for (int i = 0; i < 30; ++i) {
                scene_step(&m);
                CHECK(scene_stored(&m) <= 1.1 * energy);
            }
            mechanism_end(&m);
        }
    }
}
