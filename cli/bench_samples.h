// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Records the samples of a suite: machines through scenarios, and of each run some steps in pairs.
#pragma once
#include "console.h"
#include "pawl/io.h"
#include "scenario.h"

/// A named set of machines.
typedef struct bench_suite {
    const char *name, *summary;
    const char *const *systems; ///< of models/suite, NULL past the last
    int pairs;                  ///< of successive steps that are kept of a run
    double time;                ///< of a run [s]
} bench_suite;
const bench_suite *bench_suite_at(int i); ///< NULL past the last
const bench_suite *bench_suite_find(const char *name);
// Machine i of the suites, as args_suggest() wants it; NULL beyond the last.
const char *bench_machine_name(const void *user, int i);

enum { BENCH_MISSED = 8 }; ///< steps of a run that missed the tolerance and are kept

/// Which of a suite's runs: names separated by commas, NULL for all.
typedef struct bench_choice {
    const char *machines, *scenarios;
    const char *format; ///< "sdf" or "xml"
} bench_choice;

/// One run: a machine in a scenario.
typedef struct bench_run {
    char path[1024]; ///< of the model
    const char *system;
    int scenario;
    int pairs;
    double time;
    // what became of it
    pawl_sample **samples; ///< (2 x pairs + BENCH_MISSED) at most
    int sample_count;
    int missed; ///< steps whose answer missed the tolerance
    bool passed;
    bool stopped; ///< it ended before its time
    char verdict[256];
    double seconds; ///< of processor time
    int64_t steps;
} bench_run;

/// All runs of a suite, in the order of its systems and of the scenarios; to be freed with bench_runs_free(). NULL after a message.
bench_run *bench_runs_make(console *con, const bench_suite *suite, const bench_choice *choice,
                           int *count);
void bench_runs_free(bench_run *runs, int count);
/// Simulates and keeps samples. Only touches `run`; runs may be done by different threads.
void bench_run_do(const pawl_env *env, bench_run *run);
