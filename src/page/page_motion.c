// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A recorded motion as JSON for the player in web/: names, shapes and joints as text, series as little-endian numbers
// in base64 (docs/player.md). A page is one file that people send each other, so the arrays have a budget: frames are
// dropped evenly until poses and contacts fit.
#include "page/page_motion.h"
#include "page/page_json.h"
#include "page/page_scene.h"
#include "pawl/contact.h"
#include "pawl/page.h"
#include <math.h>
#include <string.h>

enum {
    MOTION_FORMAT = 1,
    MOTION_MOST_FRAMES = 6000,
    MOTION_MOST_POSE_BYTES = 7 << 19, // and gaps of joints
    MOTION_MOST_CONTACTS = 40000,     // of 44 bytes each
    MOTION_MOST_EVENTS = 400,
    MOTION_BLOCK = 512,            // frames read at a time
    MOTION_WINDOW = 256,           // contacts, likewise
    MOTION_BLOCK_NUMBERS = 1 << 19 // of poses, likewise
};

static pawl_status motion_events(report_text *page, const pawl_record *record)
{
    recorded_event events[MOTION_MOST_EVENTS];
    int count =
        record->event_rows < MOTION_MOST_EVENTS ? (int)record->event_rows : MOTION_MOST_EVENTS;
    if (count > 0) {
        PAWL_TRY(record_read_events(record, 0, count, events));
    }
    report_add_plain(page, ",\"events\":[");
    for (int i = 0; i < count; ++i) {
        report_add(page, "%s{\"time\":%.9g,\"text\":\"%s\"}", i > 0 ? "," : "", events[i].time,
                   pawl_event_kind_name(events[i].kind));
    }
    report_add_plain(page, "]");
    return PAWL_OK;
}

// ---- What grows with time ---------------------------------------------------------------------------

// Rows that are kept: every `step`-th frame, and the last one.
typedef struct motion_thinning {
    int64_t frames, step;
    int count;
} motion_thinning;

static motion_thinning motion_thin(const pawl_record *record)
{
    size_t bytes =
        ((size_t)record->counts.bodies * 7 + (size_t)record->counts.joints) * sizeof(float);
    int64_t most = bytes > 0 ? (int64_t)(MOTION_MOST_POSE_BYTES / bytes) : MOTION_MOST_FRAMES;
    most = most > MOTION_MOST_FRAMES ? MOTION_MOST_FRAMES : most < 2 ? 2 : most;
    if (record->contact_rows > MOTION_MOST_CONTACTS) {
        int64_t fit = record->frames * MOTION_MOST_CONTACTS / record->contact_rows;
        most = fit < most ? fit : most;
        most = most < 2 ? 2 : most;
    }
    motion_thinning t = {.frames = record->frames};
    t.step = (record->frames + most - 1) / most;
    t.step = t.step < 1 ? 1 : t.step;
    t.count = (int)((record->frames - 1 + t.step - 1) / t.step) + 1;
    return t;
}

static int64_t motion_frame(const motion_thinning *t, int i)
{
    int64_t frame = i * t->step;
    return frame < t->frames - 1 ? frame : t->frames - 1;
}

typedef struct motion_buffers {
    double *rows_read; // poses of MOTION_BLOCK frames or fewer
    double *time;
    float *poses, *point, *gaps;
    int16_t *normal;
    uint32_t *start;
    int32_t *pair;
    int rows, capacity; // contacts
    int block;          // frames that are read at a time
    int64_t window_first;
    int window_count; // rows of the contact tables that are at hand
    int32_t window_pairs[MOTION_WINDOW * RECORD_PAIR_WIDTH];
    double window_points[MOTION_WINDOW * RECORD_POINT_WIDTH];
} motion_buffers;

// The coefficient of a contact, for its cone; 0 where no shapes say.
static double motion_friction(const pawl_record *record, const int32_t *pair)
{
    if (pair[2] < 0 || pair[3] < 0) {
        return 0.0;
    }
    double mu = pawl_pair_combine(record->settings.contact.friction_rule,
                                  record->shapes[pair[2]].def.friction,
                                  record->shapes[pair[3]].def.friction);
    return isfinite(mu) && mu > 0.0 ? mu : 0.0;
}

// How far the two sides of each joint are apart, from the poses of a frame.
static void motion_gaps(const pawl_record *record, const double *row, float *gaps)
{
    for (int j = 0; j < record->counts.joints; ++j) {
        const record_joint *joint = &record->joints[j];
        pawl_pose sides[2] = {joint->base_frame, joint->follower_frame};
        const int owners[2] = {joint->base, joint->follower};
        for (int k = 0; k < 2; ++k) {
            if (owners[k] >= 0) {
                const double *p = row + 7 * (size_t)owners[k];
                pawl_pose pose = {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
                sides[k] = pawl_pose_compose(pose, sides[k]);
            }
        }
        gaps[j] = (float)pawl_joint_gap(joint->kind, sides[0], sides[1]);
    }
}

// One row of the contact tables, if it presses: open contacts say nothing to the eye.
static void motion_contact(const pawl_record *record, motion_buffers *b, const int32_t *pair,
                           const double *point)
{
    if (pair[4] == PAWL_CONTACT_OPEN || b->rows >= b->capacity) {
        return;
    }
    const int32_t kept[3] = {pair[0], pair[1], pair[4]};
    memcpy(b->pair + 3 * (size_t)b->rows, kept, sizeof kept);
    for (int k = 0; k < 3; ++k) { // position, and the force after the normal
        b->point[6 * (size_t)b->rows + (size_t)k] = (float)point[k];
        b->point[6 * (size_t)b->rows + 3 + (size_t)k] = (float)point[6 + k];
    }
    int16_t *normal = b->normal + 4 * (size_t)b->rows;
    for (int k = 0; k < 3; ++k) {
        normal[k] = (int16_t)lrint(32767.0 * fmax(-1.0, fmin(1.0, point[3 + k])));
    }
    normal[3] = (int16_t)lrint(1000.0 * fmin(motion_friction(record, pair), 32.0));
    b->rows++;
}

// The contacts of a frame, through a window of the contact tables that moves along with the frames.
static pawl_status motion_contacts(const pawl_record *record, const double *head, motion_buffers *b)
{
    int64_t first = (int64_t)head[RECORD_CONTACT_FIRST];
    int64_t end = first + (int64_t)head[RECORD_CONTACT_ROWS];
    end = end < record->contact_rows ? end : record->contact_rows;
    for (int64_t i = first; i < end; ++i) {
        if (i < b->window_first || i >= b->window_first + b->window_count) {
            int64_t left = record->contact_rows - i;
            b->window_first = i;
            b->window_count = left < MOTION_WINDOW ? (int)left : MOTION_WINDOW;
            PAWL_TRY(record_read_contacts(record, i, b->window_count, b->window_pairs,
                                          b->window_points));
        }
        int64_t at = i - b->window_first;
        motion_contact(record, b, b->window_pairs + RECORD_PAIR_WIDTH * at,
                       b->window_points + RECORD_POINT_WIDTH * at);
    }
    return PAWL_OK;
}

// Frames of one block of the recording, of which every step-th and the last are kept. A block at a time, because each
// call of HDF5 costs more than the numbers it brings.
static pawl_status motion_read_block(const pawl_record *record, const motion_thinning *t,
                                     motion_buffers *b, int64_t first, int count, int *kept)
{
    size_t width = 7 * (size_t)record->counts.bodies;
    bool touches = record_has(record, RECORD_CONTACTS) && record->contact_rows > 0;
    double times[MOTION_BLOCK], heads[MOTION_BLOCK * RECORD_CONTACT_COUNT];
    if (touches) {
        PAWL_TRY(record_read_rows(record, RECORD_CONTACTS, first, count, heads));
    }
    PAWL_TRY(record_read_rows(record, RECORD_TIME, first, count, times));
    PAWL_TRY(record_read_rows(record, RECORD_POSE, first, count, b->rows_read));
    for (int i = 0; i < count; ++i) {
        if (first + i != motion_frame(t, *kept)) {
            continue;
        }
        const double *row = b->rows_read + (size_t)i * width;
        float *poses = b->poses + (size_t)*kept * width;
        for (size_t k = 0; k < width; ++k) {
            poses[k] = isfinite(row[k]) ? (float)row[k] : 0.0f;
        }
        motion_gaps(record, row, b->gaps + (size_t)*kept * (size_t)record->counts.joints);
        b->time[*kept] = times[i];
        b->start[*kept] = (uint32_t)b->rows;
        if (touches) {
            PAWL_TRY(motion_contacts(record, heads + RECORD_CONTACT_COUNT * i, b));
        }
        ++*kept;
    }
    return PAWL_OK;
}

static pawl_status motion_read(const pawl_record *record, const motion_thinning *t,
                               motion_buffers *b)
{
    int kept = 0;
    for (int64_t first = 0; first < t->frames && kept < t->count; first += b->block) {
        int64_t left = t->frames - first;
        int count = left < b->block ? (int)left : b->block;
        PAWL_TRY(motion_read_block(record, t, b, first, count, &kept));
    }
    b->start[t->count] = (uint32_t)b->rows;
    return PAWL_OK;
}

static void motion_write_series(report_text *page, const pawl_record *record,
                                const motion_thinning *t, const motion_buffers *b)
{
    size_t n = (size_t)t->count, rows = (size_t)b->rows, joints = (size_t)record->counts.joints;
    const struct {
        const char *key;
        const void *data;
        size_t size;
    } arrays[] = {
        {"time", b->time, n * sizeof *b->time},
        {"poses", b->poses, n * 7 * (size_t)record->counts.bodies * sizeof *b->poses},
        {"gaps", b->gaps, n * joints * sizeof *b->gaps},
        {"contact_start", b->start, (n + 1) * sizeof *b->start},
        {"contact_pair", b->pair, 3 * rows * sizeof *b->pair},
        {"contact_point", b->point, 6 * rows * sizeof *b->point},
        {"contact_normal", b->normal, 4 * rows * sizeof *b->normal},
    };
    report_add(page, ",\"frames\":%d,\"recorded\":%lld,\"joint_count\":%d", t->count,
               (long long)t->frames, record->counts.joints);
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        report_add(page, ",\"%s\":", arrays[k].key);
        page_json_base64(page, arrays[k].data, arrays[k].size);
    }
}

static pawl_status motion_series(report_text *page, const pawl_record *record)
{
    motion_thinning t = motion_thin(record);
    size_t width = 7 * (size_t)record->counts.bodies, n = (size_t)t.count;
    int capacity = record->contact_rows < 2 * MOTION_MOST_CONTACTS ? (int)record->contact_rows
                                                                   : 2 * MOTION_MOST_CONTACTS;
    size_t room = (size_t)(capacity > 0 ? capacity : 1);
    int block = width > 0 && MOTION_BLOCK_NUMBERS / width < MOTION_BLOCK
                    ? (int)(MOTION_BLOCK_NUMBERS / width) + 1
                    : MOTION_BLOCK;
    size_t sizes[] = {((size_t)block * width + 1) * sizeof(double),
                      n * sizeof(double),
                      n * width * sizeof(float) + 4,
                      6 * room * sizeof(float),
                      (n + 1) * sizeof(uint32_t),
                      3 * room * sizeof(int32_t),
                      n * (size_t)record->counts.joints * sizeof(float) + 4,
                      4 * room * sizeof(int16_t)};
    enum { BLOCKS = sizeof sizes / sizeof sizes[0] };
    void *blocks[BLOCKS] = {NULL};
    pawl_status status = PAWL_OK;
    for (int k = 0; k < BLOCKS && status == PAWL_OK; ++k) {
        blocks[k] = pawl_alloc(record->env, sizes[k]);
        status = blocks[k] != NULL
                     ? PAWL_OK
                     : PAWL_FAIL(record->env, PAWL_NO_MEMORY, "no memory for a motion");
    }
    motion_buffers b = {.rows_read = blocks[0],
                        .block = block,
                        .time = blocks[1],
                        .poses = blocks[2],
                        .point = blocks[3],
                        .start = blocks[4],
                        .pair = blocks[5],
                        .gaps = blocks[6],
                        .normal = blocks[7],
                        .capacity = capacity};
    status = status == PAWL_OK ? motion_read(record, &t, &b) : status;
    if (status == PAWL_OK) {
        motion_write_series(page, record, &t, &b);
    }
    for (int k = 0; k < BLOCKS; ++k) {
        pawl_free(record->env, blocks[k], sizes[k]);
    }
    return status;
}

pawl_status page_motion_document(report_text *page, const pawl_record *record)
{
    page_scene scene = page_scene_of_record(record);
    report_add(page, "{\"format\":%d,", MOTION_FORMAT);
    PAWL_TRY(page_scene_write(page, &scene));
    PAWL_TRY(motion_events(page, record));
    PAWL_TRY(motion_series(page, record));
    report_add_plain(page, "}");
    return PAWL_OK;
}
