// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The recorder. Frames gather in memory, sized at creation; every `flush_frames` of them go to
// HDF5 in one write a series, together with the saved state and the verdict, and one commit of the
// store makes all of it the file's content at once. So frames, state and verdict in a file always
// belong together, whenever the process was killed. HDF5 itself allocates in a flush; between
// flushes nothing does.
#include "base/array.h"
#include "base/carver.h"
#include "base/guard.h"
#include "io/record_layout.h"
#include "io/record_model.h"
#include <math.h>
#include <string.h>
#include <time.h>

enum {
    WRITE_FLUSH_SECONDS = 5,       // a slow run flushes more often than every flush_frames
    WRITE_BUFFER_BYTES = 32 << 20, // most that pending frames may take
    WRITE_CHUNK_MIN = 16 << 10,    // chunks below this compress badly and crowd the index
    WRITE_CHUNK_MAX = 1 << 20,     // a chunk must fit HDF5's cache
    WRITE_TABLE_ROWS = 2048        // of a chunk of a contact table
};

struct pawl_recorder {
    const pawl_env *env;
    const pawl_sim *sim;
    record_store *store;
    record_driver driver;
    hid_t file; // of the driver
    hid_t series[RECORD_SERIES_COUNT], check[RECORD_CHECK_COUNT], table[RECORD_TABLE_COUNT];
    record_counts counts;
    unsigned trace;
    double interval;
    int flush_frames;
    int64_t flushed, checkpoints;
    int pending;
    bool published; // the file holds a frame
    struct timespec flush_time;
    pawl_status failed;                  // sticky: after a failed write nothing more is written
    int64_t last_step;                   // of the newest frame; -1: none
    double last_slot;                    // intervals that had passed at the newest frame
    double worst[RECORD_RESIDUAL_COUNT]; // since the newest frame
    double penetration;                  // likewise
    pawl_energy energy;
    pawl_verdict verdict;
    bool
        ended; // the verdict is that of the end, which close writes whether frames are pending or not
    size_t state_size, bytes;          // of the saved state; of this block
    double *rows[RECORD_SERIES_COUNT]; // pending rows, (flush_frames x width); NULL: not recorded
    int64_t *steps;                    // (flush_frames)
    // Rows of the contact tables that pending frames have. They keep the room they once needed; a
    // run that has more contacts than ever before makes it more.
    pawl_array pairs, points; // of int32_t[RECORD_PAIR_WIDTH], of double[RECORD_POINT_WIDTH]
    int64_t contact_rows;     // flushed
    // Events since the last flush, likewise.
    pawl_array happenings, instants; // of int32_t[RECORD_EVENT_WIDTH], double[RECORD_INSTANT_WIDTH]
    int64_t event_rows;              // flushed
    unsigned char *state;            // (state_size)
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

static record_counts write_counts(const pawl_model *model)
{
    record_counts counts = {
        .bodies = pawl_model_body_count(model),
        .joints = pawl_model_joint_count(model),
        .actuators = pawl_model_actuator_count(model),
        .shapes = pawl_model_shape_count(model),
        .springs = pawl_model_spring_count(model),
    };
    for (int s = 0; s < counts.shapes; ++s) {
        counts.colliders += pawl_model_shape(model, s).def.visual_only ? 0 : 1;
    }
    for (int j = 0; j < counts.joints; ++j) {
        counts.coordinates += pawl_model_joint(model, j).coordinate_count;
    }
    return counts;
}

static pawl_recorder *write_layout(const pawl_recorder *plan, pawl_carver *mem)
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
static pawl_status write_new(const pawl_env *env, const pawl_sim *sim,
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
        .counts = write_counts(pawl_sim_model(sim)),
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
    size_t most = WRITE_BUFFER_BYTES / row_bytes;
    if ((size_t)plan.flush_frames > most) {
        plan.flush_frames = most > 0 ? (int)most : 1;
    }
    pawl_carver need = {0};
    (void)write_layout(&plan, &need);
    plan.bytes = need.used;
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the recorder needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    *out = write_layout(&plan, &mem);
    return PAWL_OK;
}

static void write_destroy(pawl_recorder *r)
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
    pawl_array_free(r->env, &r->happenings);
    pawl_array_free(r->env, &r->instants);
    pawl_free(r->env, r, r->bytes);
}

// Chunks of whole flushes, so that a flush seldom has to read back and compress again.
static hsize_t write_chunk_rows(const pawl_recorder *r, size_t row_bytes)
{
    size_t frames = (size_t)r->flush_frames;
    size_t rows = frames;
    while (rows * row_bytes < WRITE_CHUNK_MIN) {
        rows += frames;
    }
    while (rows > 1 && rows * row_bytes > WRITE_CHUNK_MAX) {
        rows = (rows + 1) / 2;
    }
    return rows;
}

// An empty series that can grow along its first dimension; compressed, with checksums.
static hid_t write_make_series(const pawl_recorder *r, const char *path, hid_t type, int rank,
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

static bool write_has_contacts(const pawl_recorder *r)
{
    return r->rows[RECORD_CONTACTS] != NULL;
}

static bool write_has_table(const pawl_recorder *r, int table)
{
    return table >= RECORD_CONTACT_TABLES || write_has_contacts(r);
}

static bool write_make_tables(pawl_recorder *r)
{
    for (int k = 0; k < RECORD_TABLE_COUNT; ++k) {
        if (!write_has_table(r, k)) {
            continue;
        }
        const record_table_info *info = &record_table_info_of[k];
        const hsize_t inner[2] = {(hsize_t)info->width, 1};
        hid_t type = info->whole ? H5T_STD_I32LE : H5T_IEEE_F64LE;
        r->table[k] = write_make_series(r, info->path, type, 2, inner, WRITE_TABLE_ROWS);
        if (r->table[k] < 0 || !record_model_text(r->table[k], "unit", info->unit) ||
            !record_model_text(r->table[k], "columns", info->columns)) {
            return false;
        }
    }
    return true;
}

static void write_verdict_columns(bool figures, int count, char *text, size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < count; ++k) {
        size_t used = strlen(text);
        (void)snprintf(text + used, size - used, "%s%s", k > 0 ? " " : "",
                       record_verdict_column(figures, k));
    }
}

static bool write_make_all_series(pawl_recorder *r)
{
    if (!write_make_tables(r)) {
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
        r->series[s] = write_make_series(r, info->path, type, info->rank, inner,
                                         write_chunk_rows(r, 8 * width));
        if (r->series[s] < 0 || !record_model_text(r->series[s], "unit", info->unit) ||
            (info->columns != NULL && !record_model_text(r->series[s], "columns", info->columns))) {
            return false;
        }
    }
    char counts[2048], figures[2048];
    write_verdict_columns(false, RECORD_VERDICT_COUNTS, counts, sizeof counts);
    write_verdict_columns(true, RECORD_VERDICT_FIGURES, figures, sizeof figures);
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
        r->check[c] = write_make_series(r, record_check_paths[c], check[c].type, check[c].rank,
                                        inner, check[c].chunk);
        if (r->check[c] < 0 || (check[c].columns != NULL &&
                                !record_model_text(r->check[c], "columns", check[c].columns))) {
            return false;
        }
    }
    return true;
}

static bool write_open_all_series(pawl_recorder *r)
{
    for (int k = 0; k < RECORD_TABLE_COUNT; ++k) {
        if (!write_has_table(r, k)) {
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

static pawl_status write_create(pawl_recorder *r, const char *path,
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
    return write_make_all_series(r)
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
    pawl_status status = write_new(env, sim, options, &r);
    if (status == PAWL_OK) {
        status = write_create(r, path, options);
    }
    if (status == PAWL_OK) {
        *out = r;
    } else {
        write_destroy(r);
    }
    hdf5_use_end(use);
    return status;
}

// ---- Going on in a file -------------------------------------------------------------------------

static pawl_status write_check_settings(const pawl_env *env, const char *path,
                                        const pawl_settings *now, const pawl_settings *then)
{
    for (int i = 0; i < pawl_setting_count(); ++i) {
        char a[128], b[128];
        pawl_settings_get(now, i, a, sizeof a);
        pawl_settings_get(then, i, b, sizeof b);
        if (strcmp(a, b) != 0) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "%s: was recorded with %s=%s, cannot go on with %s", path,
                             pawl_setting(i).key, b, a);
        }
    }
    return PAWL_OK;
}

static pawl_status write_check_same(const pawl_env *env, const char *path, const pawl_sim *sim,
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
    PAWL_TRY(write_check_settings(env, path, pawl_sim_settings(sim), &record->settings));
    int64_t step = pawl_state_step(pawl_sim_state(sim));
    int64_t last = record->last_step;
    if (step != last) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "%s: ends at step %lld, cannot go on from step %lld", path,
                         (long long)last, (long long)step);
    }
    return PAWL_OK;
}

static double write_slot(const pawl_recorder *r, double time)
{
    // The small share makes up for rounding in a time that is a sum of steps.
    return r->interval > 0.0 ? floor(time / r->interval + 1e-6) : 0.0;
}

static pawl_status write_append(const pawl_env *env, const char *path, const pawl_sim *sim,
                                pawl_record *record, pawl_recorder **out)
{
    PAWL_TRY(write_check_same(env, path, sim, record));
    const pawl_recorder_options options = {
        .trace = record->trace, .interval = record->interval, .flush_frames = record->flush_frames};
    pawl_recorder *r = NULL;
    PAWL_TRY(write_new(env, sim, &options, &r));
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
    r->last_slot = write_slot(r, pawl_state_time(pawl_sim_state(sim)));
    return write_open_all_series(r)
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
        status = write_append(env, path, sim, record, &r);
    }
    pawl_record_close(record);
    if (status == PAWL_OK) {
        *out = r;
    } else {
        write_destroy(r);
    }
    hdf5_use_end(use);
    return status;
}

// ---- Frames -------------------------------------------------------------------------------------

// The contacts of the last step, as rows of the tables, and what a frame says of them.
static pawl_status write_capture_contacts(pawl_recorder *r, double row[RECORD_CONTACT_COUNT])
{
    int count = pawl_sim_contact_count(r->sim), before = r->pairs.count;
    double force = 0.0;
    for (int k = 0; k < count; ++k) {
        pawl_contact_info c = pawl_sim_contact(r->sim, k);
        record_contact contact = record_contact_row(&c);
        void *pair = pawl_array_push(r->env, &r->pairs, sizeof contact.pair);
        void *point = pawl_array_push(r->env, &r->points, sizeof contact.point);
        if (pair == NULL || point == NULL) {
            return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "%s: no memory for the contacts of a frame",
                             record_store_path(r->store));
        }
        memcpy(pair, contact.pair, sizeof contact.pair);
        memcpy(point, contact.point, sizeof contact.point);
        force += c.force.x * c.normal.x + c.force.y * c.normal.y + c.force.z * c.normal.z;
    }
    row[RECORD_CONTACT_FIRST] = (double)(r->contact_rows + before);
    row[RECORD_CONTACT_ROWS] = (double)count;
    row[RECORD_CONTACT_PENETRATION] = r->penetration;
    row[RECORD_CONTACT_FORCE] = force;
    r->penetration = 0.0;
    return PAWL_OK;
}

// Takes the state the sim is in now as the newest pending frame. A failure is sticky.
static pawl_status write_capture(pawl_recorder *r)
{
    const pawl_state *state = pawl_sim_state(r->sim);
    const int at = r->pending;
    double *row[RECORD_SERIES_COUNT];
    for (int s = 0; s < RECORD_SERIES_COUNT; ++s) {
        hsize_t dims[2];
        size_t width = record_series_shape((record_series)s, &r->counts, r->trace, dims);
        row[s] = r->rows[s] == NULL ? NULL : r->rows[s] + (size_t)at * width;
    }
    row[RECORD_TIME][0] = pawl_state_time(state);
    r->steps[at] = pawl_state_step(state);
    for (int b = 0; b < r->counts.bodies; ++b) {
        if (row[RECORD_POSE] != NULL) {
            pawl_pose p = pawl_state_pose(state, b);
            const double values[7] = {p.position.x,    p.position.y,    p.position.z,
                                      p.orientation.w, p.orientation.x, p.orientation.y,
                                      p.orientation.z};
            memcpy(row[RECORD_POSE] + 7 * b, values, sizeof values);
        }
        if (row[RECORD_TWIST] != NULL) {
            pawl_twist t = pawl_state_twist(state, b);
            const double values[6] = {t.linear.x,  t.linear.y,  t.linear.z,
                                      t.angular.x, t.angular.y, t.angular.z};
            memcpy(row[RECORD_TWIST] + 6 * b, values, sizeof values);
        }
    }
    for (int j = 0, c = 0; j < r->counts.joints; ++j) {
        int n = pawl_model_joint(pawl_sim_model(r->sim), j).coordinate_count;
        double position[6], rate[6];
        if (n > 0 && (row[RECORD_POSITION] != NULL || row[RECORD_RATE] != NULL)) {
            pawl_state_joint(state, j, position, rate);
            for (int k = 0; k < n; ++k) {
                if (row[RECORD_POSITION] != NULL) {
                    row[RECORD_POSITION][c + k] = position[k];
                }
                if (row[RECORD_RATE] != NULL) {
                    row[RECORD_RATE][c + k] = rate[k];
                }
            }
        }
        c += n;
        if (row[RECORD_REACTION] != NULL) {
            pawl_vec3 f, t;
            pawl_sim_joint_reaction(r->sim, j, &f, &t);
            const double values[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
            memcpy(row[RECORD_REACTION] + 6 * j, values, sizeof values);
        }
    }
    for (int a = 0; row[RECORD_EFFORT] != NULL && a < r->counts.actuators; ++a) {
        row[RECORD_EFFORT][a] = pawl_sim_actuator_effort(r->sim, a);
    }
    if (row[RECORD_ENERGY] != NULL) {
        record_energy_row(&r->energy, row[RECORD_ENERGY]);
    }
    if (row[RECORD_RESIDUALS] != NULL) {
        memcpy(row[RECORD_RESIDUALS], r->worst, sizeof r->worst);
    }
    if (write_has_contacts(r)) {
        r->failed = write_capture_contacts(r, row[RECORD_CONTACTS]);
        PAWL_TRY(r->failed);
    }
    memset(r->worst, 0, sizeof r->worst);
    r->last_step = r->steps[at];
    r->last_slot = write_slot(r, pawl_state_time(state));
    r->pending++;
    return PAWL_OK;
}

// `count` rows behind the first `before` rows; rows beyond them are dropped.
static bool write_rows(hid_t set, hid_t type, int rank, const hsize_t inner[2], int64_t before,
                       int count, const void *rows)
{
    hsize_t dims[3] = {(hsize_t)(before + count), inner[0], inner[1]};
    hsize_t start[3] = {(hsize_t)before, 0, 0};
    hsize_t block[3] = {(hsize_t)count, inner[0], inner[1]};
    if (H5Dset_extent(set, dims) < 0) {
        return false;
    }
    hid_t in_file = H5Dget_space(set);
    hid_t in_memory = H5Screate_simple(rank, block, NULL);
    bool ok = in_file >= 0 && in_memory >= 0 &&
              H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, block, NULL) >= 0 &&
              H5Dwrite(set, type, in_memory, in_file, H5P_DEFAULT, rows) >= 0;
    if (in_file >= 0) {
        (void)H5Sclose(in_file);
    }
    if (in_memory >= 0) {
        (void)H5Sclose(in_memory);
    }
    return ok;
}

static bool write_tables(pawl_recorder *r)
{
    const pawl_array *rows[RECORD_TABLE_COUNT] = {&r->pairs, &r->points, &r->happenings,
                                                  &r->instants};
    for (int k = 0; k < RECORD_TABLE_COUNT; ++k) {
        const record_table_info *info = &record_table_info_of[k];
        const hsize_t inner[2] = {(hsize_t)info->width, 1};
        hid_t type = info->whole ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE;
        int64_t before = k < RECORD_CONTACT_TABLES ? r->contact_rows : r->event_rows;
        if (rows[k]->count > 0 &&
            !write_rows(r->table[k], type, 2, inner, before, rows[k]->count, rows[k]->data)) {
            return false;
        }
    }
    return true;
}

static bool write_pending(pawl_recorder *r)
{
    for (int s = 0; s < RECORD_SERIES_COUNT; ++s) {
        hsize_t inner[2];
        if (record_series_shape((record_series)s, &r->counts, r->trace, inner) == 0 ||
            r->pending == 0) {
            continue;
        }
        bool is_step = s == RECORD_STEP;
        const void *rows = is_step ? (const void *)r->steps : r->rows[s];
        if (!write_rows(r->series[s], is_step ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE,
                        record_series_table[s].rank, inner, r->flushed, r->pending, rows)) {
            return false;
        }
    }
    if (!write_tables(r)) {
        return false;
    }
    const int64_t frames = r->flushed + r->pending;
    int64_t counts[RECORD_VERDICT_COUNTS];
    double figures[RECORD_VERDICT_FIGURES];
    record_verdict_pack(&r->verdict, counts, figures);
    pawl_state_save(pawl_sim_state(r->sim), r->state);
    int64_t events[RECORD_CHECK_EVENTS_WIDTH] = {r->event_rows + r->happenings.count};
    memcpy(events + 1, r->verdict.events, sizeof r->verdict.events);
    const hsize_t of_events[2] = {RECORD_CHECK_EVENTS_WIDTH, 1};
    const hsize_t one[2] = {1, 1}, bytes[2] = {r->state_size, 1};
    const hsize_t of_counts[2] = {RECORD_VERDICT_COUNTS, 1};
    const hsize_t of_figures[2] = {RECORD_VERDICT_FIGURES, 1};
    return write_rows(r->check[RECORD_CHECK_FRAMES], H5T_NATIVE_INT64, 1, one, r->checkpoints, 1,
                      &frames) &&
           write_rows(r->check[RECORD_CHECK_STATE], H5T_NATIVE_UINT8, 2, bytes, r->checkpoints, 1,
                      r->state) &&
           write_rows(r->check[RECORD_CHECK_COUNTS], H5T_NATIVE_INT64, 2, of_counts, r->checkpoints,
                      1, counts) &&
           write_rows(r->check[RECORD_CHECK_FIGURES], H5T_NATIVE_DOUBLE, 2, of_figures,
                      r->checkpoints, 1, figures) &&
           write_rows(r->check[RECORD_CHECK_EVENTS], H5T_NATIVE_INT64, 2, of_events, r->checkpoints,
                      1, events) &&
           H5Fflush(r->file, H5F_SCOPE_GLOBAL) >= 0;
}

// The sim must be in the state of the newest pending frame.
static pawl_status write_flush(pawl_recorder *r)
{
    hdf5_use use = hdf5_use_begin();
    pawl_status status = PAWL_OK;
    if (!write_pending(r)) {
        status = record_h5_fail(r->store, PAWL_IO_ERROR, "cannot write frames");
    }
    hdf5_use_end(use);
    if (status == PAWL_OK) {
        status = record_store_commit(r->store); // which may wait for a reader, another thread's too
    }
    if (status != PAWL_OK) {
        r->failed = status;
        return status;
    }
    (void)timespec_get(&r->flush_time, TIME_UTC);
    r->flushed += r->pending;
    r->contact_rows += r->pairs.count;
    r->event_rows += r->happenings.count;
    r->pairs.count = r->points.count = r->happenings.count = r->instants.count = 0;
    r->checkpoints++;
    r->pending = 0;
    r->published = true;
    return PAWL_OK;
}

static void write_gather(pawl_recorder *r, const pawl_step_report *report)
{
    const double values[RECORD_RESIDUAL_COUNT] = {
        [RECORD_NATURAL_SCALED] = report->residual.natural_scaled,
        [RECORD_NATURAL] = report->residual.natural,
        [RECORD_PRIMAL] = report->residual.primal,
        [RECORD_DUAL] = report->residual.dual,
        [RECORD_COMPLEMENTARITY] = report->residual.complementarity,
        [RECORD_ITERATIONS] = report->iterations,
        [RECORD_PROJECTIONS] = report->projections,
        [RECORD_CLOSURE_POSITION] = report->closure.position,
        [RECORD_CLOSURE_ROTATION] = report->closure.rotation,
        [RECORD_CLOSURE_LIMIT] = report->closure.limit,
        [RECORD_FACTORIZATIONS] = report->factorizations,
    };
    for (int k = 0; k < RECORD_RESIDUAL_COUNT; ++k) {
        r->worst[k] = isnan(values[k]) || values[k] > r->worst[k] ? values[k] : r->worst[k];
    }
    r->worst[RECORD_NOT_CONVERGED] += report->outcome == PAWL_CONVERGED ? 0.0 : 1.0;
    r->penetration = isnan(report->penetration) || report->penetration > r->penetration
                         ? report->penetration
                         : r->penetration;
}

// Events of the last step, whether a frame is due or not. A failure is sticky.
static pawl_status write_capture_events(pawl_recorder *r)
{
    int count = pawl_sim_event_count(r->sim);
    for (int k = 0; k < count && r->failed == PAWL_OK; ++k) {
        pawl_event e = pawl_sim_event(r->sim, k);
        record_event event = record_event_row(&e);
        void *what = pawl_array_push(r->env, &r->happenings, sizeof event.what);
        void *instant = pawl_array_push(r->env, &r->instants, sizeof event.instant);
        if (what == NULL || instant == NULL) {
            r->failed = PAWL_FAIL(r->env, PAWL_NO_MEMORY, "%s: no memory for the events of a step",
                                  record_store_path(r->store));
            break;
        }
        memcpy(what, event.what, sizeof event.what);
        memcpy(instant, event.instant, sizeof event.instant);
    }
    return r->failed;
}

static bool write_flush_is_due(const pawl_recorder *r)
{
    // The very first frame goes to the file at once: a full disk shows before hours of computing,
    // and an older recording under this name makes room only now.
    if (!r->published || (r->flushed + r->pending) % r->flush_frames == 0) {
        return true;
    }
    if ((size_t)r->points.count * sizeof(record_contact) > WRITE_BUFFER_BYTES ||
        (size_t)r->instants.count * sizeof(record_event) > WRITE_BUFFER_BYTES) {
        return true;
    }
    struct timespec now;
    return timespec_get(&now, TIME_UTC) != 0 &&
           now.tv_sec - r->flush_time.tv_sec >= WRITE_FLUSH_SECONDS;
}

pawl_status pawl_recorder_add(pawl_recorder *r, const pawl_step_report *report,
                              const pawl_verdict *verdict)
{
    PAWL_NEED(NULL, r);
    PAWL_NEED(r->env, verdict);
    if (r->failed != PAWL_OK) {
        return r->failed;
    }
    const pawl_state *state = pawl_sim_state(r->sim);
    int64_t step = pawl_state_step(state);
    if (step == r->last_step) {
        return PAWL_OK; // a resumed run's first call: the frame is in the file already
    }
    r->verdict = *verdict;
    PAWL_TRY(write_capture_events(r));
    if (report != NULL) {
        write_gather(r, report);
        r->energy = report->energy;
    } else {
        const pawl_step_report start = {.closure = pawl_state_closure(state)};
        write_gather(r, &start);
        r->energy = pawl_state_energy(state);
    }
    bool due = r->last_step < 0 || r->interval == 0.0 ||
               write_slot(r, pawl_state_time(state)) > r->last_slot;
    if (!due) {
        return PAWL_OK;
    }
    PAWL_TRY(write_capture(r));
    return write_flush_is_due(r) ? write_flush(r) : PAWL_OK;
}

void pawl_recorder_end(pawl_recorder *r, const pawl_verdict *verdict)
{
    if (r == NULL || verdict == NULL) {
        return;
    }
    r->verdict = *verdict;
    r->ended = true;
}

pawl_status pawl_recorder_close(pawl_recorder *r)
{
    if (r == NULL) {
        return PAWL_OK;
    }
    pawl_status status = r->failed;
    if (status == PAWL_OK && r->published) {
        if (pawl_state_step(pawl_sim_state(r->sim)) != r->last_step) {
            // the end of a run is always kept, so that a resumed one starts there
            status = write_capture(r);
        }
        if (status == PAWL_OK && (r->pending > 0 || r->ended)) {
            status = write_flush(r);
        }
        if (status == PAWL_OK) {
            status = record_store_sync(r->store);
        }
    }
    write_destroy(r);
    return status;
}
