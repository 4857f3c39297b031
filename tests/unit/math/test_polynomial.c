// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Roots of polynomials that are made from their roots.
#include "math/polynomial.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>

// p = scale (t - r_0) ... (t - r_{n-1})
static void polynomial_from(const double *roots, int degree, double scale, double *p)
{
    p[0] = scale;
    for (int k = 0; k < degree; ++k) {
        p[k + 1] = p[k];
        for (int i = k; i > 0; --i) {
            p[i] = p[i - 1] - roots[k] * p[i];
        }
        p[0] *= -roots[k];
    }
}

// Roots at least 0.05 apart, so that rounding of the coefficients moves them by no more than 1e-10.
TEST(all_roots_inside_the_range_are_found_in_order)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < 10000; ++trial) {
        int degree = 1 + trial % 4;
        double roots[4], p[5], found[4];
        for (int k = 0; k < degree; ++k) { // ascending, from -1.5 at the least
            roots[k] = (k == 0 ? -1.5 : roots[k - 1]) + random_in(&seed, 0.05, 1.0);
        }
        polynomial_from(roots, degree, random_in(&seed, -3.0, 3.0), p);
        int count = pawl_polynomial_roots(p, degree, -1.0, 1.0, found), k = 0;
        for (int i = 0; i < degree; ++i) {
            if (fabs(fabs(roots[i]) - 1.0) < 1e-9) {
                continue; // on the edge: either will do
            }
            if (fabs(roots[i]) < 1.0) {
                CHECK(k < count);
                CHECK_NEAR(found[k++], roots[i], 1e-10);
            }
        }
        CHECK_INT(count, k);
    }
}

TEST(degenerate_polynomials_have_the_roots_they_have)
{
    double found[4];
    CHECK_INT(pawl_polynomial_roots((const double[]){0, 0, 0, 0, 0}, 4, -1, 1, found), 1); // any
    CHECK_INT(pawl_polynomial_roots((const double[]){1, 0, 0, 0, 0}, 4, -1, 1, found), 0);
    CHECK_INT(pawl_polynomial_roots((const double[]){1, 0, 1, 0, 0}, 4, -1, 1, found), 0);
    CHECK_INT(pawl_polynomial_roots((const double[]){-0.5, 1, 0, 0, 0}, 4, -1, 1, found), 1);
    CHECK_NEAR(found[0], 0.5, 0.0);
    CHECK_INT(pawl_polynomial_roots((const double[]){0, 0, 0, 1, 0}, 4, -1, 1, found), 1); // triple
    CHECK_NEAR(found[0], 0.0, 1e-5);
    CHECK_INT(pawl_polynomial_roots((const double[]){-1, 1}, 1, -1, 1, found), 1); // at the end
    CHECK_NEAR(found[0], 1.0, 0.0);
    CHECK_INT(pawl_polynomial_roots((const double[]){1, 1}, 1, -1, 1, found),
              1); // at the beginning
    CHECK_NEAR(found[0], -1.0, 0.0);
}
