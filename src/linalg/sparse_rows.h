// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A sparse matrix in compressed rows, built from entries in any order.
#pragma once
#include "pawl/contact_problem.h"

typedef struct sparse_rows {
    int rows, columns;
    int *start;    // (rows + 1)
    int *column;   // (start[rows]) ascending within a row
    double *value; // (start[rows])
    void *block;
    size_t bytes;
} sparse_rows;

typedef enum sparse_rows_shape {
    SPARSE_ROWS_PLAIN,
    SPARSE_ROWS_TRANSPOSED,
    SPARSE_ROWS_SYMMETRIC // the pattern has mirror images and the diagonal, with zeros if need be
} sparse_rows_shape;

// The entries' rows and columns are within the matrix.
pawl_status pawl_sparse_rows_create(const pawl_env *env, const pawl_triplets *entries,
                                    sparse_rows_shape shape, sparse_rows *out);
void pawl_sparse_rows_free(const pawl_env *env, sparse_rows *m);
// y = A x
void pawl_sparse_rows_apply(const sparse_rows *m, const double *x, double *y);
// y = AT x
void pawl_sparse_rows_apply_transposed(const sparse_rows *m, const double *x, double *y);
