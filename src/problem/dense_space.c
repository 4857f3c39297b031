// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The factor of a matrix as a velocity space of one node.
#include "problem/dense_space.h"
#include "linalg/semidefinite.h"
#include <string.h>

dense_space pawl_dense_space_layout(int capacity, pawl_carver *mem)
{
    size_t n = (size_t)capacity;
    return (dense_space){.capacity = capacity,
                         .Y = PAWL_CARVE(mem, double, n *n),
                         .YT = PAWL_CARVE(mem, double, n *n),
                         .weighed = PAWL_CARVE(mem, double, n *n),
                         .known = -1,
                         .scratch = PAWL_CARVE(mem, double, SEMIDEFINITE_SCRATCH *n),
                         .H = PAWL_CARVE(mem, double, n *n),
                         .inverse = PAWL_CARVE(mem, double, n),
                         .pivot = PAWL_CARVE(mem, int, n),
                         .first_side = PAWL_CARVE(mem, int, n + 1),
                         .side_node = PAWL_CARVE(mem, int, n + 1),
                         .first_pair = PAWL_CARVE(mem, int, n + 1),
                         .side_Y = PAWL_CARVE(mem, const double *, n),
                         .vectors = PAWL_CARVE(mem, double, SPACE_VECTORS *n)};
}

void pawl_dense_space_renew(dense_space *d, int rank)
{
    d->known = rank;
    d->transposed = false;
}

static void dense_space_transpose(const double *a, int rows, int columns, double *out)
{
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < columns; ++k) {
            out[k * rows + i] = a[i * columns + k];
        }
    }
}

// Y YT = D. Returns the rank.
static int dense_space_factor(dense_space *d, int n, const double *matrix)
{
    int rank = pawl_semidefinite_factor(matrix, n, NULL, d->scratch, d->YT);
    dense_space_transpose(d->YT, rank, n, d->Y);
    d->transposed = true;
    return rank;
}

velocity_space *pawl_dense_space_find(dense_space *d, const pawl_problem *p, const double *matrix)
{
    int n = p->row_count, rank = d->known >= 0 ? d->known : dense_space_factor(d, n, matrix);
    d->known = rank;
    if (rank == 0) { // nothing moves: one velocity that no row sees
        rank = 1;
        memset(d->Y, 0, (size_t)n * sizeof *d->Y);
        d->transposed = false;
    }
    if (!d->transposed) {
        dense_space_transpose(d->Y, n, rank, d->YT);
        d->transposed = true;
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
                                .dense_Y = d->Y,
                                .dense_YT = d->YT,
                                .weighed = d->weighed,
                                .dense = d->H,
                                .inverse = d->inverse,
                                .pivot = d->pivot};
    return &d->space;
}
