// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies that sleep. Expected is the motion without sleep: whatever happens to sleeping bodies, a run in which they sleep
// ends where one ends in which none ever does, up to what bodies at rest may creep.
#include "math/vec.h"
#include "model/state.h"
#include "pawl/view.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SLEEP_DT = 5e-3, SLEEP_TIME = 0.2;

static pawl_settings sleep_settings(bool sleeps, pawl_stepper_kind stepper)
{
    pawl_settings settings = mechanism_settings(SLEEP_DT, stepper);
    settings.sleep.time = sleeps ? SLEEP_TIME : 0.0;
    return settings;
}

// The largest distance between the same bodies of two runs, and angle times their size of 0.1 m.
static double sleep_apart(const mechanism *a, const mechanism *b)
{
    double worst = 0.0;
    for (int k = 0; k < pawl_model_body_count(a->model); ++k) {
        pawl_pose p = pawl_state_pose(mechanism_state(a), pawl_model_body_at(a->model, k)),
                  q = pawl_state_pose(mechanism_state(b), pawl_model_body_at(b->model, k));
        pawl_quat turn = quat_mul(q.orientation, quat_conj(p.orientation));
        worst = fmax(worst, v3_norm(v3_sub(p.position, q.position)));
        worst = fmax(worst, 0.2 * v3_norm(v3(turn.x, turn.y, turn.z)));
    }
    return worst;
}

// ---- random scenes ----------------------------------------------------------------------------------

// Towers of one to three boxes, and single boxes and capsules that are dropped beside them, onto a floor.
static void sleep_random_scene(mechanism *m, uint64_t seed)
{
    scene_floor(m, 0.6, 0.0, 0.0);
    for (int k = 0; k < 5; ++k) {
        double x = 0.8 * k, side = random_in(&seed, 0.1, 0.2);
        int height = 1 + random_index(&seed, 3);
        for (int i = 0; i < height; ++i) {
            double drop = random_in(&seed, 0.0, 0.02);
            scene_box_at(
                m, random_in(&seed, 0.3, 3.0), v3(side, side, side),
                v3(x + random_in(&seed, -0.2, 0.2) * side, 0.0, side * (i + 0.5) + drop * (i + 1)),
                0.6);
        }
    }
    for (int k = 0; k < 4; ++k) {
        pawl_body_id body =
            mechanism_solid(m, random_in(&seed, 0.3, 3.0),
                            v3(0.8 * k, 1.0, random_in(&seed, 0.15, 0.4)), v3(0.01, 0.01, 0.01));
        bool box = random_index(&seed, 2) == 0;
        scene_shape(m, body, box ? PAWL_SHAPE_BOX : PAWL_SHAPE_CAPSULE, v3(0.05, 0.07, 0.09),
                    v3(0, 0, 0), 0.6, 0.0);
    }
}

// Until the first sleep both runs have the same bits; from then on bodies at rest may differ by what they creep.
TEST(a_run_with_sleep_ends_where_one_without_does)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU};
    int slept = 0, scenes = 0;
    for (uint64_t seed = 1; seed <= 16; ++seed) {
        mechanism m[2];
        for (int sleeps = 0; sleeps < 2; ++sleeps) {
            pawl_settings settings = sleep_settings(sleeps == 1, steppers[seed % 2]);
            sleep_random_scene(&m[sleeps], 1000 * seed);
            mechanism_start(&m[sleeps], &settings);
            scene_run(&m[sleeps], 1.2);
        }
        CHECK_NEAR(sleep_apart(&m[0], &m[1]), 0.0, 1.2e-6);
        CHECK(fabs(m[1].report.energy.balance - m[0].report.energy.balance) <= 1e-9);
        slept += m[1].report.asleep;
        scenes += 14;
        CHECK_INT(m[0].report.asleep, 0);
        mechanism_end(&m[0]);
        mechanism_end(&m[1]);
    }
    CHECK(slept > scenes / 2); // or the test says little
}

// ---- what wakes -------------------------------------------------------------------------------------

enum { SLEEP_TOWERS = 3, SLEEP_HEIGHT = 2 };
typedef struct sleep_scene {
    mechanism m;
    pawl_body_id box[SLEEP_TOWERS][SLEEP_HEIGHT]; // the third tower stands on the platform
    pawl_body_id ball, platform;                  // the ball hangs in the air, without gravity
} sleep_scene;

// Until 1 s the platform rests; then it rises by 0.1 m in a second if it `moves`.
static void sleep_build(sleep_scene *s, bool moves)
{
    mechanism *m = &s->m;
    scene_floor(m, 0.6, 0.0, 0.0);
    for (int t = 0; t < SLEEP_TOWERS; ++t) {
        for (int i = 0; i < SLEEP_HEIGHT; ++i) {
            double z = 0.1 + 0.2 * i + (t == 2 ? 0.5 : 0.0);
            s->box[t][i] = scene_box_at(m, 1.0, v3(0.2, 0.2, 0.2), v3(1.5 * t, 0, z), 0.6);
        }
    }
    pawl_body_def ball = pawl_body_def_default();
    ball.mass = 1.0;
    ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 0.004;
    ball.gravity_scale = 0.0;
    ball.pose.position = v3(0, 0, 1.0);
    s->ball = mechanism_body(m, &ball);
    scene_shape(m, s->ball, PAWL_SHAPE_SPHERE, v3(0.1, 0, 0), v3(0, 0, 0), 0.6, 0.0);
    static const double times[2] = {1.0, 2.0}, values[2] = {0.0, 0.1};
    pawl_body_def platform = pawl_body_def_default();
    platform.kind = PAWL_BODY_KINEMATIC;
    platform.pose.position = v3(3.0, 0, 0.4);
    if (moves) {
        platform.motion[2] =
            (pawl_signal){.kind = PAWL_SIGNAL_TABLE, .count = 2, .times = times, .values = values};
    }
    s->platform = mechanism_body(m, &platform);
    scene_shape(m, s->platform, PAWL_SHAPE_BOX, v3(0.4, 0.4, 0.1), v3(0, 0, 0), 0.6, 0.0);
}

typedef enum sleep_cause {
    SLEEP_NOTHING,
    SLEEP_TOUCH,
    SLEEP_WRENCH,
    SLEEP_FORCE_AT,
    SLEEP_GRAVITY,
    SLEEP_FRICTION,
    SLEEP_SHAPE_FRICTION,
    SLEEP_MASS,
    SLEEP_POSE,
    SLEEP_TWIST,
    SLEEP_VIEW,
    SLEEP_GROUND,
    SLEEP_CAUSES
} sleep_cause;

// How many of the seven bodies still sleep one step after the cause: groups that it does not concern go on sleeping. A pose or
// a twist that is set wakes all.
static const int sleep_expected[SLEEP_CAUSES] = {
    [SLEEP_NOTHING] = 7, [SLEEP_TOUCH] = 0,    [SLEEP_WRENCH] = 5,         [SLEEP_FORCE_AT] = 5,
    [SLEEP_GRAVITY] = 0, [SLEEP_FRICTION] = 0, [SLEEP_SHAPE_FRICTION] = 0, [SLEEP_MASS] = 5,
    [SLEEP_POSE] = 0,    [SLEEP_TWIST] = 0,    [SLEEP_VIEW] = 0,           [SLEEP_GROUND] = 5,
};

static void sleep_act(sleep_scene *s, sleep_cause cause)
{
    pawl_state *state = pawl_sim_edit_state(s->m.sim);
    pawl_pose pose = pawl_state_pose(state, s->box[0][1]);
    switch (cause) {
    case SLEEP_TOUCH: // just above the first tower and falling onto it: within reach at once
        pose.position.z += 0.201;
        CHECK_OK(pawl_state_set_pose(state, s->ball, pose));
        CHECK_OK(pawl_state_set_twist(state, s->ball, (pawl_twist){.linear = {0.1, 0, -1.0}}));
        break;
    case SLEEP_WRENCH:
        CHECK_OK(pawl_state_set_wrench(state, s->box[0][1], v3(8.0, 0, 0), v3(0, 0, 0)));
        break;
    case SLEEP_FORCE_AT: // beside the middle the friction of four corners that slide and turn is not determined
        CHECK_OK(pawl_state_add_force(state, s->box[1][0], v3(0, 15.0, 0), v3(1.5, 0, 0.1)));
        break;
    case SLEEP_GRAVITY:
        CHECK_OK(pawl_state_set_gravity(state, v3(8.0, 0, -9.81)));
        break;
    case SLEEP_FRICTION:
        CHECK_OK(pawl_state_set_friction_scale(state, 0.5));
        break;
    case SLEEP_SHAPE_FRICTION:
        CHECK_OK(
            pawl_state_set_shape_friction_scale(state, pawl_model_shape_at(s->m.model, 1), 0.5));
        break;
    case SLEEP_MASS:
        CHECK_OK(pawl_state_set_mass_scale(state, s->box[0][1], 3.0));
        break;
    case SLEEP_POSE:
        pose.position.z += 0.1;
        CHECK_OK(pawl_state_set_pose(state, s->box[0][1], pose));
        break;
    case SLEEP_TWIST:
        CHECK_OK(pawl_state_set_twist(state, s->box[1][1], (pawl_twist){.linear = {1.0, 0, 0}}));
        break;
    case SLEEP_VIEW:
        pawl_state_view(state, PAWL_VIEW_VELOCITY).data[0] = 1.0;
        CHECK_OK(pawl_state_accept(state));
        break;
    default: // nothing, or what the model does by itself
        break;
    }
}

// By every cause, with both steppers: before it all sleep, in the step after it those whom it does not concern, and half a second
// later everything is where it is without sleep.
TEST(every_cause_wakes_at_once_and_exactly)
{
    for (int k = 0; k < 2 * SLEEP_CAUSES; ++k) {
        sleep_cause cause = (sleep_cause)(k / 2);
        sleep_scene s[2];
        for (int sleeps = 0; sleeps < 2; ++sleeps) {
            mechanism *m = &s[sleeps].m;
            pawl_settings settings =
                sleep_settings(sleeps == 1, k % 2 ? PAWL_STEPPER_EULER : PAWL_STEPPER_MOREAU);
            sleep_build(&s[sleeps], cause == SLEEP_GROUND);
            mechanism_start(m, &settings);
            scene_run(m, 1.0);
            CHECK_INT(m->report.asleep, sleeps == 1 ? 7 : 0);
            sleep_act(&s[sleeps], cause);
            scene_step(m);
            CHECK_INT(m->report.asleep, sleeps == 1 ? sleep_expected[cause] : 0);
            scene_run(m, 1.5);
        }
        CHECK_NEAR(sleep_apart(&s[0].m, &s[1].m), 0.0, 2e-6);
        mechanism_end(&s[0].m);
        mechanism_end(&s[1].m);
    }
}

// A ball at 1.5 m/s from 1 m away: the tower sleeps until it comes, and is hit as if it had never slept; the others go on
// sleeping. The hit is central: a box that also turns on its face would depend on how its corners share the load,
// which rigid bodies leave open and which differs with the order of the islands.
TEST(a_touch_wakes_the_group_that_it_concerns)
{
    sleep_scene s[2];
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        mechanism *m = &s[sleeps].m;
        pawl_settings settings = sleep_settings(sleeps == 1, PAWL_STEPPER_MOREAU);
        sleep_build(&s[sleeps], false);
        mechanism_start(m, &settings);
        scene_run(m, 0.1);
        pawl_state *state = pawl_sim_edit_state(m->sim);
        pawl_pose far = {v3(-1.2, 0.0, 0.32), {1, 0, 0, 0}};
        CHECK_OK(pawl_state_set_pose(state, s[sleeps].ball, far));
        CHECK_OK(pawl_state_set_twist(state, s[sleeps].ball, (pawl_twist){.linear = {1.5, 0, 0}}));
        scene_run(m, 0.6);
        CHECK_INT(m->report.asleep, sleeps == 1 ? 6 : 0); // all but the ball
        scene_run(m, 0.9);
        CHECK_INT(m->report.asleep, sleeps == 1 ? 4 : 0); // the tower was hit
        CHECK(scene_position(m, s[sleeps].box[0][1]).x > 0.01);
        scene_run(m, 1.0);
    }
    CHECK_NEAR(sleep_apart(&s[0].m, &s[1].m), 0.0, 2e-6);
    mechanism_end(&s[0].m);
    mechanism_end(&s[1].m);
}

// ---- mechanisms -------------------------------------------------------------------------------------

// An arm that an actuator holds up, and a box beside it. All sleep together, reactions and time go on; a new target wakes them.
TEST(an_actuator_wakes_its_mechanism)
{
    mechanism m[2];
    pawl_joint_id hinge[2];
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        scene_floor(&m[sleeps], 0.6, 0.0, 0.0);
        pawl_body_id arm = scene_box_at(&m[sleeps], 1.0, v3(0.4, 0.1, 0.1), v3(0.2, 0, 1.0), 0.6);
        scene_box_at(&m[sleeps], 1.0, v3(0.2, 0.2, 0.2), v3(2.0, 0, 0.1), 0.6);
        hinge[sleeps] =
            mechanism_world_joint(&m[sleeps], PAWL_JOINT_REVOLUTE, arm, v3(0, 0, 1.0), v3(0, 1, 0));
        pawl_actuator_def d = pawl_actuator_def_default();
        d.kind = PAWL_ACTUATOR_POSITION;
        d.joint = hinge[sleeps];
        d.stiffness = 200.0;
        d.damping = 20.0;
        pawl_actuator_id motor = mechanism_actuator(&m[sleeps], &d);
        pawl_settings settings = sleep_settings(sleeps == 1, PAWL_STEPPER_MOREAU);
        mechanism_start(&m[sleeps], &settings);
        scene_run(&m[sleeps], 3.0);
        CHECK_INT(m[sleeps].report.asleep, sleeps == 1 ? 2 : 0);
        double held = mechanism_position(&m[sleeps], hinge[sleeps], 0);
        CHECK_NEAR(held, 1.0 * 9.81 * 0.2 * cos(held) / 200.0, 1e-7);
        CHECK_OK(pawl_state_set_target(pawl_sim_edit_state(m[sleeps].sim), motor, 0.5));
        scene_step(&m[sleeps]);
        CHECK_INT(m[sleeps].report.asleep, sleeps == 1 ? 1 : 0);
        scene_run(&m[sleeps], 3.5);
    }
    CHECK_NEAR(mechanism_position(&m[1], hinge[1], 0), mechanism_position(&m[0], hinge[0], 0),
               1e-6);
    mechanism_end(&m[0]);
    mechanism_end(&m[1]);
}

// A force that changes with time may come back: its body never sleeps.
TEST(what_changes_with_time_stays_awake)
{
    mechanism m;
    scene_floor(&m, 0.6, 0.0, 0.0);
    pawl_force_def force = pawl_force_def_default();
    force.body = scene_box_at(&m, 1.0, v3(0.2, 0.2, 0.2), v3(0, 0, 0.1), 0.6);
    scene_box_at(&m, 1.0, v3(0.2, 0.2, 0.2), v3(1, 0, 0.1), 0.6);
    static const double times[3] = {0.0, 2.0, 2.1}, values[3] = {0.0, 0.0, 20.0};
    force.force[0] =
        (pawl_signal){.kind = PAWL_SIGNAL_TABLE, .count = 3, .times = times, .values = values};
    mechanism_force(&m, &force);
    pawl_settings settings = sleep_settings(true, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    scene_run(&m, 1.0);
    CHECK_INT(m.report.asleep, 1);
    scene_run(&m, 2.5);
    CHECK(scene_position(&m, force.body).x > 0.1);
    mechanism_end(&m);
}

// ---- bits -------------------------------------------------------------------------------------------

// For 1, 2 and 3 threads, and resumed from a saved state while some sleep and some are on their way: the same bits.
TEST(sleep_has_the_same_bits_for_any_threads_and_when_resumed)
{
    uint64_t hash[4];
    for (int k = 0; k < 4; ++k) {
        sleep_scene s;
        mechanism *m = &s.m;
        pawl_settings settings = sleep_settings(true, PAWL_STEPPER_MOREAU);
        settings.threads = k < 3 ? 1 + k : 1;
        sleep_build(&s, true);
        mechanism_start(m, &settings);
        scene_run(m, 0.1);
        pawl_pose far = {v3(-1.2, 0.0, 0.32), {1, 0, 0, 0}};
        pawl_state *state = pawl_sim_edit_state(m->sim);
        CHECK_OK(pawl_state_set_pose(state, s.ball, far));
        CHECK_OK(pawl_state_set_twist(state, s.ball, (pawl_twist){.linear = {1.5, 0, 0}}));
        for (double at = 0.15; at < 1.25; at += 0.1) {
            scene_run(m, at);
            if (k == 3) {
                mechanism_resume(m, &settings);
            }
        }
        hash[k] = pawl_state_hash(mechanism_state(m));
        CHECK(hash[k] == hash[0]);
        mechanism_end(m);
    }
}

// All sleep: the state is the same but for its time, and so is one that is resumed there.
TEST(deep_sleep_changes_nothing_but_time)
{
    sleep_scene s;
    mechanism *m = &s.m;
    pawl_settings settings = sleep_settings(true, PAWL_STEPPER_MOREAU);
    sleep_build(&s, false);
    mechanism_start(m, &settings);
    scene_run(m, 0.5);
    pawl_step_report before = m->report;
    CHECK_INT(before.asleep, 7);
    pawl_pose pose = pawl_state_pose(mechanism_state(m), s.box[0][1]);
    int64_t calls = m->t.calls;
    scene_run(m, 10.0);
    CHECK(m->t.calls == calls); // nothing was allocated
    pawl_pose later = pawl_state_pose(mechanism_state(m), s.box[0][1]);
    CHECK(memcmp(&pose, &later, sizeof pose) == 0);
    CHECK_INT(m->report.rows, 0);
    CHECK_NEAR(m->report.energy.kinetic, 0.0, 0.0);
    CHECK_NEAR(m->report.energy.balance, before.energy.balance, 0.0);
    uint64_t hash = pawl_state_hash(mechanism_state(m));
    mechanism_resume(m, &settings);
    CHECK(pawl_state_hash(mechanism_state(m)) == hash);
    scene_step(m);
    CHECK_INT(m->report.asleep, 7);
    CHECK_NEAR(m->report.energy.balance, before.energy.balance, 0.0);
    mechanism_end(m);
}

// Another step or another tolerance may have another rest: all wake. Threads and limits of verdicts do not count.
TEST(other_settings_wake_all)
{
    sleep_scene s;
    mechanism *m = &s.m;
    pawl_settings settings = sleep_settings(true, PAWL_STEPPER_MOREAU), other = settings;
    sleep_build(&s, false);
    mechanism_start(m, &settings);
    scene_run(m, 0.5);
    CHECK_INT(m->report.asleep, 7);
    other.threads = 2;
    other.verdict.energy = 0.5;
    mechanism_resume(m, &other);
    scene_step(m);
    CHECK_INT(m->report.asleep, 7);
    other.contact.margin = 2e-3;
    mechanism_resume(m, &other);
    scene_step(m);
    CHECK_INT(m->report.asleep, 0);
    other.sleep.time = 0.0;
    mechanism_resume(m, &other);
    scene_step(m);
    CHECK_INT(m->report.asleep, 0);
    mechanism_end(m);
}

// Steppers that look for contacts in other ways refuse, and say so.
TEST(steppers_without_sleep_refuse_it)
{
    test_env t;
    test_env_init(&t);
    for (int kind = 0; kind < PAWL_STEPPER_COUNT; ++kind) {
        pawl_settings settings = sleep_settings(true, (pawl_stepper_kind)kind);
        bool sleeps = kind == PAWL_STEPPER_EULER || kind == PAWL_STEPPER_MOREAU;
        CHECK_INT(pawl_settings_check(&t.env, &settings), sleeps ? PAWL_OK : PAWL_UNSUPPORTED);
    }
    CHECK_NO_LEAK(&t);
}
