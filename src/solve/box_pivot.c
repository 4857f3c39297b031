// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Block principal pivoting with a single-pivot fallback (Judice and Pires 1994): all variables on the wrong side
// change at once while that reduces their number; otherwise only the last one does, which terminates for every
// positive definite S (Murty 1974). S may be semidefinite if bounded rows are redundant; a shift of 1e-12 of the
// diagonal then makes it definite.
#include "solve/box_pivot.h"
#include "linalg/dense.h"
#include "math/vec.h"
#include <math.h>
#include <stddef.h>

static const double box_loose = 1e3; // times `nothing`, once rows repeat each other

box_pivot pawl_box_pivot_layout(int max_rows, pawl_carver *mem)
{
    size_t n = (size_t)max_rows;
    return (box_pivot){.matrix = PAWL_CARVE(mem, double, n *n),
                       .inverse_d = PAWL_CARVE(mem, double, n),
                       .x = PAWL_CARVE(mem, double, n),
                       .index = PAWL_CARVE(mem, int, n),
                       .side = PAWL_CARVE(mem, signed char, n),
                       .tried = PAWL_CARVE(mem, bool, n)};
}

// The lower triangle (m x m) of S over the free variables and its LDL^T. `shift` is absolute; the relative one of
// 1e-12 is always there.
static void box_fill_free(box_pivot *s, const double *S, int n, int m, double shift)
{
    for (int a = 0; a < m; ++a) {
        int i = s->index[a];
        for (int b = 0; b <= a; ++b) {
            s->matrix[a * m + b] = S[i * n + s->index[b]];
        }
        s->matrix[a * m + a] *= 1.0 + 1e-12;
        s->matrix[a * m + a] += shift;
    }
    pawl_ldl_factor(s->matrix, m, m, 1e-14, NULL, s->inverse_d);
}

// The factor of the free part of S. The error of S after the elimination is relative to the original entries, not to
// the remaining ones: for nearly redundant rows a larger shift bounds the effect of rounding. Returns how often its
// solves are to be refined; *repeat: the last row that nearly repeats others, -1 for none.
static int box_factor_free(box_pivot *s, const double *S, int n, int m, int *repeat)
{
    const double nearly = 1e-8, shift = 1e-9, alike = 1e-5;
    double most = 0.0;
    bool repeats = false;
    *repeat = -1;
    box_fill_free(s, S, n, m, 0.0);
    for (int a = 0; a < m; ++a) {
        double own = S[s->index[a] * (n + 1)];
        most = fmax(most, own);
        double fraction = fabs(s->inverse_d[a]) * own; // rounding may leave a pivot of either sign
        repeats = repeats || s->inverse_d[a] < 0.0 || fraction * nearly > 1.0;
        *repeat = s->inverse_d[a] < 0.0 || fraction * alike > 1.0 ? s->index[a] : *repeat;
    }
    if (repeats) {
        box_fill_free(s, S, n, m, shift * most);
    }
    return repeats ? 3 : 1;
}

// y for the current sides: the bounded ones at their bounds, the free ones with w = 0. Returns a free row that
// nearly repeats others, -1 for none.
// Bounded variables are known, so the system is S_ff y_f = -q_f - S_fb y_b. The refinements use S itself without
// the shift.
static int box_solve_free(box_pivot *s, const double *S, int n, const double *q,
                          const double *lower, const double *upper, double *y)
{
    int m = 0;
    for (int i = 0; i < n; ++i) {
        if (s->side[i] == 0) {
            s->index[m++] = i;
        } else {
            y[i] = s->side[i] < 0 ? lower[i] : upper[i];
        }
    }
    for (int a = 0; a < m; ++a) {
        int i = s->index[a];
        double rhs = -q[i];
        for (int j = 0; j < n; ++j) {
            if (s->side[j] != 0 && y[j] != 0.0) {
                rhs -= S[i * n + j] * y[j];
            }
        }
        s->x[a] = rhs;
    }
    int repeat, refinements = box_factor_free(s, S, n, m, &repeat);
    pawl_ldl_solve(s->matrix, m, m, s->inverse_d, s->x);
    for (int a = 0; a < m; ++a) {
        y[s->index[a]] = s->x[a];
    }
    // again for what the shift has left
    for (int k = 0; k < refinements; ++k) {
        for (int a = 0; a < m; ++a) {
            int i = s->index[a];
            s->x[a] = -q[i] - pawl_dot(S + i * n, y, n);
        }
        pawl_ldl_solve(s->matrix, m, m, s->inverse_d, s->x);
        for (int a = 0; a < m; ++a) {
            y[s->index[a]] += s->x[a];
        }
    }
    return repeat;
}

// Which side variable i should be on, given y and w. A free variable whose w is not zero is one that
// nothing couples to (its row of S is zero): it goes where w pushes it.
// Sides: -1 at the lower bound, 0 free, 1 at the upper bound. The slacks prevent changes of a variable that are
// caused only by rounding; otherwise two variables could change in turn without end.
static signed char box_wanted(const box_pivot *s, int i, double y, double w, double lower,
                              double upper, double slack_y, double slack_w)
{
    if (s->side[i] != 0) {
        bool keep = s->side[i] < 0 ? w >= -slack_w : w <= slack_w;
        return keep ? s->side[i] : 0;
    }
    if (y < lower - slack_y || (w > slack_w && slack_y == 0.0 && isfinite(lower))) {
        return -1;
    }
    return (signed char)(y > upper + slack_y ||
                         (w < -slack_w && slack_y == 0.0 && isfinite(upper)));
}

// y in [lower, upper] with w = S y + q complementary: w >= 0 at a lower bound, w <= 0 at an upper one, w = 0 in
// between. The sides of the last step's y are the first guess, which is right in most steps. Returns the number of
// pivots, or -1 when there were too many; y is within its bounds then, too.
int pawl_box_pivot(box_pivot *s, const double *S, int n, const double *q, const double *lower,
                   const double *upper, double nothing, int max_pivots, double *y)
{
    double scale = 0.0;
    for (int i = 0; i < n; ++i) {
        s->side[i] = (signed char)(y[i] <= lower[i] ? -1 : y[i] >= upper[i] ? 1 : 0);
        s->tried[i] = !isfinite(lower[i]) && !isfinite(upper[i]);
        scale = fmax(scale, fabs(q[i]));
    }
    int best = n + 1, patience = 3;
    double ignored = nothing;
    for (int pivot = 1; pivot <= max_pivots; ++pivot) {
        int repeat = box_solve_free(s, S, n, q, lower, upper, y);
        // Two rows that repeat each other, as the limits of a linkage that they jam, have any impulse as long as
        // both are free, and rounding chooses it. One of them is enough unless its w says otherwise.
        if (repeat >= 0 && nothing > 0.0 && !s->tried[repeat]) {
            ignored = box_loose * nothing;
            s->tried[repeat] = true;
            s->side[repeat] = (signed char)(fabs(lower[repeat]) <= fabs(upper[repeat]) ? -1 : 1);
            continue;
        }
        int wrong = 0, last = -1;
        for (int i = 0; i < n; ++i) {
            double w = q[i], size = scale, d = S[i * n + i];
            for (int j = 0; j < n; ++j) {
                w += S[i * n + j] * y[j];
                size += fabs(S[i * n + j] * y[j]);
                d = ignored > nothing ? fmax(d, fabs(S[i * n + j])) : d; // on what y acts most
            }
            double slack_w = fmax(1e-13 * size, ignored); // what rounding can make of it
            signed char side =
                box_wanted(s, i, y[i], w, lower[i], upper[i], d > 0.0 ? slack_w / d : 0.0, slack_w);
            s->index[i] = side;
            if (side != s->side[i]) {
                ++wrong;
                last = i;
            }
        }
        if (wrong == 0) {
            for (int i = 0; i < n; ++i) {
                y[i] = clamp_to(y[i], lower[i], upper[i]);
            }
            return pivot;
        }
        if (wrong < best) {
            best = wrong;
            patience = 3;
        } else if (patience > 0) {
            --patience;
        }
        for (int i = 0; i < n; ++i) {
            if (patience > 0 || i == last) {
                s->side[i] = (signed char)s->index[i];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        y[i] = clamp_to(y[i], lower[i], upper[i]);
    }
    return -1;
}
