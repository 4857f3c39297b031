// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Internal functions of a set of contact points for steppers, beyond pawl/wrench.h.
#pragma once
#include "model/model.h"

// Friction as the model has it now: a live model may scale it (live_model.h). Does nothing where it is the same.
void pawl_wrench_set_follow(pawl_wrench_set *set, const pawl_model *model);
// As pawl_wrench_set_vertices(); false where no vertex can push there, and v and dv are then of no use. Steppers
// query many points that are far from all surfaces: the cost is little more than that of the distance.
bool pawl_wrench_set_push(const pawl_wrench_set *set, int point, const pawl_contact_frame *frame,
                          double *v, double *dv);
// Whether a point is too far from the body that it touches for any force; false for ground.
bool pawl_wrench_set_is_far(const pawl_wrench_set *set, int point, pawl_vec3 position);
