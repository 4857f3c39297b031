// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The dense box problem: w = S y + q, lower <= y <= upper, w complementary to the bounds.
#pragma once
#include "base/carver.h"
#include <stdbool.h>

typedef struct box_pivot {
    double *matrix;    // (n x n) scratch for the free part of S
    double *inverse_d; // (n)
    double *x;         // (n)
    int *index;        // (n) which variables are free
    signed char *side; // (n) -1 at the lower bound, 0 free, 1 at the upper
    bool *tried;       // (n) rows that need not be put at a bound for repeating others
} box_pivot;

box_pivot pawl_box_pivot_layout(int max_rows, pawl_carver *mem);
// Solves by principal pivoting, exactly but for w of the wrong sign up to `nothing`, a thousand times that where rows
// repeat each other, 0 for none: where rows nearly
// repeat each other, as the limits of a linkage that they jam, rounding in q would be answered by impulses without
// bound. y holds the guess and the answer. Returns the number of pivots, or -1 when max_pivots
// were not enough.
int pawl_box_pivot(box_pivot *s, const double *S, int n, const double *q, const double *lower,
                   const double *upper, double nothing, int max_pivots, double *y);
