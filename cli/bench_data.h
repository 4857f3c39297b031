// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The results of a benchmark: samples with their properties, and a matrix of cells; in memory and in a file.
#pragma once
#include "bench_matrix.h"

enum { BENCH_NAME = 64 };

/// What is known of a sample besides its problem.
typedef struct bench_sample {
    char system[BENCH_NAME], scenario[BENCH_NAME];
    int step, rows, contacts;
    int measured; ///< its properties are known
    pawl_sample_properties properties;
} bench_sample;

/// Instructions of one solve, counted by callgrind.
typedef struct bench_count {
    int sample, entry;
    double instructions;
} bench_count;

/// A point of a history: the residual after an iteration.
typedef struct bench_point {
    int sample, entry, iteration;
    double residual; ///< scaled natural map of Coulomb's law [m/s]
} bench_point;

typedef struct bench_data {
    bench_entries entries;
    bench_options options;
    int sample_count;
    bench_sample *samples; ///< (sample_count)
    bench_cell *cells;     ///< (sample_count x entries.count)
    int count_count;
    bench_count *counts;
    int point_count;
    bench_point *points; ///< of all histories, by sample, entry and iteration
    char suite[BENCH_NAME];
    char machine[256], system[256], version[64], date[64];
} bench_data;

/// Room for so many samples; false when memory is out.
bool bench_data_make(bench_data *d, int sample_count);
void bench_data_free(bench_data *d);
static inline bench_cell *bench_cell_at(const bench_data *d, int sample, int entry)
{
    return &d->cells[(size_t)sample * (size_t)d->entries.count + (size_t)entry];
}
/// Whether all cells of a sample were tried.
bool bench_is_done(const bench_data *d, int sample);
int bench_done_count(const bench_data *d);
/// Machine, system and versions of this process.
void bench_data_sign(bench_data *d);

/// False after a message.
bool bench_data_write(console *con, const bench_data *d, const char *path);
bool bench_data_read(console *con, const char *path, bench_data *out);
