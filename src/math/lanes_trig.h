// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Arc tangents of four at a time, with the bits of pawl_atan2().
#pragma once
#include "math/lanes.h"
#include "math/trig.h"
#include <math.h>

PAWL_KERNEL_PART void lanes_atan2(const lanes *y, const lanes *x, lanes *angle)
{
    const lanes_mask sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    const lanes zero = LANES_ALL(0.0), all = LANES_ALL((double)INFINITY);
    lanes ax = (lanes)((lanes_mask)*x & ~sign), ay = (lanes)((lanes_mask)*y & ~sign), sum = ax + ay;
    lanes_mask plain = (lanes_mask)(sum > zero) & (lanes_mask)(sum < all);
    if (LANES_ANY(~plain)) { // both 0, infinite or none
        for (int k = 0; k < 4; ++k) {
            (*angle)[k] = pawl_atan2((*y)[k], (*x)[k]);
        }
        return;
    }
    lanes_mask steep = (lanes_mask)(ay > ax), left = (lanes_mask)*x < (lanes_mask)zero;
    lanes t = LANES_SELECT(steep, ax, ay) / LANES_SELECT(steep, ay, ax);
    // The nearest eighth: beside this number doubles are integers.
    const lanes integers = LANES_ALL(0x1.8p52);
    lanes k = (LANES_ALL(8.0) * t + integers) - integers, c = LANES_ALL(0.125) * k;
    lanes r = (t - c) / (LANES_ALL(1.0) + t * c), z = r * r;
    lanes p = LANES_ALL(-1.0 / 11.0) + z * LANES_ALL(1.0 / 13.0);
    p = LANES_ALL(1.0 / 9.0) + z * p;
    p = LANES_ALL(-1.0 / 7.0) + z * p;
    p = LANES_ALL(1.0 / 5.0) + z * p;
    p = LANES_ALL(-1.0 / 3.0) + z * p;
    lanes eighth = {pawl_atan_eighths[(int)k[0]], pawl_atan_eighths[(int)k[1]],
                    pawl_atan_eighths[(int)k[2]], pawl_atan_eighths[(int)k[3]]};
    lanes a = eighth + (r + r * z * p);
    a = LANES_SELECT(steep, LANES_ALL(PAWL_HALF_PI) - a, a);
    a = LANES_SELECT(left, LANES_ALL(PAWL_PI) - a, a);
    *angle = (lanes)((lanes_mask)a | ((lanes_mask)*y & sign));
}
