// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Newton's method along a path of regularized problems, for problems of few rows.
#pragma once
#include "solve/solver_ops.h"

typedef struct continuation_part {
    int capacity;               // rows; larger problems are not tried
    double *D, *J;              // (capacity x capacity) scaled matrix, and Newton's
    int *pivot;                 // (capacity)
    double *scale, *q;          // (capacity) of impulses, and free velocities, scaled
    double *lower, *upper;      // (capacity) scaled
    double *x, *y, *f;          // (capacity) impulses, velocities, and what should be zero
    double *last;               // (capacity) x of the last eps that was solved
    double *step, *trial;       // (capacity)
    double *impulse, *velocity; // (capacity) in the problem's units
} continuation_part;

continuation_part pawl_continuation_layout(const solver_def *def, pawl_carver *mem);
// False when the problem is too large or the path is lost. True when the scaled natural map is at most
// `goal`. lambda gets the best point seen, itself included. Adds the Newton steps to *iterations.
bool pawl_continuation_run(continuation_part *s, const pawl_problem *p, const double *weight,
                           double goal, int most, double *lambda, int *iterations);
