// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sliding contacts that come to rest. The slip velocity along its initial direction d, at the end of a sub-step of
// length h, is a function of h. Where friction no longer opposes d, the function is continued by the reserve of
// friction, expressed as the velocity that continued sliding would have:
//   f(h) = d.v_T(h)                      while friction is -mu N d
//        = -h (mu N - |T|) / m           in stick      (1 / m: mobility of the two bodies)
//        = -2 h mu N / m                 once it slides back
// The sub-step ends at its root. The basis of the linear complementarity problem is not used: in stick it is
// degenerate (errata 6), and solvers without pivoting have none.
//
// Sticking contacts that release, and closed contacts that open. Forces are means over the sub-step. The mean of a
// linearly decreasing reserve is zero if the reserve is zero at the middle: with h_m the length beyond which the
// contact slips, the sub-step ends at h_m / 2. If the change is in the second half of a sub-step, the mean over the
// whole does not show it: then the line through the means of this sub-step and of the last step is used.
//
// After four divisions of a step the rest is not searched, which the log reports. Each search costs about ten
// sub-steps, so fewer searches are made if many contacts slide or stick; there are none among dozens of contacts,
// whose distribution of forces is not unique. A slider is a lasting contact, or a coordinate with dry friction
// (candidate). Its quantities are evaluated at the beginning and at the end of a sub-step, as it was last moved.
// Impulses in the state are those of a whole step dt, so that a division by dt gives mean forces [N].
#include "step/lit/lit_transitions.h"
#include "math/brent.h"
#include "rows/measure.h"
#include "step/common/impact.h"
#include <string.h>

enum { TRANSITION_CUTS = 4, TRANSITION_MOVES = 300, TRANSITION_LEAST = 8 };
static const double transition_rest = 1e-6; // slower is rest [m/s or rad/s]
static const double transition_pull = 1e-4; // as an acceleration [m/s^2]
static const double transition_least =
    1e-2; // of a piece: what happens sooner happens at its beginning
static const double transition_tolerance = 1e-10; // of a piece, of a root in h

// A slider at one end of a piece. Forces are means over the piece.
typedef struct slider_view {
    pawl_vec3 slip;     // velocity of b against a [m/s]; of a coordinate its rate, in x
    double opening;     // [m/s]
    double normal;      // [N]; of a coordinate 1
    pawl_vec3 friction; // on b [N]; of a coordinate in x
    double bound;       // of |friction|
    double mobility;    // what a unit of impulse does to the slip, about
} slider_view;

typedef enum slider_change {
    SLIDER_SAME = 0,
    SLIDER_RESTS,
    SLIDER_SLIPS,
    SLIDER_OPENS
} slider_change;

// ---- What a slider is, and how it is ------------------------------------------------------------

static int transition_slider_count(const lit_substep *p)
{
    return p->active->count + p->c->assembly->candidate_count;
}

// False: this one neither sticks nor slides.
static bool transition_slider(const lit_substep *p, int i, lit_slider *out)
{
    if (i < p->active->count) {
        *out = (lit_slider){.contact = i, .candidate = -1, .key = p->active->contacts[i].id};
        return p->active->contacts[i].persistent;
    }
    int k = i - p->active->count;
    *out = (lit_slider){.contact = -1, .candidate = k, .key = -1.0 - k};
    return (p->c->assembly->candidates[k].family->traits & ROW_IS_DRY) != 0;
}

// A scale: it makes impulses comparable with velocities, and does not move the root.
static double transition_mobility(const step_context *c, int body_a, int body_b)
{
    double sum = 0.0;
    const int body[2] = {body_a, body_b};
    for (int side = 0; side < 2; ++side) {
        sum += body[side] >= 0 ? c->model->bodies[body[side]].inverse_mass : 0.0;
    }
    return sum > 0.0 ? sum : 1.0;
}

// A coordinate with dry friction F: slip is its rate, the bound is F and there is no normal force that could end.
static void transition_coordinate(const lit_substep *p, const lit_slider *x, const pawl_state *s,
                                  slider_view *out)
{
    const step_context *c = p->c;
    const row_info *info = &c->assembly->candidates[x->candidate];
    const model_joint *j = &c->model->joints[info->owner];
    double position[6], rate[6];
    pawl_state_joint(s, model_joint_id(s->model, info->owner), position, rate);
    *out = (slider_view){.slip = v3(rate[info->part], 0.0, 0.0),
                         .normal = 1.0,
                         .friction = v3(s->impulses[info->slot] / c->settings->dt, 0.0, 0.0),
                         .bound = j->coordinate[info->part].friction,
                         .mobility = transition_mobility(c, j->base, j->follower)};
}

// Lists of contacts are sorted by id.
static const pawl_contact *transition_find(const pawl_contact *list, int count, double id)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && list[low].id == id ? &list[low] : NULL;
}

static slider_view transition_begin(const lit_substep *p, const lit_slider *x)
{
    slider_view out = {0};
    const pawl_state *s = lit_substep_start(p->c);
    if (x->contact < 0) {
        transition_coordinate(p, x, s, &out);
    } else {
        const pawl_contact *in = &p->active->contacts[x->contact];
        out.slip = pawl_contact_slip(in, s->bodies);
        out.opening = pawl_contact_opening(in, s->bodies);
    }
    return out;
}

// At the end of the piece as it was last moved. False: the contact is gone, or was not assembled.
static bool transition_end(const lit_substep *p, const lit_slider *x, slider_view *out)
{
    const step_context *c = p->c;
    if (x->contact < 0) {
        transition_coordinate(p, x, p->s, out);
        return true;
    }
    double id = p->active->contacts[x->contact].id;
    const pawl_contact *placed = transition_find(lit_of(c)->placed, c->out.contact_count, id);
    const pawl_contact *now =
        transition_find(pawl_contact_finder_contacts(c->finder), lit_of(c)->events->found, id);
    if (placed == NULL || now == NULL) {
        return false;
    }
    const pawl_contact_info *info = &c->out.contacts[placed - lit_of(c)->placed];
    double normal = v3_dot(info->force, info->normal);
    *out = (slider_view){.slip = pawl_contact_slip(now, p->s->bodies),
                         .opening = pawl_contact_opening(now, p->s->bodies),
                         .normal = normal,
                         .friction = v3_axpy(info->force, -normal, info->normal),
                         .bound = placed->friction * normal,
                         .mobility = transition_mobility(c, placed->body_a, placed->body_b)};
    return true;
}

// Mean forces of a piece as the state at its end remembers them: without what its projection added, so that
// only differences of two mean something.
typedef struct slider_memory {
    double normal, reserve; // [N]
} slider_memory;

// The reserve is that of the slider's pair. False: s knows of no such contact, or it did not press.
static bool transition_memory(const lit_substep *p, const lit_slider *x, const pawl_state *s,
                              slider_memory *out)
{
    const step_context *c = p->c;
    if (x->contact < 0) {
        slider_view v;
        transition_coordinate(p, x, s, &v);
        *out = (slider_memory){1.0, v.bound - v3_norm(v.friction)};
        return true;
    }
    const pawl_contact *in = &p->active->contacts[x->contact];
    int width = pawl_contact_width(c->model), count = (int)s->contacts[0];
    double h = c->settings->dt, pair = pawl_contact_pair(in->id), sum[3] = {0.0, 0.0, 0.0};
    bool pressed = false;
    for (int i = 0; i < count; ++i) {
        const double *e = s->contacts + 1 + width * i;
        for (int r = 0; r < 3 && pawl_contact_pair(e[0]) == pair; ++r) {
            sum[r] += e[1 + r]; // points of one pair have one normal, and so one set of axes
        }
        if (e[0] == in->id) {
            out->normal = e[3] / h;
            pressed = e[3] > 0.0;
        }
    }
    out->reserve = (in->friction * sum[2] - sqrt(sum[0] * sum[0] + sum[1] * sum[1])) / h;
    return pressed;
}

// The reserve of friction, summed over all points of a slider's pair, because its distribution among them is not
// unique. A reserve of the size of rounding and of the solver's tolerance counts as 0 for a sliding contact.
static double transition_pair_reserve(const lit_substep *p, const lit_slider *x)
{
    const double none = 1e-7; // of the bound
    const step_context *c = p->c;
    if (x->contact < 0) {
        slider_view v;
        transition_coordinate(p, x, p->s, &v);
        double left = v.bound - v3_norm(v.friction);
        return left > none * v.bound ? left : 0.0;
    }
    double pair = pawl_contact_pair(p->active->contacts[x->contact].id), bound = 0.0;
    pawl_vec3 friction = v3(0.0, 0.0, 0.0);
    for (int k = 0; k < c->out.contact_count; ++k) {
        if (pawl_contact_pair(lit_of(c)->placed[k].id) == pair) {
            const pawl_contact_info *info = &c->out.contacts[k];
            double normal = v3_dot(info->force, info->normal);
            bound += lit_of(c)->placed[k].friction * normal;
            friction = v3_add(friction, v3_axpy(info->force, -normal, info->normal));
        }
    }
    double left = bound - v3_norm(friction);
    return left > none * bound ? left : 0.0;
}

// Of the last step, before the piece. False at the start of a run and after an impact.
static bool transition_before(const lit_substep *p, const lit_slider *x, slider_memory *out)
{
    const pawl_state *s = lit_substep_start(p->c);
    return !p->after_impact && (s->step > 0 || p->cuts > 0) && transition_memory(p, x, s, out);
}

// Contacts at the end of the sub-step, for its views. False: no room.
static bool transition_look(const lit_substep *p)
{
    step_context *c = p->c;
    if (lit_of(c)->events->looked || c->finder == NULL || p->active->count == 0) {
        return true;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
    int count = pawl_contact_finder_find(c->finder, p->s->bodies, c->settings->contact.margin, 0.0);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (count < 0 || count > c->assembly->max_contacts) {
        c->out.contact_demand = count;
        return false;
    }
    lit_of(c)->events->found = count;
    lit_of(c)->events->looked = true;
    return true;
}

// Solvers leave slips of the order of their tolerance in contacts that stick.
static bool transition_is_at_rest(const slider_view *v)
{
    return v3_norm(v->slip) <= transition_rest;
}

// ---- What changed -------------------------------------------------------------------------------

// A slider changes once in a piece: what was reported or located is not looked for again.
static lit_change *transition_known(const lit_substep *p, double key)
{
    lit_event_memory *m = lit_of(p->c)->events;
    for (int i = 0; i < m->change_count; ++i) {
        if (m->changes[i].key == key) {
            return &m->changes[i];
        }
    }
    return NULL;
}

// What happened between the views a at the beginning and b at the end. Opening is looked at first, because a
// contact without a normal force has no friction to judge.
static slider_change transition_between(const slider_view *a, const slider_view *b)
{
    if (!(b->normal > 0.0)) {
        // Rows and projection together may pull; of what shares a load with others rounding may.
        bool pulls = b->normal * b->mobility < -transition_pull;
        return pulls || b->opening > transition_rest ? SLIDER_OPENS : SLIDER_SAME;
    }
    if (!(b->bound > 0.0)) {
        return SLIDER_SAME;
    }
    if (!transition_is_at_rest(a)) {
        bool rests = transition_is_at_rest(b) || v3_dot(a->slip, b->slip) < 0.0;
        return rests ? SLIDER_RESTS : SLIDER_SAME;
    }
    return transition_is_at_rest(b) ? SLIDER_SAME : SLIDER_SLIPS;
}

// One event for a pair and a time, though several of its points change together.
static void transition_log(const lit_substep *p, const lit_slider *x, pawl_event_kind kind,
                           double time, double figure)
{
    step_context *c = p->c;
    event_log *log = &c->out.events;
    step_event e;
    if (x->contact < 0) {
        const row_info *info = &c->assembly->candidates[x->candidate];
        e = pawl_event_of_joint(kind, time, info->owner, info->part, figure);
    } else {
        const pawl_contact *in = &p->active->contacts[x->contact];
        e = pawl_event_of_pair(kind, time, in->shape_a, in->shape_b, figure);
    }
    for (int i = 0; i < log->count && i < log->capacity; ++i) { // once a pair
        const step_event *o = &log->events[i];
        if (o->kind == kind && o->time == time && o->shape_a == e.shape_a &&
            o->shape_b == e.shape_b && o->joint == e.joint && o->coordinate == e.coordinate) {
            return;
        }
    }
    pawl_event_add(log, e);
}

// ---- Where it changed ---------------------------------------------------------------------------

typedef struct transition_search {
    lit_substep *p;
    lit_slider x;
    slider_view from;
    slider_change kind;
    bool failed;
} transition_search;

// The function whose root is searched, positive before the change: a velocity [m/s] on both sides, continued as
// the head of this file says.
static double transition_value(const transition_search *t, const slider_view *v, double h)
{
    double reserve = fmax(v->bound - v3_norm(v->friction), 0.0);
    if (t->kind == SLIDER_OPENS) {
        return v->opening > transition_rest ? -v->opening : h * v->normal * v->mobility;
    }
    if (t->kind == SLIDER_SLIPS) {
        double left = transition_pair_reserve(t->p, &t->x);
        return left > 0.0 ? h * left * v->mobility : -v3_norm(v->slip);
    }
    pawl_vec3 d = v3_scale(1.0 / v3_norm(t->from.slip), t->from.slip);
    const double inside = 1e-9;
    if (reserve > inside * v->bound) {
        return -h * reserve * v->mobility;
    }
    return v3_dot(v->friction, d) <= 0.0 ? v3_dot(v->slip, d) : -2.0 * h * v->bound * v->mobility;
}

// Moves the piece by h and looks.
static double transition_at(double h, void *user)
{
    transition_search *t = user;
    slider_view v;
    ++t->p->tried;
    if (t->failed || pawl_lit_substep_is_used_up(t->p) || !pawl_lit_substep_move(t->p, h, false) ||
        !transition_look(t->p) || !transition_end(t->p, &t->x, &v)) {
        t->failed = true;
        return 0.0;
    }
    return transition_value(t, &v, h);
}

// Section 7.5 to the letter: F(h) belongs to a whole step that begins h after the beginning of the last one.
static double transition_shifted(double tau, void *user)
{
    transition_search *t = user;
    slider_view v;
    ++t->p->tried;
    if (t->failed || pawl_lit_substep_is_used_up(t->p) || !pawl_lit_substep_shift(t->p, tau) ||
        !transition_look(t->p) || !transition_end(t->p, &t->x, &v)) {
        t->failed = true;
        return 0.0;
    }
    return transition_value(t, &v, t->p->end - t->p->begin);
}

// How long the piece is until the change; 0: it happened at its beginning, h: nowhere.
// Where something comes to rest the root itself is the time. Where something lets go, forces are means over the
// piece, and the change is half way to the root.
static double transition_locate(transition_search *t, const slider_view *to, double h)
{
    double tolerance = transition_tolerance * h, below = transition_value(t, to, h);
    // Of scheme I, where it means something (errata 6), and of what sticks: what turns round would be left
    // with order one and a half.
    bool letter = t->p->c->settings->lit.scheme == 1 && t->p->follows &&
                  h == t->p->end - t->p->begin && transition_is_at_rest(to);
    if (t->kind == SLIDER_RESTS && letter) {
        double above = v3_norm(t->from.slip); // where the last step came to
        double x = pawl_brent(transition_shifted, t, 0.0, above, h, below, tolerance).x;
        return t->failed ? h : x;
    }
    if (t->kind == SLIDER_RESTS) {
        double above = v3_norm(t->from.slip);
        double x = pawl_brent(transition_at, t, 0.0, above, h, below, tolerance).x;
        return t->failed ? h : x;
    }
    double low = transition_least * h, above = transition_at(low, t);
    if (t->failed || !(above > 0.0)) {
        return t->failed ? h : 0.0;
    }
    double x = pawl_brent(transition_at, t, low, above, h, below, tolerance).x;
    return t->failed ? h : 0.5 * x;
}

// The second half: where the line through the means of the last step and of this piece says that nothing
// is left; h where it does not.
static double transition_ahead(const lit_substep *p, const lit_slider *x, const slider_view *to,
                               double h, slider_change *kind)
{
    slider_memory before, now;
    *kind = SLIDER_SAME;
    if (!(to->normal > 0.0) || !transition_before(p, x, &before) ||
        !transition_memory(p, x, p->s, &now)) {
        return h;
    }
    // Means belong to the middles of the last step and of this piece, which are this far apart.
    double apart = 0.5 * (p->c->settings->dt + h), when = h; // the two means
    double slope = (now.normal - before.normal) / apart;
    if (to->normal + 0.5 * h * slope < 0.0) {
        when = 0.5 * h - to->normal / slope;
        *kind = SLIDER_OPENS;
    }
    double left = transition_pair_reserve(p, x);
    slope = (now.reserve - before.reserve) / apart;
    if (transition_is_at_rest(to) && before.reserve > 0.0 && left + 0.5 * h * slope < 0.0 &&
        0.5 * h - left / slope < when) {
        when = 0.5 * h - left / slope;
        *kind = SLIDER_SLIPS;
    }
    return when;
}

// ---- Both ---------------------------------------------------------------------------------------

static const pawl_event_kind transition_kinds[] = {[SLIDER_SAME] = PAWL_EVENT_KIND_COUNT,
                                                   [SLIDER_RESTS] = PAWL_EVENT_STICK,
                                                   [SLIDER_SLIPS] = PAWL_EVENT_SLIP,
                                                   [SLIDER_OPENS] = PAWL_EVENT_TAKEOFF};

// Room is for one change of each slider; a second one of the same slider is ignored.
static void transition_note(const lit_substep *p, double key, pawl_event_kind kind, bool reported)
{
    lit_event_memory *m = lit_of(p->c)->events;
    if (transition_known(p, key) == NULL) {
        m->changes[m->change_count++] = (lit_change){key, kind, reported};
    }
}

// A change of one slider. All points of a pair let go together, because their reserve is one.
static void transition_note_change(const lit_substep *p, const lit_slider *x, slider_change change,
                                   bool reported)
{
    pawl_event_kind kind = transition_kinds[change];
    transition_note(p, x->key, kind, reported);
    if (change != SLIDER_SLIPS || x->contact < 0) {
        return;
    }
    double pair = pawl_contact_pair(x->key);
    for (int k = 0; k < p->active->count; ++k) {
        const pawl_contact *in = &p->active->contacts[k];
        if (in->persistent && pawl_contact_pair(in->id) == pair) {
            transition_note(p, in->id, kind, reported);
        }
    }
}

// What became of the changes that the piece began with.
static void transition_report(const lit_substep *p)
{
    for (int i = 0; i < transition_slider_count(p); ++i) {
        lit_slider x;
        slider_view v;
        if (!transition_slider(p, i, &x)) {
            continue;
        }
        lit_change *known = transition_known(p, x.key);
        if (known == NULL || known->reported || !transition_end(p, &x, &v)) {
            continue;
        }
        known->reported = true;
        bool slides = !transition_is_at_rest(&v);
        bool opens = v.opening > transition_rest || !(v.normal > 0.0);
        // Where several share a load one may seem to let go that does not.
        if ((known->kind == PAWL_EVENT_SLIP && !slides) ||
            (known->kind == PAWL_EVENT_TAKEOFF && !opens)) {
            continue;
        }
        pawl_event_kind kind =
            known->kind == PAWL_EVENT_STICK && slides ? PAWL_EVENT_REVERSAL : known->kind;
        slider_view from = transition_begin(p, &x);
        transition_log(p, &x, kind, p->begin,
                       kind == PAWL_EVENT_TAKEOFF ? v3_norm(from.slip) : v.normal);
    }
}

// Where in a piece of length h a slider changes, and to what; h and SLIDER_SAME: nowhere. What happens at
// its very beginning or end is reported and needs no cut.
static double transition_of(lit_substep *p, const lit_slider *x, double h, slider_change *kind)
{
    const double near_end = 1.0 - 1e-6;
    slider_view to;
    *kind = SLIDER_SAME;
    if (transition_known(p, x->key) != NULL || !transition_end(p, x, &to)) {
        return h;
    }
    transition_search t = {.p = p, .x = *x, .from = transition_begin(p, x)};
    t.kind = transition_between(&t.from, &to);
    slider_memory before;
    double when = h;
    if (t.kind == SLIDER_SAME) {
        when = transition_ahead(p, x, &to, h, &t.kind);
    } else if (t.kind == SLIDER_RESTS) {
        when = transition_locate(&t, &to, h);
    } else if (transition_before(p, x, &before) &&
               (t.kind == SLIDER_OPENS || before.reserve > 0.0)) {
        when = transition_locate(&t, &to, h);
    }
    if (t.failed || t.kind == SLIDER_SAME || when >= h) {
        return h;
    }
    bool rests = t.kind == SLIDER_RESTS;
    bool early = when <= (rests ? 1.0 - near_end : transition_least) * h;
    if (early || when > near_end * h) {
        double figure = t.kind == SLIDER_OPENS ? v3_norm(early ? t.from.slip : to.slip) : to.normal;
        bool back = rests && early && !transition_is_at_rest(&to);
        transition_log(p, x, back ? PAWL_EVENT_REVERSAL : transition_kinds[t.kind],
                       early ? p->begin : p->begin + h, figure);
        transition_note_change(p, x, t.kind, true);
        return h;
    }
    *kind = t.kind;
    return when;
}

// Slider i at both ends of the piece. False: it is none, has changed already, or is gone.
static bool transition_fresh(const lit_substep *p, int i, lit_slider *x, slider_view *from,
                             slider_view *to)
{
    if (!transition_slider(p, i, x) || transition_known(p, x->key) != NULL ||
        !transition_end(p, x, to)) {
        return false;
    }
    *from = transition_begin(p, x);
    return true;
}

// Sliders at rest where the piece was shortened for another one change with it.
static void transition_join(const lit_substep *p)
{
    for (int i = 0; i < transition_slider_count(p); ++i) {
        lit_slider x;
        slider_view from, to;
        if (transition_fresh(p, i, &x, &from, &to) && !transition_is_at_rest(&from) &&
            transition_is_at_rest(&to)) {
            transition_note(p, x.key, PAWL_EVENT_STICK, false);
        }
    }
}

// After the last cut of a step: says that something turned round without being located.
static void transition_give_up(lit_substep *p)
{
    for (int i = 0; i < transition_slider_count(p) && p->cuts == TRANSITION_CUTS; ++i) {
        lit_slider x;
        slider_view from, to;
        if (transition_fresh(p, i, &x, &from, &to) &&
            transition_between(&from, &to) == SLIDER_RESTS) {
            transition_log(p, &x, PAWL_EVENT_UNRESOLVED, p->begin, TRANSITION_CUTS);
            ++p->cuts; // once a step
        }
    }
}

// How many pieces a step may try; 0: too many sliders for any search.
static int transition_budget(const lit_substep *p)
{
    int sliders = 0;
    for (int i = 0; i < transition_slider_count(p); ++i) {
        lit_slider x;
        sliders += transition_slider(p, i, &x);
    }
    int budget = TRANSITION_MOVES / (sliders + 4);
    return sliders == 0 || budget < TRANSITION_LEAST ? 0 : budget;
}

// Sliders are looked at in order. Each one that changes before the end of the piece shortens it, and later sliders
// are tested within the shorter piece: the result is the earliest change of all. The piece is left moved by *h.
bool pawl_lit_find_transition(lit_substep *p, double *h)
{
    step_context *c = p->c;
    bool full = *h == p->end - p->begin, cut = false;
    int budget = transition_budget(p);
    if (budget == 0) {
        return false;
    }
    if (!transition_look(p)) {
        return false;
    }
    transition_report(p);
    for (int i = 0; i < transition_slider_count(p); ++i) {
        lit_slider x;
        slider_change kind;
        if (!transition_slider(p, i, &x) || p->cuts >= TRANSITION_CUTS) {
            continue;
        }
        if (p->tried > budget || pawl_lit_substep_is_used_up(p)) {
            p->cuts = TRANSITION_CUTS - cut;
            break;
        }
        double when = transition_of(p, &x, *h, &kind);
        if (c->out.contact_demand != 0) {
            return false;
        }
        if (kind != SLIDER_SAME) {
            *h = when;
            cut = true;
            lit_of(c)->events->change_count = 0;
            transition_note_change(p, &x, kind, false);
        }
        // The search may have left the piece elsewhere.
        if (p->moved != *h &&
            (!pawl_lit_substep_move(p, *h, full && !cut) || !transition_look(p))) {
            return false;
        }
        if (kind != SLIDER_SAME) {
            transition_join(p);
        }
    }
    if (p->cuts >= TRANSITION_CUTS) {
        transition_give_up(p);
    }
    p->cuts += cut;
    return cut;
}

void pawl_lit_forget_transitions(step_context *c)
{
    lit_of(c)->events->change_count = 0;
}
