// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Passes over long lists of numbers, four at a time. The lists do not overlap.
#pragma once
#include <stdbool.h>
#include <stddef.h>

void pawl_numbers_copy(double *restrict to, const double *restrict from, size_t count);
void pawl_numbers_set(double *x, size_t count, double value);
void pawl_numbers_exchange(double *restrict a, double *restrict b, size_t count);
bool pawl_numbers_are_finite(const double *x, size_t count);
// The largest |x|, 0 of none; NaN if some number is infinite or none.
double pawl_numbers_largest(const double *x, int count);
// The same of their products with other numbers.
double pawl_numbers_largest_product(const double *x, const double *by, int count);
// x += rate more
void pawl_numbers_add(double *restrict x, const double *restrict more, double rate, size_t count);
// y = rate x, and the largest |x| as above.
double pawl_numbers_scale(const double *restrict x, int count, double rate, double *restrict y);
