// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The box problem w = S y + q, lower <= y <= upper, against brute force over all 3^n sides.
#include "solve/box_pivot.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { BOX_MAX = 6 };

typedef struct box_case {
    int n;
    double S[BOX_MAX * BOX_MAX], q[BOX_MAX], lower[BOX_MAX], upper[BOX_MAX];
} box_case;

static void box_w(const box_case *c, const double *y, double *w)
{
    for (int i = 0; i < c->n; ++i) {
        w[i] = c->q[i];
        for (int j = 0; j < c->n; ++j) {
            w[i] += c->S[i * c->n + j] * y[j];
        }
    }
}

static bool box_is_answer(const box_case *c, const double *y, const double *w, double slack)
{
    for (int i = 0; i < c->n; ++i) {
        bool at_lower = y[i] <= c->lower[i] + slack, at_upper = y[i] >= c->upper[i] - slack;
        if (y[i] < c->lower[i] - slack || y[i] > c->upper[i] + slack ||
            (w[i] > slack && !at_lower) || (w[i] < -slack && !at_upper)) {
            return false;
        }
    }
    return true;
}

static void box_brute_force(const box_case *c, double *w)
{
    int count = 1;
    for (int i = 0; i < c->n; ++i) {
        count *= 3;
    }
    for (int k = 0; k < count; ++k) {
        int index[BOX_MAX], m = 0, rest = k;
        double y[BOX_MAX] = {0}, part[BOX_MAX * BOX_MAX], right[BOX_MAX], x[BOX_MAX];
        bool possible = true;
        for (int i = 0; i < c->n; ++i, rest /= 3) {
            int side = rest % 3 - 1;
            y[i] = side < 0 ? c->lower[i] : side > 0 ? c->upper[i] : 0.0;
            possible = possible && isfinite(y[i]);
            if (side == 0) {
                index[m++] = i;
            }
        }
        if (!possible) {
            continue;
        }
        box_w(c, y, w);
        for (int i = 0; i < m; ++i) {
            right[i] = -w[index[i]];
            for (int j = 0; j < m; ++j) {
                part[i * m + j] = c->S[index[i] * c->n + index[j]];
            }
        }
        if (dense_solve(part, m, right, x) < 1e-9) {
            dense_pseudo_solve(part, m, 1e-12, right, x);
        }
        for (int i = 0; i < m; ++i) {
            y[index[i]] = x[i];
        }
        box_w(c, y, w);
        if (box_is_answer(c, y, w, 1e-10)) {
            return;
        }
    }
    fail_msg("brute force found no answer");
}

static void box_check(const box_case *c, uint64_t *seed)
{
    double matrix[BOX_MAX * BOX_MAX], inverse_d[BOX_MAX], x[BOX_MAX], y[BOX_MAX], w[BOX_MAX],
        expected[BOX_MAX];
    int index[BOX_MAX];
    signed char side[BOX_MAX];
    bool tried[BOX_MAX];
    box_pivot scratch = {matrix, inverse_d, x, index, side, tried};
    box_brute_force(c, expected);
    for (int guess = 0; guess < 3; ++guess) {
        for (int i = 0; i < c->n; ++i) {
            y[i] = guess == 0 ? 0.0 : random_in(seed, -2.0, 2.0);
        }
        // as many pivots as the direct solver grants
        int pivots =
            pawl_box_pivot(&scratch, c->S, c->n, c->q, c->lower, c->upper, 0.0, 200 + 40 * c->n, y);
        CHECK(pivots > 0);
        box_w(c, y, w);
        for (int i = 0; i < c->n; ++i) {
            CHECK(y[i] >= c->lower[i] && y[i] <= c->upper[i]);
            // S is shifted by 1e-12 where it lacks rank; impulses there are below 1e3
            CHECK_NEAR(w[i], expected[i], 1e-8);
        }
        CHECK(box_is_answer(c, y, w, 1e-8));
    }
}

// S = B BT of the given rank; bounds and q of size 1.
static void box_make(box_case *c, int rank, uint64_t *seed)
{
    memset(c, 0, sizeof *c);
    c->n = 1 + random_index(seed, BOX_MAX);
    rank = rank < c->n ? rank : c->n;
    for (int k = 0; k < rank; ++k) {
        double b[BOX_MAX];
        for (int i = 0; i < c->n; ++i) {
            b[i] = random_in(seed, -1.0, 1.0);
        }
        for (int i = 0; i < c->n; ++i) {
            for (int j = 0; j < c->n; ++j) {
                c->S[i * c->n + j] += b[i] * b[j];
            }
        }
    }
    for (int i = 0; i < c->n; ++i) {
        c->q[i] = random_in(seed, -1.0, 1.0);
        c->lower[i] = random_in(seed, -1.0, 0.0);
        c->upper[i] = random_in(seed, 0.0, 1.0);
    }
}

TEST(definite_problems_match_brute_force)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < 1000; ++trial) {
        box_case c;
        box_make(&c, BOX_MAX, &seed);
        for (int i = 0; i < c.n; ++i) {
            c.S[i * (c.n + 1)] += 0.01;
            if (trial % 3 == 0) { // as a limit has
                c.lower[i] = 0.0;
                c.upper[i] = INFINITY;
            }
        }
        box_check(&c, &seed);
    }
}

// Rank missing: y is not unique, w is.
TEST(semidefinite_problems_match_brute_force)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 1000; ++trial) {
        box_case c;
        box_make(&c, random_index(&seed, 4), &seed);
        box_check(&c, &seed);
    }
}

// Ties everywhere: bounds that coincide, velocities that are exactly zero, rows that repeat.
TEST(degenerate_problems_match_brute_force)
{
    uint64_t seed = 3;
    for (int trial = 0; trial < 1000; ++trial) {
        box_case c;
        box_make(&c, random_index(&seed, 4), &seed);
        int same = random_index(&seed, c.n), other = random_index(&seed, c.n);
        for (int i = 0; i < c.n; ++i) { // rows `same` and `other` become one
            c.S[i * c.n + same] = c.S[i * c.n + other];
        }
        for (int i = 0; i < c.n; ++i) {
            c.S[same * c.n + i] = c.S[other * c.n + i];
        }
        for (int i = 0; i < c.n; ++i) {
            c.q[i] = random_index(&seed, 3) == 0 ? 0.0 : c.q[i];
            if (random_index(&seed, 4) == 0) {
                c.lower[i] = c.upper[i] = 0.0;
            }
        }
        box_check(&c, &seed);
    }
}

// Limits that jam a linkage with one freedom: S = g gT, w = 0 but for rounding, and no impulse is the answer. Without a
// word of what is nothing, rounding of 1e-14 m/s was answered by impulses of up to 1e4 N s.
TEST(rounding_in_a_jam_asks_for_no_impulse)
{
    uint64_t seed = 17;
    for (int k = 0; k < 1000; ++k) {
        box_case c = {.n = BOX_MAX};
        double g[BOX_MAX], y[BOX_MAX];
        for (int i = 0; i < c.n; ++i) {
            g[i] = random_in(&seed, -1.0, 1.0) * (i % 2 ? 1.0 : 1e-4);
            c.q[i] = random_in(&seed, -1e-13, 1e-13);
            c.lower[i] = y[i] = 0.0;
            c.upper[i] = INFINITY;
        }
        for (int i = 0; i < c.n * c.n; ++i) {
            c.S[i] = g[i / c.n] * g[i % c.n];
        }
        double matrix[BOX_MAX * BOX_MAX], inverse_d[BOX_MAX], x[BOX_MAX];
        int index[BOX_MAX];
        signed char side[BOX_MAX];
        bool tried[BOX_MAX];
        box_pivot scratch = {matrix, inverse_d, x, index, side, tried};
        CHECK_INT(pawl_box_pivot(&scratch, c.S, c.n, c.q, c.lower, c.upper, 1e-12, 440, y), 1);
        for (int i = 0; i < c.n; ++i) {
            CHECK(y[i] == 0.0);
        }
    }
}
