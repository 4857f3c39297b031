// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Common parts of the steppers nmdp and mdp.
#pragma once
#include "step/nmdp/nmdp.h"
#include "step/stepper_ops.h"

extern const stepper_residual pawl_nmdp_residual;
// The figures of the step that c->own.lasting, an nmdp, has taken.
void pawl_nmdp_report(step_context *c, pawl_step_report *report);
void pawl_nmdp_forget(void *lasting); // pawl_nmdp_destroy() as an op
