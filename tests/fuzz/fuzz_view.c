// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile messages for the viewer: what is taken keeps the promises that the session relies on.
#include "serve/view_message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    view_command c;
    bool good = view_message_read(data, size, &c);
    if (good != (c.kind > 0 && c.kind < VIEW_COMMAND_COUNT)) {
        abort();
    }
    if (!good) {
        return 0;
    }
    if (size > VIEW_MOST_BYTES || c.panes == 0 || c.panes >= 1U << VIEW_PANES ||
        strlen(c.key) > VIEW_MOST_TEXT || strlen(c.text) > VIEW_MOST_TEXT) {
        abort();
    }
    for (int i = 0; i < 6; ++i) {
        if (!isfinite(c.value[i])) {
            abort();
        }
    }
    if ((c.kind == VIEW_SPEED || c.kind == VIEW_FRICTION || c.kind == VIEW_GAINS) &&
        !(c.value[0] >= 0.0 && c.value[1] >= 0.0)) {
        abort();
    }
    return 0;
}
