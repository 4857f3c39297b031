// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// How long steps take: mean, median and 99th percentile of any number of steps in fixed memory.
#pragma once
#include <stdint.h>

/// Buckets grow by a constant factor: percentiles are right to half a percent.
enum { TIMING_PER_OCTAVE = 64, TIMING_OCTAVES = 44 };
typedef struct timing {
    int64_t count;
    double sum; ///< [s]
    uint64_t bucket[TIMING_PER_OCTAVE * TIMING_OCTAVES];
} timing;

double timing_now(void);       ///< a clock that only goes forward [s]
double timing_processor(void); ///< processor time of this thread [s]
void timing_add(timing *t, double seconds);
double timing_mean(const timing *t);                      ///< NaN without steps [s]
double timing_quantile(const timing *t, double quantile); ///< NaN without steps [s]
