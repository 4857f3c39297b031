// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The path of a shape's centre within a step is a segment as seen from the other shape, and the narrow phase computes
// the depth of a segment in a shape. Only the few pairs that moved far enough are tested: a shape that contains a
// ball of radius r about its centre and is not inside the other one must move by r before its centre can be inside.
#include "collide/crossing.h"
#include "collide/contact.h"
#include "model/tri_mesh.h"

static const double crossing_inside = 1.0; // half the thickness of the thinner shape
static const pawl_mat3 crossing_upright = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

typedef struct crossing_search {
    const collider *c;
    const body_state *before, *after;
    state_overlaps began;
    double margin, deepest;
    shape_crossing found;
} crossing_search;

static pawl_vec3 crossing_centre(const collider *c, int item)
{
    const convex_hull *hull = c->placed[item].hull;
    return hull != NULL ? hull->centre : v3(0.0, 0.0, 0.0);
}

static pawl_vec3 crossing_centre_at(const collider *c, const body_state *bodies, int item)
{
    pawl_pose a = pawl_collider_frame(c, bodies, item);
    return v3_add(a.position, pawl_quat_rotate(a.orientation, crossing_centre(c, item)));
}

// From the position of `other` to the centre of `item`, in world axes.
static pawl_vec3 crossing_offset(const collider *c, const body_state *bodies, int item, int other)
{
    return v3_sub(crossing_centre_at(c, bodies, item),
                  pawl_collider_frame(c, bodies, other).position);
}

// Whether the centre of one of two shapes has been inside the other since the start.
static bool crossing_began(const crossing_search *s, int shape_a, int shape_b)
{
    for (int k = 0; k < s->began.count; ++k) {
        int a, b;
        pawl_contact_shapes(s->began.pair[k].id, &a, &b);
        if (a == shape_a && b == shape_b) {
            return s->began.pair[k].depth >= crossing_inside;
        }
    }
    return false;
}

static void crossing_note(crossing_search *s, int i, int j)
{
    int a = s->c->shape[i < j ? i : j], b = s->c->shape[i < j ? j : i];
    if (crossing_began(s, a, b)) {
        return;
    }
    if (s->found.count++ == 0) {
        s->found.shape_a = a;
        s->found.shape_b = b;
    }
}

// How deep the segment from p to q is inside a shape at the origin; 0 if it is not.
// `turned` is the orientation of the shape; p and q are relative to its position, in world axes. The path is a
// capsule of radius 0, or a sphere of radius 0 where it has no length.
static double crossing_depth(const placed_shape *shape, pawl_quat turned, pawl_vec3 p, pawl_vec3 q)
{
    placed_shape still = *shape;
    still.position = v3(0.0, 0.0, 0.0);
    still.axes = quat_matrix(turned);
    pawl_vec3 displacement = v3_sub(q, p);
    double length = v3_norm(displacement);
    placed_shape path = {.kind = length > 0.0 ? PAWL_SHAPE_CAPSULE : PAWL_SHAPE_SPHERE,
                         .size = v3(0.0, 0.0, 0.5 * length),
                         .position = v3_scale(0.5, v3_add(p, q)),
                         .axes = crossing_upright,
                         .key = -1};
    if (length > 0.0) {
        pawl_vec3 z = v3_scale(1.0 / length, displacement), x, y;
        pawl_tangents(z, &x, &y);
        path.axes = (pawl_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    }
    contact_manifold manifold;
    pawl_collide_pair(&path, &still, 0.0, &manifold);
    double depth = 0.0;
    for (int k = 0; k < manifold.count; ++k) {
        depth = max_of(depth, -manifold.point[k].gap);
    }
    return depth;
}

// Where a plane or heightfield is.
typedef struct crossing_ground {
    pawl_pose frame;
    pawl_vec3 up;
    const struct height_grid *grid; // NULL: a plane
} crossing_ground;

static crossing_ground crossing_ground_of(const collider *c, const body_state *bodies, int endless)
{
    pawl_pose frame = pawl_collider_frame(c, bodies, endless);
    bool field = c->placed[endless].kind == PAWL_SHAPE_HEIGHTFIELD;
    return (crossing_ground){.frame = frame,
                             .up = pawl_quat_rotate(frame.orientation, v3(0.0, 0.0, 1.0)),
                             .grid = field ? c->placed[endless].grid : NULL};
}

// How deep a point is inside a plane or under a heightfield.
static double crossing_under(const crossing_ground *ground, pawl_vec3 at)
{
    pawl_vec3 q = v3_sub(at, ground->frame.position);
    if (ground->grid != NULL) {
        return pawl_height_grid_depth(ground->grid,
                                      pawl_quat_rotate(quat_conj(ground->frame.orientation), q));
    }
    return -v3_dot(ground->up, q);
}

// All centres against one plane or heightfield: most are above it after the step; only the others are tested further.
static void crossing_search_endless(crossing_search *s, int endless)
{
    const collider *c = s->c;
    crossing_ground after = crossing_ground_of(c, s->after, endless);
    crossing_ground before = crossing_ground_of(c, s->before, endless);
    for (int k = 0; k < c->boxed_count; ++k) {
        int item = c->boxed[k];
        if (c->any_resting && c->resting[item] && c->resting[endless]) {
            continue;
        }
        if (crossing_under(&after, c->centre[item]) > s->margin &&
            !(crossing_under(&before, crossing_centre_at(c, s->before, item)) > s->margin) &&
            pawl_collider_may_touch(c, item, endless)) {
            crossing_note(s, item, endless);
        }
    }
}

// Whether a centre went from the outer to the inner side of a mesh, or through it. p and q are relative to the mesh, in
// world axes, before and after the step.
static bool crossing_into_mesh(const crossing_search *s, const tri_mesh *mesh, int other,
                               pawl_vec3 p, pawl_vec3 q)
{
    pawl_quat first = pawl_collider_frame(s->c, s->before, other).orientation;
    pawl_quat last = pawl_collider_frame(s->c, s->after, other).orientation;
    pawl_vec3 from = pawl_quat_rotate(quat_conj(first), p);
    pawl_vec3 path = v3_sub(pawl_quat_rotate(quat_conj(last), q), from);
    double length = v3_norm(path), distance;
    if (!(length > 0.0)) {
        return false;
    }
    pawl_vec3 along = v3_scale(1.0 / length, path);
    int met = pawl_tri_mesh_ray(mesh, from, along, length, &distance);
    return met >= 0 && v3_dot(mesh->triangles[met].normal, along) < 0.0;
}

// Whether the centre of `item` went through `other`, as the other is turned before the step and as it
// is after it: a straight line, seen from what turns, would be a curve.
static bool crossing_through(const crossing_search *s, int item, int other)
{
    const collider *c = s->c;
    const placed_shape *shape = &c->placed[other];
    pawl_vec3 p = crossing_offset(c, s->before, item, other);
    pawl_vec3 q = crossing_offset(c, s->after, item, other);
    if (v3_norm(v3_sub(q, p)) + s->deepest < c->inner[item]) {
        return false;
    }
    if (shape->kind == PAWL_SHAPE_MESH) {
        return crossing_into_mesh(s, shape->mesh, other, p, q);
    }
    // Thin shapes would never be deep enough for a fixed margin.
    double threshold = fmin(s->margin, 0.5 * c->inner[other]);
    pawl_quat first = pawl_collider_frame(c, s->before, other).orientation;
    pawl_quat last = pawl_collider_frame(c, s->after, other).orientation;
    return crossing_depth(shape, first, p, q) > threshold &&
           crossing_depth(shape, last, p, q) > threshold &&
           !(crossing_depth(shape, first, p, p) > threshold);
}

// How far the position and the centre of each item went, whichever went further. Returns whether any
// of them went far enough for a pair of shapes to be worth a look.
static bool crossing_measure(const crossing_search *s)
{
    const collider *c = s->c;
    double fastest = 0.0, inner = INFINITY;
    for (int k = 0; k < c->boxed_count; ++k) {
        int item = c->boxed[k];
        if (c->any_resting && c->resting[item]) {
            c->moved[item] = 0.0;
            continue;
        }
        pawl_pose a = pawl_collider_frame(c, s->before, item);
        pawl_pose b = pawl_collider_frame(c, s->after, item);
        pawl_vec3 moved = v3_sub(b.position, a.position), centre = crossing_centre(c, item);
        pawl_vec3 turned = v3_sub(pawl_quat_rotate(b.orientation, centre),
                                  pawl_quat_rotate(a.orientation, centre));
        c->moved[item] = max_of(v3_norm(moved), v3_norm(v3_add(moved, turned)));
        fastest = max_of(fastest, c->moved[item]);
        inner = fmin(inner, c->inner[item]);
    }
    return 2.0 * fastest + s->deepest >= inner;
}

// margin [m]: centres that are less deep than this do not count. deepest [m]: the largest penetration of the step,
// which lets shapes that overlap already pass through after a shorter motion. Planes and heightfields are tested for
// every shape, because a shape below them may no longer be in any pair.
shape_crossing pawl_collider_crossings(const collider *c, const body_state *before,
                                       const body_state *after, state_overlaps began, double margin,
                                       double deepest)
{
    crossing_search s = {.c = c,
                         .before = before,
                         .after = after,
                         .began = began,
                         .margin = margin,
                         .deepest = 2.0 * deepest, // it may have been more when the step began
                         .found = {0, -1, -1}};
    for (int k = 0; k < c->boxed_count && c->endless_count > 0; ++k) {
        c->centre[c->boxed[k]] = crossing_centre_at(c, after, c->boxed[k]);
    }
    for (int p = 0; p < c->endless_count; ++p) {
        crossing_search_endless(&s, c->endless[p]);
    }
    if (c->pair_count == 0 || !crossing_measure(&s)) {
        return s.found;
    }
    for (int k = 0; k < c->pair_count; ++k) {
        int i = (int)(c->pairs[k] >> 32), j = (int)(c->pairs[k] & 0xffffffffu);
        bool endless = shape_is_endless(&c->placed[i]) || shape_is_endless(&c->placed[j]);
        if (endless || c->moved[i] + c->moved[j] + s.deepest < fmin(c->inner[i], c->inner[j])) {
            continue;
        }
        if (crossing_through(&s, i, j) || crossing_through(&s, j, i)) {
            crossing_note(&s, i, j);
        }
    }
    return s.found;
}
