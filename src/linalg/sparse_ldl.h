// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// L D LT of a symmetric positive definite matrix that is given entry by entry, in compressed rows.
// Rows with the same neighbours (the three of a contact, the contacts of one pair of bodies) become
// one node of a block_ldl, so that the work is done in dense blocks; a full matrix is one node.
#pragma once
#include "base/env.h"

typedef struct sparse_ldl sparse_ldl;

// Both triangles and the whole diagonal are in the pattern, columns ascending within a row: row i
// has the entries start[i] to start[i + 1] - 1.
pawl_status pawl_sparse_ldl_create(const pawl_env *env, int row_count, const int *start,
                                   const int *column, sparse_ldl **out);
void pawl_sparse_ldl_destroy(sparse_ldl *ldl); // NULL is fine

// `values` as in the pattern; only one of an entry and its mirror image is read. Pivots below floor
// times their diagonal entry are dropped; returns their number.
int pawl_sparse_ldl_factor(sparse_ldl *ldl, const double *values, double floor);
void pawl_sparse_ldl_solve(sparse_ldl *ldl, double *x);
