// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Small dense kernels. Sums run over four lanes in a fixed order, so that they vectorize and
// still give the same bits everywhere.
#pragma once

static inline double pawl_dot(const double *a, const double *b, int n)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; ++i) {
        s0 += a[i] * b[i];
    }
    return (s0 + s1) + (s2 + s3);
}

// Of two spatial vectors.
static inline double pawl_dot6(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// In place L D LT of a symmetric matrix: lower triangle, row-major, leading dimension ld. On
// return the strict lower triangle holds L and inverse_d (n) the inverse pivots. A pivot that
// cancels to less than `floor` times its entry of `scale` (n; NULL: the diagonal of a) counts as
// zero: its inverse is set to 0, which leaves that unknown at zero. Returns the number of such
// pivots.
int pawl_ldl_factor(double *a, int n, int ld, double floor, const double *scale, double *inverse_d);
void pawl_ldl_solve(const double *l, int n, int ld, const double *inverse_d, double *x);
void pawl_ldl_half_solve(const double *l, int n, int ld, const double *inverse_d, double *x);
