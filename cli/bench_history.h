// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Residual histories: how far every solver is after each of its iterations, on one sample of every run.
#pragma once
#include "bench_data.h"

/// Fills data->points from the samples that are done. False when memory is out or a sample cannot be read.
bool bench_history_record(console *con, const char *samples_path, bench_data *data);
