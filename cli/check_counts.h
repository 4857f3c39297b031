// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Counts that characterize a machine before any configuration is looked at: the columns of Table II of the loops paper.
#pragma once
#include "pawl/model.h"

/// Coordinates are those of the joints and six for every group of bodies that no joint ties to the world.
typedef struct check_counts {
    int free_bases;    ///< groups of bodies that no joint ties to the world
    int coordinates;   ///< of all joints, and of the free bases
    int actuated;      ///< coordinates with an actuator
    double mass_ratio; ///< of the heaviest to the lightest body; 1 without bodies that have a mass
} check_counts;

check_counts check_counts_make(const pawl_model *model);
