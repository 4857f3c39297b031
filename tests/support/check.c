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

void test_check_int(int64_t met, int64_t expected, const char *met_text, const char *expected_text,
                    const char *file, int line)
{
    if (met != expected) {
        print_error("%s is %" PRId64 ", expected %s = %" PRId64 "\n", met_text, met, expected_text,
                    expected);
        _fail(file, line);
    }
}

void test_check_text(const char *met, const char *expected, const char *text, const char *file,
                     int line)
{
    if (met == NULL || strcmp(met, expected) != 0) {
        print_error("%s is \"%s\", expected \"%s\"\n", text, met != NULL ? met : "(NULL)",
                    expected);
        _fail(file, line);
    }
}

static double check_tolerance_scale(void)
{
    const char *text = getenv("PAWL_TOL_SCALE");
    return text != NULL ? strtod(text, NULL) : 1.0;
}

static bool check_is_near(double met, double expected, double tolerance)
{
    return met == expected || fabs(met - expected) <= tolerance * check_tolerance_scale();
}

void test_check_near(double met, double expected, double tolerance, const char *text,
                     const char *file, int line)
{
    if (!check_is_near(met, expected, tolerance)) {
        print_error("%s is %.17g, expected %.17g within %g; off by %g\n", text, met, expected,
                    tolerance * check_tolerance_scale(), met - expected);
        _fail(file, line);
    }
}

void test_check_near3(pawl_vec3 met, pawl_vec3 expected, double tolerance, const char *text,
                      const char *file, int line)
{
    if (!check_is_near(met.x, expected.x, tolerance) ||
        !check_is_near(met.y, expected.y, tolerance) ||
        !check_is_near(met.z, expected.z, tolerance)) {
        print_error("%s is (%.17g, %.17g, %.17g), expected (%.17g, %.17g, %.17g) within %g; off by "
                    "(%g, %g, %g)\n",
                    text, met.x, met.y, met.z, expected.x, expected.y, expected.z,
                    tolerance * check_tolerance_scale(), met.x - expected.x, met.y - expected.y,
                    met.z - expected.z);
        _fail(file, line);
    }
}
