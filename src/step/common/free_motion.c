// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Free motion: the twists after a step if no row acted (loops eq. 10a without JT lambda),
//   (M + h theta D) u_free = (M - h (1 - theta) D) u- + h f + gyroscopic torque,
// D the damping of bodies. The gyroscopic torque is implicit in the body's own axes (gyroscope.c). In reduced
// coordinates the joints of the tree act at once, so that u_free is the nearest motion of the tree.
#include "step/common/free_motion.h"
#include "step/common/applied_forces.h"
#include "step/common/gyroscope.h"
#include "step/common/twist.h"
#include <string.h>

// The mean twist that carries a kinematic body through the step.
static void free_kinematic_twist(const model_body *b, const step_weights *w, double *u)
{
    if (w->at_end) {
        pawl_twist twist = pawl_kinematic_twist(b, w->place_time);
        twist_put(u, twist.linear, twist.angular);
        return;
    }
    pawl_pose from = pawl_kinematic_pose(b, w->begin), to = pawl_kinematic_pose(b, w->end);
    pawl_vec3 turn = quat_log(quat_mul(to.orientation, quat_conj(from.orientation)));
    twist_put(u, v3_scale(1.0 / w->h, v3_sub(to.position, from.position)),
              v3_scale(1.0 / w->h, turn));
}

// World-axes spin after the step from the body-axes spin W that the gyroscope left: body damping.
pawl_vec3 pawl_damped_spin(const step_context *c, int i, pawl_vec3 W, const step_weights *w)
{
    const model_body *b = &c->model->bodies[i];
    const pawl_mat3 *r = &c->assembly->rotation[i];
    pawl_vec3 spin = m3_mul(r, W);
    if (b->angular_damping == 0.0) {
        return spin;
    }
    double theta = pawl_assembly_angular_theta(c->assembly, i, w->h);
    double explicit_part = (1.0 - theta) * w->h * b->angular_damping;
    pawl_mat3 inertia = m3_congruence(r, &b->inertia);
    pawl_vec3 start = twist_angular(c->u.start + 6 * i);
    // I w - (1 - theta) h d w-: the explicit half of damping. The implicit half is in inverse_inertia.
    pawl_vec3 L = v3_axpy(m3_mul(&inertia, spin), -explicit_part, start);
    return m3_mul(&c->assembly->inverse_inertia[i], L);
}

// u.free: the twists after the step if no row acted, from the applied impulses in u.driven.
void pawl_free_motion_find(step_context *c, const pawl_state *s, const step_weights *w)
{
    const pawl_model *m = c->model;
    const pawl_assembly *a = c->assembly;
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        const body_state *x = &s->bodies[i];
        const double *p = c->u.driven + 6 * i;
        double *u = c->u.own + 6 * i;
        if (b->kind == PAWL_BODY_KINEMATIC) {
            free_kinematic_twist(b, w, u);
            memcpy(c->u.start + 6 * i, u, 6 * sizeof *u);
            continue;
        }
        twist_put(c->u.start + 6 * i, x->v, x->w);
        if (pawl_sleeps(c, i)) { // what holds it is not looked for
            twist_put(u, x->v, x->w);
            continue;
        }
        double theta = pawl_assembly_linear_theta(a, i, w->h);
        double explicit_part = (1.0 - theta) * w->h * b->linear_damping;
        pawl_vec3 push = v3_axpy(twist_linear(p), w->h * b->mass * b->gravity_scale, m->gravity);
        push = v3_axpy(push, b->mass - explicit_part, x->v);
        pawl_vec3 v = v3_scale(a->inverse_mass[i], push);
        if (b->kind == PAWL_BODY_POINT) {
            twist_put(u, v, v3(0, 0, 0));
            continue;
        }
        const pawl_mat3 *r = &a->rotation[i];
        pawl_vec3 torque = v3_scale(1.0 / w->h, m3_tmul(r, twist_angular(p)));
        pawl_vec3 W = m3_tmul(r, x->w);
        W = w->keeps_momentum ? v3_axpy(W, w->h, m3_mul(&b->inverse_inertia, torque))
                              : pawl_gyroscope_step(b, W, torque, w->h);
        twist_put(u, v, pawl_damped_spin(c, i, W, w));
    }
}

// u.free from u.own: in reduced coordinates the joints of the tree act at once, on u+ + start_weight u-.
void pawl_free_motion_bind(step_context *c, const step_weights *w)
{
    if (!c->coordinates->ops->has_tree_joints) {
        return;
    }
    int n = 6 * c->model->body_count;
    for (int i = 0; i < n; ++i) {
        c->u.free[i] = c->u.own[i] + w->start_weight * c->u.start[i];
    }
    pawl_coordinates_constrain(c->coordinates, c->u.free);
    for (int i = 0; i < n; ++i) {
        c->u.free[i] -= w->start_weight * c->u.start[i];
    }
}

// u.free becomes half of the change of twists by forces over the step: what acts before an impact in its middle.
void pawl_half_forces(step_context *c, const pawl_state *s, const step_weights *w)
{
    pawl_apply_forces(c, w);
    pawl_free_motion_find(c, s, w);
    pawl_free_motion_bind(c, w);
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        c->u.free[i] = 0.5 * (c->u.free[i] - c->u.start[i]);
    }
}
