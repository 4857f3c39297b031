// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Balance of a pose: the base moves over its feet until the centre of mass is at its target. Feet are placed in the
// axes of the base, so "the base moves by d" is "all feet move by -d", in the plane of the base's x and y. The centre
// of mass is projected along gravity to the height of the feet, which matters on slopes. The legs move by only a part
// of d; the repeated correction converges because they are not the whole mass.
#include "base/guard.h"
#include "math/rotation.h"
#include "pawl/query.h"
#include "read/keyframe_feet.h"
#include "read/support_polygon.h"
#include <string.h>

// Bodies that joints connect with the base, without the world: other bodies of the scene do not count.
static void balance_find_robot(keyframe_feet *f)
{
    f->robot[pawl_body_index(f->base)] = true;
    for (bool more = true; more;) {
        more = false;
        for (int j = 0; j < pawl_model_joint_count(f->model); ++j) {
            pawl_joint_info joint = pawl_model_joint(f->model, pawl_model_joint_at(f->model, j));
            int a = pawl_body_index(joint.base), b = pawl_body_index(joint.follower);
            if (a >= 0 && b >= 0 && f->robot[a] != f->robot[b]) {
                f->robot[a] = f->robot[b] = more = true;
            }
        }
    }
}

static pawl_status balance_prepare(keyframe_feet *f)
{
    if (f->posed != NULL) {
        return PAWL_OK;
    }
    f->robot = pawl_alloc(f->env, (size_t)pawl_model_body_count(f->model) * sizeof *f->robot + 1);
    if (f->robot == NULL) {
        return PAWL_FAIL(f->env, PAWL_NO_MEMORY, "no memory for the balance of a motion");
    }
    balance_find_robot(f);
    PAWL_TRY(pawl_state_create(f->env, f->model, &f->posed));
    return pawl_state_copy(f->posed, f->start);
}

void keyframe_balance_release(keyframe_feet *f)
{
    pawl_state_destroy(f->posed);
    if (f->robot != NULL) {
        pawl_free(f->env, f->robot, (size_t)pawl_model_body_count(f->model) * sizeof *f->robot + 1);
    }
}

// The model's joints take the values of the actuators that the motion moves.
static pawl_status balance_pose(keyframe_feet *f)
{
    for (int j = 0; j < pawl_model_joint_count(f->model); ++j) {
        pawl_joint_id joint = pawl_model_joint_at(f->model, j);
        double q[6];
        bool moved = false;
        for (int a = 0; a < f->actuator_count; ++a) {
            pawl_actuator_def def =
                pawl_model_actuator(f->model, pawl_model_actuator_at(f->model, a));
            if (!f->moved[a] || !pawl_joint_same(def.joint, joint)) {
                continue;
            }
            if (!moved) {
                pawl_state_joint(f->start, joint, q, NULL);
                moved = true;
            }
            q[def.coordinate] = f->value[a];
        }
        if (moved) {
            PAWL_TRY(pawl_state_set_joint(f->posed, joint, q, NULL));
        }
    }
    return PAWL_OK;
}

// The centre of mass of the robot, seen from its base.
static pawl_vec3 balance_centre(const keyframe_feet *f)
{
    pawl_vec3 sum = v3(0.0, 0.0, 0.0);
    double mass = 0.0;
    for (int b = 0; b < pawl_model_body_count(f->model); ++b) {
        pawl_body_id id = pawl_model_body_at(f->model, b);
        pawl_body_info body = pawl_model_body(f->model, id);
        if (f->robot[b] && body.mass > 0.0) {
            pawl_vec3 at = pawl_pose_apply(pawl_state_pose(f->posed, id), body.com);
            sum = v3_axpy(sum, body.mass, at);
            mass += body.mass;
        }
    }
    pawl_pose base = pawl_state_pose(f->posed, f->base);
    pawl_vec3 seen = pawl_pose_apply(pawl_pose_inverse(base), v3_scale(1.0 / mass, sum));
    return pawl_quat_rotate(f->axes, seen);
}

// Against gravity, in the axes of the base at the start.
static pawl_vec3 balance_up(const keyframe_feet *f)
{
    pawl_vec3 g = pawl_model_gravity(f->model);
    double size = v3_norm(g);
    if (!(size > 0.0)) {
        return v3(0.0, 0.0, 1.0);
    }
    pawl_quat turn = pawl_state_pose(f->start, f->base).orientation;
    return pawl_quat_rotate(quat_mul(f->axes, quat_conj(turn)), v3_scale(-1.0 / size, g));
}

// By how much the centre of mass misses its place, at the height of the feet that carry it.
static flat_point balance_error(const keyframe_feet *f, const keyframe_balance *balance,
                                pawl_vec3 up)
{
    flat_point feet[SUPPORT_MAX_POINTS];
    int count = 0;
    double height = 0.0;
    for (int i = 0; i < f->count; ++i) {
        if ((balance->feet >> i & 1) != 0) {
            pawl_vec3 at = f->feet[i].target.position;
            feet[count++] = (flat_point){at.x, at.y};
            height += at.z;
        }
    }
    pawl_vec3 centre = balance_centre(f);
    pawl_vec3 below = v3_axpy(centre, -(centre.z - height / count) / up.z, up);
    flat_point at = {below.x, below.y};
    flat_point to = balance->margin < 0.0 ? support_mean(feet, count)
                                          : support_nearest(feet, count, balance->margin, at);
    return (flat_point){to.x - at.x, to.y - at.y};
}

pawl_status keyframe_feet_balance(keyframe_feet *f, const keyframe_balance *balance)
{
    enum { ROUNDS = 100 };
    static const double balanced = 1e-11; // [m]
    PAWL_TRY(balance_prepare(f));
    pawl_vec3 up = balance_up(f);
    if (!(up.z > 0.1)) {
        f->text->line = balance->line;
        return text_lines_error(f->text,
                                "got balance with a base whose z axis does not point up; 'base %s "
                                "ROLL PITCH YAW' [degrees] gives axes that do",
                                pawl_model_body(f->model, f->base).name);
    }
    for (int round = 0;; ++round) {
        PAWL_TRY(keyframe_feet_solve(f, 1.0));
        PAWL_TRY(balance_pose(f));
        flat_point missing = balance_error(f, balance, up);
        if (hypot(missing.x, missing.y) < balanced) {
            return PAWL_OK;
        }
        if (round == ROUNDS) {
            f->text->line = balance->line;
            return text_lines_error(f->text,
                                    "the centre of mass cannot be brought over these feet: it "
                                    "stays %.3g m away",
                                    hypot(missing.x, missing.y));
        }
        for (int i = 0; i < f->count; ++i) {
            keyframe_foot *foot = &f->feet[i];
            foot->target.position.x -= missing.x;
            foot->target.position.y -= missing.y;
            foot->line = foot->moved ? foot->line : balance->line;
            foot->moved = true;
        }
    }
}
