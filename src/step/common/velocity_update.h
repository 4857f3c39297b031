// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The velocity update of a step, and its parts for steppers that do more in between. All keep the assembly placed at
// s if context.placed is set.
#pragma once
#include "step/common/step.h"

// Builds and solves the problem at the poses of s and writes the new twists to s and the judge's figures to
// report. Nothing is done where context.out.contact_demand is set.
void pawl_velocity_update(step_context *c, pawl_state *s, const step_weights *w,
                          pawl_step_report *report);
// Its parts. Impulses of forces, the free motion and the problem, from the assembly as it is placed and the
// contacts as they are set; its solution, from the impulses that s remembers; the judge's figures and all that s and
// the results keep.
void pawl_velocity_build(step_context *c, const pawl_state *s, const step_weights *w);
void pawl_velocity_solve(step_context *c, const pawl_state *s, const step_weights *w,
                         solver_report *solved);
void pawl_velocity_finish(step_context *c, pawl_state *s, const step_weights *w,
                          const solver_report *solved, pawl_step_report *report);
