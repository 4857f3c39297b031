// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Problems in FCLib's local form: W in compressed columns, the normal first in each contact.
#include "base/carver.h"
#include "base/guard.h"
#include "fclib/fclib_file.h"
#include "hdf5/hdf5_use.h"
#include <string.h>

// FCLib's row of our row.
static int fclib_their_row(int row)
{
    return row - row % 3 + fclib_component(row % 3);
}

// W as it goes into the file.
typedef struct fclib_columns {
    int m, count;
    int *row, *column; // (entries) ours
    int *first;        // (m + 1) the entries of our rows
    int *p, *i;        // (m + 1), (entries) theirs
    double *value, *x; // (entries) ours, theirs
    double *q, *u, *r; // (m) theirs
    void *block;
    size_t bytes;
} fclib_columns;

static void fclib_layout(fclib_columns *c, int entries, pawl_carver *mem)
{
    c->row = PAWL_CARVE(mem, int, entries);
    c->column = PAWL_CARVE(mem, int, entries);
    c->i = PAWL_CARVE(mem, int, entries);
    c->first = PAWL_CARVE(mem, int, c->m + 1);
    c->p = PAWL_CARVE(mem, int, c->m + 1);
    c->value = PAWL_CARVE(mem, double, entries);
    c->x = PAWL_CARVE(mem, double, entries);
    c->q = PAWL_CARVE(mem, double, c->m);
    c->u = PAWL_CARVE(mem, double, c->m);
    c->r = PAWL_CARVE(mem, double, c->m);
}

// Their columns, rows ascending: our rows are walked in their order. Zeros stay out.
static void fclib_sort(fclib_columns *c, int entries)
{
    for (int e = 0; e < entries; ++e) {
        c->first[c->row[e] + 1] = e + 1;
        c->p[fclib_their_row(c->column[e]) + 1] += c->value[e] != 0.0 ? 1 : 0;
    }
    for (int k = 0; k < c->m; ++k) {
        c->p[k + 1] += c->p[k];
    }
    c->count = c->p[c->m];
    for (int their = 0; their < c->m; ++their) {
        int row = fclib_row(their);
        for (int e = c->first[row]; e < c->first[row + 1]; ++e) {
            if (c->value[e] != 0.0) {
                int at = c->p[fclib_their_row(c->column[e])]++;
                c->i[at] = their;
                c->x[at] = c->value[e];
            }
        }
    }
    for (int k = c->m; k > 0; --k) {
        c->p[k] = c->p[k - 1];
    }
    c->p[0] = 0;
}

static pawl_status fclib_prepare(const pawl_env *env, const pawl_contact_problem *problem,
                                 const double *r, fclib_columns *c)
{
    int entries = pawl_contact_problem_entry_count(problem);
    c->m = 3 * pawl_contact_problem_count(problem);
    pawl_carver need = {0};
    fclib_layout(c, entries, &need);
    c->bytes = need.used;
    c->block = pawl_alloc(env, need.used);
    if (c->block == NULL) {
        return PAWL_NO_MEMORY;
    }
    pawl_carver mem = {.base = c->block, .capacity = need.used};
    fclib_layout(c, entries, &mem);
    pawl_contact_problem_entries(problem, c->row, c->column, c->value);
    fclib_sort(c, entries);
    const double *q = pawl_contact_problem_q(problem);
    if (r != NULL) {
        pawl_contact_problem_velocity(problem, r, c->value); // entries are at least rows
    }
    for (int i = 0; i < c->m; ++i) {
        int their = fclib_their_row(i);
        c->q[their] = q[i];
        c->r[their] = r != NULL ? r[i] : 0.0;
        c->u[their] = r != NULL ? c->value[i] : 0.0;
    }
    return PAWL_OK;
}

static bool fclib_put(hid_t file, const char *name, hid_t stored, hid_t type, int count,
                      const void *data)
{
    hsize_t dim = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &dim, NULL);
    hid_t set = space < 0
                    ? H5I_INVALID_HID
                    : H5Dcreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done =
        set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (set >= 0) {
        done = H5Dclose(set) >= 0 && done;
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    return done;
}

static bool fclib_put_ints(hid_t file, const char *name, int count, const int *data)
{
    return fclib_put(file, name, H5T_STD_I32LE, H5T_NATIVE_INT, count, data);
}

static bool fclib_put_reals(hid_t file, const char *name, int count, const double *data)
{
    return fclib_put(file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, data);
}

static bool fclib_put_text(hid_t file, const char *name, const char *text)
{
    if (text == NULL) {
        return true;
    }
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), set = H5I_INVALID_HID;
    if (type >= 0 && space >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0) {
        set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    }
    bool done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0) {
        done = H5Dclose(set) >= 0 && done;
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    return done;
}

static bool fclib_put_group(hid_t file, const char *name)
{
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

static bool fclib_put_problem(hid_t file, const fclib_columns *c, const double *friction,
                              const pawl_fclib_info *info, bool solved)
{
    int dimension = 3, compressed_columns = -1;
    bool done = fclib_put_group(file, "/fclib_local") && fclib_put_group(file, "/fclib_local/W") &&
                fclib_put_ints(file, "/fclib_local/spacedim", 1, &dimension) &&
                fclib_put_ints(file, "/fclib_local/W/nzmax", 1, &c->count) &&
                fclib_put_ints(file, "/fclib_local/W/m", 1, &c->m) &&
                fclib_put_ints(file, "/fclib_local/W/n", 1, &c->m) &&
                fclib_put_ints(file, "/fclib_local/W/nz", 1, &compressed_columns) &&
                fclib_put_ints(file, "/fclib_local/W/p", c->m + 1, c->p) &&
                fclib_put_ints(file, "/fclib_local/W/i", c->count, c->i) &&
                fclib_put_reals(file, "/fclib_local/W/x", c->count, c->x) &&
                fclib_put_group(file, "/fclib_local/vectors") &&
                fclib_put_reals(file, "/fclib_local/vectors/q", c->m, c->q) &&
                fclib_put_reals(file, "/fclib_local/vectors/mu", c->m / 3, friction);
    if (info != NULL) {
        done = done && fclib_put_group(file, "/fclib_local/info") &&
               fclib_put_text(file, "/fclib_local/info/title", info->title) &&
               fclib_put_text(file, "/fclib_local/info/description", info->description) &&
               fclib_put_text(file, "/fclib_local/info/math_info", info->math_info);
    }
    if (solved) {
        done = done && fclib_put_group(file, "/solution") &&
               fclib_put_reals(file, "/solution/u", c->m, c->u) &&
               fclib_put_reals(file, "/solution/r", c->m, c->r);
    }
    return done;
}

pawl_status pawl_fclib_write(const pawl_env *env, const char *path,
                             const pawl_contact_problem *problem, const pawl_fclib_info *info,
                             const double *r)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, problem);
    fclib_columns c = {0};
    pawl_status status = fclib_prepare(env, problem, r, &c);
    if (status == PAWL_NO_MEMORY) {
        status = PAWL_FAIL(env, PAWL_NO_MEMORY, "%s: no memory for writing %d contacts", path,
                           pawl_contact_problem_count(problem));
    } else {
        hdf5_use use = hdf5_use_begin();
        hid_t file = hdf5_image_create();
        bool done = file >= 0 && fclib_put_problem(file, &c, pawl_contact_problem_friction(problem),
                                                   info, r != NULL);
        status = hdf5_image_save(env, file, path, done);
        (void)H5Eclear2(H5E_DEFAULT);
        hdf5_use_end(use);
    }
    pawl_free(env, c.block, c.bytes);
    return status;
}
