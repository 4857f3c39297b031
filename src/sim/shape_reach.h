// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sizes of bodies by their shapes: for plausibility checks, not for collision.
#pragma once
#include "model/model.h"

// Distance from the body's centre of mass to the farthest point of its shapes, drawn ones included
// and planes left out, or a little more [m]; 0 without shapes.
double pawl_body_reach(const pawl_model *model, int body);
