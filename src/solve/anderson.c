// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Anderson's acceleration (1965) of a fixed-point iteration: least squares over the last changes,
// by normal equations of at most eight columns that are updated from one step to the next.
#include "solve/anderson.h"
#include "linalg/dense.h"
#include <string.h>

static const double anderson_shift = 1e-12; // of the Gram matrix: old steps may repeat each other

// changes and images are (ANDERSON_DEPTH x n), one column after another with the n of the problem, not max_rows apart.
anderson pawl_anderson_layout(int max_rows, pawl_carver *mem)
{
    size_t columns = (size_t)ANDERSON_DEPTH * (size_t)max_rows;
    return (anderson){.changes = PAWL_CARVE(mem, double, columns),
                      .images = PAWL_CARVE(mem, double, columns),
                      .f = PAWL_CARVE(mem, double, max_rows),
                      .g = PAWL_CARVE(mem, double, max_rows)};
}

void pawl_anderson_begin(anderson *a)
{
    a->count = a->next = 0;
    a->started = false;
}

// Weighted inner product. Weights are diag(D + R), so that impulses of light and heavy bodies count by the energy that
// they stand for. Rows without a weight count once. Two partial sums in a fixed order: the same bits everywhere.
static double anderson_dot(int n, const double *weight, const double *x, const double *y)
{
    double s0 = 0.0, s1 = 0.0;
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        s0 += (weight[i] > 0.0 ? weight[i] : 1.0) * x[i] * y[i];
        s1 += (weight[i + 1] > 0.0 ? weight[i + 1] : 1.0) * x[i + 1] * y[i + 1];
    }
    if (i < n) {
        s0 += (weight[i] > 0.0 ? weight[i] : 1.0) * x[i] * y[i];
    }
    return s0 + s1;
}

// Puts the newest differences in the oldest column and updates the Gram matrix of the changes.
static void anderson_push(anderson *a, int n, const double *weight, const double *x,
                          const double *g)
{
    int column = a->next;
    double *change = a->changes + (size_t)column * (size_t)n;
    double *image = a->images + (size_t)column * (size_t)n;
    for (int i = 0; i < n; ++i) {
        change[i] = g[i] - x[i] - a->f[i];
        image[i] = g[i] - a->g[i];
    }
    a->next = (column + 1) % ANDERSON_DEPTH;
    a->count = a->count < ANDERSON_DEPTH ? a->count + 1 : ANDERSON_DEPTH;
    for (int k = 0; k < a->count; ++k) {
        double dot = anderson_dot(n, weight, a->changes + (size_t)k * (size_t)n, change);
        a->gram[column * ANDERSON_DEPTH + k] = a->gram[k * ANDERSON_DEPTH + column] = dot;
    }
}

// Type II: of all combinations of the last images that with the least residual f = g(x) - x, by normal equations in
// the weighted norm. Their matrix is close to singular when changes are nearly parallel, which the relative shift
// bounds.
// x (rows) is the point of this iteration on entry and the point to continue from on return, g its image. Returns
// whether the result is a combination; the first call after pawl_anderson_begin only returns g. The caller must bring
// x back into cones and bounds, since a combination has negative coefficients.
bool pawl_anderson_step(anderson *a, int n, const double *weight, double *x, const double *g)
{
    if (a->started) {
        anderson_push(a, n, weight, x, g);
    }
    a->started = true;
    for (int i = 0; i < n; ++i) {
        a->f[i] = g[i] - x[i];
    }
    memcpy(a->g, g, (size_t)n * sizeof *g);
    memcpy(x, g, (size_t)n * sizeof *g);
    if (a->count == 0) {
        return false;
    }
    double matrix[ANDERSON_DEPTH * ANDERSON_DEPTH], inverse[ANDERSON_DEPTH], c[ANDERSON_DEPTH];
    int m = a->count;
    for (int r = 0; r < m; ++r) {
        c[r] = anderson_dot(n, weight, a->changes + (size_t)r * (size_t)n, a->f);
        for (int k = 0; k < m; ++k) {
            matrix[r * m + k] = a->gram[r * ANDERSON_DEPTH + k];
        }
        matrix[r * m + r] *= 1.0 + anderson_shift;
    }
    pawl_ldl_factor(matrix, m, m, 1e-14, NULL, inverse);
    pawl_ldl_solve(matrix, m, m, inverse, c);
    for (int r = 0; r < m; ++r) {
        const double *image = a->images + (size_t)r * (size_t)n;
        for (int i = 0; i < n; ++i) {
            x[i] -= c[r] * image[i];
        }
    }
    return true;
}
