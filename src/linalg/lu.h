// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// LU of a dense square matrix with partial pivoting, for the matrices that are not symmetric.
#pragma once
#include <stdbool.h>

// In place, row-major (n x n); pivot (n) gets the row exchanged with each. False where a pivot is zero,
// not finite, or less than 1e-14 of the largest entry that its column had.
bool pawl_lu_factor(double *a, int n, int *pivot);
// x = A^-1 x
void pawl_lu_solve(const double *lu, int n, const int *pivot, double *x);
// x = A^-T x
void pawl_lu_solve_transposed(const double *lu, int n, const int *pivot, double *x);
// X = A^-1 X for a matrix of `columns` columns, row-major.
void pawl_lu_solve_columns(const double *lu, int n, const int *pivot, double *X, int columns);
