// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Between two neighbouring roots of its derivative a polynomial is monotonic: a change of sign there
// is one root, and Newton's iteration kept inside the bracket finds it. Closed forms are less accurate for roots that
// are close together, and they need cube roots and arc cosines.
#include "math/polynomial.h"
#include "pawl/base.h"
#include <math.h>

// The root in a bracket with values of opposite sign at its ends.
static double polynomial_refine(const double *p, const double *slope, int degree, double low,
                                double high, bool rises)
{
    double t = 0.5 * (low + high), step = high - low;
    for (int k = 0; k < 200; ++k) {
        double f = polynomial_at(p, degree, t);
        if (f == 0.0) {
            return t;
        }
        if ((f > 0.0) == rises) {
            high = t;
        } else {
            low = t;
        }
        double d = polynomial_at(slope, degree - 1, t), next = d != 0.0 ? t - f / d : low;
        if (!(next > low && next < high && fabs(next - t) <= 0.5 * step)) {
            next = 0.5 * (low + high); // Newton leaves the bracket, or gains less than bisection
        }
        if (next == t || next == low || next == high) {
            return next;
        }
        step = fabs(next - t);
        t = next;
    }
    return t;
}

int pawl_polynomial_roots(const double *p, int degree, double low, double high, double *roots)
{
    if (degree <= 0) {
        return 0;
    }
    double slope[POLYNOMIAL_MAX_DEGREE], ends[POLYNOMIAL_MAX_DEGREE + 1];
    for (int k = 1; k <= degree; ++k) {
        slope[k - 1] = k * p[k];
    }
    ends[0] = low;
    int pieces = 1 + pawl_polynomial_roots(slope, degree - 1, low, high, ends + 1), count = 0;
    double before = polynomial_at(p, degree, low);
    if (before == 0.0) {
        roots[count++] = low;
    }
    for (int k = 0; k < pieces; ++k) {
        double end = k + 1 < pieces ? ends[k + 1] : high, after = polynomial_at(p, degree, end);
        if ((before < 0.0 && after >= 0.0) || (before > 0.0 && after <= 0.0)) {
            roots[count++] =
                after == 0.0 ? end : polynomial_refine(p, slope, degree, ends[k], end, after > 0.0);
        }
        before = after;
    }
    return count;
}
