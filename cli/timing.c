// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A histogram with logarithmic buckets from 1 ns to about five hours. It is updated between steps, so it must be
// cheap and never allocate.
#include "timing.h"

#include <math.h>
#include <time.h>

static const double timing_least = 1e-9; // [s]

double timing_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Of the thread: while a limit is watched, the system counts that of the process in ticks.
double timing_processor(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void timing_add(timing *t, double seconds)
{
    int index = 0;
    if (seconds > timing_least) {
        index = (int)(log2(seconds / timing_least) * TIMING_PER_OCTAVE);
        int last = TIMING_PER_OCTAVE * TIMING_OCTAVES - 1;
        index = index < last ? index : last;
    }
    t->bucket[index]++;
    t->count++;
    t->sum += seconds;
}

double timing_mean(const timing *t)
{
    return t->count > 0 ? t->sum / (double)t->count : NAN;
}

double timing_quantile(const timing *t, double quantile)
{
    if (t->count == 0) {
        return NAN;
    }
    uint64_t wanted = (uint64_t)ceil(quantile * (double)t->count);
    uint64_t seen = 0;
    int index = 0;
    for (; index < TIMING_PER_OCTAVE * TIMING_OCTAVES - 1; ++index) {
        seen += t->bucket[index];
        if (seen >= wanted && seen > 0) {
            break;
        }
    }
    return timing_least * exp2((index + 0.5) / TIMING_PER_OCTAVE);
}
