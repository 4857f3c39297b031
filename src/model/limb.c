// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Forward and inverse kinematics of a chain of joints.
//
// A joint is a row of single turns and slides between its two frames. Inverse kinematics has two
// parts. Getting there: Levenberg-Marquardt, d = JT (J JT + lambda 1)^-1 e with e what is missing,
// and coordinates at a limit that would leave it held. Staying natural: a limb with more
// coordinates than it needs can move without moving its tip; it moves along the null space of J
// towards the rest pose, returns to the target, and keeps what brought it nearer to rest. So the answer
// depends on the rest pose and not on the way that led there.
//
// A straight limb cannot feel how it would bend (J has lost a direction), and one at a limit may have to leave it
// the other way round. Where the way from q or from rest ends short, it is tried from bent poses all around:
// the points of Halton's sequence within small, then larger parts of the limits.
#include "pawl/limb.h"
#include "base/carver.h"
#include "base/env.h"
#include "base/guard.h"
#include "math/rotation.h"
#include "model/model.h"
#include <string.h>

static const double LIMB_REACHED = 1e-13; // a distance that counts as none, of 1 m or the target's
static const double LIMB_STILL = 1e-11;   // a movement towards rest that counts as none [rad or m]

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
    limb_step *steps;         // (count)
    pawl_vec3 tip;            // in the frame after the last step
    double *jacobian;         // (3 x count), column by column
    double *q, *move, *trial; // (count) each
    double *best;             // (count) of the bent starts
    bool *fixed;              // (count)
};

// The steps of a joint kind in the order of its coordinates; 0 for kinds that have no such steps.
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

static pawl_limb *limb_layout(pawl_carver *mem, int count)
{
    pawl_limb *limb = PAWL_CARVE(mem, pawl_limb, 1);
    limb_step *steps = PAWL_CARVE(mem, limb_step, count);
    double *numbers = PAWL_CARVE(mem, double, 7 * count);
    bool *fixed = PAWL_CARVE(mem, bool, count);
    if (limb != NULL) {
        *limb = (pawl_limb){.count = count,
                            .steps = steps,
                            .jacobian = numbers,
                            .q = numbers + 3 * count,
                            .move = numbers + 4 * count,
                            .trial = numbers + 5 * count,
                            .best = numbers + 6 * count,
                            .fixed = fixed};
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
    }
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

static pawl_pose limb_step_pose(const limb_step *s, double q)
{
    pawl_vec3 axis = limb_axis(s->axis);
    pawl_quat turn = s->turns ? quat_exp(v3_scale(q, axis)) : pawl_pose_identity().orientation;
    return (pawl_pose){v3_scale(s->slide * q, axis), turn};
}

pawl_vec3 pawl_limb_tip(const pawl_limb *limb, const double *q, double *jacobian)
{
    if (limb == NULL || (q == NULL && limb->count > 0)) {
        return v3(NAN, NAN, NAN);
    }
    pawl_pose pose = pawl_pose_identity();
    for (int i = 0; i < limb->count; ++i) {
        pose = pawl_pose_compose(pose, limb->steps[i].before);
        pose = pawl_pose_compose(pose, limb_step_pose(&limb->steps[i], q[i]));
    }
    pawl_vec3 tip = pawl_pose_apply(pose, limb->tip);
    pose = pawl_pose_identity();
    for (int i = 0; i < limb->count && jacobian != NULL; ++i) {
        const limb_step *s = &limb->steps[i];
        pose = pawl_pose_compose(pose, s->before);
        pawl_vec3 axis = pawl_quat_rotate(pose.orientation, limb_axis(s->axis));
        pawl_vec3 rate = v3_scale(s->slide, axis);
        if (s->turns) {
            rate = v3_add(rate, v3_cross(axis, v3_sub(tip, pose.position)));
        }
        memcpy(&jacobian[3 * i], &rate, sizeof rate);
        pose = pawl_pose_compose(pose, limb_step_pose(s, q[i]));
    }
    return tip;
}

// Whether coordinate i is at a limit that `move` would cross.
static bool limb_leaves(const pawl_limb *limb, const double *q, const double *move, int i)
{
    const pawl_limb_coordinate *of = &limb->steps[i].of;
    return (q[i] <= of->lower && move[i] < 0.0) || (q[i] >= of->upper && move[i] > 0.0);
}

// y = (J JT + lambda 1)^-1 e over the coordinates that are not held.
static pawl_vec3 limb_damped(const pawl_limb *limb, double lambda, pawl_vec3 e)
{
    pawl_mat3 a = {{{lambda, 0, 0}, {0, lambda, 0}, {0, 0, lambda}}};
    for (int i = 0; i < limb->count; ++i) {
        const double *c = &limb->jacobian[3 * i];
        for (int r = 0; r < 3 && !limb->fixed[i]; ++r) {
            for (int k = 0; k < 3; ++k) {
                a.m[r][k] += c[r] * c[k];
            }
        }
    }
    pawl_mat3 inverse = m3_inverse(&a);
    return m3_mul(&inverse, e);
}

static double limb_column_dot(const pawl_limb *limb, int i, pawl_vec3 y)
{
    const double *c = &limb->jacobian[3 * i];
    return c[0] * y.x + c[1] * y.y + c[2] * y.z;
}

// Into `move`: the damped step for what is missing and, with `towards`, what part of that
// movement leaves the tip where it is. Coordinates that would leave their limits are held.
static void limb_find_move(pawl_limb *limb, const double *q, double lambda, pawl_vec3 missing,
                           const double *towards)
{
    memset(limb->fixed, 0, (size_t)limb->count * sizeof *limb->fixed);
    for (bool again = true; again;) {
        pawl_vec3 e = missing;
        for (int i = 0; i < limb->count && towards != NULL; ++i) {
            if (!limb->fixed[i]) {
                const double *c = &limb->jacobian[3 * i];
                e = v3_axpy(e, -(towards[i] - q[i]), v3(c[0], c[1], c[2]));
            }
        }
        pawl_vec3 y = limb_damped(limb, lambda, e);
        again = false;
        for (int i = 0; i < limb->count; ++i) {
            double wish = towards != NULL ? towards[i] - q[i] : 0.0;
            limb->move[i] = limb->fixed[i] ? 0.0 : wish + limb_column_dot(limb, i, y);
        }
        for (int i = 0; i < limb->count; ++i) {
            if (!limb->fixed[i] && limb_leaves(limb, q, limb->move, i)) {
                limb->fixed[i] = again = true;
            }
        }
    }
}

static void limb_clamp(const pawl_limb *limb, double *q)
{
    for (int i = 0; i < limb->count; ++i) {
        q[i] = clamp_to(q[i], limb->steps[i].of.lower, limb->steps[i].of.upper);
    }
}

static double limb_reached(pawl_vec3 target)
{
    return LIMB_REACHED * max_of(1.0, v3_norm(target));
}

// Levenberg-Marquardt from q; returns the distance left.
static double limb_approach(pawl_limb *limb, pawl_vec3 target, double *q)
{
    enum { ROUNDS = 200 };
    double reached = limb_reached(target);
    limb_clamp(limb, q);
    pawl_vec3 missing = v3_sub(target, pawl_limb_tip(limb, q, limb->jacobian));
    double scale = 0.0; // of J JT
    for (int i = 0; i < 3 * limb->count; ++i) {
        scale += limb->jacobian[i] * limb->jacobian[i];
    }
    double lambda = 1e-4 * scale, least = 1e-12 * scale;
    for (int round = 0; round < ROUNDS && v3_norm(missing) > reached && scale > 0.0; ++round) {
        limb_find_move(limb, q, lambda, missing, NULL);
        double before = v3_norm(missing), longest = 0.0;
        double *fresh = limb->q;
        for (int i = 0; i < limb->count; ++i) {
            fresh[i] = q[i] + limb->move[i];
            longest = max_of(longest, fabs(limb->move[i]));
        }
        limb_clamp(limb, fresh);
        pawl_vec3 left = v3_sub(target, pawl_limb_tip(limb, fresh, NULL));
        if (v3_norm(left) < before) {
            memcpy(q, fresh, (size_t)limb->count * sizeof *q);
            missing = v3_sub(target, pawl_limb_tip(limb, q, limb->jacobian));
            lambda = max_of(least, 0.1 * lambda);
        } else {
            lambda *= 10.0;
            if (longest < 1e-14) {
                break;
            }
        }
    }
    return v3_norm(missing);
}

static double limb_distance2(const pawl_limb *limb, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < limb->count; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

// Into `move`: the way towards rest that leaves the tip of a limb at q where it is. Returns its largest
// component.
static double limb_find_slide(pawl_limb *limb, const double *rest, const double *q)
{
    double scale = 0.0, longest = 0.0;
    (void)pawl_limb_tip(limb, q, limb->jacobian);
    for (int i = 0; i < 3 * limb->count; ++i) {
        scale += limb->jacobian[i] * limb->jacobian[i];
    }
    limb_find_move(limb, q, 1e-12 * scale, v3(0.0, 0.0, 0.0), rest);
    for (int i = 0; i < limb->count; ++i) {
        longest = max_of(longest, fabs(limb->move[i]));
    }
    return longest;
}

// Slides along the poses that keep the tip in place to the one nearest to rest. A step is kept that came
// nearer; at the end, where distances differ by less than rounding, one after which less is to do.
static void limb_settle(pawl_limb *limb, pawl_vec3 target, const double *rest, double *q)
{
    enum { ROUNDS = 200 };
    double fraction = 1.0;
    double longest = limb_find_slide(limb, rest, q);
    for (int round = 0; round < ROUNDS && fraction > 1e-6 && longest > LIMB_STILL; ++round) {
        for (int i = 0; i < limb->count; ++i) {
            limb->trial[i] = q[i] + fraction * limb->move[i];
        }
        double left = limb_approach(limb, target, limb->trial);
        double next = limb_find_slide(limb, rest, limb->trial);
        double gain = limb_distance2(limb, q, rest) - limb_distance2(limb, limb->trial, rest);
        if (left <= 10.0 * limb_reached(target) && (gain > 1e-10 || next < longest)) {
            memcpy(q, limb->trial, (size_t)limb->count * sizeof *q);
            longest = next;
            fraction = fmin(1.0, 2.0 * fraction);
        } else {
            fraction *= 0.5;
            longest = limb_find_slide(limb, rest, q);
        }
    }
}

// Number `index` of Halton's sequence in this dimension, in -1 .. 1.
static double limb_scatter(int index, int dimension)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
    int base = primes[dimension % 8];
    double fraction = 1.0, sum = 0.0;
    for (int i = index + dimension / 8; i > 0; i /= base) {
        fraction /= base;
        sum += fraction * (i % base);
    }
    return 2.0 * sum - 1.0;
}

// From bent poses about q. Of the first size of bend that leads to the target, the answer nearest to rest; else the
// one that came nearest, if it is nearer than `left`.
static double limb_bend(pawl_limb *limb, pawl_vec3 target, const double *rest, double *q,
                        double left)
{
    enum { STARTS = 24 };
    static const double size[] = {0.1, 0.5, 6.3}; // [rad or m]
    double enough = 10.0 * limb_reached(target), nearest = INFINITY;
    for (int s = 0; s < 3 && left > enough; ++s) {
        for (int k = 1; k <= STARTS; ++k) {
            for (int i = 0; i < limb->count; ++i) {
                const pawl_limb_coordinate *of = &limb->steps[i].of;
                double low = max_of(of->lower, q[i] - size[s]);
                double high = fmin(of->upper, q[i] + size[s]);
                limb->trial[i] = 0.5 * (low + high + (high - low) * limb_scatter(k, i));
            }
            double other = limb_approach(limb, target, limb->trial);
            double far = limb_distance2(limb, limb->trial, rest);
            bool better = other <= enough ? far < nearest - 1e-9 : other < left;
            if (better) {
                memcpy(limb->best, limb->trial, (size_t)limb->count * sizeof *q);
                left = other;
                nearest = other <= enough ? far : nearest;
            }
        }
    }
    return left;
}

double pawl_limb_reach(pawl_limb *limb, pawl_vec3 target, const double *rest, double *q)
{
    if (limb == NULL || (limb->count > 0 && (q == NULL || rest == NULL)) || !v3_finite(target)) {
        return NAN;
    }
    for (int i = 0; i < limb->count; ++i) {
        if (!isfinite(q[i]) || !isfinite(rest[i])) {
            return NAN;
        }
    }
    double left = limb_approach(limb, target, q);
    // Caught at a limit, perhaps: once more from rest.
    if (left > 10.0 * limb_reached(target) && limb->count > 0) {
        memcpy(limb->trial, rest, (size_t)limb->count * sizeof *q);
        double other = limb_approach(limb, target, limb->trial);
        if (other < left) {
            memcpy(q, limb->trial, (size_t)limb->count * sizeof *q);
            left = other;
        }
    }
    if (left > 10.0 * limb_reached(target) && limb->count > 0) {
        memcpy(limb->best, q, (size_t)limb->count * sizeof *q);
        left = limb_bend(limb, target, rest, q, left);
        memcpy(q, limb->best, (size_t)limb->count * sizeof *q);
    }
    if (left <= 10.0 * limb_reached(target)) {
        limb_settle(limb, target, rest, q);
        left = v3_norm(v3_sub(target, pawl_limb_tip(limb, q, NULL)));
    }
    return left;
}
