// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Roots that are known beforehand, of functions that mislead interpolation: flat, steep, kinked, jumping,
// tiny, and with poles.
#include "math/brent.h"
#include "math/rotation.h"
#include "support/random.h"
#include "support/test.h"
#include <float.h>
#include <math.h>

typedef struct brent_case {
    brent_function f;
    double low, high, root;
    int most; // evaluations that are still fine
} brent_case;

typedef struct brent_watch {
    brent_function f;
    double low, high;
    int calls;
} brent_watch;

static double watched(double x, void *user)
{
    brent_watch *w = user;
    CHECK(x >= w->low && x <= w->high);
    ++w->calls;
    return w->f(x, NULL);
}

static double line(double x, void *user)
{
    (void)user;
    return 3.0 * (x - 0.3);
}
static double ninth_power(double x, void *user)
{
    (void)user;
    return pow(x - 0.7, 9.0);
}
static double cliff(double x, void *user)
{
    (void)user;
    return x < 0.123 ? -1e-300 : 1e300;
}
static double kink(double x, void *user)
{
    (void)user;
    return x < 1.0 ? 1e-8 * (x - 1.0) : 1e8 * (x - 1.0);
}
static double tiny(double x, void *user)
{
    (void)user;
    return 1e-200 * (x * x * x - 2.0); // products of two values underflow
}
static double cosine(double x, void *user)
{
    (void)user;
    return cos(x) - x;
}
static double pole(double x, void *user)
{
    (void)user;
    return 1.0 / (x - 2.0); // changes its sign without a root
}
static double wave(double x, void *user)
{
    (void)user;
    return sin(40.0 * x) + 0.2 * x - 0.1;
}
static double exponential(double x, void *user)
{
    (void)user;
    return exp(30.0 * x) - 2.0;
}

static const brent_case brent_cases[] = {
    {line, 0.0, 1.0, 0.3, 4},
    {ninth_power, -1.0, 4.0, 0.7, 200}, // below rounding long before the root
    {cliff, -5.0, 1.0, 0.123, 130},
    {kink, 0.0, 3.0, 1.0, 130},
    {tiny, 0.0, 10.0, 1.2599210498948732, 20},
    {cosine, 0.0, 3.0, 0.7390851332151607, 12},
    {pole, 1.5, 2.7, 2.0, 130},
    {exponential, -10.0, 1.0, 0.023104906018664842, 30},
};

TEST(known_roots_are_found_within_the_bracket)
{
    for (size_t i = 0; i < sizeof brent_cases / sizeof brent_cases[0]; ++i) {
        const brent_case *c = &brent_cases[i];
        brent_watch w = {c->f, c->low, c->high, 0};
        brent_root r = pawl_brent(watched, &w, c->low, c->f(c->low, NULL), c->high,
                                  c->f(c->high, NULL), 1e-15);
        CHECK_INT(w.calls, r.evaluations);
        CHECK(r.evaluations <= c->most);
        CHECK(c->f(r.x, NULL) == r.f);
        if (r.f != 0.0) { // else any point where rounding hides f is a root
            CHECK_NEAR(r.x, c->root, 4e-15);
            CHECK(fabs(r.other - r.x) <= 4e-15);
            CHECK((c->f(r.other, NULL) > 0.0) != (r.f > 0.0));
        }
    }
}

TEST(one_of_several_roots_is_found)
{
    brent_root r = pawl_brent(wave, NULL, 0.0, wave(0.0, NULL), 2.0, wave(2.0, NULL), 1e-14);
    CHECK_NEAR(wave(r.x, NULL), 0.0, 1e-12);
    CHECK(r.x > 0.0 && r.x < 2.0);
}

TEST(ends_that_are_roots_cost_nothing)
{
    brent_root r = pawl_brent(line, NULL, 0.3, 0.0, 1.0, line(1.0, NULL), 1e-12);
    CHECK(r.x == 0.3 && r.f == 0.0);
    CHECK_INT(r.evaluations, 0);
    r = pawl_brent(line, NULL, 0.0, line(0.0, NULL), 0.3, 0.0, 1e-12);
    CHECK(r.x == 0.3 && r.f == 0.0);
    CHECK_INT(r.evaluations, 0);
}

typedef struct cubic {
    double p[4];
} cubic;

static double cubic_at(double x, void *user)
{
    const cubic *c = user;
    return c->p[0] + x * (c->p[1] + x * (c->p[2] + x * c->p[3]));
}

// The bracket itself is the proof: two signs, and no longer than asked for.
TEST(random_cubics_are_bracketed_down_to_the_tolerance)
{
    uint64_t seed = 7;
    for (int i = 0; i < 20000; ++i) {
        cubic c;
        for (int k = 0; k < 4; ++k) {
            c.p[k] = random_in(&seed, -1.0, 1.0);
        }
        double low = random_in(&seed, -3.0, 0.0), high = random_in(&seed, 0.0, 3.0);
        double flow = cubic_at(low, &c), fhigh = cubic_at(high, &c);
        if ((flow > 0.0) == (fhigh > 0.0)) {
            continue;
        }
        brent_root r = pawl_brent(cubic_at, &c, low, flow, high, fhigh, 1e-10);
        CHECK(r.x >= low && r.x <= high && r.other >= low && r.other <= high);
        CHECK(r.f == 0.0 || ((r.f > 0.0) != (cubic_at(r.other, &c) > 0.0) &&
                             fabs(r.x - r.other) <= 1e-10 + 8.0 * DBL_EPSILON * fabs(r.x)));
        CHECK(r.evaluations <= 60);
    }
}
