// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The Delassus operator of a problem with contacts only that is given as a matrix, by a file or a caller.
//
// Block compressed rows: contact i has blocks start[i] to start[i + 1] - 1, in ascending order of
// their column contact. The three rows of a contact are stored one after the other, each with the entries of all its
// blocks: the whole is also a matrix of compressed rows of single entries. Both triangles are stored, because sweeps
// access whole rows; D is symmetric, as solvers and the factor require.
#pragma once
#include "problem/problem.h"

// Borrowed: it must outlive the operator.
typedef struct block_matrix {
    int contact_count;
    const int *start;    // (contact_count + 1)
    const int *column;   // (start[contact_count]) contacts
    const double *value; // (9 start[contact_count])
    const int *diagonal; // (contact_count) which block is contact i's own
} block_matrix;

// Index of row r of contact i's block `block`, in `value`.
static inline int block_matrix_entry(const block_matrix *m, int i, int block, int r)
{
    int width = 3 * (m->start[i + 1] - m->start[i]);
    return 9 * m->start[i] + r * width + 3 * (block - m->start[i]);
}
// out (3) = the rows of contact i times x
void pawl_block_matrix_row(const block_matrix *m, int i, const double *x, double *out);
// y = A x
void pawl_block_matrix_apply(const block_matrix *m, const double *x, double *y);

pawl_status pawl_block_delassus_create(const pawl_env *env, const block_matrix *matrix,
                                       pawl_delassus **out);
void pawl_block_delassus_destroy(pawl_delassus *delassus); // NULL is fine
