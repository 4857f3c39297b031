// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// An interior-point method for contacts with Coulomb friction in the velocity space: for heaps that move, where
// nothing is known of which contacts open, stick or slip.
#pragma once
#include "solve/space_law.h"

typedef struct interior_part {
    space_law law;
    space_iterate at;         // of the cone variables, and what is left of it made admissible
    double *X, *Y;            // (3 x contacts) in Lorentz's cone, normal first
    double *dX, *dY;          // (3 x contacts) of the predictor, then of the step
    double *scaled;           // (3 x contacts) W X = W^-1 Y
    double *W;                // (4 x contacts) eta and the unit vector w of the scaling
    double *low, *low_v;      // (rows) lambda - lower and its multiplier
    double *high, *high_v;    // (rows) upper - lambda likewise
    double *dlow_v, *dhigh_v; // (rows)
    double *dx;               // (rows) of the predictor
    double gap;               // mean of X . Y
    bool frozen;              // De Saxce's term has no derivative in the step at hand
    int frozen_steps;         // of this start
    int stalled;              // short steps in a row
    int cones;
} interior_part;

interior_part pawl_interior_layout(const solver_def *def, pawl_carver *mem);
// A start from nothing.
void pawl_interior_begin(interior_part *s, const space_problem *q);
// Goes on until the natural map is within `target`, or stalls, or did `most` steps; x is replaced by what is better.
bool pawl_interior_run(interior_part *s, const space_problem *q, double target, int most,
                       space_iterate *x, solver_report *report);
