// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Starts a recorder: its memory, sized once, and the datasets of a new file with their chunks, or those of a
// continued recording, which must be of the same model, settings and step.
#include "base/carver.h"
#include "base/guard.h"
#include "record/record_model.h"
#include "record/recorder.h"
#include <string.h>

enum {
    BEGIN_CHUNK_MIN = 16 << 10, // chunks below this compress badly and crowd the index
    BEGIN_CHUNK_MAX = 1 << 20,  // a chunk must fit HDF5's cache
    BEGIN_TABLE_ROWS = 2048     // of a chunk of a contact table
};

pawl_recorder_options pawl_recorder_options_default(void)
{
    return (pawl_recorder_options){.stamp = PAWL_STAMP_RECORDER_OPTIONS,

                                   .trace = PAWL_TRACE_ALL,
                                   .interval = 0.01,
                                   .flush_frames = 500,
                                   .model_path = NULL};
}

// ---- Creation -----------------------------------------------------------------------------------

static record_counts begin_counts(const pawl_model *model)
{
    record_counts counts = {
        .bodies = pawl_model_body_count(model),
        .joints = pawl_model_joint_count(model),
        .actuators = pawl_model_actuator_count(model),
        .shapes = pawl_model_shape_count(model),
        .springs = pawl_model_spring_count(model),
    };
    for (int s = 0; s < counts.shapes; ++s) {
        counts.colliders +=
            pawl_model_shape(model, pawl_model_shape_at(model, s)).def.visual_only ? 0 : 1;
    }
    for (int j = 0; j < counts.joints; ++j) {
        counts.coordinates +=
            pawl_model_joint(model, pawl_model_joint_at(model, j)).coordinate_count;
    }
    return counts;
}

static pawl_recorder *begin_layout(const pawl_recorder *plan, pawl_carver *mem)
{
    pawl_recorder *r = PAWL_CARVE(mem, pawl_recorder, 1);
    int64_t *steps = PAWL_CARVE(mem, int64_t, plan->flush_frames);
    unsigned char *state = PAWL_CARVE(mem, unsigned char, plan->state_size);
    double *rows[RECORD_SERIES_COUNT] = {NULL};
    for (int s = 0; s < RECORD_SERIES_COUNT; ++s) {
        hsize_t dims[2];
        size_t width = record_series_shape((record_series)s, &plan->counts, plan->trace, dims);
        if (width > 0 && s != RECORD_STEP) {
            rows[s] = PAWL_CARVE(mem, double, width *(size_t)plan->flush_frames);
        }
    }
    if (r == NULL) {
        return NULL;
    }
    *r = *plan;
    r->steps = steps;
    r->state = state;
    memcpy(r->rows, rows, sizeof rows);
    return r;
}

// The recorder without its file. `options` are checked here.
static pawl_status begin_new(const pawl_env *env, const pawl_sim *sim,
                             const pawl_recorder_options *options, pawl_recorder **out)
{
    if (options->flush_frames < 1) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "flush_frames is %d; expected at least 1",
                         options->flush_frames);
    }
    if (!(options->interval >= 0.0) || !isfinite(options->interval)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "recording interval is %g s; expected 0 (every step) or more",
                         options->interval);
    }
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED, "this HDF5 library cannot compress (deflate)");
    }
    pawl_recorder plan = {
        .env = env,
        .sim = sim,
        .driver = {H5I_INVALID_HID, H5I_INVALID_HID},
        .file = H5I_INVALID_HID,
        .counts = begin_counts(pawl_sim_model(sim)),
        .trace = options->trace & PAWL_TRACE_ALL,
        .interval = options->interval,
        .flush_frames = options->flush_frames,
        .last_step = -1,
        .state_size = pawl_state_size(pawl_sim_state(sim)),
    };
    size_t row_bytes = 0;
    for (int s = 0; s < RECORD_SERIES_COUNT; ++s) {
        hsize_t dims[2];
        row_bytes += 8 * record_series_shape((record_series)s, &plan.counts, plan.trace, dims);
        plan.series[s] = H5I_INVALID_HID;
    }
    for (int c = 0; c < RECORD_CHECK_COUNT; ++c) {
        plan.check[c] = H5I_INVALID_HID;
    }
    for (int k = 0; k < RECORD_TABLE_COUNT; ++k) {
        plan.table[k] = H5I_INVALID_HID;
    }
    size_t most = RECORDER_BUFFER_BYTES / row_bytes;
    if ((size_t)plan.flush_frames > most) {
        plan.flush_frames = most > 0 ? (int)most : 1;
    }
    pawl_carver need = {0};
    (void)begin_layout(&plan, &need);
    plan.bytes = need.used;
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the recorder needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    *out = begin_layout(&plan, &mem);
    return PAWL_OK;
}

void recorder_destroy(pawl_recorder *r)
{
    if (r == NULL) {
        return;
    }
    hdf5_use use = hdf5_use_begin();
    if (r->file >= 0) {
        record_store_discard(r->store);
        record_driver_close(&r->driver);
    }
    hdf5_use_end(use);
    record_store_close(r->store);
    pawl_array_free(r->env, &r->pairs);
    pawl_array_free(r->env, &r->points);
    pawl_array_free(r->env, &r->events);
    pawl_array_free(r->env, &r->instants);
    pawl_free(r->env, r, r->bytes);
}

// Chunks of whole flushes, so that a flush seldom has to read back and compress again.
static hsize_t begin_chunk_rows(const pawl_recorder *r, size_t row_bytes)
{
    size_t frames = (size_t)r->flush_frames;
    size_t rows = frames;
    while (rows * row_bytes < BEGIN_CHUNK_MIN) {
        rows += frames;
    }
    while (rows > 1 && rows * row_bytes > BEGIN_CHUNK_MAX) {
        rows = (rows + 1) / 2;
    }
    return rows;
}

// An empty series that can grow along its first dimension; compressed, with checksums.
static hid_t begin_make_series(const pawl_recorder *r, const char *path, hid_t type, int rank,
                               const hsize_t inner[2], hsize_t chunk_rows)
{
    hsize_t dims[3] = {0, inner[0], inner[1]};
    hsize_t most[3] = {H5S_UNLIMITED, inner[0], inner[1]};
    hsize_t chunk[3] = {chunk_rows, inner[0], inner[1]};
    hid_t space = H5Screate_simple(rank, dims, most);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t link = H5Pcreate(H5P_LINK_CREATE);
    hid_t set = H5I_INVALID_HID;
    if (space >= 0 && create >= 0 && link >= 0 && H5Pset_chunk(create, rank, chunk) >= 0 &&
        H5Pset_shuffle(create) >= 0 && H5Pset_deflate(create, 1) >= 0 &&
        H5Pset_fletcher32(create) >= 0 && H5Pset_create_intermediate_group(link, 1) >= 0) {
        set = H5Dcreate2(r->file, path, type, space, link, create, H5P_DEFAULT);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (create >= 0) {
        (void)H5Pclose(create);
    }
    if (link >= 0) {
        (void)H5Pclose(link);
    }
    return set;
}

static bool begin_has_table(const pawl_recorder *r, int table)
{
    return table >= RECORD_CONTACT_TABLES || recorder_has_contacts(r);
}

static bool begin_make_tables(pawl_recorder *r)
{
    for (int k = 0; k < RECORD_TABLE_COUNT; ++k) {
        if (!begin_has_table(r, k)) {
            continue;
        }
        const record_table_info *info = &record_table_info_of[k];
        const hsize_t inner[2] = {(hsize_t)info->width, 1};
        hid_t type = info->whole ? H5T_STD_I32LE : H5T_IEEE_F64LE;
        r->table[k] = begin_make_series(r, info->path, type, 2, inner, BEGIN_TABLE_ROWS);
        if (r->table[k] < 0 || !record_model_text(r->table[k], "unit", info->unit) ||
            !record_model_text(r->table[k], "columns", info->columns)) {
            return false;
        }
    }
    return true;
}

static void begin_verdict_columns(bool figures, int count, char *text, size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < count; ++k) {
        size_t used = strlen(text);
        (void)snprintf(text + used, size - used, "%s%s", k > 0 ? " " : "",
                       record_verdict_column(figures, k));
    }
}

static bool begin_make_all_series(pawl_recorder *r)
{
    if (!begin_make_tables(r)) {
        return false;
    }
    for (int s = 0; s < RECORD_SERIES_COUNT; ++s) {
        const record_series_info *info = &record_series_table[s];
        hsize_t inner[2];
        size_t width = record_series_shape((record_series)s, &r->counts, r->trace, inner);
        if (width == 0) {
            continue;
        }
        hid_t type = s == RECORD_STEP ? H5T_STD_I64LE : H5T_IEEE_F64LE;
        r->series[s] = begin_make_series(r, info->path, type, info->rank, inner,
                                         begin_chunk_rows(r, 8 * width));
        if (r->series[s] < 0 || !record_model_text(r->series[s], "unit", info->unit) ||
            (info->columns != NULL && !record_model_text(r->series[s], "columns", info->columns))) {
            return false;
        }
    }
    char counts[2048], figures[2048];
    begin_verdict_columns(false, RECORD_VERDICT_COUNTS, counts, sizeof counts);
    begin_verdict_columns(true, RECORD_VERDICT_FIGURES, figures, sizeof figures);
    const struct {
        hid_t type;
        int rank;
        hsize_t width, chunk;
        const char *columns;
    } check[RECORD_CHECK_COUNT] = {
        [RECORD_CHECK_FRAMES] = {H5T_STD_I64LE, 1, 1, 1024, NULL},
        [RECORD_CHECK_STATE] = {H5T_STD_U8LE, 2, r->state_size, 1, NULL},
        [RECORD_CHECK_COUNTS] = {H5T_STD_I64LE, 2, RECORD_VERDICT_COUNTS, 256, counts},
        [RECORD_CHECK_FIGURES] = {H5T_IEEE_F64LE, 2, RECORD_VERDICT_FIGURES, 256, figures},
        [RECORD_CHECK_EVENTS] = {H5T_STD_I64LE, 2, RECORD_CHECK_EVENTS_WIDTH, 256,
                                 record_check_event_columns},
    };
    for (int c = 0; c < RECORD_CHECK_COUNT; ++c) {
        const hsize_t inner[2] = {check[c].width, 1};
        r->check[c] = begin_make_series(r, record_check_paths[c], check[c].type, check[c].rank,
                                        inner, check[c].chunk);
        if (r->check[c] < 0 || (check[c].columns != NULL &&
                                !record_model_text(r->check[c], "columns", check[c].columns))) {
            return false;
        }
    }
    return true;
}

static bool begin_open_all_series(pawl_recorder *r)
{
    for (int k = 0; k < RECORD_TABLE_COUNT; ++k) {
        if (!begin_has_table(r, k)) {
            continue;
        }
        r->table[k] = H5Dopen2(r->file, record_table_info_of[k].path, H5P_DEFAULT);
        if (r->table[k] < 0) {
            return false;
        }
    }
    for (int s = 0; s < RECORD_SERIES_COUNT; ++s) {
        hsize_t inner[2];
        if (record_series_shape((record_series)s, &r->counts, r->trace, inner) > 0) {
            r->series[s] = H5Dopen2(r->file, record_series_table[s].path, H5P_DEFAULT);
            if (r->series[s] < 0) {
                return false;
            }
        }
    }
    for (int c = 0; c < RECORD_CHECK_COUNT; ++c) {
        r->check[c] = H5Dopen2(r->file, record_check_paths[c], H5P_DEFAULT);
        if (r->check[c] < 0) {
            return false;
        }
    }
    return true;
}

static pawl_status begin_create(pawl_recorder *r, const char *path,
                                const pawl_recorder_options *options)
{
    PAWL_TRY(record_store_create(r->env, path, &r->store));
    r->driver = record_driver_open(r->store);
    r->file = r->driver.file;
    const record_model_head head = {.trace = r->trace,
                                    .interval = r->interval,
                                    .flush_frames = r->flush_frames,
                                    .model_path = options->model_path,
                                    .motion_path = options->motion_path};
    if (r->file < 0) {
        return record_h5_fail(r->store, PAWL_IO_ERROR, "cannot start an HDF5 file");
    }
    PAWL_TRY(record_model_write(r->env, r->file, r->store, r->sim, &r->counts, &head));
    return begin_make_all_series(r)
               ? PAWL_OK
               : record_h5_fail(r->store, PAWL_IO_ERROR, "cannot create its datasets");
}

pawl_status pawl_recorder_create(const pawl_env *env, const char *path, const pawl_sim *sim,
                                 const pawl_recorder_options *options, pawl_recorder **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, sim);
    PAWL_NEED(env, options);
    PAWL_NEED(env, out);
    PAWL_NEED_STAMP(env, options, PAWL_STAMP_RECORDER_OPTIONS, "pawl_recorder_options_default");
    *out = NULL;
    hdf5_use use = hdf5_use_begin();
    pawl_recorder *r = NULL;
    pawl_status status = begin_new(env, sim, options, &r);
    if (status == PAWL_OK) {
        status = begin_create(r, path, options);
    }
    if (status == PAWL_OK) {
        *out = r;
    } else {
        recorder_destroy(r);
    }
    hdf5_use_end(use);
    return status;
}

// ---- Continuing a file ---------------------------------------------------------------------------

static pawl_status begin_check_settings(const pawl_env *env, const char *path,
                                        const pawl_settings *now, const pawl_settings *then)
{
    for (int i = 0; i < pawl_setting_count(); ++i) {
        char a[128], b[128];
        pawl_settings_get(now, i, a, sizeof a);
        pawl_settings_get(then, i, b, sizeof b);
        if (strcmp(a, b) != 0) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "%s: was recorded with %s=%s, cannot continue with %s", path,
                             pawl_setting(i).key, b, a);
        }
    }
    return PAWL_OK;
}

static pawl_status begin_check_same(const pawl_env *env, const char *path, const pawl_sim *sim,
                                    const pawl_record *record)
{
    const pawl_model *model = pawl_sim_model(sim);
    bool current =
        record->format == RECORD_FORMAT && record->verdict_whole; // older ones are shorter
    size_t size = pawl_state_size(pawl_sim_state(sim));
    current = current && record->state_size >= size;
    if (pawl_model_hash(model) != record->model_hash || (current && record->state_size != size)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "%s: is a recording of model '%s', which is not this model '%s' "
                         "(or it has changed since)",
                         path, record->model_name, pawl_model_name(model));
    }
    if (!current) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "%s: recording format %d can be read, but this version continues format "
                         "%d with states of %zu bytes only, and it has %zu",
                         path, record->format, RECORD_FORMAT, size, record->state_size);
    }
    PAWL_TRY(begin_check_settings(env, path, pawl_sim_settings(sim), &record->settings));
    int64_t step = pawl_state_step(pawl_sim_state(sim));
    int64_t last = record->last_step;
    if (step != last) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "%s: ends at step %lld, cannot continue from step %lld", path,
                         (long long)last, (long long)step);
    }
    return PAWL_OK;
}

static pawl_status begin_append(const pawl_env *env, const char *path, const pawl_sim *sim,
                                pawl_record *record, pawl_recorder **out)
{
    PAWL_TRY(begin_check_same(env, path, sim, record));
    const pawl_recorder_options options = {
        .trace = record->trace, .interval = record->interval, .flush_frames = record->flush_frames};
    pawl_recorder *r = NULL;
    PAWL_TRY(begin_new(env, sim, &options, &r));
    *out = r; // the caller destroys it on failure
    r->store = record->store;
    r->driver = record->driver;
    r->file = record->file;
    record->store = NULL;
    record->file = H5I_INVALID_HID;
    r->flushed = record->frames;
    r->checkpoints = record->checkpoints;
    r->contact_rows = record->contact_rows;
    r->event_rows = record->event_rows;
    r->published = true;
    (void)timespec_get(&r->flush_time, TIME_UTC);
    r->verdict = record->verdict;
    r->energy = pawl_state_energy(pawl_sim_state(sim));
    r->last_step = pawl_state_step(pawl_sim_state(sim));
    r->last_slot = recorder_slot(r, pawl_state_time(pawl_sim_state(sim)));
    return begin_open_all_series(r)
               ? PAWL_OK
               : record_h5_fail(r->store, PAWL_BAD_FILE, "cannot open its datasets");
}

pawl_status pawl_recorder_append(const pawl_env *env, const char *path, const pawl_sim *sim,
                                 pawl_recorder **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, sim);
    PAWL_NEED(env, out);
    *out = NULL;
    pawl_record *record = NULL;
    pawl_recorder *r = NULL;
    pawl_status status = record_open(env, path, true, &record);
    hdf5_use use = hdf5_use_begin();
    if (status == PAWL_OK) {
        status = begin_append(env, path, sim, record, &r);
    }
    pawl_record_close(record);
    if (status == PAWL_OK) {
        *out = r;
    } else {
        recorder_destroy(r);
    }
    hdf5_use_end(use);
    return status;
}
