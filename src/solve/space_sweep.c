// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sweeps in the velocity space: w = YT lambda is stored, and rows and groups of contacts (sweep_group.h) update it in
// turn.
#include "solve/space_sweep.h"
#include "math/vec.h"
#include "solve/contact_local.h"
#include <math.h>
#include <string.h>

enum { SWEEP_VECTOR = 2, SWEEP_COLORS = 64 };

space_sweeper pawl_space_sweeper_layout(const solver_def *def, pawl_carver *mem)
{
    return (space_sweeper){.groups = PAWL_CARVE(mem, sweep_group, def->max_contacts),
                           .color = PAWL_CARVE(mem, int, def->max_contacts),
                           .order = PAWL_CARVE(mem, int, def->max_contacts)};
}

// ---- colours and groups ----------------------------------------------------------------------------

// The least colour that no contact before has at one of the bodies: bit sets of 64, colours beyond it in one more, which
// is solved contact by contact. `used` (nodes) lies in a vector of the space.
static int sweep_color(const velocity_space *space, int block, uint64_t *used)
{
    uint64_t taken = 0;
    for (int i = space->first_side[block]; i < space->first_side[block + 1]; ++i) {
        taken |= used[space->side_node[i]];
    }
    int color = taken == UINT64_MAX ? SWEEP_COLORS : __builtin_ctzll(~taken);
    for (int i = space->first_side[block]; i < space->first_side[block + 1] && color < SWEEP_COLORS;
         ++i) {
        used[space->side_node[i]] |= UINT64_C(1) << color;
    }
    return color;
}

// Contacts by colour, in their own order within one. Returns the number of colours, the last of which may be 65th.
static int sweep_sort(space_sweeper *s, const space_problem *q)
{
    int n = q->p->contact_count, first = q->p->block_count - n, colors = 0;
    uint64_t *used = (uint64_t *)(void *)pawl_space_vector(q->space, 4);
    memset(used, 0, (size_t)q->space->node_count * sizeof *used);
    int counts[SWEEP_COLORS + 2] = {0};
    for (int k = 0; k < n; ++k) {
        s->color[k] = sweep_color(q->space, first + k, used);
        ++counts[s->color[k] + 1];
        colors = s->color[k] + 1 > colors ? s->color[k] + 1 : colors;
    }
    for (int c = 0; c < colors; ++c) {
        counts[c + 1] += counts[c];
    }
    for (int k = 0; k < n; ++k) {
        s->order[counts[s->color[k]]++] = k;
    }
    return colors;
}

// The contacts of a colour, four in a group; those of the colour beyond the last share bodies and get a group each.
// Their impulses are taken from lambda; those of contacts that nothing can move become 0.
static void sweep_fill_group(sweep_group *g, const space_problem *q, const int *contacts, int count,
                             double *lambda)
{
    const pawl_problem *p = q->p;
    const velocity_space *space = q->space;
    int nobody = pawl_space_size(space), first_block = p->block_count - p->contact_count;
    sweep_source from = {0};
    memset(g->R, 0, sizeof g->R);
    for (int l = 0; l < SWEEP_LANES; ++l) {
        int k = l < count ? contacts[l] : -1;
        g->a[l] = g->b[l] = nobody;
        g->contact[l] = k;
        g->kappa[l] = 0.0;
        if (k < 0) {
            continue;
        }
        int i = p->blocks[first_block + k].first_row, side = space->first_side[first_block + k];
        int sides = space->first_side[first_block + k + 1] - side;
        from.Ya[l] = sides > 0 ? space->side_Y[side] : NULL;
        from.Yb[l] = sides > 1 ? space->side_Y[side + 1] : NULL;
        g->a[l] = sides > 0 ? SWEEP_WIDTH * space->side_node[side] : nobody;
        g->b[l] = sides > 1 ? SWEEP_WIDTH * space->side_node[side + 1] : nobody;
        for (int r = 0; r < 3; ++r) {
            g->R[r][l] = p->compliance[i + r];
            g->v_f[r][l] = p->v_f[i + r];
            g->lambda[r][l] = lambda[i + r];
        }
        g->mu[l] = fmin(p->friction[k], 1e6);
    }
    pawl_sweep_group_fill(g, &from, nobody);
    for (int l = 0; l < count; ++l) {
        if (g->contact[l] < 0) {
            memset(lambda + pawl_problem_contact_row(p, contacts[l]), 0, 3 * sizeof *lambda);
        }
    }
}

static void sweep_fill_groups(space_sweeper *s, const space_problem *q, int colors, double *lambda)
{
    int n = q->p->contact_count, at = 0;
    s->group_count = 0;
    for (int c = 0; c < colors; ++c) {
        int lanes = c < SWEEP_COLORS ? SWEEP_LANES : 1;
        while (at < n && s->color[s->order[at]] == c) {
            int count = 1;
            while (count < lanes && at + count < n && s->color[s->order[at + count]] == c) {
                ++count;
            }
            sweep_fill_group(&s->groups[s->group_count++], q, s->order + at, count, lambda);
            at += count;
        }
    }
}

// ---- other rows, and dense spaces --------------------------------------------------------------------

// Rows that are no contacts, one by one.
static void sweep_rows(const space_problem *q, double *lambda, double *w)
{
    const pawl_problem *p = q->p;
    for (int k = 0; k < p->block_count - p->contact_count; ++k) {
        problem_block b = p->blocks[k];
        for (int r = 0; r < b.dim; ++r) {
            int i = b.first_row + r;
            if (!(q->weight[i] > 0.0)) {
                continue;
            }
            double v[64], change[64] = {0};
            pawl_space_block_velocity(q->space, p, k, w, v);
            double x = lambda[i] - (v[r] + p->v_f[i] + p->compliance[i] * lambda[i]) / q->weight[i];
            x = i < p->free_row_count ? x : clamp_to(x, p->lower[i], p->upper[i]);
            change[r] = x - lambda[i];
            lambda[i] = x;
            pawl_space_block_add(q->space, p, k, change, w);
        }
    }
}

// Contacts one by one, where all share one node.
static void sweep_contacts(const space_problem *q, double *lambda, double *w)
{
    const pawl_problem *p = q->p;
    for (int k = 0; k < p->contact_count; ++k) {
        int block = p->block_count - p->contact_count + k, i = p->blocks[block].first_row;
        double D[9], v[3], x[3], *old = lambda + i;
        p->delassus->ops->block(p->delassus, block, D);
        pawl_space_block_velocity(q->space, p, block, w, v);
        for (int r = 0; r < 3; ++r) {
            D[4 * r] += p->compliance[i + r];
            v[r] += p->v_f[i + r] + p->compliance[i + r] * old[r];
        }
        for (int r = 0; r < 3; ++r) {
            v[r] -= D[3 * r] * old[0] + D[3 * r + 1] * old[1] + D[3 * r + 2] * old[2];
        }
        pawl_contact_exact(D, v, p->friction[k], x);
        double change[3] = {x[0] - old[0], x[1] - old[1], x[2] - old[2]};
        memcpy(old, x, sizeof x);
        pawl_space_block_add(q->space, p, block, change, w);
    }
}

// ---- sweeps ------------------------------------------------------------------------------------------

// w = YT lambda, and groups where there are colours: where every row depends on one dense node contacts are swept one
// by one.
static double *sweep_begin(space_sweeper *s, const space_problem *q, double *lambda)
{
    const pawl_problem *p = q->p;
    double *w = pawl_space_vector(q->space, SWEEP_VECTOR);
    s->group_count = 0;
    if (q->space->sparse == NULL) {
        pawl_space_gather(q->space, p, lambda, w);
        return w;
    }
    // nobody's velocities follow those of the last body
    memset(w, 0, ((size_t)pawl_space_size(q->space) + SWEEP_WIDTH) * sizeof *w);
    sweep_fill_groups(s, q, sweep_sort(s, q), lambda);
    for (int k = 0; k < p->block_count - p->contact_count; ++k) {
        pawl_space_block_add(q->space, p, k, lambda + p->blocks[k].first_row, w);
    }
    pawl_sweep_groups_push(s->groups, s->group_count, w);
    return w;
}

// Groups keep the impulses of their contacts.
static void sweep_store(const space_sweeper *s, const pawl_problem *p, double *lambda)
{
    for (int g = 0; g < s->group_count; ++g) {
        for (int l = 0; l < SWEEP_LANES; ++l) {
            int k = s->groups[g].contact[l];
            for (int r = 0; r < 3 && k >= 0; ++r) {
                lambda[pawl_problem_contact_row(p, k) + r] = s->groups[g].lambda[r][l];
            }
        }
    }
}

static void sweep_run(space_sweeper *s, const space_problem *q, int sweeps, double *lambda,
                      double *w)
{
    for (int k = 0; k < sweeps; ++k) {
        sweep_rows(q, lambda, w);
        if (q->space->sparse != NULL) {
            pawl_sweep_groups_solve(s->groups, s->group_count, w);
        } else {
            sweep_contacts(q, lambda, w);
        }
        if (q->p->watch != NULL) {
            sweep_store(s, q->p, lambda);
            pawl_problem_show(q->p, lambda);
        }
    }
    sweep_store(s, q->p, lambda);
}

void pawl_space_sweep(space_sweeper *s, const space_problem *q, int sweeps, space_iterate *x)
{
    double *w = sweep_begin(s, q, x->lambda);
    sweep_run(s, q, sweeps, x->lambda, w);
    pawl_space_evaluate(q, x);
}

// The natural map of rows and groups together.
static void sweep_measure(const space_sweeper *s, const space_problem *q, const double *w,
                          space_iterate *x)
{
    const pawl_problem *p = q->p;
    if (q->space->sparse == NULL) {
        pawl_space_evaluate(q, x);
        return;
    }
    x->natural = pawl_sweep_groups_natural(s->groups, s->group_count, w);
    for (int k = 0; k < p->block_count - p->contact_count; ++k) {
        problem_block b = p->blocks[k];
        double v[64];
        pawl_space_block_velocity(q->space, p, k, w, v);
        for (int r = 0, i = b.first_row; r < b.dim; ++r, ++i) {
            double own = v[r] + p->v_f[i] + p->compliance[i] * x->lambda[i];
            double f = i < p->free_row_count ? fabs(own)
                                             : pawl_natural_bounded(x->lambda[i], own, p->lower[i],
                                                                    p->upper[i], q->weight[i]);
            x->natural = worst_of(x->natural, f);
        }
    }
}

int pawl_space_sweep_within(space_sweeper *s, const space_problem *q, double aim, int sweeps,
                            space_iterate *x)
{
    double *w = sweep_begin(s, q, x->lambda);
    sweep_measure(s, q, w, x);
    if (x->natural <= aim) {
        return 0;
    }
    sweep_run(s, q, sweeps, x->lambda, w);
    sweep_measure(s, q, w, x);
    return sweeps;
}
