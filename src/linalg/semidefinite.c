// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Pivoted Cholesky, a column of L for all rows at once: LT is computed row by row, so that a column is one pass over
// adjacent numbers.
#include "linalg/semidefinite.h"
#include "math/lanes.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static const double semidefinite_rounding = 1e-13; // of a row: less is none

typedef struct semidefinite_rows {
    double *left;     // (n) what is left of the diagonal
    double *inverse;  // (n) 1 / what the row was; 0 once eliminated
    double *open;     // (n) 1; 0 of rows that are eliminated, or were nothing
    double *relative; // (n) left, of what the row was
} semidefinite_rows;

// The next pivot; -1 when only rounding is left.
static int semidefinite_pivot(const double *relative, int n)
{
    int best = -1;
    double most = semidefinite_rounding;
    for (int i = 0; i < n; ++i) {
        if (relative[i] > most) {
            best = i;
            most = relative[i];
        }
    }
    return best;
}

// Column `rank` of L, with pivot j:
//   out = (row j of the matrix - the columns before, each times its entry j) / root,   0 in rows that are eliminated,
// and what then is left of each row.
PAWL_KERNEL static void semidefinite_column(const semidefinite_rows *d, const double *restrict row,
                                            const double *restrict LT, int n, int rank, int j,
                                            double root, double *restrict out)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        lanes sum = LANES_LOAD(row + i), left = LANES_LOAD(d->left + i);
        for (int p = 0; p < rank; ++p) {
            sum -= LANES_LOAD(LT + p * n + i) * LANES_ALL(LT[p * n + j]);
        }
        sum = sum / LANES_ALL(root) * LANES_LOAD(d->open + i);
        left -= sum * sum;
        LANES_STORE(out + i, sum);
        LANES_STORE(d->left + i, left);
        LANES_STORE(d->relative + i, left * LANES_LOAD(d->inverse + i));
    }
    for (; i < n; ++i) {
        double sum = row[i];
        for (int p = 0; p < rank; ++p) {
            sum -= LT[p * n + i] * LT[p * n + j];
        }
        out[i] = sum / root * d->open[i];
        d->left[i] -= out[i] * out[i];
        d->relative[i] = d->left[i] * d->inverse[i];
    }
}

int pawl_semidefinite_factor(const double *matrix, int n, const double *scale, double *scratch,
                             double *LT)
{
    semidefinite_rows d = {scratch, scratch + n, scratch + 2 * n, scratch + 3 * n};
    for (int i = 0; i < n; ++i) {
        double own = matrix[i * (n + 1)], was = scale != NULL ? scale[i] : own;
        bool counts = was > 0.0;
        d.left[i] = own;
        d.inverse[i] = counts ? 1.0 / was : 0.0;
        d.open[i] = counts ? 1.0 : 0.0;
        d.relative[i] = own * d.inverse[i];
    }
    int rank = 0;
    for (int j; rank < n && (j = semidefinite_pivot(d.relative, n)) >= 0; ++rank) {
        double root = sqrt(d.left[j]), *out = LT + rank * n;
        semidefinite_column(&d, matrix + j * n, LT, n, rank, j, root, out);
        out[j] = root;
        d.open[j] = d.inverse[j] = d.relative[j] = 0.0;
    }
    return rank;
}
