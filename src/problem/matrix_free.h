// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Solves with D + s using only an operator's products: conjugate gradients, the inverses of the diagonal blocks as
// preconditioner. Nothing is factored and no fill is stored, so memory grows with the rows for any graph; the price
// is more iterations if D + s is ill conditioned.
#pragma once
#include "base/carver.h"
#include "problem/problem.h"

typedef struct matrix_free {
    const pawl_problem *p;
    int row_count, block_count; // of the system: the first of p
    bool follows;               // solves start from the answer before: for a sequence that settles
    double *sigma;              // (rows) s, but for contacts that have blocks
    const double *contacts;     // (9 x contacts) their blocks of s, or NULL
    double *blocks;             // (9 x max contacts) where `contacts` is kept
    double *factors;            // (6 x rows) L D LT of the diagonal blocks of D + s
    double *inverse_d;          // (rows)
    double *padded, *product;   // (all rows)
    double *right, *answer, *scratch;
} matrix_free;

matrix_free pawl_matrix_free_layout(int max_rows, int max_contacts, bool follows, pawl_carver *mem);
// The system of the first blocks of p: s = diag(sigma), on contacts `contacts` where not NULL.
void pawl_matrix_free_set(matrix_free *m, const pawl_problem *p, int block_count,
                          const double *sigma, const double *contacts);
// x in place. Returns the number of iterations.
int pawl_matrix_free_solve(matrix_free *m, double *x);
