// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Nesterov's accelerated projected gradient method in the velocity space: no factor, two products with Y an iteration.
#pragma once
#include "solve/solver_ops.h"
#include "solve/space_iterate.h"

typedef struct accelerated_part {
    space_iterate at;        // the extrapolated point y with its velocities
    double *next, *previous; // (rows) x of this iteration and of the last one
    double *step;            // (rows) 1 / (L w), by pawl_accelerated_begin()
    double largest;          // eigenvalue of the scaled operator, by pawl_accelerated_begin()
} accelerated_part;

accelerated_part pawl_accelerated_layout(const solver_def *def, pawl_carver *mem);
// Estimates the step length of the problem; once a problem, before the first run.
void pawl_accelerated_begin(accelerated_part *s, const space_problem *q);
// `iterations` of the method from x, which becomes its end whether better or not. Ends early where the natural map
// is within `target` [m/s].
void pawl_accelerated_run(accelerated_part *s, const space_problem *q, double target,
                          int iterations, space_iterate *x, solver_report *report);
