// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Exact elimination of the free rows.
//
// Redundant rows make A = D + R singular. The factor is of P = A + eps diag(A), and refinement, lambda += P^-1 (b - A
// lambda), removes the effect of the shift: two or three solves if all directions of A are either redundant or well
// conditioned. Nearly redundant directions (a linkage passing through its flat position), or a factor of a nearby
// pose, slow refinement down; conjugate residuals with P as preconditioner then continue from its last iterate, with
// one iteration for each such direction. A part of b that no lambda can satisfy (contradicting rows) remains: it does
// not disturb conjugate residuals, unlike conjugate gradients. It only adds a component in the null space to lambda,
// along P^-1 times the remaining residual, which is removed at the end: lambda is the solution of least norm, the sum
// of A_ii lambda_i^2. If the joints form a forest no row is redundant: eps is 0 and one solve is exact.
#pragma once
#include "base/carver.h"
#include "problem/problem.h"

typedef enum eliminate_halves_of {
    ELIMINATE_NO_HALVES,
    ELIMINATE_ROWS,  // of D_fb
    ELIMINATE_BODIES // of the bodies that the bounded rows act on
} eliminate_halves_of;

typedef struct eliminator {
    double *residual, *step, *product, *right; // (max_rows)
    bool has_product; // of D and the answer of the last solve, over all rows, in `product`
    double *conditioned, *direction, *image, *kept; // (max_rows)
    double *columns;                                // (3 x max_rows) of a block
    problem_block *runs;                            // (max_rows) of a block's columns
    double *half; // (ELIMINATE_HALF at most) half solves of the columns of all bounded rows
    size_t half_size;
    eliminate_halves_of halves_of; // what the problem that was condensed last left in `half`
    double *forward;               // (max_rows) the half solve of the free rows' v_f
    bool has_forward;              // of the problem at work; pawl_eliminate_complete() takes it
    double *Y;                     // (m x rank) for a factor of S; NULL: not wanted
    int rank;                      // of Y; -1: the last problem left none
} eliminator;

// `max_condensed`: most rows that are not free, of problems that will be condensed.
eliminator pawl_eliminator_layout(int max_rows, int max_condensed, pawl_carver *mem);

// Factors the free rows of p, unless the present factor belongs to them.
void pawl_eliminate_factor(const pawl_problem *p, double regularization);
// Whether the present factor is that of p's own free rows, without a shift: one solve is then exact except for
// rounding.
bool pawl_eliminate_is_exact(const pawl_problem *p);
// Solves (D + R) x = b over the free rows, once without looking (accuracy 1), or until the largest residual is `accuracy` times the largest
// entry of b; x must not be b. Returns the number of iterations.
int pawl_eliminate_solve(eliminator *e, const pawl_problem *p, const double *b, double accuracy,
                         double *x);
// Condenses p to the m rows that are not free: their matrix S (m x m), R included. lambda (rows) and v (m) are scratch.
void pawl_eliminate_condense(eliminator *e, const pawl_problem *p, double *lambda, double *S,
                             double *v);
// v (m): the velocities of those rows without their own impulses. lambda is scratch (rows).
void pawl_eliminate_velocity(eliminator *e, const pawl_problem *p, double *lambda, double *v);
// Impulses of the free rows, from those of the bounded rows that stand in lambda already. Returns
// the number of iterations. The second one goes on from
// pawl_eliminate_velocity() of the same problem, if that was called.
int pawl_eliminate_recover(eliminator *e, const pawl_problem *p, double accuracy, double *lambda);
int pawl_eliminate_complete(eliminator *e, const pawl_problem *p, double accuracy, double *lambda);
