// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The loop of [potra-2006] section 8 with a separate step grid (errata 5). A sub-step (called a piece below) is tried
// up to the grid. If a collision occurs within it, it is repeated up to that instant, so that joints stay closed and
// work is counted as in any step; lit.variant=paper uses the interpolated state instead. Then velocities jump
// (impact.c), and the rest of the step is the next sub-step.
//
// The loop always ends: a pair that has collided too often in one step no longer bounces and stays in contact. A step
// with too many sub-steps, or whose problems have used several times the iterations of one problem, takes its rest as
// one sub-step that treats contacts like euler, and reports it (event `unresolved`). If the solver does not converge,
// locating changes of its solutions is of little use. A sub-step [begin, end] is tried, located events shorten it,
// and its end is the beginning of the next. The state at the beginning is kept (lit_substep_start) with everything
// that a trial changes.
#include "step/common/impact.h"
#include "step/common/locate.h"
#include "step/common/report_merge.h"
#include "step/lit/lit_transitions.h"
#include <string.h>

enum { EVENTS_BOUNCES = 8, EVENTS_SUBSTEPS = 64, EVENTS_SUBSTEPS_A_BODY = 16, EVENTS_REDOS = 4 };
// How many problems at the limit of iterations a step may cost, and one whose solver has failed already.
enum { EVENTS_SOLVES = 8, EVENTS_SOLVES_FAILING = 2 };
static const double events_resting = 1e-6;   // opening slower is rest [m/s]
static const double events_nothing = 1e-9;   // of a step: what is left of it is nothing
static const double events_exact = 1e-6;     // of the reach: gaps at a located impact
static const double events_tolerance = 1e-4; // of the reach: what is no collision yet

// A change for each contact and each candidate at most.
lit_event_memory *pawl_lit_event_layout(const pawl_model *model, const pawl_assembly *a,
                                        pawl_carver *mem)
{
    lit_event_memory *out = PAWL_CARVE(mem, lit_event_memory, 1);
    lit_event_memory m = {.reaction = PAWL_CARVE(mem, double, pawl_impulse_slots(model).count)};
    m.effort = PAWL_CARVE(mem, double, model->actuator_count);
    m.known = PAWL_CARVE(mem, double, a->max_contacts);
    m.bodies = PAWL_CARVE(mem, body_state, model->body_count);
    m.changes = PAWL_CARVE(mem, lit_change, a->max_contacts + a->candidate_count);
    if (out != NULL) {
        *out = m;
    }
    return out;
}

// The tolerance of (7.1), max(eps_a, eps_b h^3) [m or rad]: gaps below it count as closed.
static double events_reach(const step_context *c, double h)
{
    return fmax(c->settings->lit.eps_a, c->settings->lit.eps_b * h * h * h);
}

// ---- One piece ----------------------------------------------------------------------------------

// Reactions and efforts are summed over a step, so a piece that is repeated must first subtract its own.
static void events_save(const lit_substep *p)
{
    step_context *c = p->c;
    size_t slots = (size_t)pawl_impulse_slots(c->model).count;
    pawl_state_copy(lit_substep_start(c), p->s);
    memcpy(lit_of(c)->events->reaction, c->out.reaction, slots * sizeof *c->out.reaction);
    memcpy(lit_of(c)->events->effort, c->out.effort,
           (size_t)c->model->actuator_count * sizeof(double));
    lit_of(c)->events->limit_correction_energy = p->report->limit_correction_energy;
    lit_of(c)->events->contact_correction_energy = p->report->contact_correction_energy;
}

// Iterations and residuals of what is taken back stay in the report; energies are those of the state.
static void events_restore(const lit_substep *p)
{
    step_context *c = p->c;
    size_t slots = (size_t)pawl_impulse_slots(c->model).count;
    pawl_state_copy(p->s, lit_substep_start(c));
    memcpy(c->out.reaction, lit_of(c)->events->reaction, slots * sizeof *c->out.reaction);
    memcpy(c->out.effort, lit_of(c)->events->effort,
           (size_t)c->model->actuator_count * sizeof(double));
    p->report->limit_correction_energy = lit_of(c)->events->limit_correction_energy;
    p->report->contact_correction_energy = lit_of(c)->events->contact_correction_energy;
    c->placed = false;
}

// Moves s and merges the report; the finder's data of the end of the piece is then invalid.
static bool events_move(lit_substep *p, double begin, double h, double end)
{
    lit_phase phase = {
        .begin = begin, .h = h, .end = end, .active = p->active, .after_impact = p->after_impact};
    pawl_step_report part;
    pawl_lit_move(p->c, p->s, &phase, &part);
    pawl_report_merge(p->report, &part);
    p->s->time = phase.end;
    lit_of(p->c)->events->looked = false;
    return p->c->out.contact_demand == 0;
}

// Always from the saved beginning: the result does not depend on trials before.
bool pawl_lit_substep_move(lit_substep *p, double h, bool last)
{
    events_restore(p);
    p->moved = h;
    return events_move(p, p->begin, h, last ? p->end : p->begin + h);
}

// Locating events takes many solves; where they do not converge it would take all time there is.
bool pawl_lit_substep_is_used_up(const lit_substep *p)
{
    bool failing = p->report->outcome != PAWL_CONVERGED;
    int64_t most = p->c->settings->solver.max_iterations;
    return p->report->iterations > most * (failing ? EVENTS_SOLVES_FAILING : EVENTS_SOLVES);
}

// A whole step that begins tau after the beginning of the last step, on its interpolant ([potra-2006] section
// 7.5).
bool pawl_lit_substep_shift(lit_substep *p, double tau)
{
    const pawl_state *from = lit_substep_start(p->c);
    state_before before = pawl_state_before(from);
    motion_path path = {p->c->model, before.bodies, from->bodies, *before.time,
                        p->begin - *before.time};
    events_restore(p);
    pawl_motion_at(&path, tau, p->s->bodies);
    p->moved = -1.0;
    double begin = *before.time + tau, h = p->end - p->begin;
    return events_move(p, begin, h, begin + h);
}

// Whether something that is closed, not only within reach of being so, closes fast. Contacts with an open gap collide
// within the sub-step.
static bool events_closing(const lit_substep *p)
{
    const step_context *c = p->c;
    const pawl_assembly *a = c->assembly;
    double closed = events_tolerance * events_reach(c, 0.0);
    for (int k = 0; k < p->active->count; ++k) {
        const pawl_contact *in = &p->active->contacts[k];
        if (!in->persistent && in->gap <= closed) {
            return true;
        }
    }
    for (int k = 0; k < a->candidate_count && p->active->closing; ++k) {
        if (pawl_assembly_limit_is_hard(a, k) && !p->active->limits[k] &&
            pawl_assembly_limit_gap(a, k) <= closed) {
            return true;
        }
    }
    return false;
}

// The active set at the beginning of a sub-step, after an impact if a closed contact approaches.
static bool events_begin(lit_substep *p, const impact_request *impact)
{
    step_context *c = p->c;
    double h = p->end - p->begin;
    p->s->time = p->begin;
    if (!pawl_lit_active(c, p->s, h, p->active)) {
        return false;
    }
    if (impact != NULL || events_closing(p)) {
        impact_request request = {.time = p->begin, .reach = events_reach(c, h)};
        pawl_lit_forget_transitions(c);
        if (!pawl_impact(c, p->s, impact != NULL ? impact : &request, p->report) ||
            !pawl_lit_active(c, p->s, h, p->active)) {
            return false;
        }
        p->after_impact = true;
    }
    // Separating contacts are not active: a contact that approaches again in this sub-step would bounce elastically.
    // The paper holds it (section 8: "Add contact j* to the list of active contacts"). Approaching contacts with an
    // open gap are not active either: with steps so small that the approach takes several, they would bounce before
    // they touch.
    double leaves = fmax(events_resting, 0.1 * c->settings->contact.restitution_threshold);
    double closed = events_tolerance * events_reach(c, 0.0);
    bool let_go = c->settings->lit.variant != PAWL_LIT_PAPER;
    for (int k = 0; k < p->active->count; ++k) {
        pawl_contact *in = &p->active->contacts[k];
        double opening = pawl_contact_opening(in, p->s->bodies);
        bool comes = in->gap > closed && opening < -leaves;
        in->persistent = in->persistent && !comes && !(let_go && opening > leaves);
    }
    events_save(p);
    return true;
}

// ---- Collisions ---------------------------------------------------------------------------------

// The earliest meeting in a piece that was moved by h. False in *room: contacts do not fit.
static bool events_find_root(lit_substep *p, double h, locate_scope *scope, gap_root *out,
                             bool *room)
{
    step_context *c = p->c;
    *room = true;
    if (c->finder != NULL) {
        pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
        int count = pawl_contact_finder_find(c->finder, p->s->bodies, scope->tolerance, h);
        if (count < 0 || count > c->assembly->max_contacts) {
            c->out.contact_demand = count;
            *room = false;
            return false;
        }
        lit_of(c)->events->found = count;
        lit_of(c)->events->looked = true;
    }
    motion_path path = {c->model, lit_substep_start(c)->bodies, p->s->bodies, p->begin, h};
    bool root = pawl_locate_gap_root(&path, lit_substep_start(c), p->s, scope, out);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    return root;
}

// Contacts that last are known, limits that last are closed: neither is an event.
static locate_scope events_scope(const lit_substep *p)
{
    step_context *c = p->c;
    int count = 0;
    for (int k = 0; k < p->active->count; ++k) {
        if (p->active->contacts[k].persistent) {
            lit_of(c)->events->known[count++] = p->active->contacts[k].id;
        }
    }
    return (locate_scope){.finder = c->finder,
                          .known = lit_of(c)->events->known,
                          .known_count = count,
                          .assembly = c->assembly,
                          .closed = p->active->limits,
                          .tolerance = events_tolerance * events_reach(c, 0.0),
                          .bodies = lit_of(c)->events->bodies};
}

// As published: the state of the interpolant, and the fraction of the work that the time is.
static void events_interpolate(lit_substep *p, double h, double tau)
{
    step_context *c = p->c;
    const pawl_state *from = lit_substep_start(c);
    motion_path path = {c->model, from->bodies, p->s->bodies, p->begin, h};
    pawl_motion_at(&path, tau, lit_of(c)->events->bodies);
    memcpy(p->s->bodies, lit_of(c)->events->bodies,
           (size_t)c->model->body_count * sizeof *p->s->bodies);
    double fraction = tau / h;
    for (int k = 0; k < WORK_COUNT; ++k) {
        p->s->work[k] = from->work[k] + fraction * (p->s->work[k] - from->work[k]);
    }
    p->s->time = p->begin + tau;
    c->placed = false;
}

// Ends the piece at the collision: repeats it, with one or two secant steps on the actual gap, which differs from the
// interpolated one by O(h^3). Returns its length; 0 for no room, and where it happened at the beginning: a piece of
// no length is none.
static double events_end_at(lit_substep *p, double h, const locate_scope *scope,
                            const gap_root *root)
{
    double least = events_nothing * p->c->settings->dt;
    if (!(root->tau > least)) {
        events_restore(p);
        return 0.0;
    }
    if (p->c->settings->lit.variant == PAWL_LIT_PAPER) {
        events_interpolate(p, h, root->tau);
        return root->tau;
    }
    double exact = events_exact * events_reach(p->c, 0.0);
    double tau = root->tau, before = h, gap_before = pawl_gap_at_root(scope, root, p->s);
    for (int k = 0; k < EVENTS_REDOS; ++k) {
        if (!pawl_lit_substep_move(p, tau, false)) {
            return 0.0;
        }
        double gap = pawl_gap_at_root(scope, root, p->s);
        double slope = (gap - gap_before) / (tau - before);
        double next = tau - gap / slope;
        if (root->at_once || fabs(gap) <= exact || !(slope < 0.0) || !(next > least && next < h) ||
            k == EVENTS_REDOS - 1) {
            break;
        }
        before = tau;
        gap_before = gap;
        tau = next;
    }
    return tau;
}

// How often the pair or limit has met in this step already.
// From the log of events of this step; a full log has not all of them, but then the step is done again.
static int events_count_closings(const step_context *c, const gap_root *root)
{
    int count = 0;
    for (int i = 0; i < c->out.events.count && i < c->out.events.capacity; ++i) {
        const step_event *e = &c->out.events.events[i];
        bool closes = e->kind == PAWL_EVENT_COLLISION || e->kind == PAWL_EVENT_LIMIT;
        count += closes && e->shape_a == root->shape_a && e->shape_b == root->shape_b &&
                 e->joint == root->joint && e->coordinate == root->coordinate;
    }
    return count;
}

// ---- The step -----------------------------------------------------------------------------------

// The way out: the rest of the step as a time-stepping method would do it, without locating anything.
static void events_rest_in_one(lit_substep *p, int substeps)
{
    step_context *c = p->c;
    pawl_event_add(&c->out.events,
                   pawl_event_of_pair(PAWL_EVENT_UNRESOLVED, p->begin, -1, -1, substeps));
    events_restore(p);
    lit_phase phase = {.begin = p->begin,
                       .h = p->end - p->begin,
                       .end = p->end,
                       .active = p->active,
                       .after_impact = p->after_impact,
                       .catch_all = true};
    pawl_step_report part;
    if (pawl_impact_ahead(c, p->s, phase.h, p->report) &&
        pawl_lit_active(c, p->s, phase.h, p->active)) {
        pawl_lit_move(c, p->s, &phase, &part);
        pawl_report_merge(p->report, &part);
    }
}

// Section 7.5 taken literally uses the previous step: the necessary data is part of the state.
static void events_remember(const lit_substep *p)
{
    const step_context *c = p->c;
    if (c->settings->lit.variant == PAWL_LIT_PAPER && c->settings->lit.scheme == 1) {
        state_before before = pawl_state_before(p->s);
        *before.step = (double)(p->s->step + 1);
        *before.time = p->begin;
        memcpy(before.bodies, lit_substep_start(c)->bodies,
               (size_t)c->model->body_count * sizeof *before.bodies);
    }
}

// The loop of section 8. An impact that is due is resolved at the beginning of the next piece, at the poses that
// the piece before ended with. No room for contacts ends the step at once; the simulator makes room and does it
// again.
void pawl_lit_advance_events(step_context *c, pawl_state *s, pawl_step_report *report)
{
    *report = (pawl_step_report){0};
    lit_substep p = {.c = c,
                     .s = s,
                     .report = report,
                     .active = &lit_of(c)->active,
                     .begin = s->time,
                     .end = pawl_step_end(s, c->settings->dt),
                     .follows =
                         c->settings->lit.variant == PAWL_LIT_PAPER && pawl_state_knows_before(s)};
    int most = EVENTS_SUBSTEPS + EVENTS_SUBSTEPS_A_BODY * c->model->body_count;
    impact_request impact, *due = NULL;
    bool stuck = false; // an impact at the beginning of a piece left what met there
    pawl_lit_forget_transitions(c);
    for (int substeps = 0;; ++substeps) {
        if (!events_begin(&p, due)) {
            return;
        }
        due = NULL;
        double h = p.end - p.begin;
        if (!(h > events_nothing * c->settings->dt)) {
            return; // the last piece ended on the grid
        }
        if (substeps == most || stuck || pawl_lit_substep_is_used_up(&p)) {
            events_rest_in_one(&p, substeps);
            return;
        }
        if (!pawl_lit_substep_move(&p, h, true)) {
            return;
        }
        locate_scope scope = events_scope(&p);
        gap_root root;
        bool room, closes = events_find_root(&p, h, &scope, &root, &room);
        if (!room) {
            return;
        }
        if (closes) {
            h = events_end_at(&p, h, &scope, &root);
            stuck = h == 0.0 && p.after_impact;
        }
        bool changes = c->out.contact_demand == 0 && h > 0.0 &&
                       c->settings->lit.events == PAWL_LIT_EVENTS_ALL &&
                       pawl_lit_find_transition(&p, &h);
        if (c->out.contact_demand != 0 || (!closes && !changes)) {
            if (substeps == 0 && !p.after_impact) {
                events_remember(&p);
            }
            return;
        }
        if (!changes) {
            bool plastic = root.at_once || events_count_closings(c, &root) >= EVENTS_BOUNCES;
            impact = (impact_request){
                .time = p.begin + h, .reach = events_reach(c, c->settings->dt), .plastic = plastic};
            due = &impact;
        }
        p.begin += h;
        p.after_impact = p.follows = false;
    }
}
