// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Detects shapes that passed through each other in one step: contacts are found as far ahead as the velocities at the
// beginning of the step reach, along straight lines. Bodies that turn by a radian in a step, or whose contacts are
// first searched in the middle of a step, can escape that, which must be reported.
#pragma once
#include "collide/collider.h"

typedef struct shape_crossing {
    int count;            // pairs of this step
    int shape_a, shape_b; // the first of them, of the model, a before b; -1 for none
} shape_crossing;

// A shape went through another one when its centre, on a straight line as seen from the other, came
// deeper inside it than a threshold: `margin`, or half of the other's inner radius if that is less.
// One that was that deep when the step began is not counted. Looks at all planes and heightfields, and at the pairs
// of the last pawl_collider_run(); `deepest` is the largest penetration found there. `began`: pairs that the start put so deep into
// each other that one side is no more outside than the other are not counted.
shape_crossing pawl_collider_crossings(const collider *c, const body_state *before,
                                       const body_state *after, state_overlaps began, double margin,
                                       double deepest);
