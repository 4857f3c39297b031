// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Datasets of an FCLib file, each checked before it is used.
#pragma once
#include "base/env.h"
#include "hdf5/hdf5_plain.h"
#include "pawl/io.h"

typedef struct fclib_file {
    const pawl_env *env;
    const char *path;
    hdf5_plain in;
} fclib_file;

// The component of a contact in FCLib's order (normal, tangent, tangent) that is our component c.
static inline int fclib_component(int c)
{
    return c == 2 ? 0 : c + 1;
}
// Our row of the row that FCLib has at `row`.
static inline int fclib_row(int row)
{
    return row % 3 == 0 ? row + 2 : row - 1;
}

// "file: dataset: message", PAWL_BAD_FILE.
pawl_status pawl_fclib_fail(const fclib_file *f, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
pawl_status pawl_fclib_open(const pawl_env *env, const char *path, fclib_file *f);
void pawl_fclib_close(fclib_file *f);
// Whether there is a group or a dataset of that name.
bool pawl_fclib_has(const fclib_file *f, const char *name);
// One whole number.
pawl_status pawl_fclib_int(const fclib_file *f, const char *name, int *out);
// Exactly `count` finite numbers. To be freed with that count.
pawl_status pawl_fclib_reals(const fclib_file *f, const char *name, int count, double **out);

// A matrix of m x n by its entries, in FCLib's order of rows.
typedef struct fclib_matrix {
    pawl_triplets entries;
    int *row, *column; // what the entries point to
    double *value;
    int indices, values; // room of these: a file may have more than the matrix has entries
} fclib_matrix;
pawl_status pawl_fclib_matrix(const fclib_file *f, const char *group, fclib_matrix *out);
void pawl_fclib_matrix_free(const fclib_file *f, fclib_matrix *matrix);
