// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Gauss-Seidel sweeps over the blocks of a problem (loops Alg. 5), for the solvers that use them.
#pragma once
#include "base/carver.h"
#include "problem/problem.h"

// How a sweep solves one contact for the newest impulses of the others.
typedef enum sweep_local {
    SWEEP_NCP_STEP,     // one projected step, normal and then tangent
    SWEEP_EXACT,        // Signorini and Coulomb exactly
    SWEEP_CCP_STEP,     // one projected step onto the cone, of the convex relaxation
    SWEEP_NB_QUARTIC,   // least energy on the slip conic, by its quartic
    SWEEP_NB_BISECTION, // the same by bisection
    SWEEP_NB_DE_SAXCE,  // the same with De Saxce's correction for the velocity that it finds
    SWEEP_PROX          // as the NCP step, with a step length that each contact adapts
} sweep_local;

// What pawl_sweep_measure() takes of the contacts.
typedef enum sweep_measure {
    SWEEP_NATURAL,         // their natural map, as the judge
    SWEEP_NATURAL_RELAXED, // that of the convex relaxation
    SWEEP_NATURAL_OTHERS   // nothing: only the other rows are measured
} sweep_measure;

typedef struct sweeper {
    double *factors;   // one dim x dim factor a block, of capacity max_block_dim^2 each
    double *inverse_d; // (rows) pivots of the factors
    double *change;    // (2 x max_block_dim)
    double *memory;    // (2 x blocks) what a contact's local solver remembers from sweep to sweep
    int dim;           // max_block_dim
    bool literal;      // steps as published; false after pawl_sweep_begin()
    double relaxation; // omega; 1 after pawl_sweep_begin()
    double descent;    // change of 1/2 l' (D + R) l + l' v_f over the last sweep
    double work;       // sum of |l_i v_i| over what slid in it: rounding changes descent by a share
} sweeper;

sweeper pawl_sweeper_layout(int max_rows, int max_blocks, int max_block_dim, pawl_carver *mem);
// Before sweeps of p by its operator: local matrices, and the operator's memory of lambda.
void pawl_sweep_begin(sweeper *s, const pawl_problem *p, const double *lambda);
// One sweep over all blocks; returns the largest velocity found wanting.
double pawl_sweep(sweeper *s, const pawl_problem *p, sweep_local local, double *lambda);
// The scaled natural map of lambda, from the operator's memory of the sweeps.
double pawl_sweep_measure(sweeper *s, const pawl_problem *p, sweep_measure measure,
                          const double *weight, const double *lambda);
// v (rows) of lambda, from the same memory.
void pawl_sweep_velocities(const pawl_problem *p, const double *lambda, double *v);
// The residual as the judge computes it.
static inline double pawl_sweep_natural(sweeper *s, const pawl_problem *p, const double *weight,
                                        const double *lambda)
{
    return pawl_sweep_measure(s, p, SWEEP_NATURAL, weight, lambda);
}
