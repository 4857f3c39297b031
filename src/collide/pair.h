// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Stages of the narrow phase that several pairs use. Shapes are in canonical order and relative to the first one's
// origin, so that numbers are small everywhere in the world.
#pragma once
#include "collide/manifold.h"

typedef void collide_function(const placed_shape *a, const placed_shape *b, double margin,
                              contact_manifold *out);
// One family a file; rows of the table in pair_table.c.
collide_function pawl_collide_plane;  // b is a plane
collide_function pawl_collide_round;  // spheres and capsules against each other
collide_function pawl_collide_ball;   // a sphere against a box, cylinder or ellipsoid
collide_function pawl_collide_boxes;  // two boxes
collide_function pawl_collide_convex; // any two that are not planes

// Signed distance along one direction: every unit vector gives a lower bound of the true one, and
// the best gives it. Of the cores: radii are not taken off.
static inline double pair_gap_along(const placed_shape *a, const placed_shape *b, pawl_vec3 n)
{
    pawl_vec3 p = pawl_shape_support(a, n), q = pawl_shape_support(b, v3_scale(-1.0, n));
    return v3_dot(n, v3_sub(q, p));
}

// A unit vector across two unit vectors, exactly across the first; false when these are parallel.
// Nearly parallel ones leave few digits in their product: the second pass makes the answer lie
// across both to rounding all the same.
static inline bool pair_across(pawl_vec3 e, pawl_vec3 f, pawl_vec3 *n)
{
    pawl_vec3 c = v3_cross(e, f);
    double length = v3_norm(c);
    if (!(length > 1e-12)) {
        return false;
    }
    c = v3_scale(1.0 / length, c);
    c = v3_axpy(c, -v3_dot(c, e), e);
    *n = v3_scale(1.0 / v3_norm(c), c);
    return true;
}

// Where two cores are closest, or how to part them.
typedef struct pair_axis {
    pawl_vec3 n;          // unit, from a to b
    double gap;           // of the cores
    pawl_vec3 on_a, on_b; // closest points, if known
    bool has_points;
} pair_axis;

typedef enum gjk_result { GJK_APART, GJK_BEYOND, GJK_OVERLAP } gjk_result;
// Distance of cores (Gilbert, Johnson, Keerthi). GJK_BEYOND: they are further apart than `limit`.
// GJK_OVERLAP: nearer than rounding can tell; axis is not written.
gjk_result pawl_gjk_distance(const placed_shape *a, const placed_shape *b, double limit,
                             pair_axis *axis);
// Least translation that parts two polytopes, from the faces and pairs of edges of both: exact.
// At least one has faces. False when some axis shows a gap above `limit`.
bool pawl_polytope_penetration(const placed_shape *a, const placed_shape *b, double limit,
                               pair_axis *axis);
// The same for any cores whose difference is solid, by an expanding polytope: nearly the best
// direction of all, which pawl_refine_axis() makes exact.
void pawl_expand_penetration(const placed_shape *a, const placed_shape *b, pair_axis *axis);
// Improves a direction to the best one near it: Newton's method on the sphere, or on the circles
// and points where faces and edges put kinks. Never makes it worse.
void pawl_refine_axis(const placed_shape *a, const placed_shape *b, double tolerance,
                      pair_axis *axis);

// Points for a known axis: the parts of both surfaces that face each other along n, clipped against each other. `gap`
// in the axis is that of the cores.
void pawl_manifold_from_axis(const placed_shape *a, const placed_shape *b, double margin,
                             const pair_axis *axis, contact_manifold *out);

// Candidates for a manifold, before it is cut down to MANIFOLD_POINTS.
enum { CANDIDATE_MAX = 256 };
typedef struct candidate_list {
    int count;
    contact_point point[CANDIDATE_MAX];
} candidate_list;
void pawl_candidate_add(candidate_list *list, pawl_vec3 position, double gap, unsigned feature_a,
                        unsigned feature_b);
// The points of a shape within `margin` of a half space with unit normal `up` through `at`, or inside it.
void pawl_plane_points(const placed_shape *a, pawl_vec3 up, pawl_vec3 at, double margin,
                       candidate_list *list);
// Leaves out copies nearer than `tolerance` (the first stays), keeps the deepest and then the ones
// furthest from those kept, sorts by feature. The list is used up.
void pawl_manifold_reduce(candidate_list *list, pawl_vec3 normal, double tolerance,
                          contact_manifold *out);

// 16 bits a side: what kind of feature, and which.
enum {
    FEATURE_VERTEX = 0x0000,
    FEATURE_EDGE = 0x4000,
    FEATURE_FACE = 0x8000,
    FEATURE_CURVED = 0xc000, // on a curved surface or rim: moves along it
    FEATURE_INDEX = 0x3fff
};

// The part of a core that faces a direction: a point, a segment, a polygon, or a disc with points on its rim.
enum { PATCH_POINTS = 64, PATCH_RIM = 6 };
typedef enum patch_kind { PATCH_POINT, PATCH_SEGMENT, PATCH_POLYGON, PATCH_DISC } patch_kind;
typedef struct surface_patch {
    patch_kind kind;
    int count;
    pawl_vec3 p[PATCH_POINTS]; // polygons: counter-clockwise seen from outside
    unsigned vertex[PATCH_POINTS], edge[PATCH_POINTS]; // feature of p[i], and of p[i] to p[i + 1]
    unsigned face;
    pawl_vec3 normal; // of polygons and discs, outward
    pawl_vec3 centre; // of a disc
    double radius;
} surface_patch;
// Faces within `tolerance` [rad] of the direction count, and edges within that of a right angle.
void pawl_surface_patch(const placed_shape *s, pawl_vec3 direction, double tolerance,
                        surface_patch *out);
// A point on the lower or upper rim of a cylinder, where it reaches furthest.
pawl_vec3 pawl_cylinder_rim(const placed_shape *s, pawl_vec3 direction, double end);
