// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Dense linear algebra to judge the engine's by: slow, plain, other methods than the engine's.
// Matrices are row-major, n x n.
#pragma once

enum { DENSE_MAX = 80 };

// Solves A x = b by Gaussian elimination with partial pivoting; A is kept, x may be b. Returns the
// smallest pivot over the largest, 0 when A is singular.
double dense_solve(const double *A, int n, const double *b, double *x);
// Eigenvalues and eigenvectors (columns of V) of a symmetric matrix by Jacobi rotations.
void dense_eigen(const double *A, int n, double *values, double *V);
// x = A^+ b for a symmetric semidefinite A: the solution of least 2-norm (and least residual).
// Eigenvalues below `cut` times the largest count as zero; returns how many are kept.
int dense_pseudo_solve(const double *A, int n, double cut, const double *b, double *x);
// C = A B, m x k times k x n.
void dense_product(const double *A, const double *B, int m, int k, int n, double *C);
