// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Twists after a step if no row acted.
#pragma once
#include "step/common/step.h"

// u.own and u.start, from the impulses in u.driven.
void pawl_free_motion_find(step_context *c, const pawl_state *s, const step_weights *w);
// u.free from u.own: in reduced coordinates the joints of the tree act at once, on u+ + start_weight u-.
void pawl_free_motion_bind(step_context *c, const step_weights *w);
// World-axes spin after the step from the body-axes spin W that the gyroscope left: body damping.
pawl_vec3 pawl_damped_spin(const step_context *c, int body, pawl_vec3 W, const step_weights *w);
// Half of what forces that are not rows do to the twists of s in the step, to u.free: (6 x bodies).
void pawl_half_forces(step_context *c, const pawl_state *s, const step_weights *w);
