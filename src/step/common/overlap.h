// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Depths of overlapping shapes, for the verdict. Overlaps at the start are a property of the file: a pair is judged
// by its additional depth, and the allowance shrinks as the pair separates.
#pragma once
#include "step/common/step.h"

// The overlaps that s begins with, from the first `count` contacts of the finder at its poses.
void pawl_overlap_begin(const step_context *c, pawl_state *s, int count);
// Depths where the rows were placed, to the report; forgets of the start's overlaps what is pushed out.
void pawl_overlap_report(const step_context *c, pawl_state *s, pawl_step_report *report);
