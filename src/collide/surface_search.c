// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A convex shape first touches a surface of triangles in one of three ways:
//
// - a corner, rim or curved side of the shape touches a face: the shape against the face's plane
//   (pair_plane.c); only points that belong to the face are kept. In a flat region these are the points that a plane
//   would give, with identifiers that do not depend on the triangle;
// - a ridge touches an edge or side of the shape: the ridge as a capsule of radius 0;
// - a peak touches a face or side of the shape: the peak as a sphere of radius 0.
//
// Each gives the best direction of its own pair. The normal cone of the feature decides whether it is valid for the
// surface: if the neighbour of a triangle rises above the direction from one of its edges, the shape is nearer to the
// neighbour, and the point belongs to the neighbour.
#include "collide/surface_search.h"
#include "base/hash.h"
#include "collide/pair.h"

// Faces this parallel [rad] are one; a ridge flatter than this is none.
static const double surface_flat = 1e-6;
// How far outside a normal cone [rad] a direction is moved to its border: as for the tilt of patches.
static const double surface_tilt = 0.1;
// Points nearer than this (of the shape's size) with one normal are one.
static const double surface_copies = 1e-7;

enum { SURFACE_OF_FACE = 1, SURFACE_OF_EDGE, SURFACE_OF_VERTEX, SURFACE_SUNK, SURFACE_OF_PART };

void pawl_surface_begin(surface_search *s, const placed_shape *shape, double margin,
                        surface_inside *inside, const void *surface, pawl_vec3 usual)
{
    s->shape = shape;
    s->margin = margin;
    s->scale = pawl_shape_scale(shape);
    s->inside = inside;
    s->surface = surface;
    s->usual = usual;
    s->exits = true;
    s->tilt = surface_flat;
    s->sunk.gap = s->stuck.gap = 0.0;
    s->count = 0;
    pawl_shape_bounds(shape, &s->low, &s->high);
    s->low = v3_sub(s->low, v3(margin, margin, margin));
    s->high = v3_add(s->high, v3(margin, margin, margin));
}

// A name of 32 bits: which feature of the surface, and which of the shape. The identifier of a face depends on its
// normal, so that a shape sliding over a flat region keeps its identifiers, and with them its warm starts, from
// triangle to triangle. The surface's usual normal goes without: names order the rows of a problem, and where forces
// are not unique, as under four corners, a flat field should give those of a plane.
static uint32_t surface_name(int kind, const int64_t key[3], uint32_t of_shape)
{
    int64_t all[5] = {kind, key[0], key[1], key[2], (int64_t)of_shape};
    return (uint32_t)pawl_hash_bytes(PAWL_HASH_SEED, all, sizeof all);
}

static uint32_t surface_face_name(const surface_search *s, pawl_vec3 normal, uint32_t of_shape)
{
    if (v3_max_abs(v3_sub(normal, s->usual)) <= surface_flat) {
        return of_shape;
    }
    const double steps = 1e5;
    int64_t key[3] = {(int64_t)floor(normal.x * steps + 0.5),
                      (int64_t)floor(normal.y * steps + 0.5),
                      (int64_t)floor(normal.z * steps + 0.5)};
    return surface_name(SURFACE_OF_FACE, key, of_shape);
}

static uint32_t surface_other_name(int kind, uint64_t id, uint32_t of_shape)
{
    int64_t key[3] = {(int64_t)id, 0, 0};
    return surface_name(kind, key, of_shape);
}

// Of points with one name the deeper stays; where all room is taken, of all points the deeper ones.
static void surface_add(surface_search *s, surface_point p)
{
    int shallowest = 0;
    for (int k = 0; k < s->count; ++k) {
        if (s->point[k].feature == p.feature) {
            s->point[k] = p.gap < s->point[k].gap ? p : s->point[k];
            return;
        }
        shallowest = s->point[k].gap > s->point[shallowest].gap ? k : shallowest;
    }
    if (s->count < SURFACE_POINTS) {
        s->point[s->count++] = p;
    } else if (p.gap < s->point[shallowest].gap) {
        s->point[shallowest] = p;
    }
}

// Whether the box about some vertices overlaps that of the shape with its margin.
static bool surface_in_reach(const surface_search *s, const pawl_vec3 *v, int count)
{
    pawl_vec3 low = v[0], high = v[0];
    for (int k = 1; k < count; ++k) {
        low = v3(fmin(low.x, v[k].x), fmin(low.y, v[k].y), fmin(low.z, v[k].z));
        high = v3(fmax(high.x, v[k].x), fmax(high.y, v[k].y), fmax(high.z, v[k].z));
    }
    return low.x <= s->high.x && s->low.x <= high.x && low.y <= s->high.y && s->low.y <= high.y &&
           low.z <= s->high.z && s->low.z <= high.z;
}

// ---- Faces --------------------------------------------------------------------------------------

// How far a point of the face's plane is outside the face; negative inside.
static double surface_outside(const surface_face *f, pawl_vec3 p, double *size)
{
    double out = -INFINITY;
    *size = 0.0;
    for (int k = 0; k < 3; ++k) {
        pawl_vec3 e = v3_sub(f->v[(k + 1) % 3], f->v[k]);
        double length = v3_norm(e);
        *size = max_of(*size, length);
        out = max_of(out, v3_dot(v3_cross(e, f->normal), v3_sub(p, f->v[k])) / length);
    }
    return out;
}

// Whether a round side, or the middle of an ellipsoid, is still above the plane of a face that it dips
// under by -gap. The face then has its nearest point, independent of other parts below it.
static bool surface_dips(const surface_search *s, const surface_face *f, double gap)
{
    if (s->shape->kind == PAWL_SHAPE_ELLIPSOID) {
        return v3_dot(f->normal, f->v[0]) < 0.0;
    }
    return gap > -pawl_shape_radius(s->shape);
}

// The deepest point that no feature of the surface has.
static void surface_note_sunk(surface_search *s, pawl_vec3 x, double depth, pawl_vec3 normal)
{
    if (-depth < s->sunk.gap) {
        s->sunk = (surface_point){v3_axpy(x, 0.5 * depth, normal), normal, -depth,
                                  surface_face_name(s, normal, SURFACE_SUNK)};
    }
}

// Whether a point of the shape, `gap` above the plane of the face, is this face's. Above the surface: if
// the face is under it along its normal. Below it: if the face stands over it, or if it is about as deep
// under this face as under that one, as in a valley; a face farther away does not count. A point that has come out on
// the other side of a thin ridge, which is only possible for a round side, belongs to the face below which it is.
static bool surface_owns(surface_search *s, const surface_face *f, pawl_vec3 x, double gap)
{
    double size, out = surface_outside(f, v3_axpy(x, -gap, f->normal), &size);
    double eps = 1e-9 * size;
    bool dips = gap < 0.0 && surface_dips(s, f, gap);
    if (gap >= 0.0 || (dips && (out <= eps || s->shape->kind != PAWL_SHAPE_ELLIPSOID))) {
        return out <= eps;
    }
    uint64_t owner;
    pawl_vec3 normal;
    double depth = s->inside(s->surface, x, &owner, &normal);
    if (owner == f->id) {
        return true;
    }
    double tiny = 1e-10 * (s->scale + size);
    if (depth > -tiny && out <= eps - 2.0 * gap && -gap <= 2.0 * depth + tiny) {
        return true;
    }
    surface_note_sunk(s, x, depth, normal);
    return false;
}

// Normals point out of the ground, positions and gaps are relative to the shape, which is at the origin.
void pawl_surface_add_face(surface_search *s, const surface_face *f)
{
    pawl_vec3 n = f->normal, lowest = pawl_shape_support(s->shape, v3_scale(-1.0, n));
    if (v3_dot(n, v3_sub(lowest, f->v[0])) - pawl_shape_radius(s->shape) > s->margin) {
        return;
    }
    candidate_list list;
    pawl_plane_points(s->shape, n, f->v[0], s->margin, &list);
    for (int k = 0; k < list.count; ++k) {
        const contact_point *p = &list.point[k];
        if (surface_owns(s, f, v3_axpy(p->position, 0.5 * p->gap, n), p->gap)) {
            surface_add(
                s, (surface_point){p->position, n, p->gap, surface_face_name(s, n, p->feature)});
        }
    }
}

// ---- Ridges -------------------------------------------------------------------------------------

// From the edge into a face, along the face and across the edge.
static pawl_vec3 surface_into(const surface_edge *e, pawl_vec3 along, int side)
{
    pawl_vec3 d = v3_sub(e->opposite[side], e->v[0]);
    d = v3_axpy(d, -v3_dot(d, along), along);
    return v3_scale(1.0 / v3_norm(d), d);
}

// Moves a direction across a ridge into its normal cone; false when it is too far from that. What is
// not across it belongs to the vertex at its end.
static bool surface_edge_cone(const surface_edge *e, pawl_vec3 along, pawl_vec3 *n, bool *moved)
{
    *moved = false;
    if (fabs(v3_dot(*n, along)) > surface_flat ||
        v3_dot(*n, v3_add(e->normal[0], e->normal[1])) <= 0.0) {
        return false;
    }
    for (int side = 0; side < 2; ++side) {
        double above = v3_dot(*n, surface_into(e, along, side));
        if (above > surface_tilt) {
            return false;
        }
        if (above > surface_flat) {
            *n = e->normal[side];
            *moved = true;
            return true;
        }
    }
    return true;
}

// The direction of a ridge's cone along which a shape that it has gone into gets out soonest: where the best
// of all directions is one to the side, or downwards.
static double surface_edge_exit(const surface_search *s, const surface_edge *e, pawl_vec3 *n)
{
    enum { STEPS = 32 };
    double best = -INFINITY, radius = pawl_shape_radius(s->shape);
    for (int k = 0; k <= STEPS; ++k) {
        double t = (double)k / STEPS;
        pawl_vec3 d = v3_axpy(v3_scale(1.0 - t, e->normal[0]), t, e->normal[1]);
        d = v3_unit_or(d, e->normal[0]);
        pawl_vec3 lowest = pawl_shape_support(s->shape, v3_scale(-1.0, d));
        double gap = v3_dot(d, v3_sub(lowest, e->v[0])) - radius;
        if (gap > best) {
            best = gap;
            *n = d;
        }
    }
    return best;
}

// Only ridges have contacts of their own: a shape in a valley touches the faces beside it. A direction outside of
// the ridge's cone means that a neighbouring face is nearer, which has the contact then. Where the shape has gone
// into the ridge sideways no face may have it: `stuck` remembers the best way out for that case.
void pawl_surface_add_edge(surface_search *s, const surface_edge *e)
{
    pawl_vec3 edge = v3_sub(e->v[1], e->v[0]);
    double length = v3_norm(edge);
    pawl_vec3 along = v3_scale(1.0 / length, edge);
    // the sine of the angle by which the second face falls away from the first
    double falls = -v3_dot(e->normal[0], surface_into(e, along, 1));
    if (!(falls > surface_flat) || !surface_in_reach(s, e->v, 2)) {
        return;
    }
    // Any direction shows whether the two are further apart than the margin, and this one nearly always does.
    pawl_vec3 between = v3_unit_or(v3_add(e->normal[0], e->normal[1]), e->normal[0]);
    pawl_vec3 lowest = pawl_shape_support(s->shape, v3_scale(-1.0, between));
    double high = fmax(v3_dot(between, e->v[0]), v3_dot(between, e->v[1]));
    if (v3_dot(between, lowest) - pawl_shape_radius(s->shape) - high > s->margin) {
        return;
    }
    pawl_vec3 x, y;
    pawl_tangents(along, &x, &y);
    placed_shape ridge = {.kind = PAWL_SHAPE_CAPSULE,
                          .size = v3(0.0, 0.0, 0.5 * length),
                          .position = v3_scale(0.5, v3_add(e->v[0], e->v[1])),
                          .axes = {{{x.x, y.x, along.x}, {x.y, y.y, along.y}, {x.z, y.z, along.z}}},
                          .key = -1};
    contact_manifold m;
    pawl_collide_pair(&ridge, s->shape, s->margin, &m);
    bool moved;
    pawl_vec3 n = m.normal;
    double least = INFINITY;
    for (int k = 0; k < m.count; ++k) {
        least = fmin(least, m.point[k].gap);
    }
    if (m.count == 0) {
        return;
    }
    if (!surface_edge_cone(e, along, &n, &moved)) {
        double gap = least < 0.0 && s->exits ? surface_edge_exit(s, e, &n) : 0.0;
        if (gap < 0.0 && (s->stuck.gap == 0.0 || gap > s->stuck.gap)) {
            uint32_t name = surface_other_name(SURFACE_OF_EDGE, e->id, SURFACE_SUNK);
            s->stuck = (surface_point){m.point[0].position, n, gap, name};
        }
        return;
    }
    // Along another direction than the best, points that do not face each other would show a gap that is not
    // there: those that do are no nearer than the best pair, and hardly deeper.
    double most = (least > 0.0 ? 1.0 - 1e-9 : 1.05) * least - 1e-12 * s->scale;
    if (moved) {
        pair_axis axis = {.n = n, .gap = pair_gap_along(&ridge, s->shape, n)};
        pawl_manifold_from_axis(&ridge, s->shape, s->margin, &axis, &m);
    }
    for (int k = 0; k < m.count; ++k) {
        const contact_point *p = &m.point[k];
        if (!moved || p->gap >= most) {
            uint32_t name = surface_other_name(SURFACE_OF_EDGE, e->id, p->feature);
            surface_add(s, (surface_point){p->position, n, p->gap, name});
        }
    }
}

// ---- Peaks --------------------------------------------------------------------------------------

// Whether no neighbour rises above a direction, and some neighbour falls away from it: a vertex in the
// middle of a flat stretch leaves everything to its faces.
static bool surface_vertex_cone(const surface_vertex *v, pawl_vec3 n, double tilt)
{
    bool falls = false;
    if (v3_dot(n, v->outward) <= 0.0) {
        return false; // a pit seen from below
    }
    for (int k = 0; k < v->ring_count; ++k) {
        pawl_vec3 d = v3_sub(v->ring[k], v->v);
        double along = v3_dot(n, d), small = surface_flat * v3_norm(d);
        if (along > tilt * v3_norm(d)) {
            return false;
        }
        falls = falls || along < -small;
    }
    return falls;
}

// The face of a box or hull through which a peak inside it gets out soonest along a direction of the peak's
// cone. The nearest face of all may be one at the side, and a hill does not push sideways.
static bool surface_face_exit(const surface_search *s, const surface_vertex *v, surface_point *out,
                              uint32_t *face)
{
    const placed_shape *shape = s->shape;
    bool hull = shape->kind == PAWL_SHAPE_HULL, found = false;
    int faces = hull ? shape->hull->face_count : shape->kind == PAWL_SHAPE_BOX ? 6 : 0;
    for (int f = 0; f < faces; ++f) {
        pawl_vec3 outward = hull ? m3_mul(&shape->axes, shape->hull->normals[f])
                                 : v3_scale(f & 1 ? 1.0 : -1.0, m3_column(&shape->axes, f / 2));
        double offset = hull ? shape->hull->offsets[f] : v3_get(shape->size, f / 2);
        double gap = v3_dot(outward, v->v) - offset;
        pawl_vec3 n = v3_scale(-1.0, outward);
        if ((!found || gap > out->gap) && surface_vertex_cone(v, n, s->tilt)) {
            *out = (surface_point){v3_axpy(v->v, 0.5 * gap, n), n, gap, 0};
            *face = FEATURE_FACE | (uint32_t)f;
            found = true;
        }
    }
    return found;
}

void pawl_surface_add_vertex(surface_search *s, const surface_vertex *v)
{
    if (!surface_in_reach(s, &v->v, 1)) {
        return;
    }
    placed_shape peak = {.kind = PAWL_SHAPE_SPHERE,
                         .position = v->v,
                         .axes = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}},
                         .key = -1};
    contact_manifold m;
    pawl_collide_pair(&peak, s->shape, s->margin, &m);
    if (m.count == 0) {
        return;
    }
    surface_point p = {m.point[0].position, m.normal, m.point[0].gap, 0};
    uint32_t of_shape = m.point[0].feature;
    if (!surface_vertex_cone(v, p.normal, s->tilt) &&
        (p.gap >= 0.0 || !s->exits || !surface_face_exit(s, v, &p, &of_shape))) {
        return;
    }
    p.feature = surface_other_name(SURFACE_OF_VERTEX, v->id, of_shape);
    surface_add(s, p);
}

// ---- The answer ---------------------------------------------------------------------------------

static void surface_drop_copies(surface_search *s)
{
    int kept = 0;
    double near = surface_copies * s->scale;
    for (int i = 0; i < s->count; ++i) {
        const surface_point *p = &s->point[i];
        bool copy = false;
        for (int j = 0; j < kept && !copy; ++j) {
            copy = v3_max_abs(v3_sub(p->position, s->point[j].position)) <= near &&
                   v3_max_abs(v3_sub(p->normal, s->point[j].normal)) <= surface_flat;
        }
        if (!copy) {
            s->point[kept++] = *p;
        }
    }
    s->count = kept;
}

void pawl_surface_add_point(surface_search *s, pawl_vec3 position, pawl_vec3 normal, double gap,
                            uint64_t id)
{
    surface_add(s, (surface_point){position, normal, gap,
                                   surface_other_name(SURFACE_OF_EDGE, id, SURFACE_OF_PART)});
}

placed_shape pawl_surface_seen(const placed_shape *shape, const placed_shape *surface,
                               pawl_vec3 *origin)
{
    placed_shape seen = *shape;
    *origin = m3_tmul(&surface->axes, v3_sub(shape->position, surface->position));
    seen.position = v3(0.0, 0.0, 0.0);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            seen.axes.m[r][c] = v3_dot(m3_column(&surface->axes, r), m3_column(&shape->axes, c));
        }
    }
    return seen;
}

void pawl_surface_to_world(contact_manifold *out, int count, const placed_shape *shape,
                           const placed_shape *surface)
{
    for (int k = 0; k < count; ++k) {
        out[k].normal = m3_mul(&surface->axes, out[k].normal);
        for (int p = 0; p < out[k].count; ++p) {
            out[k].point[p].position =
                v3_add(shape->position, m3_mul(&surface->axes, out[k].point[p].position));
        }
    }
}

// Whether a feature of the surface has a point of the shape that is below it.
static bool surface_is_deep(const surface_search *s)
{
    bool inside = false;
    for (int i = 0; i < s->count; ++i) {
        inside = inside || s->point[i].gap < 0.0;
    }
    return inside;
}

bool pawl_surface_has_overlap(const surface_search *s)
{
    return s->sunk.gap < 0.0 || s->stuck.gap < 0.0 || surface_is_deep(s);
}

void pawl_surface_add_sunk(surface_search *s, pawl_vec3 x)
{
    uint64_t face;
    pawl_vec3 normal;
    double depth = s->inside(s->surface, x, &face, &normal);
    surface_note_sunk(s, x, depth, normal);
}

void pawl_surface_merge(surface_search *into, const surface_search *from, pawl_vec3 shift,
                        uint64_t id)
{
    for (int k = 0; k < from->count; ++k) {
        surface_point p = from->point[k];
        p.position = v3_add(p.position, shift);
        p.feature = surface_other_name(SURFACE_OF_PART, id, p.feature);
        surface_add(into, p);
    }
    surface_point sunk = from->sunk.gap < 0.0 ? from->sunk : from->stuck;
    if (sunk.gap < 0.0 && !surface_is_deep(from)) {
        sunk.position = v3_add(sunk.position, shift);
        sunk.feature = surface_other_name(SURFACE_OF_PART, id, sunk.feature);
        surface_add(into, sunk);
    }
}

// Groups the points by their normals into at most `room` manifolds. Normals are turned round, because a manifold's
// normal points from the shape into the ground.
int pawl_surface_finish(surface_search *s, contact_manifold *out, int room)
{
    if (!surface_is_deep(s) && (s->sunk.gap < 0.0 || s->stuck.gap < 0.0)) {
        // so deep in rough ground that no face, ridge or peak has it
        surface_add(s, s->sunk.gap < 0.0 ? s->sunk : s->stuck);
    }
    surface_drop_copies(s);
    int count = 0;
    for (int i = 0; i < s->count; ++i) {
        const surface_point *p = &s->point[i];
        int k = 0;
        while (k < count && (out[k].count == MANIFOLD_POINTS ||
                             v3_max_abs(v3_add(out[k].normal, p->normal)) > 1e-9)) {
            ++k;
        }
        if (k == count) {
            if (count == room) {
                continue;
            }
            out[count].normal = v3_scale(-1.0, p->normal);
            out[count++].count = 0;
        }
        out[k].point[out[k].count++] = (contact_point){p->position, p->gap, p->feature};
    }
    return count;
}
