// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The rotation of a free rigid body over one step.
#pragma once
#include "model/model.h"

// Body-axes angular velocity after time h under a constant body-axes torque, by the implicit midpoint rule:
//   I (W+ - W) = h (torque - Wm x I Wm),   Wm = (W + W+) / 2.
// It keeps quadratic invariants, so that without torque both the energy and the length of the angular momentum are
// conserved, at any spin and any step.
pawl_vec3 pawl_gyroscope_step(const model_body *body, pawl_vec3 W, pawl_vec3 torque, double h);
