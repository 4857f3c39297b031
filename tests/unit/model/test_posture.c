// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Several limbs at once: targets that forward kinematics says can be reached together are reached together, with
// orientations, through joints that the limbs share, from straight starts and within limits.
#include "math/rotation.h"
#include "pawl/limb.h"
#include "support/mechanism.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>

enum { WAIST = 2, ARM = 6, ALL = WAIST + 2 * ARM };

typedef struct two_arms {
    mechanism m;
    pawl_limb *limbs[2];
    pawl_posture *posture;
} two_arms;

static pawl_body_id arms_link(mechanism *m, pawl_body_id base, pawl_vec3 at, pawl_vec3 axis,
                              double limit)
{
    pawl_body_id link = mechanism_solid(m, 1.0, at, v3(0.01, 0.01, 0.01));
    pawl_joint_def joint = mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, base, link, at, axis);
    joint.coordinate[0].lower = -limit;
    joint.coordinate[0].upper = limit;
    mechanism_joint(m, &joint);
    return link;
}

// A waist that turns and bends, and two arms of six joints on it, stretched out sideways.
static void arms_begin(two_arms *a, uint64_t *seed)
{
    mechanism *m = &a->m;
    static const pawl_vec3 axes[ARM] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0},
                                        {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mechanism_begin(m);
    pawl_body_id root = mechanism_solid(m, 5.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1)), tip[2];
    pawl_body_id waist = arms_link(m, root, v3(0, 0, 0.1), v3(0, 0, 1), 1.5);
    waist = arms_link(m, waist, v3(0, 0, 0.15), v3(0, 1, 0), 1.0);
    for (int side = 0; side < 2; ++side) {
        double y = 0.2, sign = side == 0 ? 1.0 : -1.0;
        tip[side] = waist;
        for (int i = 0; i < ARM; ++i) {
            tip[side] = arms_link(m, tip[side], v3(0, sign * y, 0.5), axes[i], 2.0);
            y += i == 2 || i == 3 ? random_in(seed, 0.2, 0.4) : random_in(seed, 0.0, 0.08);
        }
    }
    mechanism_compile(m);
    for (int side = 0; side < 2; ++side) {
        CHECK_OK(pawl_limb_create(&m->t.env, m->model, root, tip[side], v3(0.0, 0.05, 0.0),
                                  &a->limbs[side]));
    }
    CHECK_OK(pawl_posture_create(&m->t.env, a->limbs, 2, &a->posture));
    CHECK_INT(pawl_posture_coordinate_count(a->posture), ALL);
}

static void arms_end(two_arms *a)
{
    pawl_posture_destroy(a->posture);
    pawl_limb_destroy(a->limbs[0]);
    pawl_limb_destroy(a->limbs[1]);
    mechanism_end(&a->m);
}

static void arms_targets(const two_arms *a, const double *q, bool turned, pawl_limb_target out[2])
{
    for (int l = 0; l < 2; ++l) {
        pawl_pose at = pawl_posture_pose(a->posture, l, q);
        out[l] = (pawl_limb_target){at.position, turned, at.orientation};
    }
}

static double arms_turned_by(pawl_quat a, pawl_quat b)
{
    return v3_norm(quat_log(quat_mul(a, quat_conj(b))));
}

TEST(limbs_with_a_common_waist_reach_their_targets_together)
{
    uint64_t seed = 21;
    for (int k = 0; k < 40; ++k) {
        two_arms a;
        double goal[ALL], q[ALL] = {0.0}, rest[ALL] = {0.0};
        pawl_limb_target targets[2];
        bool turned = k % 2 == 1;
        arms_begin(&a, &seed);
        for (int i = 0; i < ALL; ++i) {
            pawl_limb_coordinate c = pawl_posture_coordinate_at(a.posture, i);
            goal[i] = random_in(&seed, 0.6 * c.lower, 0.6 * c.upper);
        }
        arms_targets(&a, goal, turned, targets);
        CHECK_NEAR(pawl_posture_reach(a.posture, targets, rest, q), 0.0, 1e-9);
        for (int l = 0; l < 2; ++l) {
            pawl_pose at = pawl_posture_pose(a.posture, l, q);
            CHECK_NEAR3(at.position, targets[l].position, 1e-9);
            if (turned) {
                CHECK_NEAR(arms_turned_by(at.orientation, targets[l].orientation), 0.0, 1e-9);
            }
        }
        for (int i = 0; i < ALL; ++i) {
            pawl_limb_coordinate c = pawl_posture_coordinate_at(a.posture, i);
            CHECK(q[i] >= c.lower && q[i] <= c.upper);
        }
        arms_end(&a);
    }
}

// Of all poses with the tips in place the one nearest to rest: nothing within reach of a small slide is nearer. With
// rest itself among them it is rest.
TEST(a_posture_that_is_there_already_stays)
{
    uint64_t seed = 5;
    two_arms a;
    double q[ALL], rest[ALL];
    pawl_limb_target targets[2];
    arms_begin(&a, &seed);
    for (int i = 0; i < ALL; ++i) {
        rest[i] = q[i] = random_in(&seed, -0.8, 0.8);
    }
    arms_targets(&a, rest, false, targets);
    for (int i = 0; i < ALL; ++i) {
        q[i] += random_in(&seed, -0.1, 0.1);
    }
    CHECK_NEAR(pawl_posture_reach(a.posture, targets, rest, q), 0.0, 1e-9);
    for (int i = 0; i < ALL; ++i) {
        CHECK_NEAR(q[i], rest[i], 1e-6);
    }
    arms_end(&a);
}

// By central differences; of the orientation by the rotation vector between two poses.
TEST(the_jacobian_of_a_pose_has_its_angular_velocity)
{
    uint64_t seed = 9;
    two_arms a;
    arms_begin(&a, &seed);
    int n = pawl_limb_coordinate_count(a.limbs[0]);
    double q[WAIST + ARM], J[6 * (WAIST + ARM)];
    const double h = 1e-5;
    for (int i = 0; i < n; ++i) {
        q[i] = random_in(&seed, -1.0, 1.0);
    }
    (void)pawl_limb_pose(a.limbs[0], q, J);
    for (int i = 0; i < n; ++i) {
        double middle = q[i];
        q[i] = middle + h;
        pawl_pose ahead = pawl_limb_pose(a.limbs[0], q, NULL);
        q[i] = middle - h;
        pawl_pose behind = pawl_limb_pose(a.limbs[0], q, NULL);
        q[i] = middle;
        pawl_vec3 rate = v3_scale(0.5 / h, v3_sub(ahead.position, behind.position));
        pawl_vec3 turn =
            v3_scale(0.5 / h, quat_log(quat_mul(ahead.orientation, quat_conj(behind.orientation))));
        CHECK_NEAR3(v3(J[6 * i], J[6 * i + 1], J[6 * i + 2]), rate, 1e-8);
        CHECK_NEAR3(v3(J[6 * i + 3], J[6 * i + 4], J[6 * i + 5]), turn, 1e-8);
    }
    arms_end(&a);
}

TEST(what_one_of_two_limbs_cannot_reach_is_said_by_its_distance)
{
    uint64_t seed = 3;
    two_arms a;
    double q[ALL] = {0.0}, rest[ALL] = {0.0};
    pawl_limb_target targets[2];
    arms_begin(&a, &seed);
    arms_targets(&a, rest, false, targets);
    targets[1].position.z += 10.0;
    double left = pawl_posture_reach(a.posture, targets, rest, q);
    CHECK(left > 8.0 && left < 10.0);
    arms_end(&a);
}

static pawl_status posture_make(const pawl_env *env, void *argument)
{
    two_arms *a = argument;
    pawl_posture *posture;
    pawl_status status = pawl_posture_create(env, a->limbs, 2, &posture);
    pawl_posture_destroy(posture);
    return status;
}

TEST(a_posture_survives_a_lack_of_memory)
{
    uint64_t seed = 3;
    two_arms a;
    arms_begin(&a, &seed);
    CHECK_SURVIVES_NO_MEMORY(posture_make, &a);
    arms_end(&a);
}
