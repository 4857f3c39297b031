// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A sphere against a box, cylinder or ellipsoid: the nearest point of the surface to the sphere's
// centre, outside or inside.
#include "collide/nearest_surface.h"
#include "collide/pair.h"

// a is the sphere. One point, halfway between the surfaces; the normal points from the sphere into b.
void pawl_collide_ball(const placed_shape *a, const placed_shape *b, double margin,
                       contact_manifold *out)
{
    pawl_vec3 c = shape_to_local(b, v3_sub(a->position, b->position));
    nearest_surface nearest = pawl_nearest_surface(b->kind, b->size, c);
    double gap = nearest.distance - a->size.x;
    out->count = 0;
    if (gap <= margin) {
        pawl_vec3 n = v3_scale(-1.0, m3_mul(&b->axes, nearest.normal));
        out->normal = n;
        out->count = 1;
        out->point[0] = (contact_point){v3_axpy(a->position, a->size.x + 0.5 * gap, n), gap,
                                        (uint32_t)FEATURE_CURVED << 16 | nearest.feature};
    }
}
