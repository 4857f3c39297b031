// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Cholesky factor with pivoting of a positive semidefinite matrix: the row whose diagonal is largest next to what
// it was is eliminated next, until what is left is rounding. Relative, because rows of light and heavy bodies, of
// metres and radians, stand side by side.
#include "problem/dense_space.h"
#include "linalg/dense.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

static const double dense_space_rank = 1e-13; // of a row's diagonal: less is rounding

dense_space pawl_dense_space_layout(int capacity, pawl_carver *mem)
{
    size_t n = (size_t)capacity;
    return (dense_space){.capacity = capacity,
                         .Y = PAWL_CARVE(mem, double, n *n),
                         .left = PAWL_CARVE(mem, double, n),
                         .own = PAWL_CARVE(mem, double, n),
                         .H = PAWL_CARVE(mem, double, n *n),
                         .inverse = PAWL_CARVE(mem, double, n),
                         .pivot = PAWL_CARVE(mem, int, n),
                         .first_side = PAWL_CARVE(mem, int, n + 1),
                         .side_node = PAWL_CARVE(mem, int, n + 1),
                         .first_pair = PAWL_CARVE(mem, int, n + 1),
                         .side_Y = PAWL_CARVE(mem, const double *, n),
                         .vectors = PAWL_CARVE(mem, double, SPACE_VECTORS *n)};
}

// The next pivot among rows that are not yet eliminated; -1 when only rounding is left.
static int dense_space_pivot(const dense_space *d, int n)
{
    int best = -1;
    double most = dense_space_rank;
    for (int i = 0; i < n; ++i) {
        double relative = d->own[i] > 0.0 ? d->left[i] / d->own[i] : 0.0;
        if (relative > most) {
            best = i;
            most = relative;
        }
    }
    return best;
}

// Y with a stride of n. Returns the rank.
// Y YT = D. `left` is what remains of each diagonal entry, exactly 0 for rows that are eliminated.
static int dense_space_factor(dense_space *d, int n, const double *matrix)
{
    size_t stride = (size_t)n;
    for (size_t i = 0; i < stride; ++i) {
        d->own[i] = d->left[i] = matrix[i * (stride + 1)];
    }
    int rank = 0;
    for (int j; rank < n && (j = dense_space_pivot(d, n)) >= 0; ++rank) {
        const double *column = matrix + (size_t)j * stride, *pivot = d->Y + (size_t)j * stride;
        double root = sqrt(d->left[j]);
        for (int i = 0; i < n; ++i) {
            double *y = d->Y + (size_t)i * stride;
            if (d->left[i] == 0.0) { // eliminated: what is left of it is rounding
                y[rank] = 0.0;
                continue;
            }
            double entry = i == j ? root : (column[i] - pawl_dot(y, pivot, rank)) / root;
            y[rank] = entry;
            d->left[i] = i == j ? 0.0 : max_of(d->left[i] - entry * entry, 0.0);
        }
    }
    return rank;
}

velocity_space *pawl_dense_space_find(dense_space *d, const pawl_problem *p, const double *matrix)
{
    int n = p->row_count, rank = dense_space_factor(d, n, matrix);
    if (rank == 0) { // nothing moves: one velocity that no row sees
        rank = 1;
        memset(d->Y, 0, (size_t)n * (size_t)n * sizeof *d->Y);
    }
    for (int i = 1; i < n && rank < n; ++i) { // to a stride of the rank
        memmove(d->Y + (size_t)i * (size_t)rank, d->Y + (size_t)i * (size_t)n,
                (size_t)rank * sizeof *d->Y);
    }
    for (int k = 0; k < p->block_count; ++k) {
        d->first_side[k] = k;
        d->side_node[k] = d->first_pair[k] = 0;
        d->side_Y[k] = d->Y + (size_t)p->blocks[k].first_row * (size_t)rank;
    }
    d->first_side[p->block_count] = p->block_count;
    d->first_pair[p->block_count] = 0;
    d->space = (velocity_space){.width = rank,
                                .node_count = 1,
                                .first_side = d->first_side,
                                .side_node = d->side_node,
                                .side_Y = d->side_Y,
                                .first_pair = d->first_pair,
                                .vectors = d->vectors,
                                .dense = d->H,
                                .inverse = d->inverse,
                                .pivot = d->pivot};
    return &d->space;
}
