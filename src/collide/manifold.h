// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The result of the narrow phase for two shapes: one normal, up to eight points with signed gaps.
#pragma once
#include "collide/shape.h"

enum { MANIFOLD_POINTS = 8, MANIFOLDS_A_PAIR = 64 };
typedef struct contact_point {
    pawl_vec3 position; // in the world, in the middle between the two surfaces
    double gap;         // along the normal; negative: the depth [m]
    uint32_t feature;   // names the features that meet; the same as long as they do
} contact_point;
typedef struct contact_manifold {
    pawl_vec3 normal; // unit, from A to B
    int count;
    contact_point point[MANIFOLD_POINTS]; // in the order of their features
} contact_manifold;

// All points with gap <= margin. The least gap is the signed distance of the shapes: their distance
// when they are apart, else minus the least translation that parts them. Swapping a and b flips the
// normal and changes nothing else. Numbers that are not finite give no points. Not for heightfields and
// meshes.
void pawl_collide_pair(const placed_shape *a, const placed_shape *b, double margin,
                       contact_manifold *out);
// The same for any two shapes: one manifold for two convex ones, up to MANIFOLDS_A_PAIR with a heightfield or a mesh.
// Returns how many have points; `room` is at least 1.
int pawl_collide_shapes(const placed_shape *a, const placed_shape *b, double margin,
                        contact_manifold *out, int room);
