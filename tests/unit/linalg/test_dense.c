// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The small dense kernels against plain sums and Gaussian elimination.
#include "linalg/dense.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

#include <string.h>

// By hand: integers add without rounding, so every length must be exact.
TEST(a_dot_product_of_any_length_is_complete)
{
    double a[40], b[40];
    for (int n = 0; n <= 40; ++n) {
        double sum = 0.0;
        for (int i = 0; i < n; ++i) {
            a[i] = (double)(i + 1);
            b[i] = (double)(3 * i - 7);
            sum += a[i] * b[i];
        }
        CHECK(pawl_dot(a, b, n) == sum);
    }
}

// By hand, too: rows of any number and length, with others behind them that must not be touched.
TEST(combinations_of_rows_are_complete)
{
    enum { MOST = 29, LD = MOST + 2 };
    double a[MOST * LD], x[MOST], y[MOST + 1];
    for (int i = 0; i < MOST * LD; ++i) {
        a[i] = (double)(i * i % 101 - 50);
    }
    for (int count = 0; count < MOST; ++count) {
        x[count] = (double)(7 - 2 * count);
        for (int n = 0; n <= MOST; ++n) {
            y[n] = 3.0;
            pawl_combine(a, count, LD, n, x, y);
            for (int i = 0; i < n; ++i) {
                double sum = 0.0;
                for (int k = 0; k < count; ++k) {
                    sum += x[k] * a[k * LD + i];
                }
                CHECK(y[i] == sum);
            }
            CHECK(y[n] == 3.0);
        }
    }
}

// A = B BT + floor 1, of full rank, n x n with leading dimension n.
static void dense_random_definite(uint64_t *seed, int n, int rank, double *A)
{
    double B[DENSE_MAX];
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int k = 0; k < rank; ++k) {
        for (int i = 0; i < n; ++i) {
            B[i] = random_in(seed, -1.0, 1.0);
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                A[i * n + j] += B[i] * B[j];
            }
        }
    }
}

// Gaussian elimination with pivoting. The condition is bounded by the shift: about 1e3.
TEST(a_definite_system_is_solved_as_by_gaussian_elimination)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < 200; ++trial) {
        int n = 1 + random_index(&seed, 20), ld = n + random_index(&seed, 3);
        double A[20 * 20], L[20 * 23], b[20], x[20], y[20], inverse_d[20];
        dense_random_definite(&seed, n, n, A);
        for (int i = 0; i < n; ++i) {
            A[i * n + i] += 0.05;
            b[i] = x[i] = random_in(&seed, -1.0, 1.0);
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < ld; ++j) {
                L[i * ld + j] = j <= i ? A[i * n + j] : 1e30; // only the lower triangle is read
            }
        }
        CHECK_INT(pawl_ldl_factor(L, n, ld, 1e-13, NULL, inverse_d), 0);
        pawl_ldl_solve(L, n, ld, inverse_d, x);
        CHECK(dense_solve(A, n, b, y) > 1e-6);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(x[i], y[i], 1e-11);
        }
    }
}

// By construction: A = B BT has the rank of B, and b = A z can be met. Left-out pivots leave x in
// the directions that remain; their noise is below the floor, 1e-10.
TEST(pivots_of_dependent_rows_are_dropped_and_the_rest_still_solves)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 200; ++trial) {
        int n = 2 + random_index(&seed, 12), rank = 1 + random_index(&seed, n - 1);
        double A[14 * 14], L[14 * 14], x[14], b[14], inverse_d[14];
        dense_random_definite(&seed, n, rank, A);
        memcpy(L, A, sizeof L);
        for (int i = 0; i < n; ++i) {
            x[i] = random_in(&seed, -1.0, 1.0);
        }
        dense_product(A, x, n, n, 1, b);
        memcpy(x, b, sizeof x);
        CHECK_INT(pawl_ldl_factor(L, n, n, 1e-10, NULL, inverse_d), n - rank);
        pawl_ldl_solve(L, n, n, inverse_d, x);
        double got[14];
        dense_product(A, x, n, n, 1, got);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(got[i], b[i], 1e-9);
        }
    }
}

// By hand: a zero matrix and a matrix of NaN have no pivot at all.
TEST(pivots_that_are_zero_or_not_a_number_are_dropped)
{
    double zero[4] = {0}, nan[1] = {NAN}, inverse_d[2];
    CHECK_INT(pawl_ldl_factor(zero, 2, 2, 1e-13, NULL, inverse_d), 2);
    CHECK(inverse_d[0] == 0.0 && inverse_d[1] == 0.0);
    CHECK_INT(pawl_ldl_factor(nan, 1, 1, 1e-13, NULL, inverse_d), 1);
    CHECK(inverse_d[0] == 0.0);
}
