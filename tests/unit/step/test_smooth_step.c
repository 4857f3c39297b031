// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Steps of moreau in which joints and gravity alone act take one factor (smooth_step.c). They are the steps of the
// midpoint rule: the same models with a limit that is never near take those with its two factors and separate solves.
#include "model/state.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <math.h>

enum { SMOOTH_MOST_LINKS = 8 };
static const pawl_vec3 smooth_axis = {0.0, 1.0, 0.0};

static void smooth_hinge(mechanism *m, pawl_body_id base, pawl_body_id follower, pawl_vec3 point,
                         bool limited)
{
    pawl_joint_def def =
        mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, base, follower, point, smooth_axis);
    if (limited) {
        def.coordinate[0].upper = 1e3;
    }
    mechanism_joint(m, &def);
}

// A bar from a to b, of random mass.
static pawl_body_id smooth_bar(mechanism *m, uint64_t *random, pawl_vec3 a, pawl_vec3 b)
{
    double mass = random_in(random, 0.1, 2.0), length = hypot(b.x - a.x, b.z - a.z);
    double across = mass * length * length / 12.0;
    pawl_vec3 centre = {0.5 * (a.x + b.x), 0.0, 0.5 * (a.z + b.z)};
    pawl_vec3 inertia = {across, random_in(random, 0.5, 1.8) * across, 0.9 * across};
    return mechanism_solid(m, mass, centre, inertia);
}

// Bars on one another from the origin; with `closed` the last one hangs on the world as well.
static void smooth_build(mechanism *m, uint64_t seed, bool closed, bool limited)
{
    uint64_t random = seed;
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, (pawl_vec3){0.0, 0.0, -9.81});
    int links = closed ? 3 : 1 + random_index(&random, SMOOTH_MOST_LINKS);
    pawl_vec3 at = {0.0, 0.0, 0.0};
    pawl_body_id last = PAWL_WORLD;
    for (int i = 0; i < links; ++i) {
        pawl_vec3 to = {at.x + random_in(&random, 0.2, 0.6), 0.0,
                        at.z + random_in(&random, -0.3, 0.3)};
        pawl_body_id body = smooth_bar(m, &random, at, to);
        smooth_hinge(m, last, body, at, limited && i == 0);
        last = body;
        at = to;
    }
    if (closed) {
        smooth_hinge(m, PAWL_WORLD, last, at, false);
    }
}

static double smooth_distance(const pawl_state *a, const pawl_state *b)
{
    double far = 0.0;
    for (int i = 0; i < a->model->body_count; ++i) {
        far = fmax(far, v3_max_abs(v3_sub(a->bodies[i].r, b->bodies[i].r)));
        far = fmax(far, v3_max_abs(v3_sub(a->bodies[i].v, b->bodies[i].v)));
        far = fmax(far, v3_max_abs(v3_sub(a->bodies[i].w, b->bodies[i].w)));
    }
    return far;
}

// The answer is that of midpoint_step.c.
TEST(joints_and_gravity_alone_move_as_by_the_midpoint_rule)
{
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        bool closed = seed % 3 == 0;
        mechanism m[2];
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
        int corrections[2] = {0, 0};
        for (int k = 0; k < 2; ++k) {
            smooth_build(&m[k], 7000 + seed, closed, k == 1);
            mechanism_start(&m[k], &settings);
        }
        for (int i = 0; i < 250; ++i) {
            for (int k = 0; k < 2; ++k) {
                mechanism_step(&m[k]);
                corrections[k] += m[k].report.projections;
            }
        }
        CHECK_NEAR(smooth_distance(mechanism_state(&m[0]), mechanism_state(&m[1])), 0.0, 1e-7);
        CHECK_NEAR(m[0].report.energy.kinetic, m[1].report.energy.kinetic, 1e-8);
        CHECK(m[0].report.closure.position <= 1e-12);
        CHECK(pawl_state_trend_levels(mechanism_state(&m[0])) == STATE_TREND_LEVELS);
        CHECK(pawl_state_trend_levels(mechanism_state(&m[1])) == 0);
        CHECK(corrections[0] < corrections[1]);
        mechanism_end(&m[0]);
        mechanism_end(&m[1]);
    }
}

// Extrapolated impulses are a guess: whatever a state has there, the motion is the same but for rounding.
TEST(a_wrong_guess_at_the_impulses_changes_nothing_but_the_time_it_takes)
{
    const double wrong[] = {-1.0, 0.0, 3.0, 1e300};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        mechanism m[2];
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
        for (int i = 0; i < 2; ++i) {
            smooth_build(&m[i], 42, k % 2 == 0, false);
            mechanism_start(&m[i], &settings);
            mechanism_run(&m[i], 20);
        }
        pawl_state *s = pawl_sim_edit_state(m[1].sim);
        state_trend trend = pawl_state_trend(s);
        *trend.count = wrong[k];
        for (int r = 0; r < s->model->row_count; ++r) {
            trend.first[r] += 0.01;
            trend.second[r] -= 0.02;
        }
        mechanism_run(&m[0], 50);
        mechanism_run(&m[1], 50);
        CHECK_NEAR(smooth_distance(mechanism_state(&m[0]), mechanism_state(&m[1])), 0.0, 1e-7);
        mechanism_end(&m[0]);
        mechanism_end(&m[1]);
    }
}
