// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The rotation of a free rigid body over one step.
#pragma once
#include "model/model.h"

// Body-axes angular velocity after time h under a constant body-axes torque:
//   I (W+ - W) = h (torque - Ws x I Ws),   Ws = W + share (W+ - W).
// With share 1/2, the implicit midpoint rule, it keeps quadratic invariants, so that without torque both
// the energy and the angular momentum's length stay what they were, at any spin and any step.
pawl_vec3 pawl_gyroscope_step(const model_body *body, pawl_vec3 W, pawl_vec3 torque, double h,
                              double share);
