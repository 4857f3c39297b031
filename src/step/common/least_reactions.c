// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// With redundant rows many impulses cause the same motion, and the reported reactions are those of least norm. A
// factor that drops the redundant rows (drops_redundant) gives them no impulse. A shifted factor amplifies the
// null-space part of its right side by 1 / eps in lambda. Neither affects the motion. A lambda = J M^-1 JT lambda is
// the effect of the impulses; the reactions of least norm are the refined solution of the shifted factor for the
// right side A lambda (eliminate.h).
//
// Reactions are seldom queried, and computing them takes an additional factor for each placement of a step: it is
// deferred until the first query.
#include "step/common/least_reactions.h"
#include "math/numbers.h"
#include <string.h>

static const double least_accuracy = 1e-12;

// Redundant joints have many reactions with one motion. Of all that give the change of twists, the least-norm one is
// lambda = D^+ J du, by the factor that is at hand; what the step used is replaced by it in the reactions alone,
// because the motion is the same.
void pawl_least_reactions(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    if (!c->position.least_norm || a->problem.delassus->drops_redundant) {
        return;
    }
    size_t mark = pawl_arena_mark(&c->scratch);
    double *change = pawl_take_twists(c), *least = pawl_take_rows(c);
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        change[i] = c->u.next[i] - c->u.start[i];
    }
    pawl_assembly_row_velocity(a, change, least);
    for (int r = 0; r < a->free_rows; ++r) {
        least[r] = pawl_assembly_is_hard(a, r) ? least[r] : 0.0;
    }
    a->problem.delassus->ops->solve(a->problem.delassus, least);
    for (int r = 0; r < a->free_rows; ++r) {
        if (pawl_assembly_is_hard(a, r)) {
            pawl_add_reaction(c, r, least[r] - c->u.lambda[r]);
        }
    }
    pawl_arena_release(&c->scratch, mark);
}

// The item of the placement at hand; the last one takes what a step with more of them than usual has.
static struct deferred_reaction *least_item(step_context *c, const body_state *at, double t)
{
    deferred_reactions *d = &c->position.deferred;
    struct deferred_reaction *last = d->count > 0 ? &d->item[d->count - 1] : NULL;
    if (last != NULL &&
        (last->placement == c->assembly->placements || d->count == DEFERRED_REACTIONS)) {
        return last;
    }
    struct deferred_reaction *item = &d->item[d->count++];
    item->placement = c->assembly->placements;
    item->time = t;
    pawl_bodies_copy(item->from, at, c->model->body_count);
    pawl_numbers_set(item->lambda, (size_t)c->assembly->free_rows, 0.0);
    return item;
}

// Impulses of one placement are summed: they act along the same rows.
void pawl_defer_reactions(step_context *c, const body_state *at, double t, double fraction,
                          const double *lambda)
{
    const pawl_assembly *a = c->assembly;
    if (!c->position.least_norm || !a->problem.delassus->drops_redundant) {
        return;
    }
    struct deferred_reaction *item = least_item(c, at, t);
    double *restrict sum = item->lambda;
    const bool *restrict hard = a->hard;
    if (a->has_joints_alone) {
        pawl_numbers_add(sum, lambda, fraction, (size_t)a->free_rows);
        return;
    }
    for (int r = 0; r < a->free_rows; ++r) {
        double share = fraction * lambda[r];
        sum[r] += hard[r] ? share : 0.0;
    }
}

void pawl_least_impulses(step_context *c, double *x)
{
    const pawl_assembly *a = c->assembly;
    pawl_delassus *d = a->problem.delassus;
    if (!c->position.least_norm || d->drops_redundant) {
        return;
    }
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

// Adds what is missing to the reactions of one placement, which is the one at hand.
static void least_add(step_context *c, const double *lambda)
{
    const pawl_assembly *a = c->assembly;
    pawl_delassus *d = a->problem.delassus;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *done = pawl_take_rows(c), *least = pawl_take_rows(c);
    d->ops->apply(d, lambda, done);
    for (int r = 0; r < a->free_rows; ++r) {
        done[r] = pawl_assembly_is_hard(a, r) ? done[r] : 0.0;
    }
    pawl_eliminate_solve(c->closure, &a->problem, done, least_accuracy, least);
    for (int r = 0; r < a->free_rows; ++r) {
        least[r] = pawl_assembly_is_hard(a, r) ? least[r] - lambda[r] : 0.0;
        pawl_add_reaction(c, r, least[r]);
    }
    // The redundant part of the impulses causes no motion: joints of a tree transmit it.
    double *still = pawl_take_twists(c), *scratch = pawl_take_twists(c);
    memset(still, 0, (size_t)(6 * c->model->body_count) * sizeof *still);
    (void)pawl_coordinates_reactions(c->coordinates, least, still, still, still, still, scratch,
                                     c->out.reaction);
    pawl_arena_release(&c->scratch, mark);
}

void pawl_forget_reactions(step_context *c, bool defers)
{
    c->position.deferred.count = 0;
    pawl_coordinates_forget_reactions(c->coordinates, defers);
}

// One placement and one factor for each item. The assembly is at the state's poses afterwards, but nothing relies
// on it: placed is false.
void pawl_settle_reactions(step_context *c, const pawl_state *s)
{
    deferred_reactions *d = &c->position.deferred;
    pawl_coordinates_settle_reactions(c->coordinates, c->out.reaction);
    pawl_coordinates_forget_reactions(c->coordinates, false);
    if (d->count == 0) {
        return;
    }
    pawl_delassus *delassus = c->assembly->problem.delassus;
    // A factor that drops redundant rows gives them no reaction at all, which is a solution, but not the least one.
    delassus->drops_redundant = false; // a shifted factor for the time
    for (int i = 0; i < d->count; ++i) {
        const struct deferred_reaction *item = &d->item[i];
        least_place(c, item->from, s, item->time);
        pawl_eliminate_factor(&c->assembly->problem, c->settings->solver.regularization);
        least_add(c, item->lambda);
    }
    delassus->drops_redundant = true;
    delassus->factored = 0;
    d->count = 0;
    least_place(c, s->bodies, s, s->time);
    c->placed = false;
}
