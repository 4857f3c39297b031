// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Poses between the ends of a step, by which events are located: the quadratic of the header in each body's axes
// ([potra-2006] section 7.2), with full turns counted where a body spins fast.
#include "step/common/motion_path.h"
#include "math/rotation.h"

static const double motion_turn = 6.283185307179586;

// The quadratic through 0 and `end` that begins with rate a and would end with rate b.
static pawl_vec3 motion_quadratic(pawl_vec3 a, pawl_vec3 b, pawl_vec3 end, double h, double tau)
{
    double x = tau / h;
    pawl_vec3 mean = v3_scale(0.5 * h, v3_add(a, b)), rest = v3_sub(end, mean);
    pawl_vec3 s = v3_axpy(v3_scale(tau, a), 0.5 * tau * x, v3_sub(b, a));
    return v3_axpy(s, x * x, rest);
}

// The rotation vector in body axes that takes q to q+, of those that differ by full turns the one next to
// the mean spin's.
static pawl_vec3 motion_rotation(pawl_quat from, pawl_quat to, pawl_vec3 expected)
{
    pawl_vec3 turn = quat_log(quat_mul(quat_conj(from), to));
    double angle = v3_norm(turn);
    if (!(v3_norm(expected) > 0.25 * motion_turn) || angle == 0.0) {
        return turn;
    }
    pawl_vec3 axis = v3_scale(1.0 / angle, turn);
    double turns = floor((v3_dot(axis, expected) - angle) / motion_turn + 0.5);
    return v3_axpy(turn, turns * motion_turn, axis);
}

// Positions by the quadratic, velocities linear in between: at both ends exactly the poses of the step, and second
// order in between, which is what locating events of a second-order method needs.
body_state pawl_motion_body(const motion_path *p, int i, double tau)
{
    const model_body *b = &p->model->bodies[i];
    const body_state *a = &p->from[i], *z = &p->to[i];
    if (b->kind == PAWL_BODY_KINEMATIC) {
        pawl_pose pose = pawl_kinematic_pose(b, p->begin + tau);
        pawl_twist twist = pawl_kinematic_twist(b, p->begin + tau);
        return (body_state){pose.position, pose.orientation, twist.linear, twist.angular};
    }
    double h = p->h, x = tau / h;
    pawl_vec3 displacement = motion_quadratic(a->v, z->v, v3_sub(z->r, a->r), h, tau);
    body_state out = {.r = v3_add(a->r, displacement),
                      .q = a->q,
                      .v = v3_axpy(a->v, x, v3_sub(z->v, a->v)),
                      .w = v3_axpy(a->w, x, v3_sub(z->w, a->w))};
    if (b->kind == PAWL_BODY_RIGID) {
        pawl_vec3 W = pawl_quat_rotate(quat_conj(a->q), a->w);
        pawl_vec3 Z = pawl_quat_rotate(quat_conj(z->q), z->w);
        pawl_vec3 end = motion_rotation(a->q, z->q, v3_scale(0.5 * h, v3_add(W, Z)));
        pawl_quat turned = quat_exp(motion_quadratic(W, Z, end, h, tau));
        out.q = pawl_quat_normalize(quat_mul(a->q, turned));
        out.w = pawl_quat_rotate(out.q, v3_axpy(W, x, v3_sub(Z, W)));
    }
    return out;
}

void pawl_motion_at(const motion_path *p, double tau, body_state *bodies)
{
    for (int i = 0; i < p->model->body_count; ++i) {
        bodies[i] = pawl_motion_body(p, i, tau);
    }
}
