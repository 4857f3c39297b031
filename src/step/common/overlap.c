// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Depths of contacts, pair by pair. Contacts and overlaps of the start are both sorted by pair, so that one pass over
// both lists matches them.
#include "step/common/overlap.h"

static const double overlap_shallow = 1e-5; // [-]; digits of files and rounding, no overlaps

// A depth in units of half the thickness of the thinner shape; of two without end, of the largest body.
static double overlap_fraction(const step_context *c, const pawl_contact *contact)
{
    double half = fmin(pawl_contact_finder_half_thickness(c->finder, contact->shape_a),
                       pawl_contact_finder_half_thickness(c->finder, contact->shape_b));
    return -contact->gap / (isinf(half) ? c->model->size : half);
}

// The deepest of the contacts of a pair, whose first is *k, which then is that of the next pair.
static double overlap_deepest(const step_context *c, const pawl_contact *contacts, int count,
                              double pair, int *k)
{
    double deepest = 0.0;
    for (; *k < count && pawl_contact_pair(contacts[*k].id) == pair; ++*k) {
        deepest = max_of(deepest, overlap_fraction(c, &contacts[*k]));
    }
    return deepest;
}

// States are compared by all their numbers: those of pairs that are gone become 0.
static void overlap_set_count(pawl_state *s, int count)
{
    state_overlaps before = pawl_state_overlaps(s);
    for (int i = count; i < before.count; ++i) {
        before.pair[i] = (state_overlap){0.0, 0.0};
    }
    s->overlaps[0] = count;
}

void pawl_overlap_begin(const step_context *c, pawl_state *s, int count)
{
    const pawl_contact *contacts = pawl_contact_finder_contacts(c->finder);
    state_overlaps began = pawl_state_overlaps(s);
    began.count = 0;
    for (int k = 0; k < count && began.count < began.room;) {
        double id = contacts[k].id;
        double depth = overlap_deepest(c, contacts, count, pawl_contact_pair(id), &k);
        if (depth > overlap_shallow) {
            began.pair[began.count++] = (state_overlap){id, depth};
        }
    }
    overlap_set_count(s, began.count);
}

// A pair that the step left out, because both sleep, is as deep as it was.
static bool overlap_sleeps(const step_context *c, double id)
{
    int shape[2];
    pawl_contact_shapes(id, &shape[0], &shape[1]);
    for (int i = 0; i < 2; ++i) {
        int body = pawl_body_index(c->model->shapes[shape[i]].body);
        if (body >= 0 && !pawl_sleeps(c, body)) {
            return false;
        }
    }
    return true;
}

// The remaining overlaps, which are the allowances from now on. Uses the contacts found by the step, not its active
// ones: in lit a separating pair is never active, however deep it is.
static void overlap_forget(const step_context *c, pawl_state *s)
{
    const pawl_contact *found = pawl_contact_finder_contacts(c->finder);
    int count = pawl_contact_finder_found(c->finder);
    state_overlaps began = pawl_state_overlaps(s);
    int left = 0;
    for (int i = 0, k = 0; i < began.count; ++i) {
        state_overlap now = began.pair[i];
        double pair = pawl_contact_pair(now.id);
        while (k < count && pawl_contact_pair(found[k].id) < pair) {
            ++k;
        }
        double deepest = overlap_deepest(c, found, count, pair, &k);
        now.depth = overlap_sleeps(c, now.id) ? now.depth : fmin(now.depth, deepest);
        if (now.depth > overlap_shallow) {
            began.pair[left++] = now;
        }
    }
    overlap_set_count(s, left);
}

// The deepest contact [m] and the one deepest for its size and start may differ. `!(x <= y)` lets NaN through.
void pawl_overlap_report(const step_context *c, pawl_state *s, pawl_step_report *report)
{
    const pawl_assembly *a = c->assembly;
    state_overlaps began = pawl_state_overlaps(s);
    for (int k = 0, i = 0; k < a->contact_count; ++k) {
        const pawl_contact *contact = &a->contacts[k];
        if (contact->gap >= 0.0) {
            continue;
        }
        double pair = pawl_contact_pair(contact->id);
        while (i < began.count && pawl_contact_pair(began.pair[i].id) < pair) {
            ++i;
        }
        bool known = i < began.count && pawl_contact_pair(began.pair[i].id) == pair;
        double start = known ? began.pair[i].depth : 0.0;
        double fraction = overlap_fraction(c, contact) - start;
        if (!(-contact->gap <= report->penetration)) {
            report->penetration = -contact->gap;
            report->worst_shape_a = model_shape_id(c->model, contact->shape_a);
            report->worst_shape_b = model_shape_id(c->model, contact->shape_b);
        }
        if (!(fraction <= report->depth_ratio)) {
            report->depth_ratio = fraction;
            report->ratio_shape_a = model_shape_id(c->model, contact->shape_a);
            report->ratio_shape_b = model_shape_id(c->model, contact->shape_b);
        }
        report->start_depth = max_of(report->start_depth, start);
    }
    if (began.count > 0) {
        overlap_forget(c, s);
    }
    report->measured |= c->finder != NULL ? (unsigned)PAWL_MEASURED_DEPTH : 0u;
}
