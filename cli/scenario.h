// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What is done with a machine of the benchmark suite: rest, motion, a drop, limits, pushes. The same for every model,
// from its joints and actuators alone.
#pragma once
#include "pawl/io.h"

typedef struct scenario {
    const char *name, *summary;
} scenario;
/// NULL past the last.
const scenario *scenario_at(int i);
int scenario_find(const char *name); ///< -1: none
/// Whether it makes sense for a model: limits need limits, driving needs actuators.
bool scenario_applies(int index, const pawl_model *model);

typedef struct scenario_run {
    int index;
    pawl_sim *sim;
    uint64_t random; ///< of pushes; the same numbers for every run
} scenario_run;
/// Brings a simulation at its start to where the scenario begins.
pawl_status scenario_begin(scenario_run *run, int index, pawl_sim *sim);
/// Sets inputs for the next step.
pawl_status scenario_drive(scenario_run *run);
