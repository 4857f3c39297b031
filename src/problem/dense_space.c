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

// Y YT = D, Y with a stride of the rank, which is returned. YT is made in H, which nobody needs yet.
static int dense_space_factor(dense_space *d, int n, const double *matrix)
{
    int rank = pawl_semidefinite_factor(matrix, n, NULL, d->scratch, d->H);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < rank; ++k) {
            d->Y[i * rank + k] = d->H[k * n + i];
        }
    }
    return rank;
}

velocity_space *pawl_dense_space_find(dense_space *d, const pawl_problem *p, const double *matrix)
{
    int n = p->row_count, rank = d->known >= 0 ? d->known : dense_space_factor(d, n, matrix);
    d->known = rank;
    if (rank == 0) { // nothing moves: one velocity that no row sees
        rank = 1;
        memset(d->Y, 0, (size_t)n * (size_t)n * sizeof *d->Y);
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
