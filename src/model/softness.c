// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// With R = c D, c = (1 - d)/d, and bias h (b r' + k r) - r', the row v + R lambda + bias = 0 gives
//   v = (1 - d) v_free + d (r' - h (b r' + k r)),
// MuJoCo's a = (1 - d) a_free + d a_ref over a step. The - r' in the bias is missing in loops (106),
// (110) and (113); without it a soft joint would stop a motion that it should only slow down.
//
// Here r is the violation [m or rad], r' its rate, d the impedance between 0 and 1 (0: the row does
// nothing, 1: it is hard), D the row's own entry of J M^-1 JT, h the time step [s], b [1/s] and k
// [1/s^2] damping and stiffness per unit of effective mass.
#include "model/softness.h"
#include <math.h>

pawl_softness pawl_softness_default(void)
{
    return (pawl_softness){
        .damping_ratio = 1.0, .d0 = 0.9, .dw = 0.95, .width = 1e-3, .midpoint = 0.5, .power = 2.0};
}

static bool softness_is_fraction(double x)
{
    return x > 0.0 && x < 1.0;
}

bool pawl_softness_is_good(const pawl_softness *s)
{
    return isfinite(s->time_constant) && isfinite(s->damping_ratio) && s->damping_ratio > 0.0 &&
           softness_is_fraction(s->d0) && softness_is_fraction(s->dw) && isfinite(s->width) &&
           s->width >= 0.0 && softness_is_fraction(s->midpoint) && isfinite(s->power) &&
           s->power >= 1.0;
}

// A time constant of 0 means that nothing was set for this element.
const pawl_softness *pawl_softness_choose(const pawl_softness *own, const pawl_softness *all)
{
    return own->time_constant == 0.0 ? all : own;
}

// Of two materials: the mean where both are soft, else the soft one. A hard partner has no
// parameters that could be averaged.
pawl_softness pawl_softness_mix(const pawl_softness *a, const pawl_softness *b)
{
    if (!pawl_is_soft(a) || !pawl_is_soft(b)) {
        return pawl_is_soft(a) ? *a : *b;
    }
    return (pawl_softness){.time_constant = 0.5 * (a->time_constant + b->time_constant),
                           .damping_ratio = 0.5 * (a->damping_ratio + b->damping_ratio),
                           .d0 = 0.5 * (a->d0 + b->d0),
                           .dw = 0.5 * (a->dw + b->dw),
                           .width = 0.5 * (a->width + b->width),
                           .midpoint = 0.5 * (a->midpoint + b->midpoint),
                           .power = 0.5 * (a->power + b->power)};
}

// x^p for x from 0 to 1, p >= 1, with the same bits everywhere: whole powers by multiplication, the
// rest by square roots, one for each binary digit of the fraction.
static double softness_power(double x, double p)
{
    const double highest = 1024.0; // 0.99^1024 is 3e-5; nothing is lost by treating more as that
    double whole = floor(fmin(p, highest)), fraction = p > highest ? 0.0 : p - whole;
    double result = 1.0, square = x;
    for (int k = (int)whole; k > 0; k /= 2) {
        result *= k % 2 != 0 ? square : 1.0;
        square *= square;
    }
    for (double root = sqrt(x); fraction > 0.0; root = sqrt(root)) {
        fraction *= 2.0;
        if (fraction >= 1.0) {
            result *= root;
            fraction -= 1.0;
        }
    }
    return result;
}

// y / low^(p - 1) with y = x^p, as low (x/low)^p: no small number is divided by another.
static double softness_branch(double x, double low, double p)
{
    return low * softness_power(x / low, p);
}

// MuJoCo's solimp: d grows from d0 at r = 0 to dw at |r| = width along two powers that join
// smoothly at the midpoint. A width of 0 has no growth: the mean is used.
double pawl_softness_impedance(const pawl_softness *s, double r)
{
    if (!(s->width > 0.0)) {
        return 0.5 * (s->d0 + s->dw);
    }
    double x = fmin(fabs(r) / s->width, 1.0);
    double y = x <= s->midpoint ? softness_branch(x, s->midpoint, s->power)
                                : 1.0 - softness_branch(1.0 - x, 1.0 - s->midpoint, s->power);
    return s->d0 + y * (s->dw - s->d0);
}

// MuJoCo's solref with a positive time constant T: b = 2 / (dw T), k = d / (dw T zeta)^2.
soft_row pawl_softness_row(const pawl_softness *s, double impedance, double h, double D, double r,
                           double rate)
{
    double T = fmax(s->time_constant, 2.0 * h); // faster ones would overshoot within a step
    double b = 2.0 / (s->dw * T);
    double k = impedance / (s->dw * s->dw * T * T * s->damping_ratio * s->damping_ratio);
    return (soft_row){.compliance = (1.0 - impedance) / impedance * D,
                      .bias = h * (b * rate + k * r) - rate};
}
