// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What steppers need of a set of contact points beyond pawl/wrench.h.
#pragma once
#include "model/model.h"

// Friction as the model has it now: a live model may scale it (live_model.h). Does nothing where it is the same.
void pawl_wrench_set_follow(pawl_wrench_set *set, const pawl_model *model);
