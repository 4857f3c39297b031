// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A shape placed in the world, seen as a convex set: a core (point, segment, polytope, cylinder or
// ellipsoid) grown by a radius. Spheres and capsules are a point and a segment with a radius; the others have radius
// 0. The narrow phase works on cores and adds the radii at the end, which is exact: growing both sets changes the
//    support functions by constants and no normal.
#pragma once
#include "model/hull.h"
#include "model/model.h"

typedef struct placed_shape {
    pawl_shape_kind kind;
    pawl_vec3 size;
    pawl_vec3 position;             // of the shape's frame, in the world
    pawl_mat3 axes;                 // columns: the shape's axes in the world
    const convex_hull *hull;        // of hulls, and around meshes; in the shape's frame
    const struct height_grid *grid; // PAWL_SHAPE_HEIGHTFIELD only; likewise
    const struct tri_mesh *mesh;    // PAWL_SHAPE_MESH only; likewise, with its hull in `hull`
    int key; // names the shape; two shapes that meet are taken in order of (kind, key)
} placed_shape;

placed_shape pawl_shape_place(const pawl_shape_def *def, const convex_hull *hull, pawl_pose frame,
                              int key);
// The same with the hull or mesh that it needs, but for the grids of heightfields; given back by the other function.
pawl_status pawl_shape_build(const pawl_env *env, const pawl_shape_def *def, pawl_pose frame,
                             int key, placed_shape *out);
void pawl_shape_unbuild(const pawl_env *env, placed_shape *shape);
static inline pawl_vec3 shape_to_local(const placed_shape *s, pawl_vec3 direction)
{
    return m3_tmul(&s->axes, direction);
}
static inline pawl_vec3 shape_to_world(const placed_shape *s, pawl_vec3 local_point)
{
    return v3_add(s->position, m3_mul(&s->axes, local_point));
}

double pawl_shape_radius(const placed_shape *s); // by which the core is grown
// The core's point farthest along a direction (need not be a unit vector), in the world.
pawl_vec3 pawl_shape_support(const placed_shape *s, pawl_vec3 direction);
// Second derivative of the core's support function at a unit direction, where it has one; 0 for
// polytopes. Added to H.
void pawl_shape_add_curvature(const placed_shape *s, pawl_vec3 direction, pawl_mat3 *H);
// A sphere around `position` that holds the grown shape; infinite for planes and heightfields.
double pawl_shape_bounding_radius(const placed_shape *s);
// A sphere around its centre (the hull's for hulls, else `position`) that the grown shape holds;
// infinite for planes and heightfields.
double pawl_shape_inner_radius(const placed_shape *s);
// The box around the grown shape in world axes. Not for planes and heightfields.
void pawl_shape_bounds(const placed_shape *s, pawl_vec3 *low, pawl_vec3 *high);
// A length of the order of the shape's largest extent, for tolerances.
double pawl_shape_scale(const placed_shape *s);
// Whether it has no box around it: planes and heightfields.
static inline bool shape_is_endless(const placed_shape *s)
{
    return s->kind == PAWL_SHAPE_PLANE || s->kind == PAWL_SHAPE_HEIGHTFIELD;
}
static inline bool shape_is_polytope(const placed_shape *s) // its core
{
    return s->kind == PAWL_SHAPE_SPHERE || s->kind == PAWL_SHAPE_CAPSULE ||
           s->kind == PAWL_SHAPE_BOX || s->kind == PAWL_SHAPE_HULL;
}

// Directions at which the core's support point is not unique, near a given one: normals of faces
// and directions of straight edges (which lie across the direction). World axes, unit vectors.
enum { SHAPE_KINK_FACES = 2, SHAPE_KINK_EDGES = 6 };
typedef struct shape_kinks {
    int face_count, edge_count;
    pawl_vec3 face[SHAPE_KINK_FACES];
    pawl_vec3 edge[SHAPE_KINK_EDGES];
} shape_kinks;
void pawl_shape_kinks(const placed_shape *s, pawl_vec3 direction, double tolerance,
                      shape_kinks *out);

// Two unit vectors that make a right-handed frame with the unit vector n, a smooth choice almost
// everywhere.
void pawl_tangents(pawl_vec3 n, pawl_vec3 *t1, pawl_vec3 *t2);
static inline pawl_vec3 v3_unit_or(pawl_vec3 v, pawl_vec3 fallback)
{
    double length = v3_norm(v);
    return length > 0.0 && isfinite(length) ? v3_scale(1.0 / length, v) : fallback;
}
