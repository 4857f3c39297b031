// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The velocity update of a step (loops eq. 10a): at the poses where the rows are placed,
//   M (u+ - u-) = h f + JT lambda,   v = J u+ + bias + R lambda,   v and lambda complementary.
// Contacts are found, impacts solved (impact.c), the free motion and the problem assembled, solved and judged, and
// the energy balance computed. Each part has a file of its own; this one calls them in order.
#include "step/common/velocity_update.h"
#include "step/common/applied_forces.h"
#include "step/common/contact_report.h"
#include "step/common/energy_balance.h"
#include "step/common/free_motion.h"
#include "step/common/impact.h"
#include "step/common/overlap.h"
#include "step/common/position_correction.h"
#include "step/common/report_merge.h"
#include "step/common/solve_rows.h"
#include "step/common/spin_update.h"
#include "step/common/stiff_springs.h"
#include "step/common/twist.h"
#include "step/common/warm_start.h"
#include <string.h>

// False when there are more contacts than the step has room for.
static bool velocity_find_contacts(step_context *c, pawl_state *s, const step_weights *w,
                                   pawl_step_report *report)
{
    *report = (pawl_step_report){0};
    if (c->finder == NULL) {
        return true;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
    int count, most = c->assembly->max_contacts;
    // Whoever is touched wakes, and touches others in turn.
    do {
        count = pawl_contact_finder_find(c->finder, s->bodies, c->settings->contact.margin, w->h);
    } while (count > 0 && count <= most &&
             pawl_sleep_touch(&c->sleep, s, pawl_contact_finder_contacts(c->finder), count) > 0);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (count < 0 || count > most) {
        c->out.contact_demand = count;
        return false;
    }
    pawl_assembly_set_contacts(c->assembly, pawl_contact_finder_contacts(c->finder), count);
    return true;
}

void pawl_velocity_update(step_context *c, pawl_state *s, const step_weights *w,
                          pawl_step_report *report)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    // The end of the last step may have placed the rows here already; then the Jacobians and their factor are still
    // right.
    if (!c->placed) {
        pawl_assembly_place(c->assembly, s->bodies, s->coordinates, w->place_time,
                            c->u.damping_time);
        c->placed = true;
    }

    if (!velocity_find_contacts(c, s, w, report)) {
        return;
    }
    pawl_step_report impact = {0};
    // Impacts come first and change the twists in s: the problem below is that of a motion without jumps, whatever
    // the restitution.
    bool struck = pawl_impact_in_step(c, s, w, &impact);
    pawl_velocity_build(c, s, w);
    solver_report solved = {.outcome = PAWL_CONVERGED};
    pawl_velocity_solve(c, s, w, &solved);
    pawl_stiff_springs_settle(c, w, &solved);
    if (c->probe != NULL) {
        c->probe(c->probe_user, c, s, w, struck);
    }
    pawl_velocity_finish(c, s, w, &solved, report);
    if (struck) {
        pawl_report_merge(report, &impact);
    }
    // Work needs the impulses and the rates before and after, all of which are still at hand; a spring that gained
    // energy by the length of the step gives it back after that.
    pawl_balance_rows(c, s, w, report);
    pawl_stiff_springs_guard(c, s, w);
    pawl_correction_find(c, w);
}

// u_free first: limits get a row only where it heads for them.
void pawl_velocity_build(step_context *c, const pawl_state *s, const step_weights *w)
{
    pawl_apply_forces(c, w);
    pawl_free_motion_find(c, s, w);
    pawl_free_motion_bind(c, w);
    pawl_assembly_build_problem(c->assembly, s->bodies, c->u.free, w, false);
}

void pawl_velocity_solve(step_context *c, const pawl_state *s, const step_weights *w,
                         solver_report *solved)
{
    pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    bool bound = p->row_count > 0 || c->coordinates->ops->has_tree_joints;
    if (pawl_spins_are_predicted(c, w) && bound && pawl_has_gyroscopes(c)) {
        pawl_predict_spins(c, s, w);
    }
    pawl_solve_warm(c, s, solved);
    // Rows only ever come in, so this ends; the second solve starts from the answer of the first.
    while (!w->persistent_only && pawl_assembly_add_missed(a, c->u.next, w) > 0) {
        pawl_assembly_build_problem(a, s->bodies, c->u.free, w, true);
        pawl_solve_warm(c, s, solved);
    }
    // Within a budget the torque is that of the free motion, which keeps its energy: of first order, in one solve.
    if (bound && !pawl_sweeps_in_whole(c)) {
        // The gyroscopic torque depends on the spin at the end of the step, which the impulses change: a fixed-point
        // iteration, with the matrix unchanged and so with its factor.
        pawl_settle_gyroscopes(c, w, solved);
    }
}

// The problem with its answer and, found again, its warm start: the state still has the impulses of the last step.
static pawl_status velocity_take_sample(step_context *c, const pawl_state *s, const step_weights *w)
{
    size_t mark = pawl_arena_mark(&c->scratch);
    size_t bytes = (size_t)c->assembly->problem.row_count * sizeof(double);
    double *answer = pawl_take_rows(c), *start = pawl_take_rows(c);
    memcpy(answer, c->u.lambda, bytes);
    pawl_warm_start(c, s);
    memcpy(start, c->u.lambda, bytes);
    memcpy(c->u.lambda, answer, bytes);
    const pawl_sample_data when = {
        .step = s->step, .time = w->begin, .dt = w->h, .reach = w->reach};
    pawl_status status = pawl_sample_capture_take(c->env, &c->out.sample, c->assembly, &when, start,
                                                  answer, c->u.velocity);
    pawl_arena_release(&c->scratch, mark);
    return status;
}

// The judge decides how well the problem was solved, not the solver. Then impulses are stored for the next step's
// warm start, by slot or by the contact's id, and the twists taken over.
void pawl_velocity_finish(step_context *c, pawl_state *s, const step_weights *w,
                          const solver_report *solved, pawl_step_report *report)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    pawl_phase_enter(&c->clock, PAWL_PHASE_REST);
    if (c->out.capture.wanted) {
        c->out.captured = pawl_contact_capture_take(
            c->env, &c->out.capture, p, c->settings->solver.regularization, c->u.lambda);
    }
    *report =
        (pawl_step_report){.method = p->row_count > 0 ? solved->method : PAWL_METHOD_NONE,
                           .iterations = solved->iterations,
                           .factorizations = solved->factorizations,
                           .islands = p->row_count > 0 ? c->out.island_count : 0,
                           .rows = p->row_count,
                           .bounded_rows = p->row_count - p->free_row_count - 3 * p->contact_count,
                           .contacts = p->contact_count};
    pawl_step_decide(c, solved, report);
    if (c->out.sample.wanted) {
        c->out.captured = velocity_take_sample(c, s, w);
    }
    pawl_overlap_report(c, s, report);
    pawl_report_contacts(c, w->h);

    memset(s->impulses, 0, (size_t)pawl_impulse_slots(m).count * sizeof *s->impulses);
    if (c->finder != NULL) {
        pawl_remember_contacts(c, s);
    }
    for (int r = 0; r < a->slot_rows; ++r) {
        if (a->rows[r].slot >= 0) {
            // A shorter step has smaller impulses: they are stored as those of a whole one.
            s->impulses[a->rows[r].slot] = c->u.lambda[r] / c->u.fraction;
        }
    }
    for (int i = 0; i < m->body_count; ++i) {
        s->bodies[i].v = twist_linear(c->u.next + 6 * i);
        s->bodies[i].w = twist_angular(c->u.next + 6 * i);
    }
}
