// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Anything on a half space: the points of the shape that reach deepest, in closed form.
#include "collide/pair.h"

typedef struct plane_contact {
    pawl_vec3 up, at; // the plane's normal and a point of it
    double margin, radius;
    candidate_list *list;
} plane_contact;

// Of a point of the core; the radius of round shapes is subtracted.
static double plane_gap(const plane_contact *c, pawl_vec3 core_point)
{
    return v3_dot(c->up, v3_sub(core_point, c->at)) - c->radius;
}

static void plane_add(plane_contact *c, pawl_vec3 core_point, unsigned feature)
{
    double gap = plane_gap(c, core_point);
    if (gap <= c->margin) {
        pawl_candidate_add(c->list, v3_axpy(core_point, -(c->radius + 0.5 * gap), c->up), gap,
                           feature, FEATURE_FACE);
    }
}

// Standing, leaning and lying cylinders. Leaning, the lowest point of either end is enough.
static void plane_cylinder(const placed_shape *s, plane_contact *c)
{
    pawl_vec3 down = v3_scale(-1.0, c->up);
    double end = v3_dot(m3_column(&s->axes, 2), down) > 0.0 ? 1.0 : -1.0;
    pawl_vec3 lowest = pawl_cylinder_rim(s, down, end);
    surface_patch patch;
    pawl_surface_patch(s, down, 0.1, &patch);
    if (patch.kind == PATCH_DISC) {
        // It stands: points fixed on the rim, and the lowest of all as soon as it is lower.
        double depth = INFINITY;
        for (int k = 0; k < patch.count; ++k) {
            double gap = plane_gap(c, patch.p[k]);
            depth = gap < depth ? gap : depth;
            plane_add(c, patch.p[k], patch.vertex[k]);
        }
        if (plane_gap(c, lowest) < depth - 1e-10 * pawl_shape_scale(s)) {
            plane_add(c, lowest, FEATURE_CURVED | (end > 0.0));
        }
        return;
    }
    plane_add(c, lowest, FEATURE_CURVED | (end > 0.0));
    plane_add(c, pawl_cylinder_rim(s, down, -end), FEATURE_CURVED | (end <= 0.0));
}

void pawl_plane_points(const placed_shape *a, pawl_vec3 up, pawl_vec3 at, double margin,
                       candidate_list *list)
{
    plane_contact c = {
        .up = up, .at = at, .margin = margin, .radius = pawl_shape_radius(a), .list = list};
    pawl_vec3 down = v3_scale(-1.0, up), e = a->size;
    list->count = 0;
    switch (a->kind) {
    case PAWL_SHAPE_CAPSULE:
        plane_add(&c, shape_to_world(a, v3(0.0, 0.0, -e.z)), FEATURE_CURVED | 0);
        plane_add(&c, shape_to_world(a, v3(0.0, 0.0, e.z)), FEATURE_CURVED | 1);
        break;
    case PAWL_SHAPE_BOX:
        for (unsigned v = 0; v < 8; ++v) {
            plane_add(
                &c,
                shape_to_world(a, v3(v & 1 ? e.x : -e.x, v & 2 ? e.y : -e.y, v & 4 ? e.z : -e.z)),
                FEATURE_VERTEX | v);
        }
        break;
    case PAWL_SHAPE_CYLINDER:
        plane_cylinder(a, &c);
        break;
    case PAWL_SHAPE_HULL: {
        // the lowest first: more vertices may be in reach than there is room for
        surface_patch patch;
        pawl_surface_patch(a, down, 0.0, &patch);
        plane_add(&c, patch.p[0], patch.vertex[0]);
        for (int v = 0; v < a->hull->vertex_count; ++v) {
            if ((unsigned)v != patch.vertex[0]) {
                plane_add(&c, shape_to_world(a, a->hull->vertices[v]),
                          FEATURE_VERTEX | (unsigned)(v & FEATURE_INDEX));
            }
        }
        break;
    }
    default:
        plane_add(&c, pawl_shape_support(a, down), FEATURE_CURVED);
        break;
    }
}

// a is the shape, b the plane: the half space below its z axis. The normal points from the shape into the plane.
void pawl_collide_plane(const placed_shape *a, const placed_shape *b, double margin,
                        contact_manifold *out)
{
    pawl_vec3 up = m3_column(&b->axes, 2), down = v3_scale(-1.0, up);
    out->normal = down;
    out->count = 0;
    if (a->kind == PAWL_SHAPE_PLANE) {
        return; // half spaces overlap or not, but have no points of contact
    }
    candidate_list list;
    pawl_plane_points(a, up, b->position, margin, &list);
    pawl_manifold_reduce(&list, down, 1e-9 * pawl_shape_scale(a), out);
}
