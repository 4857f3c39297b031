// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The velocity part of a step that both euler and moreau share: free motion, the constraint
// problem, the new twists, and who did how much work.
#include "assemble/spin_rows.h"
#include "problem/natural.h"
#include "step/gyroscope.h"
#include "step/impact.h"
#include "step/push_out.h"
#include "step/report_merge.h"
#include "step/stiff_springs.h"
#include "step/warm_start.h"
#include <string.h>

// Share of the largest change of a spin in a step that a predicted gyroscopic torque may be off by: in
// smooth motion it is off by O(h^2) of it, so that such steps are solved once. Without bounded rows another
// solve is one pass through the factor that is there, and worth it for what spins fast.
static const double step_spin_share = 0.1;
static const double step_free_spin_share = 1e-9;

double pawl_step_end(const pawl_state *s, double dt)
{
    bool on_grid = fabs(s->time - (double)s->step * dt) <= 1e-6 * dt;
    return on_grid ? (double)(s->step + 1) * dt : s->time + dt;
}

step_weights pawl_step_weights(const step_context *c, const pawl_state *s)
{
    const pawl_settings *set = c->settings;
    return (step_weights){.h = set->dt,
                          .reach = set->dt,
                          .tally = 1.0,
                          .begin = s->time,
                          .end = pawl_step_end(s, set->dt),
                          .own_erp = !set->project,
                          .erp_joint = set->project ? 0.0 : set->erp_joint,
                          .erp_limit = set->erp_limit,
                          .erp_contact = set->erp_contact,
                          .max_push = set->max_push,
                          .limit_push = set->limit_push,
                          .soft_friction = set->soft_friction};
}

static void step_put(double *u, pawl_vec3 linear, pawl_vec3 angular)
{
    u[0] = linear.x, u[1] = linear.y, u[2] = linear.z;
    u[3] = angular.x, u[4] = angular.y, u[5] = angular.z;
}

static pawl_vec3 step_linear(const double *u)
{
    return v3(u[0], u[1], u[2]);
}

static pawl_vec3 step_angular(const double *u)
{
    return v3(u[3], u[4], u[5]);
}

static double step_signal(const pawl_signal *signal, const step_weights *w)
{
    return 0.5 * (pawl_signal_value(signal, w->target_time[0]) +
                  pawl_signal_value(signal, w->target_time[1]));
}

static pawl_vec3 step_signals(const pawl_signal signal[3], const step_weights *w)
{
    return v3(step_signal(&signal[0], w), step_signal(&signal[1], w), step_signal(&signal[2], w));
}

static void step_add(double *p, pawl_vec3 linear, pawl_vec3 angular)
{
    p[0] += linear.x, p[1] += linear.y, p[2] += linear.z;
    p[3] += angular.x, p[4] += angular.y, p[5] += angular.z;
}

// Impulses of applied forces over the step.
static void step_apply_forces(step_context *c, const step_weights *w)
{
    const pawl_model *m = c->model;
    const pawl_assembly *a = c->assembly;
    for (int i = 0; i < m->force_count; ++i) {
        const pawl_force_def *d = &m->forces[i];
        const pawl_mat3 *r = &a->rotation[d->body];
        pawl_vec3 force = step_signals(d->force, w);
        pawl_vec3 torque = step_signals(d->torque, w);
        if (d->in_body_axes) {
            force = m3_mul(r, force);
            torque = m3_mul(r, torque);
        }
        pawl_vec3 lever = m3_mul(r, v3_sub(d->point, m->bodies[d->body].com));
        pawl_vec3 moment = v3_add(torque, v3_cross(lever, force));
        step_add(c->impulse + 6 * d->body, v3_scale(w->h, force), v3_scale(w->h, moment));
    }
}

static double step_force_actuator(step_context *c, int i, const step_weights *w)
{
    const pawl_actuator_def *d = &c->model->actuators[i];
    double force = step_signal(&d->target, w);
    return clamp_to(force, -d->effort, d->effort); // NaN stays
}

static void step_apply_actuators(step_context *c, const step_weights *w)
{
    const pawl_model *m = c->model;
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *d = &m->actuators[i];
        if (d->kind != PAWL_ACTUATOR_FORCE) {
            continue;
        }
        const model_joint *j = &m->joints[d->joint];
        const coordinate_row *g = &c->assembly->coordinates[j->first_coordinate + d->coordinate];
        c->effort[i] = step_force_actuator(c, i, w);
        double impulse = w->h * c->effort[i];
        const int body[2] = {j->base, j->follower};
        const double *row[2] = {g->base, g->follower};
        for (int side = 0; side < 2; ++side) {
            for (int k = 0; k < 6 && body[side] >= 0; ++k) {
                c->push[6 * body[side] + k] += impulse * row[side][k];
            }
        }
    }
}

void pawl_push(step_context *c, const step_weights *w)
{
    size_t twists = (size_t)(6 * c->model->body_count) * sizeof(double);
    memset(c->impulse, 0, twists);
    step_apply_forces(c, w);
    memcpy(c->push, c->impulse, twists);
    step_apply_actuators(c, w);
}

// The mean twist that carries a kinematic body through the step.
static void step_kinematic_twist(const model_body *b, const step_weights *w, double *u)
{
    if (w->at_end) {
        pawl_twist twist = pawl_kinematic_twist(b, w->place_time);
        step_put(u, twist.linear, twist.angular);
        return;
    }
    pawl_pose from = pawl_kinematic_pose(b, w->begin), to = pawl_kinematic_pose(b, w->end);
    pawl_vec3 turn = quat_log(quat_mul(to.orientation, quat_conj(from.orientation)));
    step_put(u, v3_scale(1.0 / w->h, v3_sub(to.position, from.position)),
             v3_scale(1.0 / w->h, turn));
}

// World-axes spin after the step from the body-axes spin W that the gyroscope left: body damping.
static pawl_vec3 step_damped_spin(const step_context *c, int i, pawl_vec3 W, const step_weights *w)
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
    pawl_vec3 start = step_angular(c->u_start + 6 * i);
    pawl_vec3 L = v3_axpy(m3_mul(&inertia, spin), -explicit_part, start);
    return m3_mul(&c->assembly->inverse_inertia[i], L);
}

// u_free: the twists after the step if no row acted, from the applied impulses in push.
static void step_free_motion(step_context *c, const pawl_state *s, const step_weights *w)
{
    const pawl_model *m = c->model;
    const pawl_assembly *a = c->assembly;
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        const body_state *x = &s->bodies[i];
        const double *p = c->push + 6 * i;
        double *u = c->u_own + 6 * i;
        if (b->kind == PAWL_BODY_KINEMATIC) {
            step_kinematic_twist(b, w, u);
            memcpy(c->u_start + 6 * i, u, 6 * sizeof *u);
            continue;
        }
        step_put(c->u_start + 6 * i, x->v, x->w);
        double theta = pawl_assembly_linear_theta(a, i, w->h);
        double explicit_part = (1.0 - theta) * w->h * b->linear_damping;
        pawl_vec3 push = v3_axpy(step_linear(p), w->h * b->mass * b->gravity_scale, m->gravity);
        push = v3_axpy(push, b->mass - explicit_part, x->v);
        pawl_vec3 v = v3_scale(a->inverse_mass[i], push);
        if (b->kind == PAWL_BODY_POINT) {
            step_put(u, v, v3(0, 0, 0));
            continue;
        }
        const pawl_mat3 *r = &a->rotation[i];
        pawl_vec3 torque = v3_scale(1.0 / w->h, m3_tmul(r, step_angular(p)));
        pawl_vec3 W = m3_tmul(r, x->w);
        W = w->keeps_momentum ? v3_axpy(W, w->h, m3_mul(&b->inverse_inertia, torque))
                              : pawl_gyroscope_step(b, W, torque, w->h);
        step_put(u, v, step_damped_spin(c, i, W, w));
    }
}

// u_free from u_own: in reduced coordinates the joints of the tree act at once, on u+ + carry u-.
static void step_bind_free_motion(step_context *c, const step_weights *w)
{
    if (c->assembly->form == NULL) {
        return;
    }
    int n = 6 * c->model->body_count;
    for (int i = 0; i < n; ++i) {
        c->u_free[i] = c->u_own[i] + w->carry * c->u_start[i];
    }
    pawl_reduced_form_constrain(c->assembly->form, c->u_free);
    for (int i = 0; i < n; ++i) {
        c->u_free[i] -= w->carry * c->u_start[i];
    }
}

// Whether a body's gyroscopic torque depends on what rows do to it.
static bool step_has_gyroscope(const step_context *c, int i)
{
    const model_body *b = &c->model->bodies[i];
    bool touched = c->assembly->problem.contact_count > 0;
    return b->kind == PAWL_BODY_RIGID && !b->isotropic &&
           (c->assembly->body_has_rows[i] || touched);
}

// The free spin of body i with its gyroscopic torque at the spin between those before and after the step
// with its rows. Without this the torque knows nothing of what the rows did, and the step is of first order
// wherever joints turn a spinning body. Where the torque would change the spin by more than all of it, taking it
// again and again squares what is wrong each time: there it stays what it was.
static pawl_vec3 step_gyroscope_spin(const step_context *c, int i, const step_weights *w)
{
    const model_body *b = &c->model->bodies[i];
    const pawl_mat3 *r = &c->assembly->rotation[i];
    pawl_vec3 W = m3_tmul(r, step_angular(c->u_start + 6 * i));
    pawl_vec3 next = m3_tmul(r, step_angular(c->u_next + 6 * i));
    pawl_vec3 mean = v3_scale(0.5, v3_add(W, next));
    pawl_vec3 impulse = m3_tmul(r, step_angular(c->push + 6 * i));
    pawl_vec3 torque = v3_cross(mean, m3_mul(&b->inertia, mean));
    if (!(w->h * v3_norm(m3_mul(&b->inverse_inertia, torque)) <= v3_norm(mean))) {
        return step_angular(c->u_own + 6 * i);
    }
    impulse = v3_axpy(impulse, -w->h, torque);
    W = v3_add(W, m3_mul(&b->inverse_inertia, impulse));
    return step_damped_spin(c, i, W, w);
}

// Sets the free spins so. Returns the largest change of one [rad/s].
static double step_correct_gyroscopes(step_context *c, const step_weights *w)
{
    double change = 0.0;
    for (int i = 0; i < c->model->body_count; ++i) {
        if (step_has_gyroscope(c, i)) {
            double *u = c->u_own + 6 * i;
            pawl_vec3 spin = step_gyroscope_spin(c, i, w);
            change = max_of(change, v3_max_abs(v3_sub(spin, step_angular(u))));
            step_put(u, step_linear(u), spin);
        }
    }
    step_bind_free_motion(c, w);
    return change;
}

void pawl_step_correct_spins(step_context *c, const step_weights *w)
{
    for (int i = 0; i < c->model->body_count; ++i) {
        if (step_has_gyroscope(c, i)) {
            double *u = c->u_next + 6 * i;
            pawl_vec3 change = v3_sub(step_gyroscope_spin(c, i, w), step_angular(c->u_own + 6 * i));
            step_put(u, step_linear(u), v3_add(step_angular(u), change));
        }
    }
}

// Work of an impulse p on a body over the step: p . (u- + u+)/2, exactly its share of the change
// of kinetic energy.
static double step_work(const step_context *c, int body, const double *p)
{
    const double *a = c->u_start + 6 * body, *b = c->u_next + 6 * body;
    double work = 0.0;
    for (int k = 0; k < 6; ++k) {
        work += 0.5 * p[k] * (a[k] + b[k]);
    }
    return work;
}

// Work of a damper's impulse -h d rate at the mean rate.
static double step_damper_took(step_context *c, double d, double rate, double mean,
                               const step_weights *w)
{
    double work = -w->h * d * rate * mean;
    c->damper_work += work;
    c->damper_loss += w->h * d * rate * rate;
    return work;
}

// Work of a damper's impulse -h d (theta rate+ + (1 - theta) rate-) at the mean rate. `after` is what
// all of the impulses that are counted lead to.
static double step_damper_work(step_context *c, double d, double theta, double before, double after,
                               const step_weights *w)
{
    double end = w->tally == 1.0 ? after : before + (after - before) / w->tally;
    double rate = theta * end + (1.0 - theta) * before;
    return step_damper_took(c, d, rate, 0.5 * (before + after), w);
}

static double step_spring_damper_work(step_context *c, int r, double before, double after,
                                      const step_weights *w)
{
    double d = c->model->springs[c->assembly->rows[r].owner].damping;
    if (w->carries != 0.0 && c->assembly->bend[r] > 0.0) {
        double rate = pawl_stiff_spring_rate(c, w, r);
        return step_damper_took(c, d, rate, 0.5 * (before + after), w);
    }
    return step_damper_work(c, d, w->theta, before, after, w);
}

static double step_body_damping_work(step_context *c, int i, const step_weights *w)
{
    const model_body *b = &c->model->bodies[i];
    const double *u = c->u_start + 6 * i, *n = c->u_next + 6 * i;
    double linear = pawl_assembly_linear_theta(c->assembly, i, w->h);
    double angular = pawl_assembly_angular_theta(c->assembly, i, w->h), work = 0.0;
    for (int k = 0; k < 6; ++k) {
        double d = k < 3 ? b->linear_damping : b->angular_damping;
        work += step_damper_work(c, d, k < 3 ? linear : angular, u[k], n[k], w);
    }
    return work;
}

static void step_row_work(step_context *c, int r, double before, double after,
                          const step_weights *w, double *work)
{
    const pawl_model *m = c->model;
    const row_info *info = &c->assembly->rows[r];
    double done = c->lambda[r] * 0.5 * (before + after);
    switch (info->kind) {
    case ROW_JOINT:
        work[WORK_DAMPERS] += pawl_is_soft(&c->assembly->joint_soft[info->owner]) ? done : 0.0;
        break;
    case ROW_MOTION:
        break; // see pawl_count_driven_work
    case ROW_SOFT:
        work[WORK_DAMPERS] += step_damper_work(
            c, m->joints[info->owner].coordinate[info->part].damping, w->theta, before, after, w);
        break;
    case ROW_SPRING:
        work[WORK_DAMPERS] += step_spring_damper_work(c, r, before, after, w);
        break;
    case ROW_ACTUATOR:
        work[WORK_ACTUATORS] += done;
        break;
    case ROW_FRICTION:
        work[WORK_FRICTION] += done;
        break;
    case ROW_LOWER:
    case ROW_UPPER:
        work[WORK_LIMITS] += done;
        break;
    case ROW_TORSION:
    case ROW_ROLLING:
    case ROW_CONTACT:
        work[WORK_CONTACTS] += done;
        break;
    }
}

void pawl_count_driven_work(const step_context *c, const double *lambda, double *work)
{
    const pawl_assembly *a = c->assembly;
    if (!a->has_working_rows) {
        return;
    }
    for (int k = 0; k < a->problem.block_count; ++k) {
        const row_block *b = &a->blocks[k];
        for (int s = 0; s < b->body_count; ++s) {
            bool kinematic = c->model->bodies[b->body[s]].kind == PAWL_BODY_KINEMATIC;
            for (int r = 0; r < b->rows.dim; ++r) {
                int row = b->rows.first_row + r;
                bool motion = a->rows[row].kind == ROW_MOTION;
                if (!kinematic && !motion) {
                    continue;
                }
                double p[6];
                for (int i = 0; i < 6; ++i) {
                    p[i] = lambda[row] * a->J[b->jacobian[s] + 6 * r + i];
                }
                // A kinematic body works against what the rows push it with.
                double done = step_work(c, b->body[s], p);
                work[WORK_MOTION] += (motion ? done : 0.0) - (kinematic ? done : 0.0);
            }
        }
    }
}

// A kinematic body works against a force actuator on it, too.
static void step_driven_actuator_work(const step_context *c, int i, const step_weights *w,
                                      double *work)
{
    const model_joint *j = &c->model->joints[c->model->actuators[i].joint];
    const coordinate_row *g =
        &c->assembly->coordinates[j->first_coordinate + c->model->actuators[i].coordinate];
    const int body[2] = {j->base, j->follower};
    const double *row[2] = {g->base, g->follower};
    for (int side = 0; side < 2; ++side) {
        if (body[side] < 0 || c->model->bodies[body[side]].kind != PAWL_BODY_KINEMATIC) {
            continue;
        }
        double p[6];
        for (int k = 0; k < 6; ++k) {
            p[k] = w->h * c->effort[i] * row[side][k];
        }
        work[WORK_MOTION] -= step_work(c, body[side], p);
    }
}

void pawl_count_push_work(const step_context *c, const step_weights *w, double *work)
{
    const pawl_model *m = c->model;
    const pawl_assembly *a = c->assembly;
    for (int i = 0; i < m->body_count && m->force_count > 0; ++i) {
        // A drive takes what is done to its kinematic body, and gives it back.
        if (m->bodies[i].kind != PAWL_BODY_KINEMATIC) {
            work[WORK_FORCES] += step_work(c, i, c->impulse + 6 * i);
        }
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *d = &m->actuators[i];
        if (d->kind == PAWL_ACTUATOR_FORCE) {
            int flat = m->joints[d->joint].first_coordinate + d->coordinate;
            const coordinate_row *g = &a->coordinates[flat];
            double before = pawl_assembly_coordinate_rate(a, d->joint, g, c->u_start);
            double after = pawl_assembly_coordinate_rate(a, d->joint, g, c->u_next);
            work[WORK_ACTUATORS] += w->h * c->effort[i] * 0.5 * (before + after);
            step_driven_actuator_work(c, i, w, work);
        }
    }
}

static void step_count_work(step_context *c, const step_weights *w, pawl_state *s)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    pawl_count_push_work(c, w, s->work);
    for (int i = 0; i < m->body_count && a->has_damping; ++i) {
        if (m->bodies[i].kind != PAWL_BODY_KINEMATIC) {
            s->work[WORK_DAMPERS] += step_body_damping_work(c, i, w);
        }
    }
    if (!a->has_working_rows && a->contact_count == 0) {
        return;
    }
    pawl_assembly_row_velocity(a, c->u_start, c->rate_before);
    for (int r = 0; r < a->problem.row_count; ++r) {
        step_row_work(c, r, c->rate_before[r], c->rate_after[r], w, s->work);
        if (a->rows[r].kind == ROW_ACTUATOR) {
            c->effort[a->rows[r].owner] = c->lambda[r] / w->h;
        }
    }
    pawl_count_driven_work(c, c->lambda, s->work);
}

// False when there are more contacts than the step has room for.
static bool step_find_contacts(step_context *c, const pawl_state *s, const step_weights *w,
                               pawl_step_report *report)
{
    *report = (pawl_step_report){0};
    if (c->finder == NULL) {
        return true;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
    int count = pawl_contact_finder_find(c->finder, s->bodies, c->settings->contact_margin, w->h);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (count < 0 || count > c->assembly->max_contacts) {
        c->contact_demand = count;
        return false;
    }
    pawl_assembly_set_contacts(c->assembly, pawl_contact_finder_contacts(c->finder), count);
    return true;
}

// u_next with impulses lambda.
static void step_move(step_context *c)
{
    memcpy(c->u_next, c->u_free, (size_t)(6 * c->model->body_count) * sizeof *c->u_next);
    pawl_assembly_add_impulses(c->assembly, c->lambda, c->u_next);
}

// One call of the solver from where lambda is; sets u_next.
void pawl_step_solve_rows(step_context *c, solver_report *report)
{
    pawl_assembly *a = c->assembly;
    int factorizations = report->factorizations;
    if (a->problem.row_count > 0) {
        c->island_count =
            c->islands == NULL ? 1 : pawl_island_solver_solve(c->islands, c->lambda, report);
        if (c->island_count < 2) {
            pawl_solver_solve(c->solver, &a->problem, c->lambda, report);
        }
        report->factorizations += factorizations; // of all solves of a step
    }
    step_move(c);
}

// The judge's figures of lambda and u_next.
pawl_residual pawl_step_judge(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    pawl_assembly_row_velocity(a, c->u_next, c->rate_after);
    for (int r = 0; r < a->problem.row_count; ++r) {
        c->velocity[r] = c->rate_after[r] + a->bias[r] + a->compliance[r] * c->lambda[r];
    }
    return pawl_problem_judge(&a->problem, c->lambda, c->velocity, c->rate_before);
}

void pawl_step_decide(step_context *c, const solver_report *solved, pawl_step_report *report)
{
    const pawl_problem *p = &c->assembly->problem;
    const pawl_solver_ops *ops = c->solver->ops;
    report->residual = pawl_step_judge(c); // leaves weights in rate_before
    report->own_residual = report->residual.natural_scaled;
    if (p->contact_count > 0 && ops->relaxed) {
        report->own_residual =
            pawl_problem_natural_relaxed(p, c->lambda, c->velocity, c->rate_before);
    } else if (p->contact_count > 0 && ops->own_law != NULL) {
        report->own_residual =
            worst_of(solved->own_residual,
                     pawl_problem_natural_bounds(p, c->lambda, c->velocity, c->rate_before));
    }
    report->outcome = report->own_residual <= c->settings->tolerance ? PAWL_CONVERGED
                      : solved->outcome == PAWL_CONVERGED            ? PAWL_STALLED
                                                                     : solved->outcome;
    report->measured |= PAWL_MEASURED_RESIDUAL;
    report->measured |= p->contact_count > 0 ? (unsigned)PAWL_MEASURED_COULOMB : 0u;
}

// Torsional and rolling friction is bounded by what the contacts press: solves again, from the last
// answer, until that holds with the bounds that belong to it. Most rounds are short, because exact answers
// to bounds that still move are wasted; where it is the solver that lags behind, it gets its full number
// of iterations. The judge sees whatever is not settled in the end.
static void step_settle_spins(step_context *c, solver_report *report)
{
    enum { SHORT = 20, PATIENCE = 10 };
    int *limit = &c->solver->def.max_iterations, most = *limit, iterations = 0, patience = PATIENCE;
    double tolerance = c->settings->tolerance, best = INFINITY, last = INFINITY;
    const double *near = c->u_start;
    bool in_full = false;
    do {
        pawl_spin_rows_aim(c->assembly, c->lambda, near);
        near = c->u_next;
        *limit = in_full || most < SHORT ? most : SHORT;
        pawl_step_solve_rows(c, report);
        *limit = most;
        iterations += report->iterations;
        double posed = pawl_step_judge(c).natural_scaled;
        pawl_spin_rows_settle(c->assembly, c->lambda);
        double settled = pawl_step_judge(c).natural_scaled;
        if (settled <= tolerance) {
            report->outcome = PAWL_CONVERGED;
            break;
        }
        if (in_full) {
            best = INFINITY; // it may have moved far
        }
        in_full = report->outcome != PAWL_CONVERGED && settled <= 2.0 * posed &&
                  settled > 0.9 * last && 2 * iterations <= most;
        last = settled;
        patience = settled < 0.9 * best ? PATIENCE : patience - 1;
        best = fmin(best, settled);
        report->outcome = patience > 0 ? PAWL_ITERATION_LIMIT : PAWL_STALLED;
    } while (patience > 0 && iterations < 2 * most);
    report->iterations = iterations;
}

// Solves the posed problem from the last step's impulses and sets u_next.
static void step_solve(step_context *c, const pawl_state *s, solver_report *report)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    const pawl_assembly *a = c->assembly;
    pawl_warm_start(c, s);
    int iterations = report->iterations;
    if (a->slot_rows < pawl_problem_contact_row(&a->problem, 0)) {
        step_settle_spins(c, report);
    } else {
        pawl_step_solve_rows(c, report);
    }
    report->iterations = report->iterations > iterations ? report->iterations : iterations;
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
}

// A depth in units of half the thickness of the thinner shape; of two without end, of the largest body.
static double step_depth_share(const step_context *c, const pawl_contact *contact)
{
    double half = fmin(pawl_contact_finder_half_thickness(c->finder, contact->shape_a),
                       pawl_contact_finder_half_thickness(c->finder, contact->shape_b));
    return -contact->gap / (isinf(half) ? c->model->size : half);
}

static void step_report_penetration(const step_context *c, pawl_step_report *report)
{
    const pawl_assembly *a = c->assembly;
    report->worst_shape_a = report->worst_shape_b = -1;
    report->share_shape_a = report->share_shape_b = -1;
    for (int k = 0; k < a->contact_count; ++k) {
        const pawl_contact *contact = &a->contacts[k];
        if (contact->gap >= 0.0) {
            continue;
        }
        double share = step_depth_share(c, contact);
        if (!(-contact->gap <= report->penetration)) {
            report->penetration = -contact->gap;
            report->worst_shape_a = contact->shape_a;
            report->worst_shape_b = contact->shape_b;
        }
        if (!(share <= report->depth_share)) {
            report->depth_share = share;
            report->share_shape_a = contact->shape_a;
            report->share_shape_b = contact->shape_b;
        }
    }
    report->measured |= c->finder != NULL ? (unsigned)PAWL_MEASURED_DEPTH : 0u;
}

static pawl_contact_mode step_contact_mode(const double x[3], double mu)
{
    // What solvers put on the cone is there but for rounding.
    const double inside = 1.0 - 1e-9;
    if (x[2] == 0.0 && x[0] == 0.0 && x[1] == 0.0) {
        return PAWL_CONTACT_OPEN;
    }
    bool sticks = sqrt(x[0] * x[0] + x[1] * x[1]) < inside * mu * x[2];
    return sticks ? PAWL_CONTACT_STICK : PAWL_CONTACT_SLIP;
}

// For those who ask after the step, when rows and impulses are gone.
static void step_keep_contacts(step_context *c, double h)
{
    const pawl_assembly *a = c->assembly;
    c->contact_count = a->problem.contact_count;
    bool struck = c->impact->struck;
    for (int k = 0; k < c->contact_count; ++k) {
        const pawl_contact *in = &a->contacts[k];
        const row_block *b = &a->blocks[a->problem.block_count - c->contact_count + k];
        double x[3];
        for (int r = 0; r < 3; ++r) {
            x[r] =
                c->lambda[b->rows.first_row + r] + (struck ? c->impact->impulse[3 * k + r] : 0.0);
        }
        // The last body's rows are along the axes; a row of body a alone has the other sign.
        const double *row = a->J + b->jacobian[b->body_count - 1];
        double scale = (in->body_b >= 0 ? 1.0 : -1.0) / h;
        pawl_vec3 force = v3(0.0, 0.0, 0.0);
        for (int r = 0; r < 3; ++r) {
            const double *e = row + 6 * r;
            force = v3_axpy(force, scale * x[r], v3(e[0], e[1], e[2]));
        }
        pawl_vec3 moment = v3(0.0, 0.0, 0.0);
        if (c->model->spin_friction) {
            moment = v3_scale(1.0 / h, pawl_spin_moment(a, k, c->lambda));
        }
        c->contacts[k] = (pawl_contact_info){.body_a = in->body_a,
                                             .body_b = in->body_b,
                                             .shape_a = in->shape_a,
                                             .shape_b = in->shape_b,
                                             .position = in->position,
                                             .normal = in->normal,
                                             .gap = in->gap,
                                             .force = force,
                                             .moment = moment,
                                             .mode = step_contact_mode(x, in->friction)};
    }
}

void pawl_velocity_step(step_context *c, pawl_state *s, const step_weights *w,
                        pawl_step_report *report)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (!c->kept) {
        pawl_assembly_place(c->assembly, s->bodies, s->coordinates, w->place_time, c->damping_time);
        c->kept = true;
    }

    if (!step_find_contacts(c, s, w, report)) {
        return;
    }
    pawl_step_report impact = {0};
    bool struck = pawl_impact_in_step(c, s, w, &impact);
    pawl_step_pose(c, s, w);
    solver_report solved = {.outcome = PAWL_CONVERGED};
    pawl_step_solve(c, s, w, &solved);
    pawl_stiff_springs_settle(c, w, &solved);
    pawl_step_finish(c, s, w, &solved, report);
    if (struck) {
        pawl_report_merge(report, &impact);
    }
    pawl_step_tally(c, s, w);
    pawl_stiff_springs_guard(c, s, w);
    pawl_push_out_find(c, w);
}

void pawl_step_half_forces(step_context *c, const pawl_state *s, const step_weights *w)
{
    pawl_push(c, w);
    step_free_motion(c, s, w);
    step_bind_free_motion(c, w);
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        c->u_free[i] = 0.5 * (c->u_free[i] - c->u_start[i]);
    }
}

void pawl_step_pose(step_context *c, const pawl_state *s, const step_weights *w)
{
    pawl_push(c, w);
    step_free_motion(c, s, w);
    step_bind_free_motion(c, w);
    pawl_assembly_pose_problem(c->assembly, s->bodies, c->u_free, w, false);
}

static bool step_has_gyroscopes(const step_context *c)
{
    bool any = false;
    for (int i = 0; i < c->model->body_count; ++i) {
        any = any || step_has_gyroscope(c, i);
    }
    return any;
}

// The gyroscopic torque of a step in which the bounded rows push as they did in the last one and the free
// rows, one linear solve, answer to that. In smooth motion impulses change by O(h^2) a step: the torque's
// impulse is right to O(h^3), all that second order asks for.
static void step_predict_spins(step_context *c, const pawl_state *s, const step_weights *w)
{
    const double accuracy = 1e-6;
    const pawl_assembly *a = c->assembly;
    pawl_warm_start(c, s);
    if (a->free_rows > 0) {
        pawl_eliminate_factor(&a->problem, c->settings->regularization);
        pawl_eliminate_recover(c->closure, &a->problem, a->has_loops ? accuracy : 1.0, c->lambda);
    }
    step_move(c);
    if (step_correct_gyroscopes(c, w) > 0.0) {
        pawl_assembly_set_free_velocity(c->assembly, c->u_free);
    }
}

// Beyond which change of a spin the torque is taken again and the problem solved once more.
static double step_spin_tolerance(const step_context *c, const step_weights *w)
{
    if (!w->predict_spin) {
        return 1e-14;
    }
    double change = 0.0;
    for (int i = 0; i < c->model->body_count; ++i) {
        pawl_vec3 d = v3_sub(step_angular(c->u_next + 6 * i), step_angular(c->u_start + 6 * i));
        change = max_of(change, v3_max_abs(d));
    }
    const pawl_problem *p = &c->assembly->problem;
    bool linear = p->row_count == p->free_row_count;
    return 1e-14 + (linear ? step_free_spin_share : step_spin_share) * change;
}

void pawl_step_solve(step_context *c, const pawl_state *s, const step_weights *w,
                     solver_report *solved)
{
    pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    bool bound = p->row_count > 0 || a->form != NULL;
    if (w->predict_spin && bound && step_has_gyroscopes(c)) {
        step_predict_spins(c, s, w);
    }
    step_solve(c, s, solved);
    while (!w->held_only && pawl_assembly_add_missed(a, c->u_next, w) > 0) {
        pawl_assembly_pose_problem(a, s->bodies, c->u_free, w, true);
        step_solve(c, s, solved);
    }
    for (int k = 0; k < w->gyroscope_corrections && bound; ++k) {
        if (step_correct_gyroscopes(c, w) <= step_spin_tolerance(c, w)) {
            break;
        }
        pawl_assembly_set_free_velocity(a, c->u_free);
        step_solve(c, s, solved);
    }
}

// Impulses of one kick act at once, and which of them took what they exchange with each other is a matter of
// convention: that each acts at the mean of its rates gives a damper that a contact reverses within the step work
// of the wrong sign, and the contact as much too little. What dissipators exchange is left out, so that
// their sum is as it was. What is left of dampers that still gave is an error of the method, as of stiff
// springs that turn, and belongs to the balance.
static void step_net_dissipation(const step_context *c, const double *before, double *work,
                                 double tally)
{
    static const int kinds[] = {WORK_DAMPERS, WORK_FRICTION, WORK_LIMITS, WORK_CONTACTS};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const double rounding = 1e-9; // of what was taken
    double done[KINDS], given = 0.0, taken = 0.0;
    for (int i = 0; i < KINDS; ++i) {
        // Soft joints store energy, and have it in the account of dampers.
        done[i] = i == 0 ? tally * c->damper_work : work[kinds[i]] - before[kinds[i]];
        *(done[i] > 0.0 ? &given : &taken) += fabs(done[i]);
    }
    if (!(given > rounding * taken)) {
        return;
    }
    double exchanged = fmin(given, taken);
    for (int i = 0; i < KINDS; ++i) {
        double share = done[i] > 0.0 ? exchanged / given : taken > 0.0 ? exchanged / taken : 0.0;
        work[kinds[i]] -= share * done[i];
        done[i] -= share * done[i];
    }
    if (done[0] > 0.0) {
        work[WORK_DAMPERS] -= done[0] + tally * c->damper_loss;
    }
}

// By all that may give energy.
static double step_given(const pawl_state *s)
{
    return s->work[WORK_FORCES] + s->work[WORK_ACTUATORS] + s->work[WORK_MOTION];
}

void pawl_step_tally(step_context *c, pawl_state *s, const step_weights *w)
{
    const pawl_assembly *a = c->assembly;
    double before[WORK_COUNT];
    memcpy(before, s->work, sizeof before);
    double given = step_given(s);
    if (w->tally != 1.0) {
        pawl_assembly_row_velocity(a, c->u_next, c->rate_after);
    }
    c->damper_work = c->damper_loss = 0.0;
    step_count_work(c, w, s);
    if (a->form != NULL) {
        s->work[WORK_MOTION] +=
            pawl_reduced_form_reactions(a->form, a, c->lambda, c->u_own, c->u_next, c->u_start,
                                        c->u_next, c->impulse, c->reaction);
    }
    for (int k = 0; k < WORK_COUNT && w->tally != 1.0; ++k) {
        s->work[k] = before[k] + w->tally * (s->work[k] - before[k]);
    }
    step_net_dissipation(c, before, s->work, w->tally);
    c->work_given = step_given(s) - given;
    for (int r = 0; r < a->slot_rows; ++r) {
        c->reaction[a->rows[r].slot] += w->tally * c->lambda[r];
    }
}

void pawl_step_finish(step_context *c, pawl_state *s, const step_weights *w,
                      const solver_report *solved, pawl_step_report *report)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    pawl_phase_enter(&c->clock, PAWL_PHASE_REST);
    if (c->capture.wanted) {
        c->captured = pawl_contact_capture_take(c->env, &c->capture, p, c->settings->regularization,
                                                c->lambda);
    }
    *report =
        (pawl_step_report){.method = p->row_count > 0 ? solved->method : PAWL_METHOD_NONE,
                           .iterations = solved->iterations,
                           .factorizations = solved->factorizations,
                           .islands = p->row_count > 0 ? c->island_count : 0,
                           .rows = p->row_count,
                           .bounded_rows = p->row_count - p->free_row_count - 3 * p->contact_count,
                           .contacts = p->contact_count};
    pawl_step_decide(c, solved, report);
    step_report_penetration(c, report);
    step_keep_contacts(c, w->h);

    memset(s->impulses, 0, (size_t)pawl_impulse_slots(m).count * sizeof *s->impulses);
    if (c->finder != NULL) {
        pawl_remember_contacts(c, s);
    }
    for (int r = 0; r < a->slot_rows; ++r) {
        s->impulses[a->rows[r].slot] = c->lambda[r] / c->share;
    }
    for (int i = 0; i < m->body_count; ++i) {
        s->bodies[i].v = step_linear(c->u_next + 6 * i);
        s->bodies[i].w = step_angular(c->u_next + 6 * i);
    }
}

void pawl_advance_poses(const pawl_model *m, const body_state *twists, body_state *bodies,
                        double duration, double t)
{
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        body_state *x = &bodies[i];
        if (b->kind == PAWL_BODY_KINEMATIC) {
            pawl_pose pose = pawl_kinematic_pose(b, t);
            x->r = pose.position;
            x->q = pose.orientation;
            continue;
        }
        x->r = v3_axpy(x->r, duration, twists[i].v);
        if (b->kind == PAWL_BODY_RIGID) {
            x->q = quat_advance(x->q, v3_scale(duration, twists[i].w));
        }
    }
}
