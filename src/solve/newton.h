// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Newton's method on the smoothed friction problem, for the solvers that build on it.
#pragma once
#include "linalg/gmres.h"
#include "solve/solver_ops.h"

typedef struct newton_part {
    gmres krylov;
    double *v, *image;            // (rows) velocities, and the matrix times the step
    double *trial, *trial_v;      // (rows)
    double *right, *step, *sigma; // (rows)
    double *G, *metric;           // (9 x contacts) of the system, and symmetric
    double *diagonal;             // (rows) of the rows that are not contacts
    double *point;                // (rows) where the iteration is
    double *soft;                 // (rows) compliance, with what holds impulses where they are
} newton_part;

newton_part pawl_newton_layout(const solver_def *def, pawl_carver *mem);
// From lambda, with smoothing tau relative to the problem's own scale; lambda gets the best point seen.
// True when the scaled natural map is at most `goal`. Adds the Newton steps to *iterations.
bool pawl_newton_run(newton_part *s, const pawl_problem *p, const double *weight, double tau,
                     double goal, int most, double *lambda, int *iterations);
