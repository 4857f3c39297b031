// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The constant part of a recording: settings, names, joints, shapes. Written when it is created (record_model.c),
// read when it is opened (record_describe.c).
#pragma once
#include "record/record_layout.h"

typedef struct record_model_head {
    unsigned trace;
    double interval;
    int flush_frames;
    const char *model_path;  // may be NULL
    const char *motion_path; // NULL or "": none
} record_model_head;
// `store` is the one beneath `file`.
pawl_status record_model_write(const pawl_env *env, hid_t file, const record_store *store,
                               const pawl_sim *sim, const record_counts *counts,
                               const record_model_head *head);
// Fills bodies, joints, shapes and springs of a record whose counts are known.
pawl_status record_model_read(pawl_record *record);
// A text attribute of a file, a group or a dataset.
bool record_model_text(hid_t object, const char *name, const char *text);

// For both readers. The first two log why the file is refused and return PAWL_BAD_FILE.
pawl_status record_bad(const pawl_record *record, const char *what);
pawl_status record_bad_h5(const pawl_record *record, const char *what);
// Opens a dataset if it has this rank and these inner dimensions; the first one goes to *rows.
hid_t record_open_set(const pawl_record *record, const char *path, int rank, const hsize_t inner[2],
                      hsize_t *rows);
bool record_set_is(hid_t set, H5T_class_t class);
bool record_finite(const double *values, size_t count);
