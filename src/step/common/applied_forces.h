// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Impulses of applied forces and of force actuators.
#pragma once
#include "step/common/step.h"

// Over w->h, at the poses where the rows are placed: of applied forces to u.applied, of these with force actuators
// to u.driven; efforts to the results.
void pawl_apply_forces(step_context *c, const step_weights *w);
