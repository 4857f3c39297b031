// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// If the joints of a file are open, its zero position is not a configuration of the mechanism, and closing the loops
// from there may end in any of the possible assemblies. The limits of the joints indicate the intended one, so hinges
// and slides are first moved within their limits.
#include "sim/start_limits.h"
#include "rows/measure.h"

static const double start_meets =
    1e-6; // joints that are open by less span the tree first [m or rad]
static const double start_narrow = 3.15; // ranges up to this have a middle that means something

typedef struct limit_tree {
    const pawl_model *model;
    int *joint; // (bodies) that holds the body to its parent; -1 for roots
    int *order; // (bodies) parents before children
    bool *seen; // (bodies)
    int count;
} limit_tree;

// Largest residual of the joint's rows [m or rad].
static double start_open(const pawl_state *s, const model_joint *j)
{
    joint_frames f;
    double residual[6], worst = 0.0;
    pawl_state_joint_frames(s, j, &f);
    pawl_joint_rows(j, &f, 0.0, residual, NULL, NULL);
    for (int r = 0; r < j->row_count; ++r) {
        worst = fmax(worst, fabs(residual[r]));
    }
    return worst;
}

static int start_other(const model_joint *j, int body)
{
    return j->base == body ? j->follower : j->base;
}

// All that joints lead to from what was seen and the world: through those that meet, or through all.
static void start_grow(limit_tree *t, const pawl_state *s, bool all)
{
    const pawl_model *m = t->model;
    bool grown = true;
    while (grown) {
        grown = false;
        for (int i = 0; i < m->joint_count; ++i) {
            const model_joint *j = &m->joints[i];
            if (j->kind == PAWL_JOINT_GEAR) {
                continue;
            }
            bool base = j->base < 0 || t->seen[j->base];
            bool follower = j->follower < 0 || t->seen[j->follower];
            if (base == follower || (!all && start_open(s, j) > start_meets)) {
                continue;
            }
            int child = base ? j->follower : j->base;
            t->seen[child] = grown = true;
            t->joint[child] = i;
            t->order[t->count++] = child;
        }
    }
}

// A spanning tree of the bodies. Closed joints come first, so that correctly placed bodies stay together and loops
// are cut at open joints.
static void start_span(limit_tree *t, const pawl_state *s)
{
    for (int i = 0; i < t->model->body_count; ++i) {
        t->joint[i] = -1;
        t->seen[i] = false;
    }
    // Closed joints first, then open ones.
    start_grow(t, s, false);
    start_grow(t, s, true);
    for (int i = 0; i < t->model->body_count; ++i) {
        if (!t->seen[i]) { // a body that floats, and what hangs on it
            t->seen[i] = true;
            t->order[t->count++] = i;
            start_grow(t, s, false);
            start_grow(t, s, true);
        }
    }
}

// Whether the path from a body to its root passes `top`.
static bool start_hangs_on(const limit_tree *t, int body, int top)
{
    while (body >= 0 && body != top) {
        int joint = t->joint[body];
        body = joint < 0 ? -1 : start_other(&t->model->joints[joint], body);
    }
    return body == top;
}

// How far a hinge or slide is to be moved: to the middle of a range that is narrow, else to its limit.
static double start_change(const pawl_coordinate_def *d, double q)
{
    if (q >= d->lower - start_meets && q <= d->upper + start_meets) {
        return 0.0;
    }
    if (d->upper - d->lower <= start_narrow) {
        return 0.5 * (d->lower + d->upper) - q;
    }
    return (q < d->lower ? d->lower : d->upper) - q;
}

// Turns or shifts the child and all bodies behind it, by `change` [rad or m] of the joint's coordinate. The joint's
// axis is the first of its base frame; the sign depends on whether the child is the follower.
static void start_move(const limit_tree *t, pawl_state *s, int child, double change)
{
    const model_joint *j = &t->model->joints[t->joint[child]];
    joint_frames f;
    pawl_state_joint_frames(s, j, &f);
    const pawl_mat3 *axes = &f.base_axes;
    pawl_vec3 axis = v3(axes->m[0][0], axes->m[1][0], axes->m[2][0]);
    pawl_vec3 displacement = v3_scale(j->follower == child ? change : -change, axis);
    pawl_vec3 at = v3_add(s->bodies[j->follower].r, f.follower_lever);
    pawl_quat turn = quat_exp(displacement);
    for (int i = 0; i < t->model->body_count; ++i) {
        body_state *b = &s->bodies[i];
        if (!start_hangs_on(t, i, child)) {
            continue;
        }
        if (j->kind == PAWL_JOINT_PRISMATIC) {
            b->r = v3_add(b->r, displacement);
        } else {
            b->r = v3_add(at, pawl_quat_rotate(turn, v3_sub(b->r, at)));
            b->q = pawl_quat_normalize(quat_mul(turn, b->q));
        }
    }
}

// Parents before children, so that a joint is measured after all above it were moved. *moved: how many joints were
// beyond their limits.
pawl_status pawl_start_within_limits(const pawl_env *env, pawl_state *s, int *moved)
{
    const pawl_model *m = s->model;
    size_t bodies = (size_t)m->body_count;
    size_t bytes = bodies * (2 * sizeof(int) + sizeof(bool));
    *moved = 0;
    int *block = pawl_alloc(env, bytes);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory to assemble '%s'", m->name);
    }
    limit_tree t = {
        .model = m, .joint = block, .order = block + bodies, .seen = (bool *)(block + 2 * bodies)};
    start_span(&t, s);
    for (int k = 0; k < t.count; ++k) {
        int child = t.order[k];
        const model_joint *j = t.joint[child] < 0 ? NULL : &m->joints[t.joint[child]];
        if (j == NULL || (j->kind != PAWL_JOINT_REVOLUTE && j->kind != PAWL_JOINT_PRISMATIC) ||
            m->bodies[child].kind == PAWL_BODY_KINEMATIC) {
            continue;
        }
        double q[6];
        pawl_state_joint(s, model_joint_id(s->model, t.joint[child]), q, NULL);
        double change = start_change(&j->coordinate[0], q[0]);
        if (change != 0.0) {
            start_move(&t, s, child, change);
            ++*moved;
        }
    }
    pawl_free(env, block, bytes);
    return PAWL_OK;
}
