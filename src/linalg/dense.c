// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// L D LT of dense symmetric matrices and solves with it, whole or by halves. Sums run in four lanes
// in a fixed order: compilers can vectorize them, and the bits are the same everywhere.
#include "linalg/dense.h"
#include "base/kernel.h"
#include "linalg/by_size.h"
#include <math.h>
#include <stddef.h>

// a (n x n, rows ld apart): the lower triangle is read and becomes the unit L, without its
// diagonal. A pivot at most `floor` times its scale (the entry of `scale`, else the diagonal before
// elimination) is dropped: its inverse is 0, so the row takes no part in solves. The comparison is
// written so that NaN is dropped, too.
PAWL_KERNEL_PART int dense_ldl(double *restrict a, int n, int ld, double floor,
                               const double *restrict scale, double *restrict inverse_d)
{
    int dropped = 0;
    for (int i = 0; i < n; ++i) {
        double *row = a + i * ld;
        double diagonal = row[i];
        // first row i of X = L D, then L and the pivot
        for (int j = 0; j < i; ++j) {
            row[j] -= pawl_dot(row, a + j * ld, j);
        }
        double pivot = diagonal;
        for (int j = 0; j < i; ++j) {
            double x = row[j];
            row[j] = x * inverse_d[j];
            pivot -= x * row[j];
        }
        if (!(fabs(pivot) > floor * fabs(scale != NULL ? scale[i] : diagonal))) {
            inverse_d[i] = 0.0;
            ++dropped;
        } else {
            inverse_d[i] = 1.0 / pivot;
        }
    }
    return dropped;
}

// Blocks of a sparse factor have few sizes and lie without gaps.
PAWL_KERNEL static int dense_run_ldl(double *a, int n, int ld, double floor, const double *scale,
                                     double *inverse_d)
{
    int dropped = 0;
    if (n == ld && scale != NULL) {
        PAWL_BY_SIZE(n, dropped = dense_ldl(a, N, N, floor, scale, inverse_d))
    } else {
        dropped = dense_ldl(a, n, ld, floor, scale, inverse_d);
    }
    return dropped;
}

int pawl_ldl_factor(double *a, int n, int ld, double floor, const double *scale, double *inverse_d)
{
    return dense_run_ldl(a, n, ld, floor, scale, inverse_d);
}

// x <- L^-1 x
static void ldl_forward_dense(const double *l, int n, int ld, double *x)
{
    for (int i = 1; i < n; ++i) {
        x[i] -= pawl_dot(l + i * ld, x, i);
    }
}

// x <- D^-1/2 L^-1 x. Negative pivots count as dropped.
void pawl_ldl_half_solve(const double *l, int n, int ld, const double *inverse_d, double *x)
{
    ldl_forward_dense(l, n, ld, x);
    for (int i = 0; i < n; ++i) {
        x[i] *= sqrt(fmax(inverse_d[i], 0.0));
    }
}

void pawl_ldl_solve(const double *l, int n, int ld, const double *inverse_d, double *x)
{
    ldl_forward_dense(l, n, ld, x);
    for (int i = 0; i < n; ++i) {
        x[i] *= inverse_d[i];
    }
    for (int i = n - 1; i > 0; --i) {
        const double *row = l + i * ld;
        double xi = x[i];
        for (int j = 0; j < i; ++j) {
            x[j] -= row[j] * xi;
        }
    }
}
