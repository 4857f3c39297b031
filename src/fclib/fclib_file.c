// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Datasets of an FCLib file. A file may claim anything: sizes are compared with the bytes that the file has
// before memory is taken, and numbers are checked before they are used.
#include "fclib/fclib_file.h"
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    FCLIB_NAME_SIZE = 128,
    FCLIB_LARGEST_NUMBER = 16, // bytes; HDF5 would make room for any size that a file claims
    FCLIB_DEFLATE_LIMIT = 1100 // deflate cannot shrink further: more was never written
};

pawl_status pawl_fclib_fail(const fclib_file *f, const char *name, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    (void)H5Eclear2(H5E_DEFAULT);
    return PAWL_FAIL(f->env, PAWL_BAD_FILE, "%s: %s: %s", f->path, name, text);
}

// A link into another file: a problem is one file.
static herr_t fclib_refuse_link(const char *parent_file, const char *parent_group,
                                const char *child_file, const char *child, unsigned *flags,
                                hid_t fapl, void *data)
{
    (void)parent_file, (void)parent_group, (void)child_file, (void)child;
    (void)flags, (void)fapl, (void)data;
    return -1;
}

pawl_status pawl_fclib_open(const pawl_env *env, const char *path, fclib_file *f)
{
    *f = (fclib_file){env, path, H5I_INVALID_HID, H5I_INVALID_HID, 0};
    FILE *probe = fopen(path, "rb");
    if (probe == NULL) {
        return PAWL_FAIL(env, PAWL_IO_ERROR, "%s: cannot be opened", path);
    }
    (void)fclose(probe);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    f->access = H5Pcreate(H5P_DATASET_ACCESS);
    if (fapl >= 0 && f->access >= 0 && H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_elink_cb(f->access, fclib_refuse_link, NULL) >= 0) {
        f->file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
    }
    if (fapl >= 0) {
        (void)H5Pclose(fapl);
    }
    hsize_t size = 0;
    if (f->file < 0 || H5Fget_filesize(f->file, &size) < 0) {
        (void)H5Eclear2(H5E_DEFAULT);
        pawl_fclib_close(f);
        return PAWL_FAIL(env, PAWL_BAD_FILE, "%s: is not an HDF5 file, or is damaged", path);
    }
    f->size = size;
    return PAWL_OK;
}

void pawl_fclib_close(fclib_file *f)
{
    if (f->file >= 0) {
        (void)H5Fclose(f->file);
    }
    if (f->access >= 0) {
        (void)H5Pclose(f->access);
    }
    f->file = f->access = H5I_INVALID_HID;
    (void)H5Eclear2(H5E_DEFAULT);
}

bool pawl_fclib_has(const fclib_file *f, const char *name)
{
    // H5Lexists() needs every group before the last name to be there.
    char part[FCLIB_NAME_SIZE];
    bool there = strlen(name) < sizeof part;
    for (const char *end = name; there && *end != '\0';) {
        end += strcspn(end + 1, "/") + 1;
        (void)snprintf(part, sizeof part, "%.*s", (int)(end - name), name);
        there = H5Lexists(f->file, part, f->access) > 0;
    }
    (void)H5Eclear2(H5E_DEFAULT);
    return there;
}

// Data that lies in another file, or is put together from others.
static bool fclib_is_elsewhere(hid_t set)
{
    hid_t plist = H5Dget_create_plist(set);
    bool elsewhere =
        plist < 0 || H5Pget_layout(plist) == H5D_VIRTUAL || H5Pget_external_count(plist) != 0;
    if (plist >= 0) {
        (void)H5Pclose(plist);
    }
    return elsewhere;
}

// How many elements of that class a dataset has; a negative number is the reason why it is refused.
static int64_t fclib_count(const fclib_file *f, hid_t set, H5T_class_t class)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    int64_t count = -1;
    if (space >= 0 && type >= 0 && !fclib_is_elsewhere(set) && H5Sis_simple(space) > 0) {
        H5T_class_t got = H5Tget_class(type);
        hssize_t points = H5Sget_simple_extent_npoints(space);
        size_t size = H5Tget_size(type);
        bool fits =
            points >= 0 && size > 0 && (uint64_t)points / FCLIB_DEFLATE_LIMIT <= f->size / size;
        bool number = (got == class || (class == H5T_FLOAT && got == H5T_INTEGER)) &&
                      size <= FCLIB_LARGEST_NUMBER;
        count = !number ? -2 : fits ? (int64_t)points : -1;
    }
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    return count;
}

// Reads exactly `count` elements into `out`.
static pawl_status fclib_read(const fclib_file *f, const char *name, H5T_class_t class, hid_t type,
                              int count, void *out)
{
    hid_t set = pawl_fclib_has(f, name) ? H5Dopen2(f->file, name, f->access) : H5I_INVALID_HID;
    if (set < 0) {
        return pawl_fclib_fail(f, name, "not there, expected a dataset of %d number%s", count,
                               count == 1 ? "" : "s");
    }
    pawl_status status = PAWL_OK;
    int64_t got = fclib_count(f, set, class);
    if (got == -2) {
        status = pawl_fclib_fail(f, name, "is of another type, expected %s",
                                 class == H5T_INTEGER ? "whole numbers" : "numbers");
    } else if (got < 0) {
        status = pawl_fclib_fail(
            f, name, "is damaged or stored outside the file, expected %d numbers", count);
    } else if (got != count) {
        status = pawl_fclib_fail(f, name, "has %lld numbers, expected %d", (long long)got, count);
    } else if (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
        status = pawl_fclib_fail(f, name, "cannot be read: damaged");
    }
    (void)H5Dclose(set);
    return status;
}

pawl_status pawl_fclib_int(const fclib_file *f, const char *name, int *out)
{
    return fclib_read(f, name, H5T_INTEGER, H5T_NATIVE_INT, 1, out);
}

// The claimed count must be in the file before memory is asked for.
static pawl_status fclib_room(const fclib_file *f, const char *name, int count, size_t size,
                              void **out)
{
    *out = NULL;
    if (count < 0 || (uint64_t)count / FCLIB_DEFLATE_LIMIT > f->size) {
        return pawl_fclib_fail(f, name, "would have %d numbers in a file of %llu bytes", count,
                               (unsigned long long)f->size);
    }
    *out = pawl_alloc(f->env, (size_t)count * size);
    return *out != NULL ? PAWL_OK
                        : PAWL_FAIL(f->env, PAWL_NO_MEMORY, "%s: %s: no memory for %d numbers",
                                    f->path, name, count);
}

pawl_status pawl_fclib_ints(const fclib_file *f, const char *name, int count, int **out)
{
    void *block;
    *out = NULL;
    PAWL_TRY(fclib_room(f, name, count, sizeof **out, &block));
    pawl_status status = fclib_read(f, name, H5T_INTEGER, H5T_NATIVE_INT, count, block);
    if (status != PAWL_OK) {
        pawl_free(f->env, block, (size_t)count * sizeof **out);
        return status;
    }
    *out = block;
    return PAWL_OK;
}

pawl_status pawl_fclib_reals(const fclib_file *f, const char *name, int count, double **out)
{
    void *block;
    *out = NULL;
    PAWL_TRY(fclib_room(f, name, count, sizeof **out, &block));
    pawl_status status = fclib_read(f, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, count, block);
    const double *values = block;
    for (int i = 0; status == PAWL_OK && i < count; ++i) {
        if (!isfinite(values[i])) {
            status =
                pawl_fclib_fail(f, name, "number %d is %g, expected a finite one", i, values[i]);
        }
    }
    if (status != PAWL_OK) {
        pawl_free(f->env, block, (size_t)count * sizeof **out);
        return status;
    }
    *out = block;
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
    PAWL_TRY(pawl_fclib_ints(f, names->i, m->indices, within));
    PAWL_TRY(pawl_fclib_reals(f, names->x, m->values, &m->value));
    void *block;
    PAWL_TRY(fclib_room(f, names->p, m->indices, sizeof **along, &block));
    *along = block;
    PAWL_TRY(pawl_fclib_ints(f, names->p, lines + 1, &p));
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
    PAWL_TRY(pawl_fclib_ints(f, names->i, m->indices, &m->row));
    PAWL_TRY(pawl_fclib_ints(f, names->p, m->indices, &m->column));
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
