// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inverse kinematics from starts that cannot feel the way: straight legs, whose Jacobian has lost the direction along
// the leg, and coordinates at their limits. A straight leg of two links could not raise its foot ("0.000992 m
// short"). Legs of random lengths and limits, targets that forward kinematics says can be reached.
#include "pawl/limb.h"
#include "support/mechanism.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>

enum { LEG = 4 };

// Abduction, hip, knee and, with four, ankle, all straight down at zero. Knees bend one way where `one_way`.
static void starts_leg(mechanism *m, uint64_t *seed, int joints, bool one_way, pawl_limb **limb)
{
    mechanism_begin(m);
    double at = 0.0;
    pawl_body_id last = mechanism_solid(m, 5.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1)), root = last;
    for (int i = 0; i < joints; ++i) {
        double length = i == 0 ? 0.0 : random_in(seed, 0.1, 0.4);
        pawl_body_id link = mechanism_solid(m, 1.0, v3(0, 0, at), v3(0.01, 0.01, 0.01));
        pawl_vec3 axis = i == 0 ? v3(1, 0, 0) : v3(0, 1, 0);
        pawl_joint_def joint =
            mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, last, link, v3(0, 0, at), axis);
        joint.coordinate[0].lower = i >= 2 && one_way ? 0.0 : -2.0;
        joint.coordinate[0].upper = 2.0;
        mechanism_joint(m, &joint);
        at -= length;
        last = link;
    }
    mechanism_compile(m);
    CHECK_OK(pawl_limb_create(&m->t.env, m->model, root, last, v3(0, 0, -0.2), limb));
}

static void starts_reach(uint64_t *seed, int joints, bool one_way, bool at_limit)
{
    mechanism m;
    pawl_limb *limb;
    double q[LEG] = {0.0}, rest[LEG] = {0.0}, goal[LEG];
    starts_leg(&m, seed, joints, one_way, &limb);
    CHECK_INT(pawl_limb_coordinate_count(limb), joints);
    pawl_vec3 straight = pawl_limb_tip(limb, rest, NULL), target;
    if (at_limit) { // somewhere within reach, from a pose with all at a limit
        for (int i = 0; i < joints; ++i) {
            pawl_limb_coordinate c = pawl_limb_coordinate_at(limb, i);
            goal[i] = random_in(seed, c.lower, c.upper);
            q[i] = rest[i] = random_in(seed, 0.0, 1.0) < 0.5 ? c.lower : c.upper;
        }
        target = pawl_limb_tip(limb, goal, NULL);
    } else { // straight up along the leg
        target = v3(straight.x, straight.y, straight.z + random_in(seed, 0.001, 0.09));
    }
    double left = pawl_limb_reach(limb, target, rest, q);
    CHECK_NEAR(left, 0.0, 1e-9);
    CHECK_NEAR3(pawl_limb_tip(limb, q, NULL), target, 1e-9);
    for (int i = 0; i < joints; ++i) {
        pawl_limb_coordinate c = pawl_limb_coordinate_at(limb, i);
        CHECK(q[i] >= c.lower && q[i] <= c.upper);
    }
    pawl_limb_destroy(limb);
    mechanism_end(&m);
}

TEST(straight_legs_bend)
{
    uint64_t seed = 7;
    for (int k = 0; k < 60; ++k) {
        starts_reach(&seed, 3 + k % 2, k % 4 < 2, false);
    }
}

TEST(legs_leave_their_limits)
{
    uint64_t seed = 11;
    for (int k = 0; k < 60; ++k) {
        starts_reach(&seed, 3 + k % 2, k % 4 < 2, true);
    }
}

// What is out of reach is told by how far.
TEST(what_is_too_far_is_said_so)
{
    uint64_t seed = 3;
    mechanism m;
    pawl_limb *limb;
    double q[LEG] = {0.0}, rest[LEG] = {0.0};
    starts_leg(&m, &seed, 3, true, &limb);
    pawl_vec3 tip = pawl_limb_tip(limb, rest, NULL);
    double left = pawl_limb_reach(limb, v3(tip.x, tip.y, tip.z - 0.05), rest, q);
    CHECK_NEAR(left, 0.05, 1e-6);
    pawl_limb_destroy(limb);
    mechanism_end(&m);
}

// Limbs that nobody has drawn: random axes and offsets, 3 to 7 hinges, targets of position or pose that forward kinematics says
// can be reached; from straight (all zero), from all at a limit, and from the middle. Six hinges and a pose leave isolated
// solutions, some beyond the limits, which no local method need find: one of sixty may be missed.
enum { CHAIN_MOST = 7 };
static pawl_vec3 starts_direction(uint64_t *seed)
{
    return pawl_quat_rotate(random_quat(seed), v3(1.0, 0.0, 0.0));
}

static bool starts_chain(uint64_t *seed, int joints, bool turned, int from)
{
    mechanism m;
    pawl_limb *limb;
    pawl_posture *posture;
    double q[CHAIN_MOST], rest[CHAIN_MOST], goal[CHAIN_MOST];
    mechanism_begin(&m);
    pawl_vec3 at = v3(0, 0, 0);
    pawl_body_id last = mechanism_solid(&m, 5.0, at, v3(0.1, 0.1, 0.1)), root = last;
    for (int i = 0; i < joints; ++i) {
        pawl_body_id link = mechanism_solid(&m, 1.0, at, v3(0.01, 0.01, 0.01));
        pawl_joint_def joint =
            mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, last, link, at, starts_direction(seed));
        joint.coordinate[0].lower = random_in(seed, -2.5, 0.0);
        joint.coordinate[0].upper = random_in(seed, 0.2, 2.5);
        mechanism_joint(&m, &joint);
        at = v3_axpy(at, random_in(seed, 0.05, 0.4), starts_direction(seed));
        last = link;
    }
    mechanism_compile(&m);
    CHECK_OK(pawl_limb_create(&m.t.env, m.model, root, last, v3(0.1, 0.05, -0.2), &limb));
    CHECK_OK(pawl_posture_create(&m.t.env, &limb, 1, &posture));
    for (int i = 0; i < joints; ++i) {
        pawl_limb_coordinate c = pawl_posture_coordinate_at(posture, i);
        goal[i] = random_in(seed, c.lower, c.upper);
        bool low = random_in(seed, 0.0, 1.0) < 0.5;
        q[i] = rest[i] = from == 0   ? 0.0
                         : from == 1 ? low ? c.lower : c.upper
                                     : 0.5 * (c.lower + c.upper);
    }
    pawl_pose there = pawl_posture_pose(posture, 0, goal);
    pawl_limb_target target = {there.position, turned, there.orientation};
    double left = pawl_posture_reach(posture, &target, rest, q);
    bool reached = left <= 1e-9;
    if (reached) {
        CHECK_NEAR3(pawl_posture_pose(posture, 0, q).position, target.position, 1e-9);
    }
    for (int i = 0; i < joints; ++i) {
        pawl_limb_coordinate c = pawl_posture_coordinate_at(posture, i);
        CHECK(q[i] >= c.lower && q[i] <= c.upper);
    }
    pawl_posture_destroy(posture);
    pawl_limb_destroy(limb);
    mechanism_end(&m);
    return reached;
}

TEST(limbs_of_any_form_reach_what_they_can)
{
    uint64_t seed = 19;
    for (int turned = 0; turned < 2; ++turned) {
        for (int joints = turned ? 6 : 3; joints <= CHAIN_MOST; ++joints) {
            int reached = 0, tried = 0;
            for (; tried < 60; ++tried) {
                reached += starts_chain(&seed, joints, turned, tried % 3) ? 1 : 0;
            }
            printf("%d hinges, %s: %d of %d\n", joints, turned ? "pose" : "position", reached,
                   tried);
            CHECK(reached >= tried - 1);
        }
    }
}
