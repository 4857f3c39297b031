// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Gauss-Seidel sweeps in the velocity space, for steps whose cost must be bounded (solver.budget).
//
// Contacts get colours such that two of one colour share no body; those of a colour do not see each other, so that
// four of them are solved side by side, a lane each. Colours follow from the order of the contacts alone, sums
// run lane by lane in the same order, and what the compiler makes of the lanes does not change a bit.
#pragma once
#include "solve/solver_ops.h"
#include "solve/space_iterate.h"

enum { SWEEP_LANES = 4 };

// Four contacts side by side; every array has the lanes last.
typedef struct sweep_group {
    double Ya[18][SWEEP_LANES], Yb[18][SWEEP_LANES]; // of the first and the second body, 0 for none
    double D[6][SWEEP_LANES];                        // xx xy yy xn yn nn, compliance included
    double inverse[SWEEP_LANES];                     // of nn
    double S[3][SWEEP_LANES];                        // D of the tangents with the normal held
    double v_f[3][SWEEP_LANES], lambda[3][SWEEP_LANES];
    double R[3][SWEEP_LANES];
    double mu[SWEEP_LANES], kappa[SWEEP_LANES]; // kappa: of the slip in the sweep before
    int a[SWEEP_LANES], b[SWEEP_LANES]; // first velocity of the bodies, or of one that nobody is
    int contact[SWEEP_LANES];           // -1 for none
} sweep_group;

typedef struct space_sweeper {
    sweep_group *groups; // (max contacts)
    int group_count;
    int *color;       // (max contacts)
    int *color_start; // (max contacts + 1)
    int *order;       // (max contacts)
} space_sweeper;

space_sweeper pawl_space_sweeper_layout(const solver_def *def, pawl_carver *mem);
// `sweeps` sweeps from x, whose velocities and residuals are then those of its end.
void pawl_space_sweep(space_sweeper *s, const space_problem *q, int sweeps, space_iterate *x);
