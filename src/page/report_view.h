// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Drawing: a parallel projection, convex outlines, and shapes drawn with them.
#pragma once
#include "page/report_text.h"
#include "pawl/model.h"

typedef struct report_point {
    double x, y;
} report_point;

// Right, up and toward the viewer are orthogonal unit vectors; `scale` is in paper units a metre.
typedef struct report_view {
    pawl_vec3 right, up, toward;
    double scale;
    report_point shift;
} report_view;

// A view that shows most of a cloud of points: along the direction in which it is thinnest when
// it is flat, else from above at a slant. Up is against gravity wherever that can be seen. `floor`
// is the normal of a plane that all is on, or NULL: it is seen from the side or from above.
report_view report_view_choose(const pawl_vec3 *points, size_t count, pawl_vec3 gravity,
                               const pawl_vec3 *floor);
// How bright a face with this normal is.
double report_view_light(const report_view *view, pawl_vec3 normal);
report_point report_view_project(const report_view *view, pawl_vec3 point);

// What a drawing must hold, grown point by point. In units of an unscaled view.
typedef struct report_box {
    double x0, y0, x1, y1;
} report_box;
report_box report_box_empty(void);
void report_box_grow(report_box *box, const report_view *view, pawl_vec3 point, double radius);
// Scales and shifts the view so that the box fills the paper, less a margin on each side.
void report_view_fit(report_view *view, const report_box *box, double left, double top,
                     double width, double height, double margin);

enum { REPORT_SHAPE_POINTS = 96 };
// Points of a shape whose hull is its outline, in world axes; a half space has none.
int report_shape_points(const pawl_shape_def *shape, pawl_pose body, const report_view *view,
                        pawl_vec3 points[REPORT_SHAPE_POINTS]);
// The middle of a shape, in world axes.
pawl_vec3 report_shape_centre(const pawl_shape_def *shape, pawl_pose body);
// `hull` has the faces of a hull, and is NULL for the other shapes. A plane is not drawn here, for
// its size depends on the scene.
void report_shape_draw(report_text *page, const pawl_shape_def *shape, const pawl_hull_faces *hull,
                       pawl_pose body, const report_view *view);
