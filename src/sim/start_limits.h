// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Joints within their limits, before loops are closed.
#pragma once
#include "model/state.h"

// Moves hinges and slides of s that are beyond a limit within it, each with all bodies behind it, along a spanning
// tree of the joints. Joints that close loops may open by it. Returns how many were moved in *moved.
pawl_status pawl_start_within_limits(const pawl_env *env, pawl_state *s, int *moved);
