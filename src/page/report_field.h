// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Heightfields in drawings: grid lines in the region of the motion.
#pragma once
#include "page/report_floor.h"
#include "pawl/wrench.h"

// The plane z = 0 of the field, as a patch that grows with the scene.
report_floor report_field_begin(const pawl_heightfield_def *field);
// Lines along x and y over the patch, as far as there are heights.
void report_field_draw(report_text *page, const pawl_heightfield_def *field,
                       const report_floor *patch, const report_view *view);
