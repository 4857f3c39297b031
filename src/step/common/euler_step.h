// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The step of euler, for steppers that need a step with rows at its beginning.
#pragma once
#include "step/common/step.h"

// A step of length settings->dt from s.
void pawl_euler_step(step_context *c, pawl_state *s, pawl_step_report *report);
// The same as one step of a stepper whose others are midpoint rules.
void pawl_euler_step_instead(step_context *c, pawl_state *s, pawl_step_report *report);
