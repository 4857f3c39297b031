// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One contact alone: the exact local solution against the conditions it must meet, against a brute
// force that tries directions of slip one by one, and the step of the NCP projector.
#include "linalg/cone.h"
#include "solve/contact_local.h"
#include "support/random.h"
#include "support/test.h"

#include <float.h>

static const double local_mu[] = {0.0, 0.1, 1.0, 100.0};
enum { LOCAL_MUS = sizeof local_mu / sizeof local_mu[0] };

// A A^T + a floor: condition up to about 1e4, as of a contact on a long lever.
static void local_random(uint64_t *seed, double D[9], double v[3])
{
    double A[9], floor = pow(10.0, random_in(seed, -3.0, 0.0));
    for (int k = 0; k < 9; ++k) {
        A[k] = random_in(seed, -1.0, 1.0);
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            D[3 * r + c] = r == c ? floor : 0.0;
            for (int k = 0; k < 3; ++k) {
                D[3 * r + c] += A[3 * r + k] * A[3 * c + k];
            }
        }
        v[r] = random_in(seed, -1.0, 1.0);
    }
}

static void local_velocity(const double D[9], const double v[3], const double x[3], double out[3])
{
    for (int r = 0; r < 3; ++r) {
        out[r] = v[r] + D[3 * r] * x[0] + D[3 * r + 1] * x[1] + D[3 * r + 2] * x[2];
    }
}

// |x - P_K(x - u / s)| times s, u the velocity with De Saxce's correction: zero at solutions alone.
static double local_natural(const double D[9], const double v[3], double mu, const double x[3])
{
    double u[3], y[3], worst = 0.0, s = (D[0] + D[4] + D[8]) / 3.0;
    local_velocity(D, v, x, u);
    u[2] += mu * hypot(u[0], u[1]);
    for (int k = 0; k < 3; ++k) {
        y[k] = x[k] - u[k] / s;
    }
    pawl_cone_project(y, mu);
    for (int k = 0; k < 3; ++k) {
        worst = fmax(worst, s * fabs(x[k] - y[k]));
    }
    return worst;
}

// 1e-12, or what rounding of the velocities allows where impulses are large: D is then nearly
// singular, and friction of 100 multiplies the error of the tangential velocity by as much.
TEST(the_exact_solution_leaves_no_residual)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < 100000; ++trial) {
        double D[9], v[3], x[3], mu = local_mu[trial % LOCAL_MUS];
        local_random(&seed, D, v);
        pawl_contact_exact(D, v, mu, x);
        CHECK(x[2] >= 0.0 && hypot(x[0], x[1]) <= mu * x[2] * (1.0 + 1e-12) + 1e-300);
        double size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]), largest = fmax(D[0], fmax(D[4], D[8]));
        CHECK_NEAR(local_natural(D, v, mu, x), 0.0,
                   1e-12 + 2.0 * DBL_EPSILON * (1.0 + mu) * largest * size);
    }
}

// What slip in direction a means: the impulse is opposite to it, mu times the normal one, and the
// normal velocity is zero. Returns the tangential velocity across a, whose zeros (with velocity
// along +a) are the slipping solutions.
static double local_slip(const double D[9], const double v[3], double mu, double a, double x[3],
                         double *along)
{
    double c = cos(a), s = sin(a), dn = D[8] - mu * (D[6] * c + D[7] * s), u[3];
    double n = dn > 0.0 ? -v[2] / dn : NAN; // no push stops the approach: wedged
    x[0] = -mu * n * c;
    x[1] = -mu * n * s;
    x[2] = n;
    local_velocity(D, v, x, u);
    *along = u[0] * c + u[1] * s;
    return u[1] * c - u[0] * s;
}

// Separation, sticking, then 720 directions of slip with bisection between them.
static int local_brute_force(const double D[9], const double v[3], double mu, double answers[][3])
{
    int count = 0;
    if (v[2] >= 0.0) {
        answers[count][0] = answers[count][1] = answers[count][2] = 0.0;
        ++count;
    }
    double det = D[0] * (D[4] * D[8] - D[5] * D[7]) - D[1] * (D[3] * D[8] - D[5] * D[6]) +
                 D[2] * (D[3] * D[7] - D[4] * D[6]);
    const double inverse[9] = {
        D[4] * D[8] - D[5] * D[7], D[2] * D[7] - D[1] * D[8], D[1] * D[5] - D[2] * D[4],
        D[5] * D[6] - D[3] * D[8], D[0] * D[8] - D[2] * D[6], D[2] * D[3] - D[0] * D[5],
        D[3] * D[7] - D[4] * D[6], D[1] * D[6] - D[0] * D[7], D[0] * D[4] - D[1] * D[3]};
    double x[3];
    for (int r = 0; r < 3; ++r) {
        x[r] =
            -(inverse[3 * r] * v[0] + inverse[3 * r + 1] * v[1] + inverse[3 * r + 2] * v[2]) / det;
    }
    if (x[2] > 0.0 && hypot(x[0], x[1]) <= mu * x[2]) {
        for (int k = 0; k < 3; ++k) {
            answers[count][k] = x[k];
        }
        ++count;
    }
    enum { DIRECTIONS = 720 };
    const double step = 2.0 * 3.14159265358979323846 / DIRECTIONS;
    for (int i = 0; i < DIRECTIONS && count < 8; ++i) {
        double low = i * step, high = low + step, along;
        double f = local_slip(D, v, mu, low, x, &along);
        double g = local_slip(D, v, mu, high, x, &along);
        if (!(f * g <= 0.0)) {
            continue;
        }
        for (int k = 0; k < 60; ++k) {
            double middle = 0.5 * (low + high), m = local_slip(D, v, mu, middle, x, &along);
            if (f * m <= 0.0) {
                high = middle;
            } else {
                low = middle;
                f = m;
            }
        }
        double across = local_slip(D, v, mu, 0.5 * (low + high), x, &along);
        if (along > 0.0 && x[2] > 0.0 && fabs(across) < 1e-9) {
            for (int k = 0; k < 3; ++k) {
                answers[count][k] = x[k];
            }
            ++count;
        }
    }
    return count;
}

// Where friction is small against the coupling of tangent and normal there is one answer; where
// there are several (Painlevé) it must be one of them.
TEST(the_exact_solution_is_one_that_brute_force_finds)
{
    uint64_t seed = 2;
    int several = 0, slips = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        double D[9], v[3], x[3], answers[8][3], mu = local_mu[1 + trial % (LOCAL_MUS - 1)];
        local_random(&seed, D, v);
        pawl_contact_exact(D, v, mu, x);
        int count = local_brute_force(D, v, mu, answers);
        CHECK(count > 0);
        several += count > 1;
        double nearest = INFINITY, size = 1.0;
        for (int i = 0; i < count; ++i) {
            double d = 0.0;
            for (int k = 0; k < 3; ++k) {
                d = fmax(d, fabs(x[k] - answers[i][k]));
            }
            if (d < nearest) {
                nearest = d;
                size = 1.0 + fabs(answers[i][2]) * (1.0 + mu);
            }
        }
        slips += x[2] > 0.0 && hypot(x[0], x[1]) > 0.999999 * mu * x[2];
        CHECK_NEAR(nearest / size, 0.0, 1e-7);
    }
    CHECK(slips > 100); // the interesting case was there
    (void)several;
}

// By hand, D = diag(2, 2, 1).
TEST(separation_sticking_and_slip_by_hand)
{
    const double D[9] = {2, 0, 0, 0, 2, 0, 0, 0, 1};
    double x[3];
    pawl_contact_exact(D, (const double[3]){3.0, 0.0, 0.5}, 0.5, x);
    CHECK(x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0);
    pawl_contact_exact(D, (const double[3]){0.6, 0.0, -1.0}, 0.5, x); // needs 0.3 of 0.5
    CHECK_NEAR(x[0], -0.3, 1e-15);
    CHECK_NEAR(x[2], 1.0, 1e-15);
    pawl_contact_exact(D, (const double[3]){0.0, 3.0, -1.0}, 0.5, x); // needs 1.5 of 0.5
    CHECK_NEAR(x[1], -0.5, 1e-14);
    CHECK_NEAR(x[2], 1.0, 1e-15);
    pawl_contact_exact(D, (const double[3]){0.0, 3.0, -1.0}, 0.0, x);
    CHECK(x[0] == 0.0 && x[1] == 0.0 && x[2] == 1.0);
}

// The convex relaxation (CCP) makes a slipping body rise: v_N = mu |v_T|. Here, v_N = 0.
TEST(a_slipping_contact_does_not_lift_off)
{
    uint64_t seed = 3;
    int slips = 0;
    for (int trial = 0; trial < 10000; ++trial) {
        double D[9], v[3], x[3], u[3], mu = local_mu[1 + trial % (LOCAL_MUS - 1)];
        local_random(&seed, D, v);
        pawl_contact_exact(D, v, mu, x);
        local_velocity(D, v, x, u);
        if (x[2] > 0.0) {
            ++slips;
            CHECK_NEAR(u[2], 0.0, 1e-12 * (1.0 + mu));
        }
    }
    CHECK(slips > 1000);
}

// A solution is a fixed point of the projected step, and repeated steps get there from zero.
TEST(projected_steps_arrive_at_the_exact_solution)
{
    uint64_t seed = 4;
    for (int trial = 0; trial < 400; ++trial) {
        double D[9], v[3], x[3], z[3], mu = trial % 2 == 0 ? 0.1 : 0.5;
        local_random(&seed, D, v);
        pawl_contact_exact(D, v, mu, x);
        double y[3] = {x[0], x[1], x[2]};
        local_velocity(D, v, y, z);
        pawl_contact_ncp_step(D, z, mu, y);
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(y[k], x[k], 1e-9 * (1.0 + x[2]));
        }
    }
    const double D[9] = {2, 0.1, 0.2, 0.1, 1.5, -0.1, 0.2, -0.1, 1}, v[3] = {0.4, -0.7, -1.0};
    double x[3], y[3] = {0}, z[3];
    pawl_contact_exact(D, v, 0.3, x);
    for (int k = 0; k < 200; ++k) {
        local_velocity(D, v, y, z);
        pawl_contact_ncp_step(D, z, 0.3, y);
    }
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(y[k], x[k], 1e-12);
    }
}
