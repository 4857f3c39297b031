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
