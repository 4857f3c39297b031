// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A heightfield as a tensor product of natural cubic splines, and the signed distance from it.
#pragma once
#include "base/carver.h"
#include "wrench/surface.h"

typedef struct spline_field {
    int x_count, y_count;
    double dx, dy;
    double *c; // B-spline coefficients, one more on every side: (y_count + 2) rows of x_count + 2
} spline_field;

// Height and its derivatives.
typedef struct field_height {
    double h, hx, hy, hxx, hxy, hyy;
} field_height;

// Room for the coefficients; with mem->base NULL it only counts.
void pawl_spline_field_layout(const pawl_heightfield_def *def, pawl_carver *mem, spline_field *out);
void pawl_spline_field_fit(const pawl_heightfield_def *def, spline_field *field);
field_height pawl_spline_field_height(const spline_field *field, double x, double y);
// To the surface point that is nearest to p, or to one that is nearest among its neighbours.
surface_distance pawl_spline_field_distance(const spline_field *field, pawl_vec3 p);
