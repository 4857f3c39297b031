// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A position update solves once with the regularized factor, which leaves in lambda the null-space part of what it
// was given, 1 / eps times. That moves nothing, but reactions are to be those of least norm: P^-1 A lambda has none of
// it, and A lambda = J (u+ - u) = J change is what the impulses did. Where rows are weak, elimination has seen to it
// already.
//
// Hardly anybody asks for reactions, and this solve is a twentieth of the step of a small mechanism: it is deferred
// until somebody does.
#include "step/common/least_reactions.h"
#include <string.h>

// By the factor at hand.
static void least_add(step_context *c, const double *change, const double *lambda)
{
    const pawl_assembly *a = c->assembly;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *least = pawl_take_rows(c);
    pawl_assembly_row_velocity(a, change, least);
    for (int r = 0; r < a->free_rows; ++r) {
        least[r] = pawl_assembly_is_hard(a, r) ? least[r] : 0.0;
    }
    a->problem.delassus->ops->solve(a->problem.delassus, least);
    for (int r = 0; r < a->free_rows; ++r) {
        if (pawl_assembly_is_hard(a, r)) {
            pawl_add_reaction(c, r, least[r] - lambda[r]);
        }
    }
    pawl_arena_release(&c->scratch, mark);
}

void pawl_least_reactions(step_context *c, double begin)
{
    if (!c->position.least_norm) {
        return;
    }
    deferred_reactions *d = &c->position.deferred;
    bool later = d->allowed && !d->asked && d->count < DEFERRED_REACTIONS;
    struct deferred_reaction *item = &d->item[later ? d->count : 0];
    size_t mark = pawl_arena_mark(&c->scratch);
    double *change = later ? item->change : pawl_take_twists(c);
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        change[i] = c->u.next[i] - c->u.start[i];
    }
    if (later) {
        ++d->count;
        item->time = begin;
        memcpy(item->from, c->position.from, (size_t)c->model->body_count * sizeof *item->from);
        memcpy(item->lambda, c->u.lambda, (size_t)c->assembly->free_rows * sizeof *item->lambda);
    } else {
        least_add(c, change, c->u.lambda);
    }
    pawl_arena_release(&c->scratch, mark);
}

void pawl_least_impulses(step_context *c, double *x)
{
    if (!c->position.least_norm) {
        return;
    }
    const pawl_assembly *a = c->assembly;
    pawl_delassus *d = a->problem.delassus;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *all = pawl_take_rows(c), *done = pawl_take_rows(c);
    memcpy(all, x, (size_t)a->free_rows * sizeof *all);
    memset(all + a->free_rows, 0, (size_t)(a->problem.row_count - a->free_rows) * sizeof *all);
    d->ops->apply(d, all, done);
    d->ops->solve(d, done);
    for (int r = 0; r < a->free_rows; ++r) {
        x[r] = pawl_assembly_is_hard(a, r) ? done[r] : x[r];
    }
    pawl_arena_release(&c->scratch, mark);
}

static void least_place(step_context *c, const body_state *bodies, const pawl_state *s, double t)
{
    pawl_assembly_place(c->assembly, bodies, s->coordinates, t, c->u.damping_time);
    pawl_assembly_build_closure(c->assembly);
}

void pawl_settle_reactions(step_context *c, const pawl_state *s)
{
    deferred_reactions *d = &c->position.deferred;
    d->asked = true;
    if (d->count == 0) {
        return;
    }
    for (int i = 0; i < d->count; ++i) {
        const struct deferred_reaction *item = &d->item[i];
        least_place(c, item->from, s, item->time);
        pawl_eliminate_factor(&c->assembly->problem, c->settings->solver.regularization);
        least_add(c, item->change, item->lambda);
    }
    d->count = 0;
    least_place(c, s->bodies, s, s->time);
    c->placed = false;
}
