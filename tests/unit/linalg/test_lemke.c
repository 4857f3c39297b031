// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Lemke's method against brute force: of all 2^n sets of z that may be positive, those that give an
// answer. Degenerate problems (equal rows, zeros in q, ties everywhere) are what the lexicographic rule
// is for. Where theory promises an answer (P, positive semidefinite and feasible, strictly copositive,
// friction) none may be missed.
#include "linalg/lemke.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { LCP_MAX = 80, LCP_BRUTE = 7 };

typedef struct lcp {
    int n;
    double M[LCP_MAX * LCP_MAX], q[LCP_MAX];
} lcp;

static void lcp_w(const lcp *p, const double *z, double *w)
{
    dense_product(p->M, z, p->n, p->n, 1, w);
    for (int i = 0; i < p->n; ++i) {
        w[i] += p->q[i];
    }
}

static bool lcp_is_answer(const lcp *p, const double *z, double slack)
{
    double w[LCP_MAX];
    lcp_w(p, z, w);
    for (int i = 0; i < p->n; ++i) {
        if (!(z[i] >= -slack && w[i] >= -slack && fmin(z[i], w[i]) <= slack)) {
            return false;
        }
    }
    return true;
}

// The first set in order of its bits that gives an answer. Sets with a singular matrix are left out:
// an LCP with an answer has one on a set that is not (an extreme point of the answers on that set).
static bool lcp_brute_force(const lcp *p, double *z)
{
    for (int set = 0; set < 1 << p->n; ++set) {
        int index[LCP_BRUTE], m = 0;
        double part[LCP_BRUTE * LCP_BRUTE], right[LCP_BRUTE], x[LCP_BRUTE];
        for (int i = 0; i < p->n; ++i) {
            z[i] = 0.0;
            if ((set >> i & 1) != 0) {
                index[m++] = i;
            }
        }
        for (int a = 0; a < m; ++a) {
            right[a] = -p->q[index[a]];
            for (int b = 0; b < m; ++b) {
                part[a * m + b] = p->M[index[a] * p->n + index[b]];
            }
        }
        if (m > 0 && dense_solve(part, m, right, x) < 1e-12) {
            continue;
        }
        for (int a = 0; a < m; ++a) {
            z[index[a]] = x[a];
        }
        if (lcp_is_answer(p, z, 1e-9)) {
            return true;
        }
    }
    return false;
}

// All solve through here. The scratch is full of what the last problem left.
static lemke_result lcp_solve(const lcp *p, double *z)
{
    static double block[2 * LCP_MAX * (LCP_MAX + 40)];
    pawl_carver mem = {.base = (char *)block, .capacity = sizeof block};
    lemke s = pawl_lemke_layout(LCP_MAX, &mem);
    return pawl_lemke(&s, p->M, p->q, p->n, 20 * p->n + 20, z);
}

static void lcp_must_solve(const lcp *p, double slack)
{
    double z[LCP_MAX];
    lemke_result r = lcp_solve(p, z);
    CHECK_INT(r.outcome, LEMKE_SOLVED);
    CHECK(lcp_is_answer(p, z, slack));
    for (int i = 0; i < p->n; ++i) {
        CHECK(z[i] >= 0.0);
    }
}

// M = B BT + skew + diagonal, B with `rank` columns.
static void lcp_make(lcp *p, int n, int rank, double skew, double diagonal, uint64_t *seed)
{
    p->n = n;
    memset(p->M, 0, sizeof p->M);
    for (int k = 0; k < rank; ++k) {
        double b[LCP_MAX];
        for (int i = 0; i < n; ++i) {
            b[i] = random_in(seed, -1.0, 1.0);
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                p->M[i * n + j] += b[i] * b[j];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        p->M[i * n + i] += diagonal;
        for (int j = 0; j < i; ++j) {
            double a = random_in(seed, -skew, skew);
            p->M[i * n + j] += a;
            p->M[j * n + i] -= a;
        }
        p->q[i] = random_in(seed, -1.0, 1.0);
    }
}

// A positive definite M, symmetric or not, is a P matrix: one answer for every q.
TEST(p_matrices_have_the_one_answer_of_brute_force)
{
    static lcp p;
    uint64_t seed = 1;
    for (int trial = 0; trial < 2000; ++trial) {
        int n = 1 + random_index(&seed, LCP_BRUTE);
        lcp_make(&p, n, n, trial % 2 == 0 ? 0.0 : 2.0, 0.05, &seed);
        double z[LCP_MAX], expected[LCP_MAX];
        CHECK_INT(lcp_solve(&p, z).outcome, LEMKE_SOLVED);
        CHECK(lcp_brute_force(&p, expected));
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(z[i], expected[i], 1e-9);
        }
    }
}

// Cottle, Pang and Stone, theorem 4.4.13: for positive semidefinite M a ray means that there is none.
TEST(semidefinite_matrices_are_solved_or_have_no_answer)
{
    static lcp p;
    uint64_t seed = 2;
    int rays = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        int n = 1 + random_index(&seed, LCP_BRUTE);
        lcp_make(&p, n, random_index(&seed, n + 1), trial % 2 == 0 ? 0.0 : 1.0, 0.0, &seed);
        double z[LCP_MAX], expected[LCP_MAX];
        lemke_result r = lcp_solve(&p, z);
        bool possible = lcp_brute_force(&p, expected);
        CHECK_INT(r.outcome, possible ? LEMKE_SOLVED : LEMKE_RAY);
        CHECK(!possible || lcp_is_answer(&p, z, 1e-8));
        rays += !possible;
    }
    CHECK(rays > 100 && rays < 2900); // both were seen
}

// Strictly copositive M (positive entries): solved for every q.
TEST(copositive_matrices_are_solved)
{
    static lcp p;
    uint64_t seed = 3;
    for (int trial = 0; trial < 2000; ++trial) {
        int n = 1 + random_index(&seed, 20);
        p.n = n;
        for (int i = 0; i < n * n; ++i) {
            p.M[i] = random_in(&seed, 0.0, 1.0) < 0.4 ? 0.0 : random_in(&seed, 0.0, 1.0);
        }
        for (int i = 0; i < n; ++i) {
            p.M[i * n + i] = random_in(&seed, 0.1, 1.0);
            p.q[i] = random_in(&seed, -1.0, 0.3);
        }
        lcp_must_solve(&p, 1e-8);
    }
}

// Small integers, repeated rows, zeros: nearly every ratio test is a tie. Feasible by construction
// (q = w - M z with non-negative w and z, mostly zero), so that semidefinite M have an answer.
TEST(degenerate_problems_end)
{
    static lcp p;
    uint64_t seed = 4;
    for (int trial = 0; trial < 3000; ++trial) {
        int n = 2 + random_index(&seed, 30), rank = 1 + random_index(&seed, 4);
        p.n = n;
        memset(p.M, 0, sizeof p.M);
        for (int k = 0; k < rank; ++k) {
            double b[LCP_MAX];
            for (int i = 0; i < n; ++i) {
                b[i] = (double)(random_index(&seed, 3) - 1);
            }
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                    p.M[i * n + j] += b[i] * b[j];
                }
            }
        }
        for (int i = 0; i < n; ++i) {
            p.q[i] = random_index(&seed, 3) == 0 ? 1.0 : 0.0;
        }
        for (int j = 0; j < n; ++j) {
            double z = random_index(&seed, 3) == 0 ? 1.0 : 0.0;
            for (int i = 0; i < n; ++i) {
                p.q[i] -= p.M[i * n + j] * z;
            }
        }
        lcp_must_solve(&p, 1e-9);
    }
}

// Kostreva 1979: the pivoting rules that pick the first of tied rows go round for ever here.
TEST(the_example_on_which_pivots_cycle_is_solved)
{
    lcp p = {.n = 3, .M = {1, 2, 0, 0, 1, 2, 2, 0, 1}, .q = {-1, -1, -1}};
    double z[LCP_MAX];
    CHECK_INT(lcp_solve(&p, z).outcome, LEMKE_SOLVED);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(z[i], 1.0 / 3.0, 1e-15);
    }
}

// By hand: w = -z - 1 has no answer; w = 0 z - 1 neither; nothing to do where q >= 0 or n = 0.
TEST(rays_and_trivial_problems)
{
    double z[LCP_MAX];
    CHECK_INT(lcp_solve(&(lcp){.n = 1, .M = {-1}, .q = {-1}}, z).outcome, LEMKE_RAY);
    CHECK_INT(lcp_solve(&(lcp){.n = 1, .M = {0}, .q = {-1}}, z).outcome, LEMKE_RAY);
    lemke_result r = lcp_solve(&(lcp){.n = 2, .M = {1, 5, -7, 1}, .q = {0, 3}}, z);
    CHECK(r.outcome == LEMKE_SOLVED && r.pivots == 0 && z[0] == 0.0 && z[1] == 0.0);
    CHECK_INT(lcp_solve(&(lcp){.n = 0}, z).outcome, LEMKE_SOLVED);
}

TEST(pivots_that_run_out_are_reported)
{
    static lcp p;
    uint64_t seed = 5;
    lcp_make(&p, 20, 20, 0.0, 0.1, &seed);
    double z[LCP_MAX];
    static double block[2 * LCP_MAX * (LCP_MAX + 40)];
    pawl_carver mem = {.base = (char *)block, .capacity = sizeof block};
    lemke s = pawl_lemke_layout(20, &mem);
    lemke_result r = pawl_lemke(&s, p.M, p.q, p.n, 3, z);
    CHECK(r.outcome == LEMKE_LIMIT && r.pivots == 4 * 3);
}

// Friction with k directions a contact (Stewart and Trinkle 1996): always an answer when the velocities
// are those of bodies. Contacts repeat each other, as the corners of a box do, so that M has rank 6 at
// most, and units are mixed: masses from a gram to a tonne.
TEST(friction_problems_are_solved_whatever_the_mass)
{
    static lcp p;
    uint64_t seed = 6;
    enum { DIRECTIONS = 4, SPEEDS = 6 };
    for (int trial = 0; trial < 400; ++trial) {
        int contacts = 1 + random_index(&seed, 12), rows = contacts * (DIRECTIONS + 1);
        double J[LCP_MAX][SPEEDS], u[SPEEDS], weight = pow(10.0, random_in(&seed, -3.0, 3.0));
        for (int i = 0; i < SPEEDS; ++i) {
            u[i] = trial % 4 == 0 && i != 2 ? 0.0 : random_in(&seed, -1.0, 1.0);
        }
        u[2] = -fabs(u[2]);
        for (int k = 0; k < contacts; ++k) {
            pawl_vec3 at = random_vec(&seed, 1.0);
            for (int d = 0; d <= DIRECTIONS; ++d) {
                double a = 1.5707963267948966 * d;
                pawl_vec3 e = d == DIRECTIONS ? v3(0, 0, 1) : v3(cos(a), sin(a), 0);
                pawl_vec3 t = v3_cross(at, e);
                const double row[SPEEDS] = {e.x, e.y, e.z, t.x, t.y, t.z};
                memcpy(J[k * (DIRECTIONS + 1) + d], row, sizeof row);
            }
        }
        p.n = rows + contacts;
        memset(p.M, 0, sizeof p.M);
        memset(p.q, 0, sizeof p.q);
        for (int i = 0; i < rows; ++i) {
            for (int k = 0; k < SPEEDS; ++k) {
                p.q[i] += J[i][k] * u[k];
                for (int j = 0; j < rows; ++j) {
                    p.M[i * p.n + j] += J[i][k] * J[j][k] * weight;
                }
            }
            p.q[i] /= sqrt(weight); // unit diagonal, as pawl_lemke() likes it
            int slip = rows + i / (DIRECTIONS + 1);
            bool normal = i % (DIRECTIONS + 1) == DIRECTIONS;
            p.M[slip * p.n + i] = normal ? 0.7 : -1.0;
            p.M[i * p.n + slip] = normal ? 0.0 : 1.0;
        }
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < rows; ++j) {
                p.M[i * p.n + j] /= weight;
            }
        }
        double z[LCP_MAX];
        CHECK_INT(lcp_solve(&p, z).outcome, LEMKE_SOLVED);
        CHECK(lcp_is_answer(&p, z, 1e-9 * fmax(1.0, 1.0 / sqrt(weight))));
    }
}

// Same input, same bits, whatever was solved before.
TEST(answers_do_not_depend_on_what_was_solved_before)
{
    static lcp p, other;
    uint64_t seed = 7;
    lcp_make(&p, 30, 10, 1.0, 0.0, &seed);
    lcp_make(&other, 40, 40, 1.0, 0.1, &seed);
    double first[LCP_MAX], second[LCP_MAX], z[LCP_MAX];
    lemke_result a = lcp_solve(&p, first);
    lcp_solve(&other, z);
    lemke_result b = lcp_solve(&p, second);
    CHECK(a.outcome == b.outcome && a.pivots == b.pivots);
    CHECK(memcmp(first, second, (size_t)p.n * sizeof *first) == 0);
}
