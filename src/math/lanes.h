// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Four numbers at a time: vectors of the compiler (GCC and clang), which become AVX2 instructions in kernels
// (base/kernel.h) and pairs or single numbers elsewhere. Each lane does what one number alone would do, in the same
// order, so that bits do not depend on the machine. Vectors are not passed by value, because the calling convention
// for them depends on the machine.
#pragma once
#include "base/kernel.h"
#include <stdint.h>

typedef double lanes __attribute__((vector_size(32)));
// The same anywhere in an array of doubles.
typedef double lanes_at __attribute__((vector_size(32), aligned(8), may_alias));
// Two of them, as the end of six numbers.
typedef double lanes_pair_at __attribute__((vector_size(16), aligned(8), may_alias));
// What comparisons of lanes give.
typedef int64_t lanes_mask __attribute__((vector_size(32)));

#define LANES_LOAD(p) ((lanes)(*(const lanes_at *)(p)))
#define LANES_STORE(p, x) (*(lanes_at *)(p) = (x))
#define LANES_ALL(x) ((lanes){(x), (x), (x), (x)})
// x where the mask m is set, else y.
#define LANES_SELECT(m, x, y) ((lanes)(((m) & (lanes_mask)(x)) | (~(m) & (lanes_mask)(y))))
#define LANES_ANY(m) (((m)[0] | (m)[1] | (m)[2] | (m)[3]) != 0)

// Four rows become four columns.
PAWL_KERNEL_PART void lanes_transpose(lanes x[4])
{
    lanes low = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6),
          high = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7),
          next_low = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6),
          next_high = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(low, next_low, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(high, next_high, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(low, next_low, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(high, next_high, 2, 3, 6, 7);
}

// The first n (1 to 4) numbers at p; the other lanes are 0.
PAWL_KERNEL_PART void lanes_load_first(const double *p, int n, lanes *x)
{
    if (n >= 4) {
        *x = LANES_LOAD(p);
    } else if (n >= 2) { // as one load, behind which processors leave zeros
        lanes_pair_at low = *(const lanes_pair_at *)p, high = {n == 3 ? p[2] : 0.0, 0.0};
        *x = __builtin_shufflevector(low, high, 0, 1, 2, 3);
    } else {
        *x = (lanes){p[0], 0.0, 0.0, 0.0};
    }
}

// Lanes from 4 on of such a vector are left out.
PAWL_KERNEL_PART void lanes_store_first(double *p, int n, const lanes *x)
{
    if (n >= 4) {
        LANES_STORE(p, *x);
        return;
    }
    for (int i = 0; i < n; ++i) {
        p[i] = (*x)[i];
    }
}

// The six columns of `count` (1 to 4) rows of six numbers; rows that are missing are zeros.
PAWL_KERNEL_PART void lanes_columns6(const double *row, int count, lanes column[6])
{
    if (count == 1) {
        for (int k = 0; k < 6; ++k) {
            column[k] = (lanes){row[k], 0.0, 0.0, 0.0};
        }
        return;
    }
    lanes tail[4]; // from column 2 on, so that nothing behind the row is read
    for (int c = 0; c < 4; ++c) {
        column[c] = c < count ? LANES_LOAD(row + 6 * c) : LANES_ALL(0.0);
        tail[c] = c < count ? LANES_LOAD(row + 6 * c + 2) : LANES_ALL(0.0);
    }
    lanes_transpose(column);
    lanes_transpose(tail);
    column[4] = tail[2];
    column[5] = tail[3];
}

// The products a . b of `count` (1 to 4) rows of six numbers: (a0 b0 + a1 b1 + a2 b2) + (a3 b3 + a4 b4 + a5 b5).
PAWL_KERNEL_PART void lanes_dots6(const double *a, const double *b, int count, lanes *dots)
{
    lanes head[4], tail[4]; // products 0 to 3 and 2 to 5 of each row, then of all rows
    for (int r = 0; r < 4; ++r) {
        int at = 6 * (r < count ? r : count - 1);
        head[r] = LANES_LOAD(a + at) * LANES_LOAD(b + at);
        tail[r] = LANES_LOAD(a + at + 2) * LANES_LOAD(b + at + 2);
    }
    lanes_transpose(head);
    lanes_transpose(tail);
    *dots = ((head[0] + head[1]) + head[2]) + ((tail[1] + tail[2]) + tail[3]);
}
