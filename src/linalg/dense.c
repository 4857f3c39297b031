// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// L D LT of dense symmetric matrices and solves with it, whole or by halves. Sums run in four lanes
// in a fixed order: compilers can vectorize them, and the bits are the same everywhere.
#include "linalg/dense.h"
#include <math.h>
#include <stddef.h>

PAWL_KERNEL static int dense_run_ldl(double *a, int n, int ld, double floor, const double *scale,
                                     double *inverse_d)
{
    return pawl_ldl_kernel(a, n, ld, floor, scale, inverse_d);
}

int pawl_ldl_factor(double *a, int n, int ld, double floor, const double *scale, double *inverse_d)
{
    return dense_run_ldl(a, n, ld, floor, scale, inverse_d);
}

PAWL_KERNEL static void dense_run_combine(const double *a, int count, int ld, int n,
                                          const double *x, double *y)
{
    pawl_combine_kernel(a, count, ld, n, x, y);
}

void pawl_combine(const double *a, int count, int ld, int n, const double *x, double *y)
{
    dense_run_combine(a, count, ld, n, x, y);
}

// x <- L^-1 x
static void ldl_forward_dense(const double *l, int n, int ld, double *x)
{
    for (int i = 1; i < n; ++i) {
        x[i] -= pawl_dot(l + i * ld, x, i);
    }
}

// x <- D^-1/2 L^-1 x. Negative pivots count as dropped.
static void ldl_backward_dense(const double *l, int n, int ld, double *x)
{
    for (int i = n - 1; i > 0; --i) {
        const double *row = l + i * ld;
        double xi = x[i];
        for (int j = 0; j < i; ++j) {
            x[j] -= row[j] * xi;
        }
    }
}

// x <- D^-1/2 x
static void ldl_scale_dense(const double *inverse_d, int n, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] *= sqrt(fmax(inverse_d[i], 0.0));
    }
}

void pawl_ldl_half_solve(const double *l, int n, int ld, const double *inverse_d, double *x)
{
    ldl_forward_dense(l, n, ld, x);
    ldl_scale_dense(inverse_d, n, x);
}

void pawl_ldl_back_solve(const double *l, int n, int ld, const double *inverse_d, double *x)
{
    ldl_scale_dense(inverse_d, n, x);
    ldl_backward_dense(l, n, ld, x);
}

void pawl_ldl_solve(const double *l, int n, int ld, const double *inverse_d, double *x)
{
    ldl_forward_dense(l, n, ld, x);
    for (int i = 0; i < n; ++i) {
        x[i] *= inverse_d[i];
    }
    ldl_backward_dense(l, n, ld, x);
}
