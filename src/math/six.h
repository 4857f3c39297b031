// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Rows of six numbers (the velocities of a body) as vectors of four and two (lanes.h). Each number has the operations of
// the plain loop in its order.
#pragma once
#include "math/lanes.h"

// y += (a x0 + b x1) + c x2, the x one after the other
PAWL_KERNEL_PART void six_add_three(double a, double b, double c, const double *x, double *y)
{
    *(lanes_at *)y +=
        a * *(const lanes_at *)x + b * *(const lanes_at *)(x + 6) + c * *(const lanes_at *)(x + 12);
    *(lanes_pair_at *)(y + 4) += a * *(const lanes_pair_at *)(x + 4) +
                                 b * *(const lanes_pair_at *)(x + 10) +
                                 c * *(const lanes_pair_at *)(x + 16);
}

// y = (a x0 + b x1) + c x2
PAWL_KERNEL_PART void six_three(double a, double b, double c, const double *x, double *y)
{
    *(lanes_at *)y =
        a * *(const lanes_at *)x + b * *(const lanes_at *)(x + 6) + c * *(const lanes_at *)(x + 12);
    *(lanes_pair_at *)(y + 4) = a * *(const lanes_pair_at *)(x + 4) +
                                b * *(const lanes_pair_at *)(x + 10) +
                                c * *(const lanes_pair_at *)(x + 16);
}

// y -= a x
PAWL_KERNEL_PART void six_subtract(double a, const double *x, double *y)
{
    *(lanes_at *)y -= a * *(const lanes_at *)x;
    *(lanes_pair_at *)(y + 4) -= a * *(const lanes_pair_at *)(x + 4);
}

PAWL_KERNEL_PART void six_scale(double a, double *y)
{
    *(lanes_at *)y *= a;
    *(lanes_pair_at *)(y + 4) *= a;
}
