// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Writes samples one after the other: each array of the file is extended by that of the sample. Thousands of samples
// need about thirty datasets instead of a hundred thousand, which would take HDF5 minutes. The file is built in
// memory (hdf5_image_create) and gets its name when it is complete: an incomplete file of a killed process never
// looks like samples.
#include "base/guard.h"
#include "fclib/sample_file.h"
#include "hdf5/hdf5_use.h"
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(pawl_sample_data, name)
const sample_array sample_arrays[SAMPLE_ARRAYS] = {
    {"mass", true, FIELD(mass), SAMPLE_BODIES},
    {"inertia", true, FIELD(inertia), SAMPLE_INERTIAS},
    {"block_rows", false, FIELD(block_rows), SAMPLE_BLOCKS},
    {"kind", false, FIELD(kind), SAMPLE_ROWS},
    {"row_start", false, FIELD(row_start), SAMPLE_STARTS},
    {"column", false, FIELD(column), SAMPLE_ENTRIES},
    {"value", true, FIELD(value), SAMPLE_ENTRIES},
    {"v_f", true, FIELD(v_f), SAMPLE_ROWS},
    {"bias", true, FIELD(bias), SAMPLE_ROWS},
    {"gap", true, FIELD(gap), SAMPLE_ROWS},
    {"lower", true, FIELD(lower), SAMPLE_ROWS},
    {"upper", true, FIELD(upper), SAMPLE_ROWS},
    {"compliance", true, FIELD(compliance), SAMPLE_ROWS},
    {"friction", true, FIELD(friction), SAMPLE_CONTACTS},
    {"start", true, FIELD(start), SAMPLE_ROWS},
    {"answer", true, FIELD(answer), SAMPLE_ROWS},
};
const sample_scalar sample_scalars[SAMPLE_SCALARS] = {
    {"step", SCALAR_LONG, FIELD(step)},
    {"time", SCALAR_REAL, FIELD(time)},
    {"dt", SCALAR_REAL, FIELD(dt)},
    {"reach", SCALAR_REAL, FIELD(reach)},
    {"bodies", SCALAR_INT, FIELD(body_count)},
    {"rows", SCALAR_INT, FIELD(row_count)},
    {"free_rows", SCALAR_INT, FIELD(free_row_count)},
    {"blocks", SCALAR_INT, FIELD(block_count)},
    {"contacts", SCALAR_INT, FIELD(contact_count)},
    {"weak", SCALAR_INT, FIELD(weak_count)},
};

enum { WRITE_CHUNK = 8192, WRITE_SETS = SAMPLE_SCALARS + SAMPLE_ARRAYS + 2 };

// Scalars, then arrays, then the two names.
struct pawl_sample_writer {
    pawl_env env;
    char *path;
    size_t path_bytes;
    hid_t file, name_type;
    hid_t sets[WRITE_SETS];
    hsize_t length[WRITE_SETS];
    bool failed;
    int count;
};

static hid_t sample_make_set(hid_t file, const char *group, const char *name, hid_t type)
{
    char path[96];
    snprintf(path, sizeof path, "/%s/%s", group, name);
    hsize_t none = 0, most = H5S_UNLIMITED, chunk = WRITE_CHUNK;
    hid_t space = H5Screate_simple(1, &none, &most), options = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = H5I_INVALID_HID;
    if (space >= 0 && options >= 0 && H5Pset_chunk(options, 1, &chunk) >= 0 &&
        H5Pset_shuffle(options) >= 0 && H5Pset_deflate(options, 1) >= 0) {
        set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, options, H5P_DEFAULT);
    }
    (void)H5Sclose(space);
    (void)H5Pclose(options);
    return set;
}

static bool sample_put_attribute(hid_t file, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    return done;
}

static bool sample_put_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool done = type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 &&
                sample_put_attribute(file, name, type, text);
    (void)H5Tclose(type);
    return done;
}

static bool sample_make_file(pawl_sample_writer *w)
{
    const int version = SAMPLE_VERSION;
    w->file = hdf5_image_create();
    w->name_type = H5Tcopy(H5T_C_S1);
    if (w->file < 0 || w->name_type < 0 || H5Tset_size(w->name_type, SAMPLE_NAME) < 0 ||
        !sample_put_text(w->file, "format", "pawl samples") ||
        !sample_put_attribute(w->file, "version", H5T_NATIVE_INT, &version) ||
        !sample_put_text(w->file, "pawl", pawl_version())) {
        return false;
    }
    hid_t samples = H5Gcreate2(w->file, "/samples", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t data = H5Gcreate2(w->file, "/data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Gclose(samples);
    (void)H5Gclose(data);
    bool made = true;
    for (int i = 0; i < SAMPLE_SCALARS; ++i) {
        const sample_scalar *s = &sample_scalars[i];
        w->sets[i] = sample_make_set(w->file, "samples", s->name, sample_scalar_type(s));
    }
    for (int i = 0; i < SAMPLE_ARRAYS; ++i) {
        const sample_array *a = &sample_arrays[i];
        hid_t type = a->real ? H5T_IEEE_F64LE : H5T_STD_I32LE;
        w->sets[SAMPLE_SCALARS + i] = sample_make_set(w->file, "data", a->name, type);
    }
    w->sets[WRITE_SETS - 2] = sample_make_set(w->file, "samples", "system", w->name_type);
    w->sets[WRITE_SETS - 1] = sample_make_set(w->file, "samples", "scenario", w->name_type);
    for (int i = 0; i < WRITE_SETS; ++i) {
        made = made && w->sets[i] >= 0;
    }
    return made;
}

pawl_status pawl_sample_writer_create(const pawl_env *env, const char *path,
                                      pawl_sample_writer **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_NEED(env, path);
    PAWL_TRY(hdf5_image_probe(env, path));
    pawl_sample_writer *w = pawl_alloc(env, sizeof *w);
    size_t bytes = strlen(path) + 1;
    char *own = pawl_alloc(env, bytes);
    if (w == NULL || own == NULL) {
        pawl_free(env, w, sizeof *w);
        pawl_free(env, own, bytes);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory to write '%s'", path);
    }
    memcpy(own, path, bytes);
    *w = (pawl_sample_writer){.env = *env, .path = own, .path_bytes = bytes};
    for (int i = 0; i < WRITE_SETS; ++i) {
        w->sets[i] = H5I_INVALID_HID;
    }
    w->file = w->name_type = H5I_INVALID_HID;
    hdf5_use use = hdf5_use_begin();
    w->failed = !sample_make_file(w);
    hdf5_use_end(use);
    if (w->failed) {
        pawl_status status = pawl_sample_writer_close(w);
        return status;
    }
    *out = w;
    return PAWL_OK;
}

static bool sample_append(pawl_sample_writer *w, int i, hid_t type, hsize_t count, const void *data)
{
    if (count == 0) {
        return true;
    }
    hsize_t length = w->length[i] + count;
    bool done = H5Dset_extent(w->sets[i], &length) >= 0;
    hid_t space = done ? H5Dget_space(w->sets[i]) : H5I_INVALID_HID;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    done = done && space >= 0 && memory >= 0 &&
           H5Sselect_hyperslab(space, H5S_SELECT_SET, &w->length[i], NULL, &count, NULL) >= 0 &&
           H5Dwrite(w->sets[i], type, memory, space, H5P_DEFAULT, data) >= 0;
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
    w->length[i] = length;
    return done;
}

static bool sample_append_all(pawl_sample_writer *w, const pawl_sample_data *d)
{
    const char *from = (const char *)d;
    bool done = true;
    for (int i = 0; i < SAMPLE_SCALARS; ++i) {
        const sample_scalar *s = &sample_scalars[i];
        done = done && sample_append(w, i, sample_scalar_type(s), 1, from + s->field);
    }
    for (int i = 0; i < SAMPLE_ARRAYS; ++i) {
        const sample_array *a = &sample_arrays[i];
        const void *data;
        memcpy(&data, from + a->field, sizeof data);
        done = done &&
               sample_append(w, SAMPLE_SCALARS + i, a->real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT,
                             sample_count(d, d->row_start[d->row_count], a->extent), data);
    }
    const char *names[2] = {d->system, d->scenario};
    for (int i = 0; i < 2; ++i) {
        char name[SAMPLE_NAME] = {0};
        snprintf(name, sizeof name, "%s", names[i]);
        done = done && sample_append(w, WRITE_SETS - 2 + i, w->name_type, 1, name);
    }
    return done;
}

pawl_status pawl_sample_writer_add(pawl_sample_writer *w, const pawl_sample *sample,
                                   const char *system, const char *scenario)
{
    PAWL_NEED(NULL, w);
    PAWL_NEED(&w->env, sample);
    pawl_sample_data data = *pawl_sample_get(sample);
    data.system = system != NULL ? system : data.system;
    data.scenario = scenario != NULL ? scenario : data.scenario;
    hdf5_use use = hdf5_use_begin();
    w->failed = w->failed || !sample_append_all(w, &data);
    hdf5_use_end(use);
    w->count += 1;
    return w->failed ? PAWL_FAIL(&w->env, PAWL_BAD_FILE, "'%s' cannot be written: sample %d failed",
                                 w->path, w->count)
                     : PAWL_OK;
}

pawl_status pawl_sample_writer_close(pawl_sample_writer *w)
{
    if (w == NULL) {
        return PAWL_OK;
    }
    hdf5_use use = hdf5_use_begin();
    for (int i = 0; i < WRITE_SETS; ++i) {
        w->failed = (w->sets[i] >= 0 && H5Dclose(w->sets[i]) < 0) || w->failed;
    }
    (void)H5Tclose(w->name_type);
    pawl_env env = w->env;
    pawl_status status = hdf5_image_save(&env, w->file, w->path, !w->failed);
    hdf5_use_end(use);
    pawl_free(&env, w->path, w->path_bytes);
    pawl_free(&env, w, sizeof *w);
    return status;
}
