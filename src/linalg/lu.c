// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// L U factorization with partial pivoting of dense unsymmetric matrices, and solves with it and its
// transpose.
//
// Matrices are (n x n), row by row. The factor overwrites the matrix: U on and above the diagonal,
// the unit lower L below it. Rows are exchanged as in LAPACK: whole rows, L included, so that all exchanges can be
// applied to a right side first. The loops are plain and in a fixed order, for reproducible bits.
#include "linalg/lu.h"
#include "base/kernel.h"
#include "linalg/dense.h"
#include <math.h>
#include <stddef.h>

static const double lu_singular = 1e-14;

static void lu_swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

// pivot[k] >= k is the row that was exchanged with row k in step k. Returns false for a matrix that
// is singular to rounding or has NaN or infinite entries: the comparison is written so that NaN
// fails it.
PAWL_KERNEL static bool lu_run_factor(double *a, int n, int *pivot)
{
    size_t ld = (size_t)n;
    for (int k = 0; k < n; ++k) {
        double size = 0.0;
        int best = k;
        for (int i = 0; i < n; ++i) { // rows above hold U, whose entries are as large as any
            double entry = fabs(a[(size_t)i * ld + (size_t)k]);
            size = entry > size ? entry : size;
            best = i > k && entry > fabs(a[(size_t)best * ld + (size_t)k]) ? i : best;
        }
        pivot[k] = best;
        double *row = a + (size_t)k * ld, *other = a + (size_t)best * ld;
        for (int j = 0; j < n && best != k; ++j) {
            lu_swap(row + j, other + j);
        }
        if (!(fabs(row[k]) > lu_singular * size && isfinite(row[k]))) {
            return false;
        }
        for (int i = k + 1; i < n; ++i) {
            double *below = a + (size_t)i * ld, factor = below[k] / row[k];
            below[k] = factor;
            if (factor != 0.0) { // trees leave many zeros
                pawl_axpy(-factor, row + k + 1, below + k + 1, n - k - 1);
            }
        }
    }
    return true;
}

bool pawl_lu_factor(double *a, int n, int *pivot)
{
    return lu_run_factor(a, n, pivot);
}

void pawl_lu_solve(const double *lu, int n, const int *pivot, double *x)
{
    size_t ld = (size_t)n;
    for (int k = 0; k < n; ++k) {
        lu_swap(x + k, x + pivot[k]);
    }
    for (int i = 1; i < n; ++i) {
        x[i] -= pawl_dot(lu + (size_t)i * ld, x, i);
    }
    for (int i = n - 1; i >= 0; --i) {
        const double *row = lu + (size_t)i * ld;
        x[i] = (x[i] - pawl_dot(row + i + 1, x + i + 1, n - i - 1)) / row[i];
    }
}

// A = PT L U, hence AT x = b is UT, then LT, then the exchanges in reverse order.
void pawl_lu_solve_transposed(const double *lu, int n, const int *pivot, double *x)
{
    size_t ld = (size_t)n;
    for (int i = 0; i < n; ++i) {
        const double *row = lu + (size_t)i * ld;
        x[i] /= row[i];
        for (int j = i + 1; j < n; ++j) {
            x[j] -= row[j] * x[i];
        }
    }
    for (int i = n - 1; i > 0; --i) {
        const double *row = lu + (size_t)i * ld;
        for (int j = 0; j < i; ++j) {
            x[j] -= row[j] * x[i];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        lu_swap(x + k, x + pivot[k]);
    }
}

// X (n x columns), row by row: all right sides at once, with inner loops along the rows of X, which
// are contiguous.
PAWL_KERNEL static void lu_run_columns(const double *lu, int n, const int *pivot, double *X,
                                       int columns)
{
    size_t ld = (size_t)n, width = (size_t)columns;
    for (int k = 0; k < n; ++k) {
        for (int c = 0; c < columns && pivot[k] != k; ++c) {
            lu_swap(X + (size_t)k * width + c, X + (size_t)pivot[k] * width + c);
        }
    }
    for (int i = 1; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            double entry = lu[(size_t)i * ld + (size_t)k];
            if (entry != 0.0) { // trees leave many zeros
                pawl_axpy(-entry, X + (size_t)k * width, X + (size_t)i * width, columns);
            }
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        const double *row = lu + (size_t)i * ld;
        for (int k = i + 1; k < n; ++k) {
            if (row[k] != 0.0) {
                pawl_axpy(-row[k], X + (size_t)k * width, X + (size_t)i * width, columns);
            }
        }
        for (int c = 0; c < columns; ++c) {
            X[(size_t)i * width + (size_t)c] /= row[i];
        }
    }
}

void pawl_lu_solve_columns(const double *lu, int n, const int *pivot, double *X, int columns)
{
    lu_run_columns(lu, n, pivot, X, columns);
}
