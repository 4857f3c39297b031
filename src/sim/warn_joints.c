// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Joints that probably do not move as intended: limits that allow no motion, and two hinges (or slides) of one pair
// of parts that are slightly off a common axis (or direction).
//
// Two hinges between the same two parts can turn only if their axes coincide. A door whose hinges were written with
// few digits is locked by its own joints.
#include "sim/warnings.h"
#include <string.h>

static const double joints_no_range = 1e-9;    // of limits [m or rad]
static const double joints_coaxial = 1e-6;     // up to here two axes are one [m, rad]
static const double joints_not_coaxial = 1e-2; // from here on they are meant to differ [rad, m/m]

// Whether the reader of a file has said it already, in better words.
static bool joints_reported(const pawl_model *m, pawl_warning_kind kind, const char *where)
{
    for (int i = 0; i < m->warning_count; ++i) {
        if (m->warnings[i].kind == kind && strstr(m->warnings[i].where, where) != NULL) {
            return true;
        }
    }
    return false;
}

pawl_status pawl_warn_locked(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        for (int c = 0; c < j->coordinate_count; ++c) {
            const pawl_coordinate_def *d = &j->coordinate[c];
            warning_where where = pawl_warning_joint(m, i);
            if (d->upper - d->lower <= joints_no_range &&
                !joints_reported(m, PAWL_WARNING_LOCKED_JOINT, where.text)) {
                PAWL_TRY(pawl_warning_add(
                    list, PAWL_WARNING_LOCKED_JOINT, where.text,
                    "give it limits that leave room, none, or make it a fixed joint",
                    "its limits %g and %g leave no motion along coordinate %d", d->lower, d->upper,
                    c));
            }
        }
    }
    return PAWL_OK;
}

// ---- parts: bodies that are fixed to each other ---------------------------------------------------

// Union-find with path halving.
static int joints_part(int *part, int i)
{
    while (part[i] != i) {
        part[i] = part[part[i]];
        i = part[i];
    }
    return i;
}

// A kinematic body whose motion is constant is a part of the world.
static bool joints_stands(const model_body *b)
{
    bool stands = b->kind == PAWL_BODY_KINEMATIC;
    for (int k = 0; k < 6; ++k) {
        stands = stands && b->motion[k].kind == PAWL_SIGNAL_CONSTANT;
    }
    return stands;
}

// part[i + 1] leads to what body i is fixed to, part[0] is the world.
static void joints_find_parts(const pawl_model *m, int *part)
{
    for (int i = 0; i <= m->body_count; ++i) {
        part[i] = i > 0 && joints_stands(&m->bodies[i - 1]) ? 0 : i;
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind == PAWL_JOINT_FIXED) {
            int a = joints_part(part, j->base + 1), b = joints_part(part, j->follower + 1);
            part[a > b ? a : b] = a > b ? b : a;
        }
    }
}

typedef struct joints_axis {
    pawl_vec3 point, direction; // in the world, at the start
} joints_axis;

// A point and the direction of the joint's axis, its first one, in the world.
static joints_axis joints_axis_of(const pawl_sim *sim, int joint)
{
    const model_joint *j = &sim->model->joints[joint];
    const body_state *b = &sim->state->bodies[j->follower];
    pawl_pose pose = {b->r, b->q};
    return (joints_axis){
        pawl_pose_apply(pose, j->follower_anchor),
        pawl_quat_rotate(b->q, m3_column(&j->follower_axes, 0)),
    };
}

// Hinges must share a line, slides only a direction. Below joints_coaxial the axes are one, beyond
// joints_not_coaxial they are meant to differ: both are fine.
static pawl_status joints_compare(const pawl_sim *sim, warning_list *list, int a, int b)
{
    const pawl_model *m = sim->model;
    bool hinge = m->joints[a].kind == PAWL_JOINT_REVOLUTE;
    joints_axis p = joints_axis_of(sim, a), q = joints_axis_of(sim, b);
    // The sine approximates the angle, which is small in the relevant cases; axes of opposite direction are one axis.
    double angle = v3_norm(v3_cross(p.direction, q.direction));
    pawl_vec3 apart = v3_sub(q.point, p.point);
    double offset = hinge ? v3_norm(v3_cross(apart, p.direction)) : 0.0;
    double spacing = v3_norm(apart);
    bool near = angle < joints_not_coaxial && offset < joints_not_coaxial * fmax(1.0, spacing);
    if (!near || (angle <= joints_coaxial && offset <= joints_coaxial)) {
        return PAWL_OK;
    }
    return pawl_warning_add(
        list, PAWL_WARNING_NEARLY_COAXIAL, pawl_warning_joints(m, a, b).text,
        "if one axis is meant, write both joints with the same one and more "
        "digits, or leave one of them out",
        "both connect the same two parts; their axes differ by %.3g rad and %.3g m", angle, offset);
}

// Joints are listed by the larger part number of their pair, so that the many joints at the world are not all
// compared with each other.
pawl_status pawl_warn_coaxial(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    size_t bytes = (size_t)(2 * (m->body_count + 1) + m->joint_count) * sizeof(int);
    int *part = pawl_alloc(list->env, bytes);
    if (part == NULL) {
        return PAWL_FAIL(list->env, PAWL_NO_MEMORY, "no memory to compare joint axes");
    }
    int *head = part + m->body_count + 1, *next = head + m->body_count + 1;
    joints_find_parts(m, part);
    memset(head, -1, (size_t)(m->body_count + 1) * sizeof *head);
    pawl_status status = PAWL_OK;
    for (int i = 0; i < m->joint_count && status == PAWL_OK; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind != PAWL_JOINT_REVOLUTE && j->kind != PAWL_JOINT_PRISMATIC) {
            continue;
        }
        int a = joints_part(part, j->base + 1), b = joints_part(part, j->follower + 1);
        int own = a > b ? a : b, other = a > b ? b : a; // many joints may lead to the world
        for (int k = head[own]; k >= 0 && status == PAWL_OK; k = next[k]) {
            const model_joint *l = &m->joints[k];
            int c = joints_part(part, l->base + 1), d = joints_part(part, l->follower + 1);
            if ((c > d ? d : c) == other && l->kind == j->kind) {
                status = joints_compare(sim, list, k, i);
            }
        }
        next[i] = head[own];
        head[own] = i;
    }
    pawl_free(list->env, part, bytes);
    return status;
}
