// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// An interior-point method for contacts with Coulomb friction in the velocity space: for moving heaps, where the
// modes of the contacts (open, stick, slip) are unknown.
#pragma once
#include "solve/space_law.h"

// How a path is followed. A problem whose path turns back from one start is often solved from another: the full system
// is not monotone, and paths from far away that keep to the middle of the cones meet fewer turns, for more steps.
typedef struct interior_manner {
    double start;    // distance of the start from the cones' tips, in units of the free motion
    double cut;      // of the way to the cone's boundary that a step may go
    double centring; // least share of the gap that a step aims at
    int frozen;      // steps with De Saxce's term frozen, at most
} interior_manner;
extern const interior_manner pawl_interior_quick;

typedef struct interior_part {
    interior_manner manner;
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
void pawl_interior_begin(interior_part *s, const space_problem *q, const interior_manner *manner);
// Goes on until the natural map is within `target`, or stalls, or did `most` steps; x is replaced by what is better.
bool pawl_interior_run(interior_part *s, const space_problem *q, double target, int most,
                       space_iterate *x, solver_report *report);

// For those who follow the path in another way (interior_path.h): mu with a cap, G^-1 of a contact in the order of its
// rows, and lambda of the cone variables.
double pawl_interior_friction(const pawl_problem *p, int k);
void pawl_interior_inverse(const double *W, double mu, double G[9]);
void pawl_interior_impulses(interior_part *s, const pawl_problem *p);
