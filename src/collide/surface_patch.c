// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The part of a shape that faces a direction. A face nearly normal to the direction counts as a whole, so that a body
// at rest on it keeps all its contact points during small rocking motions.
#include "collide/pair.h"

static void patch_point(surface_patch *out, pawl_vec3 p, unsigned feature)
{
    out->kind = PATCH_POINT;
    out->count = 1;
    out->p[0] = p;
    out->vertex[0] = out->edge[0] = out->face = feature;
}

static void patch_segment(surface_patch *out, pawl_vec3 p, pawl_vec3 q, unsigned at_p,
                          unsigned at_q, unsigned between)
{
    out->kind = PATCH_SEGMENT;
    out->count = 2;
    out->p[0] = p;
    out->p[1] = q;
    out->vertex[0] = at_p;
    out->vertex[1] = at_q;
    out->edge[0] = out->edge[1] = out->face = between;
}

// Vertex bits: 1 for +x, 2 for +y, 4 for +z; an edge is its two vertices.
static unsigned patch_box_edge(unsigned v, unsigned w)
{
    return FEATURE_EDGE | (v < w ? v << 3 | w : w << 3 | v);
}

static pawl_vec3 patch_box_vertex(const placed_shape *s, unsigned v)
{
    pawl_vec3 e = s->size;
    return shape_to_world(s, v3(v & 1 ? e.x : -e.x, v & 2 ? e.y : -e.y, v & 4 ? e.z : -e.z));
}

// A face where the direction is within the tolerance of its normal, else an edge that it is nearly across, else a
// corner. Loops run counter-clockwise seen from outside.
static void patch_box(const placed_shape *s, pawl_vec3 d, double tolerance, surface_patch *out)
{
    double c[3] = {d.x, d.y, d.z};
    unsigned corner = 0;
    int main_axis = 0, flat_axis = 0;
    for (int k = 0; k < 3; ++k) {
        corner |= c[k] > 0.0 ? 1u << k : 0u;
        main_axis = fabs(c[k]) > fabs(c[main_axis]) ? k : main_axis;
        flat_axis = fabs(c[k]) < fabs(c[flat_axis]) ? k : flat_axis;
    }
    int i = (main_axis + 1) % 3, j = (main_axis + 2) % 3;
    if (fabs(c[i]) < tolerance && fabs(c[j]) < tolerance) {
        bool plus = c[main_axis] > 0.0;
        unsigned base = plus ? 1u << main_axis : 0u, bi = 1u << i, bj = 1u << j;
        // i, j, main make a right-handed frame: this order turns about +main
        unsigned loop[4] = {base, base | bi, base | bi | bj, base | bj};
        out->kind = PATCH_POLYGON;
        out->count = 4;
        out->face = FEATURE_FACE | (unsigned)(2 * main_axis + plus);
        for (int k = 0; k < 4; ++k) {
            unsigned v = loop[plus ? k : 3 - k], w = loop[plus ? (k + 1) % 4 : (6 - k) % 4];
            out->p[k] = patch_box_vertex(s, v);
            out->vertex[k] = FEATURE_VERTEX | v;
            out->edge[k] = patch_box_edge(v, w);
        }
        out->normal = v3_scale(plus ? 1.0 : -1.0, m3_column(&s->axes, main_axis));
    } else if (fabs(c[flat_axis]) < tolerance) {
        unsigned v = corner & ~(1u << flat_axis), w = corner | 1u << flat_axis;
        patch_segment(out, patch_box_vertex(s, v), patch_box_vertex(s, w), v, w,
                      patch_box_edge(v, w));
    } else {
        patch_point(out, patch_box_vertex(s, corner), FEATURE_VERTEX | corner);
    }
}

// The same for a hull. Edges are looked for at the support vertex alone.
static void patch_hull(const placed_shape *s, pawl_vec3 d, double tolerance, surface_patch *out)
{
    const convex_hull *h = s->hull;
    int face = 0;
    for (int f = 1; f < h->face_count; ++f) {
        face = v3_dot(h->normals[f], d) > v3_dot(h->normals[face], d) ? f : face;
    }
    if (v3_norm(v3_cross(h->normals[face], d)) < tolerance && v3_dot(h->normals[face], d) > 0.0) {
        int first = h->face_start[face], corners = h->face_start[face + 1] - first;
        // A face with more corners than there is room for is thinned out evenly.
        int count = corners < PATCH_POINTS ? corners : PATCH_POINTS;
        out->kind = PATCH_POLYGON;
        out->count = count;
        out->face = FEATURE_FACE | (unsigned)(face & FEATURE_INDEX);
        out->normal = m3_mul(&s->axes, h->normals[face]);
        for (int k = 0; k < count; ++k) {
            int at = first + (int)((long)k * corners / count);
            out->p[k] = shape_to_world(s, h->vertices[h->loops[at]]);
            out->vertex[k] = FEATURE_VERTEX | (unsigned)(h->loops[at] & FEATURE_INDEX);
            out->edge[k] = FEATURE_EDGE | (unsigned)(at & FEATURE_INDEX);
        }
        return;
    }
    int vertex = 0;
    for (int v = 1; v < h->vertex_count; ++v) {
        vertex = v3_dot(h->vertices[v], d) > v3_dot(h->vertices[vertex], d) ? v : vertex;
    }
    int edge = -1;
    double flattest = tolerance;
    for (int e = 0; e < h->edge_count; ++e) {
        const int *v = h->edges[e].vertex;
        if (v[0] != vertex && v[1] != vertex) {
            continue;
        }
        pawl_vec3 along = v3_sub(h->vertices[v[1]], h->vertices[v[0]]);
        double slope = fabs(v3_dot(along, d)) / v3_norm(along);
        if (slope < flattest) {
            flattest = slope;
            edge = e;
        }
    }
    if (edge >= 0) {
        int v = h->edges[edge].vertex[0], w = h->edges[edge].vertex[1];
        patch_segment(out, shape_to_world(s, h->vertices[v]), shape_to_world(s, h->vertices[w]),
                      (unsigned)(v & FEATURE_INDEX), (unsigned)(w & FEATURE_INDEX),
                      FEATURE_EDGE | (unsigned)(edge & FEATURE_INDEX));
    } else {
        patch_point(out, shape_to_world(s, h->vertices[vertex]),
                    FEATURE_VERTEX | (unsigned)(vertex & FEATURE_INDEX));
    }
}

// The point of the rim at the end z = end * half length that is furthest along the direction.
pawl_vec3 pawl_cylinder_rim(const placed_shape *s, pawl_vec3 direction, double end)
{
    pawl_vec3 d = shape_to_local(s, direction);
    double across = sqrt(d.x * d.x + d.y * d.y);
    double scale = across > 0.0 ? s->size.x / across : 0.0;
    return shape_to_world(s, v3(scale * d.x, scale * d.y, end * s->size.z));
}

static void patch_cylinder(const placed_shape *s, pawl_vec3 d, double tolerance, surface_patch *out)
{
    double across = sqrt(d.x * d.x + d.y * d.y);
    double end = copysign(1.0, d.z);
    pawl_vec3 world = m3_mul(&s->axes, d);
    if (across < tolerance) {
        // Points fixed on the rim: those of a cylinder that stands do not wander.
        static const double turn[PATCH_RIM][2] = {
            {1.0, 0.0},  {0.5, 0x1.bb67ae8584caap-1},   {-0.5, 0x1.bb67ae8584caap-1},
            {-1.0, 0.0}, {-0.5, -0x1.bb67ae8584caap-1}, {0.5, -0x1.bb67ae8584caap-1}};
        out->kind = PATCH_DISC;
        out->count = PATCH_RIM;
        out->radius = s->size.x;
        out->centre = shape_to_world(s, v3(0.0, 0.0, end * s->size.z));
        out->normal = v3_scale(end, m3_column(&s->axes, 2));
        out->face = FEATURE_FACE | (end > 0.0);
        for (int k = 0; k < PATCH_RIM; ++k) {
            int at = end > 0.0 ? k : PATCH_RIM - 1 - k;
            out->p[k] = shape_to_world(
                s, v3(s->size.x * turn[at][0], s->size.x * turn[at][1], end * s->size.z));
            out->vertex[k] = FEATURE_VERTEX | (unsigned)(2 * at + (end > 0.0));
            out->edge[k] = FEATURE_EDGE | (unsigned)(end > 0.0);
        }
    } else if (fabs(d.z) < tolerance) {
        patch_segment(out, pawl_cylinder_rim(s, world, -1.0), pawl_cylinder_rim(s, world, 1.0),
                      FEATURE_CURVED | 0, FEATURE_CURVED | 1, FEATURE_CURVED | 2);
    } else {
        patch_point(out, pawl_cylinder_rim(s, world, end), FEATURE_CURVED | (end > 0.0));
    }
}

// `direction` (world, unit) is that in which the other shape lies; `tolerance` is a sine.
void pawl_surface_patch(const placed_shape *s, pawl_vec3 direction, double tolerance,
                        surface_patch *out)
{
    pawl_vec3 d = shape_to_local(s, direction);
    switch (s->kind) {
    case PAWL_SHAPE_BOX:
        patch_box(s, d, tolerance, out);
        return;
    case PAWL_SHAPE_HULL:
        patch_hull(s, d, tolerance, out);
        return;
    case PAWL_SHAPE_CYLINDER:
        patch_cylinder(s, d, tolerance, out);
        return;
    case PAWL_SHAPE_CAPSULE:
        if (fabs(d.z) < tolerance) {
            patch_segment(out, shape_to_world(s, v3(0.0, 0.0, -s->size.z)),
                          shape_to_world(s, v3(0.0, 0.0, s->size.z)), FEATURE_CURVED | 0,
                          FEATURE_CURVED | 1, FEATURE_CURVED | 2);
            return;
        }
        patch_point(out, pawl_shape_support(s, direction), FEATURE_CURVED | (d.z > 0.0));
        return;
    case PAWL_SHAPE_SPHERE:
    case PAWL_SHAPE_ELLIPSOID:
    case PAWL_SHAPE_PLANE:
    case PAWL_SHAPE_HEIGHTFIELD:
    case PAWL_SHAPE_MESH:
    case PAWL_SHAPE_COUNT:
        break;
    }
    patch_point(out, pawl_shape_support(s, direction), FEATURE_CURVED);
}
