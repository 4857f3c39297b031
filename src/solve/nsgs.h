// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Gauss-Seidel sweeps with the exact local solution and Anderson's acceleration, for the solvers that
// build on them.
#pragma once
#include "solve/anderson.h"
#include "solve/solver_ops.h"
#include "solve/sweep.h"

typedef struct nsgs_part {
    sweeper sweeps;
    anderson memory;
    double *weight; // (rows) see pawl_problem_weights
    double *before; // (rows) the point before the last sweep
    double *saved;  // (rows) where to go back to
    double *travel; // (rows) of the last plain sweeps
} nsgs_part;

nsgs_part pawl_nsgs_layout(const solver_def *def, pawl_carver *mem);
// At most `most` sweeps from lambda; s->weight must be set. True when the scaled natural map is at most
// `goal`. Adds the sweeps to *iterations.
bool pawl_nsgs_run(nsgs_part *s, const pawl_problem *p, double goal, int most, double *lambda,
                   int *iterations);
