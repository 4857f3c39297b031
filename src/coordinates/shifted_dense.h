// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// (D + s)^-1 over all rows with a dense D: for problems of few rows, where a dense factor is faster than a sparse
// one.
#pragma once
#include "rows/row_set.h"

typedef struct shifted_dense shifted_dense;
// `room` for so many rows from the start; more is taken when a problem needs it.
pawl_status pawl_shifted_dense_create(const pawl_env *env, int room, shifted_dense **out);
void pawl_shifted_dense_destroy(shifted_dense *f);
// s = diag(sigma), on contacts `contacts` (9 each) where it is not NULL. False when memory is out.
bool pawl_shifted_dense_update(shifted_dense *f, const row_set *rows, const double *sigma,
                               const double *contacts);
void pawl_shifted_dense_solve(shifted_dense *f, double *x);
