// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Loops under nmdp: overconstrained mechanisms against lit in maximal coordinates, from files with all and with few
// digits, the derivative with multipliers against differences, springs of joints that have no column, and a robot with a
// parallel linkage in each leg that stands and walks.
#include "pawl/io.h"
#include "step/nmdp/nmdp.h"
#include "support/linkage_motion.h"
#include "support/linkage_zoo.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pawl_settings loops_settings(pawl_stepper_kind stepper, double dt)
{
    return mechanism_settings(dt, stepper);
}

// lit is of second order and in other coordinates; nmdp is of first order, so that its distance from lit at a fine step
// halves with the step. Loops are closed to rounding at every step.
TEST(mechanisms_with_loops_converge_to_those_of_maximal_coordinates)
{
    const char *const names[] = {"four-bar", "bricard", "bennett", "stewart"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        linkage l;
        CHECK(zoo_find(&l, names[i]));
        pawl_settings fine = loops_settings(PAWL_STEPPER_LIT, 5e-4);
        linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &fine, 0.4, 0.02);
        CHECK_OK(exact.status);
        double distance[2];
        for (int k = 0; k < 2; ++k) {
            pawl_settings settings = loops_settings(PAWL_STEPPER_NMDP, k == 0 ? 2e-3 : 1e-3);
            linkage_motion m = linkage_run(&l, LINKAGE_EXACT, &settings, 0.4, 0.02);
            CHECK_OK(m.status);
            CHECK(m.verdict.closure.position < 1e-11 && m.verdict.closure.rotation < 1e-11);
            distance[k] = linkage_distance(&m, &exact, m.samples - 1);
            linkage_motion_end(&m);
        }
        print_message("%s: %.2e m at 2 ms, %.2e m at 1 ms\n", names[i], distance[0], distance[1]);
        CHECK(distance[0] > 1.8 * distance[1] && distance[0] < 2.2 * distance[1]);
        linkage_motion_end(&exact);
    }
}

// The rows that an exact mechanism has twice are independent by rounding where its file has few digits. They must not
// hold it: it moves as the exact one does, but for the digits and what they do over the time.
TEST(few_digits_do_not_hold_a_mechanism)
{
    const char *const names[] = {"four-bar", "bricard", "bennett"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        linkage l;
        CHECK(zoo_find(&l, names[i]));
        pawl_settings settings = loops_settings(PAWL_STEPPER_NMDP, 2e-3);
        linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, 0.4, 0.02);
        for (int digits = 5; digits <= 9; digits += 2) {
            linkage_motion m = linkage_run(&l, digits, &settings, 0.4, 0.02);
            CHECK_OK(m.status);
            CHECK(!linkage_frozen(&m, &exact) && !linkage_exploded(&m, &exact));
            double distance = linkage_distance(&m, &exact, m.samples - 1);
            print_message("%s, %d digits: %.1e m, closure %.1e m\n", names[i], digits, distance,
                          m.verdict.closure.position);
            CHECK(distance < 300.0 * pow(10.0, -digits));
            CHECK(m.verdict.closure.position < 10.0 * pow(10.0, -digits));
            linkage_motion_end(&m);
        }
        linkage_motion_end(&exact);
    }
}

// G with random multipliers, by central differences. The matrix has a difference of its own within, of 1e-5.
TEST(the_derivative_with_multipliers_is_that_of_differences)
{
    uint64_t seed = 11;
    test_env t;
    test_env_init(&t);
    linkage l;
    zoo_bricard(&l);
    char *text = linkage_sdf(&l, LINKAGE_EXACT);
    pawl_load_options options = pawl_load_options_default();
    pawl_model *model;
    CHECK_OK(pawl_model_parse(&t.env, "bricard.sdf", text, strlen(text), &options, &model));
    pawl_settings settings = loops_settings(PAWL_STEPPER_NMDP, 1e-2);
    nmdp *s;
    pawl_state *state;
    CHECK_OK(pawl_nmdp_create(&t.env, model, &settings, &s));
    CHECK_OK(pawl_state_create(&t.env, model, &state));
    pawl_nmdp_read_state(s, state);
    CHECK(pawl_nmdp_euler_stage(s, 1e-2, 0.0, 1e-2));
    enum { MAX = 20 };
    double theta[MAX], G[2][MAX], matrix[MAX * MAX], size = 0.0;
    CHECK(s->n <= MAX && s->loop_rows > 0 && s->row_count < s->loop_rows);
    for (int i = 0; i < s->loop_rows; ++i) {
        s->lambda[i] =
            s->loop_scale[i] > 0.0 ? random_in(&seed, -50.0, 50.0) / s->loop_scale[i] : 0.0;
    }
    for (int k = 0; k < s->n; ++k) {
        theta[k] = s->theta[k] + random_in(&seed, -0.1, 0.1);
    }
    pawl_nmdp_balance(s, theta, s->w, G[0], matrix);
    for (int k = 0; k < s->n * s->n; ++k) {
        size = fmax(size, fabs(matrix[k]));
    }
    for (int j = 0; j < s->n; ++j) {
        const double d = 1e-5;
        double at = theta[j];
        for (int side = 0; side < 2; ++side) {
            theta[j] = at + (side == 0 ? d : -d);
            pawl_nmdp_balance(s, theta, s->w, G[side], NULL);
        }
        theta[j] = at;
        for (int i = 0; i < s->n; ++i) {
            CHECK_NEAR((G[0][i] - G[1][i]) / (2 * d), matrix[i * s->n + j], 1e-7 * size);
        }
    }
    pawl_state_destroy(state);
    pawl_nmdp_destroy(s);
    pawl_model_destroy(model);
    free(text);
    CHECK_NO_LEAK(&t);
}

static pawl_sim *loops_robot(test_env *t, const char *motion, const char *stepper, double dt,
                             pawl_model **model)
{
    pawl_load_options options = pawl_load_options_default();
    char path[80];
    snprintf(path, sizeof path, "models/robots/motions/%s.motion", motion);
    options.motion_path = path;
    options.ground = (pawl_ground_option){.put = true, .under = true, .friction = 0.8};
    CHECK_OK(pawl_model_load(&t->env, "models/robots/quadruped-linkage.urdf", &options, model));
    pawl_settings settings = pawl_settings_default();
    settings.dt = dt;
    settings.nmdp.stiffness = 1e10;
    settings.nmdp.part_energy = INFINITY; // counted below: steps that do not converge
    CHECK_OK(pawl_settings_set(&t->env, &settings, "stepper", stepper));
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t->env, *model, &settings, &sim));
    return sim;
}

// The robot's base after the same time by nmdp at 20 ms, in generalized coordinates with soft contact, and by euler at 4 ms,
// in maximal coordinates with hard contact. Differences allowed: the depth at which feet of 35 N stand, (35/1e10)^(1/3) =
// 1.5 mm, over a stride of 0.2 m for each of the four feet, and the feet's slip of the same size.
TEST(a_robot_with_linkages_in_its_legs_stands_and_walks)
{
    const char *const motions[] = {"quadruped-stand", "quadruped-crawl"};
    for (int k = 0; k < 2; ++k) {
        double time = k == 0 ? 1.0 : 3.6;
        pawl_vec3 end[2];
        for (int way = 0; way < 2; ++way) {
            test_env t;
            test_env_init(&t);
            double dt = way == 0 ? 0.02 : 0.004;
            pawl_model *model;
            pawl_sim *sim = loops_robot(&t, motions[k], way == 0 ? "nmdp" : "euler", dt, &model);
            pawl_body_id base = pawl_model_find_body(model, "base");
            pawl_vec3 start = pawl_state_pose(pawl_sim_state(sim), base).position;
            for (int i = 0; i < (int)(time / dt + 0.5); ++i) {
                pawl_step_report report;
                CHECK_OK(pawl_sim_step(sim, &report));
                CHECK(report.closure.position < 1e-9);
                CHECK(way == 1 || report.substeps == 1);
            }
            end[way] = v3_sub(pawl_state_pose(pawl_sim_state(sim), base).position, start);
            pawl_sim_destroy(sim);
            pawl_model_destroy(model);
            CHECK_NO_LEAK(&t);
        }
        print_message("%s: nmdp %.4f %.4f %.4f m, euler %.4f %.4f %.4f m\n", motions[k], end[0].x,
                      end[0].y, end[0].z, end[1].x, end[1].y, end[1].z);
        double allowed = k == 0 ? 0.003 : 0.012;
        CHECK_NEAR(end[0].x, end[1].x, allowed);
        CHECK_NEAR(end[0].y, end[1].y, allowed);
        CHECK_NEAR(end[0].z, end[1].z, allowed);
    }
}
