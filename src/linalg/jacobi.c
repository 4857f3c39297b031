// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Singular values by one-sided Jacobi rotations (Hestenes 1958): columns are rotated in pairs until
// all are orthogonal. Small singular values keep full relative accuracy, which the decision on redundant rows needs.
//
// The matrix has `count` columns of `length` entries, stored one after the other in y. The
// rotations are applied to the `count` vectors u of n entries as well. A method by the normal
// equations would square the condition number and lose all singular values below 1e-8 of the
// largest.
#include "linalg/jacobi.h"
#include "linalg/dense.h"
#include <math.h>
#include <stdbool.h>

enum { JACOBI_SWEEPS = 30 };
static const double jacobi_orthogonal = 1e-15; // cosine that counts as zero

static void jacobi_turn(double *a, double *b, int n, double c, double s)
{
    for (int i = 0; i < n; ++i) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

static void jacobi_swap(double *a, double *b, int n)
{
    for (int i = 0; i < n; ++i) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

// One pass over all pairs; true when there was nothing left to turn.
// The rotation of smaller angle (|t| <= 1) makes columns p and q orthogonal; it is the one for
// which sweeps converge. Zero columns have ab = 0 and are skipped.
static bool jacobi_sweep(int count, int length, double *y, int n, double *u)
{
    bool done = true;
    for (int p = 0; p < count; ++p) {
        for (int q = p + 1; q < count; ++q) {
            double *a = y + p * length, *b = y + q * length;
            double aa = pawl_dot(a, a, length), bb = pawl_dot(b, b, length);
            double ab = pawl_dot(a, b, length);
            if (!(fabs(ab) > jacobi_orthogonal * sqrt(aa * bb))) {
                continue;
            }
            done = false;
            double zeta = (bb - aa) / (2.0 * ab);
            double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
            double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
            jacobi_turn(a, b, length, c, s);
            jacobi_turn(u + p * n, u + q * n, n, c, s);
        }
    }
    return done;
}

// sigma (count) ascends: weak directions come first.
void pawl_jacobi_rotate(int count, int length, double *y, int n, double *u, double *sigma)
{
    for (int sweep = 0; sweep < JACOBI_SWEEPS; ++sweep) {
        if (jacobi_sweep(count, length, y, n, u)) {
            break;
        }
    }
    for (int k = 0; k < count; ++k) {
        sigma[k] = sqrt(pawl_dot(y + k * length, y + k * length, length));
    }
    for (int k = 1; k < count; ++k) { // insertion: they are nearly sorted as a rule
        for (int i = k; i > 0 && sigma[i] < sigma[i - 1]; --i) {
            jacobi_swap(sigma + i, sigma + i - 1, 1);
            jacobi_swap(y + i * length, y + (i - 1) * length, length);
            jacobi_swap(u + i * n, u + (i - 1) * n, n);
        }
    }
}

// Gram-Schmidt in two passes, which is enough for orthogonality to rounding. A vector of which less
// than `dependent` remains becomes zero instead of normalized noise.
void pawl_orthonormalize(int count, int n, double dependent, double *x)
{
    for (int k = 0; k < count; ++k) {
        double *v = x + k * n;
        double before = sqrt(pawl_dot(v, v, n));
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < k; ++j) {
                const double *w = x + j * n;
                double s = pawl_dot(v, w, n);
                for (int i = 0; i < n; ++i) {
                    v[i] -= s * w[i];
                }
            }
        }
        double after = sqrt(pawl_dot(v, v, n));
        double scale = after > dependent * before ? 1.0 / after : 0.0;
        for (int i = 0; i < n; ++i) {
            v[i] *= scale;
        }
    }
}
