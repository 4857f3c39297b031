// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The operator of a small problem with a dense matrix D, for example after the elimination of joints: products, rows,
// and dense factors of D + s.
//
// D (n x n) is symmetric, row by row without gaps; n is the size of the problem bound last, not the capacity. Such
// problems have no free rows.
#include "problem/dense_delassus.h"
#include "linalg/dense.h"
#include <string.h>

dense_delassus pawl_dense_delassus_layout(int capacity, pawl_carver *mem)
{
    size_t n = (size_t)capacity;
    return (dense_delassus){.capacity = capacity,
                            .matrix = PAWL_CARVE(mem, double, n *n),
                            .factor = PAWL_CARVE(mem, double, n *n),
                            .inverse = PAWL_CARVE(mem, double, n),
                            .v = PAWL_CARVE(mem, double, n),
                            .space = pawl_dense_space_layout(capacity, mem)};
}

static void dense_apply(pawl_delassus *base, const double *x, double *y)
{
    const dense_delassus *d = (const dense_delassus *)base;
    int n = d->p->row_count;
    pawl_combine(d->matrix, n, n, n, x, y); // symmetric
}

static void dense_diagonal(pawl_delassus *base, int first_block, double *out)
{
    const dense_delassus *d = (const dense_delassus *)base;
    size_t n = (size_t)d->p->row_count;
    if (first_block >= d->p->block_count) {
        return;
    }
    for (size_t i = (size_t)d->p->blocks[first_block].first_row; i < n; ++i) {
        out[i] = d->matrix[i * (n + 1)];
    }
}

static void dense_block(pawl_delassus *base, int block, double *out)
{
    const dense_delassus *d = (const dense_delassus *)base;
    problem_block b = d->p->blocks[block];
    size_t n = (size_t)d->p->row_count, first = (size_t)b.first_row;
    for (int r = 0; r < b.dim; ++r) {
        memcpy(out + r * b.dim, d->matrix + (first + (size_t)r) * n + first,
               (size_t)b.dim * sizeof *out);
    }
}

// The velocity of all rows is kept and changed by columns: O(n) for a block that changes, nothing for one that does
// not.
static void dense_sweep_begin(pawl_delassus *base, const double *x)
{
    dense_apply(base, x, ((dense_delassus *)base)->v);
}

static void dense_sweep_velocity(pawl_delassus *base, int block, double *out)
{
    const dense_delassus *d = (const dense_delassus *)base;
    problem_block b = d->p->blocks[block];
    memcpy(out, d->v + b.first_row, (size_t)b.dim * sizeof *out);
}

static void dense_sweep_add(pawl_delassus *base, int block, const double *dx)
{
    dense_delassus *d = (dense_delassus *)base;
    problem_block b = d->p->blocks[block];
    int n = d->p->row_count;
    for (int r = 0; r < b.dim; ++r) {
        if (dx[r] == 0.0) {
            continue;
        }
        const double *row = d->matrix + (size_t)(b.first_row + r) * (size_t)n; // symmetric
        for (int i = 0; i < n; ++i) {
            d->v[i] += dx[r] * row[i];
        }
    }
}

static int dense_factor(pawl_delassus *base, const double *compliance, double shift)
{
    (void)base; // there are no free rows
    (void)compliance;
    (void)shift;
    return 0;
}

static void dense_solve(pawl_delassus *base, double *x)
{
    (void)base;
    (void)x;
}

// No pivot is dropped: a shift makes every pivot positive.
static bool dense_factor_shifted(pawl_delassus *base, const double *sigma, const double *contacts)
{
    dense_delassus *d = (dense_delassus *)base;
    int n = d->p->row_count, others = contacts == NULL ? n : pawl_problem_contact_row(d->p, 0);
    memcpy(d->factor, d->matrix, (size_t)n * (size_t)n * sizeof *d->factor);
    for (int i = 0; i < others; ++i) {
        d->factor[(size_t)i * (size_t)(n + 1)] += sigma[i];
    }
    for (int i = others; i < n; i += 3, contacts += 9) {
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                d->factor[(size_t)(i + r) * (size_t)n + (size_t)(i + c)] += contacts[3 * r + c];
            }
        }
    }
    pawl_ldl_factor(d->factor, n, n, 0.0, NULL, d->inverse);
    return true;
}

static void dense_solve_shifted(pawl_delassus *base, double *x)
{
    const dense_delassus *d = (const dense_delassus *)base;
    int n = d->p->row_count;
    pawl_ldl_solve(d->factor, n, n, d->inverse, x);
}

static const double *dense_matrix(const pawl_delassus *base)
{
    return ((const dense_delassus *)base)->matrix;
}

static velocity_space *dense_velocity_space(pawl_delassus *base)
{
    dense_delassus *d = (dense_delassus *)base;
    return pawl_dense_space_find(&d->space, d->p, d->matrix);
}

static const pawl_delassus_ops dense_delassus_ops = {
    .apply = dense_apply,
    .diagonal = dense_diagonal,
    .block = dense_block,
    .sweep_begin = dense_sweep_begin,
    .sweep_velocity = dense_sweep_velocity,
    .sweep_add = dense_sweep_add,
    .factor = dense_factor,
    .solve = dense_solve,
    .factor_shifted = dense_factor_shifted,
    .solve_shifted = dense_solve_shifted,
    .matrix = dense_matrix,
    .space = dense_velocity_space,
};

void pawl_dense_delassus_bind(dense_delassus *d, pawl_problem *p)
{
    PAWL_ASSERT(p->row_count <= d->capacity && p->free_row_count == 0);
    d->base = (pawl_delassus){.ops = &dense_delassus_ops};
    d->p = p;
    p->delassus = &d->base;
}
