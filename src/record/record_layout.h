// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The layout of a recording, shared by its writer, its reader and the report; docs/recording.md describes it for
// users.
#pragma once
#include "base/env.h"
#include "hdf5/hdf5_use.h"
#include "pawl/io.h"
#include "record/record_driver.h"

#define RECORD_FORMAT 6        // raised when an older reader would misread the file
#define RECORD_FORMAT_READ 3   // the oldest that is still read: without events
#define RECORD_FORMAT_EVENTS 4 // the first with events

typedef struct record_counts {
    int bodies, joints, coordinates, actuators, shapes, springs;
    int colliders; // shapes that can touch others
} record_counts;

// What grows with time, one row a frame.
typedef enum record_series {
    RECORD_TIME = 0,
    RECORD_STEP, // int64; all others are doubles
    RECORD_POSE,
    RECORD_TWIST,
    RECORD_POSITION,
    RECORD_RATE,
    RECORD_REACTION,
    RECORD_EFFORT,
    RECORD_ENERGY,
    RECORD_RESIDUALS,
    RECORD_CONTACTS,
    RECORD_SERIES_COUNT
} record_series;
typedef struct record_series_info {
    const char *path;
    unsigned trace;      // the PAWL_TRACE_* that asks for it; 0: always there
    int rank;            // with the frames
    const char *columns; // names of the last dimension, separated by spaces; NULL: none
    const char *unit;
} record_series_info;
extern const record_series_info record_series_table[RECORD_SERIES_COUNT];
// Dimensions after the first; returns their product, 0 when the series is not recorded.
size_t record_series_shape(record_series series, const record_counts *counts, unsigned trace,
                           hsize_t dims[2]);

// Columns of /residuals. Each holds the worst of the steps since the frame before.
enum {
    RECORD_NATURAL_SCALED = 0,
    RECORD_NATURAL,
    RECORD_PRIMAL,
    RECORD_DUAL,
    RECORD_COMPLEMENTARITY,
    RECORD_ITERATIONS,
    RECORD_PROJECTIONS,
    RECORD_NOT_CONVERGED, // how many of the steps
    RECORD_CLOSURE_POSITION,
    RECORD_CLOSURE_ROTATION,
    RECORD_CLOSURE_LIMIT,
    RECORD_FACTORIZATIONS,
    RECORD_RESIDUAL_COUNT
};
// Columns of /energy, in the order of pawl_energy.
enum { RECORD_ENERGY_COUNT = 11 };
void record_energy_row(const pawl_energy *energy, double row[RECORD_ENERGY_COUNT]);

// Columns of /contact/frame.
enum {
    RECORD_CONTACT_FIRST = 0,   // row of the tables at which the frame's contacts begin
    RECORD_CONTACT_ROWS,        // how many the frame has
    RECORD_CONTACT_PENETRATION, // worst of the steps since the frame before
    RECORD_CONTACT_FORCE,       // sum of the normal forces
    RECORD_CONTACT_COUNT
};
// A frame has as many contacts as it has, so they are rows of two tables of their own that grow by
// the frame: whole numbers in one, figures in the other. So do events, which need not wait for a frame.
enum {
    RECORD_TABLE_PAIR = 0,
    RECORD_TABLE_POINT,
    RECORD_TABLE_EVENT,
    RECORD_TABLE_INSTANT,
    RECORD_TABLE_COUNT,
    RECORD_CONTACT_TABLES = RECORD_TABLE_EVENT // the first two
};
typedef struct record_table_info {
    const char *path;
    int width;
    bool whole; // int32; else doubles
    const char *columns, *unit;
} record_table_info;
extern const record_table_info record_table_info_of[RECORD_TABLE_COUNT];
enum {
    RECORD_PAIR_WIDTH = 5,
    RECORD_POINT_WIDTH = 10,
    RECORD_EVENT_WIDTH = 5,
    RECORD_INSTANT_WIDTH = 2
};
typedef struct record_event {
    int32_t what[RECORD_EVENT_WIDTH];     // kind, shape a, shape b, joint, coordinate
    double instant[RECORD_INSTANT_WIDTH]; // time, figure
} record_event;
record_event record_event_row(const pawl_event *event);
// An event as a file has it, by indices: there is no model whose ids they could be. -1: none.
typedef struct recorded_event {
    double time;
    pawl_event_kind kind;
    int shape_a, shape_b, joint, coordinate;
    double figure;
} recorded_event;
recorded_event record_event_of_row(const int32_t what[RECORD_EVENT_WIDTH],
                                   const double instant[RECORD_INSTANT_WIDTH]);
typedef struct record_contact {
    int32_t pair[RECORD_PAIR_WIDTH];  // body a, body b, shape a, shape b, mode
    double point[RECORD_POINT_WIDTH]; // position, normal, force, gap
} record_contact;
record_contact record_contact_row(const pawl_contact_info *contact);

// Rows of /checkpoint, one a flush: how many frames it covers, the saved state, the verdict.
enum {
    RECORD_CHECK_FRAMES = 0,
    RECORD_CHECK_STATE,
    RECORD_CHECK_COUNTS,
    RECORD_CHECK_FIGURES,
    RECORD_CHECK_EVENTS, // rows of the event tables, then how many events of each kind the run had
    RECORD_CHECK_COUNT
};
enum { RECORD_CHECK_EVENTS_WIDTH = 1 + PAWL_EVENT_KIND_COUNT };
extern const char record_check_event_columns[];
extern const char *const record_check_paths[RECORD_CHECK_COUNT];
// Columns of the verdict, record_verdict.c; and how many there were before format 5.
enum {
    RECORD_VERDICT_COUNTS = 44,
    RECORD_VERDICT_FIGURES = 58,
    RECORD_VERDICT_COUNTS_OLD = 23,
    RECORD_VERDICT_FIGURES_OLD = 13
};
// Gives the ids of a verdict the tags of a model.
void record_verdict_of_model(pawl_verdict *verdict, const pawl_model *model);
const char *record_verdict_column(bool figures, int column); // its name
void record_verdict_pack(const pawl_verdict *verdict, int64_t counts[RECORD_VERDICT_COUNTS],
                         double figures[RECORD_VERDICT_FIGURES]);
// From the first columns, as many as a file has. False: a number that is none of ours.
// Its ids have indices and no tags, see record_verdict_of_model().
bool record_verdict_unpack(pawl_verdict *verdict, const int64_t *counts, int count_width,
                           const double *figures, int figure_width);

// All settings as "key=value" lines; returns the length without the ending zero, like snprintf.
size_t record_settings_text(const pawl_settings *settings, char *text, size_t size);

// One log line: what was tried on the file and the root of HDF5's error stack. Returns `status`, or
// PAWL_NO_MEMORY when that is what lies beneath.
pawl_status record_h5_fail(const record_store *store, pawl_status status, const char *tried);

// What a recording says of a joint.
typedef struct record_joint {
    const char *name;
    pawl_joint_kind kind;
    int base, follower;
    pawl_pose base_frame, follower_frame;
    int first_coordinate, coordinate_count;
} record_joint;
typedef struct record_body {
    const char *name;
    pawl_vec3 com;
    double mass;
} record_body;
typedef struct record_spring {
    int body_a, body_b;
    pawl_vec3 point_a, point_b;
} record_spring;

struct pawl_record {
    const pawl_env *env;
    record_store *store;
    record_driver driver;
    hid_t file; // of the driver
    int format;
    int64_t frames; // that a checkpoint covers
    int64_t checkpoints;
    int64_t last_step;    // of the last of these frames
    int64_t contact_rows; // of the contact tables, that these frames have
    int64_t event_rows;   // of the event tables, up to the last of these frames
    record_counts counts;
    unsigned trace;
    double interval;
    int flush_frames;
    uint64_t model_hash;
    bool verdict_whole; // it has all columns of this version's verdict
    size_t state_size;
    pawl_vec3 gravity;
    pawl_settings settings;
    pawl_verdict verdict;
    char *model_name, *model_path, *pawl_version, *settings_text;
    char *motion_path; // NULL: the run played no motion file
    record_body *bodies;
    record_joint *joints;
    pawl_shape_info *shapes;
    record_spring *springs;
    char *body_names, *joint_names; // blocks that the names above point into
    size_t body_names_size, joint_names_size;
    pawl_vec3 *hull_points; // that the shapes above point into
    int hull_point_count;
    int *mesh_corners; // likewise
    int mesh_triangle_count;
    pawl_heightfield_def *fields; // without names
    int field_count;
    double *field_heights; // that the fields point into
    size_t field_height_count;
};
// As pawl_record_open(), and for a recorder that continues in the file, which takes over `store` and
// `file` by setting them to NULL and H5I_INVALID_HID.
pawl_status record_open(const pawl_env *env, const char *path, bool writable, pawl_record **out);
// `count` rows from row `first`, which the caller keeps within frames. The series must be recorded.
pawl_status record_read_rows(const pawl_record *record, record_series series, int64_t first,
                             int64_t count, double *out);
bool record_has(const pawl_record *record, record_series series);
// Rows of a table as doubles, whole numbers too; nothing is checked.
pawl_status record_read_table(const pawl_record *record, int table, int64_t first, int64_t count,
                              double *out);
// `count` rows of the contact tables from row `first`, which the caller keeps within contact_rows:
// (count x RECORD_PAIR_WIDTH) and (count x RECORD_POINT_WIDTH). Bodies, shapes and modes are valid.
pawl_status record_read_contacts(const pawl_record *record, int64_t first, int64_t count,
                                 int32_t *pairs, double *points);
// Likewise of the event tables: `count` events from row `first`, within event_rows. What they name is
// valid, times are finite.
pawl_status record_read_events(const pawl_record *record, int64_t first, int count,
                               recorded_event *events);
