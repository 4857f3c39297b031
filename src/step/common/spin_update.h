// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Gyroscopic torques that include the effect of the rows on spins.
#pragma once
#include "step/common/step.h"

// Whether any body's gyroscopic torque depends on what rows do to it.
bool pawl_has_gyroscopes(const step_context *c);
// Before the first solve, where it is predicted: the torque with the impulses of the last step.
bool pawl_spins_are_predicted(const step_context *c, const step_weights *w);
void pawl_predict_spins(step_context *c, const pawl_state *s, const step_weights *w);
// After a solve: the torque at the mean of u.start and u.next, solved again until it is that of the answer, as often
// as the weights say and while it would give energy.
void pawl_settle_gyroscopes(step_context *c, const step_weights *w, solver_report *solved);
// Adds to u.next the difference between the gyroscopic torque of u.next and the predicted one: for steps whose twists
// are projected afterwards.
void pawl_correct_spins(step_context *c, const step_weights *w);
