// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A step of moreau, and the fallback of other steppers.
#pragma once
#include "step/common/step.h"

// Advances s by settings->dt.
void pawl_moreau_step(step_context *c, pawl_state *s, pawl_step_report *report);
