// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// All eigenvalues of a dense symmetric matrix, for measuring problems rather than for steps.
#pragma once

// A (n x n, row by row, symmetric) is destroyed. values (n) get the eigenvalues, largest first; scratch (n).
void pawl_symmetric_eigenvalues(double *A, int n, double *values, double *scratch);
