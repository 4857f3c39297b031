// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The contact problems of a run as FCLib files, so that others' solvers can be tried on them.
#pragma once
#include "console.h"
#include "pawl/sim.h"

typedef struct problem_export {
    const char *folder; ///< NULL: nothing is exported
    int every;          ///< steps between problems, from the first step on; 0: every step
    int written, fixed; ///< files; those of them in which rows were held
} problem_export;

/// Makes the folder unless it is there. False when it cannot be written to; the message is printed.
bool problem_export_begin(console *con, const problem_export *e);
/// Before a step: whether its problem is to be kept.
void problem_export_before(const problem_export *e, pawl_sim *sim);
/// After a step: writes what was kept. False when it could not; the message has been printed.
bool problem_export_after(console *con, problem_export *e, const pawl_sim *sim);
void problem_export_end(console *con, const problem_export *e); ///< says what was done
