// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Root of a function of one variable within a bracket (Brent 1973): inverse quadratic interpolation and
// secants as long as they converge faster than halving would, halving otherwise.
#pragma once

typedef double (*brent_function)(double x, void *user);

typedef struct brent_root {
    double x;     // the end of the last bracket with the smaller |f|
    double f;     // there
    double other; // the other end of the bracket: f has another sign there, or is zero
    int evaluations;
} brent_root;

// f must have different signs at a and b (zero counts as either); fa and fb are its values there, which are not
// computed again. Ends when the bracket is no longer than `tolerance` plus a few units of rounding of x, or when f(x)
// is zero. A function that jumps is bracketed down to its jump. Never evaluates outside the bracket.
brent_root pawl_brent(brent_function f, void *user, double a, double fa, double b, double fb,
                      double tolerance);
