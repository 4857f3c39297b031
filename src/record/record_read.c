// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Recordings opened for reading: settings, the last checkpoint, and rows of the series. Every byte is treated as
// hostile; see record_describe.c.
#include "base/array.h"
#include "base/guard.h"
#include "record/record_model.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Deflate cannot shrink data further than this; more means rows that were never written.
enum { READ_DEFLATE_LIMIT = 1100 };

// ---- Shared with record_describe.c --------------------------------------------------------------

pawl_status record_bad(const pawl_record *r, const char *what)
{
    (void)H5Eclear2(H5E_DEFAULT);
    return PAWL_FAIL(r->env, PAWL_BAD_FILE, "%s: is not a recording of pawl, or is damaged: %s",
                     record_store_path(r->store), what);
}

pawl_status record_bad_h5(const pawl_record *r, const char *what)
{
    return record_h5_fail(r->store, PAWL_BAD_FILE, what);
}

// Opens a dataset if it has this rank and these inner dimensions; the first one goes to *rows.
hid_t record_open_set(const pawl_record *r, const char *path, int rank, const hsize_t inner[2],
                      hsize_t *rows)
{
    hid_t set = H5Dopen2(r->file, path, H5P_DEFAULT);
    if (set < 0) {
        return set;
    }
    hsize_t dims[3] = {0, 1, 1};
    hid_t space = H5Dget_space(set);
    bool fits = space >= 0 && H5Sis_simple(space) > 0 &&
                H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, dims, NULL) == rank &&
                (rank < 2 || dims[1] == inner[0]) && (rank < 3 || dims[2] == inner[1]);
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (!fits) {
        (void)H5Dclose(set);
        return H5I_INVALID_HID;
    }
    *rows = dims[0];
    return set;
}

bool record_set_is(hid_t set, H5T_class_t class)
{
    hid_t stored = H5Dget_type(set);
    bool is = stored >= 0 && H5Tget_class(stored) == class;
    if (stored >= 0) {
        (void)H5Tclose(stored);
    }
    return is;
}

bool record_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

// ---- Attributes ---------------------------------------------------------------------------------

static bool read_numbers(const pawl_record *r, const char *name, hid_t type, hssize_t count,
                         void *out)
{
    hid_t attribute = H5Aopen(r->file, name, H5P_DEFAULT);
    if (attribute < 0) {
        return false;
    }
    hid_t space = H5Aget_space(attribute);
    hid_t stored = H5Aget_type(attribute);
    H5T_class_t class = stored < 0 ? H5T_NO_CLASS : H5Tget_class(stored);
    bool ok = space >= 0 && H5Sget_simple_extent_npoints(space) == count &&
              class == H5Tget_class(type) && H5Aread(attribute, type, out) >= 0;
    if (stored >= 0) {
        (void)H5Tclose(stored);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    (void)H5Aclose(attribute);
    return ok;
}

// The text's length is that in the file, up to its first zero.
static pawl_status read_text(const pawl_record *r, const char *name, char **out)
{
    hid_t attribute = H5Aopen(r->file, name, H5P_DEFAULT);
    hid_t stored = attribute < 0 ? H5I_INVALID_HID : H5Aget_type(attribute);
    hid_t space = attribute < 0 ? H5I_INVALID_HID : H5Aget_space(attribute);
    pawl_status status = PAWL_BAD_FILE;
    if (stored >= 0 && space >= 0 && H5Tget_class(stored) == H5T_STRING &&
        H5Tis_variable_str(stored) == 0 && H5Sget_simple_extent_npoints(space) == 1) {
        size_t size = H5Tget_size(stored);
        char *text = size > record_store_length(r->store) ? NULL : pawl_alloc(r->env, size + 1);
        if (text == NULL) {
            status = PAWL_NO_MEMORY;
        } else if (H5Aread(attribute, stored, text) >= 0) {
            *out = pawl_text_copy(r->env, text);
            status = *out == NULL ? PAWL_NO_MEMORY : PAWL_OK;
        }
        pawl_free(r->env, text, size + 1);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (stored >= 0) {
        (void)H5Tclose(stored);
    }
    if (attribute >= 0) {
        (void)H5Aclose(attribute);
    }
    if (status == PAWL_NO_MEMORY) {
        return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "%s: no memory for its %s",
                         record_store_path(r->store), name);
    }
    return status == PAWL_OK ? PAWL_OK : record_bad(r, name);
}

// Lines of key=value. Keys that this version does not know are reported by pawl_settings_set().
static pawl_status read_settings(pawl_record *r)
{
    PAWL_TRY(read_text(r, "settings", &r->settings_text));
    r->settings = pawl_settings_default();
    const char *line = r->settings_text;
    while (*line != '\0') {
        char pair[256];
        size_t length = strcspn(line, "\n");
        const char *equals = memchr(line, '=', length);
        if (equals == NULL || length >= sizeof pair) {
            return record_bad(r, "settings");
        }
        memcpy(pair, line, length);
        pair[length] = '\0';
        pair[equals - line] = '\0';
        if (pawl_settings_set(r->env, &r->settings, pair, pair + (equals - line) + 1) != PAWL_OK) {
            return record_bad(r, "settings");
        }
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    return PAWL_OK;
}

static pawl_status read_head(pawl_record *r)
{
    int counts[7] = {0};
    uint64_t state_size = 0;
    double gravity[3];
    if (!read_numbers(r, "format", H5T_NATIVE_INT, 1, &r->format)) {
        return record_bad(r, "it has no attribute 'format'");
    }
    if (r->format < RECORD_FORMAT_READ || r->format > RECORD_FORMAT) {
        (void)H5Eclear2(H5E_DEFAULT);
        return PAWL_FAIL(r->env, PAWL_UNSUPPORTED,
                         "%s: recording format %d; this version reads formats %d to %d",
                         record_store_path(r->store), r->format, RECORD_FORMAT_READ, RECORD_FORMAT);
    }
    if (!read_numbers(r, "counts", H5T_NATIVE_INT, 7, counts) ||
        !read_numbers(r, "model_hash", H5T_NATIVE_UINT64, 1, &r->model_hash) ||
        !read_numbers(r, "state_size", H5T_NATIVE_UINT64, 1, &state_size) ||
        !read_numbers(r, "trace", H5T_NATIVE_UINT, 1, &r->trace) ||
        !read_numbers(r, "flush_frames", H5T_NATIVE_INT, 1, &r->flush_frames) ||
        !read_numbers(r, "interval", H5T_NATIVE_DOUBLE, 1, &r->interval) ||
        !read_numbers(r, "gravity", H5T_NATIVE_DOUBLE, 3, gravity)) {
        return record_bad(r, "an attribute of its root");
    }
    for (int i = 0; i < 7; ++i) {
        if (counts[i] < 0 || counts[i] > INT_MAX / 64) {
            return record_bad(r, "attribute 'counts'");
        }
    }
    if (!record_finite(gravity, 3) || r->flush_frames < 1 || !(r->interval >= 0.0) ||
        !isfinite(r->interval)) {
        return record_bad(r, "gravity, flush_frames or interval");
    }
    r->counts = (record_counts){counts[0], counts[1], counts[2], counts[3],
                                counts[4], counts[5], counts[6]};
    r->state_size = (size_t)state_size;
    r->gravity = (pawl_vec3){gravity[0], gravity[1], gravity[2]};
    PAWL_TRY(read_text(r, "model_name", &r->model_name));
    PAWL_TRY(read_text(r, "model_path", &r->model_path));
    if (H5Aexists(r->file, "motion_path") > 0) {
        PAWL_TRY(read_text(r, "motion_path", &r->motion_path));
    }
    PAWL_TRY(read_text(r, "pawl_version", &r->pawl_version));
    return read_settings(r);
}

// ---- Rows ---------------------------------------------------------------------------------------

static bool read_block(hid_t set, hid_t type, int rank, const hsize_t inner[2], int64_t first,
                       int64_t count, void *out)
{
    const hsize_t start[3] = {(hsize_t)first, 0, 0};
    const hsize_t block[3] = {(hsize_t)count, inner[0], inner[1]};
    hid_t in_file = H5Dget_space(set);
    hid_t in_memory = H5Screate_simple(rank, block, NULL);
    bool ok = in_file >= 0 && in_memory >= 0 &&
              H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, block, NULL) >= 0 &&
              H5Dread(set, type, in_memory, in_file, H5P_DEFAULT, out) >= 0;
    if (in_file >= 0) {
        (void)H5Sclose(in_file);
    }
    if (in_memory >= 0) {
        (void)H5Sclose(in_memory);
    }
    return ok;
}

// One row of a /checkpoint dataset, or with `row` < 0 only its number of rows.
static bool read_check_row(const pawl_record *r, int which, hid_t type, H5T_class_t class, int rank,
                           hsize_t width, int64_t row, void *out, hsize_t *rows)
{
    const hsize_t inner[2] = {width, 1};
    hsize_t there = 0;
    hid_t set = record_open_set(r, record_check_paths[which], rank, inner, &there);
    if (set < 0) {
        return false;
    }
    bool ok = record_set_is(set, class) && there <= INT64_MAX && row < (int64_t)there &&
              (row < 0 || read_block(set, type, rank, inner, row, 1, out));
    (void)H5Dclose(set);
    if (rows != NULL) {
        *rows = there;
    }
    return ok;
}

// Columns of a /checkpoint dataset, or -1.
static int read_check_width(const pawl_record *r, int which)
{
    hid_t set = H5Dopen2(r->file, record_check_paths[which], H5P_DEFAULT);
    if (set < 0) {
        return -1;
    }
    hsize_t dims[2] = {0, 0};
    hid_t space = H5Dget_space(set);
    bool ok = space >= 0 && H5Sis_simple(space) > 0 && H5Sget_simple_extent_ndims(space) == 2 &&
              H5Sget_simple_extent_dims(space, dims, NULL) == 2 && dims[1] <= INT_MAX;
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    (void)H5Dclose(set);
    return ok ? (int)dims[1] : -1;
}

static bool read_verdict_is_sound(const pawl_record *r)
{
    const pawl_verdict *v = &r->verdict;
    const pawl_joint_id joints[] = {v->closure.worst_joint, v->closure.worst_limit,
                                    v->closure.ratio_joint, v->misfit.worst_joint,
                                    v->blur_joint,          v->passage_joint};
    const pawl_shape_id shapes[] = {v->worst_shape_a, v->worst_shape_b,  v->ratio_shape_a,
                                    v->ratio_shape_b, v->tunnel_shape_a, v->tunnel_shape_b};
    bool sound = v->iterations_max >= 0 && v->contacts_max >= 0;
    for (size_t i = 0; i < sizeof joints / sizeof *joints; ++i) {
        sound = sound && pawl_joint_index(joints[i]) < r->counts.joints;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        sound = sound && pawl_shape_index(shapes[i]) < r->counts.shapes;
    }
    return sound;
}

static pawl_status read_verdict(pawl_record *r, int64_t row)
{
    int64_t counts[RECORD_VERDICT_COUNTS];
    double figures[RECORD_VERDICT_FIGURES];
    int count_width = read_check_width(r, RECORD_CHECK_COUNTS);
    int figure_width = read_check_width(r, RECORD_CHECK_FIGURES);
    if (count_width < RECORD_VERDICT_COUNTS_OLD || count_width > RECORD_VERDICT_COUNTS ||
        figure_width < RECORD_VERDICT_FIGURES_OLD || figure_width > RECORD_VERDICT_FIGURES ||
        !read_check_row(r, RECORD_CHECK_COUNTS, H5T_NATIVE_INT64, H5T_INTEGER, 2,
                        (hsize_t)count_width, row, counts, NULL) ||
        !read_check_row(r, RECORD_CHECK_FIGURES, H5T_NATIVE_DOUBLE, H5T_FLOAT, 2,
                        (hsize_t)figure_width, row, figures, NULL)) {
        return record_bad_h5(r, "cannot read its last checkpoint");
    }
    r->verdict_whole =
        count_width == RECORD_VERDICT_COUNTS && figure_width == RECORD_VERDICT_FIGURES;
    bool numbers = record_verdict_unpack(&r->verdict, counts, count_width, figures, figure_width);
    return numbers && read_verdict_is_sound(r) ? PAWL_OK
                                               : record_bad(r, "numbers in its last checkpoint");
}

static pawl_status read_checkpoint(pawl_record *r)
{
    hsize_t rows = 0;
    int64_t frames = 0;
    if (!read_check_row(r, RECORD_CHECK_FRAMES, H5T_NATIVE_INT64, H5T_INTEGER, 1, 1, -1, NULL,
                        &rows) ||
        rows == 0) {
        return record_bad(r, "it has no checkpoint");
    }
    int64_t last = (int64_t)rows - 1;
    if (!read_check_row(r, RECORD_CHECK_FRAMES, H5T_NATIVE_INT64, H5T_INTEGER, 1, 1, last, &frames,
                        NULL)) {
        return record_bad_h5(r, "cannot read its last checkpoint");
    }
    if (frames < 1) {
        return record_bad(r, "numbers in its last checkpoint");
    }
    r->checkpoints = last + 1;
    r->frames = frames;
    return read_verdict(r, last);
}

static pawl_status read_event_counts(pawl_record *r)
{
    if (r->format < RECORD_FORMAT_EVENTS) {
        return PAWL_OK; // there were none then
    }
    int64_t counts[RECORD_CHECK_EVENTS_WIDTH];
    if (!read_check_row(r, RECORD_CHECK_EVENTS, H5T_NATIVE_INT64, H5T_INTEGER, 2,
                        RECORD_CHECK_EVENTS_WIDTH, r->checkpoints - 1, counts, NULL)) {
        return record_bad_h5(r, "cannot read the events of its last checkpoint");
    }
    for (int k = 0; k < RECORD_CHECK_EVENTS_WIDTH; ++k) {
        if (counts[k] < 0) {
            return record_bad(r, record_check_paths[RECORD_CHECK_EVENTS]);
        }
    }
    r->event_rows = counts[0];
    memcpy(r->verdict.events, counts + 1, (size_t)PAWL_EVENT_KIND_COUNT * sizeof *counts);
    return PAWL_OK;
}

// Every recorded series has at least the rows that the checkpoint counts, and really stores them.
static pawl_status read_check_series(pawl_record *r)
{
    for (int s = 0; s < RECORD_SERIES_COUNT; ++s) {
        const record_series_info *info = &record_series_table[s];
        hsize_t inner[2], rows = 0;
        size_t width = record_series_shape((record_series)s, &r->counts, r->trace, inner);
        if (width == 0) {
            continue;
        }
        hid_t set = record_open_set(r, info->path, info->rank, inner, &rows);
        if (set < 0) {
            return record_bad(r, info->path);
        }
        double stored = (double)H5Dget_storage_size(set);
        bool ok = record_set_is(set, s == RECORD_STEP ? H5T_INTEGER : H5T_FLOAT) &&
                  rows >= (hsize_t)r->frames &&
                  stored * READ_DEFLATE_LIMIT >= (double)r->frames * (double)width * 8.0;
        if (ok && s == RECORD_STEP) {
            ok = read_block(set, H5T_NATIVE_INT64, 1, inner, r->frames - 1, 1, &r->last_step);
        }
        (void)H5Dclose(set);
        if (!ok) {
            return record_bad(r, info->path);
        }
    }
    return PAWL_OK;
}

// A table has at least the rows that are counted on, and really stores them.
static pawl_status read_check_table(pawl_record *r, int table, int64_t count)
{
    const record_table_info *info = &record_table_info_of[table];
    const hsize_t inner[2] = {(hsize_t)info->width, 1};
    hsize_t rows = 0;
    hid_t set = record_open_set(r, info->path, 2, inner, &rows);
    if (set < 0) {
        return record_bad(r, info->path);
    }
    double size = (double)count * info->width * (info->whole ? 4.0 : 8.0);
    bool ok = record_set_is(set, info->whole ? H5T_INTEGER : H5T_FLOAT) && rows >= (hsize_t)count &&
              (double)H5Dget_storage_size(set) * READ_DEFLATE_LIMIT >= size;
    (void)H5Dclose(set);
    return ok ? PAWL_OK : record_bad(r, info->path);
}

// The contact tables have at least the rows that the last frame of the checkpoint counts to, the event
// tables those that the checkpoint itself counts.
static pawl_status read_check_tables(pawl_record *r)
{
    if (record_has(r, RECORD_CONTACTS)) {
        double last[RECORD_CONTACT_COUNT];
        PAWL_TRY(record_read_rows(r, RECORD_CONTACTS, r->frames - 1, 1, last));
        double first = last[RECORD_CONTACT_FIRST], count = last[RECORD_CONTACT_ROWS];
        const double most = 0x1p53; // whole numbers are exact up to here; NaN is not below it
        if (!(first >= 0.0 && first < most && count >= 0.0 && count < most)) {
            return record_bad(r, record_series_table[RECORD_CONTACTS].path);
        }
        r->contact_rows = (int64_t)first + (int64_t)count;
        for (int k = 0; k < RECORD_CONTACT_TABLES; ++k) {
            PAWL_TRY(read_check_table(r, k, r->contact_rows));
        }
    }
    for (int k = RECORD_CONTACT_TABLES; r->format >= RECORD_FORMAT_EVENTS && k < RECORD_TABLE_COUNT;
         ++k) {
        PAWL_TRY(read_check_table(r, k, r->event_rows));
    }
    return PAWL_OK;
}

bool record_has(const pawl_record *r, record_series series)
{
    hsize_t inner[2];
    return record_series_shape(series, &r->counts, r->trace, inner) > 0;
}

pawl_status record_read_rows(const pawl_record *r, record_series series, int64_t first,
                             int64_t count, double *out)
{
    PAWL_ASSERT(first >= 0 && count > 0 && count <= r->frames - first && record_has(r, series));
    const record_series_info *info = &record_series_table[series];
    hsize_t inner[2], rows = 0;
    (void)record_series_shape(series, &r->counts, r->trace, inner);
    hdf5_use use = hdf5_use_begin();
    hid_t set = record_open_set(r, info->path, info->rank, inner, &rows);
    bool ok = set >= 0 && read_block(set, H5T_NATIVE_DOUBLE, info->rank, inner, first, count, out);
    if (set >= 0) {
        (void)H5Dclose(set);
    }
    pawl_status status = ok ? PAWL_OK : record_bad_h5(r, info->path);
    hdf5_use_end(use);
    return status;
}

static bool read_pair_is_valid(const pawl_record *r, const int32_t pair[RECORD_PAIR_WIDTH])
{
    return pair[0] >= PAWL_WORLD_INDEX && pair[0] < r->counts.bodies &&
           pair[1] >= PAWL_WORLD_INDEX && pair[1] < r->counts.bodies && pair[2] >= -1 &&
           pair[2] < r->counts.shapes && pair[3] >= -1 && pair[3] < r->counts.shapes &&
           pair[4] >= 0 && pair[4] < PAWL_CONTACT_MODE_COUNT;
}

static bool read_event_is_valid(const pawl_record *r, const recorded_event *e)
{
    int coordinates =
        e->joint >= 0 && e->joint < r->counts.joints ? r->joints[e->joint].coordinate_count : 0;
    return isfinite(e->time) && (int)e->kind >= 0 && e->kind < PAWL_EVENT_KIND_COUNT &&
           e->shape_a >= -1 && e->shape_a < r->counts.shapes && e->shape_b >= -1 &&
           e->shape_b < r->counts.shapes && (e->shape_a < 0) == (e->shape_b < 0) &&
           e->joint >= -1 && e->joint < r->counts.joints && e->coordinate >= -1 &&
           e->coordinate < coordinates;
}

// `count` rows of table `table` from row `first`, as numbers of a type.
static pawl_status read_table_as(const pawl_record *r, int table, hid_t type, int64_t first,
                                 int64_t count, void *out)
{
    const record_table_info *info = &record_table_info_of[table];
    const hsize_t inner[2] = {(hsize_t)info->width, 1};
    hsize_t rows = 0;
    hdf5_use use = hdf5_use_begin();
    hid_t set = record_open_set(r, info->path, 2, inner, &rows);
    bool ok = set >= 0 && read_block(set, type, 2, inner, first, count, out);
    if (set >= 0) {
        (void)H5Dclose(set);
    }
    pawl_status status = ok ? PAWL_OK : record_bad_h5(r, info->path);
    hdf5_use_end(use);
    return status;
}

static pawl_status read_table(const pawl_record *r, int table, int64_t first, int64_t count,
                              void *out)
{
    hid_t type = record_table_info_of[table].whole ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE;
    return read_table_as(r, table, type, first, count, out);
}

pawl_status record_read_table(const pawl_record *r, int table, int64_t first, int64_t count,
                              double *out)
{
    PAWL_ASSERT(first >= 0 && count > 0);
    return read_table_as(r, table, H5T_NATIVE_DOUBLE, first, count, out);
}

pawl_status record_read_contacts(const pawl_record *r, int64_t first, int64_t count, int32_t *pairs,
                                 double *points)
{
    PAWL_ASSERT(first >= 0 && count > 0 && count <= r->contact_rows - first);
    PAWL_TRY(read_table(r, RECORD_TABLE_PAIR, first, count, pairs));
    PAWL_TRY(read_table(r, RECORD_TABLE_POINT, first, count, points));
    for (int64_t i = 0; i < count; ++i) {
        if (!read_pair_is_valid(r, pairs + RECORD_PAIR_WIDTH * i)) {
            return record_bad(r, record_table_info_of[RECORD_TABLE_PAIR].path);
        }
    }
    return PAWL_OK;
}

pawl_status record_read_events(const pawl_record *r, int64_t first, int count,
                               recorded_event *events)
{
    enum { BLOCK = 256 };
    PAWL_ASSERT(first >= 0 && count > 0 && count <= r->event_rows - first);
    for (int done = 0; done < count; done += BLOCK) {
        int32_t what[BLOCK * RECORD_EVENT_WIDTH];
        double instant[BLOCK * RECORD_INSTANT_WIDTH];
        int some = count - done < BLOCK ? count - done : BLOCK;
        PAWL_TRY(read_table(r, RECORD_TABLE_EVENT, first + done, some, what));
        PAWL_TRY(read_table(r, RECORD_TABLE_INSTANT, first + done, some, instant));
        for (int i = 0; i < some; ++i) {
            recorded_event *e = &events[done + i];
            *e = record_event_of_row(what + RECORD_EVENT_WIDTH * i,
                                     instant + RECORD_INSTANT_WIDTH * i);
            if (!read_event_is_valid(r, e)) {
                return record_bad(r, record_table_info_of[RECORD_TABLE_EVENT].path);
            }
        }
    }
    return PAWL_OK;
}

// ---- Opening and closing ------------------------------------------------------------------------

static pawl_status read_everything(pawl_record *r)
{
    r->driver = record_driver_open(r->store);
    r->file = r->driver.file;
    if (r->file < 0) {
        return record_bad_h5(r, "is not an HDF5 file, or is damaged");
    }
    PAWL_TRY(read_head(r));
    PAWL_TRY(record_model_read(r));
    PAWL_TRY(read_checkpoint(r));
    PAWL_TRY(read_event_counts(r));
    PAWL_TRY(read_check_series(r));
    return read_check_tables(r);
}

pawl_status record_open(const pawl_env *env, const char *path, bool writable, pawl_record **out)
{
    *out = NULL;
    pawl_record *r = pawl_alloc(env, sizeof *r);
    if (r == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "%s: no memory to open it", path);
    }
    r->env = env;
    r->driver = (record_driver){H5I_INVALID_HID, H5I_INVALID_HID};
    r->file = H5I_INVALID_HID;
    pawl_status status = record_store_open(env, path, writable, &r->store); // may wait for a commit
    hdf5_use use = hdf5_use_begin();
    if (status == PAWL_OK) {
        status = read_everything(r);
    }
    if (status == PAWL_OK) {
        *out = r;
    } else {
        pawl_record_close(r);
    }
    hdf5_use_end(use);
    return status;
}

pawl_status pawl_record_open(const pawl_env *env, const char *path, pawl_record **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, out);
    return record_open(env, path, false, out);
}

void pawl_record_close(pawl_record *r)
{
    if (r == NULL) {
        return;
    }
    const pawl_env *env = r->env;
    if (r->file >= 0) {
        hdf5_use use = hdf5_use_begin();
        record_store_discard(r->store);
        record_driver_close(&r->driver);
        hdf5_use_end(use);
    }
    record_store_close(r->store);
    pawl_text_free(env, r->model_name);
    pawl_text_free(env, r->model_path);
    pawl_text_free(env, r->motion_path);
    pawl_text_free(env, r->pawl_version);
    pawl_text_free(env, r->settings_text);
    pawl_free(env, r->bodies, (size_t)r->counts.bodies * sizeof *r->bodies);
    pawl_free(env, r->joints, (size_t)r->counts.joints * sizeof *r->joints);
    pawl_free(env, r->shapes, (size_t)r->counts.shapes * sizeof *r->shapes);
    pawl_free(env, r->springs, (size_t)r->counts.springs * sizeof *r->springs);
    pawl_free(env, r->hull_points, (size_t)r->hull_point_count * sizeof *r->hull_points);
    pawl_free(env, r->mesh_corners, (size_t)r->mesh_triangle_count * 3 * sizeof *r->mesh_corners);
    pawl_free(env, r->fields, (size_t)r->field_count * sizeof *r->fields);
    pawl_free(env, r->field_heights, r->field_height_count * sizeof *r->field_heights);
    pawl_free(env, r->body_names, r->body_names_size);
    pawl_free(env, r->joint_names, r->joint_names_size);
    pawl_free(env, r, sizeof *r);
}

int64_t pawl_record_frame_count(const pawl_record *r)
{
    return r != NULL ? r->frames : 0;
}

const char *pawl_record_model_path(const pawl_record *r)
{
    return r != NULL ? r->model_path : "";
}

const char *pawl_record_motion_path(const pawl_record *r)
{
    return r != NULL && r->motion_path != NULL ? r->motion_path : "";
}

uint64_t pawl_record_model_hash(const pawl_record *r)
{
    return r != NULL ? r->model_hash : 0;
}

pawl_settings pawl_record_settings(const pawl_record *r)
{
    return r != NULL ? r->settings : (pawl_settings){0};
}

pawl_status pawl_record_last_state(const pawl_record *r, pawl_state *state, pawl_verdict *verdict)
{
    PAWL_NEED(NULL, r);
    PAWL_NEED(r->env, state);
    size_t size = r->state_size; // older ones are shorter
    if (size > pawl_state_size(state)) {
        return PAWL_FAIL(r->env, PAWL_BAD_ARGUMENT,
                         "%s: its states have %zu bytes, this model's have %zu",
                         record_store_path(r->store), size, pawl_state_size(state));
    }
    unsigned char *bytes = pawl_alloc(r->env, size);
    if (bytes == NULL) {
        return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "%s: no memory for a state of %zu bytes",
                         record_store_path(r->store), size);
    }
    hdf5_use use = hdf5_use_begin();
    pawl_status status = PAWL_OK;
    if (!read_check_row(r, RECORD_CHECK_STATE, H5T_NATIVE_UINT8, H5T_INTEGER, 2, size,
                        r->checkpoints - 1, bytes, NULL)) {
        status = record_bad_h5(r, "cannot read its last saved state");
    }
    hdf5_use_end(use);
    if (status == PAWL_OK) {
        status = pawl_state_load(r->env, state, bytes, size);
    }
    if (status == PAWL_OK && verdict != NULL) {
        *verdict = r->verdict;
        record_verdict_of_model(verdict, pawl_state_model(state));
    }
    pawl_free(r->env, bytes, size);
    return status;
}
