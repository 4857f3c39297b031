// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Root of a continuous function in a bracket by Brent's method (1973). It keeps the bracket, so
// that it converges for every function, and superlinearly for smooth ones. Event location uses it.
#include "math/brent.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>

// The bracket is [x, other] with |f(x)| <= |f(other)|; `last` is where x was before.
typedef struct brent_bracket {
    double x, fx, other, fother, last, flast;
} brent_bracket;

static bool brent_same_sign(double p, double q)
{
    return (p > 0.0) == (q > 0.0); // products could underflow
}

// After x has moved: the last point with another sign becomes the other end, the better end becomes x.
static void brent_order(brent_bracket *b)
{
    if (brent_same_sign(b->fx, b->fother)) {
        b->other = b->last;
        b->fother = b->flast;
    }
    if (fabs(b->fother) < fabs(b->fx)) {
        double x = b->x, fx = b->fx;
        b->last = x, b->flast = fx;
        b->x = b->other, b->fx = b->fother;
        b->other = x, b->fother = fx;
    }
}

// Where the parabola x(f) through the three points, or the secant through two, meets zero: the step
// from x. Infinite or NaN where they do not tell.
static double brent_step(const brent_bracket *b)
{
    double s = b->fx / b->flast;
    if (b->last == b->other) {
        return (b->other - b->x) * s / (s - 1.0);
    }
    double q = b->flast / b->fother, r = b->fx / b->fother;
    double numerator = s * ((b->other - b->x) * q * (q - r) - (b->x - b->last) * (r - 1.0));
    return numerator / -((q - 1.0) * (r - 1.0) * (s - 1.0));
}

brent_root pawl_brent(brent_function f, void *user, double a, double fa, double b, double fb,
                      double tolerance)
{
    enum { MOST = 3000 }; // more than any function needed: a stop for those that are not numbers
    brent_bracket k = {.x = b, .fx = fb, .other = a, .fother = fa, .last = a, .flast = fa};
    brent_order(&k);
    double step = k.other - k.x, before = step;
    int evaluations = 0;
    while (evaluations < MOST && k.fx != 0.0) {
        double least = 2.0 * DBL_EPSILON * fabs(k.x) + 0.5 * tolerance;
        double half = 0.5 * (k.other - k.x);
        if (!(fabs(half) > least)) {
            break;
        }
        double next = brent_step(&k);
        // Interpolation must stay well inside the bracket and shrink faster than halving, two steps ago.
        bool inside = next * half > 0.0 && fabs(next) < 1.5 * fabs(half);
        if (fabs(before) > least && fabs(k.flast) > fabs(k.fx) && inside &&
            fabs(next) < 0.5 * fabs(before)) {
            before = step;
            step = next;
        } else {
            step = before = half;
        }
        k.last = k.x;
        k.flast = k.fx;
        k.x += fabs(step) > least ? step : copysign(least, half);
        k.fx = f(k.x, user);
        ++evaluations;
        brent_order(&k);
    }
    return (brent_root){k.x, k.fx, k.other, evaluations};
}
