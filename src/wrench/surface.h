// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Signed distance of a point from one solid, with first and second derivatives, in the solid's own
// axes. Where the nearest point of the surface is not unique, one is chosen.
#pragma once
#include "collide/shape.h"

typedef struct surface_distance {
    double value;      // below 0 inside
    pawl_vec3 normal;  // gradient
    pawl_mat3 hessian; // symmetric
} surface_distance;

// Any shape; the point is given in its frame. Exact for all kinds.
surface_distance pawl_surface_of_shape(const placed_shape *shape, pawl_vec3 point);
surface_distance pawl_surface_of_hull(const convex_hull *hull, pawl_vec3 point);

// s (1 - n nT [- e eT]): what remains across n, and across e unless it is NULL.
pawl_mat3 pawl_across(double s, pawl_vec3 n, const pawl_vec3 *e);
// A surface whose outward normal changes by S dx along it (S n = 0): at the signed distance d from
// it, along the normal, the normal changes by (1 + d S)^-1 S dx.
pawl_mat3 pawl_surface_offset(const pawl_mat3 *S, double d);
