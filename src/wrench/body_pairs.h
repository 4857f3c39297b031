// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The shapes of other bodies that the contact points of a body can touch.
#pragma once
#include "model/model.h"

// Whether points of shape a may touch shape b of another body: as the collider has it (groups, masks, exclusions, no
// bodies that a joint ties), and not where the centre of b, a ball, touches a instead.
bool pawl_shape_points_touch(const pawl_model *model, int a, int b);
// Whether declared points of a body touch shape b of another: kinematic bodies always, others where shapes of both may.
bool pawl_body_points_touch(const pawl_model *model, int body, int b);
// Radius of a ball about the frame of a shape that holds it; infinite for planes.
double pawl_shape_bound(const pawl_shape_def *shape);
