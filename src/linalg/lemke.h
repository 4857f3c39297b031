// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The linear complementarity problem w = M z + q, w >= 0, z >= 0, w . z = 0, for any dense M.
#pragma once
#include "base/carver.h"

typedef struct lemke {
    int capacity;
    double *tableau; // (n x (n + 1)) columns of the variables that are zero
    double *right;   // (n) values of the others
    int *basic;    // (n) which variable a row holds: w_i is i, z_i is n + i, the artificial one 2n
    int *nonbasic; // (n + 1) which variable a column holds
    int *place;    // (2n + 1) of each variable: its row, or -1 - its column
    int *candidates; // (n) rows of the ratio test
    double *value;   // (n)
    double *error;   // (n + 1)
} lemke;

typedef enum lemke_outcome {
    LEMKE_SOLVED,
    LEMKE_RAY, // no row blocks: for copositive-plus M (positive semidefinite ones are) no answer is
    LEMKE_LIMIT // pivots ran out, or went astray by rounding
} lemke_outcome;

typedef struct lemke_result {
    lemke_outcome outcome;
    int pivots;
} lemke_result;

// Most unknowns; scratch for all problems up to that size.
lemke pawl_lemke_layout(int capacity, pawl_carver *mem);
// z (n) gets the answer; unless solved, where the pivots ended. M is (n x n), row-major. Works best
// with rows and columns scaled so that the diagonal of M is 0 or near 1. A problem that defeats the
// first notion of a tie is tried again with others, max_pivots each.
lemke_result pawl_lemke(lemke *s, const double *M, const double *q, int n, int max_pivots,
                        double *z);
