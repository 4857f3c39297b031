// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Strictly convex quadratic programs on a product of simplices:
//   minimize 1/2 xT (Q + shift 1) x + cT x   where   x >= 0 and each group of x sums to at most 1.
#pragma once
#include "base/carver.h"
#include <stdbool.h>

typedef struct simplex_qp {
    int capacity, max_groups;
    // (n x n) transpose of J, which is L^-T times rotations, Q + shift 1 = L LT; the first q columns of J
    // span the active
    double *JT;
    double *R;       // (n x n) upper triangular: JT N = (R; 0) for the active normals N
    double *factor;  // (n x n) L
    double *d;       // (n) JT times the normal that enters
    double *step;    // (n) direction of x
    double *dual;    // (n) direction of the multipliers
    double *u;       // (n) multipliers of the active constraints
    double *work;    // (n)
    double *c;       // (n) linear term of a round
    int *active;     // (n) constraints: i < n is x_i >= 0, n + g the sum of group g
    bool *is_active; // (n + groups)
} simplex_qp;

typedef struct simplex_qp_problem {
    int n, group_count;
    const int *group_begin; // (group_count + 1) variables of group g: [begin[g], begin[g + 1])
    const double *Q;        // (n x n) symmetric positive semidefinite, row-major
    const double *c;        // (n)
    double shift;           // >= 0
} simplex_qp_problem;

typedef struct simplex_qp_result {
    bool solved;    // else the iterations ran out by rounding, and x is feasible but not the best
    int iterations; // constraints that entered
} simplex_qp_result;

simplex_qp pawl_simplex_qp_layout(int capacity, int max_groups, pawl_carver *mem);
// x (n): in, where warm: its zeros and full groups are the first guess of the active set; out, the
// answer, feasible to the last bit but for the sums, which may exceed 1 by rounding.
simplex_qp_result pawl_simplex_qp_solve(simplex_qp *s, const simplex_qp_problem *p, bool warm,
                                        double *x);
