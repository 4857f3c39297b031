// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The recorder, for its two files: record_begin.c opens it, record_write.c writes frames.
#pragma once
#include "base/array.h"
#include "record/record_layout.h"
#include <math.h>
#include <time.h>

enum { RECORDER_BUFFER_BYTES = 32 << 20 }; // most that pending frames may take

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
    pawl_array events, instants; // of int32_t[RECORD_EVENT_WIDTH], double[RECORD_INSTANT_WIDTH]
    int64_t event_rows;          // flushed
    unsigned char *state;        // (state_size)
};

static inline bool recorder_has_contacts(const pawl_recorder *r)
{
    return r->rows[RECORD_CONTACTS] != NULL;
}

static inline double recorder_slot(const pawl_recorder *r, double time)
{
    // The small fraction makes up for rounding in a time that is a sum of steps.
    return r->interval > 0.0 ? floor(time / r->interval + 1e-6) : 0.0;
}

// Closes what is open and frees the recorder, without writing anything.
void recorder_destroy(pawl_recorder *r);
