// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// formulation=auto: the coordinates that are expected to cost least, among those in which the motion is the same.
#pragma once
#include "coordinates/coordinates.h"

enum { COORDINATES_REASON = 240 };

// The kind (pawl_formulation) for a model, and why, as one line of text. `alike`: the stepper moves alike in all kinds.
pawl_status pawl_coordinates_choose(const pawl_env *env, const pawl_model *model,
                                    const pawl_settings *settings, bool alike, int *kind,
                                    char reason[COORDINATES_REASON]);
