// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Springs between points that are too stiff for the step.
#pragma once
#include "step/common/step.h"

// Solves the problem again, from its solution, until the springs that are bent act as they are at the end of
// the step. Does nothing where none is.
void pawl_stiff_springs_settle(step_context *c, const step_weights *w, solver_report *solved);
// Where springs did not settle and would give energy, the twists after the step are scaled down until no energy is
// gained, at the end of the step and where the next one places its rows. The energy lost by that is in no sum of the
// energy balance: the step counts as a failed position update.
void pawl_stiff_springs_guard(step_context *c, pawl_state *s, const step_weights *w);
// The rate that the damper of a bent row acts on, for the twists after the step; `before` and `after` are the row's.
double pawl_stiff_spring_rate(const step_context *c, const step_weights *w, int r, double before,
                              double after);
// Whether a step of length h with rows at its middle would leave springs that are too stiff for it with a length
// error that stores more energy than the motion explains. Such a step has its rows at its start.
bool pawl_stiff_springs_outrun(const step_context *c, const pawl_state *s, double h);
