// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sparse L D LT of a symmetric positive definite block matrix. Nodes are constraint blocks of any
// small size; edges are their couplings. The order (approximate minimum degree, SuiteSparse's AMD)
// and the fill are computed once per graph; factoring and solving then neither search nor allocate. A single node of
// any size is the dense case.
#pragma once
#include "base/env.h"
#include <stdbool.h>

typedef struct block_ldl block_ldl;

// One coupling of two different nodes; either order, duplicates are fine.
typedef struct block_edge {
    int a, b;
} block_edge;

// `dim` (node_count) sizes; vectors hold the nodes' entries one after another in node order.
pawl_status pawl_block_ldl_create(const pawl_env *env, int node_count, const int *dim,
                                  const block_edge *edges, int edge_count, block_ldl **out);
// The same with leading nodes (`leads` by node, NULL: none): they are eliminated first without changing other blocks,
// because their contributions were not added to those blocks. No two of them are coupled.
pawl_status pawl_block_ldl_create_led(const pawl_env *env, int node_count, const int *dim,
                                      const block_edge *edges, int edge_count, const bool *leads,
                                      block_ldl **out);
void pawl_block_ldl_destroy(block_ldl *ldl);
// Another graph for the same object, whose memory only grows: once graphs as large have been planned,
// nothing is allocated. Values are lost. On failure the object has no graph until a plan succeeds.
pawl_status pawl_block_ldl_plan(block_ldl *ldl, int node_count, const int *dim,
                                const block_edge *edges, int edge_count);

// Where block (a, b) is stored: entry (r, c) of it is at offset + r * stride when not transposed
// (r rows of a, c columns of b), else with r and c exchanged. Of diagonal blocks only the lower
// triangle is read.
typedef struct block_slot {
    int offset, stride;
    bool transposed;
} block_slot;
block_slot pawl_block_ldl_slot(const block_ldl *ldl, int a, int b);
double *pawl_block_ldl_values(block_ldl *ldl); // of all blocks
size_t pawl_block_ldl_value_count(const block_ldl *ldl);

// In place, from the values last written. Pivots below floor times their diagonal entry, as it was
// written, are dropped (see pawl_ldl_factor); returns their number.
int pawl_block_ldl_factor(block_ldl *ldl, double floor);
void pawl_block_ldl_solve(const block_ldl *ldl, double *x);
// x <- D^-1/2 L^-1 x, of positive pivots: products of two such are those with the inverse.
void pawl_block_ldl_half_solve(const block_ldl *ldl, double *x);
// x <- L^-T D^-1/2 x: what is left of a solve after that.
void pawl_block_ldl_back_solve(const block_ldl *ldl, double *x);

// Parts: nodes that no path joins are in different ones, numbered by their first nodes. Each can be
// factored and solved with alone, several at a time by several threads; the result has the same bits as that of the
// whole. A vector of a part holds the entries of its nodes alone, in node order.
int pawl_block_ldl_part_count(const block_ldl *ldl);
int pawl_block_ldl_part(const block_ldl *ldl, int node);
int pawl_block_ldl_part_row(const block_ldl *ldl,
                            int node); // where the node begins in such a vector
// Zeroes for the blocks of the factor that no edge gave, for callers that write all others.
void pawl_block_ldl_clear_fill(block_ldl *ldl, int part);
int pawl_block_ldl_factor_part(block_ldl *ldl, int part, double floor);
// Of the factors of a part from now on, so many rows at the end of each node, loose (nodes), take no part: their diagonal
// entries are so large that they neither change anything nor get an unknown that is not next to 0.
void pawl_block_ldl_loosen(block_ldl *ldl, int part, const int *loose);
// The least pivot of the last factor that was not dropped, relative to its diagonal entry.
double pawl_block_ldl_least_pivot(const block_ldl *ldl, int part);
void pawl_block_ldl_solve_part(const block_ldl *ldl, int part, double *x);
void pawl_block_ldl_half_solve_part(const block_ldl *ldl, int part, double *x);
void pawl_block_ldl_back_solve_part(const block_ldl *ldl, int part, double *x);

// Half solves of `count` vectors of a part, `stride` apart, that are zero but in the nodes that were marked since the
// last call: along the paths from these to the root of the elimination tree, where alone the answers are not zero.
// `whole`: the vectors are of all rows, not of those of the part. Sets first row and length of each run of rows that
// was written, with `offset` added; returns their number.
typedef struct block_run {
    int first, count;
} block_run;
void pawl_block_ldl_mark(block_ldl *ldl, int node);
int pawl_block_ldl_half_marked(block_ldl *ldl, int part, bool whole, int count, double *x,
                               int stride, block_run *runs);
