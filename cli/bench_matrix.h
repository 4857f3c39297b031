// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Every solver on every sample, with the measures of loops VII-D.
#pragma once
#include "console.h"
#include "pawl/io.h"

/// A column of the matrix: a solver in one of its variants.
typedef struct bench_entry {
    char name[40]; ///< "nbgs", or "nbgs/paper" as published
    int kind;
    bool paper;
} bench_entry;
enum { BENCH_MAX_ENTRIES = 48 };
typedef struct bench_entries {
    bench_entry list[BENCH_MAX_ENTRIES];
    int count;
} bench_entries;
/// "all", "published", "own", names and names with /paper, separated by commas. False after a message.
bool bench_entries_read(console *con, const char *words, bench_entries *out);

enum { BENCH_DECADES = 12 }; // accuracies 1e-1 to 1e-12
/// What a solver made of a sample. Times are of processor time; all else is the same on every machine and run.
typedef struct bench_cell {
    int done;    ///< 0: not tried, 1: solved or not, 2: does not apply (contacts, a refusal)
    int outcome; ///< pawl_outcome
    int iterations, factorizations;
    int reach
        [BENCH_DECADES]; ///< first iteration with a scaled natural map within 1e-1, 1e-2, ...; 0: none
    double seconds;
    double primal, dual, complementarity, natural, scaled; ///< residuals of Coulomb's law
    double own;                                            ///< of the solver's own law
    double penetration;
    double
        sensitivity; ///< change of the answer over that of v_f, for a small change; NaN: not measured
    double
        jump; ///< change of the answer from the sample before, a step earlier; NaN: not successive [m/s]
} bench_cell;

typedef struct bench_options {
    double tolerance;
    int max_iterations;
    int perturb; ///< every so many samples the sensitivity is measured; 0: never
} bench_options;

/// Settings of a solver in the matrix.
pawl_settings bench_entry_settings(const bench_entry *entry, const bench_options *options);

/// Fills one row of the matrix. `before` is the sample of the step before, or NULL. Uses nothing but its arguments:
/// different rows may be filled by different threads.
pawl_status bench_solve_sample(const pawl_env *env, const pawl_sample *sample,
                               const pawl_sample *before, bool perturb,
                               const bench_entries *entries, const bench_options *options,
                               bench_cell *row);
/// Processor time until the scaled natural map was within 10^-decade, or INFINITY: the share of iterations that it took.
double bench_time_to(const bench_cell *cell, int decade);
