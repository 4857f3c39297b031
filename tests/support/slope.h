// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Derivatives by central differences of sixth order: with a step of a thousandth of the length over
// which a function changes they are good to about twelve digits.
#pragma once

typedef double slope_function(void *of, double x);

static inline double slope_step(slope_function *f, void *of, double h)
{
    return (45.0 * (f(of, h) - f(of, -h)) - 9.0 * (f(of, 2.0 * h) - f(of, -2.0 * h)) +
            (f(of, 3.0 * h) - f(of, -3.0 * h))) /
           (60.0 * h);
}
