// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a benchmark says: performance profiles and conclusions, from its data alone.
#pragma once
#include "bench_data.h"

/// Of one solver over some samples, at an accuracy (Dolan and More, as Acary and others use it): with t the time to the accuracy and
/// t* the least of all solvers, the profile is the share of samples with t <= tau t*.
typedef struct bench_score {
    int tried;     ///< samples that it applies to
    double solved; ///< share that reached the accuracy
    double best;   ///< share on which it is the fastest
    double near;   ///< share within twice the fastest
    double area;   ///< under the profile over log tau from 1 to 1000, over that of an ideal solver
    double median; ///< time to the accuracy, of those that reached it [s]
    double residual;    ///< median scaled natural map of the answers
    double penetration; ///< likewise
    double sensitivity; ///< 95th percentile
    double jump;        ///< median
    double iterations;  ///< median
} bench_score;

enum { BENCH_ALL = -1 };
/// scores (entries) over the samples of a category (or BENCH_ALL); returns how many samples that are. Samples that no solver
/// solved count as unsolved for all.
int bench_scores(const bench_data *d, int category, int decade, bench_score *scores);
/// The entry with the largest area; -1 where there is none.
int bench_best(const bench_data *d, const bench_score *scores);

enum { BENCH_CONCLUSIONS = 16, BENCH_SENTENCE = 800 };
typedef struct bench_conclusions {
    char text[BENCH_CONCLUSIONS][BENCH_SENTENCE];
    int count;
} bench_conclusions;
void bench_conclude(const bench_data *d, bench_conclusions *out);
