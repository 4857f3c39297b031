// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sparse factors of a matrix of 6 x 6 blocks whose pattern is symmetric: Cholesky where the values are
// symmetric, LU on the same pattern where they are not (Newton matrices of sliding contacts). Nodes are bodies,
// edges are pairs of bodies that touch. The order (SuiteSparse's AMD) and the fill are computed once per graph.
//
// Pivots are sought within a diagonal block only: the matrices have the form 1 + YT S Y, whose symmetric part is
// positive definite unless sliding is strong. Callers check the accuracy of a solution.
#pragma once
#include "base/thread_pool.h"
#include "linalg/block_ldl.h"

enum { BLOCK_LU_DIM = 6, BLOCK_LU_SIZE = 36 };
typedef struct block_lu block_lu;

pawl_status pawl_block_lu_create(const pawl_env *env, block_lu **out);
void pawl_block_lu_destroy(block_lu *f); // NULL is fine
// Order and fill of a graph, unless it is the one at hand; edges join different nodes, duplicates are fine. Memory
// only grows. False when it is out: then there is no graph.
bool pawl_block_lu_plan(block_lu *f, int node_count, const block_edge *edges, int edge_count);

// Where edge e of the plan is stored. Of nodes i and j, i is eliminated later: `lower` holds block (i, j) and
// `upper` the transpose of block (j, i), both 6 x 6, row by row. For a symmetric matrix `lower` alone counts.
typedef struct block_lu_place {
    double *lower, *upper;
    bool swapped; // i is the edge's b, not its a
} block_lu_place;
block_lu_place pawl_block_lu_edge(const block_lu *f, int e);
double *pawl_block_lu_diagonal(const block_lu *f,
                               int node); // of a symmetric one the lower triangle counts
// All blocks zero, the upper ones only where they are to be used.
void pawl_block_lu_clear(block_lu *f, bool symmetric);
// In place, from the values written. False where a pivot is zero, negative (symmetric) or not finite. The threads of
// `team` (NULL: none) help where there is enough to do, with the same bits.
bool pawl_block_lu_factor(block_lu *f, bool symmetric, thread_pool *team);
// x (6 x nodes) in place, with the last factor.
void pawl_block_lu_solve(const block_lu *f, double *x);
