// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The work of a benchmark on all cores and ranks.
#pragma once
#include "bench_data.h"
#include "bench_samples.h"
#include "ranks.h"

typedef struct bench_limits {
    int threads;
    double deadline; ///< by timing_now(), when the matrix stops; INFINITY: never
} bench_limits;

/// Simulates all runs, each rank its share, and writes their samples into a file (rank 0). False after a message, or interrupted.
bool bench_record(console *con, const ranks *r, const bench_limits *limits, bench_run *runs,
                  int count, const char *path);
/// Fills what is missing in the matrix; rank 0 has it and writes it to `path` now and then. False: stopped early, by a
/// signal or by an error with a message; *spent says whether the budget ended it.
bool bench_fill(console *con, const ranks *r, const bench_limits *limits, const char *samples_path,
                bench_data *data, const char *path, bool *spent);
