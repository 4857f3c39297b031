// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The friction cone K = {|x_T| <= mu x_N} and its dual K* = {x_N >= mu |x_T|}, normal last.
#pragma once
#include <math.h>

// Nearest point of K, in place. mu = 0 is a half line, mu = infinity a half space.
static inline void pawl_cone_project(double x[3], double mu)
{
    double t = sqrt(x[0] * x[0] + x[1] * x[1]), n = x[2];
    if (n >= 0.0 && t <= mu * n) { // without the first, 0 <= 0 n lets mu = 0 pull
        return;
    }
    if (mu * t <= -n) {
        x[0] = x[1] = x[2] = 0.0;
        return;
    }
    if (isinf(mu)) {
        x[2] = n > 0.0 ? n : 0.0;
        return;
    }
    double normal = (mu * t + n) / (mu * mu + 1.0);
    double s = t > 0.0 ? mu * normal / t : 0.0;
    x[0] *= s;
    x[1] *= s;
    x[2] = normal;
}

// Nearest point of K*, the cone with 1/mu.
static inline void pawl_cone_project_dual(double x[3], double mu)
{
    double y[3] = {-x[0], -x[1], -x[2]}; // Moreau: x = P_K*(x) - P_K(-x)
    pawl_cone_project(y, mu);
    x[0] += y[0];
    x[1] += y[1];
    x[2] += y[2];
}
