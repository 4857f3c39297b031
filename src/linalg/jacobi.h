// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One-sided Jacobi rotations (Hestenes 1958): singular values of a few vectors to full relative
// accuracy, where a Gram matrix would not resolve values below the root of the rounding error.
#pragma once

// Rotates the `count` vectors y (count x length) among each other until they are orthogonal, and the
// vectors u (count x n) with them; then sorts both by the norms of y, smallest first, which go to
// sigma. With y_k = A u_k and orthonormal u this is the Rayleigh-Ritz method for A.
void pawl_jacobi_rotate(int count, int length, double *y, int n, double *u, double *sigma);
// Modified Gram-Schmidt, twice. A vector of which no more than `dependent` is left becomes zero.
void pawl_orthonormalize(int count, int n, double dependent, double *x);
