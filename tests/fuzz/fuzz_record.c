// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile recordings: open one, judge it, take its last state and write its page and its picture.
// Input that begins as an HDF5 file is the recording itself. Any other input is a list of edits of a
// good recording: HDF5's checksums catch most damage to the bytes of a file, so edits made through
// HDF5 reach much more of what we do with the values. HDF5 itself is not instrumented.
#include "file_target.h"
#include "pawl/io.h"

#include <hdf5.h>
#include <string.h>

// HDF5 loses memory of its own on damaged files.
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

// A bob that swings beside a box that falls onto the floor: joints, contacts, energy.
static const char record_sdf[] =
    "<sdf version='1.10'><world name='w'><gravity>0 0 -9.81</gravity><model name='m'>"
    "<link name='floor'><collision name='c'><geometry><plane/></geometry></collision></link>"
    "<joint name='fix' type='fixed'><parent>world</parent><child>floor</child></joint>"
    "<link name='bob'><pose>0.5 0 2 0 0 0</pose></link>"
    "<joint name='pin' type='revolute'><pose>-0.5 0 0 0 0 0</pose><parent>world</parent>"
    "<child>bob</child><axis><xyz>0 1 0</xyz></axis></joint>"
    "<link name='box'><pose>1 1 0.1 0 0 0</pose><collision name='c'><geometry><box>"
    "<size>0.2 0.2 0.2</size></box></geometry></collision></link></model></world></sdf>";

enum { RECORD_STEPS = 5, RECORD_MOST_PLACES = 512, RECORD_MOST_BYTES = 1 << 16 };

static pawl_model *record_model;
static pawl_state *record_state;
static uint8_t *record_good; // the bytes of a good recording
static size_t record_good_size;

static void record_demand(bool held)
{
    if (!held) {
        fprintf(stderr, "fuzz_record: the good recording could not be made\n");
        abort();
    }
}

static void record_make_good(void)
{
    pawl_env env = pawl_env_default();
    pawl_load_options load = pawl_load_options_default();
    pawl_settings settings = pawl_settings_default();
    pawl_recorder_options options = pawl_recorder_options_default();
    pawl_sim *sim;
    pawl_recorder *recorder;
    record_demand(pawl_model_parse(&env, "/nonexistent/fuzz", record_sdf, sizeof record_sdf - 1,
                                   &load, &record_model) == PAWL_OK);
    record_demand(pawl_state_create(&env, record_model, &record_state) == PAWL_OK);
    record_demand(pawl_sim_create(&env, record_model, &settings, &sim) == PAWL_OK);
    record_demand(file_target_write((const uint8_t *)"", 0));
    record_demand(pawl_recorder_create(&env, file_target_path(), sim, &options, &recorder) ==
                  PAWL_OK);
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    for (int i = 0; i < RECORD_STEPS; ++i) {
        pawl_step_report report;
        record_demand(pawl_sim_step(sim, &report) == PAWL_OK);
        pawl_verdict_add(&verdict, &report);
        record_demand(pawl_recorder_add(recorder, &report, &verdict) == PAWL_OK);
    }
    record_demand(pawl_recorder_close(recorder) == PAWL_OK);
    pawl_sim_destroy(sim);

    FILE *file = fopen(file_target_path(), "rb");
    record_demand(file != NULL && fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    record_demand(size > 0);
    record_good_size = (size_t)size;
    record_good = malloc(record_good_size);
    rewind(file);
    record_demand(record_good != NULL &&
                  fread(record_good, 1, record_good_size, file) == record_good_size);
    fclose(file);
}

// ---- edits -------------------------------------------------------------------------------------

// What an edit can be of: a dataset, or an attribute of an object.
typedef struct record_place {
    char object[128], attribute[64]; // no attribute: the object itself, a dataset
} record_place;

static record_place record_places[RECORD_MOST_PLACES];
static int record_place_count;

static void record_note_place(const char *object, const char *attribute)
{
    if (record_place_count < RECORD_MOST_PLACES) {
        record_place *place = &record_places[record_place_count++];
        snprintf(place->object, sizeof place->object, "%s", object);
        snprintf(place->attribute, sizeof place->attribute, "%s", attribute);
    }
}

static herr_t record_visit_attribute(hid_t object, const char *name, const H5A_info_t *info,
                                     void *user)
{
    (void)object;
    (void)info;
    record_note_place(user, name);
    return 0;
}

static herr_t record_visit_object(hid_t file, const char *name, const H5O_info_t *info, void *user)
{
    (void)user;
    if (info->type == H5O_TYPE_DATASET) {
        record_note_place(name, "");
    }
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    char copy[128];
    snprintf(copy, sizeof copy, "%s", name);
    (void)H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, record_visit_attribute, copy);
    H5Oclose(object);
    return 0;
}

typedef struct record_bytes {
    const uint8_t *next, *end;
} record_bytes;

static unsigned record_take(record_bytes *in)
{
    return in->next < in->end ? *in->next++ : 0U;
}

static unsigned record_take_two(record_bytes *in)
{
    unsigned high = record_take(in);
    return high << 8 | record_take(in);
}

// Replaces up to 16 bytes of the values by bytes of the input.
static void record_patch(record_bytes *in, uint8_t *values, size_t size)
{
    size_t at = size > 0 ? record_take_two(in) % size : 0;
    unsigned count = 1 + record_take(in) % 16;
    for (unsigned i = 0; i < count && at + i < size; ++i) {
        values[at + i] = (uint8_t)record_take(in);
    }
}

// Patches values in place. Texts of variable length are pointers in memory: they are left alone.
static void record_edit_values(hid_t object, bool is_attribute, record_bytes *in)
{
    static uint8_t values[RECORD_MOST_BYTES];
    hid_t type = is_attribute ? H5Aget_type(object) : H5Dget_type(object);
    hid_t space = is_attribute ? H5Aget_space(object) : H5Dget_space(object);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    size_t size = points > 0 ? (size_t)points * H5Tget_size(type) : 0;
    if (size > 0 && size <= sizeof values && H5Tdetect_class(type, H5T_VLEN) == 0 &&
        H5Tis_variable_str(type) == 0) {
        if (is_attribute && H5Aread(object, type, values) >= 0) {
            record_patch(in, values, size);
            (void)H5Awrite(object, type, values);
        } else if (!is_attribute &&
                   H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
            record_patch(in, values, size);
            (void)H5Dwrite(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        }
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void record_resize(hid_t file, const record_place *place, record_bytes *in)
{
    hid_t data = H5Dopen2(file, place->object, H5P_DEFAULT);
    hid_t space = H5Dget_space(data);
    hsize_t size[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(space, size, NULL);
    if (rank > 0) {
        size[record_take(in) % (unsigned)rank] = record_take(in) % 32;
        (void)H5Dset_extent(data, size);
    }
    H5Sclose(space);
    H5Dclose(data);
}

// The same name with another type and shape.
static void record_replace(hid_t file, const record_place *place, record_bytes *in)
{
    static const double zeros[64];
    hid_t types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT64, H5T_NATIVE_UINT8, H5T_C_S1};
    hid_t type = types[record_take(in) % 4];
    unsigned shape = record_take(in);
    hsize_t size[2] = {shape % 8, shape / 8 % 8};
    hid_t space = H5Screate_simple((int)(shape / 64 % 3), size, NULL);
    if (place->attribute[0] == '\0') {
        (void)H5Ldelete(file, place->object, H5P_DEFAULT);
        hid_t data =
            H5Dcreate2(file, place->object, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        (void)H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
        H5Dclose(data);
    } else {
        (void)H5Adelete_by_name(file, place->object, place->attribute, H5P_DEFAULT);
        hid_t attribute = H5Acreate_by_name(file, place->object, place->attribute, type, space,
                                            H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        (void)H5Awrite(attribute, type, zeros);
        H5Aclose(attribute);
    }
    H5Sclose(space);
}

static void record_edit(hid_t file, record_bytes *in)
{
    const record_place *place = &record_places[record_take_two(in) % (unsigned)record_place_count];
    bool is_attribute = place->attribute[0] != '\0';
    switch (record_take(in) % 8) {
    case 0:
        if (is_attribute) {
            (void)H5Adelete_by_name(file, place->object, place->attribute, H5P_DEFAULT);
        } else {
            (void)H5Ldelete(file, place->object, H5P_DEFAULT);
        }
        break;
    case 1:
        record_replace(file, place, in);
        break;
    case 2:
        if (!is_attribute) {
            record_resize(file, place, in);
            break;
        } // else as below
        // fall through
    default:
        if (is_attribute) {
            hid_t attribute =
                H5Aopen_by_name(file, place->object, place->attribute, H5P_DEFAULT, H5P_DEFAULT);
            record_edit_values(attribute, true, in);
            H5Aclose(attribute);
        } else {
            hid_t data = H5Dopen2(file, place->object, H5P_DEFAULT);
            record_edit_values(data, false, in);
            H5Dclose(data);
        }
        break;
    }
}

static bool record_write_edited(const uint8_t *data, size_t size)
{
    if (!file_target_write(record_good, record_good_size)) {
        return false;
    }
    hid_t file = H5Fopen(file_target_path(), H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0) {
        return false;
    }
    if (record_place_count == 0) {
        (void)H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, record_visit_object, NULL);
        record_demand(record_place_count > 0);
    }
    record_bytes in = {data, data + size};
    for (int edits = 0; in.next < in.end && edits < 8; ++edits) {
        record_edit(file, &in);
    }
    return H5Fclose(file) >= 0;
}

// ---- the reader --------------------------------------------------------------------------------

static const char *record_page_path(void)
{
    static char path[80];
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s.page", file_target_path());
    }
    return path;
}

static void record_remove_page(void)
{
    (void)remove(record_page_path());
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // failed edits are part of the plan
    (void)atexit(record_remove_page);
    record_make_good();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t signature[] = {0x89, 'H', 'D', 'F'};
    bool whole = size >= sizeof signature && memcmp(data, signature, sizeof signature) == 0;
    if (!(whole ? file_target_write(data, size) : record_write_edited(data, size))) {
        return 0;
    }
    pawl_env env = pawl_env_default();
    pawl_record *record;
    pawl_status status = pawl_record_open(&env, file_target_path(), &record);
    if ((status == PAWL_OK) != (record != NULL)) {
        abort(); // the promise of pawl/io.h
    }
    if (record != NULL) {
        pawl_verdict verdict;
        (void)pawl_record_judge(record);
        (void)pawl_record_last_state(record, record_state, &verdict);
        pawl_record_close(record);
        (void)pawl_report_write(&env, file_target_path(), record_page_path());
        (void)pawl_report_picture(&env, file_target_path(), record_page_path());
    }
    return 0;
}
