// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Eigenvalues of matrices that were built from known ones: A = Q diag(d) QT with Q a product of random reflections.
#include "linalg/eigenvalues.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

static double eigen_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

// A <- (I - 2 v vT / |v|^2) A (I - 2 v vT / |v|^2)
static void eigen_reflect(double *A, int n, double *v, unsigned *seed)
{
    double norm = 0.0;
    for (int i = 0; i < n; ++i) {
        v[i] = eigen_random(seed);
        norm += v[i] * v[i];
    }
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) {
                sum += v[j] * A[side == 0 ? j * n + i : i * n + j];
            }
            for (int j = 0; j < n; ++j) {
                A[side == 0 ? j * n + i : i * n + j] -= 2.0 * v[j] * sum / norm;
            }
        }
    }
}

TEST(eigenvalues_are_those_that_the_matrix_was_built_from)
{
    unsigned seed = 7;
    for (int n = 1; n <= 60; n += n < 8 ? 1 : 13) {
        double *A = calloc((size_t)(n * n), sizeof *A), *d = calloc((size_t)n, sizeof *d);
        double *values = calloc((size_t)n, sizeof *values), *e = calloc((size_t)n, sizeof *e);
        for (int i = 0; i < n; ++i) { // descending; some equal, a third zero
            d[i] = 3 * i >= 2 * n && n > 2 ? 0.0 : pow(10.0, -(double)(i / 2) / 4.0);
            A[i * (n + 1)] = d[i];
        }
        for (int k = 0; k < n; ++k) {
            eigen_reflect(A, n, e, &seed);
        }
        pawl_symmetric_eigenvalues(A, n, values, e);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(values[i], d[i], 1e-13);
        }
        free(A);
        free(d);
        free(values);
        free(e);
    }
}
