// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One step of the linearly implicit trapezoidal rule with pawl's linearization (lit.variant=midpoint). Rows are
// placed at the middle q_m; J and k are those there:
//   M (U+ - U) = h k + JT lambda,   J (U + U+) = 0   (scheme II, 6.10;   J U+ = 0: scheme I, 6.12)
// With `project` both halves of the step follow the joints as moreau's do (position_update.c): from q by U to q_m,
// where U is projected to J U = 0, and from q_m by U+ to q+. A middle q o exp(h/2 U) that is merely projected onto
// the joints, and poses that follow (U + U+)/2 from the start, turn a linkage too slowly by (h w)^2/12. Without it
// (or for lit.variant=paper, or lit.linearized_constraints) q_m = q o exp(h/2 U) in body axes, and
//   r+ = r + h (v + v+)/2,   attitude+ = attitude o exp(h/2 W) o exp(h/2 W+):
// each spin turns the body about itself, so that the spin in world axes is constant. One rotation by the mean of both
// would change the spin of a ball without a torque. Springs act at the mean of both ends with the gradient at the
// middle, which includes the geometric terms of k_q and keeps M~ positive definite. The projections after the step
// remove the remaining error of the rows (lit_settle.c).
#include "step/common/energy_balance.h"
#include "step/common/position_correction.h"
#include "step/common/spin_update.h"
#include "step/common/stiff_springs.h"
#include "step/lit/lit.h"
#include <string.h>

// Arrays that depend on the room for contacts and on the rows of the model.
lit_memory *pawl_lit_layout(const pawl_model *model, const pawl_assembly *a, pawl_carver *mem)
{
    int bodies = model->body_count, contacts = a->max_contacts, candidates = a->candidate_count;
    lit_memory *out = PAWL_CARVE(mem, lit_memory, 1);
    lit_memory m = {.start = PAWL_CARVE(mem, body_state, bodies)};
    m.first = PAWL_CARVE(mem, body_state, bodies);
    m.second = PAWL_CARVE(mem, body_state, bodies);
    m.about = PAWL_CARVE(mem, body_state, bodies);
    m.active.contacts = PAWL_CARVE(mem, pawl_contact, contacts);
    m.active.limits = PAWL_CARVE(mem, bool, candidates);
    m.placed = PAWL_CARVE(mem, pawl_contact, contacts);
    m.residual = PAWL_CARVE(mem, double, a->free_rows);
    m.closed_rows.rows = PAWL_CARVE(mem, closed_row, candidates + contacts);
    m.closed_rows.ids = PAWL_CARVE(mem, double, contacts);
    m.closed_rows.found = PAWL_CARVE(mem, pawl_contact, contacts);
    m.scratch = PAWL_CARVE(mem, double, 6 * a->max_rows);
    int jacobian = 6 * BLOCK_MAX_BODIES * a->free_rows;
    m.paper_rows = PAWL_CARVE(mem, double, jacobian);
    m.paper_ahead = PAWL_CARVE(mem, double, jacobian);
    m.paper_behind = PAWL_CARVE(mem, double, jacobian);
    m.paper_values = PAWL_CARVE(mem, double, a->free_rows);
    m.paper_impulse = PAWL_CARVE(mem, double, 6 * bodies);
    if (out != NULL) {
        *out = m;
    }
    return out;
}

pawl_vec3 pawl_lit_rotate_with_body(pawl_quat from, pawl_quat to, pawl_vec3 w)
{
    pawl_mat3 a = quat_matrix(from), b = quat_matrix(to);
    return m3_mul(&b, m3_tmul(&a, w));
}

// Common to all variants: joints are closed by projection and not by erp, and open gaps have no rows, except in a
// sub-step that treats all contacts.
step_weights pawl_lit_weights(const step_context *c, const pawl_state *s, const lit_phase *phase)
{
    step_weights w = pawl_step_weights(c, s);
    w.h = phase->h;
    w.begin = phase->begin;
    w.end = phase->end;
    w.erp_joint = 0.0;
    w.own_erp = false;
    w.predict_spin = true;
    w.gyroscope_corrections = 4;
    w.persistent_only = !phase->catch_all;
    return w;
}

// Newton's steps onto the joints with the factor at the start of the step.
// At most newton_steps of them: the predictor is wrong by O(h^2) only.
static void lit_along(step_context *c, pawl_state *s, double t)
{
    const double tolerance = 1e-13;
    pawl_assembly *a = c->assembly;
    for (int k = 0; k < c->coordinates->ops->newton_steps; ++k) {
        pawl_assembly_place_residuals(a, s->bodies, s->coordinates, t);
        if (pawl_closure_error(a) <= tolerance) {
            return;
        }
        pawl_closure_errors(a, a->v_f);
        size_t mark = pawl_arena_mark(&c->scratch);
        double *change = pawl_take_twists(c);
        pawl_closure_solve(c, 1.0, change);
        pawl_project_move(c, s, change, t);
        pawl_arena_release(&c->scratch, mark);
    }
}

// Poses after tau at the twists of `start`, closed again where `along`; spins turn with the bodies, so that they
// stay what they were in body axes.
void pawl_lit_predict(step_context *c, pawl_state *s, const body_state *start, double tau, double t,
                      bool along)
{
    const pawl_model *m = c->model;
    memcpy(s->bodies, start, (size_t)m->body_count * sizeof *s->bodies);
    pawl_advance_poses(m, s->bodies, s->bodies, tau, t);
    pawl_close_tree(c, s, t);
    if (along && c->assembly->free_rows > 0) {
        lit_along(c, s, t);
    }
    for (int i = 0; i < m->body_count; ++i) {
        if (m->bodies[i].kind == PAWL_BODY_RIGID) {
            s->bodies[i].w = pawl_lit_rotate_with_body(start[i].q, s->bodies[i].q, start[i].w);
        }
    }
}

// The held contacts of the phase as the finder has them now, or as they were; with catch_all all others,
// too. Both lists are sorted by id.
// A merge of two sorted lists. An active contact that the finder no longer has keeps its position.
static int lit_place_contacts(const step_context *c, const lit_phase *phase, int count,
                              pawl_contact *out)
{
    const pawl_contact *found = pawl_contact_finder_contacts(c->finder);
    const lit_active *active = phase->active;
    int n = 0, room = c->assembly->max_contacts;
    for (int i = 0, k = 0; i < count || k < active->count;) {
        const pawl_contact *now = i < count ? &found[i] : NULL;
        const pawl_contact *then = k < active->count ? &active->contacts[k] : NULL;
        bool here = now != NULL && (then == NULL || now->id <= then->id);
        bool there = then != NULL && (now == NULL || then->id <= now->id);
        bool persistent = there && then->persistent;
        if (n < room && (persistent || (here && phase->catch_all))) {
            out[n] = here ? *now : *then;
            out[n++].persistent = persistent;
        }
        i += here ? 1 : 0;
        k += there ? 1 : 0;
    }
    return n;
}

// Rows, and the contacts that the phase holds, at the poses of now: contacts are matched with those of the phase by
// their ids, because their points have moved.
bool pawl_lit_place(step_context *c, pawl_state *s, const lit_phase *phase, double t)
{
    pawl_assembly *a = c->assembly;
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (!c->placed) {
        pawl_assembly_place(a, s->bodies, s->coordinates, t, c->u.damping_time);
    }
    memcpy(a->persistent, phase->active->limits,
           (size_t)a->candidate_count * sizeof *a->persistent);
    if (c->finder == NULL) {
        return true;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
    int count =
        pawl_contact_finder_find(c->finder, s->bodies, c->settings->contact.margin, phase->h);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (count < 0 || count > a->max_contacts) {
        c->out.contact_demand = count;
        return false;
    }
    int placed = lit_place_contacts(c, phase, count, lit_of(c)->placed);
    pawl_assembly_set_contacts(a, lit_of(c)->placed, placed);
    return true;
}

// q+ and the twists there, from those of both ends in the axes of the middle.
// late is the spin after the step in the attitude half way, seen from the world; it turns the body for the second
// half. So each spin turns the body about itself.
static void lit_arrive(step_context *c, pawl_state *s, const lit_phase *phase)
{
    const pawl_model *m = c->model;
    for (int i = 0; i < m->body_count; ++i) {
        const body_state *from = &lit_of(c)->start[i];
        const double *u = c->u.start + 6 * i, *n = c->u.next + 6 * i;
        body_state *b = &s->bodies[i];
        if (m->bodies[i].kind == PAWL_BODY_KINEMATIC) {
            pawl_pose pose = pawl_kinematic_pose(&m->bodies[i], phase->end);
            pawl_twist twist = pawl_kinematic_twist(&m->bodies[i], phase->end);
            *b = (body_state){pose.position, pose.orientation, twist.linear, twist.angular};
            continue;
        }
        b->v = v3(n[0], n[1], n[2]);
        pawl_vec3 mean = v3(0.5 * (u[0] + n[0]), 0.5 * (u[1] + n[1]), 0.5 * (u[2] + n[2]));
        b->r = v3_axpy(from->r, phase->h, mean);
        if (m->bodies[i].kind == PAWL_BODY_RIGID) {
            pawl_quat middle = b->q;
            pawl_quat half = quat_advance(from->q, v3_scale(0.5 * phase->h, from->w));
            pawl_vec3 late = pawl_lit_rotate_with_body(middle, half, v3(n[3], n[4], n[5]));
            b->q = quat_advance(half, v3_scale(0.5 * phase->h, late));
            b->w = late;
        }
    }
    pawl_close_tree(c, s, phase->end);
    c->placed = false;
}

// Whether both halves of the step follow the joints, as those of moreau do.
static bool lit_follows_joints(const step_context *c)
{
    const pawl_settings *set = c->settings;
    return set->project && set->lit.variant == PAWL_LIT_MIDPOINT &&
           !set->lit.linearized_constraints &&
           (c->assembly->free_rows > 0 || c->coordinates->ops->has_tree_joints);
}

// The assembly at the start; where a predictor needs it, with the factor of its joints.
static void lit_begin(step_context *c, pawl_state *s, double t)
{
    pawl_assembly *a = c->assembly;
    if (!c->placed) {
        pawl_assembly_place(a, s->bodies, s->coordinates, t, c->u.damping_time);
        c->placed = true;
    }
    memcpy(lit_of(c)->start, s->bodies, (size_t)c->model->body_count * sizeof *s->bodies);
    if (lit_follows_joints(c)) {
        return;
    }
    c->placed = false;
    pawl_rotors_begin(c, s);
    pawl_assembly_build_closure(a);
    memcpy(lit_of(c)->residual, a->residual, (size_t)a->free_rows * sizeof *a->residual);
    if (a->free_rows > 0) {
        pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
    }
}

// Half a step along the joints, from where the assembly is placed. Kinematic bodies have the twists of its
// end, which are what the velocities there are brought to.
static int lit_follow(step_context *c, pawl_state *s, double tau, double end)
{
    const pawl_model *m = c->model;
    for (int i = 0; i < m->body_count; ++i) {
        if (m->bodies[i].kind == PAWL_BODY_KINEMATIC) {
            pawl_twist twist = pawl_kinematic_twist(&m->bodies[i], end);
            s->bodies[i].v = twist.linear;
            s->bodies[i].w = twist.angular;
        }
    }
    return pawl_position_update(c, s, tau, end);
}

// Weights of the trapezoidal rule, for rows placed at the middle of the step; the paper has its springs at
// the start, and forces of both ends.
static step_weights lit_weights(const step_context *c, const pawl_state *s, const lit_phase *phase,
                                bool paper)
{
    step_weights w = pawl_lit_weights(c, s, phase);
    w.theta = 0.5;
    w.ahead = 0.25;
    w.behind = paper ? -0.25 : 0.25;
    w.reach = 0.5 * phase->h;
    w.place_time = phase->begin + 0.5 * phase->h;
    w.target_time[0] = paper ? phase->begin : w.place_time;
    w.target_time[1] = paper ? phase->end : w.place_time;
    w.before_time = w.after_time = paper ? 0.0 : 0.5 * phase->h;
    w.start_weight = c->settings->lit.scheme == 2 ? 1.0 : 0.0;
    // The paper's soft rows are those of the start, turned with their bodies.
    w.rotor =
        paper || lit_follows_joints(c) || !c->assembly->has_armatures ? NULL : c->position.rotor;
    return w;
}

// The constraint at the end of the step, linearized about its start, instead of its rate alone: [5] of
// the paper. With the mean of both ends J h (u + u+)/2 + f(q) = 0.
static void lit_linearize(step_context *c, const lit_phase *phase, const step_weights *w)
{
    pawl_assembly *a = c->assembly;
    double scale = (1.0 + w->start_weight) / phase->h;
    for (int r = 0; r < a->free_rows; ++r) {
        if (pawl_assembly_is_hard(a, r)) {
            a->bias[r] += scale * lit_of(c)->residual[r];
        }
    }
    const lit_active *active = phase->active;
    for (int k = 0, i = 0; k < a->problem.contact_count; ++k) {
        while (i < active->count && active->contacts[i].id < a->contacts[k].id) {
            ++i;
        }
        if (a->contacts[k].persistent && i < active->count) {
            int normal = pawl_problem_contact_row(&a->problem, k) + 2;
            a->bias[normal] += scale * active->contacts[i].gap;
        }
    }
}

// Places and poses the problem. False: more contacts than there is room for.
// Order matters: soft rows of the paper's variant are saved at the start, before the predictor moves the poses.
static bool lit_pose(step_context *c, pawl_state *s, const lit_phase *phase, const step_weights *w,
                     int *projections)
{
    bool paper = c->settings->lit.variant == PAWL_LIT_PAPER;
    if (paper) {
        pawl_lit_paper_begin(c, s, w);
    }
    c->u.damping_time = 0.5 * phase->h;
    if (lit_follows_joints(c)) {
        *projections += lit_follow(c, s, 0.5 * phase->h, w->place_time);
    } else {
        pawl_lit_predict(c, s, lit_of(c)->start, 0.5 * phase->h, w->place_time,
                         c->settings->project && !paper);
    }
    if (!pawl_lit_place(c, s, phase, w->place_time)) {
        return false;
    }
    if (paper) {
        pawl_lit_paper_place(c);
    }
    pawl_velocity_build(c, s, w);
    if (paper) {
        pawl_lit_paper_add_impulse(c);
    }
    if (c->settings->lit.linearized_constraints) {
        lit_linearize(c, phase, w);
    }
    pawl_assembly_set_free_velocity(c->assembly, c->u.free);
    return true;
}

// u.next to the bodies, where the second half of the step begins.
static void lit_set_twists(const step_context *c, pawl_state *s)
{
    for (int i = 0; i < c->model->body_count; ++i) {
        const double *u = c->u.next + 6 * i;
        s->bodies[i].v = v3(u[0], u[1], u[2]);
        s->bodies[i].w = v3(u[3], u[4], u[5]);
    }
}

// From lit->start to the end of the step, but for the projections there.
static void lit_trapezoid(step_context *c, pawl_state *s, const lit_phase *phase,
                          pawl_step_report *report)
{
    step_weights w = lit_weights(c, s, phase, c->settings->lit.variant == PAWL_LIT_PAPER);
    int projections = 0;
    if (!lit_pose(c, s, phase, &w, &projections)) {
        return;
    }
    solver_report solved = {.outcome = PAWL_CONVERGED};
    pawl_velocity_solve(c, s, &w, &solved);
    pawl_stiff_springs_settle(c, &w, &solved);
    pawl_velocity_finish(c, s, &w, &solved, report);
    pawl_balance_rows(c, s, &w, report);
    pawl_stiff_springs_guard(c, s, &w);
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
    pawl_lit_find_closed_rows(c);
    pawl_correction_find(c, &w);
    if (c->settings->project) {
        pawl_correct_spins(c, &w);
    }
    if (lit_follows_joints(c)) {
        lit_set_twists(c, s);
        c->placed = true;
        c->u.damping_time = 0.5 * c->settings->dt; // as every step begins with
        projections += lit_follow(c, s, 0.5 * phase->h, phase->end);
    } else {
        lit_arrive(c, s, phase);
    }
    report->projections = projections;
}

// The trapezoidal rule or its damped variant, then the projection onto what is closed, unless the move followed the
// joints all along and no contact is closed.
void pawl_lit_move(step_context *c, pawl_state *s, const lit_phase *phase, pawl_step_report *report)
{
    *report = (pawl_step_report){0};
    c->u.fraction = phase->h / c->settings->dt;
    lit_begin(c, s, phase->begin);
    if (c->settings->lit.variant == PAWL_LIT_SDIRK2) {
        pawl_lit_sdirk_move(c, s, phase, report);
    } else {
        lit_trapezoid(c, s, phase, report);
    }
    c->u.damping_time = 0.5 * c->settings->dt;
    c->assembly->body_theta = 0.5;
    if (c->out.contact_demand == 0 && c->settings->project &&
        !(lit_follows_joints(c) && lit_of(c)->closed_rows.count == 0)) {
        report->projections += pawl_lit_settle(c, s, phase->end);
    } else if (c->out.contact_demand == 0 && !c->settings->project && c->assembly->has_armatures) {
        pawl_rotors_turn(c, s, phase->end);
    }
    if (c->out.contact_demand == 0) {
        report->projections += pawl_correction_apply(c, s, phase->end, report);
    }
}
