// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A tree with one of everything that mdp and nmdp know: a floating box on whose corners the ground can push,
// with an arm of a universal, a ball and a screw joint, a slide with a spring and a controller, springs
// between points, damping and applied forces.
#pragma once
#include "support/mechanism.h"

// Begins m, fills it and compiles it; starting it is left to the caller.
void contact_tree_build(mechanism *m, uint64_t *seed);
