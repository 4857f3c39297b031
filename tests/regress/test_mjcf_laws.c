// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Laws of joints and tendons from MJCF against closed forms. Found by comparing random models with MuJoCo: a rest length
// below 0 was taken for "the length at the start", one that is not given is that with joints at their springref, sliders of a tendon were up to (c1/c2)^2 times heavier than meant, the
// damper and armature of a ball joint acted on the rate of its rotation vector, and a body in a point between two joints was lost to
// rounding.
#include "pawl/io.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAW_TEXT = 4096 };

static void law_begin(test_env *t, const char *text, const pawl_settings *settings,
                      pawl_model **model, pawl_sim **sim)
{
    test_env_init(t);
    CHECK_OK(pawl_model_parse(&t->env, "law.xml", text, strlen(text), NULL, model));
    CHECK_OK(pawl_sim_create(&t->env, *model, settings, sim));
}

static void law_run(pawl_sim *sim, int steps)
{
    for (int k = 0; k < steps; ++k) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
}

static void law_end(test_env *t, pawl_model *model, pawl_sim *sim)
{
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(t);
}

// Two sliders m1, m2 and a tendon of length s = c1 x1 + c2 x2 with stiffness k and rest L, no gravity:
//   s'' = -k (c1^2/m1 + c2^2/m2) (s - L),   s = L (1 - cos w t),   x_i = (c_i/m_i) s / (c1^2/m1 + c2^2/m2).
TEST(tendons_have_their_rest_length_and_no_mass)
{
    uint64_t seed = 31;
    for (int k = 0; k < 12; ++k) {
        double m[2], c[2], compliance = 0.0;
        for (int i = 0; i < 2; ++i) {
            m[i] = random_in(&seed, 0.5, 5.0);
            c[i] =
                pow(10.0, random_in(&seed, -1.5, 0.5)) * (random_in(&seed, -1.0, 1.0) < 0 ? -1 : 1);
            compliance += c[i] * c[i] / m[i];
        }
        double stiffness = random_in(&seed, 1.0, 3.0) / compliance;
        double rest = random_in(&seed, -0.5, 0.5), end = 1.0,
               springref = k % 2 == 0 ? 0.0 : rest / c[0];
        char text[LAW_TEXT],
            length[64] = ""; // of the tendon, or by the springref of the first slider
        if (k % 2 == 0) {
            snprintf(length, sizeof length, "springlength='%.17g'", rest);
        }
        snprintf(text, sizeof text,
                 "<mujoco><option gravity='0 0 0'/><worldbody>"
                 "<body><joint name='a' type='slide' axis='1 0 0' springref='%.17g'/>"
                 "<geom size='.1' mass='%.17g'/></body>"
                 "<body pos='0 1 0'><joint name='b' type='slide' axis='0 0 1'/>"
                 "<geom size='.1' mass='%.17g'/></body></worldbody><tendon>"
                 "<fixed name='t' stiffness='%.17g' %s><joint joint='a' coef='%.17g'/>"
                 "<joint joint='b' coef='%.17g'/></fixed></tendon></mujoco>",
                 springref, m[0], m[1], stiffness, length, c[0], c[1]);
        test_env t;
        pawl_model *model;
        pawl_sim *sim;
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
        law_begin(&t, text, &settings, &model, &sim);
        law_run(sim, 1000);
        double s = rest * (1.0 - cos(sqrt(stiffness * compliance) * end));
        for (int i = 0; i < 2; ++i) {
            double x, answer = c[i] / m[i] * s / compliance;
            CHECK_OK(
                pawl_state_joint(pawl_sim_state(sim), pawl_model_joint_at(model, i), &x, NULL));
            CHECK_NEAR(x, answer, 5e-6 * fmax(fabs(answer), 0.1));
        }
        law_end(&t, model, sim);
    }
}

// A slide that flies freely from -a to a between the ends of a slack spring, which turn it back in half a period each:
// after 4 a/v + 2 pi sqrt(m/k) it is where it was, as fast as it was.
TEST(a_slack_spring_lets_a_slide_go_between_its_lengths)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_MOREAU, PAWL_STEPPER_LIT,
                                                 PAWL_STEPPER_RATTLE};
    const double m = 2.0, k = 50.0, a = 0.1, v = 0.4, pi = 3.14159265358979323846;
    const double period = 4.0 * a / v + 2.0 * pi * sqrt(m / k);
    for (int i = 0; i < 3; ++i) {
        const char *text =
            "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' "
            "axis='1 0 0'/><geom size='.1' mass='2'/></body></worldbody><tendon><fixed "
            "stiffness='50' springlength='-.1 .1'><joint joint='x' coef='1'/></fixed></tendon>"
            "</mujoco>";
        test_env t;
        pawl_model *model;
        pawl_sim *sim;
        pawl_settings settings = mechanism_settings(period / 2000.0, steppers[i]);
        law_begin(&t, text, &settings, &model, &sim);
        pawl_body_id body = pawl_model_body_at(model, 0);
        const double position[1] = {0.0}, rate[1] = {v};
        CHECK_OK(pawl_state_set_joint(pawl_sim_edit_state(sim), pawl_model_joint_at(model, 0),
                                      position, rate));
        law_run(sim, 2000);
        CHECK_NEAR(pawl_state_pose(pawl_sim_state(sim), body).position.x, 0.0, 2e-5);
        CHECK_NEAR(pawl_state_twist(pawl_sim_state(sim), body).linear.x, v, 2e-5);
        CHECK_NEAR(pawl_state_energy(pawl_sim_state(sim)).balance, 0.0, 1e-5);
        law_end(&t, model, sim);
    }
}

// A servo with the damping ratio 1 pulls a slide in along a path: L = L0 (1 + w t) exp(-w t) with w^2 = kp gear^2/m.
TEST(a_servo_on_a_path_has_its_damping_ratio)
{
    const double m = 3.0, kp = 4.0, gear = 1.7, end = 1.0, w = gear * sqrt(kp / m);
    const char *text =
        "<mujoco><option gravity='0 0 0'/><worldbody><site name='wall'/><body pos='2 0 0'><joint "
        "type='slide' axis='1 0 0'/><geom size='.1' mass='3'/><site name='end'/></body></worldbody>"
        "<tendon><spatial name='t'><site site='wall'/><site site='end'/></spatial></tendon>"
        "<actuator><position tendon='t' kp='4' dampratio='1' gear='1.7'/></actuator></mujoco>";
    test_env t;
    pawl_model *model;
    pawl_sim *sim;
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    law_begin(&t, text, &settings, &model, &sim);
    law_run(sim, 1000);
    double x = pawl_state_pose(pawl_sim_state(sim), pawl_model_body_at(model, 0)).position.x;
    CHECK_NEAR(x, 2.0 * (1.0 + w * end) * exp(-w * end), 5e-6);
    law_end(&t, model, sim);
}

// Forces without a coordinate: a motor at a turned site of a slide, x = F t^2/(2 m); and a direct current motor on it,
// x' = (u/K) (1 - exp(-t K^2/(R m))).
TEST(motors_at_sites_and_direct_current_motors_push_a_slide)
{
    static const char *const actuators[] = {
        "<motor site='s' gear='0 2 0 0 0 0' ctrlrange='3 4'/>",
        "<dcmotor joint='x' motorconst='0.8' resistance='0.5' ctrlrange='3 4'/>"};
    const double m = 2.0, fall = 0.8 * 0.8 / 0.5 / m;
    const double speed[] = {2.0 * 3.0 / m, 3.0 / 0.8 * (1.0 - exp(-fall))}; // after 1 s
    for (int i = 0; i < 2; ++i) {
        char text[LAW_TEXT];
        snprintf(text, sizeof text,
                 "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' "
                 "axis='1 0 0'/><geom size='.1' mass='2'/><site name='s' pos='0 1 0' "
                 "euler='0 0 -90'/></body></worldbody><actuator>%s</actuator></mujoco>",
                 actuators[i]);
        test_env t;
        pawl_model *model;
        pawl_sim *sim;
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
        law_begin(&t, text, &settings, &model, &sim);
        law_run(sim, 1000);
        pawl_body_id body = pawl_model_body_at(model, 0);
        CHECK_NEAR(pawl_state_twist(pawl_sim_state(sim), body).linear.x, speed[i], 1e-6);
        law_end(&t, model, sim);
    }
}

// A ball of inertia I in its ball joint with damping d and armature a, at any attitude: the spin decays as
// exp(-d t/(I + a)) and keeps its axis.
TEST(the_damper_and_armature_of_a_ball_joint_are_the_same_about_all_axes)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_MOREAU, PAWL_STEPPER_LIT};
    uint64_t seed = 32;
    for (int k = 0; k < 8; ++k) {
        double inertia = random_in(&seed, 0.05, 0.2), damping = random_in(&seed, 0.1, 0.4);
        double armature = k < 4 ? 0.0 : random_in(&seed, 0.05, 0.2);
        char text[LAW_TEXT];
        snprintf(
            text, sizeof text,
            "<mujoco><option gravity='0 0 0'/><worldbody><body pos='1 2 3'>"
            "<joint type='ball' damping='%.17g' armature='%.17g'/><inertial pos='0 0 0' mass='1' "
            "diaginertia='%.17g %.17g %.17g'/></body></worldbody></mujoco>",
            damping, armature, inertia, inertia, inertia);
        test_env t;
        pawl_model *model;
        pawl_sim *sim;
        pawl_settings settings = mechanism_settings(1e-3, steppers[k % 2]);
        settings.formulation = k % 4 < 2 ? PAWL_FORMULATION_MAXIMAL : PAWL_FORMULATION_REDUCED;
        law_begin(&t, text, &settings, &model, &sim);
        pawl_state *s = pawl_sim_edit_state(sim);
        pawl_body_id body = pawl_model_body_at(model, 0);
        double half = random_in(&seed, 0.5, 1.2); // of a turn about x by up to 2.4 rad
        pawl_pose pose = pawl_state_pose(s, body);
        pose.orientation = (pawl_quat){cos(half), sin(half), 0.0, 0.0};
        pawl_twist twist = {.angular = {0.1, random_in(&seed, 0.5, 1.5), random_in(&seed, -1, 1)}};
        CHECK_OK(pawl_state_set_pose(s, body, pose));
        CHECK_OK(pawl_state_set_twist(s, body, twist));
        law_run(sim, 500);
        pawl_vec3 w = pawl_state_twist(pawl_sim_state(sim), body).angular;
        double decay = exp(-0.5 * damping / (inertia + armature));
        CHECK_NEAR(w.x, decay * twist.angular.x, 1e-5);
        CHECK_NEAR(w.y, decay * twist.angular.y, 1e-5);
        CHECK_NEAR(w.z, decay * twist.angular.z, 1e-5);
        law_end(&t, model, sim);
    }
}

// A point mass on a hinge and a slider, both joints of one body: an arm without mass. Angular momentum about the hinge and
// energy are kept, and every step is solved.
TEST(a_mass_in_a_point_on_two_joints_keeps_its_energy)
{
    uint64_t seed = 33;
    for (int k = 0; k < 6; ++k) {
        char text[LAW_TEXT];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body><inertial pos='1 0 0' mass='1' diaginertia='%g %g %g'/>"
                 "<joint axis='0 -1 0'/><joint type='slide' axis='1 0 0' springref='-.5' "
                 "stiffness='%.17g' armature='%.17g'/></body></worldbody></mujoco>",
                 1e-8, 1e-8, 1e-8, random_in(&seed, 50.0, 100.0), k < 3 ? 5.0 : 0.5);
        test_env t;
        pawl_model *model;
        pawl_sim *sim;
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
        law_begin(&t, text, &settings, &model, &sim);
        double residual = 0.0;
        for (int i = 0; i < 300; ++i) {
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(sim, &report));
            residual = fmax(residual, report.residual.natural_scaled);
        }
        CHECK(residual < 1e-8);
        CHECK(fabs(pawl_state_energy(pawl_sim_state(sim)).balance) < 1e-2);
        law_end(&t, model, sim);
    }
}

// Several joints to a body and a tendon over three sites: auxiliary bodies many millions of times lighter than others, and
// gears, for which factors are shifted. Newton's method of the position update gave up there, and the step lost energy in
// proportion to its length.
static const char light_bodies[] =
    "<mujoco><default><geom contype='0' conaffinity='0' type='box'/></default><worldbody>"
    "<body pos='0.279 -0.293 0.142' euler='87.541 -86.961 68.308'>"
    "<joint axis='-0.324 0.416 -0.439' pos='-0.054 0.072 0.075'/>"
    "<geom size='0.199 0.124 0.192' pos='-0.072 -0.066 0.088' mass='3.624'/>"
    "<body pos='-0.209 0.213 0.235' euler='-76.754 40.600 75.871'>"
    "<joint axis='-0.529 -0.378 0.650' pos='0.081 -0.033 -0.012' stiffness='26.147' ref='19.288'/>"
    "<joint axis='-0.099 -0.881 -0.490' pos='0.013 0.074 -0.000' ref='8.864'/>"
    "<geom size='0.190 0.095 0.117' pos='-0.094 -0.014 0.074' mass='4.479'/>"
    "<body pos='0.245 -0.298 -0.149' euler='2.263 -31.522 -46.110'>"
    "<joint axis='-0.320 -0.882 -0.656' pos='0.046 -0.078 0.067'/>"
    "<joint axis='-0.800 0.694 0.417' pos='-0.068 -0.061 0.009'/>"
    "<site name='s3' pos='0.168 -0.016 0.042'/>"
    "<geom size='0.194 0.054 0.101' pos='-0.029 -0.063 -0.007' mass='2.959'/></body>"
    "<body pos='0.088 -0.177 0.106' euler='39.867 6.356 69.228'>"
    "<joint type='slide' axis='-0.164 -0.160 0.754' stiffness='46.467' springref='-0.152'/>"
    "<site name='s4' pos='0.160 -0.132 0.068'/>"
    "<geom size='0.142 0.119 0.055' pos='-0.007 0.058 -0.022' mass='2.086'/></body>"
    "</body><body pos='-0.200 0.272 -0.030' euler='85.067 12.805 3.577'>"
    "<joint axis='0.391 0.365 -0.353' pos='-0.010 -0.065 0.073' ref='-20.765'/>"
    "<joint axis='0.310 0.585 -0.210' pos='0.023 0.063 0.040' stiffness='39.364'/>"
    "<joint axis='0.548 -0.007 0.918' pos='0.014 0.065 -0.064'/>"
    "<geom size='0.141 0.145 0.196' pos='-0.077 0.020 -0.048' mass='0.291'/>"
    "<body pos='0.012 0.054 0.052' euler='-25.013 28.077 77.637'>"
    "<joint type='slide' axis='0.393 0.343 -0.665' stiffness='45.611' springref='0.264'/>"
    "<geom size='0.051 0.116 0.193' pos='-0.071 -0.066 0.024' mass='3.987'/>"
    "<body pos='0.209 0.094 -0.003' euler='53.763 -56.974 77.497'>"
    "<joint type='slide' axis='0.937 0.035 -0.976' stiffness='5.489' springref='-0.091'/>"
    "<site name='s7' pos='-0.081 0.073 -0.104'/>"
    "<geom size='0.094 0.192 0.135' pos='-0.096 0.003 0.080' mass='0.286'/></body>"
    "<body pos='0.175 -0.044 -0.011' euler='26.485 35.299 51.743'>"
    "<joint type='slide' axis='0.193 -0.668 -0.519' stiffness='45.540' springref='-0.226'/>"
    "<joint axis='-0.135 -0.563 0.653' pos='-0.060 0.010 -0.017'/>"
    "<joint axis='0.906 0.417 -0.225' pos='0.058 -0.096 -0.001' stiffness='14.569'/>"
    "<geom size='0.083 0.105 0.149' pos='-0.019 0.027 -0.049' mass='4.848'/></body>"
    "</body></body></body></worldbody><tendon><spatial name='s' stiffness='10.994'>"
    "<site site='s4'/><site site='s7'/><site site='s3'/></spatial></tendon></mujoco>";

TEST(light_bodies_between_joints_and_in_tendons_cost_no_order)
{
    double balance[2];
    for (int k = 0; k < 2; ++k) {
        test_env t;
        pawl_model *model;
        pawl_sim *sim;
        pawl_settings settings = mechanism_settings(k == 0 ? 2e-3 : 1e-3, PAWL_STEPPER_MOREAU);
        law_begin(&t, light_bodies, &settings, &model, &sim);
        law_run(sim, k == 0 ? 100 : 200);
        balance[k] = fabs(pawl_state_energy(pawl_sim_state(sim)).balance);
        law_end(&t, model, sim);
    }
    CHECK(balance[1] < 1e-3 && balance[1] < 0.35 * balance[0]);
}

// A hinge with masses m_i at distances x_i along the horizontal, each with a gravcomp c_i of its own, the outer ones welded
// to the inner one: from rest the acceleration is sum m_i (1 - c_i) g x_i / (sum m_i x_i^2 + I_i).
TEST(every_body_of_a_weld_has_its_own_gravcomp)
{
    const double comp[][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0.5, 0.25, 2}, {1, 1, 1}};
    const double mass[3] = {2.0, 0.7, 1.3}, at[3] = {0.2, 0.5, 0.9}, own = 1e-3;
    for (size_t k = 0; k < sizeof comp / sizeof *comp; ++k) {
        char text[LAW_TEXT];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body name='a' gravcomp='%g'><joint name='j' axis='0 1 0'/>"
                 "<inertial pos='0.2 0 0' mass='2' diaginertia='1e-3 1e-3 1e-3'/>"
                 "<body name='b' pos='0.5 0 0' euler='90 0 0' gravcomp='%g'>"
                 "<inertial pos='0 0 0' mass='0.7' diaginertia='1e-3 1e-3 1e-3'/>"
                 "<body name='c' pos='0.3 0 0' gravcomp='%g'><inertial pos='0.1 0 0' mass='1.3' "
                 "diaginertia='1e-3 1e-3 1e-3'/></body></body></body></worldbody></mujoco>",
                 comp[k][0], comp[k][1], comp[k][2]);
        double torque = 0.0, inertia = 3.0 * own;
        for (int i = 0; i < 3; ++i) {
            torque += mass[i] * (1.0 - comp[k][i]) * 9.81 * at[i];
            inertia += mass[i] * at[i] * at[i];
        }
        pawl_settings settings = pawl_settings_default();
        settings.dt = 1e-5;
        test_env t;
        pawl_model *model;
        pawl_sim *sim;
        law_begin(&t, text, &settings, &model, &sim);
        law_run(sim, 1);
        double q, rate;
        pawl_state_joint(pawl_sim_state(sim), pawl_model_find_joint(model, "j"), &q, &rate);
        CHECK_NEAR(rate / settings.dt, torque / inertia, 1e-6);
        law_end(&t, model, sim);
    }
}
