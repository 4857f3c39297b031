// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Two boxes by separating axes: three face normals each and nine cross products of edges, each with
// a closed form for the gap. The best of them is exact if the boxes overlap. It is also exact if they are apart,
// unless a corner is nearest to an edge or a corner; then their distance is computed.
#include "collide/pair.h"
#include <math.h>

static const double boxes_touching = 1e-8; // of the boxes: no direction is taken from nearer points

// Whether the corner of `other` that is nearest to face k of `box`, whose outward normal is n, lies over that face: then
// the gap along n is the distance.
static bool boxes_corner_over_face(const placed_shape *box, const placed_shape *other, int k,
                                   pawl_vec3 n)
{
    pawl_vec3 corner = pawl_shape_support(other, v3_scale(-1.0, n));
    pawl_vec3 at = m3_tmul(&box->axes, v3_sub(corner, box->position));
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return fabs(v3_get(at, i)) <= v3_get(box->size, i) &&
           fabs(v3_get(at, j)) <= v3_get(box->size, j);
}

// The middle of the edge along axis k of a box that reaches farthest along n.
static pawl_vec3 boxes_edge(const placed_shape *s, int k, pawl_vec3 n)
{
    pawl_vec3 middle = s->position;
    for (int i = (k + 1) % 3; i != k; i = (i + 1) % 3) {
        pawl_vec3 axis = m3_column(&s->axes, i);
        double size = v3_get(s->size, i);
        middle = v3_axpy(middle, v3_dot(axis, n) > 0.0 ? size : -size, axis);
    }
    return middle;
}

// Whether the edges along a_i and b_j that face each other along n have their nearest points between their ends: then
// the gap along n is the distance. `cosine` is that of the two.
static bool boxes_edges_meet(const placed_shape *a, const placed_shape *b, int i, int j,
                             pawl_vec3 n, double cosine)
{
    pawl_vec3 w = v3_sub(boxes_edge(b, j, v3_scale(-1.0, n)), boxes_edge(a, i, n));
    double along_a = v3_dot(w, m3_column(&a->axes, i)), along_b = v3_dot(w, m3_column(&b->axes, j));
    double sine2 = 1.0 - cosine * cosine;
    return fabs(along_a - cosine * along_b) <= sine2 * v3_get(a->size, i) &&
           fabs(cosine * along_a - along_b) <= sine2 * v3_get(b->size, j);
}

// Whether the gap along an axis that the search ended with is known to be the distance of the boxes.
static bool boxes_is_distance(const placed_shape *a, const placed_shape *b, const pair_axis *axis,
                              int feature, double (*cosines)[3])
{
    if (feature < 0) {
        return false;
    }
    if (feature < 6) {
        return feature < 3 ? boxes_corner_over_face(a, b, feature, axis->n)
                           : boxes_corner_over_face(b, a, feature - 3, v3_scale(-1.0, axis->n));
    }
    int i = (feature - 6) / 3, j = (feature - 6) % 3;
    return boxes_edges_meet(a, b, i, j, axis->n, cosines[i][j]);
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
    // Directions across edges that are all but parallel, and between points that all but touch, have few digits, others in
    // every step for bodies at rest: they must beat them by more than that.
    double touching = boxes_touching * (pawl_shape_scale(a) + pawl_shape_scale(b));
    pair_axis axis = {.gap = -INFINITY};
    int feature = -1; // of the axis: 0 to 2: a's, 3 to 5: b's; 6 + 3 i + j: edges along a_i and b_j
    out->count = 0;
    for (int k = 0; k < 3; ++k) {
        double gap = fabs(ta[k]) - ea[k] - eb[0] * q[k][0] - eb[1] * q[k][1] - eb[2] * q[k][2];
        if (gap > axis.gap + bias) {
            axis.gap = gap;
            axis.n = v3_scale(ta[k] < 0.0 ? -1.0 : 1.0, m3_column(&a->axes, k));
            feature = k;
        }
    }
    for (int k = 0; k < 3; ++k) {
        double gap = fabs(tb[k]) - eb[k] - ea[0] * q[0][k] - ea[1] * q[1][k] - ea[2] * q[2][k];
        if (gap > axis.gap + bias) {
            axis.gap = gap;
            axis.n = v3_scale(tb[k] < 0.0 ? -1.0 : 1.0, m3_column(&b->axes, k));
            feature = 3 + k;
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
                    if (gap > axis.gap + touching) {
                        axis = (pair_axis){.n = n, .gap = gap};
                        feature = -1;
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
                feature = 6 + 3 * i + j;
                axis.n = v3_scale((along < 0.0 ? -1.0 : 1.0) / length,
                                  v3_cross(m3_column(&a->axes, i), m3_column(&b->axes, j)));
            }
        }
    }
    if (axis.gap > margin) {
        return;
    }
    if (axis.gap > 0.0 && !boxes_is_distance(a, b, &axis, feature, r)) {
        pair_axis nearest;
        gjk_result result = pawl_gjk_distance(a, b, margin, &nearest);
        if (result == GJK_BEYOND) {
            return;
        }
        if (result == GJK_APART && nearest.gap > fmax(axis.gap + 10.0 * bias, touching)) {
            // see what it is worth
            nearest.gap = pair_gap_along(a, b, nearest.n);
            axis = nearest.gap > axis.gap ? nearest : axis;
        }
    }
    axis.n = v3_unit_or(axis.n, m3_column(&a->axes, 2));
    pawl_manifold_from_axis(a, b, margin, &axis, out);
}
