// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/dense_reference.h"

#include "support/test.h"
#include <math.h>
#include <string.h>

double dense_solve(const double *A, int n, const double *b, double *x)
{
    static double a[DENSE_MAX * DENSE_MAX], y[DENSE_MAX];
    CHECK(n <= DENSE_MAX);
    memcpy(a, A, (size_t)(n * n) * sizeof *a);
    memcpy(y, b, (size_t)n * sizeof *y);
    double smallest = INFINITY, largest = 0.0;
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(a[i * n + k]) > fabs(a[p * n + k]) ? i : p;
        }
        for (int j = 0; j < n; ++j) {
            double swap = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = swap;
        }
        double swap = y[k];
        y[k] = y[p];
        y[p] = swap;
        double pivot = a[k * n + k];
        smallest = fmin(smallest, fabs(pivot));
        largest = fmax(largest, fabs(pivot));
        if (pivot == 0.0) {
            return 0.0;
        }
        for (int i = k + 1; i < n; ++i) {
            double f = a[i * n + k] / pivot;
            for (int j = k; j < n; ++j) {
                a[i * n + j] -= f * a[k * n + j];
            }
            y[i] -= f * y[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) {
            y[k] -= a[k * n + j] * y[j];
        }
        y[k] /= a[k * n + k];
    }
    memcpy(x, y, (size_t)n * sizeof *x);
    return n > 0 ? smallest / largest : 1.0;
}

void dense_eigen(const double *A, int n, double *values, double *V)
{
    static double a[DENSE_MAX * DENSE_MAX];
    CHECK(n <= DENSE_MAX);
    memcpy(a, A, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n * n; ++i) {
        V[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0.0, all = 0.0;
        for (int i = 0; i < n * n; ++i) {
            all += a[i] * a[i];
            off += i / n != i % n ? a[i] * a[i] : 0.0;
        }
        if (off <= 1e-34 * all) {
            break;
        }
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                double x = a[p * n + q];
                if (x == 0.0) {
                    continue;
                }
                double t = 0.5 * (a[q * n + q] - a[p * n + p]) / x;
                t = (t >= 0.0 ? 1.0 : -1.0) / (fabs(t) + sqrt(t * t + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < n; ++k) {
                    double u = a[k * n + p], w = a[k * n + q];
                    a[k * n + p] = c * u - s * w;
                    a[k * n + q] = s * u + c * w;
                }
                for (int k = 0; k < n; ++k) {
                    double u = a[p * n + k], w = a[q * n + k];
                    a[p * n + k] = c * u - s * w;
                    a[q * n + k] = s * u + c * w;
                    u = V[k * n + p], w = V[k * n + q];
                    V[k * n + p] = c * u - s * w;
                    V[k * n + q] = s * u + c * w;
                }
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        values[i] = a[i * n + i];
    }
}

int dense_pseudo_solve(const double *A, int n, double cut, const double *b, double *x)
{
    static double V[DENSE_MAX * DENSE_MAX], values[DENSE_MAX], y[DENSE_MAX];
    dense_eigen(A, n, values, V);
    double largest = 0.0;
    for (int k = 0; k < n; ++k) {
        largest = fmax(largest, values[k]);
    }
    int rank = 0;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int k = 0; k < n; ++k) {
        if (values[k] <= cut * largest) {
            continue;
        }
        ++rank;
        double s = 0.0;
        for (int i = 0; i < n; ++i) {
            s += V[i * n + k] * b[i];
        }
        for (int i = 0; i < n; ++i) {
            y[i] += V[i * n + k] * s / values[k];
        }
    }
    memcpy(x, y, (size_t)n * sizeof *x);
    return rank;
}

void dense_product(const double *A, const double *B, int m, int k, int n, double *C)
{
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            double s = 0.0;
            for (int p = 0; p < k; ++p) {
                s += A[i * k + p] * B[p * n + j];
            }
            C[i * n + j] = s;
        }
    }
}
