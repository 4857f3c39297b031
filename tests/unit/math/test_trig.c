// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Our sine, cosine and arc tangent against the C library's, which are good to a unit in the last
// place: two such units between them are allowed, one for each.
#include "math/lanes_trig.h"
#include "support/random.h"
#include "support/test.h"

#include <float.h>
#include <string.h>

static void trig_check_ulps(double got, double expected)
{
    double ulp = nextafter(fabs(expected), INFINITY) - fabs(expected);
    CHECK_NEAR(got, expected, 2.0 * ulp);
}

TEST(sine_and_cosine_match_the_c_library)
{
    uint64_t seed = 1;
    static const double ranges[] = {1e-9, 1e-3, 0.8, 3.2, 100.0, 1e4, 1e6};
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; ++r) {
        for (int i = 0; i < 20000; ++i) {
            double x = random_in(&seed, -ranges[r], ranges[r]), s, c;
            pawl_sincos(x, &s, &c);
            trig_check_ulps(s, sin(x));
            trig_check_ulps(c, cos(x));
            CHECK(pawl_sin(x) == s && pawl_cos(x) == c);
        }
    }
}

// Where the answer is tiny only an exact reduction of the argument leaves it any digits.
TEST(sine_keeps_its_relative_accuracy_at_multiples_of_pi)
{
    for (int k = 1; k < 300000; k += 37) {
        double x = (double)k * 3.14159265358979323846;
        trig_check_ulps(pawl_sin(x), sin(x));
        trig_check_ulps(pawl_cos(0.5 * x), cos(0.5 * x));
    }
}

// Beyond 1e6 the argument's own last digit is worth more than the error: |x| 2^-53.
TEST(large_arguments_are_as_good_as_their_last_digit)
{
    uint64_t seed = 2;
    for (int i = 0; i < 10000; ++i) {
        double x = random_in(&seed, 1e6, 1e9);
        CHECK_NEAR(pawl_sin(x), sin(x), x * DBL_EPSILON);
        CHECK_NEAR(pawl_cos(x), cos(x), x * DBL_EPSILON);
    }
}

TEST(what_is_not_finite_has_no_sine)
{
    CHECK(isnan(pawl_sin(INFINITY)) && isnan(pawl_cos(-INFINITY)) && isnan(pawl_sin(NAN)));
}

TEST(the_arc_tangent_matches_the_c_library)
{
    uint64_t seed = 3;
    for (int i = 0; i < 200000; ++i) {
        double scale = pow(10.0, random_in(&seed, -8.0, 8.0));
        double y = random_in(&seed, -1.0, 1.0), x = scale * random_in(&seed, -1.0, 1.0);
        trig_check_ulps(pawl_atan2(y, x), atan2(y, x));
    }
}

// The special cases of the C standard, annex F.
TEST(the_arc_tangent_of_zeros_and_infinities_has_the_sign_and_side_the_standard_asks)
{
    static const double values[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY};
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            double got = pawl_atan2(values[i], values[j]), expected = atan2(values[i], values[j]);
            CHECK_NEAR(got, expected, 5e-16);
            CHECK_INT(signbit(got) != 0, signbit(expected) != 0);
        }
    }
    CHECK(isnan(pawl_atan2(NAN, 1.0)) && isnan(pawl_atan2(1.0, NAN)));
}

// Random sides of every size, and all pairs of numbers that are special.
TEST(four_arc_tangents_have_the_bits_of_one)
{
    static const double special[] = {0.0,      -0.0,      1.0,      -1.0,  5e-324,
                                     -5e-324,  1.7e308,   -1.7e308, 0.125, -0.0625,
                                     INFINITY, -INFINITY, NAN};
    enum { SPECIAL = sizeof special / sizeof special[0], RANDOM = 20000 };
    uint64_t seed = 7;
    int wrong = 0;
    for (int i = 0; i < SPECIAL * SPECIAL + RANDOM; ++i) {
        lanes x, y, angle;
        for (int k = 0; k < 4; ++k) {
            double size = pow(10.0, random_in(&seed, -9.0, 9.0));
            bool random = i >= SPECIAL * SPECIAL || k != i % 4;
            x[k] = random ? size * random_in(&seed, -1.0, 1.0) : special[i / SPECIAL];
            y[k] = random ? size * random_in(&seed, -1.0, 1.0) : special[i % SPECIAL];
        }
        lanes_atan2(&y, &x, &angle);
        for (int k = 0; k < 4; ++k) {
            double one = pawl_atan2(y[k], x[k]), four = angle[k];
            wrong += isnan(one) ? !isnan(four) : memcmp(&one, &four, sizeof one) != 0;
        }
    }
    CHECK_INT(wrong, 0);
}
