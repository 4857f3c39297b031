// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Householder's reflections make a symmetric matrix tridiagonal, then implicit QL steps with Wilkinson's shift make
// it diagonal (Golub and Van Loan, Matrix Computations, sections 8.3 and 8.3.5). 4/3 n^3 operations: a matrix of 400
// rows takes about 50 ms, where Jacobi's method (jacobi.h, which also has vectors) takes seconds.
#include "linalg/eigenvalues.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { EIGEN_MOST_STEPS = 60 }; // for one eigenvalue; three are usual

// v (m) becomes the vector of a reflection I - v vT that takes x (m) to -alpha e_0; returns the entry that is left.
static double eigen_reflector(double *v, int m)
{
    double sum = 0.0;
    for (int i = 1; i < m; ++i) {
        sum += v[i] * v[i];
    }
    if (sum == 0.0) { // nothing below: no reflection
        double left = v[0];
        v[0] = 0.0;
        return left;
    }
    double norm = sqrt(v[0] * v[0] + sum), left = v[0] > 0.0 ? -norm : norm;
    double head = v[0] - left, scale = sqrt(2.0 / (head * head + sum));
    v[0] = scale * head;
    for (int i = 1; i < m; ++i) {
        v[i] *= scale;
    }
    return left;
}

// A <- (I - v vT) A (I - v vT) on the last m rows and columns: A -= v wT + w vT with w = A v - (vT A v / 2) v.
static void eigen_reflect(double *A, int n, int first, const double *v, double *w)
{
    int m = n - first;
    double along = 0.0;
    for (int i = 0; i < m; ++i) {
        const double *row = A + (size_t)(first + i) * (size_t)n + first;
        double sum = 0.0;
        for (int j = 0; j < m; ++j) {
            sum += row[j] * v[j];
        }
        w[i] = sum;
        along += v[i] * sum;
    }
    for (int i = 0; i < m; ++i) {
        w[i] -= 0.5 * along * v[i];
    }
    for (int i = 0; i < m; ++i) {
        double *row = A + (size_t)(first + i) * (size_t)n + first;
        for (int j = 0; j < m; ++j) {
            row[j] -= v[i] * w[j] + w[i] * v[j];
        }
    }
}

// d (n) and e (n - 1): the diagonal and what stands beside it. The row above the part at work holds the vector.
static void eigen_tridiagonal(double *A, int n, double *d, double *e)
{
    for (int k = 0; k < n; ++k) {
        double *v = A + (size_t)k * (size_t)n + k + 1;
        d[k] = A[(size_t)k * (size_t)(n + 1)];
        if (k + 1 < n) {
            double left = eigen_reflector(v, n - k - 1);
            // e beyond k is scratch until it is set.
            eigen_reflect(A, n, k + 1, v, e + k);
            e[k] = left;
        }
    }
}

// One implicit QL step over the rows l to m.
static void eigen_step(double *d, double *e, int l, int m)
{
    double g = (d[l + 1] - d[l]) / (2.0 * e[l]), r = hypot(g, 1.0);
    g = d[m] - d[l] + e[l] / (g + copysign(r, g));
    double s = 1.0, c = 1.0, p = 0.0;
    for (int i = m - 1; i >= l; --i) {
        double f = s * e[i], b = c * e[i];
        r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0.0) { // deflated within the step
            d[i + 1] -= p;
            e[m] = 0.0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0.0;
}

static int eigen_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

void pawl_symmetric_eigenvalues(double *A, int n, double *d, double *e)
{
    if (n == 0) {
        return;
    }
    eigen_tridiagonal(A, n, d, e);
    e[n - 1] = 0.0;
    for (int l = 0; l < n; ++l) {
        for (int steps = 0; steps < EIGEN_MOST_STEPS; ++steps) {
            int m = l;
            while (m + 1 < n && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1]))) {
                ++m;
            }
            if (m == l) {
                break;
            }
            eigen_step(d, e, l, m);
        }
    }
    qsort(d, (size_t)n, sizeof *d, eigen_compare);
}
