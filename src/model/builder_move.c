// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Moves floating bodies: those that no chain of joints connects with the world or with a body of prescribed motion.
#include "base/guard.h"
#include "math/rotation.h"
#include "model/builder.h"

// Whether a body is tied, by the flags found so far; the world is.
static bool builder_is_tied(const pawl_builder *b, const bool *tied, pawl_body_id id)
{
    int body = BUILDER_QUIET_OR_WORLD(b, id);
    return body < 0 || tied[body];
}

// Spreads from tied bodies over joints until nothing changes. A free joint ties nothing.
static void builder_find_tied(const pawl_builder *b, bool *tied)
{
    for (int i = 0; i < b->bodies.count; ++i) {
        tied[i] = PAWL_ITEM(b->bodies, pawl_body_def, i).kind == PAWL_BODY_KINEMATIC;
    }
    for (bool more = true; more;) {
        more = false;
        for (int j = 0; j < b->joints.count; ++j) {
            const pawl_joint_def *joint = &PAWL_ITEM(b->joints, pawl_joint_def, j);
            bool base = builder_is_tied(b, tied, joint->base);
            bool follower = builder_is_tied(b, tied, joint->follower);
            if (joint->kind != PAWL_JOINT_FREE && joint->kind != PAWL_JOINT_SPAN &&
                base != follower) {
                tied[BUILDER_QUIET(b, ID_BODY, base ? joint->follower : joint->base)] = more = true;
            }
        }
    }
}

// `motion` is applied in the world from the left: poses and velocities turn with it.
pawl_status pawl_builder_move_floating(pawl_builder *b, pawl_pose motion)
{
    PAWL_NEED(NULL, b);
    if (!pawl_builder_pose_good(&motion)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "got a motion with numbers that are not finite, or no rotation");
    }
    size_t size = (size_t)b->bodies.count * sizeof(bool) + 1;
    bool *tied = pawl_alloc(&b->env, size);
    if (tied == NULL) {
        return pawl_builder_no_memory(b);
    }
    builder_find_tied(b, tied);
    for (int i = 0; i < b->bodies.count; ++i) {
        pawl_body_def *def = &PAWL_ITEM(b->bodies, pawl_body_def, i);
        if (!tied[i]) {
            def->pose = pawl_pose_compose(motion, def->pose);
            def->twist.linear = pawl_quat_rotate(motion.orientation, def->twist.linear);
            def->twist.angular = pawl_quat_rotate(motion.orientation, def->twist.angular);
        }
    }
    pawl_free(&b->env, tied, size);
    return PAWL_OK;
}
