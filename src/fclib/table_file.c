// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Columns of numbers and words in an HDF5 file, one dataset each, with descriptive attributes. A file is replaced
// only when the new one is complete, so that an interruption leaves the old file.
#include "base/carver.h"
#include "base/guard.h"
#include "hdf5/hdf5_use.h"
#include "pawl/io.h"
#include <stdio.h>
#include <string.h>

enum { TABLE_NAME = 128, TABLE_TEXT = 4096 };

struct pawl_table {
    pawl_env env;
    size_t bytes;
    int column_count, attribute_count;
    pawl_data_column *columns;
    char (*names)[TABLE_NAME];
    pawl_attribute *attributes;
};

// ---- Writing -------------------------------------------------------------------------------------

static hid_t table_type(const pawl_data_column *c)
{
    if (c->type == PAWL_DATA_TEXT) {
        hid_t type = H5Tcopy(H5T_C_S1);
        return type >= 0 && H5Tset_size(type, (size_t)c->width) >= 0 ? type : H5I_INVALID_HID;
    }
    return H5Tcopy(c->type == PAWL_DATA_REAL ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT);
}

static bool table_put_column(hid_t file, const pawl_data_column *c)
{
    hsize_t count = (hsize_t)c->count, chunk = count < 65536 ? count : 65536;
    hid_t type = table_type(c), space = H5Screate_simple(1, &count, NULL);
    hid_t options = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    bool made = type >= 0 && space >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
                (count == 0 || (H5Pset_chunk(options, 1, &chunk) >= 0 &&
                                H5Pset_shuffle(options) >= 0 && H5Pset_deflate(options, 1) >= 0));
    hid_t set = made ? H5Dcreate2(file, c->name, type, space, links, options, H5P_DEFAULT)
                     : H5I_INVALID_HID;
    bool done = set >= 0 &&
                (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->data) >= 0);
    (void)H5Dclose(set);
    (void)H5Pclose(options);
    (void)H5Pclose(links);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    return done;
}

static bool table_put_attribute(hid_t file, const pawl_attribute *a)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5I_INVALID_HID;
    if (type >= 0 && H5Tset_size(type, strlen(a->text) + 1) >= 0) {
        attribute = H5Acreate2(file, a->name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    }
    bool done = attribute >= 0 && H5Awrite(attribute, type, a->text) >= 0;
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    return done;
}

pawl_status pawl_table_write(const pawl_env *env, const char *path, const pawl_data_column *columns,
                             int column_count, const pawl_attribute *attributes,
                             int attribute_count)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, columns);
    hdf5_use use = hdf5_use_begin();
    hid_t file = hdf5_image_create();
    bool done = file >= 0;
    for (int i = 0; i < column_count && done; ++i) {
        done = table_put_column(file, &columns[i]);
    }
    for (int i = 0; i < attribute_count && done; ++i) {
        done = table_put_attribute(file, &attributes[i]);
    }
    pawl_status status = hdf5_image_save(env, file, path, done);
    hdf5_use_end(use);
    return status;
}

// ---- Reading -------------------------------------------------------------------------------------

// Names of all datasets, found twice: to count and to keep.
typedef struct table_names {
    int count, capacity;
    char (*names)[TABLE_NAME];
} table_names;

static herr_t table_visit(hid_t root, const char *name, const H5O_info_t *info, void *user)
{
    (void)root;
    table_names *list = user;
    if (info->type == H5O_TYPE_DATASET && strlen(name) < TABLE_NAME) {
        if (list->count < list->capacity) {
            snprintf(list->names[list->count], TABLE_NAME, "%s", name);
        }
        list->count += 1;
    }
    return 0;
}

// Type, width and length of a column; false where it is none of ours.
static bool table_shape(hid_t file, const char *name, pawl_data_column *out)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set),
          space = H5Dget_space(set);
    hsize_t size[2] = {0, 1};
    H5T_class_t class = H5Tget_class(type);
    int dimensions = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    bool good =
        (dimensions == 1 || dimensions == 2) && H5Sget_simple_extent_dims(space, size, NULL) >= 0 &&
        size[0] < (1u << 28) && size[1] < 4096 && size[0] * size[1] < (1u << 30) &&
        (class == H5T_INTEGER || class == H5T_FLOAT ||
         (class == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) <= TABLE_TEXT));
    out->type = class == H5T_INTEGER ? PAWL_DATA_INT
                : class == H5T_FLOAT ? PAWL_DATA_REAL
                                     : PAWL_DATA_TEXT;
    out->width = out->type == PAWL_DATA_TEXT ? (int)H5Tget_size(type) : (int)size[1];
    out->count = (int)(size[0] * size[1]);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Dclose(set);
    return good;
}

static bool table_get_column(hid_t file, const pawl_data_column *c)
{
    hid_t set = H5Dopen2(file, c->name, H5P_DEFAULT), type = table_type(c);
    bool done = set >= 0 && type >= 0 &&
                (c->count == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->data) >= 0);
    (void)H5Tclose(type);
    (void)H5Dclose(set);
    return done;
}

static size_t table_item(const pawl_data_column *c)
{
    return c->type == PAWL_DATA_REAL  ? sizeof(double)
           : c->type == PAWL_DATA_INT ? sizeof(int)
                                      : (size_t)c->width;
}

static void table_get_attribute(hid_t file, int i, pawl_attribute *out, char *name, char *text)
{
    hid_t a =
        H5Aopen_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Aget_type(a);
    (void)H5Aget_name(a, TABLE_NAME, name);
    bool fits = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Tget_size(type) < TABLE_TEXT && H5Aread(a, type, text) >= 0;
    text[fits ? TABLE_TEXT - 1 : 0] = '\0';
    *out = (pawl_attribute){name, text};
    (void)H5Tclose(type);
    (void)H5Aclose(a);
}

static int table_attribute_count(hid_t file)
{
    H5O_info_t info;
    return H5Oget_info(file, &info) >= 0 && info.num_attrs < 1000 ? (int)info.num_attrs : 0;
}

static pawl_table *table_layout(pawl_table *shape, const pawl_data_column *columns,
                                pawl_carver *mem, char **texts)
{
    pawl_table *t = PAWL_CARVE(mem, pawl_table, 1);
    size_t attributes = (size_t)shape->attribute_count;
    shape->columns = PAWL_CARVE(mem, pawl_data_column, shape->column_count);
    shape->names = pawl_carve(mem, TABLE_NAME, (size_t)shape->column_count);
    shape->attributes = PAWL_CARVE(mem, pawl_attribute, attributes);
    *texts = PAWL_CARVE(mem, char, attributes *(TABLE_NAME + TABLE_TEXT));
    for (int i = 0; i < shape->column_count; ++i) {
        void *data = pawl_carve(mem, table_item(&columns[i]), (size_t)columns[i].count + 1);
        if (t != NULL) {
            shape->columns[i] = columns[i];
            shape->columns[i].data = data;
            snprintf(shape->names[i], TABLE_NAME, "%s", columns[i].name);
            shape->columns[i].name = shape->names[i];
        }
    }
    return t;
}

static pawl_status table_read_all(const pawl_env *env, hid_t file, const char *path,
                                  table_names *list, pawl_data_column *columns, pawl_table **out)
{
    pawl_table shape = {.env = *env, .attribute_count = table_attribute_count(file)};
    for (int i = 0; i < list->count; ++i) {
        columns[shape.column_count].name = list->names[i];
        shape.column_count += table_shape(file, list->names[i], &columns[shape.column_count]);
    }
    pawl_carver need = {0};
    char *texts;
    (void)table_layout(&shape, columns, &need, &texts);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "'%s' needs %zu bytes", path, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    pawl_table *t = table_layout(&shape, columns, &mem, &texts);
    shape.bytes = need.used;
    *t = shape;
    bool done = true;
    for (int i = 0; i < t->column_count && done; ++i) {
        done = table_get_column(file, &t->columns[i]);
    }
    for (int i = 0; i < t->attribute_count; ++i) {
        char *name = texts + (size_t)i * (TABLE_NAME + TABLE_TEXT);
        table_get_attribute(file, i, &t->attributes[i], name, name + TABLE_NAME);
    }
    if (!done) {
        pawl_table_destroy(t);
        return PAWL_FAIL(env, PAWL_BAD_FILE, "'%s' is damaged: a column cannot be read", path);
    }
    *out = t;
    return PAWL_OK;
}

static pawl_status table_read(const pawl_env *env, hid_t file, const char *path, pawl_table **out)
{
    table_names list = {0};
    if (H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, table_visit, &list) < 0) {
        return PAWL_FAIL(env, PAWL_BAD_FILE, "'%s' is damaged: its contents cannot be listed",
                         path);
    }
    list.capacity = list.count;
    size_t name_bytes = (size_t)list.count * TABLE_NAME + 1;
    size_t column_bytes = (size_t)(list.count + 1) * sizeof(pawl_data_column);
    list.names = pawl_alloc(env, name_bytes);
    pawl_data_column *columns = pawl_alloc(env, column_bytes);
    list.count = 0;
    pawl_status status = PAWL_NO_MEMORY;
    if (list.names != NULL && columns != NULL &&
        H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, table_visit, &list) >= 0) {
        status = table_read_all(env, file, path, &list, columns, out);
    }
    pawl_free(env, list.names, name_bytes);
    pawl_free(env, columns, column_bytes);
    return status;
}

pawl_status pawl_table_read(const pawl_env *env, const char *path, pawl_table **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_NEED(env, path);
    hdf5_use use = hdf5_use_begin();
    hid_t file;
    pawl_status status = hdf5_open_to_read(env, path, &file);
    if (status == PAWL_OK) {
        status = table_read(env, file, path, out);
        (void)H5Fclose(file);
    }
    hdf5_use_end(use);
    return status;
}

void pawl_table_destroy(pawl_table *t)
{
    if (t != NULL) {
        pawl_env env = t->env;
        pawl_free(&env, t, t->bytes);
    }
}

const pawl_data_column *pawl_table_at(const pawl_table *t, int index)
{
    return t != NULL && index >= 0 && index < t->column_count ? &t->columns[index] : NULL;
}

const pawl_data_column *pawl_table_column(const pawl_table *t, const char *name)
{
    for (int i = 0; t != NULL && name != NULL && i < t->column_count; ++i) {
        if (strcmp(t->columns[i].name, name) == 0) {
            return &t->columns[i];
        }
    }
    return NULL;
}

const char *pawl_table_attribute(const pawl_table *t, const char *name)
{
    for (int i = 0; t != NULL && name != NULL && i < t->attribute_count; ++i) {
        if (strcmp(t->attributes[i].name, name) == 0) {
            return t->attributes[i].text;
        }
    }
    return NULL;
}
