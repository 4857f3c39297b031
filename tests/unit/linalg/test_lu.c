// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// LU by its residuals A x - b, computed here from the matrix that went in.
#include "linalg/lu.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { LU_MAX = 40, LU_COLUMNS = 5 };

static void lu_random(uint64_t *seed, int n, double *a)
{
    for (int i = 0; i < n * n; ++i) {
        a[i] = random_in(seed, -1.0, 1.0);
    }
    for (int i = 0; i < n; i += 3) { // rows and columns of other sizes, a zero on the diagonal
        for (int j = 0; j < n; ++j) {
            a[i * n + j] *= 1e3;
            a[j * n + i] *= 1e-2;
        }
        a[i * n + i] = n > 3 ? 0.0 : a[i * n + i];
    }
}

TEST(solutions_of_random_systems_satisfy_them)
{
    static double a[LU_MAX * LU_MAX], lu[LU_MAX * LU_MAX];
    uint64_t seed = 1;
    for (int n = 1; n <= LU_MAX; ++n) {
        double x[LU_MAX], y[LU_MAX], X[LU_MAX * LU_COLUMNS], b[LU_MAX];
        int pivot[LU_MAX];
        lu_random(&seed, n, a);
        memcpy(lu, a, sizeof lu);
        CHECK(pawl_lu_factor(lu, n, pivot));
        for (int i = 0; i < n; ++i) {
            b[i] = x[i] = y[i] = random_in(&seed, -1.0, 1.0);
            for (int c = 0; c < LU_COLUMNS; ++c) {
                X[i * LU_COLUMNS + c] = (double)(c + 1) * b[i];
            }
        }
        pawl_lu_solve(lu, n, pivot, x);
        pawl_lu_solve_transposed(lu, n, pivot, y);
        pawl_lu_solve_columns(lu, n, pivot, X, LU_COLUMNS);
        for (int i = 0; i < n; ++i) {
            double straight = -b[i], transposed = -b[i], size = 1.0;
            for (int j = 0; j < n; ++j) {
                straight += a[i * n + j] * x[j];
                transposed += a[j * n + i] * y[j];
                size += fabs(a[i * n + j] * x[j]) + fabs(a[j * n + i] * y[j]);
            }
            CHECK_NEAR(straight, 0.0, 1e-12 * size);
            CHECK_NEAR(transposed, 0.0, 1e-12 * size);
            for (int c = 0; c < LU_COLUMNS; ++c) {
                CHECK_NEAR(X[i * LU_COLUMNS + c], (double)(c + 1) * x[i],
                           1e-9 * (1.0 + fabs(X[i * LU_COLUMNS + c])));
            }
        }
    }
}

TEST(singular_matrices_are_refused)
{
    double zero[4] = {0}, twice[9] = {1, 2, 3, 2, 4, 6, 1, 0, 1}, bad[1] = {NAN};
    int pivot[3];
    CHECK(!pawl_lu_factor(zero, 2, pivot));
    CHECK(!pawl_lu_factor(twice, 3, pivot));
    CHECK(!pawl_lu_factor(bad, 1, pivot));
}
