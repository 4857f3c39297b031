// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inverse kinematics as a problem of numbers: e(q) = 0 within limits, q near a rest pose. It has two parts. First, e
// = 0 is reached by Levenberg-Marquardt, d = JT (J JT + lambda 1)^-1 e with the remaining error e; coordinates at a
// limit that would violate it are fixed. Second, if there are more coordinates than errors, q moves along the null
// space of J towards the rest pose and back to e = 0, as long as it gets nearer to the rest pose. The result
// therefore depends on the rest pose and not on the history.
//
// The Jacobian of a straight limb has no component along the limb, and a limb at a limit may have to bend in the
// other direction. If the search from q or from the rest pose fails, it is repeated from bent poses: the points of
// Halton's sequence within small, then larger parts of the limits.
#include "model/reach.h"
#include "linalg/dense.h"
#include "math/vec.h"
#include <string.h>

static const double REACH_STILL = 1e-11; // a movement towards rest that counts as none [rad or m]

// J (rows x count) is stored column by column. `rows` is the most that a search may use.
void pawl_reach_layout(reach_space *s, pawl_carver *mem, int count, int rows, const double *lower,
                       const double *upper)
{
    double *J = PAWL_CARVE(mem, double, (size_t)rows *(size_t)count);
    double *A = PAWL_CARVE(mem, double, (size_t)rows *(size_t)rows);
    double *of_rows = PAWL_CARVE(mem, double, 4 * (size_t)rows);
    double *of_count = PAWL_CARVE(mem, double, 4 * (size_t)count);
    bool *held = PAWL_CARVE(mem, bool, count);
    if (J != NULL) {
        *s = (reach_space){.count = count,
                           .rows = rows,
                           .lower = lower,
                           .upper = upper,
                           .J = J,
                           .A = A,
                           .inverse_d = of_rows,
                           .e = of_rows + rows,
                           .y = of_rows + 2 * rows,
                           .left = of_rows + 3 * rows,
                           .move = of_count,
                           .fresh = of_count + count,
                           .trial = of_count + 2 * count,
                           .nearest = of_count + 3 * count,
                           .held = held};
    }
}

static double reach_norm(const double *e, int n)
{
    return sqrt(pawl_dot(e, e, n));
}

// Of J JT: its trace.
static double reach_scale(const reach_space *s)
{
    return pawl_dot(s->J, s->J, s->rows * s->count);
}

// Whether coordinate i is at a limit that the move would cross.
static bool reach_leaves(const reach_space *s, const double *q, int i)
{
    return (q[i] <= s->lower[i] && s->move[i] < 0.0) || (q[i] >= s->upper[i] && s->move[i] > 0.0);
}

// y = (J JT + lambda 1)^-1 y over the coordinates that are not held.
static void reach_damped(reach_space *s, double lambda)
{
    int m = s->rows;
    memset(s->A, 0, (size_t)m * (size_t)m * sizeof *s->A);
    for (int r = 0; r < m; ++r) {
        s->A[r * m + r] = lambda;
    }
    for (int i = 0; i < s->count; ++i) {
        const double *c = &s->J[i * m];
        for (int r = 0; r < m && !s->held[i]; ++r) {
            for (int k = 0; k <= r; ++k) {
                s->A[r * m + k] += c[r] * c[k];
            }
        }
    }
    pawl_ldl_factor(s->A, m, m, 1e-15, NULL, s->inverse_d);
    pawl_ldl_solve(s->A, m, m, s->inverse_d, s->y);
}

// Writes to `move` the damped step for the remaining error (NULL: none) and, with `towards`, the part of that
// displacement that does not change the errors. Coordinates that would leave their limits are held.
//
// With W the wish (towards - q) and both parts: move = W + JT (J JT + lambda)^-1 (missing - J W).
// Holding a coordinate changes the others, hence the repetition; each round holds at least one
// more, so it ends.
static void reach_find_move(reach_space *s, const double *q, double lambda, const double *missing,
                            const double *towards)
{
    int m = s->rows;
    memset(s->held, 0, (size_t)s->count * sizeof *s->held);
    for (bool again = true; again;) {
        for (int r = 0; r < m; ++r) {
            s->y[r] = missing != NULL ? missing[r] : 0.0;
        }
        for (int i = 0; i < s->count && towards != NULL; ++i) {
            for (int r = 0; r < m && !s->held[i]; ++r) {
                s->y[r] -= (towards[i] - q[i]) * s->J[i * m + r];
            }
        }
        reach_damped(s, lambda);
        again = false;
        for (int i = 0; i < s->count; ++i) {
            double wish = towards != NULL ? towards[i] - q[i] : 0.0;
            s->move[i] = s->held[i] ? 0.0 : wish + pawl_dot(&s->J[i * m], s->y, m);
        }
        for (int i = 0; i < s->count; ++i) {
            if (!s->held[i] && reach_leaves(s, q, i)) {
                s->held[i] = again = true;
            }
        }
    }
}

static double reach_longest(const reach_space *s)
{
    double longest = 0.0;
    for (int i = 0; i < s->count; ++i) {
        longest = max_of(longest, fabs(s->move[i]));
    }
    return longest;
}

static void reach_clamp(const reach_space *s, double *q)
{
    for (int i = 0; i < s->count; ++i) {
        q[i] = clamp_to(q[i], s->lower[i], s->upper[i]);
    }
}

// Levenberg-Marquardt from q; returns what is left.
//
// lambda falls tenfold after a success and grows tenfold after a failure, in units of the trace of
// J JT. A move too short to change q ends the search: no lambda would help.
static double reach_approach(reach_space *s, double reached, double *q)
{
    enum { ROUNDS = 200 };
    reach_clamp(s, q);
    s->errors(s->user, q, s->e, s->J);
    double scale = reach_scale(s), missing = reach_norm(s->e, s->rows);
    double lambda = 1e-4 * scale, least = 1e-12 * scale;
    for (int round = 0; round < ROUNDS && missing > reached && scale > 0.0; ++round) {
        reach_find_move(s, q, lambda, s->e, NULL);
        double longest = reach_longest(s);
        for (int i = 0; i < s->count; ++i) {
            s->fresh[i] = q[i] + s->move[i];
        }
        reach_clamp(s, s->fresh);
        s->errors(s->user, s->fresh, s->left, NULL);
        if (reach_norm(s->left, s->rows) < missing) {
            memcpy(q, s->fresh, (size_t)s->count * sizeof *q);
            s->errors(s->user, q, s->e, s->J);
            missing = reach_norm(s->e, s->rows);
            lambda = max_of(least, 0.1 * lambda);
        } else {
            lambda *= 10.0;
            if (longest < 1e-14) {
                break;
            }
        }
    }
    return missing;
}

// Coordinates in rad and m count alike.
static double reach_distance2(const reach_space *s, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

// Into `move`: the path towards rest that leaves the errors of q as they are. Returns its largest component.
static double reach_find_slide(reach_space *s, const double *rest, const double *q)
{
    s->errors(s->user, q, s->e, s->J);
    reach_find_move(s, q, 1e-12 * reach_scale(s), NULL, rest);
    return reach_longest(s);
}

// Slides along the poses without an error to the one nearest to rest. A step is kept that came nearer; at the
// end, where distances differ by less than rounding, one after which less is to do.
static void reach_settle(reach_space *s, double reached, const double *rest, double *q)
{
    enum { ROUNDS = 200 };
    double fraction = 1.0;
    double longest = reach_find_slide(s, rest, q);
    for (int round = 0; round < ROUNDS && fraction > 1e-6 && longest > REACH_STILL; ++round) {
        for (int i = 0; i < s->count; ++i) {
            s->trial[i] = q[i] + fraction * s->move[i];
        }
        double left = reach_approach(s, reached, s->trial);
        double next = reach_find_slide(s, rest, s->trial);
        double gain = reach_distance2(s, q, rest) - reach_distance2(s, s->trial, rest);
        if (left <= 10.0 * reached && (gain > 1e-10 || next < longest)) {
            memcpy(q, s->trial, (size_t)s->count * sizeof *q);
            longest = next;
            fraction = fmin(1.0, 2.0 * fraction);
        } else {
            fraction *= 0.5;
            longest = reach_find_slide(s, rest, q);
        }
    }
}

// Number `index` of Halton's sequence in this dimension, in -1 .. 1.
// Low-discrepancy points cover the limits evenly and are the same in every run.
static double reach_scatter(int index, int dimension)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
    int base = primes[dimension % 8];
    double digit = 1.0, sum = 0.0;
    for (int i = index + dimension / 8; i > 0; i /= base) {
        digit /= base;
        sum += digit * (i % base);
    }
    return 2.0 * sum - 1.0;
}

// From bent poses about q. Of the first size of bend that leads to no error, the answer nearest to rest; else the
// one that came nearest, if it is nearer than `left`. Into `nearest`.
static double reach_bend(reach_space *s, double reached, const double *rest, const double *q,
                         double left)
{
    enum { STARTS = 24 };
    static const double size[] = {0.1, 0.5, 6.3}; // [rad or m]
    double enough = 10.0 * reached, nearest = INFINITY;
    for (int b = 0; b < 3 && left > enough; ++b) {
        for (int k = 1; k <= STARTS; ++k) {
            for (int i = 0; i < s->count; ++i) {
                double low = max_of(s->lower[i], q[i] - size[b]);
                double high = fmin(s->upper[i], q[i] + size[b]);
                s->trial[i] = 0.5 * (low + high + (high - low) * reach_scatter(k, i));
            }
            double other = reach_approach(s, reached, s->trial);
            double far = reach_distance2(s, s->trial, rest);
            bool better = other <= enough ? far < nearest - 1e-9 : other < left;
            if (better) {
                memcpy(s->nearest, s->trial, (size_t)s->count * sizeof *q);
                left = other;
                nearest = other <= enough ? far : nearest;
            }
        }
    }
    return left;
}

// Order matters: q first, since callers follow a path and want the nearby answer; then rest; then
// bent poses. Only an answer without error is moved towards rest. Returns what is left of the
// error.
double pawl_reach(reach_space *s, double reached, const double *rest, double *q)
{
    size_t size = (size_t)s->count * sizeof *q;
    double left = reach_approach(s, reached, q);
    // Caught at a limit, perhaps: once more from rest.
    if (left > 10.0 * reached && s->count > 0) {
        memcpy(s->trial, rest, size);
        double other = reach_approach(s, reached, s->trial);
        if (other < left) {
            memcpy(q, s->trial, size);
            left = other;
        }
    }
    if (left > 10.0 * reached && s->count > 0) {
        memcpy(s->nearest, q, size);
        left = reach_bend(s, reached, rest, q, left);
        memcpy(q, s->nearest, size);
    }
    if (left <= 10.0 * reached) {
        reach_settle(s, reached, rest, q);
        s->errors(s->user, q, s->e, NULL);
        left = reach_norm(s->e, s->rows);
    }
    return left;
}
