// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Exact elimination of the free rows.
//
// Redundant rows make D singular. The factor is of D + R + eps diag(D + R), and proximal steps
// lambda += (D + R + eps diag)^-1 (b - (D + R) lambda) from lambda = 0 take the shift out again. They
// converge to the solution of least norm, sum of D_ii lambda_i^2, because all iterates stay in the
// range of D; an inconsistent part of b (which no lambda can meet) stops them. Where the joints
// form a forest nothing can be redundant: eps is 0 and one solve is exact.
#pragma once
#include "base/carver.h"
#include "problem/problem.h"

typedef struct eliminator {
    double *residual, *step, *product, *right; // (max_rows)
    double *reduced;                   // S, (bounded x bounded), row-major
    double *reduced_v;                 // velocity of the bounded rows without their impulses
    int bounded_capacity;
} eliminator;

eliminator pawl_eliminator_layout(int max_rows, int free_rows, pawl_carver *mem);

// Factors the free rows of p.
void pawl_eliminate_factor(const pawl_problem *p, double regularization);
// Solves (D + R) x = b over the free rows; x must not be b. Returns the number of solves.
int pawl_eliminate_solve(eliminator *e, const pawl_problem *p, const double *b, double *x);
// Reduces the problem to its bounded rows: S and reduced_v. lambda is scratch (rows).
void pawl_eliminate_reduce(eliminator *e, const pawl_problem *p, double *lambda);
// Impulses of the free rows, from those of the bounded rows that stand in lambda already. Returns
// the number of solves.
int pawl_eliminate_recover(eliminator *e, const pawl_problem *p, double *lambda);
