// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// See numbers.h. A number times 0 is 0, unless it is infinite or NaN: then the product is NaN. Sums of such products
// are 0 if and only if all numbers are finite.
#include "math/numbers.h"
#include "math/lanes.h"
#include <math.h>

PAWL_KERNEL static void numbers_copy(double *restrict to, const double *restrict from, size_t count)
{
    size_t k = 0;
    for (; k + 16 <= count; k += 16) {
        LANES_STORE(to + k, LANES_LOAD(from + k));
        LANES_STORE(to + k + 4, LANES_LOAD(from + k + 4));
        LANES_STORE(to + k + 8, LANES_LOAD(from + k + 8));
        LANES_STORE(to + k + 12, LANES_LOAD(from + k + 12));
    }
    for (; k < count; ++k) {
        to[k] = from[k];
    }
}

void pawl_numbers_copy(double *restrict to, const double *restrict from, size_t count)
{
    numbers_copy(to, from, count);
}

PAWL_KERNEL static void numbers_set(double *x, size_t count, double value)
{
    size_t k = 0;
    for (; k + 16 <= count; k += 16) {
        LANES_STORE(x + k, LANES_ALL(value));
        LANES_STORE(x + k + 4, LANES_ALL(value));
        LANES_STORE(x + k + 8, LANES_ALL(value));
        LANES_STORE(x + k + 12, LANES_ALL(value));
    }
    for (; k < count; ++k) {
        x[k] = value;
    }
}

void pawl_numbers_set(double *x, size_t count, double value)
{
    numbers_set(x, count, value);
}

PAWL_KERNEL static void numbers_exchange(double *restrict a, double *restrict b, size_t count)
{
    size_t k = 0;
    for (; k + 8 <= count; k += 8) {
        lanes value = LANES_LOAD(a + k), more = LANES_LOAD(a + k + 4);
        LANES_STORE(a + k, LANES_LOAD(b + k));
        LANES_STORE(a + k + 4, LANES_LOAD(b + k + 4));
        LANES_STORE(b + k, value);
        LANES_STORE(b + k + 4, more);
    }
    for (; k < count; ++k) {
        double value = a[k];
        a[k] = b[k];
        b[k] = value;
    }
}

void pawl_numbers_exchange(double *restrict a, double *restrict b, size_t count)
{
    numbers_exchange(a, b, count);
}

PAWL_KERNEL static void numbers_add(double *restrict x, const double *restrict more, double rate,
                                    size_t count)
{
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        LANES_STORE(x + k, LANES_LOAD(x + k) + LANES_ALL(rate) * LANES_LOAD(more + k));
    }
    for (; k < count; ++k) {
        x[k] += rate * more[k];
    }
}

void pawl_numbers_add(double *restrict x, const double *restrict more, double rate, size_t count)
{
    numbers_add(x, more, rate, count);
}

PAWL_KERNEL static bool numbers_are_finite(const double *x, size_t count)
{
    lanes zero = LANES_ALL(0.0), sum = zero, more = zero;
    size_t k = 0;
    for (; k + 8 <= count; k += 8) {
        sum += zero * LANES_LOAD(x + k);
        more += zero * LANES_LOAD(x + k + 4);
    }
    double rest = 0.0;
    for (; k < count; ++k) {
        rest += 0.0 * x[k];
    }
    sum += more;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest == 0.0;
}

bool pawl_numbers_are_finite(const double *x, size_t count)
{
    return numbers_are_finite(x, count);
}

// A running maximum, and a sum that is 0 of finite numbers.
PAWL_KERNEL_PART void numbers_see(double x, double *most, double *none)
{
    double size = fabs(x);
    *most = size > *most ? size : *most;
    *none += 0.0 * x;
}

// Of four of both.
PAWL_KERNEL_PART double numbers_most(const double most[4], const double none[4])
{
    bool finite = (none[0] + none[1]) + (none[2] + none[3]) == 0.0;
    double low = most[0] > most[1] ? most[0] : most[1];
    double high = most[2] > most[3] ? most[2] : most[3];
    return finite ? (low > high ? low : high) : NAN;
}

// Written with plain numbers in groups of four, which compilers turn into vectors.
PAWL_KERNEL static double numbers_largest(const double *restrict x, int count)
{
    double most[4] = {0}, none[4] = {0};
    int r = 0;
    for (; r + 4 <= count; r += 4) {
        for (int k = 0; k < 4; ++k) {
            numbers_see(x[r + k], &most[k], &none[k]);
        }
    }
    for (; r < count; ++r) {
        numbers_see(x[r], &most[0], &none[0]);
    }
    return numbers_most(most, none);
}

double pawl_numbers_largest(const double *x, int count)
{
    return numbers_largest(x, count);
}

PAWL_KERNEL static double numbers_largest_product(const double *restrict x,
                                                  const double *restrict by, int count)
{
    double most[4] = {0}, none[4] = {0};
    int r = 0;
    for (; r + 4 <= count; r += 4) {
        for (int k = 0; k < 4; ++k) {
            numbers_see(x[r + k] * by[r + k], &most[k], &none[k]);
        }
    }
    for (; r < count; ++r) {
        numbers_see(x[r] * by[r], &most[0], &none[0]);
    }
    return numbers_most(most, none);
}

double pawl_numbers_largest_product(const double *x, const double *by, int count)
{
    return numbers_largest_product(x, by, count);
}

PAWL_KERNEL static double numbers_scale(const double *restrict x, int count, double rate,
                                        double *restrict y)
{
    double most[4] = {0}, none[4] = {0};
    int r = 0;
    for (; r + 4 <= count; r += 4) {
        for (int k = 0; k < 4; ++k) {
            numbers_see(x[r + k], &most[k], &none[k]);
            y[r + k] = rate * x[r + k];
        }
    }
    for (; r < count; ++r) {
        numbers_see(x[r], &most[0], &none[0]);
        y[r] = rate * x[r];
    }
    return numbers_most(most, none);
}

double pawl_numbers_scale(const double *restrict x, int count, double rate, double *restrict y)
{
    return numbers_scale(x, count, rate, y);
}
