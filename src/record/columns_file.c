// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Tables of numbers with named columns (pawl/columns.h). The file is written under another name and renamed when it is complete.
#include "base/env.h"
#include "base/guard.h"
#include "hdf5/hdf5_use.h"
#include "pawl/columns.h"
#include <string.h>

static bool columns_text(hid_t at, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool ok = type >= 0 && space >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 &&
              H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    hid_t attribute = ok ? H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) {
        (void)H5Aclose(attribute);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    return ok;
}

// Names, one a line; NULL without memory.
static char *columns_columns(const pawl_env *env, const pawl_columns *table, size_t *bytes)
{
    *bytes = 1;
    for (int i = 0; i < table->width; ++i) {
        *bytes += strlen(table->columns[i]) + 1;
    }
    char *text = pawl_alloc(env, *bytes);
    for (int i = 0, at = 0; i < table->width && text != NULL; ++i) {
        at +=
            snprintf(text + at, *bytes - (size_t)at, "%s%s", i > 0 ? "\n" : "", table->columns[i]);
    }
    return text;
}

static bool columns_put(const pawl_env *env, hid_t file, const pawl_columns *table)
{
    const hsize_t size[2] = {(hsize_t)table->rows, (hsize_t)table->width};
    size_t bytes;
    char *columns = columns_columns(env, table, &bytes);
    hid_t space = H5Screate_simple(2, size, NULL);
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    // Times are left out, so that equal contents are equal bytes.
    bool timeless = plan >= 0 && H5Pset_obj_track_times(plan, false) >= 0;
    hid_t set = space >= 0 && timeless ? H5Dcreate2(file, table->name, H5T_IEEE_F64LE, space,
                                                    H5P_DEFAULT, plan, H5P_DEFAULT)
                                       : -1;
    bool ok = columns != NULL && set >= 0 && columns_text(set, "columns", columns) &&
              H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, table->values) >= 0;
    if (set >= 0) {
        (void)H5Dclose(set);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (plan >= 0) {
        (void)H5Pclose(plan);
    }
    pawl_free(env, columns, bytes);
    return ok;
}

pawl_status pawl_columns_write(const pawl_env *env, const char *path, const pawl_columns *tables,
                               int count, const char *about)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, about);
    if (count < 0 || (count > 0 && tables == NULL)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "%d tables; expected 0 or more", count);
    }
    for (int i = 0; i < count; ++i) {
        const pawl_columns *t = &tables[i];
        if (t->name == NULL || t->rows < 1 || t->width < 1 || t->columns == NULL ||
            t->values == NULL) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "table %d has no name, rows, columns or values", i);
        }
    }
    hdf5_use use = hdf5_use_begin();
    hid_t file = hdf5_image_create();
    bool done = file >= 0 && columns_text(file, "about", about);
    for (int i = 0; i < count && done; ++i) {
        done = columns_put(env, file, &tables[i]);
    }
    pawl_status status = hdf5_image_save(env, file, path, done);
    hdf5_use_end(use);
    return status;
}
