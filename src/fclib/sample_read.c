// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads samples from a file, one at a time: the sizes of all samples are read first, which give the offsets of the
// arrays of each.
#include "base/carver.h"
#include "base/guard.h"
#include "fclib/sample_file.h"
#include <string.h>

struct pawl_sample_file {
    pawl_env env;
    char *path;
    size_t path_bytes;
    hid_t file;
    int count;
    void *scalars[SAMPLE_SCALARS];  // (count) each
    char *names[2];                 // (count x SAMPLE_NAME) system, scenario
    hsize_t *first[SAMPLE_EXTENTS]; // (count + 1) where a sample's items begin
    void *block;
    size_t bytes;
};

static hid_t sample_open_set(const pawl_sample_file *f, const char *group, const char *name)
{
    char path[96];
    snprintf(path, sizeof path, "/%s/%s", group, name);
    return H5Lexists(f->file, group, H5P_DEFAULT) > 0 && H5Lexists(f->file, path, H5P_DEFAULT) > 0
               ? H5Dopen2(f->file, path, H5P_DEFAULT)
               : H5I_INVALID_HID;
}

// Items of a one-dimensional dataset, or -1.
static long long sample_length(hid_t set)
{
    hid_t space = H5Dget_space(set);
    hsize_t length = 0;
    bool flat = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                H5Sget_simple_extent_dims(space, &length, NULL) >= 0;
    (void)H5Sclose(space);
    return flat ? (long long)length : -1;
}

// `count` items from `first` on.
static bool sample_read_part(hid_t set, hid_t type, hsize_t first, hsize_t count, void *out)
{
    if (count == 0) {
        return true;
    }
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &count, NULL);
    bool done = space >= 0 && memory >= 0 && sample_length(set) >= (long long)(first + count) &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
                H5Dread(set, type, memory, space, H5P_DEFAULT, out) >= 0;
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
    return done;
}

static bool sample_read_set(const pawl_sample_file *f, const char *group, const char *name,
                            hid_t type, hsize_t first, hsize_t count, void *out)
{
    hid_t set = sample_open_set(f, group, name);
    bool done = set >= 0 && sample_read_part(set, type, first, count, out);
    (void)H5Dclose(set);
    return done;
}

static void sample_layout_index(pawl_sample_file *f, pawl_carver *mem)
{
    for (int i = 0; i < SAMPLE_SCALARS; ++i) {
        f->scalars[i] = PAWL_CARVE(mem, double, f->count); // none is wider
    }
    for (int i = 0; i < 2; ++i) {
        f->names[i] = PAWL_CARVE(mem, char, (size_t)f->count *SAMPLE_NAME);
    }
    for (int i = 0; i < SAMPLE_EXTENTS; ++i) {
        f->first[i] = PAWL_CARVE(mem, hsize_t, f->count + 1);
    }
}

static void sample_fill_scalars(const pawl_sample_file *f, int i, pawl_sample_data *d)
{
    for (int k = 0; k < SAMPLE_SCALARS; ++k) {
        size_t size = sample_scalars[k].type == SCALAR_INT ? sizeof(int) : sizeof(double);
        memcpy((char *)d + sample_scalars[k].field, (const char *)f->scalars[k] + (size_t)i * size,
               size);
    }
}

// Entries of J follow from row_start, whose last one a sample has; sizes that are no sizes end here.
static bool sample_find_places(pawl_sample_file *f)
{
    const int most = 1 << 24;
    for (int i = 0; i < f->count; ++i) {
        pawl_sample_data d = {0};
        int entries = 0;
        sample_fill_scalars(f, i, &d);
        if (d.body_count < 0 || d.body_count > most || d.row_count < 0 || d.row_count > most ||
            d.block_count < 0 || d.block_count > most || d.contact_count < 0 ||
            d.contact_count > most ||
            !sample_read_set(f, "data", "row_start", H5T_NATIVE_INT,
                             f->first[SAMPLE_STARTS][i] + (hsize_t)d.row_count, 1, &entries) ||
            entries < 0) {
            return false;
        }
        for (int k = 0; k < SAMPLE_EXTENTS; ++k) {
            f->first[k][i + 1] = f->first[k][i] + sample_count(&d, entries, (sample_extent)k);
        }
    }
    return true;
}

static bool sample_is_format(hid_t file)
{
    char text[64] = {0};
    int version = 0;
    if (H5Aexists(file, "format") <= 0 || H5Aexists(file, "version") <= 0) {
        return false;
    }
    hid_t format = H5Aopen(file, "format", H5P_DEFAULT), type = H5Aget_type(format);
    bool fits = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tget_size(type) < sizeof text &&
                H5Tis_variable_str(type) == 0 && H5Aread(format, type, text) >= 0;
    (void)H5Tclose(type);
    (void)H5Aclose(format);
    hid_t number = H5Aopen(file, "version", H5P_DEFAULT);
    fits = fits && H5Aread(number, H5T_NATIVE_INT, &version) >= 0;
    (void)H5Aclose(number);
    return fits && strcmp(text, "pawl samples") == 0 && version == SAMPLE_VERSION;
}

bool pawl_sample_file_is(const char *path)
{
    if (path == NULL) {
        return false;
    }
    hdf5_use use = hdf5_use_begin();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool is = file >= 0 && sample_is_format(file);
    if (file >= 0) {
        (void)H5Fclose(file);
    }
    hdf5_use_end(use);
    return is;
}

static pawl_status sample_read_index(pawl_sample_file *f)
{
    hid_t set = sample_open_set(f, "samples", "rows");
    long long count = set >= 0 ? sample_length(set) : -1;
    (void)H5Dclose(set);
    if (count < 0 || count > 1 << 24) {
        return PAWL_FAIL(&f->env, PAWL_BAD_FILE, "'%s' has no list of samples", f->path);
    }
    f->count = (int)count;
    pawl_carver need = {0};
    sample_layout_index(f, &need);
    f->block = pawl_alloc(&f->env, need.used);
    f->bytes = need.used;
    if (f->block == NULL) {
        return PAWL_FAIL(&f->env, PAWL_NO_MEMORY, "no memory for %d samples", f->count);
    }
    pawl_carver mem = {.base = f->block, .capacity = need.used};
    sample_layout_index(f, &mem);
    bool done = true;
    for (int i = 0; i < SAMPLE_SCALARS; ++i) {
        const sample_scalar *s = &sample_scalars[i];
        done = done && sample_read_set(f, "samples", s->name, sample_scalar_type(s), 0,
                                       (hsize_t)count, f->scalars[i]);
    }
    hid_t type = H5Tcopy(H5T_C_S1);
    static const char *const names[2] = {"system", "scenario"};
    for (int i = 0; i < 2; ++i) {
        done = done && H5Tset_size(type, SAMPLE_NAME) >= 0 &&
               sample_read_set(f, "samples", names[i], type, 0, (hsize_t)count, f->names[i]);
    }
    (void)H5Tclose(type);
    return done && sample_find_places(f)
               ? PAWL_OK
               : PAWL_FAIL(&f->env, PAWL_BAD_FILE, "'%s' is damaged: its list of samples", f->path);
}

pawl_status pawl_sample_file_open(const pawl_env *env, const char *path, pawl_sample_file **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_NEED(env, path);
    pawl_sample_file *f = pawl_alloc(env, sizeof *f);
    char *own = pawl_alloc(env, strlen(path) + 1);
    if (f == NULL || own == NULL) {
        pawl_free(env, f, sizeof *f);
        pawl_free(env, own, strlen(path) + 1);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory to read '%s'", path);
    }
    memcpy(own, path, strlen(path) + 1);
    *f = (pawl_sample_file){.env = *env, .path = own, .path_bytes = strlen(path) + 1};
    hdf5_use use = hdf5_use_begin();
    pawl_status status = hdf5_open_to_read(env, path, &f->file);
    if (status == PAWL_OK) {
        status = sample_is_format(f->file)
                     ? sample_read_index(f)
                     : PAWL_FAIL(env, PAWL_BAD_FILE, "%s: is no file of samples, version %d", path,
                                 SAMPLE_VERSION);
    }
    hdf5_use_end(use);
    if (status != PAWL_OK) {
        pawl_sample_file_close(f);
        return status;
    }
    *out = f;
    return PAWL_OK;
}

void pawl_sample_file_close(pawl_sample_file *f)
{
    if (f == NULL) {
        return;
    }
    hdf5_use use = hdf5_use_begin();
    if (f->file >= 0) {
        (void)H5Fclose(f->file);
    }
    hdf5_use_end(use);
    pawl_env env = f->env;
    pawl_free(&env, f->block, f->bytes);
    pawl_free(&env, f->path, f->path_bytes);
    pawl_free(&env, f, sizeof *f);
}

int pawl_sample_file_count(const pawl_sample_file *f)
{
    return f != NULL ? f->count : 0;
}

// One block for all arrays; twice, to count and to hand out.
static void sample_layout_data(pawl_sample_data *d, int entries, pawl_carver *mem)
{
    for (int i = 0; i < SAMPLE_ARRAYS; ++i) {
        const sample_array *a = &sample_arrays[i];
        size_t size = a->real ? sizeof(double) : sizeof(int);
        void *data = pawl_carve(mem, size, (size_t)sample_count(d, entries, a->extent));
        memcpy((char *)d + a->field, &data, sizeof data);
    }
}

static bool sample_read_arrays(const pawl_sample_file *f, int i, const pawl_sample_data *d)
{
    bool done = true;
    for (int k = 0; k < SAMPLE_ARRAYS && done; ++k) {
        const sample_array *a = &sample_arrays[k];
        hsize_t first = f->first[a->extent][i], count = f->first[a->extent][i + 1] - first;
        void *data;
        memcpy(&data, (const char *)d + a->field, sizeof data);
        done = sample_read_set(f, "data", a->name, a->real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT,
                               first, count, data);
    }
    return done;
}

pawl_status pawl_sample_file_read(pawl_sample_file *f, int i, pawl_sample **out)
{
    PAWL_NEED(NULL, f);
    PAWL_NEED(&f->env, out);
    *out = NULL;
    if (!PAWL_HAS(&f->env, "samples", i, f->count)) {
        return PAWL_BAD_ARGUMENT;
    }
    char names[2][SAMPLE_NAME + 1] = {{0}, {0}};
    pawl_sample_data data = {.system = names[0], .scenario = names[1]};
    sample_fill_scalars(f, i, &data);
    for (int k = 0; k < 2; ++k) {
        memcpy(names[k], f->names[k] + (size_t)i * SAMPLE_NAME, SAMPLE_NAME);
    }
    int entries = (int)(f->first[SAMPLE_ENTRIES][i + 1] - f->first[SAMPLE_ENTRIES][i]);
    pawl_carver need = {0};
    sample_layout_data(&data, entries, &need);
    char *block = pawl_alloc(&f->env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(&f->env, PAWL_NO_MEMORY, "sample %d of '%s' needs %zu bytes", i, f->path,
                         need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    sample_layout_data(&data, entries, &mem);
    hdf5_use use = hdf5_use_begin();
    bool done = sample_read_arrays(f, i, &data);
    hdf5_use_end(use);
    pawl_status status = PAWL_BAD_FILE;
    if (done) {
        status = pawl_sample_create(&f->env, &data, out);
    }
    pawl_free(&f->env, block, need.used);
    return status == PAWL_OK
               ? PAWL_OK
               : PAWL_FAIL(&f->env, status, "sample %d of '%s' cannot be used", i, f->path);
}
