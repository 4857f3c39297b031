// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The checks of test.h. Each prints the value met and the value expected before it fails the case.
#include "support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_check(bool condition, const char *text, const char *file, int line)
{
    if (!condition) {
        print_error("not true: %s\n", text);
        _fail(file, line);
    }
}

void test_check_int(int64_t got, int64_t expected, const char *got_text, const char *expected_text,
                    const char *file, int line)
{
    if (got != expected) {
        print_error("%s is %" PRId64 ", expected %s = %" PRId64 "\n", got_text, got, expected_text,
                    expected);
        _fail(file, line);
    }
}

void test_check_text(const char *got, const char *expected, const char *text, const char *file,
                     int line)
{
    if (got == NULL || strcmp(got, expected) != 0) {
        print_error("%s is \"%s\", expected \"%s\"\n", text, got != NULL ? got : "(NULL)",
                    expected);
        _fail(file, line);
    }
}

static double check_tolerance_scale(void)
{
    const char *text = getenv("PAWL_TOL_SCALE");
    return text != NULL ? strtod(text, NULL) : 1.0;
}

static bool check_is_near(double got, double expected, double tolerance)
{
    return got == expected || fabs(got - expected) <= tolerance * check_tolerance_scale();
}

void test_check_near(double got, double expected, double tolerance, const char *text,
                     const char *file, int line)
{
    if (!check_is_near(got, expected, tolerance)) {
        print_error("%s is %.17g, expected %.17g within %g; off by %g\n", text, got, expected,
                    tolerance * check_tolerance_scale(), got - expected);
        _fail(file, line);
    }
}

void test_check_near3(pawl_vec3 got, pawl_vec3 expected, double tolerance, const char *text,
                      const char *file, int line)
{
    if (!check_is_near(got.x, expected.x, tolerance) ||
        !check_is_near(got.y, expected.y, tolerance) ||
        !check_is_near(got.z, expected.z, tolerance)) {
        print_error("%s is (%.17g, %.17g, %.17g), expected (%.17g, %.17g, %.17g) within %g; off by "
                    "(%g, %g, %g)\n",
                    text, got.x, got.y, got.z, expected.x, expected.y, expected.z,
                    tolerance * check_tolerance_scale(), got.x - expected.x, got.y - expected.y,
                    got.z - expected.z);
        _fail(file, line);
    }
}
