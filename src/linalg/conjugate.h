// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Preconditioned conjugate gradients for A x = b, A symmetric positive definite and known only by its products. Sums
// run in a fixed order, so the bits are always the same.
#pragma once

typedef struct conjugate_system {
    void *user;
    void (*product)(void *user, const double *x, double *y);      // y = A x
    void (*precondition)(void *user, const double *x, double *y); // y ~ A^-1 x, symmetric
} conjugate_system;

enum { CONJUGATE_VECTORS = 4 };
// x: a first guess in, the answer out; scratch is CONJUGATE_VECTORS x n. Ends when the residual, by
// the recurrence and in the preconditioner's norm, is `accuracy` times that of b, or after
// max_iterations. Returns the number of iterations.
int pawl_conjugate_gradients(const conjugate_system *system, int n, const double *b,
                             double accuracy, int max_iterations, double *x, double *scratch);
