// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The linearized step of mdp.
#pragma once
#include "step/nmdp/nmdp.h"

// One quadratic program. False: it failed, and the state must be thrown away.
bool pawl_linear_step(nmdp *s, pawl_state *state, double end);
