// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#ifndef PAWL_STEP_STIFF_SPRINGS_H
#define PAWL_STEP_STIFF_SPRINGS_H

#include "step/stepper_ops.h"

// Solves the posed problem again, from its solution, until the springs that are bent act as they are at the end of
// the step. Does nothing where none is.
void pawl_stiff_springs_settle(step_context *c, const step_weights *w, solver_report *solved);
// Where springs did not settle and would give energy, the twists after the step are scaled
// down until they and what springs and gravity store, at its end and where the next one places its rows, are no more than before the step and the work that was given in it: what is lost so is in no
// account, and the step counts as a position update that failed.
void pawl_stiff_springs_guard(step_context *c, pawl_state *s, const step_weights *w);
// The rate that the damper of a bent row acts on, for the twists after the step.
double pawl_stiff_spring_rate(const step_context *c, const step_weights *w, int r);

#endif
