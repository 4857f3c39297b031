// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Gauss-Seidel sweeps over the blocks of a problem (loops Alg. 5), for the solvers that use them.
#pragma once
#include "base/carver.h"
#include "problem/problem.h"

// How a sweep solves one contact for the newest impulses of the others.
typedef enum sweep_local {
    SWEEP_NCP_STEP, // one projected step
    SWEEP_EXACT     // Signorini and Coulomb exactly
} sweep_local;

typedef struct sweeper {
    double *factors;   // one dim x dim factor a block, of capacity max_block_dim^2 each
    double *inverse_d; // (rows) pivots of the factors
    double *change;    // (max_block_dim)
    int dim;           // max_block_dim
} sweeper;

sweeper pawl_sweeper_layout(int max_rows, int max_blocks, int max_block_dim, pawl_carver *mem);
// Before sweeps of p by its operator: local matrices, and the operator's memory of lambda.
void pawl_sweep_begin(sweeper *s, const pawl_problem *p, const double *lambda);
// One sweep over all blocks; returns the largest velocity found wanting.
double pawl_sweep(sweeper *s, const pawl_problem *p, sweep_local local, double *lambda);
// The scaled natural map of lambda, from the operator's memory of the sweeps: what the judge will say.
double pawl_sweep_natural(sweeper *s, const pawl_problem *p, const double *weight,
                          const double *lambda);
