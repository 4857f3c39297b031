// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Redundant loops from files with few digits: every solver and stepper moves them, a run that is resumed keeps
// its bits, biases of redundant rows do not contradict each other, and reactions are those of least norm.
#include "pawl/io.h"
#include "support/linkage_motion.h"
#include "support/linkage_zoo.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pawl_settings few_settings(pawl_stepper_kind stepper)
{
    pawl_settings settings = pawl_settings_default();
    settings.stepper = stepper;
    settings.dt = 2.5e-3;
    return settings;
}

// 4 to 9 digits with every stepper of the family: as far as 17 digits go, with its energy.
TEST(a_tilted_four_bar_moves_with_every_stepper)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                 PAWL_STEPPER_RATTLE, PAWL_STEPPER_LIT};
    for (int i = 0; i < 4; ++i) {
        linkage l;
        zoo_four_bar(&l);
        pawl_settings settings = few_settings(steppers[i]);
        linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, 1.0, 0.05);
        for (int digits = 4; digits <= 9; ++digits) {
            linkage_motion m = linkage_run(&l, digits, &settings, 1.0, 0.05);
            CHECK_OK(m.status);
            CHECK(m.fine && !linkage_frozen(&m, &exact) && !linkage_exploded(&m, &exact));
            CHECK(linkage_distance(&m, &exact, m.samples) <= 20.0 * pow(10.0, -digits) + 1e-9);
            CHECK_NEAR(m.force_max, exact.force_max, 0.02 * exact.force_max);
            linkage_motion_end(&m);
        }
        linkage_motion_end(&exact);
    }
}

// A walking machine with redundant legs on the floor, by every kind of solver, with joints eliminated or not,
// and without the position update, whose biases would contradict each other.
TEST(redundant_legs_stand_with_every_solver)
{
    static const struct {
        pawl_solver_kind solver;
        bool exact_joints, project;
    } rows[] = {{PAWL_SOLVER_AUTO, true, true},      {PAWL_SOLVER_AUTO, false, false},
                {PAWL_SOLVER_ADMM_NCP, false, true}, {PAWL_SOLVER_NEWTON, false, true},
                {PAWL_SOLVER_NSGS, true, false},     {PAWL_SOLVER_PGS_NCP, false, true}};
    linkage l;
    zoo_walker(&l);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        pawl_settings settings = few_settings(PAWL_STEPPER_EULER);
        settings.solver.kind = rows[i].solver;
        settings.solver.exact_joints = rows[i].exact_joints;
        settings.project = rows[i].project;
        settings.solver.tolerance = 1e-6;
        linkage_motion m = linkage_run(&l, 6, &settings, 0.1, 0.05);
        CHECK_OK(m.status);
        CHECK_INT(m.verdict.not_converged, 0);
        CHECK(m.verdict.closure.position < 1e-3);
        linkage_motion_end(&m);
    }
}

// Least norm in exact files: the largest force of a Bricard linkage is 29.9 N with every stepper.
TEST(reactions_of_exact_redundant_joints_are_those_of_least_norm)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                 PAWL_STEPPER_RATTLE, PAWL_STEPPER_LIT};
    linkage l;
    zoo_bricard(&l);
    for (int i = 0; i < 4; ++i) {
        pawl_settings settings = few_settings(steppers[i]);
        linkage_motion m = linkage_run(&l, LINKAGE_EXACT, &settings, 1.0, 0.05);
        CHECK_NEAR(m.force_max, 29.9, 0.6);
        linkage_motion_end(&m);
    }
}

// Through its flat position, where a direction is left out for the time, and again from states saved on the way.
TEST(a_resumed_ladder_has_the_bits_of_an_uninterrupted_one)
{
    linkage l;
    zoo_ladder(&l, 3);
    test_env t;
    test_env_init(&t);
    pawl_load_options options = pawl_load_options_default();
    pawl_settings settings = few_settings(PAWL_STEPPER_MOREAU);
    pawl_model *model;
    char *text = linkage_sdf(&l, 6);
    CHECK_OK(pawl_model_parse(&t.env, "ladder.sdf", text, strlen(text), &options, &model));
    free(text);
    pawl_sim *whole, *parts;
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &whole));
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &parts));
    for (int k = 0; k < 800; ++k) {
        CHECK_OK(pawl_sim_step(whole, NULL));
        CHECK_OK(pawl_sim_step(parts, NULL));
        CHECK(pawl_state_hash(pawl_sim_state(whole)) == pawl_state_hash(pawl_sim_state(parts)));
        if (k % 40 == 39) {
            pawl_sim *next;
            CHECK_OK(pawl_sim_create(&t.env, model, &settings, &next));
            CHECK_OK(pawl_sim_set_state(next, pawl_sim_state(parts)));
            pawl_sim_destroy(parts);
            parts = next;
        }
    }
    pawl_sim_destroy(whole);
    pawl_sim_destroy(parts);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

// The second axis of a universal joint is a little off a right angle in files of few digits.
TEST(universal_joints_with_axes_off_by_less_than_a_milliradian_are_read)
{
    static const char text[] =
        "<sdf version=\"1.10\"><world name=\"w\"><model name=\"m\"><link name=\"a\"><inertial>"
        "<mass>1</mass></inertial></link><joint name=\"u\" type=\"universal\"><parent>world"
        "</parent><child>a</child><axis><xyz>1 0 %g</xyz></axis><axis2><xyz>0 %g 1</xyz></axis2>"
        "</joint></model></world></sdf>";
    static const double off[] = {1e-6, 1e-4, 5e-4, 5e-3};
    for (int i = 0; i < 4; ++i) {
        char file[600];
        snprintf(file, sizeof file, text, off[i], off[i]);
        test_env t;
        test_env_init(&t);
        pawl_load_options options = pawl_load_options_default();
        pawl_model *model = NULL;
        pawl_status status =
            pawl_model_parse(&t.env, "u.sdf", file, strlen(file), &options, &model);
        CHECK((status == PAWL_OK) == (off[i] < 1e-3));
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}
