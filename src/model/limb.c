// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Forward kinematics of a chain of joints: a joint is a sequence of single rotations and translations between its two
// frames. Inverse kinematics uses reach.c with the three errors of the tip's position.
//
// A limb is the chain of joints from a root body to a tip body. q (count) are its coordinates, from
// the root to the tip [rad or m]. All constant poses between two coordinates are multiplied once,
// at creation.
#include "pawl/limb.h"
#include "base/carver.h"
#include "base/env.h"
#include "base/guard.h"
#include "math/rotation.h"
#include "model/model.h"
#include "model/reach.h"
#include <string.h>

// One coordinate's movement: about and along an axis of the frame before it.
typedef struct limb_step {
    int axis;         // 0 x, 1 y, 2 z
    bool turns;       // a rotation about it
    double slide;     // translation along it per unit of the coordinate
    pawl_pose before; // constant pose in front of it
    pawl_limb_coordinate of;
} limb_step;

struct pawl_limb {
    pawl_env env;
    size_t bytes;
    int count;
    limb_step *steps;      // (count)
    pawl_vec3 tip;         // in the frame after the last step
    pawl_quat turn;        // of the tip's link in that frame
    double *lower, *upper; // (count)
    reach_space reach;     // of three errors
    pawl_vec3 target;      // of the search under way
};

// The steps of a joint kind in the order of its coordinates; 0 for kinds that have no such steps.
// Balls and free joints have no coordinates that can be set one by one, rods and points on lines no
// pose.
static int limb_kind_steps(pawl_joint_kind kind, double pitch, limb_step out[3])
{
    const limb_step slide[3] = {
        {.axis = 0, .slide = 1.0}, {.axis = 1, .slide = 1.0}, {.axis = 2, .slide = 1.0}};
    const limb_step turn[3] = {
        {.axis = 0, .turns = true}, {.axis = 1, .turns = true}, {.axis = 2, .turns = true}};
    switch (kind) {
    case PAWL_JOINT_REVOLUTE:
        out[0] = turn[0];
        return 1;
    case PAWL_JOINT_PRISMATIC:
        out[0] = slide[0];
        return 1;
    case PAWL_JOINT_SCREW:
        out[0] = (limb_step){.axis = 0, .turns = true, .slide = pitch};
        return 1;
    case PAWL_JOINT_CYLINDRICAL:
        out[0] = slide[0];
        out[1] = turn[0];
        return 2;
    case PAWL_JOINT_UNIVERSAL:
        out[0] = turn[0];
        out[1] = turn[1];
        return 2;
    case PAWL_JOINT_PLANAR:
        out[0] = slide[1];
        out[1] = slide[2];
        out[2] = turn[0];
        return 3;
    case PAWL_JOINT_CARTESIAN:
        memcpy(out, slide, sizeof slide);
        return 3;
    case PAWL_JOINT_GIMBAL:
        memcpy(out, turn, sizeof turn);
        return 3;
    default:
        return 0;
    }
}

// The joint that carries `body`, the first one that does; -1 for none.
static int limb_carrier(const pawl_model *model, int body)
{
    for (int j = 0; j < model->joint_count; ++j) {
        if (model->joints[j].follower == body && model->joints[j].kind != PAWL_JOINT_GEAR) {
            return j;
        }
    }
    return -1;
}

// How many coordinates the chain has, or -1 with a message.
// Walks from the tip to the root along followers. More joints than the model has means a closed
// loop of joints that never reaches the root.
static int limb_measure(const pawl_env *env, const pawl_model *model, int root, int tip)
{
    int count = 0, length = 0;
    for (int body = tip; body != root; ++length) {
        int j = body == PAWL_WORLD_INDEX || length > model->joint_count ? -1
                                                                        : limb_carrier(model, body);
        if (j < 0) {
            pawl_log(env, PAWL_LOG_ERROR, "no chain of joints leads from body '%s' to body '%s'",
                     root == PAWL_WORLD_INDEX ? "world" : model->bodies[root].name,
                     model->bodies[tip].name);
            return -1;
        }
        const model_joint *joint = &model->joints[j];
        limb_step steps[3];
        int added = limb_kind_steps(joint->kind, joint->pitch, steps);
        if (added == 0 && joint->kind != PAWL_JOINT_FIXED) {
            pawl_log(env, PAWL_LOG_ERROR,
                     "joint '%s' is %s: a limb has joints whose coordinates can be set one by one",
                     joint->name, pawl_joint_kind_name(joint->kind));
            return -1;
        }
        count += added;
        body = joint->base;
    }
    return count;
}

// Runs twice, to count bytes and to hand out pointers.
static pawl_limb *limb_layout(pawl_carver *mem, int count)
{
    reach_space reach = {0};
    pawl_limb *limb = PAWL_CARVE(mem, pawl_limb, 1);
    limb_step *steps = PAWL_CARVE(mem, limb_step, count);
    double *limits = PAWL_CARVE(mem, double, 2 * count);
    pawl_reach_layout(&reach, mem, count, 3, limits, limits != NULL ? limits + count : NULL);
    if (limb != NULL) {
        *limb = (pawl_limb){.count = count,
                            .steps = steps,
                            .lower = limits,
                            .upper = limits + count,
                            .reach = reach};
    }
    return limb;
}

// Fills the steps from the tip towards the root: `after` gathers what is constant behind each step.
static void limb_fill(pawl_limb *limb, const pawl_model *model, int root, int tip, pawl_vec3 point)
{
    pawl_pose after = pawl_pose_identity();
    int at = limb->count;
    limb->tip = point;
    for (int body = tip; body != root;) {
        int index = limb_carrier(model, body);
        const model_joint *j = &model->joints[index];
        limb_step steps[3];
        int count = limb_kind_steps(j->kind, j->pitch, steps);
        after = pawl_pose_compose(pawl_pose_inverse(j->follower_frame), after);
        for (int c = count - 1; c >= 0; --c) {
            limb_step *step = &limb->steps[--at];
            *step = steps[c];
            step->of = (pawl_limb_coordinate){model_joint_id(model, index), c,
                                              j->coordinate[c].lower, j->coordinate[c].upper};
            if (at == limb->count - 1) {
                limb->tip = pawl_pose_apply(after, point);
                limb->turn = after.orientation;
            } else {
                limb->steps[at + 1].before = after;
            }
            after = pawl_pose_identity();
        }
        after = pawl_pose_compose(j->base_frame, after);
        body = j->base;
    }
    if (limb->count > 0) {
        limb->steps[0].before = after;
    } else {
        limb->tip = pawl_pose_apply(after, point);
        limb->turn = after.orientation;
    }
    for (int i = 0; i < limb->count; ++i) {
        limb->lower[i] = limb->steps[i].of.lower;
        limb->upper[i] = limb->steps[i].of.upper;
    }
}

// What is missing of the target.
// J is the Jacobian of the tip, not of the error: reach.c wants e = target - tip with d tip = J dq.
static void limb_errors(void *user, const double *q, double *e, double *J)
{
    const pawl_limb *limb = user;
    pawl_vec3 missing = v3_sub(limb->target, pawl_limb_tip(limb, q, J));
    memcpy(e, &missing, sizeof missing);
}

pawl_status pawl_limb_create(const pawl_env *env, const pawl_model *model, pawl_body_id root_id,
                             pawl_body_id tip_id, pawl_vec3 point, pawl_limb **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, out);
    *out = NULL;
    int root = PAWL_INDEX_OR_WORLD(env, &model->ids[ID_BODY], root_id);
    int tip = PAWL_INDEX(env, &model->ids[ID_BODY], tip_id);
    if (root < PAWL_WORLD_INDEX || tip < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    if (!v3_finite(point)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "the point of a limb is (%g %g %g)", point.x,
                         point.y, point.z);
    }
    int count = limb_measure(env, model, root, tip);
    if (count < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    pawl_carver need = {0};
    limb_layout(&need, count);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "a limb needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    pawl_limb *limb = limb_layout(&mem, count);
    limb->env = *env;
    limb->bytes = need.used;
    limb->reach.errors = limb_errors;
    limb->reach.user = limb;
    limb_fill(limb, model, root, tip, point);
    *out = limb;
    return PAWL_OK;
}

void pawl_limb_destroy(pawl_limb *limb)
{
    if (limb != NULL) {
        pawl_env env = limb->env;
        pawl_free(&env, limb, limb->bytes);
    }
}

int pawl_limb_coordinate_count(const pawl_limb *limb)
{
    return limb != NULL ? limb->count : 0;
}

pawl_limb_coordinate pawl_limb_coordinate_at(const pawl_limb *limb, int index)
{
    if (limb == NULL || !PAWL_HAS(&limb->env, "coordinate", index, limb->count)) {
        return (pawl_limb_coordinate){{0, 0}, -1, NAN, NAN};
    }
    return limb->steps[index].of;
}

static pawl_vec3 limb_axis(int axis)
{
    return v3(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
}

// The pose that the coordinate q of one step makes.
static pawl_pose limb_step_pose(const limb_step *s, double q)
{
    pawl_vec3 axis = limb_axis(s->axis);
    pawl_quat turn = s->turns ? quat_exp(v3_scale(q, axis)) : pawl_pose_identity().orientation;
    return (pawl_pose){v3_scale(s->slide * q, axis), turn};
}

// The frame after the last step, and for each step the frame that it acts in through `visit`.
typedef void limb_visit(void *user, int i, const limb_step *step, pawl_pose frame);
static pawl_pose limb_walk(const pawl_limb *limb, const double *q, limb_visit *visit, void *user)
{
    pawl_pose pose = pawl_pose_identity();
    for (int i = 0; i < limb->count; ++i) {
        const limb_step *s = &limb->steps[i];
        pose = pawl_pose_compose(pose, s->before);
        if (visit != NULL) {
            visit(user, i, s, pose);
        }
        pose = pawl_pose_compose(pose, limb_step_pose(s, q[i]));
    }
    return pose;
}

// A column of the Jacobian: three rows of the tip's velocity, then, with six, three of the angular velocity.
typedef struct limb_columns {
    double *jacobian;
    int rows;
    pawl_vec3 tip;
} limb_columns;
// A turn moves the tip by axis x arm, a slide along the axis; a screw does both.
static void limb_column(void *user, int i, const limb_step *s, pawl_pose frame)
{
    const limb_columns *c = user;
    pawl_vec3 axis = pawl_quat_rotate(frame.orientation, limb_axis(s->axis));
    pawl_vec3 rate = v3_scale(s->slide, axis);
    if (s->turns) {
        rate = v3_add(rate, v3_cross(axis, v3_sub(c->tip, frame.position)));
    }
    memcpy(&c->jacobian[c->rows * i], &rate, sizeof rate);
    if (c->rows == 6) {
        pawl_vec3 turn = s->turns ? axis : v3(0.0, 0.0, 0.0);
        memcpy(&c->jacobian[c->rows * i + 3], &turn, sizeof turn);
    }
}

// Two walks: columns of turns need the position of the tip first. jacobian (count x rows), one
// column of the Jacobian after the other, in the axes of the root.
static pawl_pose limb_place(const pawl_limb *limb, const double *q, double *jacobian, int rows)
{
    pawl_pose last = limb_walk(limb, q, NULL, NULL);
    pawl_pose tip = {pawl_pose_apply(last, limb->tip), quat_mul(last.orientation, limb->turn)};
    if (jacobian != NULL) {
        limb_columns columns = {jacobian, rows, tip.position};
        (void)limb_walk(limb, q, limb_column, &columns);
    }
    return tip;
}

pawl_vec3 pawl_limb_tip(const pawl_limb *limb, const double *q, double *jacobian)
{
    if (limb == NULL || (q == NULL && limb->count > 0)) {
        return v3(NAN, NAN, NAN);
    }
    return limb_place(limb, q, jacobian, 3).position;
}

pawl_pose pawl_limb_pose(const pawl_limb *limb, const double *q, double *jacobian)
{
    if (limb == NULL || (q == NULL && limb->count > 0)) {
        return (pawl_pose){{NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}};
    }
    return limb_place(limb, q, jacobian, 6);
}

// Returns the distance that is left [m], NaN for bad arguments.
double pawl_limb_reach(pawl_limb *limb, pawl_vec3 target, const double *rest, double *q)
{
    static const double none = 1e-13; // a distance that counts as none, of 1 m or the target's
    if (limb == NULL || (limb->count > 0 && (q == NULL || rest == NULL)) || !v3_finite(target)) {
        return NAN;
    }
    for (int i = 0; i < limb->count; ++i) {
        if (!isfinite(q[i]) || !isfinite(rest[i])) {
            return NAN;
        }
    }
    limb->target = target;
    return pawl_reach(&limb->reach, none * max_of(1.0, v3_norm(target)), rest, q);
}
