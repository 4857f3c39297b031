// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Rows of six numbers (the velocities of a body) as vectors of four and two, by GCC's vector extensions. Each number
// has the operations of the plain loop in its order, so all machines give the same bits; without AVX2 the compiler
// uses two vectors of two in place of four.
#pragma once
#include "base/kernel.h"

typedef double six_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double six_two __attribute__((vector_size(16), aligned(8), may_alias));

// y += (a x0 + b x1) + c x2, the x one after the other
PAWL_KERNEL_PART void six_add_three(double a, double b, double c, const double *x, double *y)
{
    *(six_four *)y +=
        a * *(const six_four *)x + b * *(const six_four *)(x + 6) + c * *(const six_four *)(x + 12);
    *(six_two *)(y + 4) += a * *(const six_two *)(x + 4) + b * *(const six_two *)(x + 10) +
                           c * *(const six_two *)(x + 16);
}

// y = (a x0 + b x1) + c x2
PAWL_KERNEL_PART void six_three(double a, double b, double c, const double *x, double *y)
{
    *(six_four *)y =
        a * *(const six_four *)x + b * *(const six_four *)(x + 6) + c * *(const six_four *)(x + 12);
    *(six_two *)(y + 4) = a * *(const six_two *)(x + 4) + b * *(const six_two *)(x + 10) +
                          c * *(const six_two *)(x + 16);
}

// y -= a x
PAWL_KERNEL_PART void six_subtract(double a, const double *x, double *y)
{
    *(six_four *)y -= a * *(const six_four *)x;
    *(six_two *)(y + 4) -= a * *(const six_two *)(x + 4);
}

PAWL_KERNEL_PART void six_scale(double a, double *y)
{
    *(six_four *)y *= a;
    *(six_two *)(y + 4) *= a;
}
