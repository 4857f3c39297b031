// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The JSON documents of the viewer's pages, besides frames (docs/view-protocol.md).
#pragma once
#include "serve/view_pane.h"

// The part that changes with the model: what it consists of, which settings and actuators it has.
pawl_status view_document_model(const pawl_env *env, const pawl_model *model,
                                const pawl_settings *settings, view_bytes *out);
// The list of models to choose from. `names` (count) are paths below the gallery's folder.
pawl_status view_document_gallery(const pawl_env *env, const char *const *names, int count,
                                  view_bytes *out);

// What pages have changed or may want to know.
typedef struct view_condition {
    bool running, model_open;
    double speed;
    int pane_count;
    const view_pane *panes;
    const view_inputs *inputs;
    const char *note;      // the last message, for people; may be ""
    uint32_t note_number;  // grows with each
    const char *recording; // name of the file; "" for none
} view_condition;
pawl_status view_document_state(const pawl_env *env, const view_condition *condition,
                                view_bytes *out);
