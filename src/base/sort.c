// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Merge sort that starts from existing runs: linear if the keys are already sorted.
#include "base/sort.h"
#include <string.h>

// The first index after the ascending run that starts at `from`.
static int sort_run_end(const uint64_t *keys, int from, int count)
{
    int end = from + 1;
    while (end < count && keys[end - 1] <= keys[end]) {
        ++end;
    }
    return end;
}

void pawl_sort_keys(uint64_t *keys, uint64_t *scratch, int count)
{
    uint64_t *from = keys, *to = scratch;
    while (count > 0 && sort_run_end(from, 0, count) < count) {
        for (int start = 0; start < count;) {
            int middle = sort_run_end(from, start, count);
            int end = middle < count ? sort_run_end(from, middle, count) : count;
            int i = start, j = middle;
            for (int k = start; k < end; ++k) {
                to[k] = j >= end || (i < middle && from[i] <= from[j]) ? from[i++] : from[j++];
            }
            start = end;
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) {
        memcpy(keys, from, (size_t)count * sizeof *keys);
    }
}
