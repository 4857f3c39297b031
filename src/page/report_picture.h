// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Drawings of a recorded mechanism: bodies at chosen moments, and the paths of their centres.
#pragma once
#include "page/report_text.h"
#include "record/record_layout.h"

typedef struct report_picture report_picture;
// Reads sample poses and chooses the view. PAWL_OK with *out NULL: the recording has no poses.
pawl_status report_picture_create(const pawl_record *record, report_picture **out);
void report_picture_destroy(report_picture *picture); // NULL is fine

// The height that suits the motion's proportions, within what fits a page.
double report_picture_height(const report_picture *picture, double width);
// The start, with later poses in fading tones and the paths; fills width x height at (0, 0).
void report_picture_draw(report_text *page, report_picture *picture, double width, double height);
