// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Two boxes by separating axes: three face normals each and nine cross products of edges, each with
// a closed form for the gap. The best of them is exact when the boxes overlap, and when they are
// apart unless a corner is nearest to an edge or a corner; then the distance decides.
#include "collide/pair.h"

// Whether the corner of `other` that is nearest to face k of `box`, whose outward normal is n, lies over that face: then
// the gap along n is the distance.
static bool boxes_corner_over_face(const placed_shape *box, const placed_shape *other, int k,
                                   pawl_vec3 n)
{
    pawl_vec3 corner = pawl_shape_support(other, v3_scale(-1.0, n));
    pawl_vec3 at = m3_tmul(&box->axes, v3_sub(corner, box->position));
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return fabs((&at.x)[i]) <= (&box->size.x)[i] && fabs((&at.x)[j]) <= (&box->size.x)[j];
}

// r[i][j] = a_i . b_j, q their absolute values; ta and tb are the vector between the centres in the axes of a and
// b. The gap along an axis is the distance of the centres minus the reach of both boxes along it. Cross products
// need no face test here: one that is no face of the difference just gives a smaller gap.
void pawl_collide_boxes(const placed_shape *a, const placed_shape *b, double margin,
                        contact_manifold *out)
{
    const double ea[3] = {a->size.x, a->size.y, a->size.z};
    const double eb[3] = {b->size.x, b->size.y, b->size.z};
    pawl_vec3 d = v3_sub(b->position, a->position);
    pawl_vec3 da = m3_tmul(&a->axes, d), db = m3_tmul(&b->axes, d);
    const double ta[3] = {da.x, da.y, da.z}, tb[3] = {db.x, db.y, db.z};
    double r[3][3], q[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r[i][j] = v3_dot(m3_column(&a->axes, i), m3_column(&b->axes, j));
            q[i][j] = fabs(r[i][j]);
        }
    }
    // Faces come first, edges must beat them by more than rounding: see polytope_penetration.c.
    double bias = 1e-13 * (pawl_shape_scale(a) + pawl_shape_scale(b));
    pair_axis axis = {.gap = -INFINITY};
    int face = -1; // 0 to 2: of a, 3 to 5: of b
    out->count = 0;
    for (int k = 0; k < 3; ++k) {
        double gap = fabs(ta[k]) - ea[k] - eb[0] * q[k][0] - eb[1] * q[k][1] - eb[2] * q[k][2];
        if (gap > axis.gap + bias) {
            axis.gap = gap;
            axis.n = v3_scale(ta[k] < 0.0 ? -1.0 : 1.0, m3_column(&a->axes, k));
            face = k;
        }
    }
    for (int k = 0; k < 3; ++k) {
        double gap = fabs(tb[k]) - eb[k] - ea[0] * q[0][k] - ea[1] * q[1][k] - ea[2] * q[2][k];
        if (gap > axis.gap + bias) {
            axis.gap = gap;
            axis.n = v3_scale(tb[k] < 0.0 ? -1.0 : 1.0, m3_column(&b->axes, k));
            face = 3 + k;
        }
    }
    for (int i = 0; i < 3 && axis.gap <= margin; ++i) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double length2 = 1.0 - r[i][j] * r[i][j];
            if (length2 < 1e-4) { // nearly parallel: the closed form loses digits
                pawl_vec3 n;
                if (pair_across(m3_column(&a->axes, i), m3_column(&b->axes, j), &n)) {
                    n = v3_dot(n, d) < 0.0 ? v3_scale(-1.0, n) : n;
                    double gap = pair_gap_along(a, b, n);
                    if (gap > axis.gap + bias) {
                        axis = (pair_axis){.n = n, .gap = gap};
                        face = -1;
                    }
                }
                continue;
            }
            // along a_i x b_j, in a's axes
            double along = ta[i2] * r[i1][j] - ta[i1] * r[i2][j];
            double reach =
                ea[i1] * q[i2][j] + ea[i2] * q[i1][j] + eb[j1] * q[i][j2] + eb[j2] * q[i][j1];
            // A length of at most 1 makes a negative gap more so: most axes need no root.
            double over = fabs(along) - reach, least = axis.gap + bias;
            if (over <= 0.0 && over <= least) {
                continue;
            }
            double length = sqrt(length2), gap = over / length;
            if (gap > least) {
                axis.gap = gap;
                face = -1;
                axis.n = v3_scale((along < 0.0 ? -1.0 : 1.0) / length,
                                  v3_cross(m3_column(&a->axes, i), m3_column(&b->axes, j)));
            }
        }
    }
    if (axis.gap > margin) {
        return;
    }
    bool exact = axis.gap > 0.0 && face >= 0 &&
                 (face < 3 ? boxes_corner_over_face(a, b, face, axis.n)
                           : boxes_corner_over_face(b, a, face - 3, v3_scale(-1.0, axis.n)));
    if (axis.gap > 0.0 && !exact) {
        pair_axis nearest;
        gjk_result result = pawl_gjk_distance(a, b, margin, &nearest);
        if (result == GJK_BEYOND) {
            return;
        }
        if (result == GJK_APART && nearest.gap > axis.gap + 10.0 * bias) {
            // the direction between points that all but touch has few digits: see what it is worth
            nearest.gap = pair_gap_along(a, b, nearest.n);
            axis = nearest.gap > axis.gap ? nearest : axis;
        }
    }
    axis.n = v3_unit_or(axis.n, m3_column(&a->axes, 2));
    pawl_manifold_from_axis(a, b, margin, &axis, out);
}
