// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Impulses over a step of applied forces and of force actuators,
//   p = h f,   moment = h (t + l x f)   about the centre of mass,
// with signals at the mean of the two times of the weights and actuators along their coordinate's row g, p = h e gT.
// `applied` has applied forces alone, `driven` those and force actuators (both 6 x bodies, [N s] and [N m s],
// world axes): the energy balance needs them apart. Position and velocity actuators are rows
// (rows/actuator_rows.c). The drag of a medium counts as an applied force.
#include "step/common/applied_forces.h"
#include "step/common/adhesion.h"
#include <math.h>
#include <string.h>

static double forces_signal(const pawl_signal *signal, const step_weights *w)
{
    return 0.5 * (pawl_signal_value(signal, w->target_time[0]) +
                  pawl_signal_value(signal, w->target_time[1]));
}

static pawl_vec3 forces_signals(const pawl_signal signal[3], const step_weights *w)
{
    return v3(forces_signal(&signal[0], w), forces_signal(&signal[1], w),
              forces_signal(&signal[2], w));
}

static void forces_add(double *p, pawl_vec3 linear, pawl_vec3 angular)
{
    p[0] += linear.x, p[1] += linear.y, p[2] += linear.z;
    p[3] += angular.x, p[4] += angular.y, p[5] += angular.z;
}

// Impulses of applied forces over the step.
static void forces_apply(step_context *c, const step_weights *w)
{
    const pawl_model *m = c->model;
    const pawl_assembly *a = c->assembly;
    for (int i = 0; i < m->force_count; ++i) {
        const pawl_force_def *d = &m->forces[i];
        const pawl_mat3 *r = &a->rotation[pawl_body_index(d->body)];
        pawl_vec3 force = forces_signals(d->force, w);
        pawl_vec3 torque = forces_signals(d->torque, w);
        if (d->in_body_axes) {
            force = m3_mul(r, force);
            torque = m3_mul(r, torque);
        }
        pawl_vec3 lever = m3_mul(r, v3_sub(d->point, m->bodies[pawl_body_index(d->body)].com));
        pawl_vec3 moment = v3_add(torque, v3_cross(lever, force));
        forces_add(c->u.applied + 6 * pawl_body_index(d->body), v3_scale(w->h, force),
                   v3_scale(w->h, moment));
    }
}

// Impulse over the step of a drag -c |v| v on a mass m: -m v x/(1 + x) with x = h c |v|/m. To first order that is the
// drag at v, and it never reverses v, whatever the step.
static double forces_drag_along(double c, double v, double mass, double h)
{
    double x = h * c * fabs(v) / mass;
    return -mass * v * x / (1.0 + x);
}

// Drag of a medium on boxes with the bodies' inertia, in their principal axes (pawl_medium).
static void forces_drag(step_context *c, const step_weights *w)
{
    const pawl_model *m = c->model;
    const pawl_medium *medium = &m->medium;
    for (int i = 0; i < m->body_count && medium->density > 0.0; ++i) {
        const model_body *b = &m->bodies[i];
        if (b->kind != PAWL_BODY_RIGID) {
            continue;
        }
        const body_state *s = &c->assembly->bodies[i];
        const double *I = b->principal.moment;
        pawl_mat3 axes = m3_product(&c->assembly->rotation[i], &b->principal.axes);
        pawl_vec3 v = m3_tmul(&axes, v3_sub(s->v, medium->wind)), spin = m3_tmul(&axes, s->w);
        pawl_vec3 push = {0}, turn = {0};
        double side[3];
        for (int k = 0; k < 3; ++k) {
            double sum = I[(k + 1) % 3] + I[(k + 2) % 3] - I[k];
            side[k] = sqrt(6.0 * max_of(sum, 1e-15) / b->mass);
        }
        for (int k = 0; k < 3; ++k) {
            double p = side[(k + 1) % 3], q = side[(k + 2) % 3];
            double fourth = p * p * p * p + q * q * q * q;
            v3_set(&push, k,
                   forces_drag_along(0.5 * medium->density * p * q, v3_get(v, k), b->mass, w->h));
            v3_set(&turn, k,
                   forces_drag_along(medium->density * side[k] * fourth / 64.0, v3_get(spin, k),
                                     I[k], w->h));
        }
        forces_add(c->u.applied + 6 * i, m3_mul(&axes, push), m3_mul(&axes, turn));
    }
}

static double forces_actuator(step_context *c, int i, const coordinate_row *g,
                              const step_weights *w)
{
    const pawl_actuator_def *d = &c->model->actuators[i];
    double force = forces_signal(&d->target, w);
    if (d->muscle.peak > 0.0) {
        double rate =
            pawl_assembly_coordinate_rate(c->assembly, pawl_joint_index(d->joint), g, c->u.start);
        force = pawl_muscle_force(&d->muscle, g->value, rate, force);
    }
    return clamp_to(force, -d->effort, d->effort); // NaN stays
}

// The effort is what acts: nothing where nothing is touched.
static void forces_adhesion(step_context *c, int i, const step_weights *w)
{
    const pawl_actuator_def *d = &c->model->actuators[i];
    int points = pawl_adhesion_points(c, i), k = 0;
    double force = clamp_to(forces_signal(&d->target, w), -d->effort, d->effort);
    c->out.effort[i] = points > 0 ? force : 0.0;
    adhesion_pull pull;
    while (points > 0 && pawl_adhesion_next(c, i, w->h * force / points, &k, &pull)) {
        for (int side = 0; side < 2; ++side) {
            for (int n = 0; n < 6 && pull.body[side] >= 0; ++n) {
                c->u.driven[6 * pull.body[side] + n] += pull.p[side][n];
            }
        }
    }
}

static void forces_actuators(step_context *c, const step_weights *w)
{
    const pawl_model *m = c->model;
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *d = &m->actuators[i];
        if (d->kind == PAWL_ACTUATOR_ADHESION) {
            forces_adhesion(c, i, w);
        }
        if (d->kind != PAWL_ACTUATOR_FORCE) {
            continue;
        }
        const model_joint *j = &m->joints[pawl_joint_index(d->joint)];
        const coordinate_row *g = &c->assembly->coordinates[j->first_coordinate + d->coordinate];
        c->out.effort[i] = forces_actuator(c, i, g, w);
        double impulse = w->h * c->out.effort[i];
        const int body[2] = {j->base, j->follower};
        const double *row[2] = {g->base, g->follower};
        for (int side = 0; side < 2; ++side) {
            for (int k = 0; k < 6 && body[side] >= 0; ++k) {
                c->u.driven[6 * body[side] + k] += impulse * row[side][k];
            }
        }
    }
}

void pawl_apply_forces(step_context *c, const step_weights *w)
{
    size_t twists = (size_t)(6 * c->model->body_count) * sizeof(double);
    memset(c->u.applied, 0, twists);
    forces_apply(c, w);
    forces_drag(c, w);
    for (int i = 0; i < c->model->body_count && c->sleep.asleep > 0; ++i) {
        if (pawl_sleeps(c, i)) {
            memset(c->u.applied + 6 * i, 0, 6 * sizeof(double));
        }
    }
    memcpy(c->u.driven, c->u.applied, twists);
    forces_actuators(c, w);
}
