// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Impacts followed along their normal impulse, against closed forms (Routh, Keller, Stronge) and a plain
// integration with very small steps.
#include "step/common/impact_path.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct path_test {
    void *block;
    impact_path *path;
} path_test;

static path_test path_begin(int contacts, path_restitution law)
{
    pawl_carver need = {0};
    pawl_impact_path_layout(PATH_FIRST_UNITS, &need);
    path_test t = {.block = malloc(need.used)};
    pawl_carver mem = {.base = t.block, .capacity = need.used};
    t.path = pawl_impact_path_layout(PATH_FIRST_UNITS, &mem);
    t.path->limits = 0;
    t.path->contacts = contacts;
    t.path->law = law;
    memset(t.path->allowed, 0, (size_t)contacts * sizeof(double));
    return t;
}

static void path_set(impact_path *p, double mu, double e, const double v[3], double S[3][3])
{
    p->mu[0] = mu;
    p->e[0] = e;
    for (int i = 0; i < 3; ++i) {
        p->v[i] = v[i];
        for (int j = 0; j < 3; ++j) {
            p->S[3 * i + j] = S[i][j];
        }
    }
}

// A ball of mass m: S is diagonal, 7/(2 m) across and 1/m along the normal. Friction takes
// 7/2 mu (1 + e) |v_n| from the slip of its lowest point, or all of it.
TEST(a_spinning_ball_slides_or_rolls_off)
{
    for (int law = PATH_ENERGETIC; law <= PATH_KINETIC; ++law) {
        for (int k = 0; k < 2; ++k) {
            double m = 0.7, e = 0.6, mu = k == 0 ? 0.1 : 0.9;
            double S[3][3] = {{3.5 / m, 0, 0}, {0, 3.5 / m, 0}, {0, 0, 1.0 / m}};
            const double v[3] = {3.0, -4.0, -2.0};
            path_test t = path_begin(1, (path_restitution)law);
            path_set(t.path, mu, e, v, S);
            CHECK(pawl_impact_path_follow(t.path));
            double left = fmax(5.0 - 3.5 * mu * (1.0 + e) * 2.0, 0.0) / 5.0;
            CHECK_NEAR(t.path->after[0], 3.0 * left, 1e-11);
            CHECK_NEAR(t.path->after[1], -4.0 * left, 1e-11);
            CHECK_NEAR(t.path->after[2], e * 2.0, 1e-11);
            free(t.block);
        }
    }
}

// The planar impact in closed form, phase by phase. Slip s v > 0: dv = (b - s mu a) dp, dw = (d - s mu b) dp.
// At v = 0 it sticks if |b| <= mu a, with dw = (d - b^2 / a) dp, and else slips the way that b turns it.
typedef struct planar_case {
    double a, b, d, mu, e, v, w; // w < 0: closing
} planar_case;
static void planar_exact(const planar_case *k, path_restitution law, double *v, double *w)
{
    *v = k->v;
    *w = k->w;
    double p = 0.0, compressed = 0.0, work = 0.0, returned = 0.0;
    bool opening = false;
    for (int phase = 0; phase < 10; ++phase) {
        double s = *v > 1e-14 ? 1.0 : *v < -1e-14 ? -1.0 : 0.0;
        bool sticks = s == 0.0 && fabs(k->b) <= k->mu * k->a;
        s = s == 0.0 ? copysign(1.0, k->b) : s;
        double dv = sticks ? 0.0 : k->b - s * k->mu * k->a;
        double dw = sticks ? k->d - k->b * k->b / k->a : k->d - s * k->mu * k->b;
        // To the end of the slip, of the compression, or of the impact.
        double step = *v != 0.0 && -*v / dv > 1e-14 ? -*v / dv : INFINITY, end;
        if (!opening) {
            end = dw > 0.0 ? -*w / dw : INFINITY;
        } else if (law == PATH_KINETIC) {
            end = k->e * compressed - (p - compressed);
        } else { // w t + dw t^2/2 = what is still due
            double due = k->e * k->e * work - returned;
            end = (sqrt(*w * *w + 2.0 * dw * due) - *w) / dw;
        }
        bool ends = end <= step;
        double t = ends ? end : step, mean = *w + 0.5 * dw * t;
        work += opening ? 0.0 : -mean * t;
        returned += opening ? mean * t : 0.0;
        p += t;
        *v = ends || sticks ? *v + dv * t : 0.0;
        *w = ends && !opening ? 0.0 : *w + dw * t;
        if (ends && opening) {
            return;
        }
        compressed = ends ? p : compressed;
        opening = opening || ends;
    }
}

// Random planar impacts: sliding, sticking, reversed slip, and jamming, in which the contact closes faster
// while it slides (mu b > d).
TEST(planar_impacts_are_those_of_routh_keller_and_stronge)
{
    uint64_t seed = 5;
    int reversed = 0, stuck = 0, jammed = 0;
    for (int i = 0; i < 400; ++i) {
        planar_case k = {.a = random_in(&seed, 0.5, 6.0),
                         .d = random_in(&seed, 0.5, 3.0),
                         .mu = random_in(&seed, 0.05, 2.0),
                         .e = random_in(&seed, 0.0, 1.0),
                         .v = random_in(&seed, -3.0, 3.0),
                         .w = random_in(&seed, -3.0, -0.5)};
        k.b = random_in(&seed, -0.95, 0.95) * sqrt(k.a * k.d);
        double S[3][3] = {{k.a, 0, k.b}, {0, 2.0, 0}, {k.b, 0, k.d}};
        const double v[3] = {k.v, 0.0, k.w};
        path_restitution law = i % 2 == 0 ? PATH_ENERGETIC : PATH_KINETIC;
        path_test t = path_begin(1, law);
        path_set(t.path, k.mu, k.e, v, S);
        CHECK(pawl_impact_path_follow(t.path));
        double vt, w;
        planar_exact(&k, law, &vt, &w);
        CHECK_NEAR(t.path->after[0], vt, 1e-4);
        CHECK_NEAR(t.path->after[1], 0.0, 1e-12);
        CHECK_NEAR(t.path->after[2], w, 1e-4);
        CHECK(pawl_impact_path_work(t.path) <= 1e-12);
        reversed += vt * k.v < -1e-9;
        stuck += fabs(vt) < 1e-12;
        jammed += k.mu * fabs(k.b) > k.d;
        free(t.block);
    }
    CHECK(reversed > 20 && stuck > 20 && jammed > 20);
}

// In space the slip turns. A plain integration: 200000 equal increments of the normal impulse, friction against
// the slip before each, none where it would turn the slip round.
static void plain_follow(const impact_path *p, double v[3])
{
    const double *S = p->S;
    double dp = -p->v[2] / S[8] / 100000.0, work = 0.0, compressed = 0.0, given = 0.0;
    memcpy(v, p->v, 3 * sizeof *v);
    for (int k = 0; k < 4000000; ++k) {
        double slip = sqrt(v[0] * v[0] + v[1] * v[1]), x[3] = {0, 0, dp};
        // The friction that would end the slip in this increment; if it is too much, as much as there is.
        double c0 = v[0] + S[2] * dp, c1 = v[1] + S[5] * dp, det = S[0] * S[4] - S[1] * S[3];
        double t0 = -(S[4] * c0 - S[1] * c1) / det, t1 = -(S[0] * c1 - S[3] * c0) / det;
        double size = sqrt(t0 * t0 + t1 * t1), most = p->mu[0] * dp;
        bool holds = size <= most;
        x[0] = holds ? t0 : slip > 20.0 * S[0] * most ? -most * v[0] / slip : t0 * most / size;
        x[1] = holds ? t1 : slip > 20.0 * S[0] * most ? -most * v[1] / slip : t1 * most / size;
        double before = v[2];
        for (int i = 0; i < 3; ++i) {
            v[i] += S[3 * i] * x[0] + S[3 * i + 1] * x[1] + S[3 * i + 2] * x[2];
        }
        double done = -0.5 * (before + v[2]) * dp;
        if (before < 0.0) {
            work += done;
            compressed += dp;
        } else {
            work += done / (p->e[0] * p->e[0]);
            given += dp;
            if (p->law == PATH_KINETIC ? given >= p->e[0] * compressed : work <= 0.0) {
                return;
            }
        }
    }
}

TEST(spatial_impacts_are_those_of_a_plain_integration)
{
    uint64_t seed = 11;
    for (int i = 0; i < 12; ++i) {
        // S = A AT of a body: mass 1, arm r, inverse inertia.
        double A[3][3], S[3][3];
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                A[r][c] = random_in(&seed, -1.0, 1.0) + (r == c);
            }
        }
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                S[r][c] = A[r][0] * A[c][0] + A[r][1] * A[c][1] + A[r][2] * A[c][2] + (r == c);
            }
        }
        const double v[3] = {random_in(&seed, -2.0, 2.0), random_in(&seed, -2.0, 2.0),
                             random_in(&seed, -2.0, -0.5)};
        path_test t = path_begin(1, i % 2 == 0 ? PATH_ENERGETIC : PATH_KINETIC);
        path_set(t.path, random_in(&seed, 0.05, 0.8), random_in(&seed, 0.2, 1.0), v, S);
        CHECK(pawl_impact_path_follow(t.path));
        double plain[3];
        plain_follow(t.path, plain);
        for (int r = 0; r < 3; ++r) {
            CHECK_NEAR(t.path->after[r], plain[r], 2e-3);
        }
        CHECK(pawl_impact_path_work(t.path) <= 1e-12);
        free(t.block);
    }
}

// Stronge: what the normal impulses did is e^2 in decompression of what they took; no friction, so all of it.
// Two equal contacts under a bar that falls flat share the impact, and the bar does not turn.
TEST(two_contacts_at_once_share_an_impact)
{
    for (int law = PATH_ENERGETIC; law <= PATH_KINETIC; ++law) {
        path_test t = path_begin(2, (path_restitution)law);
        impact_path *p = t.path;
        const double m = 2.0, I = 0.3, arm = 0.5, e = 0.7;
        memset(p->S, 0, 36 * sizeof *p->S);
        memset(p->v, 0, 6 * sizeof *p->v);
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 2; ++j) {
                double turn = arm * arm / I * (i == j ? 1.0 : -1.0);
                p->S[6 * (3 * i + 2) + 3 * j + 2] = 1.0 / m + turn;
            }
            p->S[6 * 3 * i + 3 * i] = p->S[6 * (3 * i + 1) + 3 * i + 1] = 1.0;
            p->v[3 * i + 2] = -1.5;
            p->mu[i] = 0.0;
            p->e[i] = e;
        }
        CHECK(pawl_impact_path_follow(p));
        CHECK_NEAR(p->after[2], e * 1.5, 1e-3);
        CHECK_NEAR(p->after[5], p->after[2], 1e-9);
        free(t.block);
    }
}
