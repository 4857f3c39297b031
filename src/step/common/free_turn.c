// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// In principal axes the kinetic energy of a free body with angular momentum L (body axes) is
//   H = |L|^2 / (2 I0) + (1/I1 - 1/I0) L1^2 / 2 + (1/I2 - 1/I0) L2^2 / 2.
// Each term alone is solved exactly by a rotation: the first about L itself, which does not change L, the others
// about a body axis. The first commutes with both others. Hence the symmetric composition
//   half of the second, the third and the first, half of the second
// (McLachlan 1993; Fasso 2003 compares the choices). I0 and I1 are the two moments that are closest, which
// makes the second term, and with it the error, small; equal moments make it vanish.
#include "step/common/free_turn.h"
#include "math/trig.h"
#include <math.h>

// Turns a body about its principal axis k by an angle: the momentum, which stays in the world, turns
// back in body axes.
static void free_turn_about(const principal_axes *p, int k, double angle, double L[3], pawl_quat *q)
{
    double sine, cosine;
    pawl_sincos(angle, &sine, &cosine);
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double a = cosine * L[i] + sine * L[j], b = cosine * L[j] - sine * L[i];
    L[i] = a;
    L[j] = b;
    *q = quat_mul(*q, quat_exp(v3_scale(angle, m3_column(&p->axes, k))));
}

// The composition keeps the energy as long as the rotations about body axes are small: longer ones are divided.
static const double free_turn_most = 0.5;   // [rad]
static const double free_turn_part = 0.05;  // of those that are divided
static const double free_turn_parts = 1000; // at most: more is not worth the time

static void free_turn_once(const principal_axes *p, double tau, double L[3], pawl_quat *q)
{
    const double base = 1.0 / p->moment[0];
    const double second = 1.0 / p->moment[1] - base, third = 1.0 / p->moment[2] - base;
    bool revolves = second == 0.0, isotropic = revolves && third == 0.0;
    if (!revolves) {
        free_turn_about(p, 1, 0.5 * tau * second * L[1], L, q);
    }
    if (!isotropic) {
        free_turn_about(p, 2, tau * third * L[2], L, q);
    }
    pawl_vec3 turn = m3_mul(&p->axes, v3(L[0], L[1], L[2]));
    *q = quat_mul(*q, quat_exp(v3_scale(tau * base, turn)));
    if (!revolves) {
        free_turn_about(p, 1, 0.5 * tau * second * L[1], L, q);
    }
}

void pawl_free_turn(const model_body *body, double tau, pawl_quat *q, pawl_vec3 *w)
{
    const principal_axes *p = &body->principal;
    pawl_mat3 r = quat_matrix(*q);
    pawl_vec3 spin = m3_tmul(&p->axes, m3_tmul(&r, *w));
    double L[3] = {p->moment[0] * spin.x, p->moment[1] * spin.y, p->moment[2] * spin.z};
    // Turns about an axis that the moments about the others are equal for are exact, however long.
    double base = 1.0 / p->moment[0], size = sqrt(L[0] * L[0] + L[1] * L[1] + L[2] * L[2]);
    double angle = fabs(tau) * size * fabs(1.0 / p->moment[1] - base);
    angle = angle > 0.0 ? fmax(angle, fabs(tau) * size * fabs(1.0 / p->moment[2] - base)) : 0.0;
    double parts = angle > free_turn_most ? fmin(ceil(angle / free_turn_part), free_turn_parts) : 1;
    for (int k = 0; k < (int)parts; ++k) {
        free_turn_once(p, tau / parts, L, q);
    }
    *q = pawl_quat_normalize(*q);
    r = quat_matrix(*q);
    spin = v3(L[0] / p->moment[0], L[1] / p->moment[1], L[2] / p->moment[2]);
    *w = m3_mul(&r, m3_mul(&p->axes, spin));
}

void pawl_advance_freely(const pawl_model *m, body_state *bodies, double tau, double t)
{
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        body_state *x = &bodies[i];
        if (b->kind == PAWL_BODY_KINEMATIC) {
            pawl_pose pose = pawl_kinematic_pose(b, t);
            pawl_twist twist = pawl_kinematic_twist(b, t);
            *x = (body_state){pose.position, pose.orientation, twist.linear, twist.angular};
            continue;
        }
        x->r = v3_axpy(x->r, tau, x->v);
        if (b->kind == PAWL_BODY_RIGID) {
            pawl_free_turn(b, tau, &x->q, &x->w);
        }
    }
}
