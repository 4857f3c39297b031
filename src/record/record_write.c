// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Records frames. Frames are collected in memory, sized at creation. Every `flush_frames` frames are written to HDF5,
// one write per series, together with the saved state and the verdict, and one commit of the store makes all of this
// the content of the file. Frames, state and verdict in a file are therefore always consistent, even if the process
// is killed. HDF5 allocates in a flush; between flushes nothing is allocated.
#include "base/guard.h"
#include "record/recorder.h"
#include <string.h>

enum { WRITE_FLUSH_SECONDS = 5 }; // a slow run flushes more often than every flush_frames

// The contacts of the last step, as rows of the tables, and the figures of a frame.
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
            pawl_pose p = pawl_state_pose(state, pawl_model_body_at(pawl_state_model(state), b));
            const double values[7] = {p.position.x,    p.position.y,    p.position.z,
                                      p.orientation.w, p.orientation.x, p.orientation.y,
                                      p.orientation.z};
            memcpy(row[RECORD_POSE] + 7 * b, values, sizeof values);
        }
        if (row[RECORD_TWIST] != NULL) {
            pawl_twist t = pawl_state_twist(state, pawl_model_body_at(pawl_state_model(state), b));
            const double values[6] = {t.linear.x,  t.linear.y,  t.linear.z,
                                      t.angular.x, t.angular.y, t.angular.z};
            memcpy(row[RECORD_TWIST] + 6 * b, values, sizeof values);
        }
    }
    for (int j = 0, c = 0; j < r->counts.joints; ++j) {
        int n =
            pawl_model_joint(pawl_sim_model(r->sim), pawl_model_joint_at(pawl_sim_model(r->sim), j))
                .coordinate_count;
        double position[6], rate[6];
        if (n > 0 && (row[RECORD_POSITION] != NULL || row[RECORD_RATE] != NULL)) {
            pawl_state_joint(state, pawl_model_joint_at(pawl_state_model(state), j), position,
                             rate);
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
            pawl_sim_joint_reaction(r->sim, pawl_model_joint_at(pawl_sim_model(r->sim), j), &f, &t);
            const double values[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
            memcpy(row[RECORD_REACTION] + 6 * j, values, sizeof values);
        }
    }
    for (int a = 0; row[RECORD_EFFORT] != NULL && a < r->counts.actuators; ++a) {
        row[RECORD_EFFORT][a] =
            pawl_sim_actuator_effort(r->sim, pawl_model_actuator_at(pawl_sim_model(r->sim), a));
    }
    if (row[RECORD_ENERGY] != NULL) {
        record_energy_row(&r->energy, row[RECORD_ENERGY]);
    }
    if (row[RECORD_RESIDUALS] != NULL) {
        memcpy(row[RECORD_RESIDUALS], r->worst, sizeof r->worst);
    }
    if (recorder_has_contacts(r)) {
        r->failed = write_capture_contacts(r, row[RECORD_CONTACTS]);
        PAWL_TRY(r->failed);
    }
    memset(r->worst, 0, sizeof r->worst);
    r->last_step = r->steps[at];
    r->last_slot = recorder_slot(r, pawl_state_time(state));
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
    const pawl_array *rows[RECORD_TABLE_COUNT] = {&r->pairs, &r->points, &r->events, &r->instants};
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
    int64_t events[RECORD_CHECK_EVENTS_WIDTH] = {r->event_rows + r->events.count};
    memcpy(events + 1, r->verdict.events, (size_t)PAWL_EVENT_KIND_COUNT * sizeof *events);
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
    r->event_rows += r->events.count;
    r->pairs.count = r->points.count = r->events.count = r->instants.count = 0;
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
        void *what = pawl_array_push(r->env, &r->events, sizeof event.what);
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
    if ((size_t)r->points.count * sizeof(record_contact) > RECORDER_BUFFER_BYTES ||
        (size_t)r->instants.count * sizeof(record_event) > RECORDER_BUFFER_BYTES) {
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
               recorder_slot(r, pawl_state_time(state)) > r->last_slot;
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
    recorder_destroy(r);
    return status;
}
