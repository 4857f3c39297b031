// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Any two convex shapes: the distance of their cores if these are apart, otherwise the least translation that
// separates them, and a final refinement for curved ones.
#include "collide/pair.h"

// How far the coarse direction may be from a kink that holds the exact one.
static const double convex_kinks_apart = 0.02, convex_kinks_overlap = 0.15;

// GJK on the cores (without radii) first: it decides between apart, overlapping and beyond the margin. Overlapping
// polytopes have an exact search; others expand a polytope and refine. Curved shapes start their refinement from a
// coarser direction when they overlap, hence the wider search for kinks.
void pawl_collide_convex(const placed_shape *a, const placed_shape *b, double margin,
                         contact_manifold *out)
{
    double limit = margin + pawl_shape_radius(a) + pawl_shape_radius(b);
    double scale = pawl_shape_scale(a) + pawl_shape_scale(b);
    bool flat = shape_is_polytope(a) && shape_is_polytope(b);
    out->count = 0;
    if (v3_norm(v3_sub(b->position, a->position)) > scale + margin) {
        return;
    }
    pair_axis axis;
    gjk_result result = pawl_gjk_distance(a, b, limit, &axis);
    if (result == GJK_BEYOND) {
        return;
    }
    // Curved cores that all but touch: the direction between the nearest points has lost its digits.
    bool overlap = result == GJK_OVERLAP || (!flat && axis.gap < 1e-6 * scale);
    if (!overlap) {
        pawl_refine_axis(a, b, convex_kinks_apart, &axis);
    } else if (flat) {
        if (!pawl_polytope_penetration(a, b, limit, &axis)) {
            return;
        }
    } else {
        pawl_expand_penetration(a, b, &axis);
        pawl_refine_axis(a, b, convex_kinks_overlap, &axis);
    }
    pawl_manifold_from_axis(a, b, margin, &axis, out);
}
