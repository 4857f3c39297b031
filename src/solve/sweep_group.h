// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A sweep in the velocity space over four contacts without a common body, one per lane. Sums run lane by lane in the
// same order on every vector unit, so the bits do not depend on the compiler.
#pragma once
#include <stdint.h>

enum { SWEEP_LANES = 4, SWEEP_WIDTH = 6 };

// Every array has the lanes last. Lanes without a contact have no bodies, and open.
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

// What lanes are made of: Y (3 x 6) of both bodies, NULL for none.
typedef struct sweep_source {
    const double *Ya[SWEEP_LANES], *Yb[SWEEP_LANES];
} sweep_source;

// Fills Y, and D with what follows from it; the other arrays are set already. A contact that no impulse can move
// becomes an empty lane; `nobody` is the velocity that belongs to none.
void pawl_sweep_group_fill(sweep_group *g, const sweep_source *from, int nobody);
// w += YT lambda of all of them.
void pawl_sweep_groups_push(const sweep_group *groups, int count, double *w);
// The largest entry of the natural map [m/s].
double pawl_sweep_groups_natural(const sweep_group *groups, int count, const double *w);
// One sweep: each group in turn is solved exactly with the others constant.
void pawl_sweep_groups_solve(sweep_group *groups, int count, double *w);
