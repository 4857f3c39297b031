// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Lemke's method (Cottle, Pang, Stone 1992, section 4.4; degenerate problems by the lexicographic rule
// of their section 4.9). An artificial variable z0 makes w = M z + q + 1 z0 feasible. Pivots keep all pairs but one
// complementary; the complement of the variable that left enters next, until z0 leaves.
//
// The tableau is condensed: the n + 1 columns of the variables that are zero. A pivot exchanges a
// column for a row in place, n^2 operations. The rows of B^-1, which break ties, are available as well: the column of
// w_j if w_j is zero, otherwise a unit vector. They also refine the solution with the original M, which removes the
// accumulated rounding of the pivots.
//
// With redundant contacts nearly all ratio tests are ties except for rounding, and the tolerance for ties decides
// whether the pivots fail: about one in a hundred problems of a mechanism thrown on the ground fails, a different one
// for each tolerance. Therefore four tolerances are tried in turn.
#include "linalg/lemke.h"
#include "linalg/dense.h"
#include <math.h>
#include <string.h>

// All in the units of a problem whose largest entries of M and q are 1.
static const double lemke_smallest_pivot = 1e-8; // of the largest entry of its column
static const double lemke_ties[] = {1e-11, 1e-12, 1e-10, 1e-13}; // of two rows that may be equal
static const double lemke_accuracy = 1e-9;                       // of an answer

// Variables are numbered: w_i is i, z_i is n + i, z0 is 2 n. place[variable] is its row where it is
// basic, and -1 - column where it is zero.
lemke pawl_lemke_layout(int capacity, pawl_carver *mem)
{
    size_t n = (size_t)capacity;
    return (lemke){.capacity = capacity,
                   .tableau = PAWL_CARVE(mem, double, n *(n + 1)),
                   .right = PAWL_CARVE(mem, double, n),
                   .basic = PAWL_CARVE(mem, int, n),
                   .nonbasic = PAWL_CARVE(mem, int, n + 1),
                   .place = PAWL_CARVE(mem, int, 2 * n + 1),
                   .candidates = PAWL_CARVE(mem, int, n),
                   .value = PAWL_CARVE(mem, double, n),
                   .error = PAWL_CARVE(mem, double, n + 1)};
}

static double *lemke_row(const lemke *s, int n, int i)
{
    return s->tableau + (size_t)i * (size_t)(n + 1);
}

// w - M z - 1 z0 = q, with M and q divided by their largest entries.
// All w are basic at the start. Scaling makes the tolerances above independent of units; z is
// scaled back at the end.
static void lemke_begin(lemke *s, const double *M, const double *q, int n, double m_size,
                        double q_size)
{
    for (int i = 0; i < n; ++i) {
        double *row = lemke_row(s, n, i);
        for (int j = 0; j < n; ++j) {
            row[j] = -M[(size_t)i * (size_t)n + (size_t)j] / m_size;
        }
        row[n] = -1.0;
        s->right[i] = q[i] / q_size;
        s->basic[i] = i;
        s->place[i] = i;
        s->nonbasic[i] = n + i;
        s->place[n + i] = -1 - i;
    }
    s->nonbasic[n] = 2 * n;
    s->place[2 * n] = -1 - n;
}

// The variable of column c takes the place of that of row r.
static void lemke_pivot(lemke *s, int n, int r, int c)
{
    double *pivot_row = lemke_row(s, n, r);
    double inverse = 1.0 / pivot_row[c];
    for (int j = 0; j <= n; ++j) {
        pivot_row[j] *= inverse;
    }
    pivot_row[c] = inverse;
    s->right[r] *= inverse;
    for (int i = 0; i < n; ++i) {
        double *row = lemke_row(s, n, i), factor = row[c];
        if (i == r || factor == 0.0) {
            continue;
        }
        row[c] = 0.0;
        for (int j = 0; j <= n; ++j) {
            row[j] -= factor * pivot_row[j];
        }
        s->right[i] -= factor * s->right[r];
    }
    int enters = s->nonbasic[c], leaves = s->basic[r];
    s->basic[r] = enters;
    s->nonbasic[c] = leaves;
    s->place[enters] = r;
    s->place[leaves] = -1 - c;
}

// Entry (i, j) of B^-1: column j of the w's.
static double lemke_inverse(const lemke *s, int n, int i, int j)
{
    int place = s->place[j];
    return place >= 0 ? (place == i ? 1.0 : 0.0) : lemke_row(s, n, i)[-1 - place];
}

// Of the candidates those stay whose ratio to the entries of column c is the least; the values are
// those on the right (j < 0) or column j of B^-1. Returns how many stay.
static int lemke_filter(lemke *s, int n, int c, int j, int count, double tie)
{
    double least = INFINITY;
    for (int k = 0; k < count; ++k) {
        int i = s->candidates[k];
        double value = j < 0 ? s->right[i] : lemke_inverse(s, n, i, j);
        least = fmin(least, value / lemke_row(s, n, i)[c]);
    }
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        int i = s->candidates[k];
        double value = j < 0 ? s->right[i] : lemke_inverse(s, n, i, j);
        // The value of row i if another row of the least ratio were chosen.
        if (value - least * lemke_row(s, n, i)[c] <= tie) {
            s->candidates[kept++] = i;
        }
    }
    return kept;
}

// The row that blocks first as the variable of column c grows; -1 for none.
// Ratio test: entry (i, c) > 0 means that the basic variable of row i falls as that of column c
// grows. Pivots far below the largest entry of their column are never taken, because they would
// multiply rounding errors. z0 is preferred in a tie: the search ends there.
static int lemke_blocking_row(lemke *s, int n, int c, double tie)
{
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(lemke_row(s, n, i)[c]));
    }
    int count = 0;
    for (int i = 0; i < n; ++i) {
        if (lemke_row(s, n, i)[c] > lemke_smallest_pivot * largest) {
            s->candidates[count++] = i;
        }
    }
    if (count == 0) {
        return -1;
    }
    count = lemke_filter(s, n, c, -1, count, tie);
    for (int k = 0; k < count; ++k) { // a tie with z0 ends the search
        if (s->basic[s->candidates[k]] == 2 * n) {
            return s->candidates[k];
        }
    }
    for (int j = 0; j < n && count > 1; ++j) {
        count = lemke_filter(s, n, c, j, count, tie);
    }
    return s->candidates[0];
}

// Pivots until z0 has left.
// The variable complementary to the one that left enters next. A column that no row blocks is a
// ray: no solution is found along this path.
static lemke_result lemke_search(lemke *s, int n, int max_pivots, double tie)
{
    lemke_result result = {LEMKE_SOLVED, 0};
    if (n == 0) {
        return result;
    }
    int r = 0;
    for (int i = 1; i < n; ++i) { // ties go to the last: the lexicographic rule for the first pivot
        r = s->right[i] <= s->right[r] ? i : r;
    }
    if (s->right[r] >= 0.0) {
        return result;
    }
    int leaves = s->basic[r], c = n;
    lemke_pivot(s, n, r, c);
    for (result.pivots = 1; leaves != 2 * n; ++result.pivots) {
        if (result.pivots >= max_pivots) {
            result.outcome = LEMKE_LIMIT;
            return result;
        }
        int enters = leaves < n ? leaves + n : leaves - n;
        c = -1 - s->place[enters];
        r = lemke_blocking_row(s, n, c, tie);
        if (r < 0) {
            result.outcome = LEMKE_RAY;
            return result;
        }
        leaves = s->basic[r];
        lemke_pivot(s, n, r, c);
    }
    return result;
}

// Values of z, multiplied by `scale`; small negative values are rounding.
static void lemke_read(const lemke *s, int n, double scale, double *z)
{
    for (int i = 0; i < n; ++i) {
        int row = s->place[n + i];
        z[i] = row >= 0 ? fmax(0.0, s->right[row]) * scale : 0.0;
    }
}

// Adds B^-1 (q - (w - M z)) to the values of the basic variables: one step of refinement against the M
// and q that were given.
static void lemke_refine(lemke *s, const double *M, const double *q, int n, double m_size,
                         double q_size)
{
    lemke_read(s, n, 1.0, s->value);
    memset(s->error, 0, (size_t)(n + 1) * sizeof *s->error);
    for (int i = 0; i < n; ++i) {
        double w = s->place[i] >= 0 ? s->right[s->place[i]] : 0.0;
        double Mz = pawl_dot(M + (size_t)i * (size_t)n, s->value, n);
        double error = q[i] / q_size - w + Mz / m_size;
        if (s->place[i] >= 0) {
            s->right[s->place[i]] += error; // its column of B^-1 is a unit vector
        } else {
            s->error[-1 - s->place[i]] = error;
        }
    }
    for (int i = 0; i < n; ++i) {
        s->right[i] += pawl_dot(lemke_row(s, n, i), s->error, n + 1);
    }
}

// Largest |min(w, z)| of the values read, relative to the largest of 1 and z.
static double lemke_judge(lemke *s, const double *M, const double *q, int n, double m_size,
                          double q_size)
{
    double worst = 0.0, largest = 1.0;
    lemke_read(s, n, 1.0, s->value);
    for (int i = 0; i < n; ++i) {
        double Mz = pawl_dot(M + (size_t)i * (size_t)n, s->value, n);
        double w = q[i] / q_size + Mz / m_size;
        worst = fmax(worst, fabs(fmin(w, s->value[i])));
        largest = fmax(largest, s->value[i]);
    }
    return worst / largest;
}

static double lemke_largest(const double *x, size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest > 0.0 ? largest : 1.0;
}

lemke_result pawl_lemke(lemke *s, const double *M, const double *q, int n, int max_pivots,
                        double *z)
{
    PAWL_ASSERT(n <= s->capacity);
    double m_size = lemke_largest(M, (size_t)n * (size_t)n), q_size = lemke_largest(q, (size_t)n);
    double least = INFINITY;
    lemke_result result = {LEMKE_SOLVED, 0};
    for (size_t k = 0; k < sizeof lemke_ties / sizeof *lemke_ties; ++k) {
        lemke_begin(s, M, q, n, m_size, q_size);
        lemke_result found = lemke_search(s, n, max_pivots, lemke_ties[k]);
        if (found.outcome == LEMKE_SOLVED) {
            lemke_refine(s, M, q, n, m_size, q_size);
            lemke_refine(s, M, q, n, m_size, q_size);
        }
        // A ray along which z0 is nothing but rounding is an answer as well; a search that ended in a wrong basis is
        // not a solution.
        double error = lemke_judge(s, M, q, n, m_size, q_size);
        result.pivots += found.pivots;
        if (error < least || k == 0) {
            least = error;
            result.outcome = error <= lemke_accuracy         ? LEMKE_SOLVED
                             : found.outcome == LEMKE_SOLVED ? LEMKE_LIMIT
                                                             : found.outcome;
            lemke_read(s, n, q_size / m_size, z);
        }
        if (result.outcome == LEMKE_SOLVED) {
            break;
        }
    }
    return result;
}
