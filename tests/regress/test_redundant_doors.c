// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A door on two or three hinges that are not quite in line did not move: the hinges hold each other.
// Below the tolerance loop.tolerance of 1 mm in 1 m it swings as on one hinge; above it stays shut, as
// its numbers say.
#include "pawl/check.h"
#include "pawl/io.h"
#include "support/linkage_motion.h"
#include "support/linkage_zoo.h"
#include "support/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double door_time = 2.0, door_interval = 0.05;

static linkage_motion door_run(const linkage *l, pawl_formulation formulation)
{
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    settings.formulation = formulation;
    return linkage_run(l, LINKAGE_EXACT, &settings, door_time, door_interval);
}

// How far the angle of the good hinge is from that of a door on this hinge alone.
static void door_check_in(pawl_formulation formulation, int hinges, zoo_flaw flaw, double size,
                          double allowed)
{
    linkage one, door;
    zoo_pendulum(&one);
    zoo_door(&door, hinges, flaw, size);
    linkage_motion right = door_run(&one, formulation), m = door_run(&door, formulation);
    CHECK_OK(m.status);
    CHECK_INT(m.fine, 1);
    CHECK_NEAR(linkage_angle_distance(&m, &right), 0.0, allowed);
    CHECK_NEAR(fmax(m.gain, m.loss) / m.kinetic_max, 0.0, 1e-5 + size);
    linkage_motion_end(&m);
    linkage_motion_end(&right);
}

static void door_check(int hinges, zoo_flaw flaw, double size, double allowed)
{
    door_check_in(PAWL_FORMULATION_MAXIMAL, hinges, flaw, size, allowed);
}

// The hinge that closes the loop has all of the error there: its verdict was not that of maximal coordinates.
TEST(a_door_swings_in_reduced_coordinates_as_well)
{
    for (double d = 1e-9; d < 2e-3; d *= 1e3) {
        door_check_in(PAWL_FORMULATION_REDUCED, 2, ZOO_OFFSET, d, 3.0 * d + 1e-6);
        door_check_in(PAWL_FORMULATION_REDUCED, 2, ZOO_TILT, d, 3.0 * d + 1e-6);
    }
}

// The same door on one hinge: a plain pendulum.
TEST(a_door_whose_second_hinge_is_beside_the_line_swings)
{
    for (double d = 1e-12; d < 2e-3; d *= 10.0) {
        door_check(2, ZOO_OFFSET, d, 3.0 * d + 1e-6);
    }
}

TEST(a_door_whose_second_hinge_is_tilted_swings)
{
    for (double d = 1e-12; d < 2e-3; d *= 10.0) {
        door_check(2, ZOO_TILT, d, 3.0 * d + 1e-6);
    }
}

TEST(a_door_on_three_hinges_swings)
{
    for (double d = 1e-12; d < 2e-4; d *= 100.0) {
        door_check(3, ZOO_OFFSET, d, 3.0 * d + 1e-6);
        door_check(3, ZOO_TILT, d, 3.0 * d + 1e-6);
    }
}

// The hinge that misses its other half by d gives way by d at most.
TEST(a_door_whose_hinge_does_not_meet_swings)
{
    linkage one;
    zoo_pendulum(&one);
    linkage_motion right = door_run(&one, PAWL_FORMULATION_MAXIMAL);
    for (double d = 1e-9; d < 2e-4; d *= 10.0) {
        linkage door;
        zoo_door(&door, 2, ZOO_GAP, d);
        linkage_motion m = door_run(&door, PAWL_FORMULATION_MAXIMAL);
        CHECK_OK(m.status);
        CHECK_NEAR(linkage_distance(&m, &right, m.samples), 0.0, 2.0 * d + 1e-12);
        CHECK_NEAR(fmax(m.gain, m.loss) / m.kinetic_max, 0.0, 1e-5 + d);
        linkage_motion_end(&m);
    }
    linkage_motion_end(&right);
}

static int door_mobility(const linkage *l)
{
    test_env t;
    test_env_init(&t);
    char *text = linkage_sdf(l, LINKAGE_EXACT);
    pawl_load_options options = pawl_load_options_default();
    pawl_model *model;
    pawl_check *check;
    CHECK_OK(pawl_model_parse(&t.env, "door", text, strlen(text), &options, &model));
    CHECK_OK(pawl_check_model(&t.env, model, &check));
    int mobility = check->mobility;
    pawl_check_destroy(check);
    pawl_model_destroy(model);
    free(text);
    CHECK_NO_LEAK(&t);
    return mobility;
}

// Two axes that differ by a centimetre are two axes: what no rounding explains is taken as it stands.
TEST(a_door_with_hinges_a_centimetre_off_is_locked)
{
    for (int flaw = ZOO_OFFSET; flaw <= ZOO_TILT; ++flaw) {
        linkage door;
        zoo_door(&door, 2, (zoo_flaw)flaw, 1e-2);
        linkage_motion m = door_run(&door, PAWL_FORMULATION_MAXIMAL);
        CHECK_OK(m.status);
        CHECK(m.travel < 1e-6);
        linkage_motion_end(&m);
        CHECK_INT(door_mobility(&door), 0);
        zoo_door(&door, 2, (zoo_flaw)flaw, 1e-6);
        CHECK_INT(door_mobility(&door), 1);
    }
}
