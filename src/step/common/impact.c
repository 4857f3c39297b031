// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The participants of an impact and its results: twists, work, reactions, events. The laws are in impact_laws.c.
// Restitution is that of the pair, or 0 if no contact closes faster than contact.restitution_threshold: small bounces
// end in lasting contact. Two uses. A stepper that locates impacts (lit) calls pawl_impact() at the instant of one.
// Steps that do not locate them call pawl_impact_in_step() for contacts that will close fast in the step, or
// pawl_impact_ahead(). Signs: the normal points from a to b, and a negative rate closes.
#include "step/common/impact.h"
#include "step/common/energy_balance.h"
#include "step/common/free_motion.h"
#include "step/common/gyroscope.h"
#include "step/common/least_reactions.h"
#include "step/common/position_update.h"
#include <string.h>

static const double impact_closing = 1e-6; // slower is rest [m/s or rad/s]

// `units` is the room for a group's path. It starts small, and grows when a step asks for more (impact_demand).
impact_memory *pawl_impact_layout(const pawl_model *model, const pawl_assembly *a, int units,
                                  pawl_carver *mem)
{
    impact_memory *out = PAWL_CARVE(mem, impact_memory, 1);
    impact_memory m = {.contacts = PAWL_CARVE(mem, pawl_contact, a->max_contacts)};
    m.source = PAWL_CARVE(mem, int, a->max_contacts);
    m.bounce = PAWL_CARVE(mem, double, a->max_contacts);
    m.allowed = PAWL_CARVE(mem, double, a->max_contacts);
    double **rows[] = {&m.rate,  &m.total, &m.after,  &m.plastic, &m.plastic_after,
                       &m.given, &m.open,  &m.excess, &m.before};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, a->max_rows);
    }
    m.root = PAWL_CARVE(mem, int, model->body_count);
    m.unsolved = PAWL_CARVE(mem, bool, model->body_count);
    m.units = PAWL_CARVE(mem, int, a->max_rows);
    m.bounces = PAWL_CARVE(mem, bool, a->max_contacts);
    m.half = PAWL_CARVE(mem, double, 6 * model->body_count);
    m.impulse = PAWL_CARVE(mem, double, 3 * a->max_contacts);
    m.path = pawl_impact_path_layout(units > PATH_FIRST_UNITS ? units : PATH_FIRST_UNITS, mem);
    if (out != NULL) {
        *out = m;
    }
    return out;
}

static pawl_vec3 impact_point_velocity(const body_state *bodies, int body, pawl_vec3 point)
{
    if (body < 0) {
        return v3(0.0, 0.0, 0.0);
    }
    const body_state *b = &bodies[body];
    return v3_add(b->v, v3_cross(b->w, v3_sub(point, b->r)));
}

// Velocity of b less that of a at the contact point [m/s].
static pawl_vec3 impact_velocity(const pawl_contact *k, const body_state *bodies)
{
    return v3_sub(impact_point_velocity(bodies, k->body_b, k->position),
                  impact_point_velocity(bodies, k->body_a, k->position));
}

// Positive: the gap grows [m/s].
double pawl_contact_opening(const pawl_contact *k, const body_state *bodies)
{
    return v3_dot(k->normal, impact_velocity(k, bodies));
}

pawl_vec3 pawl_contact_slip(const pawl_contact *k, const body_state *bodies)
{
    pawl_vec3 v = impact_velocity(k, bodies);
    return v3_axpy(v, -v3_dot(k->normal, v), k->normal);
}

// Contacts and limits within reach, as the next problem's. False: no room.
// Soft contacts and soft limits have no impact: their force is finite.
static bool impact_gather(step_context *c, const pawl_state *s, const impact_request *q)
{
    pawl_assembly *a = c->assembly;
    for (int k = 0; k < a->candidate_count; ++k) {
        a->persistent[k] =
            pawl_assembly_limit_is_hard(a, k) && pawl_assembly_limit_gap(a, k) <= q->reach;
    }
    int kept = 0;
    if (c->finder != NULL) {
        pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
        int count = pawl_contact_finder_find(c->finder, s->bodies, q->reach, 0.0);
        pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
        if (count < 0 || count > a->max_contacts) {
            c->out.contact_demand = count;
            return false;
        }
        const pawl_contact *found = pawl_contact_finder_contacts(c->finder);
        for (int k = 0; k < count; ++k) {
            if (found[k].gap <= q->reach && !pawl_is_soft(&found[k].soft)) {
                c->impact->source[kept] = k;
                c->impact->contacts[kept++] = found[k];
            }
        }
    }
    pawl_assembly_set_contacts(a, c->impact->contacts, kept);
    return true;
}

// The fastest closing of contacts and limits, from the rates before [m/s or rad/s].
// Limits and contacts alone: joints neither close nor open.
static double impact_fastest(const step_context *c, const double *rate)
{
    const pawl_assembly *a = c->assembly;
    double fastest = 0.0;
    for (int r = a->free_rows; r < a->slot_rows; ++r) {
        fastest = fmax(fastest, -rate[r]);
    }
    for (int k = 0; k < a->contact_count; ++k) {
        fastest = fmax(fastest, -rate[pawl_impact_normal(c, k)]);
    }
    return fastest;
}

// Energy exchanged between contacts and limits in one impact is not work of either: see balance_net_dissipation().
static void impact_net(double *contacts, double *limits)
{
    double *giver = *contacts > *limits ? contacts : limits;
    double *taker = giver == contacts ? limits : contacts;
    double exchanged = fmin(fmax(*giver, 0.0), fmax(-*taker, 0.0));
    *giver -= exchanged;
    *taker += exchanged;
}

// Work of the impulses over the mean of the rates before and after, which is the change of kinetic
// energy. Returns what contacts and limits took.
static double impact_add_work(step_context *c, pawl_state *s, const double *rate,
                              const double *total)
{
    const pawl_assembly *a = c->assembly;
    double contacts = 0.0, limits = 0.0;
    pawl_assembly_row_velocity(a, c->u.next, c->u.rate);
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        double done = 0.5 * total[r] * (rate[r] + c->u.rate[r]);
        contacts += r < a->slot_rows ? 0.0 : done;
        limits += r < a->slot_rows ? done : 0.0;
    }
    impact_net(&contacts, &limits);
    s->work[WORK_CONTACTS] += contacts;
    s->work[WORK_LIMITS] += limits;
    pawl_balance_drives(c, total, s->work);
    // Joints that coordinates hold bear their part.
    s->work[WORK_MOTION] +=
        pawl_coordinates_reactions(c->coordinates, total, c->u.start, c->u.next, c->u.start,
                                   c->u.next, c->u.applied, c->out.reaction);
    pawl_defer_reactions(c, s->bodies, s->time, 1.0, total);
    for (int r = 0; r < a->slot_rows; ++r) {
        pawl_add_reaction(c, r, total[r]);
    }
    return -(contacts + limits);
}

// One event a pair of shapes that closed: contacts are sorted by pair.
// A pair that could bounce but is in a plastic impact is reported as lasting.
static void impact_log_pairs(step_context *c, double time, const double *rate, bool plastic)
{
    const pawl_assembly *a = c->assembly;
    for (int k = 0; k < a->contact_count;) {
        const pawl_contact *first = &a->contacts[k];
        double closing = 0.0;
        for (; k < a->contact_count && a->contacts[k].shape_a == first->shape_a &&
               a->contacts[k].shape_b == first->shape_b;
             ++k) {
            closing = fmax(closing, -rate[pawl_impact_normal(c, k)]);
        }
        if (closing > impact_closing) {
            bool lasts = plastic && first->restitution > 0.0;
            pawl_event_add(&c->out.events,
                           pawl_event_of_pair(lasts ? PAWL_EVENT_LASTING : PAWL_EVENT_COLLISION,
                                              time, first->shape_a, first->shape_b, closing));
        }
    }
}

// An event for each limit and each pair of shapes that closed, and one for the impact as a whole, with the energy
// that was lost [J].
static void impact_log(step_context *c, double time, const double *rate, bool plastic, double loss)
{
    const pawl_assembly *a = c->assembly;
    for (int r = a->free_rows; r < a->slot_rows; ++r) {
        if (-rate[r] > impact_closing) {
            pawl_event_add(&c->out.events,
                           pawl_event_of_joint(PAWL_EVENT_LIMIT, time, a->rows[r].owner,
                                               a->rows[r].part, -rate[r]));
        }
    }
    impact_log_pairs(c, time, rate, plastic);
    pawl_event_add(&c->out.events, pawl_event_of_pair(PAWL_EVENT_IMPACT, time, -1, -1, loss));
}

// The impact problem of the contacts that are set and the limits that are held, at the poses where the rows are
// placed, from the twists of s: it is built, and rates and the fastest closing are known.
static double impact_build(step_context *c, const pawl_state *s)
{
    pawl_assembly *a = c->assembly;
    pawl_twists_of(c->model, s->bodies, c->u.start);
    memcpy(c->u.free, c->u.start, (size_t)(6 * c->model->body_count) * sizeof *c->u.free);
    pawl_assembly_build_impact(a, c->u.free, a->persistent);
    pawl_assembly_row_velocity(a, c->u.start, c->impact->rate);
    return impact_fastest(c, c->impact->rate);
}

// Solves it and gives s the twists after it. Returns the energy that contacts and limits took.
static double impact_solve(step_context *c, pawl_state *s, double fastest, double time,
                           pawl_step_report *report)
{
    const pawl_model *m = c->model;
    impact_scope scope = {.fastest = fastest, .time = time};
    pawl_impact_rates(c);
    pawl_impact_resolve(c, &scope, report);
    double loss = impact_add_work(c, s, c->impact->rate, c->impact->total);
    report->impact_work -= loss;
    report->measured |= PAWL_MEASURED_IMPACTS;
    for (int i = 0; i < m->body_count; ++i) {
        const double *u = c->u.next + 6 * i;
        if (m->bodies[i].kind != PAWL_BODY_KINEMATIC) {
            s->bodies[i].v = v3(u[0], u[1], u[2]);
            s->bodies[i].w = v3(u[3], u[4], u[5]);
        }
    }
    return loss;
}

// Returns false only for lack of room. An impact in which every contact closes slower than the threshold is plastic,
// for any restitution: otherwise a ball would bounce infinitely often in finite time.
bool pawl_impact(step_context *c, pawl_state *s, const impact_request *q, pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    const impact_memory *x = c->impact;
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    pawl_assembly_place(a, s->bodies, s->coordinates, q->time, 0.0);
    c->placed = false;
    if (!impact_gather(c, s, q)) {
        return false;
    }
    double fastest = impact_build(c, s);
    if (!(fastest > impact_closing)) {
        return true; // something touches that rests already
    }
    bool plastic = q->plastic || !(fastest > c->settings->contact.restitution_threshold);
    for (int k = 0; k < a->contact_count; ++k) {
        x->bounce[k] = plastic ? 0.0 : a->contacts[k].restitution;
        x->allowed[k] = 0.0;
    }
    double loss = impact_solve(c, s, fastest, q->time, report);
    impact_log(c, q->time, x->rate, plastic, loss);
    return true;
}

// ---- Impacts of steps that do not locate them ----------------------------------------------------

// Whether the step's own problem would miss something of a contact that closes fast and touches in it: that
// knows neither restitution, nor the friction of impacts, nor slip that changes during one.
static bool impact_asks(const step_context *c, const pawl_contact *k)
{
    pawl_impact_law law = c->settings->contact.impact;
    bool follows = law == PAWL_IMPACT_ENERGETIC || law == PAWL_IMPACT_ROUTH;
    return k->restitution > 0.0 || k->impact_friction != k->friction ||
           (follows && k->friction > 0.0);
}

// Whether any contact would ask, fast or not: without restitution, as at rest, no velocity needs to be looked at.
static bool impact_may_ask(const step_context *c)
{
    for (int k = 0; k < c->assembly->contact_count; ++k) {
        if (impact_asks(c, &c->assembly->contacts[k])) {
            return true;
        }
    }
    return false;
}

// Contacts of the finder that touch before the step ends, and limits that are reached. Returns whether one of
// the contacts asks for an impact.
// A contact is fast if it closes faster than the threshold and its gap would be closed within `reach`. Slow
// contacts take part if they are closed, because an impact presses on them.
static bool impact_select(step_context *c, const pawl_state *s, double reach)
{
    pawl_assembly *a = c->assembly;
    impact_memory *x = c->impact;
    const pawl_settings *set = c->settings;
    int kept = 0;
    bool any = false;
    for (int k = 0; k < a->contact_count; ++k) {
        const pawl_contact *in = &a->contacts[k];
        double opening = pawl_contact_opening(in, s->bodies);
        bool fast =
            opening < -set->contact.restitution_threshold && in->gap + reach * opening <= 0.0;
        if (pawl_is_soft(&in->soft) || !(fast || in->gap <= set->lit.eps_a)) {
            continue;
        }
        bool bounces = fast && in->restitution > 0.0;
        x->bounces[kept] = bounces;
        any = any || (fast && impact_asks(c, in));
        x->bounce[kept] = in->restitution;
        // Contacts that do not bounce may still close their gap.
        x->allowed[kept] = bounces ? 0.0 : fmax(in->gap, 0.0) / reach;
        x->source[kept] = k;
        x->contacts[kept++] = *in;
    }
    if (any) {
        pawl_assembly_set_contacts(a, x->contacts, kept);
        for (int k = 0; k < a->candidate_count; ++k) {
            a->persistent[k] =
                pawl_assembly_limit_is_hard(a, k) && pawl_assembly_limit_gap(a, k) <= 0.0;
        }
    }
    return any;
}

// bodies += fraction * change (6 x bodies); kinematic bodies keep their twists.
static void impact_add_twists(const pawl_model *m, const double *change, double fraction,
                              body_state *bodies)
{
    for (int i = 0; i < m->body_count; ++i) {
        const double *d = change + 6 * i;
        if (m->bodies[i].kind != PAWL_BODY_KINEMATIC) {
            bodies[i].v = v3_axpy(bodies[i].v, fraction, v3(d[0], d[1], d[2]));
            bodies[i].w = v3_axpy(bodies[i].w, fraction, v3(d[3], d[4], d[5]));
        }
    }
}

// Gyroscopic torques act before and after the impact, too, on bodies without joints: a turn of the spin in the body
// that keeps its energy, and that a turn by the negative time takes back. Added to the spin as an impulse it would
// not.
static void impact_turn_spins(const step_context *c, double time, body_state *bodies)
{
    const pawl_model *m = c->model;
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        if (b->kind == PAWL_BODY_RIGID && !b->isotropic && !c->assembly->body_is_joined[i]) {
            const pawl_mat3 *r = &c->assembly->rotation[i];
            pawl_vec3 W = m3_tmul(r, bodies[i].w);
            bodies[i].w = m3_mul(r, pawl_gyroscope_step(b, W, v3(0, 0, 0), time));
        }
    }
}

// Half of the step's forces act before the impact, half after it: on the average over where in the step it
// happens that is right, and a bouncing ball keeps its height. Contacts that do not bounce are left the speed
// that this gives them.
static void impact_split_forces(step_context *c, pawl_state *s, const step_weights *w)
{
    const pawl_assembly *a = c->assembly;
    const impact_memory *x = c->impact;
    step_weights forces = *w;
    forces.keeps_momentum = true; // spins are turned below
    pawl_half_forces(c, s, &forces);
    memcpy(x->half, c->u.free, (size_t)(6 * c->model->body_count) * sizeof *x->half);
    double *before = x->given; // scratch as yet
    for (int k = 0; k < a->contact_count; ++k) {
        before[k] = pawl_contact_opening(&a->contacts[k], s->bodies);
    }
    impact_add_twists(c->model, x->half, 1.0, s->bodies);
    impact_turn_spins(c, 0.5 * w->h, s->bodies);
    for (int k = 0; k < a->contact_count; ++k) {
        double now = pawl_contact_opening(&a->contacts[k], s->bodies);
        x->allowed[k] += x->bounces[k] ? 0.0 : fmax(before[k] - now, 0.0);
    }
}

// Half of the forces are added to the twists, the impact is solved, and they are taken away again: the velocity
// update that follows adds all of them. The list of contacts and the limits are restored, because that update
// needs all of them. Impulses are kept by contact of the list, for the report.
bool pawl_impact_in_step(step_context *c, pawl_state *s, const step_weights *w,
                         pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    impact_memory *x = c->impact;
    const pawl_contact *found = a->contacts;
    int count = a->contact_count;
    x->struck = impact_may_ask(c) && impact_select(c, s, w->reach);
    if (!x->struck) {
        return false;
    }
    impact_split_forces(c, s, w);
    if (a->has_damping) { // M, not M~
        pawl_assembly_place(a, s->bodies, s->coordinates, w->place_time, 0.0);
    }
    double fastest = impact_build(c, s);
    impact_solve(c, s, fastest, w->place_time, report);
    impact_turn_spins(c, -0.5 * w->h, s->bodies);
    impact_add_twists(c->model, x->half, -1.0, s->bodies);
    memset(x->impulse, 0, (size_t)(3 * count) * sizeof *x->impulse);
    for (int k = 0; k < a->contact_count; ++k) {
        memcpy(x->impulse + 3 * x->source[k], x->total + pawl_impact_normal(c, k) - 2,
               3 * sizeof *x->impulse);
    }
    memset(a->persistent, 0, (size_t)a->candidate_count * sizeof *a->persistent);
    pawl_assembly_set_contacts(a, found, count);
    if (a->has_damping) {
        pawl_assembly_place(a, s->bodies, s->coordinates, w->place_time, c->u.damping_time);
    }
    return true;
}

// For a rest of a step that is done in one piece: impacts at its beginning, of all that would close in h. False:
// no room.
bool pawl_impact_ahead(step_context *c, pawl_state *s, double h, pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    if (c->finder == NULL) {
        return true;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
    int count = pawl_contact_finder_find(c->finder, s->bodies, c->settings->contact.margin, h);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (count < 0 || count > a->max_contacts) {
        c->out.contact_demand = count;
        return false;
    }
    pawl_assembly_set_contacts(a, pawl_contact_finder_contacts(c->finder), count);
    if (count > 0 && impact_select(c, s, h)) {
        pawl_assembly_place(a, s->bodies, s->coordinates, s->time, 0.0);
        c->placed = false;
        double fastest = impact_build(c, s);
        impact_solve(c, s, fastest, s->time, report);
    }
    return true;
}
