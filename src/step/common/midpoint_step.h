// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The midpoint step: the step of moreau, and the fallback of other steppers.
#pragma once
#include "step/common/step.h"

// A step of length h from `begin` to `end`, whatever settings->dt is. It is symmetric in time, and h may be
// negative where only conservative forces and joints act.
void pawl_midpoint_step(step_context *c, pawl_state *s, double h, double begin, double end,
                        pawl_step_report *report);
