// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A step of a motion in which only joints and gravity act.
#pragma once
#include "step/common/step.h"

// Advances s by h to `end` and reports the step, if nothing but joints and gravity acts in it. False: something else
// may act, or the step has no solution of this kind; s is as it was, and the caller takes another step.
bool pawl_smooth_step(step_context *c, pawl_state *s, double h, double end,
                      pawl_step_report *report);
