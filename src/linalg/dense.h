// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Small dense kernels. Sums run over four lanes in a fixed order, so that they vectorize and
// still give the same bits everywhere.
#pragma once
#include "math/lanes.h"
#include <math.h>
#include <stddef.h>

PAWL_KERNEL_PART double pawl_dot(const double *a, const double *b, int n)
{
    lanes sum = LANES_ALL(0.0);
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        sum += LANES_LOAD(a + i) * LANES_LOAD(b + i);
    }
    double first = sum[0];
    for (; i < n; ++i) {
        first += a[i] * b[i];
    }
    return (first + sum[1]) + (sum[2] + sum[3]);
}

// y += a x
PAWL_KERNEL_PART void pawl_axpy(double a, const double *restrict x, double *restrict y, int n)
{
    lanes all = LANES_ALL(a);
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        LANES_STORE(y + i, LANES_LOAD(y + i) + all * LANES_LOAD(x + i));
    }
    for (; i < n; ++i) {
        y[i] += a * x[i];
    }
}

// Entries first and, of the same, second and third of pawl_combine_kernel(), four of each.
PAWL_KERNEL_PART void pawl_combine_lanes(const double *restrict a, int count, int ld, int lanes_of,
                                         const int *restrict first, const double *restrict x,
                                         double *restrict y)
{
    lanes sum[3] = {LANES_ALL(0.0), LANES_ALL(0.0), LANES_ALL(0.0)};
    PAWL_UNROLL
    for (int k = 0; k < count; ++k, a += ld) {
        lanes factor = LANES_ALL(x[k]);
        for (int i = 0; i < lanes_of; ++i) {
            sum[i] += factor * LANES_LOAD(a + first[i]);
        }
    }
    for (int i = 0; i < lanes_of; ++i) {
        LANES_STORE(y + first[i], sum[i]);
    }
}

// y (n) = sum of x[k] a[k] over `count` rows of a, ld apart, k in its order. Twelve entries of y at a time stay in registers;
// lanes that would pass the end begin earlier and give the same once more.
PAWL_KERNEL_PART void pawl_combine_kernel(const double *restrict a, int count, int ld, int n,
                                          const double *restrict x, double *restrict y)
{
    if (n < 4) {
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int k = 0; k < count; ++k) {
                sum += x[k] * a[k * ld + i];
            }
            y[i] = sum;
        }
        return;
    }
    for (int i = 0; i < n; i += 12) {
        int last = n - 4;
        const int first[3] = {i < last ? i : last, i + 4 < last ? i + 4 : last,
                              i + 8 < last ? i + 8 : last};
        if (n - i <= 4) {
            pawl_combine_lanes(a, count, ld, 1, first, x, y);
        } else if (n - i <= 8) {
            pawl_combine_lanes(a, count, ld, 2, first, x, y);
        } else {
            pawl_combine_lanes(a, count, ld, 3, first, x, y);
        }
    }
}
void pawl_combine(const double *a, int count, int ld, int n, const double *x, double *y);

// Of two spatial vectors.
static inline double pawl_dot6(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// a (n x n, rows ld apart): the lower triangle is read and becomes the unit L, without its
// diagonal. A pivot at most `floor` times its scale (the entry of `scale`, else the diagonal before
// elimination) is dropped: its inverse is 0, so the row takes no part in solves. The comparison is
// written so that NaN is dropped, too.
PAWL_KERNEL_PART int pawl_ldl_kernel(double *restrict a, int n, int ld, double floor,
                                     const double *restrict scale, double *restrict inverse_d)
{
    int dropped = 0;
    PAWL_UNROLL
    for (int i = 0; i < n; ++i) {
        double *row = a + i * ld;
        double diagonal = row[i];
        // first row i of X = L D, then L and the pivot
        PAWL_UNROLL
        for (int j = 0; j < i; ++j) {
            row[j] -= pawl_dot(row, a + j * ld, j);
        }
        double pivot = diagonal;
        PAWL_UNROLL
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

// In place L D LT of a symmetric matrix: lower triangle, row-major, leading dimension ld. On
// return the strict lower triangle holds L and inverse_d (n) the inverse pivots. A pivot that
// cancels to less than `floor` times its entry of `scale` (n; NULL: the diagonal of a) counts as
// zero: its inverse is set to 0, which leaves that unknown at zero. Returns the number of such
// pivots.
int pawl_ldl_factor(double *a, int n, int ld, double floor, const double *scale, double *inverse_d);
void pawl_ldl_solve(const double *l, int n, int ld, const double *inverse_d, double *x);
void pawl_ldl_half_solve(const double *l, int n, int ld, const double *inverse_d, double *x);
// x <- L^-T D^-1/2 x: what is left of a solve after a half.
void pawl_ldl_back_solve(const double *l, int n, int ld, const double *inverse_d, double *x);
