// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Moving thumbnails of the gallery: each model is run for a moment when a page first asks for it, by a thread of its
// own, and kept.
#pragma once
#include "pawl/page.h"
#include "pawl/viewer.h"

typedef struct view_thumbs view_thumbs;
pawl_status view_thumbs_create(const pawl_env *env, const pawl_viewer_options *options,
                               view_thumbs **out);
void view_thumbs_destroy(view_thumbs *thumbs); // waits for the thread; NULL is fine

typedef enum view_thumb_state {
    VIEW_THUMB_NONE = 0,
    VIEW_THUMB_ASKED,
    VIEW_THUMB_READY,
    VIEW_THUMB_FAILED
} view_thumb_state;
// Asks for a thumbnail if it is not there. `out` borrows the document of one that is ready, which then stays.
view_thumb_state view_thumbs_get(view_thumbs *thumbs, int index, pawl_string *out);
