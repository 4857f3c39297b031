// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What gait files ask for beyond keys: start poses, servos, steps along a path, level feet, balance; and the ground under a
// robot. Judged by the simulation's own kinematics, not by the inverse kinematics that made them.
#include "math/rotation.h"
#include "model/model.h"
#include "pawl/io.h"
#include "pawl/keyframes.h"
#include "pawl/query.h"
#include "pawl/sim.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define QUADRUPED "models/robots/quadruped.urdf"
#define BIPED "models/robots/biped.urdf"
#define DOG                                                                                        \
    "pawl-motion 1\nbase base\npath 8\nservo *_joint 500 8\nfoot FL FL_foot 0 0 0\n"               \
    "foot FR FR_foot 0 0 0\nfoot RL RL_foot 0 0 0\nfoot RR RR_foot 0 0 0\n"
#define MAN                                                                                        \
    "pawl-motion 1\nbase pelvis\npath 8\nservo * 2500 150\n"                                       \
    "foot left left_foot 0.02 0 -0.07 level\nfoot right right_foot 0.02 0 -0.07 level\n"

typedef struct gait_case {
    test_env t;
    pawl_load_options options;
    char path[256];
    pawl_model *model;
    pawl_state *state;
} gait_case;

static pawl_status gait_load(gait_case *c, const char *robot, const char *motion)
{
    FILE *file = fopen(test_path("gait.motion", c->path, sizeof c->path), "w");
    CHECK(file != NULL && fputs(motion, file) >= 0 && fclose(file) == 0);
    c->options.motion_path = c->path;
    return pawl_model_load(&c->t.env, robot, &c->options, &c->model);
}

static void gait_init(gait_case *c)
{
    test_env_init(&c->t);
    c->options = pawl_load_options_default();
    c->model = NULL;
    c->state = NULL;
}

static void gait_begin(gait_case *c, const char *robot, const char *motion)
{
    gait_init(c);
    CHECK_OK(gait_load(c, robot, motion));
    CHECK_OK(pawl_state_create(&c->t.env, c->model, &c->state));
}

static void gait_end(gait_case *c)
{
    pawl_state_destroy(c->state);
    pawl_model_destroy(c->model);
    CHECK_NO_LEAK(&c->t);
}

// The state with all joints where their actuators' targets have them at a time.
static void gait_pose(gait_case *c, double time)
{
    for (int a = 0; a < pawl_model_actuator_count(c->model); ++a) {
        pawl_actuator_def def = pawl_model_actuator(c->model, pawl_model_actuator_at(c->model, a));
        double q = pawl_signal_value(&def.target, time);
        CHECK_OK(pawl_state_set_joint(c->state, def.joint, &q, NULL));
    }
}

// A foot is a body or, behind a fixed joint, a frame of one.
static pawl_pose gait_seen(const gait_case *c, const char *base, const char *foot)
{
    pawl_pose from = pawl_state_pose(c->state, pawl_model_find_body(c->model, base));
    pawl_frame frame = pawl_model_find_frame(c->model, foot);
    pawl_pose at = frame.name != NULL
                       ? pawl_pose_compose(pawl_state_pose(c->state, frame.body), frame.pose)
                       : pawl_state_pose(c->state, pawl_model_find_body(c->model, foot));
    return pawl_pose_compose(pawl_pose_inverse(from), at);
}

TEST(a_start_pose_is_where_the_simulation_begins)
{
    gait_case c;
    gait_begin(&c, QUADRUPED, DOG "start\n offset all 0 0 0.12\n shift FL 0.05 0 0\nkey 1\n");
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&c.t.env, c.model, &settings, &sim));
    CHECK_OK(pawl_state_copy(c.state, pawl_sim_state(sim)));
    // Straight legs end at hip (0.19, 0.135) and 0.42 below it.
    CHECK_NEAR3(gait_seen(&c, "base", "FL_foot").position, v3(0.24, 0.135, -0.3), 1e-9);
    CHECK_NEAR3(gait_seen(&c, "base", "RR_foot").position, v3(-0.19, -0.135, -0.3), 1e-9);
    gait_pose(&c, 0.0); // and targets begin there
    CHECK_NEAR3(gait_seen(&c, "base", "FL_foot").position, v3(0.24, 0.135, -0.3), 1e-9);
    pawl_sim_destroy(sim);
    gait_end(&c);
}

TEST(a_step_rises_and_other_feet_stay_on_straight_lines)
{
    gait_case c;
    gait_begin(&c, QUADRUPED,
               DOG "start\n offset all 0 0 0.12\nkey 0.5\n travel 0.05 0 0\n"
                   " step FL 0.1 0 0 0.06\nkey 0.5\n rest all\n");
    double highest = -1.0;
    for (int k = 0; k <= 16; ++k) { // at the poses of the path, and between them
        gait_pose(&c, 0.5 * k / 16);
        pawl_vec3 stance = gait_seen(&c, "base", "RL_foot").position;
        pawl_vec3 swing = gait_seen(&c, "base", "FL_foot").position;
        double tolerance = k % 2 == 0 ? 1e-9 : 2e-4;
        CHECK_NEAR(stance.y, 0.135, tolerance);
        CHECK_NEAR(stance.z, -0.3, tolerance);
        highest = fmax(highest, swing.z + 0.3);
        if (k == 16) {
            CHECK_NEAR3(swing, v3(0.24, 0.135, -0.3), 1e-9);
            CHECK_NEAR3(stance, v3(-0.24, 0.135, -0.3), 1e-9);
        }
    }
    CHECK_NEAR(highest, 0.06, 1e-9);
    gait_end(&c);
}

TEST(level_feet_keep_their_orientation_and_turn_when_told)
{
    gait_case c;
    gait_begin(&c, BIPED,
               MAN "start\n offset all 0 0 0.07\nkey 1\n shift left 0.1 0.05 0.02\nkey 1\n"
                   " turn right 0 0.2 0\n");
    for (int k = 0; k <= 8; ++k) {
        gait_pose(&c, k / 8.0);
        pawl_quat foot = gait_seen(&c, "pelvis", "left_foot").orientation;
        CHECK_NEAR(v3_norm(quat_log(foot)), 0.0, 1e-9);
    }
    gait_pose(&c, 2.0);
    CHECK_NEAR3(quat_log(gait_seen(&c, "pelvis", "right_foot").orientation), v3(0, 0.2, 0), 1e-9);
    gait_end(&c);
}

// The centre of mass by the state's own sum over all bodies.
static pawl_vec3 gait_centre(const gait_case *c, const char *base)
{
    pawl_pose from = pawl_state_pose(c->state, pawl_model_find_body(c->model, base));
    return pawl_pose_apply(pawl_pose_inverse(from), pawl_state_centre_of_mass(c->state));
}

TEST(balance_puts_the_centre_of_mass_over_the_feet)
{
    gait_case c;
    gait_begin(&c, BIPED,
               MAN "start\n offset all 0 0 0.07\nkey 1\n balance left\nkey 1\n balance all\n");
    gait_pose(&c, 1.0);
    pawl_vec3 centre = gait_centre(&c, "pelvis");
    pawl_vec3 sole = pawl_pose_apply(gait_seen(&c, "pelvis", "left_foot"), v3(0.02, 0, -0.07));
    CHECK_NEAR(centre.x, sole.x, 1e-9);
    CHECK_NEAR(centre.y, sole.y, 1e-9);
    gait_pose(&c, 2.0);
    centre = gait_centre(&c, "pelvis");
    sole = pawl_pose_apply(gait_seen(&c, "pelvis", "left_foot"), v3(0.02, 0, -0.07));
    pawl_vec3 other = pawl_pose_apply(gait_seen(&c, "pelvis", "right_foot"), v3(0.02, 0, -0.07));
    CHECK_NEAR(centre.x, 0.5 * (sole.x + other.x), 1e-9);
    CHECK_NEAR(centre.y, 0.5 * (sole.y + other.y), 1e-9);
    gait_end(&c);
}

// On a slope the centre is above the feet along gravity: in the base's axes it is uphill by height tan(slope).
TEST(balance_on_a_slope_leans_uphill)
{
    gait_case c;
    gait_init(&c);
    c.options.ground =
        (pawl_ground_option){.put = true, .under = true, .slope = 0.2, .friction = 1};
    CHECK_OK(gait_load(&c, BIPED, MAN "start\n offset all 0 0 0.07\n balance all\nkey 1\n"));
    CHECK_OK(pawl_state_create(&c.t.env, c.model, &c.state));
    gait_pose(&c, 0.0);
    pawl_vec3 centre = gait_centre(&c, "pelvis");
    pawl_vec3 sole = pawl_pose_apply(gait_seen(&c, "pelvis", "left_foot"), v3(0.02, 0, -0.07));
    CHECK_NEAR(centre.x - sole.x, (centre.z - sole.z) * tan(0.2), 1e-9);
    // Both soles are in the plane of the ground, which rises along x.
    pawl_body_id foot = pawl_model_find_body(c.model, "left_foot");
    pawl_vec3 toe = pawl_pose_apply(pawl_state_pose(c.state, foot), v3(0.13, 0, -0.07));
    pawl_vec3 heel = pawl_pose_apply(pawl_state_pose(c.state, foot), v3(-0.09, 0, -0.07));
    CHECK_NEAR((toe.z - heel.z) / (toe.x - heel.x), tan(0.2), 1e-9);
    for (int s = 0; s < pawl_model_shape_count(c.model); ++s) {
        pawl_shape_info shape = pawl_model_shape(c.model, pawl_model_shape_at(c.model, s));
        if (shape.def.kind == PAWL_SHAPE_PLANE) {
            pawl_vec3 n = pawl_quat_rotate(shape.def.frame.orientation, v3(0, 0, 1));
            CHECK_NEAR(v3_dot(n, v3_sub(toe, shape.def.frame.position)), 0.0, 1e-9);
            CHECK_NEAR(n.x, -sin(0.2), 1e-12);
        }
    }
    gait_end(&c);
}

TEST(servos_have_the_gains_of_the_file_and_the_effort_of_the_robot)
{
    gait_case c;
    gait_begin(&c, QUADRUPED,
               "pawl-motion 1\nservo *_calf_joint 300 5\nservo FL_hip_joint 10 1 2\nkey 1\n"
               " joint FL_calf_joint -0.5\n");
    CHECK_INT(pawl_model_actuator_count(c.model), 5);
    for (int a = 0; a < 5; ++a) {
        pawl_actuator_def def = pawl_model_actuator(c.model, pawl_model_actuator_at(c.model, a));
        CHECK_NEAR(def.stiffness, a < 4 ? 300 : 10, 0);
        CHECK_NEAR(def.effort, a < 4 ? 35 : 2, 0);
    }
    gait_end(&c);
}

TEST(gaits_that_balance_repeat_for_ever)
{
    static const char *const names[][2] = {{"quadruped", "crawl"}, {"biped", "walk"},
                                           {"hexapod", "tripod"},  {"quadruped", "stand"},
                                           {"biped", "stand"},     {"hexapod", "stand"}};
    for (int i = 0; i < 6; ++i) {
        gait_case c;
        char robot[64], motion[64];
        snprintf(robot, sizeof robot, "models/robots/%s.urdf", names[i][0]);
        snprintf(motion, sizeof motion, "models/robots/motions/%s-%s.motion", names[i][0],
                 names[i][1]);
        gait_init(&c);
        c.options.motion_path = motion;
        CHECK_OK(pawl_model_load(&c.t.env, robot, &c.options, &c.model));
        pawl_signal target =
            pawl_model_actuator(c.model, pawl_model_actuator_at(c.model, 0)).target;
        CHECK((target.period > 0.0) == (i < 3));
        gait_end(&c);
    }
}

TEST(mistakes_in_gait_files_are_named)
{
    static const char *const cases[][2] = {
        {DOG "key 1\n step FL 0 0 0 0.1\nstart\n", "gait.motion:11: got 'start' after a key"},
        {DOG "start\n step FL 0 0 0 0.1\n", "gait.motion:10: got a step in the start pose"},
        {"pawl-motion 1\nbase base\nservo * 1 1\nfoot a FL_foot 0 0 0\nkey 1\n step a 0 0 0 1\n",
         "gait.motion:6: a step has a path between two keys"},
        {DOG "key 1\n turn FL 0 0 1\n", "gait.motion:10: foot 'FL' has no orientation to turn"},
        {DOG "key 1\n balance FL -1\n", "gait.motion:10: got a margin of -1 m"},
        {DOG "key 1\n balance FL\n balance FR\n", "gait.motion:11: got a second balance"},
        {DOG "path 8\nkey 1\n path 3\n", "gait.motion:11: got a path after the first key"},
        {DOG "path 0.5\n", "gait.motion:9: got path 0.5"},
        {"pawl-motion 1\nservo none 1 1\n", "gait.motion:2: no joint without an actuator"},
        {"pawl-motion 1\nservo FL_foot_joint 1 1\n", "gait.motion:2: joint 'FL_foot_joint' cannot"},
        {"pawl-motion 1\nservo * 1 1\nservo FL_hip_joint 1 1\n", "has an actuator already"},
        {"pawl-motion 1\nservo * -1 1\n", "gait.motion:2: got a negative gain"},
        {"pawl-motion 1\nbase base\nfoot a FL_foot 0 0 0\n", "'servo FL_hip_joint STIFFNESS"},
        {DOG "key 1\n joint FL_hip_joint 1\n", "joint 'FL_hip_joint' is moved by foot 'FL'"},
        {DOG "key 1\n offset all 0 0 -1\n", "gait.motion:10: foot 'FL' cannot reach"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        gait_case c;
        gait_init(&c);
        c.options.keep_fixed = true; // one of the mistakes is a servo at a fixed joint
        CHECK_STATUS(gait_load(&c, QUADRUPED, cases[i][0]), PAWL_BAD_FILE);
        CHECK(c.model == NULL);
        CHECK_MESSAGE(&c.t, cases[i][1]);
        CHECK_NO_LEAK(&c.t);
    }
}

static pawl_status gait_make(const pawl_env *env, void *argument)
{
    gait_case *c = argument;
    pawl_model *model;
    pawl_status status = pawl_model_load(env, BIPED, &c->options, &model);
    pawl_model_destroy(model);
    return status;
}

// Loading asks for memory in thousands of places; every one of the motion's own is among the last.
TEST(a_gait_survives_a_lack_of_memory)
{
    gait_case c;
    gait_begin(&c, BIPED, MAN "start\n offset all 0 0 0.07\n balance all\nkey 1\n balance left\n");
    c.options.ground = (pawl_ground_option){.put = true, .under = true, .friction = 1};
    test_env counted;
    test_env_init(&counted);
    CHECK_OK(gait_make(&counted.env, &c));
    for (int64_t at = 1; at <= counted.calls; at += 1 + counted.calls / 400) {
        test_env t;
        test_env_init(&t);
        t.fail_at = at;
        pawl_status status = gait_make(&t.env, &c);
        CHECK(status == PAWL_NO_MEMORY || status == PAWL_OK);
        CHECK_NO_LEAK(&t);
    }
    gait_end(&c);
}

TEST(a_fixed_base_stays_and_a_floating_one_falls)
{
    for (int fixed = 0; fixed < 2; ++fixed) {
        gait_case c;
        gait_init(&c);
        c.options.fixed_base = fixed == 1;
        CHECK_OK(pawl_model_load(&c.t.env, QUADRUPED, &c.options, &c.model));
        pawl_settings settings = pawl_settings_default();
        pawl_sim *sim;
        CHECK_OK(pawl_sim_create(&c.t.env, c.model, &settings, &sim));
        for (int k = 0; k < 100; ++k) {
            CHECK_OK(pawl_sim_step(sim, NULL));
        }
        double z =
            pawl_state_pose(pawl_sim_state(sim), pawl_model_find_body(c.model, "base")).position.z;
        CHECK_NEAR(z, fixed == 1 ? 0.0 : -0.5 * 9.81 * 0.01, fixed == 1 ? 1e-9 : 6e-4);
        pawl_sim_destroy(sim);
        gait_end(&c);
    }
}
