// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The point at which a ray enters a shape.
#pragma once
#include "collide/shape.h"

// A ray and how far it goes; `direction` has length 1.
typedef struct shape_ray {
    pawl_vec3 origin, direction;
    double reach; // [m], may be infinite
} shape_ray;

// Distance and outward normal (world axes) where the ray enters the shape, which is solid: 0 and against the ray where
// it begins inside. False: it does not within its reach.
bool pawl_shape_meets_ray(const placed_shape *s, const shape_ray *ray, double *distance,
                          pawl_vec3 *normal);
