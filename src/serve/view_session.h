// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The simulation of the viewer, in a thread of its own: pages send commands, the thread steps and publishes frames.
// The server copies published frames; a slow or closed page never delays the simulation.
#pragma once
#include "pawl/viewer.h"
#include "serve/view_message.h"

typedef struct view_session view_session;
// `wake` is called by the session's thread when there is something new. `options` and what it points to are copied as
// far as they are needed later. A model that cannot be loaded is a failure here, and a message to pages later.
pawl_status view_session_create(const pawl_env *env, const pawl_viewer_options *options,
                                void (*wake)(void *user), void *user, view_session **out);
void view_session_destroy(view_session *session); // waits for the thread; NULL is fine

// For the server's thread. False: too much was asked for at once; the page is told to wait.
bool view_session_ask(view_session *session, const view_command *command);
// What is newer than *seen, appended to `out` as one message; *seen becomes its number. False: nothing is.
bool view_session_document(view_session *session, uint32_t *seen, view_bytes *out);
bool view_session_frame(view_session *session, uint32_t *seen, view_bytes *out);
bool view_session_state(view_session *session, uint32_t *seen, view_bytes *out);
// How many pages are connected: without any, frames are not made.
void view_session_set_viewers(view_session *session, int viewers);

// What it did so far, for `/status`.
typedef struct view_counts {
    int64_t steps, frames;
    double cpu;       // of the session's thread [s]
    double frame_cpu; // of it, what frames took [s]
    double clock;     // when these were counted [s]
    double time;      // simulated, of the first pane [s]
    bool running;
} view_counts;
view_counts view_session_counts(view_session *session);
