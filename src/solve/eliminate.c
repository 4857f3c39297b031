// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "solve/eliminate.h"
#include <math.h>
#include <string.h>

enum { ELIMINATE_MAX_SOLVES = 12 };

eliminator pawl_eliminator_layout(int max_rows, int free_rows, pawl_carver *mem)
{
    int bounded = max_rows - free_rows;
    eliminator e = {.bounded_capacity = bounded};
    e.residual = PAWL_CARVE(mem, double, max_rows);
    e.step = PAWL_CARVE(mem, double, max_rows);
    e.product = PAWL_CARVE(mem, double, max_rows);
    e.right = PAWL_CARVE(mem, double, max_rows);
    e.reduced = PAWL_CARVE(mem, double, (size_t)bounded * (size_t)bounded);
    e.reduced_v = PAWL_CARVE(mem, double, bounded);
    return e;
}

void pawl_eliminate_factor(const pawl_problem *p, double regularization)
{
    pawl_delassus *d = p->delassus;
    d->ops->factor(d, p->compliance, d->maybe_singular ? regularization : 0.0);
}

static double eliminate_norm(const double *x, int n)
{
    double norm = 0.0;
    for (int i = 0; i < n; ++i) {
        norm = fmax(norm, fabs(x[i]));
    }
    return norm;
}

int pawl_eliminate_solve(eliminator *e, const pawl_problem *p, const double *b, double *x)
{
    int n = p->free_row_count;
    pawl_delassus *d = p->delassus;
    double target = 4e-16 * eliminate_norm(b, n);
    double *all = e->step; // x over all rows: the bounded ones are zero
    memset(x, 0, (size_t)n * sizeof *x);
    memset(all, 0, (size_t)p->row_count * sizeof *all);
    memcpy(e->residual, b, (size_t)n * sizeof *b);
    double last = INFINITY;
    int solves = 0;
    while (solves < ELIMINATE_MAX_SOLVES) {
        memcpy(all, e->residual, (size_t)n * sizeof *all);
        d->ops->solve(d, all);
        for (int i = 0; i < n; ++i) {
            all[i] += x[i];
        }
        ++solves;
        d->ops->apply(d, all, e->product);
        double norm = 0.0;
        for (int i = 0; i < n; ++i) {
            e->residual[i] = b[i] - e->product[i] - p->compliance[i] * all[i];
            norm = fmax(norm, fabs(e->residual[i]));
        }
        // A step that no longer helps would only feed the null space.
        if (!(norm < last)) {
            break;
        }
        memcpy(x, all, (size_t)n * sizeof *x);
        bool slow = norm > 0.25 * last;
        last = norm;
        if (norm <= target || slow) {
            break;
        }
    }
    return solves;
}

void pawl_eliminate_reduce(eliminator *e, const pawl_problem *p, double *lambda)
{
    int n = p->free_row_count, rows = p->row_count, m = rows - n;
    pawl_delassus *d = p->delassus;
    // S e_b: velocities of the bounded rows when b gets a unit impulse and the free rows keep still
    for (int b = 0; b < m; ++b) {
        double *column = e->reduced_v; // scratch until the end
        memset(lambda, 0, (size_t)rows * sizeof *lambda);
        lambda[n + b] = 1.0;
        d->ops->apply(d, lambda, e->product);
        for (int i = 0; i < n; ++i) {
            e->right[i] = -e->product[i];
        }
        for (int i = 0; i < m; ++i) {
            column[i] = e->product[n + i];
        }
        pawl_eliminate_solve(e, p, e->right, lambda);
        lambda[n + b] = 0.0;
        d->ops->apply(d, lambda, e->product);
        for (int i = 0; i < m; ++i) {
            e->reduced[(size_t)i * (size_t)m + (size_t)b] = column[i] + e->product[n + i];
        }
        e->reduced[(size_t)b * (size_t)(m + 1)] += p->compliance[n + b];
    }
    memset(lambda, 0, (size_t)rows * sizeof *lambda);
    pawl_eliminate_recover(e, p, lambda);
    d->ops->apply(d, lambda, e->product);
    for (int i = 0; i < m; ++i) {
        e->reduced_v[i] = e->product[n + i] + p->v_f[n + i];
    }
}

int pawl_eliminate_recover(eliminator *e, const pawl_problem *p, double *lambda)
{
    int n = p->free_row_count, rows = p->row_count;
    pawl_delassus *d = p->delassus;
    memset(lambda, 0, (size_t)n * sizeof *lambda);
    if (rows > n) {
        d->ops->apply(d, lambda, e->product);
    } else {
        memset(e->product, 0, (size_t)n * sizeof *e->product);
    }
    double *b = e->right;
    for (int i = 0; i < n; ++i) {
        b[i] = -(p->v_f[i] + e->product[i]);
    }
    return pawl_eliminate_solve(e, p, b, lambda);
}
