// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The result of a motion file: a table for each actuator.
#pragma once
#include "base/env.h"
#include "pawl/keyframes.h"

// Keys as they were read, one after the other.
typedef struct keyframe_rows {
    int count, actuator_count;
    const double *times;  // (count)
    const double *values; // (count x actuator_count)
    const bool *moved;    // (actuator_count)
    pawl_interpolation between;
    int loop_end; // what follows this key repeats for ever; -1: nothing does
    int start_count;
    const pawl_joint_start *starts; // (start_count) joints that begin elsewhere than the model says
} keyframe_rows;
pawl_status keyframe_tables_make(const pawl_env *env, const keyframe_rows *rows,
                                 pawl_keyframes **out);
