// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Datasets of an FCLib file. Files are hostile input: they are read without the HDF5 library (hdf5_plain.c), sizes
// are compared with the length of the file before memory is allocated, and numbers are checked before they are used.
#include "fclib/fclib_file.h"
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FCLIB_NAME_SIZE = 128 };

pawl_status pawl_fclib_fail(const fclib_file *f, const char *name, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return PAWL_FAIL(f->env, PAWL_BAD_FILE, "%s: %s: %s", f->path, name, text);
}

pawl_status pawl_fclib_open(const pawl_env *env, const char *path, fclib_file *f)
{
    *f = (fclib_file){.env = env, .path = path};
    pawl_status status = hdf5_plain_open(env, path, &f->in);
    switch (status) {
    case PAWL_OK:
        return PAWL_OK;
    case PAWL_NO_MEMORY:
        return PAWL_FAIL(env, status, "%s: no memory to read it", path);
    case PAWL_BAD_FILE:
        return PAWL_FAIL(env, status, "%s: is not an HDF5 file, is damaged or was cut off", path);
    case PAWL_UNSUPPORTED:
        return PAWL_FAIL(env, status,
                         "%s: is damaged or of an unknown form of HDF5; try: h5repack IN OUT",
                         path);
    default:
        return PAWL_FAIL(env, status, "%s: cannot be opened or read", path);
    }
}

void pawl_fclib_close(fclib_file *f)
{
    hdf5_plain_close(&f->in);
}

bool pawl_fclib_has(const fclib_file *f, const char *name)
{
    return hdf5_plain_find(&f->in, name).found != HDF5_ABSENT;
}

// A dataset of exactly `count` numbers, whole ones unless `real`.
static pawl_status fclib_find(const fclib_file *f, const char *name, bool real, int count,
                              hdf5_numbers *out)
{
    *out = hdf5_plain_find(&f->in, name);
    switch (out->found) {
    case HDF5_ABSENT:
    case HDF5_GROUP:
        return pawl_fclib_fail(f, name, "not there, expected a dataset of %d number%s", count,
                               count == 1 ? "" : "s");
    case HDF5_UNKNOWN:
        return pawl_fclib_fail(f, name,
                               "is stored in chunks, compressed, outside the file or in an unknown "
                               "form, expected %d numbers in one piece; try: h5repack -l CONTI -f "
                               "NONE IN OUT",
                               count);
    case HDF5_DAMAGED:
        return pawl_fclib_fail(f, name, "is damaged, expected %d numbers", count);
    case HDF5_NO_NUMBERS:
    case HDF5_DATASET:
        break;
    }
    if (out->found == HDF5_NO_NUMBERS || (out->real && !real)) {
        return pawl_fclib_fail(f, name, "is of another type, expected %s",
                               real ? "numbers" : "whole numbers");
    }
    return out->count == (uint64_t)count ? PAWL_OK
                                         : pawl_fclib_fail(f, name, "has %llu numbers, expected %d",
                                                           (unsigned long long)out->count, count);
}

pawl_status pawl_fclib_int(const fclib_file *f, const char *name, int *out)
{
    hdf5_numbers set;
    PAWL_TRY(fclib_find(f, name, false, 1, &set));
    *out = hdf5_plain_int(&set, 0);
    return PAWL_OK;
}

static pawl_status fclib_room(const fclib_file *f, const char *name, int count, size_t size,
                              void **out)
{
    *out = pawl_alloc(f->env, (size_t)count * size);
    return *out != NULL ? PAWL_OK
                        : PAWL_FAIL(f->env, PAWL_NO_MEMORY, "%s: %s: no memory for %d numbers",
                                    f->path, name, count);
}

// The claimed count must be in the file before memory is asked for.
static pawl_status fclib_check_count(const fclib_file *f, const char *name, int count)
{
    return count >= 0 && (uint64_t)count <= f->in.size
               ? PAWL_OK
               : pawl_fclib_fail(f, name, "would have %d numbers in a file of %llu bytes", count,
                                 (unsigned long long)f->in.size);
}

static pawl_status fclib_file_ints(const fclib_file *f, const char *name, int count, int **out)
{
    hdf5_numbers set;
    void *block;
    *out = NULL;
    PAWL_TRY(fclib_check_count(f, name, count));
    PAWL_TRY(fclib_find(f, name, false, count, &set));
    PAWL_TRY(fclib_room(f, name, count, sizeof **out, &block));
    *out = block;
    for (int i = 0; i < count; ++i) {
        (*out)[i] = hdf5_plain_int(&set, (uint64_t)i);
    }
    return PAWL_OK;
}

pawl_status pawl_fclib_reals(const fclib_file *f, const char *name, int count, double **out)
{
    hdf5_numbers set;
    void *block;
    *out = NULL;
    PAWL_TRY(fclib_check_count(f, name, count));
    PAWL_TRY(fclib_find(f, name, true, count, &set));
    for (int i = 0; i < count; ++i) {
        double value = hdf5_plain_real(&set, (uint64_t)i);
        if (!isfinite(value)) {
            return pawl_fclib_fail(f, name, "number %d is %g, expected a finite one", i, value);
        }
    }
    PAWL_TRY(fclib_room(f, name, count, sizeof **out, &block));
    *out = block;
    for (int i = 0; i < count; ++i) {
        (*out)[i] = hdf5_plain_real(&set, (uint64_t)i);
    }
    return PAWL_OK;
}

// ---- Matrices ------------------------------------------------------------------------------------

typedef struct fclib_names {
    char m[FCLIB_NAME_SIZE], n[FCLIB_NAME_SIZE], nz[FCLIB_NAME_SIZE], nzmax[FCLIB_NAME_SIZE];
    char p[FCLIB_NAME_SIZE], i[FCLIB_NAME_SIZE], x[FCLIB_NAME_SIZE];
} fclib_names;

static void fclib_name(char *out, const char *group, const char *name)
{
    (void)snprintf(out, FCLIB_NAME_SIZE, "%s/%s", group, name);
}

static fclib_names fclib_names_of(const char *group)
{
    fclib_names names;
    fclib_name(names.m, group, "m");
    fclib_name(names.n, group, "n");
    fclib_name(names.nz, group, "nz");
    fclib_name(names.nzmax, group, "nzmax");
    fclib_name(names.p, group, "p");
    fclib_name(names.i, group, "i");
    fclib_name(names.x, group, "x");
    return names;
}

// From the starts of rows or columns to the row or column of each entry.
static pawl_status fclib_expand(const fclib_file *f, const char *name, const int *p, int lines,
                                int count, int *line)
{
    for (int k = 0; k <= lines; ++k) {
        int before = k > 0 ? p[k - 1] : 0;
        if (p[k] < before || p[k] > count || (k == 0 && p[k] != 0)) {
            return pawl_fclib_fail(f, name, "number %d is %d, expected %d to %d", k, p[k], before,
                                   k == 0 ? 0 : count);
        }
    }
    for (int k = 0; k < lines; ++k) {
        for (int e = p[k]; e < p[k + 1]; ++e) {
            line[e] = k;
        }
    }
    return PAWL_OK;
}

static pawl_status fclib_check_range(const fclib_file *f, const char *name, const int *index,
                                     int count, int range)
{
    for (int e = 0; e < count; ++e) {
        if (index[e] < 0 || index[e] >= range) {
            return pawl_fclib_fail(f, name, "number %d is %d, expected 0 to %d", e, index[e],
                                   range - 1);
        }
    }
    return PAWL_OK;
}

// Compressed columns (nz -1) or rows (nz -2): p has the starts, i the index within.
static pawl_status fclib_compressed(const fclib_file *f, const fclib_names *names, bool by_rows,
                                    fclib_matrix *m)
{
    pawl_triplets *t = &m->entries;
    int lines = by_rows ? t->rows : t->columns;
    int **along = by_rows ? &m->row : &m->column, **within = by_rows ? &m->column : &m->row;
    int *p;
    PAWL_TRY(fclib_file_ints(f, names->i, m->indices, within));
    PAWL_TRY(pawl_fclib_reals(f, names->x, m->values, &m->value));
    void *block;
    PAWL_TRY(fclib_room(f, names->p, m->indices, sizeof **along, &block));
    *along = block;
    PAWL_TRY(fclib_file_ints(f, names->p, lines + 1, &p));
    pawl_status status = fclib_expand(f, names->p, p, lines, m->indices, *along);
    t->count = p[lines];
    pawl_free(f->env, p, (size_t)(lines + 1) * sizeof *p);
    PAWL_TRY(status);
    return fclib_check_range(f, names->i, *within, t->count, by_rows ? t->columns : t->rows);
}

// Triplets: i has the rows and p the columns, against the comment in FCLib's header (its own writer
// and Siconos hand a CSparse matrix through).
static pawl_status fclib_triplets(const fclib_file *f, const fclib_names *names, fclib_matrix *m)
{
    pawl_triplets *t = &m->entries;
    PAWL_TRY(fclib_file_ints(f, names->i, m->indices, &m->row));
    PAWL_TRY(fclib_file_ints(f, names->p, m->indices, &m->column));
    PAWL_TRY(pawl_fclib_reals(f, names->x, m->values, &m->value));
    t->count = m->indices;
    PAWL_TRY(fclib_check_range(f, names->i, m->row, t->count, t->rows));
    return fclib_check_range(f, names->p, m->column, t->count, t->columns);
}

static pawl_status fclib_matrix_read(const fclib_file *f, const char *group, fclib_matrix *m)
{
    fclib_names names = fclib_names_of(group);
    pawl_triplets *t = &m->entries;
    int nz;
    PAWL_TRY(pawl_fclib_int(f, names.m, &t->rows));
    PAWL_TRY(pawl_fclib_int(f, names.n, &t->columns));
    PAWL_TRY(pawl_fclib_int(f, names.nz, &nz));
    PAWL_TRY(pawl_fclib_int(f, names.nzmax, &m->values));
    if (t->rows < 0 || t->rows == INT_MAX) {
        return pawl_fclib_fail(f, names.m, "is %d, expected a number of rows", t->rows);
    }
    if (t->columns < 0 || t->columns == INT_MAX) {
        return pawl_fclib_fail(f, names.n, "is %d, expected a number of columns", t->columns);
    }
    if (nz < -2) {
        return pawl_fclib_fail(f, names.nz, "is %d, expected -1, -2 or a number of entries", nz);
    }
    if (m->values < 0 || (nz >= 0 && m->values < nz)) {
        return pawl_fclib_fail(f, names.nzmax, "is %d, expected at least %d", m->values,
                               nz > 0 ? nz : 0);
    }
    m->indices = nz >= 0 ? nz : m->values;
    return nz >= 0 ? fclib_triplets(f, &names, m) : fclib_compressed(f, &names, nz == -2, m);
}

pawl_status pawl_fclib_matrix(const fclib_file *f, const char *group, fclib_matrix *m)
{
    *m = (fclib_matrix){0};
    if (!pawl_fclib_has(f, group)) {
        return pawl_fclib_fail(f, group, "not there, expected a matrix");
    }
    pawl_status status = fclib_matrix_read(f, group, m);
    m->entries.row = m->row;
    m->entries.column = m->column;
    m->entries.value = m->value;
    if (status != PAWL_OK) {
        pawl_fclib_matrix_free(f, m);
    }
    return status;
}

void pawl_fclib_matrix_free(const fclib_file *f, fclib_matrix *m)
{
    pawl_free(f->env, m->row, (size_t)m->indices * sizeof *m->row);
    pawl_free(f->env, m->column, (size_t)m->indices * sizeof *m->column);
    pawl_free(f->env, m->value, (size_t)m->values * sizeof *m->value);
    *m = (fclib_matrix){0};
}
