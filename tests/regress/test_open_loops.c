// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Redundant loops without position updates (project=off). Each step opens them by its truncation error; then
// rows that repeated each other do so only nearly, and what pulls them back contradicted itself: most steps of
// a walking machine from an exact file were left unsolved, and a Bennett linkage stopped.
#include "support/linkage_motion.h"
#include "support/linkage_zoo.h"
#include "support/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pawl_settings open_settings(double dt, pawl_stepper_kind stepper)
{
    pawl_settings settings = mechanism_settings(dt, stepper);
    settings.project = false;
    return settings;
}

static double open_energy(const linkage_motion *m)
{
    return fmax(m->gain, m->loss) / m->kinetic_max;
}

// Digits of files: those whose loops are exact at the start are the last two.
static const int open_digits[] = {4, 6, 9, 12, LINKAGE_EXACT};
enum { OPEN_DIGITS = sizeof open_digits / sizeof open_digits[0] };

// On its feet. A step's truncation error is of order h^2 and the bias takes a tenth of what is open a step,
// so that joints are open by a multiple of h^2: half the step, a quarter of it. The energy error of moreau is
// of second order as well; 1e-4 is asked for at 1 ms.
TEST(a_walker_stands_and_folds_without_position_updates)
{
    linkage l;
    zoo_walker(&l);
    for (int i = 0; i < OPEN_DIGITS; ++i) {
        double open[2];
        for (int k = 0; k < 2; ++k) {
            pawl_settings settings = open_settings(1e-3 / (1 + k), PAWL_STEPPER_MOREAU);
            linkage_motion m = linkage_run(&l, open_digits[i], &settings, 0.2, 0.05);
            CHECK_OK(m.status);
            CHECK_INT(m.verdict.not_converged, 0);
            CHECK(m.fine);
            CHECK(open_energy(&m) <= 1e-4);
            open[k] = m.verdict.closure.position;
            linkage_motion_end(&m);
        }
        CHECK_NEAR(open[0] / open[1], 4.0, 0.5);
    }
}

// Until it lies on the floor, where its legs are far open. `./dev test long` has all digits and steppers.
TEST(a_walker_that_falls_leaves_no_step_unsolved)
{
    // lit judged impacts by joint rows as they are: 21 to 25 of its steps were open
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_LIT,
                                                 PAWL_STEPPER_MOREAU};
    bool all = getenv("PAWL_LONG_RUNS") != NULL;
    linkage l;
    zoo_walker(&l);
    for (int i = all ? 0 : OPEN_DIGITS - 1; i < OPEN_DIGITS; ++i) {
        for (int k = 0; k < (all ? 3 : 2); ++k) {
            pawl_settings settings = open_settings(1e-3, steppers[k]);
            linkage_motion m = linkage_run(&l, open_digits[i], &settings, 0.6, 0.05);
            CHECK_OK(m.status);
            CHECK_INT(m.verdict.not_converged, 0);
            linkage_motion_end(&m);
        }
    }
}

// How far it is from the motion with position updates at the same step, of the exact file.
static double open_distance(const linkage *l, int digits, pawl_formulation formulation, double dt)
{
    pawl_settings settings = open_settings(dt, PAWL_STEPPER_MOREAU);
    settings.formulation = formulation;
    linkage_motion open = linkage_run(l, digits, &settings, 0.5, 0.05);
    settings.project = true;
    linkage_motion closed = linkage_run(l, LINKAGE_EXACT, &settings, 0.5, 0.05);
    CHECK_OK(open.status);
    CHECK_INT(open.verdict.not_converged, 0);
    CHECK(!linkage_frozen(&open, &closed) && !linkage_exploded(&open, &closed));
    CHECK(!linkage_lost(&open, &closed));
    double distance = linkage_distance(&open, &closed, open.samples);
    linkage_motion_end(&open);
    linkage_motion_end(&closed);
    return distance;
}

// Both are of second order: at half the step they are four times closer, or not quite, where the higher orders
// still count.
TEST(exact_spatial_loops_move_without_position_updates)
{
    static void (*const loops[])(linkage *) = {zoo_bennett, zoo_bricard, zoo_delta};
    for (int formulation = 0; formulation < PAWL_FORMULATION_COUNT; ++formulation) {
        for (int i = 0; i < 3; ++i) {
            linkage l;
            loops[i](&l);
            double coarse = open_distance(&l, LINKAGE_EXACT, (pawl_formulation)formulation, 5e-4),
                   fine = open_distance(&l, LINKAGE_EXACT, (pawl_formulation)formulation, 2.5e-4);
            CHECK(coarse >= 3.0 * fine);
            // 12 digits are as good; by 100 times their last one
            CHECK_NEAR(open_distance(&l, 12, (pawl_formulation)formulation, 2.5e-4), fine, 1e-9);
        }
    }
}

// So many balls beside the walker that its joints are not eliminated (more than 360 rows), in one problem.
static char *open_walker_among_balls(int digits)
{
    enum { BALLS = 125, BALL_SIZE = 512 };
    linkage l;
    zoo_walker(&l);
    char *text = linkage_sdf(&l, digits);
    size_t room = strlen(text) + BALLS * BALL_SIZE;
    char *world = malloc(room), *end = strstr(text, "</world>");
    if (world == NULL || end == NULL) {
        abort();
    }
    int used = snprintf(world, room, "%.*s", (int)(end - text), text);
    for (int k = 0; k < BALLS; ++k) {
        used += snprintf(world + used, room - (size_t)used,
                         "<model name=\"ball%d\"><pose>%d %d 0.1 0 0 0</pose><link name=\"l\">"
                         "<inertial><mass>1</mass><inertia><ixx>0.004</ixx><iyy>0.004</iyy>"
                         "<izz>0.004</izz></inertia></inertial><collision name=\"c\"><geometry>"
                         "<sphere><radius>0.1</radius></sphere></geometry></collision></link>"
                         "</model>\n",
                         k, 3 + k / 12, 3 + k % 12);
    }
    snprintf(world + used, room - (size_t)used, "%s", end);
    free(text);
    return world;
}

TEST(sweeps_over_redundant_rows_are_not_asked_for_what_they_cannot_have)
{
    static const pawl_solver_kind solvers[] = {PAWL_SOLVER_AUTO, PAWL_SOLVER_NEWTON};
    for (int digits = 4; digits <= 6; digits += 2) {
        char *text = open_walker_among_balls(digits);
        for (int i = 0; i < 2; ++i) {
            pawl_settings settings = open_settings(1e-3, PAWL_STEPPER_MOREAU);
            settings.solver.islands = false;
            settings.solver.kind = solvers[i];
            linkage_motion m = linkage_run_text(text, &settings, 0.05, 0.05);
            CHECK_OK(m.status);
            CHECK_INT(m.verdict.not_converged, 0);
            linkage_motion_end(&m);
        }
        free(text);
    }
}
