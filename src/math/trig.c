// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sine, cosine and arc tangent with the same bits on every machine: argument reduction in three
// parts (Cody and Waite 1980), then Taylor series whose first omitted term is below rounding.
#include "math/trig.h"
#include <math.h>
#include <stdbool.h>

// pi/2 in three parts of 33 bits, so that k * part is exact while |k| < 2^20 (Cody and Waite).
#define TRIG_HALF_PI_1 0x1.921fb544p+0
#define TRIG_HALF_PI_2 0x1.0b4611a6p-34
#define TRIG_HALF_PI_3 0x1.3198a2e037073p-69
#define TRIG_TWO_OVER_PI 0x1.45f306dc9c883p-1
#define TRIG_LARGE 1.0e6

// Taylor series on [-pi/4, pi/4]: the first term left out is below 1e-19.
static double trig_sin_series(double r)
{
    double z = r * r;
    double p = -1.0 / 1307674368000.0 + z * (1.0 / 355687428096000.0);
    p = 1.0 / 6227020800.0 + z * p;
    p = -1.0 / 39916800.0 + z * p;
    p = 1.0 / 362880.0 + z * p;
    p = -1.0 / 5040.0 + z * p;
    p = 1.0 / 120.0 + z * p;
    p = -1.0 / 6.0 + z * p;
    return r + r * z * p;
}

static double trig_cos_series(double r)
{
    double z = r * r;
    double p = 1.0 / 20922789888000.0 - z * (1.0 / 6402373705728000.0);
    p = -1.0 / 87178291200.0 + z * p;
    p = 1.0 / 479001600.0 + z * p;
    p = -1.0 / 3628800.0 + z * p;
    p = 1.0 / 40320.0 + z * p;
    p = -1.0 / 720.0 + z * p;
    p = 1.0 / 24.0 + z * p;
    return 1.0 - 0.5 * z + z * z * p;
}

void pawl_sincos(double x, double *sine, double *cosine)
{
    if (!(fabs(x) <= TRIG_LARGE)) {
        x = fmod(x, 2.0 * PAWL_PI); // an argument this large carries no more digits than that
    }
    double k = rint(x * TRIG_TWO_OVER_PI);
    double r = ((x - k * TRIG_HALF_PI_1) - k * TRIG_HALF_PI_2) - k * TRIG_HALF_PI_3;
    double s = trig_sin_series(r);
    double c = trig_cos_series(r);
    switch (isfinite(k) ? (int)k & 3 : 0) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default:
        *sine = -c;
        *cosine = s;
        break;
    }
}

double pawl_sin(double x)
{
    double s, c;
    pawl_sincos(x, &s, &c);
    return s;
}

double pawl_cos(double x)
{
    double s, c;
    pawl_sincos(x, &s, &c);
    return c;
}

const double pawl_atan_eighths[9] = {
    0x0.0p+0,             // atan(0/8)
    0x1.fd5ba9aac2f6ep-4, // atan(1/8)
    0x1.f5b75f92c80ddp-3, // atan(2/8)
    0x1.6f61941e4def1p-2, // atan(3/8)
    0x1.dac670561bb4fp-2, // atan(4/8)
    0x1.1e00babdefeb4p-1, // atan(5/8)
    0x1.4978fa3269ee1p-1, // atan(6/8)
    0x1.700a7c5784634p-1, // atan(7/8)
    0x1.921fb54442d18p-1, // atan(8/8)
};

// atan on [0, 1]: shift by the nearest eighth, so that |t| <= 1/16 and seven terms suffice.
static double trig_atan_unit(double t)
{
    int k = (int)rint(8.0 * t);
    double c = 0.125 * (double)k;
    double r = (t - c) / (1.0 + t * c);
    double z = r * r;
    double p = -1.0 / 11.0 + z * (1.0 / 13.0);
    p = 1.0 / 9.0 + z * p;
    p = -1.0 / 7.0 + z * p;
    p = 1.0 / 5.0 + z * p;
    p = -1.0 / 3.0 + z * p;
    return pawl_atan_eighths[k] + (r + r * z * p);
}

double pawl_atan2(double y, double x)
{
    double ax = fabs(x);
    double ay = fabs(y);
    if (isnan(x) || isnan(y)) {
        return x + y;
    }
    if (ax == 0.0 && ay == 0.0) {
        return signbit(x) ? copysign(PAWL_PI, y) : y;
    }
    if (isinf(ax) && isinf(ay)) {
        ax = ay = 1.0;
    }
    bool steep = ay > ax;
    double angle = trig_atan_unit(steep ? ax / ay : ay / ax);
    if (steep) {
        angle = PAWL_HALF_PI - angle;
    }
    if (signbit(x)) {
        angle = PAWL_PI - angle;
    }
    return copysign(angle, y);
}

double pawl_unwrap(double raw, double last)
{
    return raw + 2.0 * PAWL_PI * rint((last - raw) / (2.0 * PAWL_PI));
}
