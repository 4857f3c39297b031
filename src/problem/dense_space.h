// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The velocity space of a dense matrix: D = Y YT by a pivoted Cholesky factor. Its rank is the number of independent
// motions in the rows, at most the degrees of freedom, for any number of rows.
#pragma once
#include "problem/velocity_space.h"

typedef struct dense_space {
    int capacity;
    velocity_space space;
    double *Y, *YT;                           // (n x rank) and its transpose
    double *weighed;                          // (n x rank) S Y
    int known;                                // rank of Y, if that is at hand; else -1
    bool transposed;                          // YT is that of Y
    double *scratch;                          // of the factor
    double *H;                                // (n x n)
    double *inverse;                          // (n)
    int *pivot;                               // (n)
    int *first_side, *side_node, *first_pair; // (n + 1)
    const double **side_Y;                    // (n)
    double *vectors;                          // (SPACE_VECTORS x n)
} dense_space;

dense_space pawl_dense_space_layout(int capacity, pawl_carver *mem);
// The matrix is another one, and Y of that rank was written; -1: it was not.
void pawl_dense_space_renew(dense_space *d, int rank);
// The space of p, whose matrix (n x n) is symmetric. It is kept until pawl_dense_space_renew().
velocity_space *pawl_dense_space_find(dense_space *d, const pawl_problem *p, const double *matrix);
