// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Two benchmarks side by side, by what does not depend on the machine's mood.
#pragma once
#include "bench_data.h"

/// Counts instructions of solvers on a few samples of each category with callgrind, into data->counts. False after a message.
bool bench_count_instructions(console *con, const char *samples_path, bench_data *data);
/// Prints what changed from `old` to `fresh`; returns the number of regressions.
int bench_compare(const bench_data *old, const bench_data *fresh);
