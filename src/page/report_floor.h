// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A plane is infinite, so a drawing shows the part in the region of the motion: a patch that grows with the points of
// the scene.
#pragma once
#include "page/report_view.h"

typedef struct report_floor {
    pawl_pose frame;        // in the body's frame; the normal is z
    int body;               // that carries it
    double u0, u1, v0, v1;  // in the plane
    double lowest, highest; // of the points over it
    int field;              // of the recording, whose z = 0 it is; -1: a plane
} report_floor;

report_floor report_floor_begin(const pawl_shape_info *plane);
// `body` is the pose of the body that carries the plane.
void report_floor_grow(report_floor *floor, pawl_pose body, pawl_vec3 point);
// When all points are known: adds a rim. False where the plane is too far off to be in the drawing.
bool report_floor_end(report_floor *floor);
// What the patch adds to a drawing.
void report_floor_box(const report_floor *floor, pawl_pose body, const report_view *view,
                      report_box *box);
// A grid, or from the side a line on solid ground.
void report_floor_draw(report_text *page, const report_floor *floor, pawl_pose body,
                       const report_view *view);
