// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Shapes that went through each other in one step: contacts are known as far ahead as bodies were
// moving when the step began, along straight lines. What turns by a radian in a step, or is first
// looked at in the middle of one, can get past that, and somebody must say so.
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
