// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Cholesky factor with pivoting of a matrix that is positive semidefinite but for rounding: the row of which most is
// left, next to what it was, is eliminated next, until what is left is rounding. Relative, because rows of light and
// heavy bodies, of metres and radians, stand side by side.
#pragma once

enum { SEMIDEFINITE_SCRATCH = 4 }; // vectors

// matrix (n x n) = L LT, symmetric. LT (rank x n, at most n x n) gets the transpose, row by row; returns the rank. What
// was each row is its entry of `scale` (n; NULL: the diagonal). scratch: SEMIDEFINITE_SCRATCH x n.
int pawl_semidefinite_factor(const double *matrix, int n, const double *scale, double *scratch,
                             double *LT);
