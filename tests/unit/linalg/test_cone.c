// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Projections onto friction cones against a search over the cone's surface that knows nothing of
// the formula, and against what every projection onto a cone must satisfy.
#include "linalg/cone.h"
#include "support/random.h"
#include "support/test.h"

#include <string.h>

static const double cone_mu[] = {0.0, 1e-3, 0.1, 0.5, 1.0, 3.0, 100.0};
enum { CONE_MUS = sizeof cone_mu / sizeof cone_mu[0] };

static double cone_distance(const double a[3], const double b[3])
{
    double s = 0.0;
    for (int k = 0; k < 3; ++k) {
        s += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return sqrt(s);
}

static bool cone_contains(const double x[3], double mu, double slack)
{
    return hypot(x[0], x[1]) <= mu * x[2] + slack && x[2] >= -slack;
}

static bool cone_dual_contains(const double x[3], double mu, double slack)
{
    return x[2] >= mu * hypot(x[0], x[1]) - slack;
}

static void cone_random(uint64_t *seed, double x[3])
{
    double size = pow(10.0, random_in(seed, -6.0, 6.0));
    for (int k = 0; k < 3; ++k) {
        x[k] = random_in(seed, -size, size);
    }
}

// Least distance to the cone: of all rays (mu s cos a, mu s sin a, 1) the one whose nearest point is
// nearest, first on a grid of s and a, then on finer ones around the best.
static double cone_search(const double x[3], double mu)
{
    enum { GRID = 20 };
    double centre[2] = {0.5, 0.0}, half[2] = {0.5, 3.2};
    double best = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); // the tip
    for (int level = 0; level < 40; ++level) {
        double kept[2] = {centre[0], centre[1]};
        for (int i = -GRID; i <= GRID; ++i) {
            for (int k = -GRID; k <= GRID; ++k) {
                double s = fmin(1.0, fmax(0.0, centre[0] + half[0] * i / GRID));
                double a = centre[1] + half[1] * k / GRID;
                double ray[3] = {mu * s * cos(a), mu * s * sin(a), 1.0}, dot = 0.0;
                for (int j = 0; j < 3; ++j) {
                    dot += ray[j] * x[j] / (1.0 + mu * mu * s * s);
                }
                double y[3] = {dot * ray[0], dot * ray[1], dot * ray[2]};
                double d = dot > 0.0 ? cone_distance(x, y) : INFINITY;
                if (d < best) {
                    best = d;
                    kept[0] = s, kept[1] = a;
                }
            }
        }
        for (int k = 0; k < 2; ++k) {
            centre[k] = kept[k];
            half[k] *= 0.6; // slowly, or the valley is lost
        }
    }
    return best;
}

TEST(no_point_of_the_cone_is_nearer_than_the_projection)
{
    uint64_t seed = 1;
    for (int m = 0; m < CONE_MUS; ++m) {
        for (int trial = 0; trial < 20; ++trial) {
            double x[3] = {random_in(&seed, -1.0, 1.0), random_in(&seed, -1.0, 1.0),
                           random_in(&seed, -1.0, 1.0)};
            double y[3] = {x[0], x[1], x[2]};
            pawl_cone_project(y, cone_mu[m]);
            CHECK(cone_contains(y, cone_mu[m], 1e-15 * (1.0 + cone_mu[m])));
            // Grids end at 1e-9 of the ray, and friction of 100 makes a hundred times that of it.
            CHECK_NEAR(cone_distance(x, y), cone_search(x, cone_mu[m]), 1e-9 * (1.0 + cone_mu[m]));
        }
    }
}

// Moreau: x = P_K(x) - P_K*(-x), the two parts in their cones and orthogonal. That is what makes a
// projection, and there is only one such pair.
TEST(every_vector_splits_into_orthogonal_parts_of_the_cone_and_its_polar)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 100000; ++trial) {
        double mu = cone_mu[trial % CONE_MUS], x[3];
        cone_random(&seed, x);
        double size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
        double y[3] = {x[0], x[1], x[2]}, z[3] = {-x[0], -x[1], -x[2]};
        pawl_cone_project(y, mu);
        pawl_cone_project_dual(z, mu);
        double slack = 4e-16 * size * (1.0 + mu);
        CHECK(cone_contains(y, mu, slack));
        CHECK(cone_dual_contains(z, mu, slack));
        double dot = 0.0;
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(y[k] - z[k], x[k], 4e-16 * size);
            dot += y[k] * z[k];
        }
        CHECK_NEAR(dot / size, 0.0, slack);
    }
}

TEST(what_is_in_the_cone_stays_and_what_is_polar_to_it_vanishes)
{
    uint64_t seed = 3;
    for (int trial = 0; trial < 10000; ++trial) {
        double mu = cone_mu[trial % CONE_MUS], a = random_in(&seed, 0.0, 6.28);
        double n = random_in(&seed, 0.0, 2.0), s = random_in(&seed, 0.0, 0.999);
        double in[3] = {mu * n * s * cos(a), mu * n * s * sin(a), n};
        double y[3] = {in[0], in[1], in[2]};
        pawl_cone_project(y, mu);
        CHECK(memcmp(y, in, sizeof in) == 0);
        double t = random_in(&seed, 0.0, 2.0); // -(K*): the normal is below -mu times the tangent
        double polar[3] = {t * cos(a), t * sin(a), -mu * t * 1.001 - 1e-3};
        pawl_cone_project(polar, mu);
        CHECK(polar[0] == 0.0 && polar[1] == 0.0 && polar[2] == 0.0);
    }
}

TEST(a_projection_done_twice_changes_nothing_more)
{
    uint64_t seed = 4;
    for (int trial = 0; trial < 10000; ++trial) {
        double mu = cone_mu[trial % CONE_MUS], x[3];
        cone_random(&seed, x);
        double size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
        pawl_cone_project(x, mu);
        double y[3] = {x[0], x[1], x[2]};
        pawl_cone_project(y, mu);
        CHECK_NEAR(cone_distance(x, y), 0.0, 4e-16 * size * (1.0 + mu));
    }
}

// By hand: without friction the cone is the half line of pushes, its dual the half space v_N >= 0;
// with endless friction the other way round.
TEST(no_friction_and_endless_friction_are_the_limits)
{
    double a[3] = {3.0, -4.0, 2.0};
    pawl_cone_project(a, 0.0);
    CHECK(a[0] == 0.0 && a[1] == 0.0 && a[2] == 2.0);
    double b[3] = {3.0, -4.0, -2.0};
    pawl_cone_project(b, 0.0);
    CHECK(a[0] == 0.0 && b[1] == 0.0 && b[2] == 0.0);
    double pull[3] = {0.0, 0.0, -2.0};
    pawl_cone_project(pull, 0.0);
    CHECK(pull[0] == 0.0 && pull[1] == 0.0 && pull[2] == 0.0);
    double c[3] = {3.0, -4.0, 2.0};
    pawl_cone_project(c, INFINITY);
    CHECK(c[0] == 3.0 && c[1] == -4.0 && c[2] == 2.0);
    double d[3] = {3.0, -4.0, -2.0};
    pawl_cone_project(d, INFINITY);
    CHECK(d[0] == 3.0 && d[1] == -4.0 && d[2] == 0.0);
    double e[3] = {3.0, -4.0, -2.0};
    pawl_cone_project_dual(e, 0.0);
    CHECK(e[0] == 3.0 && e[1] == -4.0 && e[2] == 0.0);
}

// By hand: mu = 1, x = (2, 0, 0) is half way between the surface (1, 0, 1) and the axis.
TEST(a_case_by_hand)
{
    double x[3] = {2.0, 0.0, 0.0};
    pawl_cone_project(x, 1.0);
    CHECK_NEAR(x[0], 1.0, 1e-15);
    CHECK_NEAR(x[1], 0.0, 0.0);
    CHECK_NEAR(x[2], 1.0, 1e-15);
}
