// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The messages between the viewer's server and its pages, version 1 (docs/view-protocol.md). Everything is little
// endian. Messages of pages are treated as hostile: view_message_read() checks all lengths, ranges and numbers.
#pragma once
#include "pawl/base.h"

enum {
    VIEW_VERSION = 1,
    VIEW_MOST_BYTES = 1024, // of a message from a page
    VIEW_MOST_TEXT = 255,
    VIEW_PANES = 2,
    VIEW_FIGURES = 12,      // of a pane in a frame: view_figure
    VIEW_FRAME_HEAD = 32,   // bytes before the panes
    VIEW_PANE_HEAD = 24,    // bytes of a pane before its figures
    VIEW_CONTACT_BYTES = 52 // of a contact in a frame
};
#define VIEW_SUBPROTOCOL "pawl-view-1"

// What a page asks for. Values are on the wire: append, never renumber.
typedef enum view_command_kind {
    VIEW_RUN = 1,      // u32 on
    VIEW_STEP,         // u32 count
    VIEW_SPEED,        // f64; 0: as fast as it can
    VIEW_RESET,        //
    VIEW_SET,          // u8 length, u8 length, key, value
    VIEW_GRAB,         // u32 body, f32 point in the body (3), f32 target in the world (3)
    VIEW_RELEASE,      //
    VIEW_TARGET,       // u32 actuator, f64 value
    VIEW_CLEAR_TARGET, // u32 actuator
    VIEW_FRICTION,     // f64 factor
    VIEW_GRAVITY,      // f64 (3)
    VIEW_RECORD,       // u32 on
    VIEW_COMPARE,      // u32 on
    VIEW_OPEN,         // u32 number of a model in the gallery; all bits: back to the gallery
    VIEW_RATE,         // u32 frames a second, for this page alone
    VIEW_GAINS,        // u32 actuator, f64 stiffness, f64 damping
    VIEW_CLEAR_INPUTS, //
    VIEW_DRAWN,        // u32 how many frames this page has shown so far
    VIEW_COMMAND_COUNT
} view_command_kind;

typedef struct view_command {
    view_command_kind kind;
    unsigned panes; // bit p: it is for pane p
    uint32_t index; // body, actuator, model, count, rate or whether on
    double value[6];
    char key[VIEW_MOST_TEXT + 1], text[VIEW_MOST_TEXT + 1];
} view_command;

// Takes a message apart. False, and *out is of zeros: it is none of ours. `bytes` may be NULL where size is 0.
bool view_message_read(const void *bytes, size_t size, view_command *out);

// Kinds of messages to a page, in their first byte.
enum { VIEW_DOCUMENT = 1, VIEW_FRAME, VIEW_STATE };

typedef enum view_figure {
    VIEW_KINETIC = 0, // [J]
    VIEW_POTENTIAL,   // of gravity and springs [J]
    VIEW_BALANCE,     // energy that is not explained [J]
    VIEW_RESIDUAL,    // [m/s]
    VIEW_CLOSURE,     // [m]
    VIEW_PENETRATION, // [m]
    VIEW_ITERATIONS,
    VIEW_CONTACTS,
    VIEW_STEP_TIME, // of the processor a step [s]
    VIEW_REAL_TIME, // simulated over passed time
    VIEW_DRAG,      // force of the spring that a page pulls with [N]
    VIEW_UNSOLVED   // steps since the start that missed their tolerance
} view_figure;

// A growing message. After a failure for want of memory additions do nothing, and `failed` says so.
typedef struct view_bytes {
    const pawl_env *env;
    unsigned char *data;
    size_t size, capacity;
    bool failed;
} view_bytes;
// Room for `more` bytes at the end, which count as written; NULL without memory.
unsigned char *view_bytes_extend(view_bytes *bytes, size_t more);
void view_put_u32(view_bytes *bytes, uint32_t value);
void view_set_u32(view_bytes *bytes, size_t at, uint32_t value); // in place of what is there
void view_put_f32(view_bytes *bytes, double value);
void view_put_f32s(view_bytes *bytes, const float *values, size_t count);
void view_put_f64(view_bytes *bytes, double value);
void view_put_text(view_bytes *bytes, const char *text, size_t size);
void view_bytes_free(view_bytes *bytes);
