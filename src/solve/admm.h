// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Proximal alternating directions (loops Alg. 6, after Carpentier et al.), for the solvers that use
// them. x satisfies the dynamics, y the cones, z (a velocity) is the multiplier of x = y:
//
//   x = -(D + R + (eta + rho) S)^-1 (v_f + s - eta S x - P y - z),   P = rho S,   w x + (1 - w) y -> x
//   y+ = P_K(x - z / P),   z+ = z - P (x - y+),   lambda = y
//
// s = (0, 0, mu |z_T|) on contacts for Coulomb's law (NCP), 0 for its convex relaxation (CCP). S is the
// diagonal preconditioner: the diagonal of D + R, its mean within a contact so that cones stay cones; or 1.
// With acceleration an iteration starts from an extrapolation of the last two (Nesterov; after Goldstein et al.),
// unless its change is larger than the previous one: squared, in the metric of P.
#pragma once
#include "solve/solver_ops.h"

typedef struct admm_variant {
    bool relaxed;      // the convex relaxation: s = 0
    bool precondition; // S
    bool accelerate;
    bool literal;           // also finds the complementarity residual of Algorithm 6
    double eta, relaxation; // eta and w
} admm_variant;

typedef struct admm {
    admm_variant variant;
    double rho;
    int factorizations;
    double *x, *z;             // (rows) y is the caller's
    double *y_from, *z_from;   // (rows) where the iteration starts
    double *y_last, *z_last;   // (rows) what the one before it found
    double *scale, *P, *sigma; // (rows) S; rho S; the shift of the factor
    double *weight;            // (rows) diag(D + R), the mean of a contact's
    double *v;                 // (rows)
    double primal, dual;       // of the last iteration, as velocities: W (x - y), what z misses
    double primal_own,
        dual_own; // x - y of the relaxed x, and P dy + eta S dx, scaled by S: what rules of rho compare
    double complementarity;   // literal: largest |x . z| of a limit or contact, x the relaxed one
    double length;            // largest P |x - y| and P |dy|: how far it went
    double moved, last_moved; // by accelerated iterations: squared, in the metric of P
    double momentum;
} admm;

admm pawl_admm_layout(int max_rows, pawl_carver *mem);
// Scales, and z from the warm start y. rho is not set yet.
void pawl_admm_begin(admm *s, const pawl_problem *p, const admm_variant *variant, const double *y);
// Sets rho and factors. False when memory for a new structure is out.
bool pawl_admm_set_rho(admm *s, const pawl_problem *p, double rho);
// One iteration.
void pawl_admm_iterate(admm *s, const pawl_problem *p, double *y);
// The natural map of y for the problem at work, scaled: a velocity.
double pawl_admm_natural(admm *s, const pawl_problem *p, const double *y);
// Largest eigenvalue of S^-1/2 (D + R) S^-1/2, about; before rho is set.
double pawl_admm_spectral_radius(admm *s, const pawl_problem *p);
