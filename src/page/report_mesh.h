// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes in the SVG picture: the visible triangles.
#pragma once
#include "math/mesh_simplify.h"
#include "page/report_view.h"

typedef struct report_triangle {
    report_point at[3]; // on paper
    double depth;       // of its middle, towards the eye
    double light;
    int shape;
} report_triangle;

typedef struct report_triangles {
    int count, capacity;
    report_triangle *item;
} report_triangles;

// Adds the triangles of a mesh at a pose (its own frame in the world). `list` has room for all of them.
void report_mesh_add(report_triangles *list, const drawn_mesh *mesh, int shape, pawl_pose frame,
                     const report_view *view);
// Leaves those that are in front somewhere, by a buffer of depths with two cells to a unit of paper.
pawl_status report_mesh_visible(const pawl_env *env, report_triangles *list);
void report_mesh_draw(report_text *page, const report_triangle *triangle, const float rgba[4]);
