// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The point of a support polygon that is nearest to a centre of mass, against a search over a fine grid.
#include "read/support_polygon.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>

// The least distance of p from the lines through two of the points that have all others on one side: negative outside.
static double polygon_inside(const flat_point *at, int n, flat_point p)
{
    double least = INFINITY;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            double x = at[k].x - at[i].x, y = at[k].y - at[i].y, length = hypot(x, y);
            bool edge = i != k && length > 0.0;
            for (int j = 0; j < n && edge; ++j) {
                edge = x * (at[j].y - at[i].y) - y * (at[j].x - at[i].x) >= -1e-12;
            }
            if (edge) {
                least = fmin(least, (x * (p.y - at[i].y) - y * (p.x - at[i].x)) / length);
            }
        }
    }
    return least;
}

TEST(the_nearest_point_is_inside_and_no_point_of_a_grid_is_nearer)
{
    uint64_t seed = 4;
    for (int k = 0; k < 60; ++k) {
        flat_point at[6], p = {random_in(&seed, -2, 2), random_in(&seed, -2, 2)};
        int n = 3 + k % 4;
        double margin = k % 3 == 0 ? 0.0 : random_in(&seed, 0.0, 0.1);
        for (int i = 0; i < n; ++i) {
            at[i] = (flat_point){random_in(&seed, -1, 1), random_in(&seed, -1, 1)};
        }
        flat_point found = support_nearest(at, n, margin, p);
        double best = INFINITY;
        for (int i = -200; i <= 200; ++i) {
            for (int j = -200; j <= 200; ++j) {
                flat_point g = {0.005 * i, 0.005 * j};
                if (polygon_inside(at, n, g) >= margin) {
                    best = fmin(best, hypot(g.x - p.x, g.y - p.y));
                }
            }
        }
        if (isfinite(best)) {
            CHECK(polygon_inside(at, n, found) >= margin - 1e-9);
            CHECK(hypot(found.x - p.x, found.y - p.y) <= best + 1e-9);
        }
    }
}

TEST(few_feet_and_small_polygons_have_an_answer)
{
    flat_point at[3] = {{1, 1}, {3, 1}, {1, 1}};
    flat_point one = support_nearest(at, 1, 0.5, (flat_point){7, 7});
    CHECK(one.x == 1 && one.y == 1);
    flat_point two = support_nearest(at, 2, 0.5, (flat_point){2, 7});
    CHECK(two.x == 2 && two.y == 1);
    flat_point same = support_nearest(at, 3, 0.0, (flat_point){9, 7});
    CHECK(same.x == 3 && same.y == 1);
    flat_point triangle[3] = {{0, 0}, {0.1, 0}, {0, 0.1}};
    flat_point mean = support_nearest(triangle, 3, 1.0, (flat_point){9, 7});
    CHECK_NEAR(mean.x, 0.1 / 3, 1e-15);
}
