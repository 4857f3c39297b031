// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Twenty things on one floor that have nothing to do with each other at first: stacks, nunchuks and
// four-bars that fall, and balls that roll into others and bounce off again.
#pragma once
#include "support/scene.h"

enum { MANY_STACKS = 5, MANY_NUNCHUKS = 5, MANY_FOUR_BARS = 4, MANY_BALLS = 6 };
enum { MANY_THINGS = MANY_STACKS + MANY_NUNCHUKS + MANY_FOUR_BARS + MANY_BALLS };

// Begins m and fills it; starting it is left to the caller.
void many_things_build(mechanism *m);
