// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Minimizes a function of a few variables by Nelder and Mead's simplex (1965): reflect, expand,
// contract, shrink. It needs no derivatives and tolerates functions that jump.
#include "simplex_search.h"

#include <string.h>

typedef struct simplex_corner {
    double x[SIMPLEX_MAX], value;
} simplex_corner;

static void simplex_sort(simplex_corner *c, int n)
{
    for (int i = 1; i <= n; ++i) {
        for (int k = i; k > 0 && c[k].value < c[k - 1].value; --k) {
            simplex_corner swap = c[k];
            c[k] = c[k - 1];
            c[k - 1] = swap;
        }
    }
}

double simplex_search(double (*f)(const double *x, void *user), void *user, int n, double *x,
                      const double *step, int evaluations)
{
    simplex_corner c[SIMPLEX_MAX + 1];
    for (int i = 0; i <= n; ++i) {
        memcpy(c[i].x, x, (size_t)n * sizeof *x);
        if (i > 0) {
            c[i].x[i - 1] += step[i - 1];
        }
        c[i].value = f(c[i].x, user);
    }
    for (int used = n + 1; used < evaluations;) {
        simplex_sort(c, n);
        double middle[SIMPLEX_MAX] = {0};
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k) {
                middle[k] += c[i].x[k] / n;
            }
        }
        // Reflected; expanded if that is the best of all, contracted if it is the worst.
        simplex_corner next[2];
        double by[2] = {-1.0, 0.0};
        for (int trial = 0; trial < 2; ++trial) {
            for (int k = 0; k < n; ++k) {
                next[trial].x[k] = middle[k] + by[trial] * (c[n].x[k] - middle[k]);
            }
            next[trial].value = f(next[trial].x, user);
            ++used;
            if (trial == 0) {
                double value = next[0].value;
                if (value >= c[0].value && value < c[n - 1].value) {
                    break;
                }
                by[1] = value < c[0].value ? -2.0 : value < c[n].value ? -0.5 : 0.5;
            } else if (next[1].value >= next[0].value && next[1].value >= c[n].value) {
                for (int i = 1; i <= n; ++i) { // towards the best
                    for (int k = 0; k < n; ++k) {
                        c[i].x[k] = 0.5 * (c[i].x[k] + c[0].x[k]);
                    }
                    c[i].value = f(c[i].x, user);
                    ++used;
                }
            }
            by[0] = by[1];
        }
        simplex_corner *best = &next[0];
        if (by[1] != 0.0 && next[1].value < next[0].value) {
            best = &next[1];
        }
        simplex_sort(c, n);
        if (best->value < c[n].value) {
            c[n] = *best;
        }
    }
    simplex_sort(c, n);
    memcpy(x, c[0].x, (size_t)n * sizeof *x);
    return c[0].value;
}
