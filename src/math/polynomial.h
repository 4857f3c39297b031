// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Real roots of polynomials of low degree, with no function of the C library: same bits everywhere.
#pragma once

enum { POLYNOMIAL_MAX_DEGREE = 4 };

// p[0] + p[1] t + ... + p[degree] t^degree
static inline double polynomial_at(const double *p, int degree, double t)
{
    double sum = p[degree];
    for (int k = degree - 1; k >= 0; --k) {
        sum = sum * t + p[k];
    }
    return sum;
}

// The places in [low, high] where p changes its sign, in order; returns how many. Leading
// coefficients may be zero. A root where it only touches zero may be left out.
int pawl_polynomial_roots(const double *p, int degree, double low, double high, double *roots);
