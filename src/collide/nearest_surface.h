// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The nearest point of the surface of a box, cylinder or ellipsoid to a point outside or inside.
#pragma once
#include "collide/shape.h"

typedef struct nearest_surface {
    pawl_vec3 normal; // of the surface there, outward, in the shape's frame
    double distance;  // signed, below 0 inside
    unsigned feature; // FEATURE_* of collide/pair.h
} nearest_surface;
// The point is given in the shape's frame.
nearest_surface pawl_nearest_surface(pawl_shape_kind kind, pawl_vec3 size, pawl_vec3 point);
