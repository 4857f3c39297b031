// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One model with one of everything, for what must hold for all models: no allocation in a step,
// saving and loading, running out of memory, the same bits.
#pragma once
#include "pawl/sim.h"

// Fills the environment's model, or returns the first status that is not PAWL_OK.
pawl_status everything_build(const pawl_env *env, pawl_model **out);
