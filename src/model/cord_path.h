// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The path of a cord between two points, straight or around a ball or cylinder.
#pragma once
#include "model/model.h"

// Length of the path from the joint's anchor on the base to `end`, both in the base's joint frame. *direction is the
// gradient of the length: the unit vector along which the path arrives at `end`; of a crank no unit vector.
double pawl_cord_length(const model_wrap *wrap, pawl_vec3 end, pawl_vec3 *direction);
// What a def says, in the joint frame of the base.
model_wrap pawl_wrap_in_joint(const pawl_wrap *wrap, pawl_pose base_frame);
