// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Motion files: what their keys ask of the feet and joints, and input that is broken or hostile.
#include "math/vec.h"
#include "model/model.h"
#include "pawl/io.h"
#include "pawl/keyframes.h"
#include "pawl/limb.h"
#include "support/random.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define ROBOT "models/nmdp/robosimian-planar.sdf"
#define HEAD "pawl-motion 1\nbase torso\n"
#define FOOT HEAD "foot a leg1 0.3425 -0.117 0\n"
#define FEET FOOT "foot b leg2 0.3425 0.117 0\n"

typedef struct motion_case {
    test_env t;
    pawl_model *model;
    pawl_keyframes *keys;
} motion_case;

static void motion_begin(motion_case *c)
{
    test_env_init(&c->t);
    c->keys = NULL;
    CHECK_OK(pawl_model_load(&c->t.env, ROBOT, NULL, &c->model));
}

static void motion_parse(motion_case *c, const char *text)
{
    pawl_keyframes_destroy(c->keys);
    CHECK_OK(pawl_keyframes_parse(&c->t.env, "m.motion", text, strlen(text), c->model, &c->keys));
}

static void motion_end(motion_case *c)
{
    pawl_keyframes_destroy(c->keys);
    pawl_model_destroy(c->model);
    CHECK_NO_LEAK(&c->t);
}

// Where the targets at a time put the point of a body, seen from the torso.
static pawl_vec3 motion_foot(const motion_case *c, const char *body, pawl_vec3 point, double time)
{
    pawl_limb *limb;
    pawl_env env = pawl_env_default();
    CHECK_OK(pawl_limb_create(&env, c->model, pawl_model_find_body(c->model, "torso"),
                              pawl_model_find_body(c->model, body), point, &limb));
    double q[8];
    for (int i = 0; i < pawl_limb_coordinate_count(limb); ++i) {
        pawl_limb_coordinate of = pawl_limb_coordinate_at(limb, i);
        for (int a = 0; a < pawl_model_actuator_count(c->model); ++a) {
            pawl_signal target;
            pawl_actuator_id id = pawl_model_actuator_at(c->model, a);
            if (pawl_joint_same(pawl_model_actuator(c->model, id).joint, of.joint) &&
                pawl_keyframes_target(c->keys, id, &target)) {
                q[i] = pawl_signal_value(&target, time);
            }
        }
    }
    pawl_vec3 at = pawl_limb_tip(limb, q, NULL);
    pawl_limb_destroy(limb);
    return at;
}

static const pawl_vec3 motion_point1 = {0.3425, -0.117, 0.0};
static const pawl_vec3 motion_point2 = {0.3425, 0.117, 0.0};

// Answers by hand: sums of what the lines say.
TEST(keys_put_feet_where_they_say)
{
    motion_case c;
    motion_begin(&c);
    motion_parse(&c, FEET "key 1\n offset a 0.1 0 0.2 # lifted\n"
                          "key 0.5\n shift a,b -0.05 0 -0.1\n"
                          "key 0.25\n\n"
                          "key 0.25\n travel 0.1 0 0\n"
                          "key 1\n rest a\n place b -0.6 -0.5604 -0.7\n");
    CHECK_INT(pawl_keyframes_count(c.keys), 6);
    const double times[6] = {0.0, 1.0, 1.5, 1.75, 2.0, 3.0};
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(pawl_keyframes_time(c.keys, k), times[k], 0.0);
    }
    pawl_vec3 a = motion_foot(&c, "leg1", motion_point1, 0.0);
    pawl_vec3 b = motion_foot(&c, "leg2", motion_point2, 0.0);
    CHECK_NEAR3(a, v3(0.621, -0.56, -0.789), 5e-4); // the data sheet's
    const pawl_vec3 moves[6][2] = {{{0, 0, 0}, {0, 0, 0}},
                                   {{0.1, 0, 0.2}, {0, 0, 0}},
                                   {{0.05, 0, 0.1}, {-0.05, 0, -0.1}},
                                   {{0.05, 0, 0.1}, {-0.05, 0, -0.1}},
                                   {{-0.05, 0, 0.1}, {-0.15, 0, -0.1}},
                                   {{0, 0, 0}, {-0.6 - b.x, 0, -0.7 - b.z}}};
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR3(motion_foot(&c, "leg1", motion_point1, times[k]), v3_add(a, moves[k][0]),
                    1e-11);
        CHECK_NEAR3(motion_foot(&c, "leg2", motion_point2, times[k]), v3_add(b, moves[k][1]),
                    1e-11);
    }
    // Held after the last key.
    CHECK_NEAR3(motion_foot(&c, "leg2", motion_point2, 9.0), v3(-0.6, -0.5604, -0.7), 1e-11);
    pawl_signal target;
    int moved = 0;
    for (int i = -1; i <= 12; ++i) {
        moved += pawl_keyframes_target(c.keys, pawl_model_actuator_at(c.model, i), &target);
    }
    CHECK_INT(moved, 6); // the joints of two feet
    motion_end(&c);
}

TEST(joints_can_be_moved_by_themselves)
{
    motion_case c;
    motion_begin(&c);
    motion_parse(
        &c, "pawl-motion 1\nkey 2\njoint hip3 -1\nkey 1\njoint hip3 0 0.5\njoint knee3 1e-1\n");
    pawl_actuator_id hip = pawl_model_actuator_at(c.model, 6);
    pawl_actuator_id knee = pawl_model_actuator_at(c.model, 7); // actuators of limb 3
    pawl_signal target;
    CHECK(pawl_keyframes_target(c.keys, hip, &target));
    CHECK_NEAR(pawl_signal_value(&target, 0.0), -0.45 * 3.141592653589793, 1e-12);
    CHECK_NEAR(pawl_signal_value(&target, 2.0), -1.0, 0.0);
    CHECK_NEAR(pawl_signal_value(&target, 3.0), 0.5, 0.0);
    CHECK(pawl_keyframes_target(c.keys, knee, &target));
    CHECK_NEAR(pawl_signal_value(&target, 2.0), 0.5 * 3.141592653589793, 1e-12); // not said: kept
    CHECK_NEAR(pawl_signal_value(&target, 3.0), 0.1, 0.0);
    motion_end(&c);
}

// Halfway between 0.5 and 0 the straight line has 0.25, and so has the cubic from rest to rest; a quarter
// of the way (3 - 2/4)/16 of the difference is done instead of 1/4.
TEST(joints_go_from_key_to_key_as_the_file_says)
{
    static const char *const words[2] = {"linear", "smooth"};
    const double done[2] = {0.25, 2.5 / 16.0};
    for (int k = 0; k < 2; ++k) {
        motion_case c;
        char text[200];
        motion_begin(&c);
        snprintf(text, sizeof text,
                 "pawl-motion 1\nbetween %s\nkey 1\njoint hip3 0.5\nkey 1\njoint hip3 0\n",
                 words[k]);
        motion_parse(&c, text);
        pawl_signal target;
        CHECK(pawl_keyframes_target(c.keys, pawl_model_actuator_at(c.model, 6), &target));
        CHECK_NEAR(pawl_signal_value(&target, 1.5), 0.25, 1e-15);
        CHECK_NEAR(pawl_signal_value(&target, 1.25), 0.5 * (1.0 - done[k]), 1e-15);
        motion_end(&c);
    }
}

TEST(what_is_repeated_is_the_same_as_what_is_written_out)
{
    motion_case c, d;
    motion_begin(&c);
    motion_begin(&d);
    motion_parse(
        &c,
        FOOT "key 1\nshift a 0 0 0.1\nrepeat 3\nkey 0.5\nshift a 0.02 0 0\nend\nkey 1\nrest all\n");
    motion_parse(&d,
                 FOOT "key 1\nshift a 0 0 0.1\nkey 0.5\nshift a 0.02 0 0\nkey 0.5\nshift a 0.02 0 "
                      "0\nkey 0.5\nshift a 0.02 0 0\nkey 1\nrest all\n");
    CHECK_INT(pawl_keyframes_count(c.keys), 6);
    CHECK_INT(pawl_keyframes_count(d.keys), 6);
    for (int a = 0; a < 3; ++a) {
        pawl_signal x, y;
        CHECK(pawl_keyframes_target(c.keys, pawl_model_actuator_at(c.model, a), &x) &&
              pawl_keyframes_target(d.keys, pawl_model_actuator_at(d.model, a), &y));
        CHECK(memcmp(x.values, y.values, 6 * sizeof(double)) == 0);
        CHECK(memcmp(x.times, y.times, 6 * sizeof(double)) == 0);
    }
    motion_end(&c);
    motion_end(&d);
}

// The walk's first stride differs from those that repeat.
TEST(what_repeats_for_ever_is_periodic_from_its_first_round_on)
{
    motion_case c;
    motion_begin(&c);
    motion_parse(&c, FEET "key 1\n shift a 0.1 0 0.1\nrepeat forever\nkey 0.5\nshift a -0.1 0 0\n"
                          "shift b 0 0 0.1\nkey 0.5\nshift a 0.1 0 0\nshift b 0 0 -0.1\nend\n");
    for (int a = 0; a < 6; ++a) {
        pawl_signal x;
        CHECK(pawl_keyframes_target(c.keys, pawl_model_actuator_at(c.model, a), &x));
        CHECK_NEAR(x.period, 1.0, 1e-15);
        for (int k = 0; k < 40; ++k) {
            double t = 1.0 + k / 16.0; // binary fractions: t + 1 is exact
            double now = pawl_signal_value(&x, t), later = pawl_signal_value(&x, t + 1.0);
            CHECK_NEAR(later, now, 1e-9);
            if (t >= 3.0) {
                CHECK_NEAR(pawl_signal_value(&x, t + 1000.0), now, 0.0);
            }
            CHECK_NEAR(pawl_signal_rate(&x, t + 7.0), pawl_signal_rate(&x, t + 8.0), 0.0);
        }
    }
    motion_end(&c);
}

TEST(a_loaded_model_plays_the_motion_and_hashes_it)
{
    test_env t;
    test_env_init(&t);
    pawl_load_options options = pawl_load_options_default();
    pawl_model *plain, *jump, *again, *walk;
    CHECK_OK(pawl_model_load(&t.env, ROBOT, &options, &plain));
    options.motion_path = "models/nmdp/motions/robosimian-jump.motion";
    CHECK_OK(pawl_model_load(&t.env, ROBOT, &options, &jump));
    CHECK_OK(pawl_model_load(&t.env, ROBOT, &options, &again));
    options.motion_path = "models/nmdp/motions/robosimian-walk.motion";
    CHECK_OK(pawl_model_load(&t.env, ROBOT, &options, &walk));
    CHECK(pawl_model_hash(jump) == pawl_model_hash(again));
    CHECK(pawl_model_hash(jump) != pawl_model_hash(plain));
    CHECK(pawl_model_hash(jump) != pawl_model_hash(walk));
    pawl_actuator_def servo = pawl_model_actuator(jump, pawl_model_actuator_at(jump, 0));
    CHECK_INT(servo.target.interpolation, PAWL_SMOOTH);
    CHECK_NEAR(servo.target.period, 2.0, 1e-12);
    options.motion_path = "models/nmdp/motions/none.motion";
    pawl_model *none;
    CHECK_STATUS(pawl_model_load(&t.env, ROBOT, &options, &none), PAWL_BAD_FILE);
    CHECK(none == NULL);
    CHECK_MESSAGE(&t, "none.motion");
    pawl_model_destroy(plain);
    pawl_model_destroy(jump);
    pawl_model_destroy(again);
    pawl_model_destroy(walk);
    CHECK_NO_LEAK(&t);
}

// All that robots/ has can be played, and the jump stays finite in maximal coordinates.
TEST(robots_jump_and_walk_for_a_second_without_leaving_this_world)
{
    static const char *const cases[][2] = {
        {ROBOT, "models/nmdp/motions/robosimian-jump.motion"},
        {ROBOT, "models/nmdp/motions/robosimian-walk.motion"},
        {"models/nmdp/robosimian-spatial.sdf", "models/nmdp/motions/robosimian-jump.motion"},
        {"models/nmdp/spider-planar.sdf", "models/nmdp/motions/spider-jump.motion"},
        {"models/nmdp/spider-planar.sdf", "models/nmdp/motions/spider-walk.motion"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_env t;
        test_env_init(&t);
        pawl_load_options options = pawl_load_options_default();
        options.motion_path = cases[i][1];
        pawl_model *model;
        CHECK_OK(pawl_model_load(&t.env, cases[i][0], &options, &model));
        pawl_settings settings = pawl_settings_default();
        settings.dt = 5e-3;
        pawl_sim *sim;
        CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
        double highest = 0.0;
        for (int k = 0; k < 300; ++k) {
            CHECK_OK(pawl_sim_step(sim, NULL));
            pawl_vec3 torso =
                pawl_state_pose(pawl_sim_state(sim), pawl_model_body_at(pawl_sim_model(sim), 0))
                    .position;
            CHECK(v3_finite(torso) && v3_norm(torso) < 2.0);
            highest = fmax(highest, torso.z);
        }
        if (strstr(cases[i][1], "jump") != NULL) {
            CHECK(highest > 0.2); // the feet left the ground
        }
        pawl_sim_destroy(sim);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

static void motion_refused(const char *text, size_t size, const char *message)
{
    motion_case c;
    motion_begin(&c);
    CHECK_STATUS(pawl_keyframes_parse(&c.t.env, "m.motion", text, size, c.model, &c.keys),
                 PAWL_BAD_FILE);
    CHECK(c.keys == NULL);
    CHECK_MESSAGE(&c.t, message);
    CHECK(strchr(c.t.last_message, '\n') == NULL);
    motion_end(&c);
}

TEST(malformed_motions_are_refused_with_file_line_and_expectation)
{
    static const char *const cases[][2] = {
        {"", "m.motion: got '', the first line of a motion file is 'pawl-motion 1'"},
        {"# nothing\n\n", "m.motion:2: got ''"},
        {"pawl-motion 2\n", "m.motion:1: got 'pawl-motion 2'"},
        {"key 1\n", "m.motion:1: got 'key 1'"},
        {"pawl-motion 1\n", "m.motion:1: the file has no key"},
        {HEAD "jump 1\n",
         "m.motion:3: got 'jump', expected one of base, between, path, foot, servo, start, key"},
        {HEAD "between\n", "m.motion:3: got 1 words, expected 'between HOW'"},
        {HEAD "between keys\n", "m.motion:3: got between 'keys', expected smooth, cubic or linear"},
        {HEAD "key\n", "m.motion:3: got 1 words, expected 'key SECONDS'"},
        {HEAD "key fast\n",
         "m.motion:3: got the time after the last key 'fast', expected a finite number"},
        {HEAD "key 0\n", "m.motion:3: got a key 0 s after the last one, expected more than 0"},
        {HEAD "key -1\n", "expected more than 0"},
        {HEAD "key nan\n", "expected a finite number"},
        {HEAD "key 0x10\n", "expected a finite number"},
        {HEAD "key 1e999\n", "expected a finite number"},
        {HEAD "key 1e17\nkey 1\n", "m.motion:4: got a key 1 s after"},
        {HEAD "base torso\n", "m.motion:3: got a second base"},
        {"pawl-motion 1\nbase torso 90\n", "m.motion:2: got 3 words, expected 'base BODY' or"},
        {"pawl-motion 1\nbase torso 90 0 up\n", "m.motion:2: got yaw 'up'"},
        {"pawl-motion 1\nbase trunk\n", "m.motion:2: the model has no body 'trunk'"},
        {"pawl-motion 1\nfoot a leg1 0 0 0\n", "m.motion:2: got a foot before 'base BODY'"},
        {HEAD "foot a leg1 0 0\n",
         "m.motion:3: got 5 words, expected 'foot NAME BODY X Y Z [level]'"},
        {HEAD "foot a leg9 0 0 0\n", "m.motion:3: the model has no body 'leg9'"},
        {HEAD "foot a leg1 0 x 0\n", "m.motion:3: got y 'x'"},
        {HEAD "foot all leg1 0 0 0\n", "not 'all'"},
        {HEAD "foot a,b leg1 0 0 0\n", "without a comma"},
        {FOOT "foot a leg2 0 0 0\n", "m.motion:4: got a second foot 'a'"},
        {FOOT "key 1\nfoot c leg2 0 0 0\n", "m.motion:5: got a foot after the first key"},
        {"pawl-motion 1\nbase leg1\nfoot c leg2 0 0 0\n",
         "m.motion:3: foot 'c' cannot be moved from body 'leg1'"},
        {FOOT "rest a\n", "m.motion:4: got 'rest' outside of a key"},
        {FOOT "key 1\nrest c\n", "m.motion:5: there is no foot 'c'"},
        {FOOT "key 1\nrest a,\n", "m.motion:5: there is no foot ''"},
        {FOOT "key 1\noffset a 1\n", "m.motion:5: got 3 words, expected 'offset FEET X Y Z'"},
        {FOOT "key 1\noffset a 0 0 -1\n\nkey 1\n",
         "m.motion:5: foot 'a' cannot reach (0.621051, "
         "-0.5604, -1.78918) m, relative to body 'torso'"},
        {FOOT "key 1\noffset a 0 0.1 0\n", "the nearest point is 0.1 m away"},
        {FOOT "key 1\njoint hip9 1\n", "m.motion:5: the model has no joint 'hip9'"},
        {FOOT "key 1\njoint hip1 1\n", "m.motion:5: joint 'hip1' is moved by foot 'a'"},
        {FOOT "key 1\njoint hip2 1 1\n", "joint 'hip2' has no position actuator of coordinate 1"},
        {FOOT "key 1\njoint base 1\n", "joint 'base' has no position actuator of coordinate 0"},
        {FOOT "key 1\njoint hip2\n", "expected 'joint NAME [COORDINATE] VALUE'"},
        {FOOT "repeat\n", "m.motion:4: got 1 words, expected 'repeat TIMES'"},
        {FOOT "repeat 0\nkey 1\nend\n", "got repeat '0', expected a whole number from 1"},
        {FOOT "repeat 1.5\nkey 1\nend\n", "a whole number"},
        {FOOT "repeat 2\nend\n", "m.motion:5: the repeat of line 4 holds no key"},
        {FOOT "repeat 2\nrepeat 2\n", "m.motion:5: got a repeat inside that of line 4"},
        {FOOT "repeat 2\nkey 1\n", "m.motion:5: the file ends inside the repeat of line 4"},
        {FOOT "end\n", "m.motion:4: got an end without a repeat"},
        {FOOT "repeat 20000\nkey 1\nkey 1\nend\n", "keys, with all repetitions"},
        {FOOT "repeat forever\nkey 1\nshift a 0 0 0.01\nend\n",
         "m.motion:7: foot 'a' moves by 0.01 m against the base in every repetition"},
        {FOOT "repeat forever\nkey 1\nend\nkey 1\n", "m.motion:7: got 'key' after an endless"},
        {FOOT "key 1\nrest a\001b\n", "m.motion:5: got a control character (0x01)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        motion_refused(cases[i][0], strlen(cases[i][0]), cases[i][1]);
    }
    motion_refused("pawl-motion 1\n\0", 16, "m.motion:2: got a control character (0x00)");
}

TEST(long_lines_and_many_words_are_refused)
{
    static char text[10000];
    strcpy(text, "pawl-motion 1\n");
    size_t head = strlen(text);
    memset(text + head, 'x', 5000);
    motion_refused(text, head + 5000, "m.motion:2: got a line of 5000 characters");
    for (size_t i = 0; i < 200; ++i) {
        text[head + i] = i % 2 == 0 ? 'x' : ' ';
    }
    motion_refused(text, head + 200, "m.motion:2: got more than 64 words");
}

static pawl_status motion_make(const pawl_env *env, void *model)
{
    const char text[] = FEET "key 1\noffset a,b 0 0 0.1\nrepeat forever\nkey 1\nrest all\nend\n";
    pawl_keyframes *keys;
    pawl_status status = pawl_keyframes_parse(env, "m.motion", text, strlen(text), model, &keys);
    pawl_keyframes_destroy(keys);
    return status;
}

TEST(reading_survives_a_lack_of_memory)
{
    motion_case c;
    motion_begin(&c);
    CHECK(CHECK_SURVIVES_NO_MEMORY(motion_make, c.model) > 8);
    motion_end(&c);
}

// Bytes of a good file are changed, dropped and doubled at random. Whatever comes of it: keyframes or a
// refusal with a message, and no memory kept.
TEST(damaged_motions_are_read_or_refused_and_nothing_else)
{
    static const char good[] =
        FEET "key 1.0\n  offset all 0.01 0 0.2 # up\nrepeat 3\n  key 0.25\n  travel 0.02 0 0\n"
             "  shift a 0.01 0 -0.02\nend\nrepeat forever\nkey 0.5\n place b -0.6 -0.5604 -0.7\n"
             "key 1\nrest a,b\njoint hip3 -1.2\nend\n";
    uint64_t seed = 20;
    motion_case c;
    motion_begin(&c);
    int accepted = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        char text[2 * sizeof good];
        size_t size = sizeof good - 1;
        memcpy(text, good, size);
        for (int n = random_index(&seed, 4); n >= 0; --n) {
            size_t at = (size_t)random_index(&seed, (int)size);
            size_t from = (size_t)random_index(&seed, (int)size);
            size_t room = size - (at > from ? at : from);
            size_t length = (size_t)random_index(&seed, 12);
            length = length < room ? length : room;
            switch (random_index(&seed, 4)) {
            case 0:
                text[at] = (char)random_index(&seed, 256);
                break;
            case 1:
                memmove(text + at, text + from, length);
                break;
            case 2: // shorter
                memmove(text + at, text + at + length, size - at - length);
                size -= length;
                break;
            default: // longer
                if (size + length < sizeof text) {
                    memmove(text + at + length, text + at, size - at);
                    size += length;
                }
            }
        }
        pawl_status status =
            pawl_keyframes_parse(&c.t.env, "m.motion", text, size, c.model, &c.keys);
        CHECK(status == PAWL_OK || status == PAWL_BAD_FILE);
        CHECK((c.keys != NULL) == (status == PAWL_OK));
        accepted += status == PAWL_OK;
        pawl_keyframes_destroy(c.keys);
        c.keys = NULL;
    }
    CHECK(accepted > 20 && accepted < 900);
    motion_end(&c);
}
