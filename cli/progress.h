// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The bar that shows how far a run is, on a terminal only.
#pragma once
#include <stdint.h>

#include "console.h"

typedef struct progress {
    console *con;
    bool enabled;
    bool utf8;
    int64_t first_step, last_step; ///< of this run; a resumed one does not begin at 0
    double end_time;               ///< simulated [s]
    double begun, drawn;           ///< by timing_now()
} progress;

/// Shows nothing unless stderr is a terminal that can redraw a line, and the console is not quiet.
progress progress_begin(console *con, int64_t first_step, int64_t last_step, double end_time);
/// Draws when a tenth of a second has passed since the last time. `now` is timing_now().
void progress_update(progress *p, double now, int64_t step, double time, double residual);
/// The same for work that is not steps of one run: the step counts, `doing` says what it is.
void progress_update_work(progress *p, double now, int64_t step, const char *doing);
void progress_end(progress *p); ///< removes the bar
