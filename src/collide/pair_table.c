// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The function for each pair of kinds, and the steps common to all: a canonical order of the two shapes, so that
// results do not depend on which one is A; coordinates relative to the first shape; no input or output that is not
// finite.
#include "collide/height_grid.h"
#include "collide/mesh_surface.h"
#include "collide/pair.h"

static const int pair_rank[PAWL_SHAPE_COUNT] = {
    [PAWL_SHAPE_SPHERE] = 0,   [PAWL_SHAPE_CAPSULE] = 1,     [PAWL_SHAPE_BOX] = 2,
    [PAWL_SHAPE_CYLINDER] = 3, [PAWL_SHAPE_ELLIPSOID] = 4,   [PAWL_SHAPE_HULL] = 5,
    [PAWL_SHAPE_PLANE] = 6,    [PAWL_SHAPE_HEIGHTFIELD] = 7, [PAWL_SHAPE_MESH] = 8};

// By rank, first the lower one. Surfaces of triangles are no row of it: pawl_collide_shapes().
static collide_function *const pair_table[PAWL_SHAPE_COUNT][PAWL_SHAPE_COUNT] = {
    // sphere, capsule, box, cylinder, ellipsoid, hull, plane
    {pawl_collide_round, pawl_collide_round, pawl_collide_ball, pawl_collide_ball,
     pawl_collide_ball, pawl_collide_convex, pawl_collide_plane},
    {NULL, pawl_collide_round, pawl_collide_convex, pawl_collide_convex, pawl_collide_convex,
     pawl_collide_convex, pawl_collide_plane},
    {NULL, NULL, pawl_collide_boxes, pawl_collide_convex, pawl_collide_convex, pawl_collide_convex,
     pawl_collide_plane},
    {NULL, NULL, NULL, pawl_collide_convex, pawl_collide_convex, pawl_collide_convex,
     pawl_collide_plane},
    {NULL, NULL, NULL, NULL, pawl_collide_convex, pawl_collide_convex, pawl_collide_plane},
    {NULL, NULL, NULL, NULL, NULL, pawl_collide_convex, pawl_collide_plane},
    {NULL, NULL, NULL, NULL, NULL, NULL, pawl_collide_plane},
};

// One question for all fifteen numbers: 0 x is 0 where x is finite, and no number elsewhere.
static bool pair_is_finite(const placed_shape *s)
{
    double sum = 0.0 * s->position.x + 0.0 * s->position.y + 0.0 * s->position.z + 0.0 * s->size.x +
                 0.0 * s->size.y + 0.0 * s->size.z;
    for (int k = 0; k < 3; ++k) {
        sum += 0.0 * s->axes.m[k][0] + 0.0 * s->axes.m[k][1] + 0.0 * s->axes.m[k][2];
    }
    return sum == 0.0;
}

static bool pair_is_surface(const placed_shape *s)
{
    return s->kind == PAWL_SHAPE_HEIGHTFIELD || s->kind == PAWL_SHAPE_MESH;
}

// Kinds first, then names; shapes without different names go by where they are.
static bool pair_in_order(const placed_shape *a, const placed_shape *b)
{
    int ra = pair_rank[a->kind], rb = pair_rank[b->kind];
    if (ra != rb) {
        return ra < rb;
    }
    if (a->key != b->key) {
        return a->key < b->key;
    }
    const double *p = &a->position.x, *q = &b->position.x;
    for (int k = 0; k < 3; ++k) {
        if (p[k] != q[k]) {
            return p[k] < q[k];
        }
    }
    return true;
}

// The order makes the result the same bits for (a, b) and (b, a) but for the sign of the normal. Numbers relative
// to the first shape lose no digits far from the world's origin.
void pawl_collide_pair(const placed_shape *a, const placed_shape *b, double margin,
                       contact_manifold *out)
{
    out->count = 0;
    out->normal = v3(0.0, 0.0, 1.0);
    if (!pair_is_finite(a) || !pair_is_finite(b) || !isfinite(margin) || pair_is_surface(a) ||
        pair_is_surface(b)) {
        return;
    }
    bool swapped = !pair_in_order(a, b);
    placed_shape first = swapped ? *b : *a, second = swapped ? *a : *b;
    pawl_vec3 origin = first.position;
    first.position = v3(0.0, 0.0, 0.0);
    second.position = v3_sub(second.position, origin);
    pair_table[pair_rank[first.kind]][pair_rank[second.kind]](&first, &second, margin, out);
    int kept = 0;
    for (int i = 0; i < out->count; ++i) {
        contact_point p = out->point[i];
        p.position = v3_add(p.position, origin);
        if (v3_finite(p.position) && isfinite(p.gap)) {
            out->point[kept++] = p;
        }
    }
    out->count = v3_finite(out->normal) ? kept : 0;
    if (swapped) {
        out->normal = v3_scale(-1.0, out->normal);
    }
}

// Two of which b is a surface; the rank of a is not above its own. Of a mesh no point in a hollow can touch a plane,
// and a field touches its hull.
static int pair_with_surface(const placed_shape *a, const placed_shape *b, double margin,
                             contact_manifold *out, int room)
{
    placed_shape hull = *b;
    hull.kind = PAWL_SHAPE_HULL;
    if (b->kind == PAWL_SHAPE_HEIGHTFIELD) {
        return pawl_height_grid_collide(a, b, margin, out, room);
    }
    if (a->kind == PAWL_SHAPE_MESH) {
        return pawl_mesh_collide_meshes(a, b, margin, out, room);
    }
    if (a->kind == PAWL_SHAPE_PLANE) {
        pawl_collide_pair(a, &hull, margin, out);
        return out->count > 0 ? 1 : 0;
    }
    if (a->kind == PAWL_SHAPE_HEIGHTFIELD) {
        int count = pawl_height_grid_collide(&hull, a, margin, out, room);
        for (int k = 0; k < count; ++k) {
            out[k].normal = v3_scale(-1.0, out[k].normal);
        }
        return count;
    }
    return pawl_mesh_collide(a, b, margin, out, room);
}

// A convex mesh touches convex shapes as a hull: depths are exact for any triangles.
static const placed_shape *pair_solid(const placed_shape *s, placed_shape *hull)
{
    if (s->kind != PAWL_SHAPE_MESH || !s->mesh->convex) {
        return s;
    }
    *hull = *s;
    hull->kind = PAWL_SHAPE_HULL;
    return hull;
}

// Any two shapes. Returns the number of manifolds, at most `room`; convex pairs have one.
int pawl_collide_shapes(const placed_shape *a, const placed_shape *b, double margin,
                        contact_manifold *out, int room)
{
    placed_shape hull_a, hull_b;
    const placed_shape *solid_a = pair_solid(a, &hull_a), *solid_b = pair_solid(b, &hull_b);
    if (!pair_is_surface(solid_a) && !pair_is_surface(solid_b)) {
        a = solid_a;
        b = solid_b;
    }
    if (!pair_is_surface(a) && !pair_is_surface(b)) {
        pawl_collide_pair(a, b, margin, out);
        return out->count > 0 ? 1 : 0;
    }
    if (!pair_is_finite(a) || !pair_is_finite(b) || !isfinite(margin)) {
        return 0;
    }
    bool swapped = !pair_in_order(a, b);
    int count = pair_with_surface(swapped ? b : a, swapped ? a : b, margin, out, room);
    for (int k = 0; swapped && k < count; ++k) {
        out[k].normal = v3_scale(-1.0, out[k].normal);
    }
    return count;
}
