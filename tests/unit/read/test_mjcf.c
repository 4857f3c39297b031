// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// MJCF: what the elements become. Expected answers are closed forms, MuJoCo's documented rules by brute force, and
// conservation; test_mujoco_files.py holds masses and frames against MuJoCo itself.
#include "pawl/io.h"
#include "pawl/query.h"
#include "pawl/sim.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static pawl_model *mjcf_load(test_env *t, const char *text)
{
    pawl_model *model;
    test_env_init(t);
    CHECK_OK(pawl_model_parse(&t->env, "m.xml", text, strlen(text), NULL, &model));
    return model;
}

static void mjcf_refused(const char *text, pawl_status status, const char *said)
{
    test_env t;
    pawl_model *model;
    test_env_init(&t);
    CHECK_STATUS(pawl_model_parse(&t.env, "m.xml", text, strlen(text), NULL, &model), status);
    CHECK(model == NULL);
    CHECK_MESSAGE(&t, said);
    CHECK_NO_LEAK(&t);
}

#define BODY(content)                                                                              \
    "<mujoco><worldbody><body name='b'>" content "<geom size='.1'/></body></worldbody></mujoco>"

// A ball of radius 0.1 and water's density weighs 4000/3 pi 0.001 kg. Degrees are read as such, ref counts.
TEST(joints_have_their_numbers_in_si_units_and_read_as_in_mujoco)
{
    test_env t;
    pawl_model *m = mjcf_load(&t, BODY("<joint name='h' axis='0 2 0' range='-90 45' ref='30' "
                                       "stiffness='3' springref='60' damping='2' armature='.5' "
                                       "frictionloss='.25'/>"));
    pawl_joint_info j = pawl_model_joint(m, pawl_model_find_joint(m, "h"));
    const double degree = 3.14159265358979323846 / 180.0;
    CHECK_INT(j.kind, PAWL_JOINT_REVOLUTE);
    CHECK_NEAR(j.coordinate[0].lower, -90 * degree, 1e-15);
    CHECK_NEAR(j.coordinate[0].upper, 45 * degree, 1e-15);
    CHECK_NEAR(j.coordinate[0].rest, 60 * degree, 1e-15);
    CHECK_NEAR(j.coordinate[0].stiffness, 3.0, 0.0);
    CHECK_NEAR(j.coordinate[0].damping, 2.0, 0.0);
    CHECK_NEAR(j.coordinate[0].armature, 0.5, 0.0);
    CHECK_NEAR(j.coordinate[0].friction, 0.25, 0.0);
    CHECK_NEAR(pawl_model_mass(m), 4000.0 / 3.0 * 3.14159265358979323846 * 1e-3, 1e-12);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// MuJoCo 4: without `limited`, a range that does not rise is none.
TEST(a_range_that_does_not_rise_is_none)
{
    test_env t;
    pawl_model *m = mjcf_load(&t, BODY("<joint name='h' range='0 0'/><joint name='k' range='5 -5'/>"
                                       "<joint name='l' range='-5 5'/>"));
    const char *const names[] = {"h", "k", "l"};
    for (int i = 0; i < 3; ++i) {
        pawl_joint_info j = pawl_model_joint(m, pawl_model_find_joint(m, names[i]));
        CHECK(isfinite(j.coordinate[0].lower) == (i == 2));
    }
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// Two sliders at right angles and a hinge make a body that moves in a plane: it falls as a free body does.
TEST(a_body_with_several_joints_falls_freely)
{
    test_env t;
    pawl_model *m =
        mjcf_load(&t, BODY("<joint name='x' type='slide' axis='1 0 0'/><joint name='z' "
                           "type='slide' axis='0 0 1'/><joint name='r' axis='0 1 0'/>"));
    CHECK_INT(pawl_model_body_count(m), 3);
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, m, &settings, &sim));
    for (int i = 0; i < 500; ++i) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    pawl_vec3 v = pawl_state_twist(pawl_sim_state(sim), pawl_model_find_body(m, "b")).linear;
    // the auxiliary bodies have no weight and 2e-6 of the mass
    CHECK_NEAR(v.z, -9.81 * 0.5, 2e-5);
    CHECK_NEAR(v.x, 0.0, 1e-9);
    pawl_sim_destroy(sim);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// MuJoCo: two geoms touch if the type of one has a bit of the affinity of the other.
TEST(geoms_touch_by_type_and_affinity_either_way_round)
{
    uint64_t seed = 5;
    for (int round = 0; round < 60; ++round) {
        int bits[4];
        char text[1024];
        for (int i = 0; i < 4; ++i) {
            bits[i] = random_index(&seed, 4);
        }
        snprintf(text, sizeof text,
                 "<mujoco><option gravity='0 0 0'/><worldbody>"
                 "<body><freejoint/><geom size='1' contype='%d' conaffinity='%d'/></body>"
                 "<body pos='1.9 0 0'><freejoint/><geom size='1' contype='%d' conaffinity='%d'/>"
                 "</body></worldbody></mujoco>",
                 bits[0], bits[1], bits[2], bits[3]);
        test_env t;
        pawl_model *m = mjcf_load(&t, text);
        pawl_settings settings = pawl_settings_default();
        pawl_sim *sim;
        CHECK_OK(pawl_sim_create(&t.env, m, &settings, &sim));
        CHECK_OK(pawl_sim_step(sim, NULL));
        bool touch = (bits[0] & bits[3]) != 0 || (bits[2] & bits[1]) != 0;
        CHECK_INT(pawl_sim_contact_count(sim) > 0, touch);
        pawl_sim_destroy(sim);
        pawl_model_destroy(m);
        CHECK_NO_LEAK(&t);
    }
}

// Two sliders pulled down without limits of their own: the tendon z1 - 2 z2 may not exceed 0.3 m, z2 is held.
TEST(the_limit_of_a_fixed_tendon_holds_the_combination)
{
    test_env t;
    pawl_model *m = mjcf_load(
        &t, "<mujoco><worldbody>"
            "<body name='a'><joint name='a' type='slide' axis='0 0 -1'/><geom size='.1'/></body>"
            "<body name='b' pos='1 0 0'><joint name='b' type='slide' axis='0 0 1' range='-.1 1'/>"
            "<geom size='.1'/></body></worldbody><tendon><fixed name='t' range='-10 .3'>"
            "<joint joint='a' coef='1'/><joint joint='b' coef='-2'/></fixed></tendon></mujoco>");
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, m, &settings, &sim));
    for (int i = 0; i < 3000; ++i) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    const pawl_state *s = pawl_sim_state(sim);
    double z1 = -pawl_state_pose(s, pawl_model_find_body(m, "a")).position.z;
    double z2 = pawl_state_pose(s, pawl_model_find_body(m, "b")).position.z;
    CHECK(z1 - 2.0 * z2 < 0.3 + 1e-4); // the limit, and by how much limits are held
    CHECK(z2 > -0.1 - 1e-4);
    CHECK(z1 - 2.0 * z2 > 0.3 - 1e-3); // it hangs on the tendon
    pawl_sim_destroy(sim);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// A loop of connect: the point of the second body stays where it was.
TEST(a_connect_is_a_ball_joint)
{
    test_env t;
    pawl_model *m = mjcf_load(
        &t,
        "<mujoco><worldbody><body name='b' pos='1 0 0'><freejoint/><geom type='box' size='.1 .1 "
        ".1'/>"
        "</body></worldbody><equality><connect body1='b' anchor='-1 0 0'/></equality></mujoco>");
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, m, &settings, &sim));
    for (int i = 0; i < 300; ++i) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    pawl_pose p = pawl_state_pose(pawl_sim_state(sim), pawl_model_find_body(m, "b"));
    CHECK_NEAR3(pawl_pose_apply(p, (pawl_vec3){-1.0, 0.0, 0.0}), ((pawl_vec3){0, 0, 0}), 1e-8);
    CHECK(p.position.z < -0.3); // a pendulum of 1 m after 0.3 s: g t^2 / 2 = 0.44 m
    pawl_sim_destroy(sim);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

TEST(a_key_is_a_start)
{
    static const char text[] = "<mujoco><worldbody><body name='b'><joint name='h' axis='0 1 "
                               "0'/><geom size='.1' pos='1 0 0'/>"
                               "</body></worldbody><keyframe><key name='up' "
                               "qpos='-1.5707963267948966'/></keyframe></mujoco>";
    test_env t;
    pawl_model *m;
    pawl_state *s;
    pawl_load_options options = pawl_load_options_default();
    test_env_init(&t);
    options.start_key = "up";
    CHECK_OK(pawl_model_parse(&t.env, "m.xml", text, sizeof text - 1, &options, &m));
    CHECK_OK(pawl_state_create(&t.env, m, &s));
    pawl_pose p = pawl_state_pose(s, pawl_model_find_body(m, "b"));
    CHECK_NEAR3(pawl_pose_apply(p, (pawl_vec3){1.0, 0.0, 0.0}), ((pawl_vec3){0, 0, 1}), 1e-12);
    pawl_state_destroy(s);
    pawl_model_destroy(m);
    options.start_key = "down";
    CHECK_STATUS(pawl_model_parse(&t.env, "m.xml", text, sizeof text - 1, &options, &m),
                 PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "'down'");
    CHECK_NO_LEAK(&t);
}

TEST(what_cannot_be_kept_is_refused_with_its_line)
{
    mjcf_refused(BODY("<composite type='cable'/>"), PAWL_UNSUPPORTED, "m.xml:1: <composite>");
    mjcf_refused("<mujoco>\n<compiler coordinate='polar'/></mujoco>", PAWL_BAD_FILE, "m.xml:2:");
    mjcf_refused(BODY("<joint type='hing'/>"), PAWL_BAD_FILE,
                 "expected free, ball, slide or hinge");
    mjcf_refused(BODY("<geom type='mesh' mesh='none'/>"), PAWL_BAD_FILE,
                 "no mesh is called 'none'");
    mjcf_refused(BODY("<joint/><geom class='x'/>"), PAWL_BAD_FILE,
                 "no default class is called 'x'");
    mjcf_refused("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", PAWL_BAD_FILE,
                 "can move but has no mass");
    mjcf_refused("<mujoco><worldbody><replicate count='1e9'/></worldbody></mujoco>", PAWL_BAD_FILE,
                 "count: got 1e+09");
    mjcf_refused("<mujoco><worldbody><replicate count='1e3'><replicate count='1e3'><replicate "
                 "count='1e3'><body/></replicate></replicate></replicate></worldbody></mujoco>",
                 PAWL_BAD_FILE, "<replicate> makes more than 2000000 copies");
}

// The same pendulum with a bob, its places in the world and in its parents.
TEST(global_coordinates_are_those_of_the_world)
{
    static const char local[] =
        "<mujoco><worldbody><body name='a' pos='0 0 2' euler='0 90 0'><joint name='h' pos='.1 0 0' "
        "axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .5 0 0' size='.05'/><body name='b' "
        "pos='.5 .1 0'><joint name='s' type='slide' axis='0 0 1'/><geom size='.1' pos='.2 0 0'/>"
        "</body></body></worldbody></mujoco>";
    static const char global[] =
        "<mujoco><compiler coordinate='global'/><worldbody><body name='a' pos='0 0 2' euler='0 90 "
        "0'><joint name='h' pos='0 0 1.9' axis='0 1 0'/><geom type='capsule' fromto='0 0 2 0 0 "
        "1.5' "
        "size='.05'/><body name='b' pos='0 .1 1.5' euler='0 90 0'><joint name='s' type='slide' "
        "axis='1 0 0'/><geom size='.1' pos='0 .1 1.3'/></body></body></worldbody></mujoco>";
    test_env t, u;
    pawl_model *m = mjcf_load(&t, local), *n = mjcf_load(&u, global);
    CHECK_INT(pawl_model_joint_count(m), pawl_model_joint_count(n));
    for (int i = 0; i < pawl_model_body_count(m); ++i) {
        pawl_body_info a = pawl_model_body(m, pawl_model_body_at(m, i));
        pawl_body_info b = pawl_model_body(n, pawl_model_body_at(n, i));
        CHECK_NEAR3(a.com, b.com, 1e-12);
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(a.inertia[k], b.inertia[k], 1e-12);
        }
    }
    for (int i = 0; i < pawl_model_joint_count(m); ++i) {
        pawl_joint_info a = pawl_model_joint(m, pawl_model_joint_at(m, i));
        pawl_joint_info b = pawl_model_joint(n, pawl_model_joint_at(n, i));
        CHECK_NEAR3(a.base_frame.position, b.base_frame.position, 1e-12);
        CHECK_NEAR3(a.follower_frame.position, b.follower_frame.position, 1e-12);
        CHECK_NEAR3(pawl_quat_rotate(a.base_frame.orientation, (pawl_vec3){1, 0, 0}),
                    pawl_quat_rotate(b.base_frame.orientation, (pawl_vec3){1, 0, 0}), 1e-12);
    }
    pawl_model_destroy(m);
    pawl_model_destroy(n);
    CHECK_NO_LEAK(&t);
    CHECK_NO_LEAK(&u);
}

// q1 = c0 + c1 (q2 - r) + c2 (q2 - r)^2 + ... at the start and after it moved for a while.
TEST(couplings_by_polynomials_hold)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='a' type='slide' "
        "axis='1 0 0' ref='.05'/><geom size='.1'/></body><body name='b' pos='0 1 0'><joint "
        "name='b' "
        "axis='0 1 0' ref='.2' pos='.3 0 0'/><geom size='.1'/></body></worldbody><equality><joint "
        "joint1='a' joint2='b' polycoef='0 .4 -.3 .2 .1'/></equality></mujoco>";
    test_env t;
    pawl_model *m = mjcf_load(&t, text);
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, m, &settings, &sim));
    for (int k = 0; k < 500; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
    }
    double a, b;
    CHECK_OK(pawl_state_joint(pawl_sim_state(sim), pawl_model_find_joint(m, "a"), &a, NULL));
    CHECK_OK(pawl_state_joint(pawl_sim_state(sim), pawl_model_find_joint(m, "b"), &b, NULL));
    double x = b - 0.2;
    CHECK(fabs(x) > 0.1);
    CHECK_NEAR(a - 0.05, x * (0.4 + x * (-0.3 + x * (0.2 + x * 0.1))), 1e-9);
    pawl_sim_destroy(sim);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// A ball on a string around a peg, pulled taut by gravity: the string keeps its length of 1 m as far as the limit says,
// measured by hand: straight from the anchor to the peg, the arc, straight to the ball.
TEST(a_string_around_a_peg_keeps_its_length)
{
    static const char text[] =
        "<mujoco><worldbody><site name='top' pos='0 0 1'/><geom name='peg' type='cylinder' "
        "size='.1 1' "
        "pos='0 0 .5' euler='90 0 0' contype='0' conaffinity='0'/><body name='ball' pos='.3 0 .3'>"
        "<joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 "
        "1'/><geom "
        "size='.03' contype='0' conaffinity='0'/><site name='end'/></body></worldbody><tendon>"
        "<spatial name='string' limited='true' range='0 1'><site site='top'/><geom "
        "geom='peg'/><site "
        "site='end'/></spatial></tendon></mujoco>";
    test_env t;
    pawl_model *m = mjcf_load(&t, text);
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, m, &settings, &sim));
    double longest = 0.0, wrapped = 0.0;
    for (int k = 0; k < 3000; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
        pawl_vec3 p =
            pawl_state_pose(pawl_sim_state(sim), pawl_model_find_body(m, "ball")).position;
        double z = p.z - 0.5, far = sqrt(p.x * p.x + z * z);
        double length = sqrt(p.x * p.x + (p.z - 1.0) * (p.z - 1.0));
        // the angle between both ends, seen from the centre, beyond what the tangents take
        double arc =
            acos(fmax(-1.0, fmin(1.0, z / far))) - acos(0.1 / 0.5) - acos(fmin(1.0, 0.1 / far));
        if (arc > 0.0) {
            length = sqrt(0.25 - 0.01) + 0.1 * arc + sqrt(far * far - 0.01);
            wrapped = fmax(wrapped, arc);
        }
        longest = fmax(longest, length);
    }
    CHECK(wrapped > 0.05);
    CHECK(longest > 0.999);
    CHECK_NEAR(longest, 1.0, 1e-4);
    pawl_sim_destroy(sim);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// A box falls through a medium until its drag is its weight: v = sqrt(2 m g / (rho A)).
TEST(a_medium_brakes_what_falls)
{
    static const char text[] =
        "<mujoco><option density='50'/><worldbody><body name='b'><freejoint/><geom type='box' "
        "size='.1 .2 .3' density='400'/></body></worldbody></mujoco>";
    test_env t;
    pawl_model *m = mjcf_load(&t, text);
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, m, &settings, &sim));
    for (int k = 0; k < 10000; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
    }
    double v = pawl_state_twist(pawl_sim_state(sim), pawl_model_find_body(m, "b")).linear.z;
    double area = 0.2 * 0.4, mass = 400.0 * area * 0.6;
    CHECK_NEAR(v, -sqrt(2.0 * mass * 9.81 / (50.0 * area)), 0.02);
    pawl_sim_destroy(sim);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// In a viscous wind a light ball without gravity is carried along at the wind's speed.
TEST(a_viscous_wind_carries_what_floats)
{
    static const char text[] =
        "<mujoco><option viscosity='5' wind='2 -1 0' gravity='0 0 0'/><worldbody><body name='b'>"
        "<freejoint/><geom size='.1' density='10'/></body></worldbody></mujoco>";
    test_env t;
    pawl_model *m = mjcf_load(&t, text);
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, m, &settings, &sim));
    for (int k = 0; k < 200; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
    }
    pawl_vec3 wind = {2.0, -1.0, 0.0};
    CHECK_NEAR3(pawl_state_twist(pawl_sim_state(sim), pawl_model_find_body(m, "b")).linear, wind,
                1e-6);
    pawl_sim_destroy(sim);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// A crank of 0.3 m drives a slider by a rod of 0.5 m: at the angle a the slider is at x with
// (0.3 cos a - x)^2 + (0.3 sin a)^2 = 0.25. A stiff servo on the slider brings the crank to where it asks for.
TEST(a_slider_crank_brings_its_slider_to_the_target)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><site name='rail' "
        "zaxis='1 0 0'/><body name='c'><joint name='c' axis='0 1 0' damping='1'/><geom "
        "type='capsule' "
        "fromto='0 0 0 .3 0 0' size='.02'/><site name='pin' pos='.3 0 0'/></body></worldbody>"
        "<actuator><general name='s' cranksite='pin' slidersite='rail' cranklength='.5' "
        "biastype='affine' gainprm='0' biasprm='-800 -2000 -50'/></actuator></mujoco>";
    test_env t;
    pawl_model *m = mjcf_load(&t, text);
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, m, &settings, &sim));
    pawl_state *state = NULL;
    CHECK_OK(pawl_state_create(&t.env, m, &state));
    double start = 0.4, a;
    CHECK_OK(pawl_state_set_joint(state, pawl_model_find_joint(m, "c"), &start, NULL));
    CHECK_OK(pawl_sim_set_state(sim, state));
    for (int k = 0; k < 4000; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
    }
    CHECK_OK(pawl_state_joint(pawl_sim_state(sim), pawl_model_find_joint(m, "c"), &a, NULL));
    double x = 0.3 * cos(a) - sqrt(0.25 - 0.09 * sin(a) * sin(a)); // the servo asks for -0.4
    CHECK_NEAR(x, -0.4, 1e-3);
    pawl_state_destroy(state);
    pawl_sim_destroy(sim);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// MuJoCo's: a tendon from a site of the world to one in a <replicate> is there for each copy, with its suffix.
TEST(what_refers_into_and_out_of_a_replicate_is_there_for_each_copy)
{
    test_env t;
    pawl_model *m = mjcf_load(
        &t, "<mujoco><worldbody><site name='a'/><replicate offset='0 .1 0' count='3'>"
            "<body pos='1 0 1'><joint axis='0 -1 0'/><geom size='.1'/><site name='b' pos='0 0 -1'/>"
            "</body></replicate></worldbody><tendon><spatial name='rope' range='0 9'>"
            "<site site='a'/><site site='b'/></spatial></tendon></mujoco>");
    CHECK_INT(pawl_model_joint_count(m), 6); // hinges and tendons
    CHECK(pawl_model_find_joint(m, "rope").index1 == 0);
    for (int i = 0; i < 3; ++i) {
        char name[] = "rope0";
        name[4] = (char)('0' + i);
        CHECK(pawl_model_find_joint(m, name).index1 != 0);
    }
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// A weight on a slider without a range below a hook: the tendon's limits are those of the muscle, and of a hinge with a range
// those that come first. A length that nothing bounds is refused where the file says it.
TEST(limits_of_a_tendon_bound_the_length_of_its_muscle)
{
#define HUNG(joint, tendon)                                                                        \
    "<mujoco><worldbody><site name='hook'/><body pos='0 0 -.1'>" joint                             \
    "<geom size='.01'/><site name='load'/></body></worldbody><tendon>"                             \
    "<spatial name='t' " tendon "><site site='hook'/><site site='load'/></spatial></tendon>"       \
    "<actuator><muscle tendon='t' ctrlrange='0 1'/></actuator></mujoco>"
    static const struct {
        const char *text;
        double length[2];
    } cases[] = {
        {HUNG("<joint type='slide'/>", "range='.075 .105'"), {0.075, 0.105}},
        {HUNG("<joint type='slide' range='-.02 .04'/>", "range='.075 .105'"), {0.075, 0.105}},
        {HUNG("<joint type='slide' range='-.02 .01'/>", "range='.075 .105'"), {0.09, 0.105}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_env t;
        pawl_model *m = mjcf_load(&t, cases[i].text);
        pawl_actuator_def a = pawl_model_actuator(m, pawl_model_actuator_at(m, 0));
        CHECK_NEAR(a.muscle.length[0], cases[i].length[0], 1e-9);
        CHECK_NEAR(a.muscle.length[1], cases[i].length[1], 1e-9);
        pawl_model_destroy(m);
        CHECK_NO_LEAK(&t);
    }
    mjcf_refused(HUNG("<joint type='slide'/>", ""), PAWL_BAD_FILE, "m.xml:1: the length of the");
}
