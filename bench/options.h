// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The options that every benchmark takes, so that `./dev bench` can hand them to all; one that means
// nothing to a program is taken and left alone.
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_MAX_REPEATS = 32 };

typedef struct bench_options {
    const char *program;
    bool quick;
    bool scaling;  ///< bench_peers alone has such a table
    uint64_t seed; ///< of random scenes
    int repeats;
    double budget;      ///< CPU seconds of one judged run
    double time_budget; ///< CPU seconds of one timed repetition
    const char *json;
    const char *scene;  ///< only cases whose name contains it
    const char *engine; ///< only variants whose "engine variant" contains it, where there are such
} bench_options;

/// `summary` is the first line of the help. Ends the program on --help and on bad usage.
bench_options bench_parse(const char *program, const char *summary, int count, char **arguments);

/// Whether `--scene` lets a case of this name run.
bool bench_wanted(const bench_options *options, const char *name);
/// One line, redrawn, so that minutes of work do not look like a hang. Only on a terminal.
void bench_progress(int done, int total, const char *what, const char *detail);
json_t *bench_number(double value); ///< null when it is not finite
/// Puts the figures into the object in the file of `--json` under the program's name: programs share
/// the file, and others' figures stay. Takes the reference; does nothing without the option.
bool bench_write_json(const bench_options *options, json_t *figures);
