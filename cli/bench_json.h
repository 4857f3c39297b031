// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The results of a benchmark as JSON: the document of its page.
#pragma once
#include "bench_conclude.h"
#include "json_out.h"

/// NULL when memory is out. docs/bench.md has the format.
json_t *bench_json(const bench_data *d);
