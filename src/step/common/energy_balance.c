// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The energy balance of a velocity update. An impulse p on a body does the work p . (u- + u+)/2, exactly its part of
// the change of kinetic energy, so that the work of all impulses adds up to that change; here each is added to the
// sum of its kind (WORK_*), and the unexplained rest is the error of the method (docs/math.md section 6).
#include "step/common/energy_balance.h"
#include "step/common/adhesion.h"
#include "step/common/least_reactions.h"
#include "step/common/stiff_springs.h"
#include <math.h>
#include <string.h>

// Of one velocity update [J]: work of dampers by the mean rates, and what they take at the rates that they act on,
// h d rate^2; energy of slow corrections of positions; work of hard limits without it.
typedef struct dissipation_sums {
    double damper_work, damper_loss;
    double limit_corrections, contact_corrections;
    double limits;
} dissipation_sums;

// Work of an impulse p on a body over the step: p . (u- + u+)/2, exactly its part of the change
// of kinetic energy.
static double balance_work(const step_context *c, int body, const double *p)
{
    const double *a = c->u.start + 6 * body, *b = c->u.next + 6 * body;
    double work = 0.0;
    for (int k = 0; k < 6; ++k) {
        work += 0.5 * p[k] * (a[k] + b[k]);
    }
    return work;
}

// Work of a damper's impulse -h d rate at the mean rate.
static double balance_damper_at(dissipation_sums *sums, double d, double rate, double mean,
                                const step_weights *w)
{
    double work = -w->h * d * rate * mean;
    sums->damper_work += work;
    sums->damper_loss += w->h * d * rate * rate;
    return work;
}

// Work of a damper's impulse -h d (theta rate+ + (1 - theta) rate-) at the mean rate. `after` is what
// all of the impulses that are counted lead to.
static double balance_damper(dissipation_sums *sums, double d, double theta, double before,
                             double after, const step_weights *w)
{
    double end =
        w->impulse_fraction == 1.0 ? after : before + (after - before) / w->impulse_fraction;
    return balance_damper_at(sums, d, theta * end + (1.0 - theta) * before, 0.5 * (before + after),
                             w);
}

// The damper of a spring's row, which may be bent.
static double balance_spring(const step_context *c, int r, double before, double after,
                             const step_weights *w, dissipation_sums *sums)
{
    const row_info *info = &c->assembly->rows[r];
    double d = info->family->law(c->model, info, 0.0).damping;
    if (w->after_time != 0.0 && pawl_row_is_point_spring(info) && c->assembly->bend[r] > 0.0) {
        double rate = pawl_stiff_spring_rate(c, w, r, before, after);
        return balance_damper_at(sums, d, rate, 0.5 * (before + after), w);
    }
    return balance_damper(sums, d, w->theta, before, after, w);
}

// theta is the body's own, which stiff damping raises above that of the step (assembly.c).
static double balance_body_damping(const step_context *c, int i, const step_weights *w,
                                   dissipation_sums *sums)
{
    const model_body *b = &c->model->bodies[i];
    const double *u = c->u.start + 6 * i, *n = c->u.next + 6 * i;
    double linear = pawl_assembly_linear_theta(c->assembly, i, w->h);
    double angular = pawl_assembly_angular_theta(c->assembly, i, w->h), work = 0.0;
    for (int k = 0; k < 6; ++k) {
        double d = k < 3 ? b->linear_damping : b->angular_damping;
        work += balance_damper(sums, d, k < 3 ? linear : angular, u[k], n[k], w);
    }
    return work;
}

// Corrections by limits and contacts at the rates of slow corrections (pawl_row_gap_bias) are corrections of
// positions, like those of position_correction.c: their energy is stored, and not given by a dissipator.
static void balance_push(const pawl_assembly *a, int r, double mean, double done,
                         dissipation_sums *sums)
{
    const row_info *info = &a->rows[r];
    bool limit = (info->family->traits & ROW_IS_LIMIT) != 0;
    bool normal = r >= pawl_problem_contact_row(&a->problem, 0) && info->part == 2;
    if (!(limit || normal) || a->compliance[r] != 0.0) { // soft ones have a law of their own
        return;
    }
    double stored = done > 0.0 ? done * fmin(1.0, pawl_slow_correction / fabs(mean)) : 0.0;
    *(limit ? &sums->limit_corrections : &sums->contact_corrections) += stored;
    sums->limits += limit ? done - stored : 0.0;
}

// Work of a row's impulse at the mean of its rates. Springs keep theirs in the potential energy, all but what their
// damper takes.
static void balance_row(const step_context *c, int r, double before, double after,
                        const step_weights *w, dissipation_sums *sums, double *work)
{
    const row_info *info = &c->assembly->rows[r];
    const row_family *family = info->family;
    if (family->work_kind == WORK_ACTUATORS) {
        c->out.effort[info->owner] = c->u.lambda[r] / w->h;
    }
    if ((family->traits & ROW_STORES_ENERGY) != 0) {
        work[family->work_kind] += balance_spring(c, r, before, after, w, sums);
        return;
    }
    double mean = 0.5 * (before + after), done = c->u.lambda[r] * mean;
    work[family->work_kind] += done;
    balance_push(c->assembly, r, mean, done, sums);
}

// Work of constraint impulses of drives: along a prescribed coordinate, or on a kinematic body. Elsewhere hard rows
// do no work, and their error must stay visible in the balance.
void pawl_balance_drives(const step_context *c, const double *lambda, double *work)
{
    const pawl_assembly *a = c->assembly;
    if (!a->has_drives) {
        return;
    }
    for (int k = 0; k < a->problem.block_count; ++k) {
        const row_block *b = &a->blocks[k];
        for (int s = 0; s < b->body_count; ++s) {
            bool kinematic = c->model->bodies[b->body[s]].kind == PAWL_BODY_KINEMATIC;
            for (int r = 0; r < b->rows.dim; ++r) {
                int row = b->rows.first_row + r;
                bool motion = a->rows[row].family->rate != NULL;
                if (!kinematic && !motion) {
                    continue;
                }
                double p[6];
                for (int i = 0; i < 6; ++i) {
                    p[i] = lambda[row] * a->J[b->jacobian[s] + 6 * r + i];
                }
                // A kinematic body works against what the rows push it with.
                double done = balance_work(c, b->body[s], p);
                work[WORK_MOTION] += (motion ? done : 0.0) - (kinematic ? done : 0.0);
            }
        }
    }
}

// A kinematic body works against a force actuator on it, too.
// An actuator between a moving and a kinematic body: its work on the kinematic one is taken by the drive.
static void balance_driven_actuator(const step_context *c, int i, const step_weights *w,
                                    double *work)
{
    const model_joint *j = &c->model->joints[pawl_joint_index(c->model->actuators[i].joint)];
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
            p[k] = w->h * c->out.effort[i] * row[side][k];
        }
        work[WORK_MOTION] -= balance_work(c, body[side], p);
    }
}

// Of the two bodies that a contact point pulls together; what it does to a kinematic one is taken by the drive.
static void balance_adhesion(const step_context *c, int i, const step_weights *w, double *work)
{
    int points = pawl_adhesion_points(c, i), k = 0;
    adhesion_pull pull;
    while (points > 0 && pawl_adhesion_next(c, i, w->h * c->out.effort[i] / points, &k, &pull)) {
        for (int side = 0; side < 2; ++side) {
            if (pull.body[side] < 0) {
                continue;
            }
            double done = balance_work(c, pull.body[side], pull.p[side]);
            bool driven = c->model->bodies[pull.body[side]].kind == PAWL_BODY_KINEMATIC;
            work[WORK_ACTUATORS] += done;
            work[WORK_MOTION] -= driven ? done : 0.0;
        }
    }
}

// Applied forces and force actuators. Work of gravity is not counted: it is the change of the potential energy.
void pawl_balance_forces(const step_context *c, const step_weights *w, double *work)
{
    const pawl_model *m = c->model;
    const pawl_assembly *a = c->assembly;
    for (int i = 0; i < m->body_count && m->force_count > 0; ++i) {
        // The work on a kinematic body is the negative work of its drive.
        if (m->bodies[i].kind != PAWL_BODY_KINEMATIC) {
            work[WORK_FORCES] += balance_work(c, i, c->u.applied + 6 * i);
        }
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *d = &m->actuators[i];
        if (d->kind == PAWL_ACTUATOR_ADHESION) {
            balance_adhesion(c, i, w, work);
        }
        if (d->kind == PAWL_ACTUATOR_FORCE) {
            int flat = m->joints[pawl_joint_index(d->joint)].first_coordinate + d->coordinate;
            const coordinate_row *g = &a->coordinates[flat];
            double before =
                pawl_assembly_coordinate_rate(a, pawl_joint_index(d->joint), g, c->u.start);
            double after =
                pawl_assembly_coordinate_rate(a, pawl_joint_index(d->joint), g, c->u.next);
            work[WORK_ACTUATORS] += w->h * c->out.effort[i] * 0.5 * (before + after);
            balance_driven_actuator(c, i, w, work);
        }
    }
}

// Work of an impulse is its product with the mean of the rates before and after: exact for the change of kinetic
// energy that it makes, whatever the stepper.
static void balance_impulses(step_context *c, const step_weights *w, dissipation_sums *sums,
                             pawl_state *s)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    pawl_balance_forces(c, w, s->work);
    for (int i = 0; i < m->body_count && a->has_damping; ++i) {
        if (m->bodies[i].kind != PAWL_BODY_KINEMATIC) {
            s->work[WORK_DAMPERS] += balance_body_damping(c, i, w, sums);
        }
    }
    if (!a->has_working_rows && a->contact_count == 0) {
        return;
    }
    size_t mark = pawl_arena_mark(&c->scratch);
    double *before = pawl_take_rows(c);
    pawl_assembly_row_velocity(a, c->u.start, before);
    // What hard rows do is seen where something drives them (pawl_balance_drives).
    for (int i = 0; i < a->soft_count; ++i) {
        int r = a->soft[i];
        balance_row(c, r, before[r], c->u.rate[r], w, sums, s->work);
    }
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        balance_row(c, r, before[r], c->u.rate[r], w, sums, s->work);
    }
    pawl_arena_release(&c->scratch, mark);
    pawl_balance_drives(c, c->u.lambda, s->work);
}

// Impulses of one velocity update act simultaneously, and the division of the energy that they exchange is a
// convention: if each acts at the mean of its rates, a damper whose rate a contact reverses within the step does work
// of the wrong sign, and the contact as much too little. Energy that dissipators exchange is not counted; their sum
// does not change. Energy that some still add is an error of the method and belongs to the balance: from dampers
// beside stiff springs that turn, from friction whose rate stops or reverses within the step, so that its impulse
// opposes the rate after the step and not the mean, and from limits that bodies leave and reach again.
static void balance_net_dissipation(const dissipation_sums *sums, const double *before,
                                    double *work, double impulse_fraction)
{
    static const int kinds[] = {WORK_DAMPERS, WORK_FRICTION, WORK_LIMITS, WORK_CONTACTS};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const double rounding = 1e-9; // of what was taken
    // Soft limits store energy. Contacts correct the curvature of what rolls with their velocities, to and fro: their
    // account is judged as it is.
    const double most[KINDS] = {INFINITY, INFINITY, fmax(impulse_fraction * sums->limits, 0.0),
                                0.0};
    const double corrections[KINDS] = {0.0, 0.0, sums->limit_corrections,
                                       sums->contact_corrections};
    double done[KINDS], given = 0.0, taken = 0.0;
    for (int i = 0; i < KINDS; ++i) {
        done[i] = i == 0 ? impulse_fraction * sums->damper_work
                         : work[kinds[i]] - before[kinds[i]] - impulse_fraction * corrections[i];
        *(done[i] > 0.0 ? &given : &taken) += fabs(done[i]);
    }
    if (!(given > rounding * taken)) {
        return;
    }
    // Energy that some give and others take at the same time is removed on both sides in proportion.
    double exchanged = fmin(given, taken);
    for (int i = 0; i < KINDS; ++i) {
        double fraction = done[i] > 0.0 ? exchanged / given : taken > 0.0 ? exchanged / taken : 0.0;
        double left = (1.0 - fraction) * done[i];
        work[kinds[i]] -= done[i] - left + clamp_to(left, 0.0, most[i]);
        work[kinds[i]] -= i == 0 && left > 0.0 ? impulse_fraction * sums->damper_loss : 0.0;
    }
}

// By all that may give energy.
static double balance_given(const pawl_state *s)
{
    return s->work[WORK_FORCES] + s->work[WORK_ACTUATORS] + s->work[WORK_MOTION];
}

// Call it once for each velocity update, after u.next is final. With an impulse_fraction (stages of sdirk2) work
// is scaled by it, because the next stage begins with that multiple of its impulses.
void pawl_balance_rows(step_context *c, pawl_state *s, const step_weights *w,
                       pawl_step_report *report)
{
    const pawl_assembly *a = c->assembly;
    double before[WORK_COUNT];
    memcpy(before, s->work, sizeof before);
    double given = balance_given(s);
    if (w->impulse_fraction != 1.0) {
        pawl_assembly_row_velocity(a, c->u.next, c->u.rate);
    }
    dissipation_sums sums = {0};
    balance_impulses(c, w, &sums, s);
    s->work[WORK_MOTION] +=
        pawl_coordinates_reactions(c->coordinates, c->u.lambda, c->u.own, c->u.next, c->u.start,
                                   c->u.next, c->u.applied, c->out.reaction);
    for (int k = 0; k < WORK_COUNT && w->impulse_fraction != 1.0; ++k) {
        s->work[k] = before[k] + w->impulse_fraction * (s->work[k] - before[k]);
    }
    balance_net_dissipation(&sums, before, s->work, w->impulse_fraction);
    report->limit_correction_energy += w->impulse_fraction * sums.limit_corrections;
    report->contact_correction_energy += w->impulse_fraction * sums.contact_corrections;
    c->u.work_given = balance_given(s) - given;
    pawl_defer_reactions(c, s->bodies, w->place_time, w->impulse_fraction, c->u.lambda);
    for (int r = 0; r < a->slot_rows; ++r) {
        pawl_add_reaction(c, r, w->impulse_fraction * c->u.lambda[r]);
    }
}
