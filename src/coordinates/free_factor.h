// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The factor of D + R on the free rows (joints, springs, prescribed motions), sparse over their blocks or, for few
// rows, dense.
//
// The rows fall into parts that share no body that can move: the mechanisms of a model. A part can be factored and
// solved separately, by any thread, with the same bits as in the whole.
#pragma once
#include "linalg/block_ldl.h"
#include "pawl/settings.h"
#include "rows/assembly.h"

typedef struct free_factor free_factor;
// Dense, sparse or, with PAWL_DELASSUS_AUTO, as suits the rows. A dense factor is one part.
pawl_status pawl_free_factor_create(const pawl_env *env, const pawl_assembly *a,
                                    pawl_delassus_kind kind, free_factor **out);
void pawl_free_factor_destroy(free_factor *f);
// Two factors of the same rows with different compliances: where both are found at one placement the second one begins
// with the matrix that the first one formed. `second` owns what they share and is destroyed last. Of several
// parts, which threads may factor side by side, nothing is shared.
pawl_status pawl_free_factor_share(free_factor *first, free_factor *second);

// D + R + shift diag(D + R), from what the assembly was last placed to. Returns how many pivots were
// dropped.
//
// With `drops` a part in which exactly as many rows as expected depend on others, and all others are far from it, is not
// shifted: the dependent rows are dropped, and one solve is exact. Near other singular positions it is shifted as ever.
int pawl_free_factor_update(free_factor *f, const double *compliance, double shift, bool drops);
void pawl_free_factor_expect(free_factor *f, int part, int redundant);
void pawl_free_factor_expect_as(free_factor *f, const free_factor *other);
// The least pivot of factors that dropped redundant rows, of the row's own diagonal entry; 1 where none did.
double pawl_free_factor_least_pivot(const free_factor *f);
bool pawl_free_factor_dropped(const free_factor *f, int part); // and is exact
void pawl_free_factor_solve(const free_factor *f, double *x);
void pawl_free_factor_half_solve(const free_factor *f, double *x); // see pawl_delassus_ops
void pawl_free_factor_back_solve(const free_factor *f, double *x);

int pawl_free_factor_part_count(const free_factor *f);
int pawl_free_factor_part(const free_factor *f, int block);
// The free blocks, part by part, in their own order within a part: the order of a part's vectors.
const int *pawl_free_factor_order(const free_factor *f);
const int *pawl_free_factor_part_blocks(const free_factor *f, int part, int *count);
// The factor of a part, unless it has one for `key` since the last update of all. `compliance` and x
// hold the rows of the part alone.
int pawl_free_factor_update_part(free_factor *f, int part, int64_t key, const double *compliance,
                                 double shift, bool drops);
void pawl_free_factor_solve_part(const free_factor *f, int part, double *x);
// Half solves of several vectors along the paths of the blocks that were marked; see pawl_block_ldl_half_marked().
// Not for a dense factor, which has no paths.
bool pawl_free_factor_is_dense(const free_factor *f);
void pawl_free_factor_mark(free_factor *f, int block);
int pawl_free_factor_half_marked(free_factor *f, int part, bool whole, int count, double *x,
                                 int stride, block_run *runs);
void pawl_free_factor_half_solve_part(const free_factor *f, int part, double *x);
void pawl_free_factor_back_solve_part(const free_factor *f, int part, double *x);
