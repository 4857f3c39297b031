// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The published way to find where the block comes to rest, beside the stepper's own.
#pragma once
#include "lit_setup.h"

/// What acts on the block along its way, for a mass of 1 kg.
typedef struct lit_block_forces {
    double (*push)(double t); ///< [N]
    double friction;          ///< while it slides [N]
} lit_block_forces;

/// Runs the block by scheme I to time `end`; where it comes to rest the step is cut as section 7.5
/// says. Writes its position at the end.
pawl_status lit_block_published(experiment_run *run, const pawl_model *model,
                                const lit_block_forces *forces, double h, double end, double *x);
