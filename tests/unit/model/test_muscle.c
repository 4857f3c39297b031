// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "pawl/model.h"
#include "support/test.h"
#include <math.h>

// L = 1 at q = 0.5; L0 = 0.5; rate 2 L0/s.
static pawl_muscle muscle(void)
{
    return (pawl_muscle){.peak = 100.0,
                         .gear = 1.0,
                         .length = {0.25, 0.75},
                         .range = {0.5, 1.5},
                         .shortest = 0.4,
                         .longest = 1.8,
                         .rate = 2.0,
                         .passive = 1.5,
                         .stretching = 1.25};
}

static double at(double L)
{
    return 0.5 + 0.5 * (L - 1.0);
}

// The curves by hand: FL(1) = 1, 1/2 midway to each end, 0 at the ends; FP = passive/2 midway to the longest, then a line.
TEST(a_muscle_follows_its_curves)
{
    pawl_muscle m = muscle();
    CHECK_NEAR(pawl_muscle_force(&m, at(1.0), 0.0, 1.0), -100.0, 1e-12);
    CHECK_NEAR(pawl_muscle_force(&m, at(0.7), 0.0, 1.0), -50.0, 1e-10);
    CHECK_NEAR(pawl_muscle_force(&m, at(0.55), 0.0, 1.0), -12.5, 1e-10);
    CHECK_NEAR(pawl_muscle_force(&m, at(0.4), 0.0, 1.0), 0.0, 1e-10);
    CHECK_NEAR(pawl_muscle_force(&m, at(1.4), 0.0, 0.0), -75.0, 1e-10);
    CHECK_NEAR(pawl_muscle_force(&m, at(1.4), 0.0, 1.0), -125.0, 1e-10);
    CHECK_NEAR(pawl_muscle_force(&m, at(1.8), 0.0, 1.0), -225.0, 1e-10);
    CHECK_NEAR(pawl_muscle_force(&m, at(0.9), 0.0, 0.0), 0.0, 0.0);
    CHECK_NEAR(pawl_muscle_force(&m, at(1.0), -0.5, 0.4), -10.0, 1e-10); // V = -1/2: 1/4
    CHECK_NEAR(pawl_muscle_force(&m, at(1.0), -1.0, 1.0), 0.0, 0.0);
    CHECK_NEAR(pawl_muscle_force(&m, at(1.0), 0.125, 1.0), -118.75, 1e-10); // V = 1/8
    CHECK_NEAR(pawl_muscle_force(&m, at(1.0), 9.0, 1.0), -125.0, 1e-10);
}

// A length -2 q + 1.5 = 0.5 at q = 0.5: the force on q is -2 times the muscle's.
TEST(a_muscle_acts_by_its_gear)
{
    pawl_muscle m = muscle();
    m.gear = -2.0;
    m.offset = 1.5;
    CHECK_NEAR(pawl_muscle_force(&m, 0.5, 0.0, 1.0), 200.0, 1e-10);
    CHECK_NEAR(pawl_muscle_force(&m, 0.5, 0.25, 1.0), 50.0, 1e-10); // it shortens
}

TEST(a_muscle_that_cannot_be_is_refused)
{
    test_env t;
    test_env_init(&t);
    pawl_builder *b;
    CHECK(pawl_builder_create(&t.env, "arm", &b) == PAWL_OK);
    pawl_body_def body = pawl_body_def_default();
    pawl_body_id id;
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
    CHECK(pawl_builder_add_body(b, &body, &id) == PAWL_OK);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_REVOLUTE;
    joint.follower = id;
    pawl_actuator_def a = pawl_actuator_def_default();
    CHECK(pawl_builder_add_joint(b, &joint, &a.joint) == PAWL_OK);
    for (int i = 0; i < 8; ++i) {
        a.muscle = muscle();
        a.kind = i == 0 ? PAWL_ACTUATOR_POSITION : PAWL_ACTUATOR_FORCE;
        a.muscle.peak = i == 1 ? -1.0 : 100.0;
        a.muscle.length[1] = i == 2 ? 0.25 : 0.75;
        a.muscle.range[1] = i == 3 ? 0.1 : 1.5;
        a.muscle.shortest = i == 4 ? 1.0 : 0.4;
        a.muscle.rate = i == 5 ? 0.0 : 2.0;
        a.muscle.stretching = i == 6 ? 0.9 : 1.25;
        a.muscle.offset = i == 7 ? NAN : 0.0;
        CHECK(pawl_builder_add_actuator(b, &a, NULL) == PAWL_BAD_ARGUMENT);
    }
    a.muscle = muscle();
    CHECK(pawl_builder_add_actuator(b, &a, NULL) == PAWL_OK);
    pawl_builder_destroy(b);
    CHECK_NO_LEAK(&t);
}
