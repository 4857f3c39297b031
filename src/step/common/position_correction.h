// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Overlaps and violated limits are corrected at position level: poses move, twists do not. docs/math.md
// section 8.
#pragma once
#include "step/common/step.h"

// After the problem of a kick was solved and judged: the twist at which poses are to be corrected until the
// end of the step, if anything asks for it.
void pawl_correction_find(step_context *c, const step_weights *w);
// Moves the poses of s, at time t, by it, and along the joints. Returns the number of Gauss-Newton steps.
int pawl_correction_apply(step_context *c, pawl_state *s, double t, pawl_step_report *report);
