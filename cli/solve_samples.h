// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl solve on a file of samples (docs/samples.md): whole problems with joints, limits and contacts.
#pragma once
#include "json_out.h"
#include "pawl/io.h"

typedef struct solve_samples_request {
    const char *path;
    const int *kinds; ///< solvers
    int kind_count;
    pawl_settings settings;
    int sample;   ///< -1: all
    bool warm;    ///< from the impulses of the step before
    bool history; ///< residuals of each iteration, for the JSON
    const char *json_path;
} solve_samples_request;

/// Solves, prints a table, writes JSON; returns an exit code.
int solve_samples(console *con, const solve_samples_request *request);
