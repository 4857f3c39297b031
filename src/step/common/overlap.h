// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// How deep shapes are in each other, for the verdict. What a start begins with is the file's: a pair is judged by what it
// is deeper than that, and once it is pushed out, by what is left of that.
#pragma once
#include "step/common/step.h"

// The overlaps that s begins with, from the first `count` contacts of the finder at its poses.
void pawl_overlap_begin(const step_context *c, pawl_state *s, int count);
// Depths where the rows were placed, to the report; forgets of the start's overlaps what is pushed out.
void pawl_overlap_report(const step_context *c, pawl_state *s, pawl_step_report *report);
