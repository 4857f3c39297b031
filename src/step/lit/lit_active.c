// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The active set (7.1). It contains the closed contacts and limits, with a tolerance, because lasting contacts are
// closed only up to rounding. A closed contact that still approaches fast is an impact: as an active contact the mean
// of its velocities before and after would vanish, an elastic bounce for every restitution.
#include "step/common/impact.h"
#include "step/lit/lit.h"
#include <math.h>

// Closing rates up to this are no impacts: those that a solver may leave, and those that do not bounce.
// The paper uses only gaps, so all contacts that are closed at the beginning of a step are active.
static double active_fastest(const step_context *c)
{
    return c->settings->lit.variant == PAWL_LIT_PAPER
               ? INFINITY
               : fmax(c->settings->contact.restitution_threshold, c->settings->solver.tolerance);
}

// Soft contacts are no part of it: their force is finite. False: no room.
static bool active_contacts(step_context *c, const pawl_state *s, double reach, lit_active *out)
{
    out->count = 0;
    if (c->finder == NULL) {
        return true;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
    int count = pawl_contact_finder_find(c->finder, s->bodies, reach, 0.0);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (count < 0 || count > c->assembly->max_contacts) {
        c->out.contact_demand = count;
        return false;
    }
    const pawl_contact *found = pawl_contact_finder_contacts(c->finder);
    for (int k = 0; k < count; ++k) {
        if (found[k].gap <= reach && !pawl_is_soft(&found[k].soft)) {
            pawl_contact *in = &out->contacts[out->count++];
            *in = found[k];
            in->persistent = pawl_contact_opening(in, s->bodies) >= -active_fastest(c);
            out->closing = out->closing || !in->persistent;
        }
    }
    return true;
}

// Opening is sign times the coordinate's rate, positive away from the limit.
static void active_limits(step_context *c, const pawl_state *s, double reach, lit_active *out)
{
    const pawl_assembly *a = c->assembly;
    pawl_twists_of(c->model, s->bodies, c->u.start);
    for (int k = 0; k < a->candidate_count; ++k) {
        out->limits[k] = false;
        if (!pawl_assembly_is_limit(a, k) || pawl_assembly_limit_gap(a, k) > reach) {
            continue;
        }
        const row_info *info = &a->candidates[k];
        const coordinate_row *g = &a->coordinates[info->coordinate];
        double rate = pawl_assembly_coordinate_rate(a, info->owner, g, c->u.start);
        double opening = info->sign * rate;
        out->limits[k] = opening >= -active_fastest(c);
        out->closing = out->closing || !out->limits[k];
    }
}

// Limits are read from the assembly, which has to be placed at s first.
bool pawl_lit_active(step_context *c, const pawl_state *s, double h, lit_active *out)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    c->u.damping_time = 0.5 * c->settings->dt;
    c->assembly->body_theta = 0.5;
    double reach = fmax(c->settings->lit.eps_a, c->settings->lit.eps_b * h * h * h);
    out->closing = false;
    if (!c->placed) {
        pawl_assembly_place(c->assembly, s->bodies, s->coordinates, s->time, c->u.damping_time);
        c->placed = true;
    }
    active_limits(c, s, reach, out);
    return active_contacts(c, s, reach, out);
}
