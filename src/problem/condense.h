// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A problem without its free rows: these are eliminated exactly, and the remaining problem has only limits and
// contacts, with a dense matrix. On closed loops, and if a light body supports a heavy one, iterations converge only
// because of this elimination.
#pragma once
#include "problem/dense_delassus.h"
#include "problem/eliminate.h"

typedef struct condensed_problem {
    eliminator eliminate;
    dense_delassus matrix;
    problem_block *blocks; // (capacity)
    double *v_f;           // (capacity)
    double *zero;          // (capacity) the compliance is in the matrix
    double *lambda;        // (capacity)
    pawl_problem problem;
    int64_t key; // matrix_key of the problem whose matrix it holds; 0 for none
} condensed_problem;

// `max_rows` of the whole problem, `capacity` of the condensed one.
condensed_problem pawl_condensed_layout(int max_rows, int capacity, pawl_carver *mem);
// Builds r->problem and r->lambda from p and the warm start lambda, whose free part is scratch. Where only v_f has
// changed since the last call (matrix_key), the matrix is kept.
void pawl_condense(condensed_problem *r, const pawl_problem *p, double regularization,
                   double *lambda);
// All impulses of p from r->lambda. Returns the number of iterations.
int pawl_condensed_recover(condensed_problem *r, const pawl_problem *p, double *lambda);
