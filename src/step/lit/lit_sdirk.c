// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// lit.variant=sdirk2: Alexander's two-stage method, g = 1 - 1/sqrt 2, of second order and L-stable, so that stiff
// vibrations decay, which the trapezoidal rule does not damp. Each stage is an implicit Euler step of length g h,
// linearized at its own predictor, with its rows placed there and satisfied at its end:
//   1: at q o g h U, about U:     M (V1 - U)  = g h k + J1T lambda1,   J1 V1 = 0
//   2: at q o h V1, about V1:     M (V2 - U2) = g h k + J2T lambda2,   J2 V2 = 0,   U2 = U + (1 - g)/g (V1 - U)
//   q+ = q o ((1 - g) h V1 + g h V2 + h^2/12 U x V2),   U+ = V2,
// the last term for rotations only: it is the difference between successive rotations about different axes and their
// sum (the commutator of Magnus' series for a spin that changes linearly from U to V2).
//
// Stages exchange momentum in world axes, which is conserved while attitudes change from stage to stage, so that
// there is no gyroscopic torque: in body axes the spin of a fast top turns with the top, and two stages would resolve
// that rotation only to (h w)^2. U2 includes the first stage's constraint impulses. After an impact those of contacts
// and limits are not included: they belong to the end of the impact, and would act with (1 - g)/g times their size.
#include "step/common/energy_balance.h"
#include "step/common/position_correction.h"
#include "step/common/report_merge.h"
#include "step/lit/lit.h"
#include <string.h>

static const double sdirk_g = 0.29289321881345248;    // 1 - 1/sqrt 2
static const double sdirk_ratio = 2.4142135623730950; // (1 - g)/g

// Implicit Euler over g h, linearized about the predictor: theta, ahead and behind are all 1 (docs/math.md section
// 3).
static step_weights sdirk_weights(const step_context *c, const pawl_state *s,
                                  const lit_phase *phase, double time, double impulse_fraction)
{
    step_weights w = pawl_lit_weights(c, s, phase);
    w.h = w.reach = sdirk_g * phase->h;
    w.theta = w.ahead = w.behind = 1.0;
    w.keeps_momentum = true;
    w.predict_spin = false;
    w.gyroscope_corrections = 0;
    w.place_time = w.target_time[0] = w.target_time[1] = time;
    w.at_end = true;
    w.impulse_fraction = impulse_fraction;
    w.rotor = c->assembly->has_armatures ? c->position.rotor : NULL;
    return w;
}

// The report of the second stage with what the first adds: the worst residual and the most iterations.
static void sdirk_worst(pawl_step_report *report, const pawl_step_report *first)
{
    pawl_residual_worsen(&report->residual, &first->residual);
    report->own_residual = worst_of(report->own_residual, first->own_residual);
    report->measured |= first->measured;
    report->outcome = first->outcome > report->outcome ? first->outcome : report->outcome;
    report->method = first->method > report->method ? first->method : report->method;
    report->iterations =
        first->iterations > report->iterations ? first->iterations : report->iterations;
    report->factorizations += first->factorizations;
    report->limit_correction_energy += first->limit_correction_energy;
    report->contact_correction_energy += first->contact_correction_energy;
}

// The spin that a body's angular momentum, which stays in the world, is at another attitude.
static pawl_vec3 sdirk_turn(const model_body *body, pawl_quat from, pawl_quat to, pawl_vec3 w)
{
    if (body->isotropic) {
        return w;
    }
    pawl_mat3 a = quat_matrix(from), b = quat_matrix(to);
    pawl_vec3 L = m3_mul(&a, m3_mul(&body->inertia, m3_tmul(&a, w)));
    return m3_mul(&b, m3_mul(&body->inverse_inertia, m3_tmul(&b, L)));
}

// Twists of s, at its poses, to those of the momenta of `from`.
static void sdirk_keep_momenta(const step_context *c, const body_state *from, pawl_state *s)
{
    for (int i = 0; i < c->model->body_count; ++i) {
        const model_body *b = &c->model->bodies[i];
        if (b->kind == PAWL_BODY_RIGID) {
            s->bodies[i].w = sdirk_turn(b, from[i].q, s->bodies[i].q, from[i].w);
        }
    }
}

// Solves a stage from s, whose poses are the stage's and whose twists are those it starts with.
static bool sdirk_stage(step_context *c, pawl_state *s, const lit_phase *phase,
                        const step_weights *w, pawl_step_report *report)
{
    if (!pawl_lit_place(c, s, phase, w->place_time)) {
        return false;
    }
    pawl_velocity_build(c, s, w);
    solver_report solved = {.outcome = PAWL_CONVERGED};
    pawl_velocity_solve(c, s, w, &solved);
    pawl_velocity_finish(c, s, w, &solved, report);
    return true;
}

// Whether the stage stopped a contact or limit that was not held: velocities jump within the step, and
// there is nothing to extrapolate.
static bool sdirk_caught(const step_context *c)
{
    const pawl_assembly *a = c->assembly;
    int row = a->free_rows;
    bool caught = false;
    for (int k = 0; k < a->candidate_count; ++k) {
        if (a->included[k]) {
            caught = caught ||
                     (pawl_assembly_is_limit(a, k) && !a->persistent[k] && c->u.lambda[row] != 0.0);
            ++row;
        }
    }
    for (; row < a->problem.row_count; ++row) {
        caught = caught || (!a->contacts[a->rows[row].owner].persistent && c->u.lambda[row] != 0.0);
    }
    return caught;
}

// u.next becomes U2 in the axes of the first stage, lambda what of its impulses is in it.
static void sdirk_extrapolate(step_context *c, bool without_contacts)
{
    const pawl_assembly *a = c->assembly;
    int n = 6 * c->model->body_count;
    for (int r = 0; r < a->free_rows && a->has_armatures; ++r) { // as twists below
        c->position.rotor[r] += sdirk_ratio * (c->u.rate[r] - c->position.rotor[r]);
    }
    if (without_contacts) {
        for (int r = a->free_rows; r < a->problem.row_count; ++r) {
            c->u.lambda[r] =
                (a->rows[r].family->traits & ROW_ONE_SIDED) == 0 ? c->u.lambda[r] : 0.0;
        }
        memcpy(c->u.next, c->u.free, (size_t)n * sizeof *c->u.next);
        pawl_assembly_add_impulses(a, c->u.lambda, c->u.next);
    }
    for (int k = 0; k < n; ++k) {
        c->u.next[k] = c->u.start[k] + sdirk_ratio * (c->u.next[k] - c->u.start[k]);
    }
}

// The spin by which the second stage's attitude is predicted: the mean over the step of the line through U and
// V1. A spin is computed from momentum with the attitude, which would have an error of order h^2 with V1 only. Where
// something stiff takes a spin away at once there is no such line.
static pawl_vec3 sdirk_mean_spin(const body_state *start, const body_state *first, double h)
{
    const double stiff = 0.5; // change of the turn in a step [rad]
    pawl_vec3 change = v3_sub(first->w, start->w);
    return h * v3_norm(change) <= stiff ? v3_axpy(start->w, 0.5 / sdirk_g, change) : first->w;
}

// Moves s on to the second stage: its poses, V1 to linearize about, and U2 to start from.
static void sdirk_second(step_context *c, pawl_state *s, const lit_phase *phase)
{
    const pawl_model *m = c->model;
    lit_memory *lit = lit_of(c);
    for (int i = 0; i < m->body_count; ++i) {
        const body_state *b = &s->bodies[i], *start = &lit->start[i];
        const double *u = c->u.next + 6 * i;
        lit->first[i] = *start;
        lit->first[i].v = b->v;
        lit->first[i].w = pawl_lit_rotate_with_body(b->q, start->q, b->w);
        lit->second[i] = *b;
        lit->second[i].v = v3(u[0], u[1], u[2]);
        lit->second[i].w = v3(u[3], u[4], u[5]);
    }
    if (c->assembly->free_rows > 0) {
        pawl_assembly_build_closure(c->assembly);
        pawl_eliminate_factor(&c->assembly->problem, c->settings->solver.regularization);
    }
    for (int i = 0; i < m->body_count; ++i) {
        lit->about[i] = lit->first[i];
        lit->about[i].w = sdirk_mean_spin(&lit->start[i], &lit->first[i], phase->h);
    }
    pawl_lit_predict(c, s, lit->about, phase->h, phase->end, c->settings->project);
    for (int i = 0; i < m->body_count; ++i) {
        lit->about[i] = s->bodies[i];
        lit->about[i].w =
            pawl_lit_rotate_with_body(lit->start[i].q, s->bodies[i].q, lit->first[i].w);
        s->bodies[i].v = lit->second[i].v;
        s->bodies[i].w = lit->second[i].w;
    }
    sdirk_keep_momenta(c, lit->second, s);
}

// q+, and V2 there.
static void sdirk_arrive(step_context *c, pawl_state *s, const lit_phase *phase)
{
    const pawl_model *m = c->model;
    double early = (1.0 - sdirk_g) * phase->h, late = sdirk_g * phase->h;
    for (int i = 0; i < m->body_count; ++i) {
        const body_state *from = &lit_of(c)->start[i], *first = &lit_of(c)->first[i];
        body_state *b = &s->bodies[i];
        if (m->bodies[i].kind == PAWL_BODY_KINEMATIC) {
            pawl_pose pose = pawl_kinematic_pose(&m->bodies[i], phase->end);
            b->r = pose.position;
            b->q = pose.orientation;
        } else {
            b->r = v3_axpy(v3_axpy(from->r, early, first->v), late, b->v);
            if (m->bodies[i].kind == PAWL_BODY_RIGID) {
                pawl_vec3 spin = pawl_lit_rotate_with_body(b->q, from->q, b->w);
                pawl_vec3 turn = v3_axpy(v3_scale(early, first->w), late, spin);
                turn = v3_axpy(turn, phase->h * phase->h / 12.0, v3_cross(from->w, spin));
                pawl_quat last = b->q;
                b->q = quat_advance(from->q, turn);
                b->w = sdirk_turn(&m->bodies[i], last, b->q, b->w);
            }
        }
    }
    c->placed = false;
}

// The whole step as one implicit Euler step: of first order, but it loses energy only.
static bool sdirk_plain(step_context *c, pawl_state *s, const lit_phase *phase,
                        pawl_step_report *report)
{
    step_weights w = sdirk_weights(c, s, phase, phase->end, 1.0);
    w.h = w.reach = c->u.damping_time = phase->h;
    c->u.fraction /= sdirk_g;
    pawl_lit_predict(c, s, lit_of(c)->start, phase->h, phase->end, false);
    sdirk_keep_momenta(c, lit_of(c)->start, s);
    if (!sdirk_stage(c, s, phase, &w, report)) {
        return false;
    }
    pawl_balance_rows(c, s, &w, report);
    for (int i = 0; i < c->model->body_count; ++i) {
        const body_state *b = &s->bodies[i];
        body_state *first = &lit_of(c)->first[i];
        *first = lit_of(c)->start[i];
        first->v = b->v;
        first->w = pawl_lit_rotate_with_body(b->q, first->q, b->w);
    }
    return true;
}

// The second stage, after one that caught nothing.
static bool sdirk_finish(step_context *c, pawl_state *s, const lit_phase *phase,
                         const step_weights *first, pawl_step_report *first_report,
                         pawl_step_report *report)
{
    sdirk_extrapolate(c, phase->after_impact || phase->active->closing);
    pawl_balance_rows(c, s, first, first_report);
    sdirk_second(c, s, phase);
    step_weights w = sdirk_weights(c, s, phase, phase->end, 1.0);
    w.about = lit_of(c)->about;
    if (!sdirk_stage(c, s, phase, &w, report)) {
        return false;
    }
    pawl_balance_rows(c, s, &w, report);
    return true;
}

// Two stages with the same coefficient, so one matrix structure; the first stage ends at gamma h, the second at h. If
// a limit or contact closed in the first, the step is done in one stage of the first order instead: a collision
// inside a Runge-Kutta step has no order to keep.
void pawl_lit_sdirk_move(step_context *c, pawl_state *s, const lit_phase *phase,
                         pawl_step_report *report)
{
    double early = phase->begin + sdirk_g * phase->h;
    step_weights w = sdirk_weights(c, s, phase, early, sdirk_ratio);
    pawl_step_report first;
    c->u.fraction *= sdirk_g;
    c->u.damping_time = w.h;
    c->assembly->body_theta = w.theta;
    pawl_lit_predict(c, s, lit_of(c)->start, w.h, early, c->settings->project);
    sdirk_keep_momenta(c, lit_of(c)->start, s);
    if (!sdirk_stage(c, s, phase, &w, &first)) {
        return;
    }
    bool done = sdirk_caught(c) ? sdirk_plain(c, s, phase, report)
                                : sdirk_finish(c, s, phase, &w, &first, report);
    if (done) {
        sdirk_worst(report, &first);
        pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
        pawl_lit_find_closed_rows(c);
        step_weights end = sdirk_weights(c, s, phase, phase->end, 1.0);
        pawl_correction_find(c, &end);
        sdirk_arrive(c, s, phase);
    }
}
