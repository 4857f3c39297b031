// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Limits and contacts of an impact by groups that cannot act on each other, each as a small dense problem:
// D of its rows with the joints eliminated, S = D_bb - D_bf (D_ff + R)^-1 D_fb. A foot of 0.3 kg under a robot of 10
// kg therefore responds like 10 kg.
#include "step/common/impact.h"
#include <string.h>

static const double groups_exact = 1e-13; // as exact as the elimination gets

// Union-find with path halving.
static int groups_find(int *root, int body)
{
    while (root[body] != body) {
        root[body] = root[root[body]];
        body = root[body];
    }
    return body;
}

static bool groups_moves(const step_context *c, int body)
{
    return body >= 0 && c->model->bodies[body].kind != PAWL_BODY_KINEMATIC;
}

// The lower body becomes the root: the order of the groups does not depend on that of the rows.
static void groups_join(const step_context *c, int a, int b)
{
    int *root = c->impact->root;
    if (groups_moves(c, a) && groups_moves(c, b)) {
        a = groups_find(root, a);
        b = groups_find(root, b);
        root[a > b ? a : b] = a < b ? a : b;
    }
}

// Everything that an impulse can reach: joints and rows connect, bodies that cannot move do not. Two feet on one
// robot are one group, two robots on one floor are two.
void pawl_impact_group(step_context *c)
{
    const pawl_model *m = c->model;
    const pawl_assembly *a = c->assembly;
    for (int i = 0; i < m->body_count; ++i) {
        c->impact->root[i] = i;
    }
    for (int j = 0; j < m->joint_count; ++j) { // those of a tree have no rows
        groups_join(c, m->joints[j].base, m->joints[j].follower);
    }
    for (int k = 0; k < a->problem.block_count; ++k) {
        const row_block *b = &a->blocks[k];
        for (int i = 0; i < b->body_count; ++i) {
            for (int j = 0; j < i; ++j) {
                groups_join(c, b->body[i], b->body[j]);
            }
        }
    }
    for (int i = 0; i < m->body_count; ++i) {
        c->impact->root[i] = groups_find(c->impact->root, i);
    }
}

// A block belongs to the group of its first body that moves; the others are in the same group.
static bool groups_has(const step_context *c, int body, const row_block *b)
{
    for (int i = 0; i < b->body_count; ++i) {
        if (groups_moves(c, b->body[i])) {
            return c->impact->root[b->body[i]] == body;
        }
    }
    return false;
}

// The units (limits and contacts) of the group whose root is `body`, named by their last row, which of a contact is
// its normal.
int pawl_impact_group_units(step_context *c, int body, int *limits)
{
    const pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    int count = 0;
    *limits = 0;
    for (int k = p->free_block_count; k < p->block_count && c->impact->root[body] == body; ++k) {
        const row_block *b = &a->blocks[k];
        if (groups_has(c, body, b)) {
            *limits += b->rows.dim == 1;
            c->impact->units[count++] = b->rows.first_row + b->rows.dim - 1;
        }
    }
    return count;
}

// Rows of the problem to those of the group, limits first, three for each contact; pawl_impact_put() is the way
// back.
void pawl_impact_take(const step_context *c, const double *from, double *to)
{
    const impact_path *p = c->impact->path;
    for (int u = 0, i = 0; u < p->limits + p->contacts; ++u) {
        int dim = u < p->limits ? 1 : 3;
        memcpy(to + i, from + c->impact->units[u] - (dim - 1), (size_t)dim * sizeof *to);
        i += dim;
    }
}

void pawl_impact_put(const step_context *c, const double *from, double *to)
{
    const impact_path *p = c->impact->path;
    for (int u = 0, i = 0; u < p->limits + p->contacts; ++u) {
        int dim = u < p->limits ? 1 : 3;
        memcpy(to + c->impact->units[u] - (dim - 1), from + i, (size_t)dim * sizeof *to);
        i += dim;
    }
}

// Velocities of all rows that a unit impulse of one gives while the free rows answer, to out (rows).
// A column of S for the rows of limits and contacts: D e_row, plus what the free rows' impulses -(D_ff + R)^-1
// D_f,row do.
static void groups_column(step_context *c, int row, double *out)
{
    const pawl_problem *p = &c->assembly->problem;
    pawl_delassus *d = p->delassus;
    eliminator *e = c->closure;
    size_t rows = (size_t)p->row_count;
    memset(c->u.lambda, 0, rows * sizeof *c->u.lambda);
    c->u.lambda[row] = 1.0;
    d->ops->apply(d, c->u.lambda, e->product);
    memcpy(out, e->product, rows * sizeof *out);
    if (p->free_row_count == 0) {
        return;
    }
    for (int i = 0; i < p->free_row_count; ++i) {
        e->right[i] = -e->product[i];
    }
    pawl_eliminate_solve(e, p, e->right, d->maybe_singular ? groups_exact : 1.0, c->u.lambda);
    c->u.lambda[row] = 0.0;
    d->ops->apply(d, c->u.lambda, e->product);
    for (int i = p->free_row_count; i < p->row_count; ++i) {
        out[i] += e->product[i];
    }
}

// S (n x n) of the group, row by row, with friction, restitution and allowed closing speed of each unit. Limits
// have neither friction nor restitution.
void pawl_impact_condense(step_context *c, int limits, int units)
{
    impact_path *path = c->impact->path;
    const pawl_assembly *a = c->assembly;
    int contact_row = pawl_problem_contact_row(&a->problem, 0);
    path->limits = limits;
    path->contacts = units - limits;
    int n = pawl_impact_path_rows(path);
    pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
    size_t mark = pawl_arena_mark(&c->scratch);
    double *column = pawl_take_rows(c);
    for (int u = 0; u < units; ++u) {
        int dim = u < limits ? 1 : 3, last = pawl_impact_path_normal(path, u);
        for (int r = 0; r < dim; ++r) {
            groups_column(c, c->impact->units[u] - (dim - 1) + r, column);
            pawl_impact_take(c, column, path->S + (size_t)(last - (dim - 1) + r) * (size_t)n);
        }
        int k = (c->impact->units[u] - contact_row) / 3;
        path->mu[u] = u < limits ? 0.0 : a->friction[k];
        path->allowed[u] = u < limits ? 0.0 : c->impact->allowed[k];
        path->e[u] = u < limits ? 0.0 : c->impact->bounce[k];
    }
    pawl_arena_release(&c->scratch, mark);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            // The elimination is exact up to rounding, which differs between a column and its mirror image. The laws
            // need a symmetric matrix: energies are computed with it.
            double mean = 0.5 * (path->S[i * n + j] + path->S[j * n + i]);
            path->S[i * n + j] = path->S[j * n + i] = mean;
        }
    }
    pawl_impact_take(c, c->impact->rate, path->v);
}

// Rates of limits and contacts before the impact, with the free rows already satisfied: v_b + D_bf lambda_f.
// Otherwise velocities that joints do not allow would count as part of the impact.
void pawl_impact_rates(step_context *c)
{
    const pawl_problem *p = &c->assembly->problem;
    eliminator *e = c->closure;
    double *rate = c->impact->rate;
    memcpy(rate, p->v_f, (size_t)p->row_count * sizeof *rate);
    if (p->free_row_count == 0) {
        return;
    }
    memset(c->u.lambda, 0, (size_t)p->row_count * sizeof *c->u.lambda);
    pawl_eliminate_factor(p, c->settings->solver.regularization);
    pawl_eliminate_recover(e, p, groups_exact, c->u.lambda);
    p->delassus->ops->apply(p->delassus, c->u.lambda, e->product);
    for (int r = p->free_row_count; r < p->row_count; ++r) {
        rate[r] += e->product[r];
    }
}
