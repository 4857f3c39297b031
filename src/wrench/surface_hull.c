// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Signed distance from a convex hull. Inside it is that of the nearest face; outside, that of the nearest face below
// the point, edge or corner. All are tried, because ground shapes have few.
#include "wrench/surface.h"

// Whether the foot of the perpendicular onto a face lies within its corners.
static bool surface_hull_over(const convex_hull *h, int face, pawl_vec3 p)
{
    int first = h->face_start[face], end = h->face_start[face + 1];
    pawl_vec3 n = h->normals[face];
    for (int k = first; k < end; ++k) {
        pawl_vec3 a = h->vertices[h->loops[k]];
        pawl_vec3 b = h->vertices[h->loops[k + 1 < end ? k + 1 : first]];
        if (v3_dot(v3_cross(v3_sub(b, a), v3_sub(p, a)), n) < 0.0) {
            return false;
        }
    }
    return true;
}

// The nearest edge or corner of all.
static surface_distance surface_hull_edges(const convex_hull *h, pawl_vec3 p)
{
    double best = INFINITY;
    pawl_vec3 offset = v3(0.0, 0.0, 0.0), along = offset;
    bool corner = false;
    for (int i = 0; i < h->edge_count; ++i) {
        pawl_vec3 a = h->vertices[h->edges[i].vertex[0]];
        pawl_vec3 e = v3_sub(h->vertices[h->edges[i].vertex[1]], a);
        double length2 = v3_dot(e, e);
        double t = v3_dot(v3_sub(p, a), e) / length2;
        double clamped = clamp_to(t, 0.0, 1.0);
        pawl_vec3 from = v3_sub(p, v3_axpy(a, clamped, e));
        double d2 = v3_dot(from, from);
        if (d2 < best) {
            best = d2;
            offset = from;
            along = v3_scale(1.0 / sqrt(length2), e);
            corner = t != clamped;
        }
    }
    double d = sqrt(best);
    pawl_vec3 n = v3_unit_or(offset, v3(0.0, 0.0, 1.0));
    return (surface_distance){
        d, n, d > 0.0 ? pawl_across(1.0 / d, n, corner ? NULL : &along) : (pawl_mat3){{{0.0}}}};
}

// Faces have no curvature. Outside, edges and corners are always tried as well, because a point may stand over a
// face and still be nearer to an edge of another.
surface_distance pawl_surface_of_hull(const convex_hull *h, pawl_vec3 p)
{
    double deepest = -INFINITY, over = INFINITY;
    int inside = 0, above = -1;
    for (int f = 0; f < h->face_count; ++f) {
        double d = v3_dot(h->normals[f], p) - h->offsets[f];
        if (d > deepest) {
            deepest = d;
            inside = f;
        }
        if (d > 0.0 && d < over && surface_hull_over(h, f, p)) {
            over = d;
            above = f;
        }
    }
    if (deepest <= 0.0) {
        return (surface_distance){deepest, h->normals[inside], {{{0.0}}}};
    }
    surface_distance edge = surface_hull_edges(h, p);
    if (above >= 0 && over <= edge.value) {
        return (surface_distance){over, h->normals[above], {{{0.0}}}};
    }
    return edge;
}
