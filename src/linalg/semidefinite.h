// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Cholesky factor with pivoting of a matrix that is positive semidefinite up to rounding: the next pivot is the row
// with the largest remaining diagonal relative to its original one, until only rounding remains. The measure is
// relative because rows of light and heavy bodies, in metres and radians, are in one matrix.
#pragma once

enum { SEMIDEFINITE_SCRATCH = 4 }; // vectors

// matrix (n x n) = L LT, symmetric. LT (rank x n, at most n x n) gets the transpose, row by row; returns the rank. What
// was each row is its entry of `scale` (n; NULL: the diagonal). scratch: SEMIDEFINITE_SCRATCH x n.
int pawl_semidefinite_factor(const double *matrix, int n, const double *scale, double *scratch,
                             double *LT);
