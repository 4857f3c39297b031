// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The quadratic program on simplices against brute force: of all active sets, those whose equations
// have an answer that is feasible; the best of them is the minimum. Large problems by their gap
//   sum over groups of  gradient . x - min(0, least gradient of the group)  >=  f(x) - f*  >=  0,
// which is zero at the minimum and nowhere else (Frank and Wolfe).
#include "linalg/simplex_qp.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { QP_MAX = 72, QP_GROUPS = 24, QP_BRUTE = 6 };

typedef struct qp {
    int n, groups, begin[QP_GROUPS + 1];
    double Q[QP_MAX * QP_MAX], c[QP_MAX], shift;
} qp;

static simplex_qp_problem qp_problem(const qp *p)
{
    return (simplex_qp_problem){.n = p->n,
                                .group_count = p->groups,
                                .group_begin = p->begin,
                                .Q = p->Q,
                                .c = p->c,
                                .shift = p->shift};
}

static void qp_gradient(const qp *p, const double *x, double *gradient)
{
    dense_product(p->Q, x, p->n, p->n, 1, gradient);
    for (int i = 0; i < p->n; ++i) {
        gradient[i] += p->c[i] + p->shift * x[i];
    }
}

static double qp_value(const qp *p, const double *x)
{
    double gradient[QP_MAX], value = 0.0;
    qp_gradient(p, x, gradient);
    for (int i = 0; i < p->n; ++i) {
        value += 0.5 * x[i] * (gradient[i] + p->c[i]);
    }
    return value;
}

static double qp_gap(const qp *p, const double *x)
{
    double gradient[QP_MAX], gap = 0.0;
    qp_gradient(p, x, gradient);
    for (int g = 0; g < p->groups; ++g) {
        double least = 0.0;
        for (int i = p->begin[g]; i < p->begin[g + 1]; ++i) {
            gap += gradient[i] * x[i];
            least = fmin(least, gradient[i]);
        }
        gap -= least;
    }
    return gap;
}

static bool qp_feasible(const qp *p, const double *x, double slack)
{
    for (int g = 0; g < p->groups; ++g) {
        double sum = 0.0;
        for (int i = p->begin[g]; i < p->begin[g + 1]; ++i) {
            if (!(x[i] >= -slack)) {
                return false;
            }
            sum += x[i];
        }
        if (!(sum <= 1.0 + slack)) {
            return false;
        }
    }
    return true;
}

// Minimum over the free variables, the groups in `full` summing to one.
static bool qp_on_set(const qp *p, int zero, int full, double *x)
{
    enum { SIZE = QP_BRUTE + QP_BRUTE };
    double A[SIZE * SIZE] = {0}, b[SIZE] = {0}, y[SIZE];
    int n = p->n, size = n;
    double system[SIZE * SIZE];
    for (int i = 0; i < n; ++i) {
        bool fixed = (zero >> i & 1) != 0;
        b[i] = fixed ? 0.0 : -p->c[i];
        for (int j = 0; j < n; ++j) {
            double own = p->Q[i * n + j] + (i == j ? p->shift : 0.0);
            A[i * SIZE + j] = fixed ? (i == j ? 1.0 : 0.0) : own;
        }
    }
    for (int g = 0; g < p->groups; ++g) {
        if ((full >> g & 1) == 0) {
            continue;
        }
        for (int i = p->begin[g]; i < p->begin[g + 1]; ++i) {
            A[size * SIZE + i] = 1.0;
            A[i * SIZE + size] = (zero >> i & 1) != 0 ? 0.0 : 1.0;
        }
        b[size++] = 1.0;
    }
    for (int i = 0; i < size; ++i) {
        memcpy(system + i * size, A + i * SIZE, (size_t)size * sizeof *system);
    }
    if (dense_solve(system, size, b, y) < 1e-13) {
        return false;
    }
    memcpy(x, y, (size_t)n * sizeof *x);
    return true;
}

static double qp_brute_force(const qp *p)
{
    double best = INFINITY;
    for (int zero = 0; zero < 1 << p->n; ++zero) {
        for (int full = 0; full < 1 << p->groups; ++full) {
            double x[QP_BRUTE];
            if (qp_on_set(p, zero, full, x) && qp_feasible(p, x, 1e-9)) {
                best = fmin(best, qp_value(p, x));
            }
        }
    }
    return best;
}

// All solve through here; the scratch is full of what the last problem left.
static simplex_qp_result qp_solve(const qp *p, bool warm, double *x)
{
    static double block[3 * QP_MAX * QP_MAX + 24 * QP_MAX];
    pawl_carver mem = {.base = (char *)block, .capacity = sizeof block};
    simplex_qp s = pawl_simplex_qp_layout(QP_MAX, QP_GROUPS, &mem);
    simplex_qp_problem problem = qp_problem(p);
    simplex_qp_result result = pawl_simplex_qp_solve(&s, &problem, warm, x);
    CHECK(result.solved);
    CHECK(qp_feasible(p, x, 1e-15 * p->n));
    return result;
}

static double qp_size(const qp *p)
{
    double size = 1e-300;
    for (int i = 0; i < p->n; ++i) {
        size = fmax(size, fmax(fabs(p->c[i]), p->Q[i * p->n + i] + p->shift));
    }
    return size;
}

// Q = AT A of the given rank; groups of 1 to `most`.
static void qp_random(qp *p, uint64_t *seed, int n, int most, int rank)
{
    static double A[QP_MAX * QP_MAX];
    p->n = n;
    p->groups = 0;
    for (int i = 0; i < n;) {
        p->begin[p->groups++] = i;
        i += p->groups == QP_GROUPS ? n : 1 + random_index(seed, most);
    }
    p->begin[p->groups] = n;
    for (int i = 0; i < rank * n; ++i) {
        A[i] = random_in(seed, -1.0, 1.0);
    }
    for (int i = 0; i < n; ++i) {
        p->c[i] = random_in(seed, -2.0, 1.0);
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < rank; ++k) {
                sum += A[k * n + i] * A[k * n + j];
            }
            p->Q[i * n + j] = sum;
        }
    }
}

TEST(brute_force_finds_nothing_better)
{
    uint64_t seed = 11;
    for (int trial = 0; trial < 600; ++trial) {
        qp p;
        int n = 1 + random_index(&seed, QP_BRUTE);
        qp_random(&p, &seed, n, 4, n);
        p.shift = trial % 2 == 0 ? 1e-3 : 0.5;
        double x[QP_BRUTE];
        qp_solve(&p, false, x);
        CHECK_NEAR(qp_value(&p, x), qp_brute_force(&p), 1e-11 * qp_size(&p));
    }
}

// Equal columns, zero columns, gradients of zero and whole numbers: ties everywhere.
TEST(degenerate_problems_are_solved)
{
    uint64_t seed = 5;
    for (int trial = 0; trial < 600; ++trial) {
        qp p;
        int n = 2 + random_index(&seed, QP_BRUTE - 1);
        qp_random(&p, &seed, n, 4, n);
        double A[QP_BRUTE * QP_BRUTE];
        for (int i = 0; i < n * n; ++i) {
            A[i] = (double)(random_index(&seed, 3) - 1);
        }
        for (int k = 0; k < n; ++k) {
            A[k * n + 1] = A[k * n]; // two columns alike
        }
        for (int i = 0; i < n; ++i) {
            p.c[i] = (double)(random_index(&seed, 4) - 2);
            for (int j = 0; j < n; ++j) {
                double sum = 0.0;
                for (int k = 0; k < n; ++k) {
                    sum += A[k * n + i] * A[k * n + j];
                }
                p.Q[i * n + j] = sum;
            }
        }
        p.c[1] = p.c[0];
        p.shift = trial % 3 == 0 ? 0.0 : 1e-4;
        double x[QP_BRUTE];
        qp_solve(&p, false, x);
        CHECK_NEAR(qp_gap(&p, x), 0.0, 1e-10 * qp_size(&p));
        if (p.shift > 0.0) {
            double guess[QP_BRUTE];
            for (int i = 0; i < n; ++i) { // zeros, full groups, sums above 1
                guess[i] = 0.5 * (double)random_index(&seed, 3);
            }
            qp_solve(&p, true, guess);
            CHECK_NEAR(qp_value(&p, x), qp_brute_force(&p), 1e-10 * qp_size(&p));
            CHECK_NEAR(qp_value(&p, guess), qp_brute_force(&p), 1e-10 * qp_size(&p));
        }
    }
}

TEST(large_problems_have_no_gap)
{
    uint64_t seed = 7;
    for (int trial = 0; trial < 120; ++trial) {
        qp p;
        int n = 10 + random_index(&seed, QP_MAX - 10);
        qp_random(&p, &seed, n, 7, trial % 2 == 0 ? n : 12);
        const double shifts[] = {1e-4, 0.0, 1.0, 1e-8};
        p.shift = shifts[trial % 4];
        double x[QP_MAX];
        qp_solve(&p, false, x);
        CHECK_NEAR(qp_gap(&p, x), 0.0, 1e-9 * qp_size(&p));
    }
}

// From the answer nothing enters; from the answer to a problem nearby less does than from nothing;
// from nonsense the answer is the same.
TEST(a_warm_start_changes_the_work_alone)
{
    uint64_t seed = 3;
    int cold_sum = 0, warm_sum = 0;
    for (int trial = 0; trial < 100; ++trial) {
        qp p;
        qp_random(&p, &seed, 24, 6, 24);
        p.shift = 1e-2;
        double cold[QP_MAX], warm[QP_MAX];
        cold_sum += qp_solve(&p, false, cold).iterations;
        memcpy(warm, cold, sizeof warm);
        CHECK(qp_solve(&p, true, warm).iterations == 0);
        for (int i = 0; i < p.n; ++i) {
            CHECK_NEAR(warm[i], cold[i], 1e-11);
            p.c[i] += random_in(&seed, -0.02, 0.02);
        }
        warm_sum += qp_solve(&p, true, warm).iterations;
        double fresh[QP_MAX], wrong[QP_MAX];
        qp_solve(&p, false, fresh);
        for (int i = 0; i < p.n; ++i) {
            wrong[i] = (double)random_index(&seed, 2);
        }
        qp_solve(&p, true, wrong);
        for (int i = 0; i < p.n; ++i) {
            CHECK_NEAR(warm[i], fresh[i], 1e-11);
            CHECK_NEAR(wrong[i], fresh[i], 1e-11);
        }
    }
    CHECK(4 * warm_sum < cold_sum);
}

// One variable: x = clamp(-c/(q + shift), 0, 1). No variable: nothing to do.
TEST(the_smallest_problems_are_exact)
{
    qp p = {.n = 1, .groups = 1, .begin = {0, 1}, .Q = {3.0}, .shift = 1.0};
    const double c[] = {-2.0, -8.0, 5.0, 0.0}, answer[] = {0.5, 1.0, 0.0, 0.0};
    for (int k = 0; k < 4; ++k) {
        double x = 0.3;
        p.c[0] = c[k];
        qp_solve(&p, k % 2 == 0, &x);
        CHECK_NEAR(x, answer[k], 1e-15);
    }
    qp none = {.n = 0, .groups = 0, .begin = {0}};
    double x = 0.0;
    qp_solve(&none, true, &x);
}
