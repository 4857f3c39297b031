// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A convex shape against a mesh: the faces, ridges and peaks in its box are handed to the search of surfaces
// (surface_search.c), whose normal cones prevent contacts at inner edges of flat regions. A point below the surface
// belongs to the nearest face.
//
// The rim of an open surface is treated as the upper edge of a thick body: as if another face went down from it.
//
// Two meshes touch where corners of one lie on faces of the other, and in pairs of ridges or corners. Therefore the
// ridges of each, as capsules of radius 0, are tested against the other: the first time with all of its features, the
// second time only with faces. A resulting normal must point out of both.
#include "collide/mesh_surface.h"
#include <string.h>

enum { MESH_RING = 128, MESH_ASKED = 16 };
// How far [rad] a direction may lie outside of the normal cone of a ridge or corner: as for the tilt of patches.
static const double mesh_tilt = 0.1;
static const double mesh_cross_tilt = 1e-6; // of two ridges, whose direction is exact

// Points of a shape are needed once for each face in reach; the last answers are kept.
typedef struct mesh_asked {
    pawl_vec3 point, normal;
    uint64_t face;
    double depth;
} mesh_asked;

typedef struct mesh_search {
    const tri_mesh *mesh;
    pawl_vec3 origin; // the shape, in the mesh's frame
    bool faces_alone;
    const struct mesh_pass
        *pass; // of two meshes: which ridge is looked for; NULL for a convex shape
    int asked_count, asked_next;
    mesh_asked asked[MESH_ASKED];
    surface_search search;
} mesh_search;

static double mesh_inside(const void *surface, pawl_vec3 point, uint64_t *face, pawl_vec3 *normal)
{
    mesh_search *s = (mesh_search *)(uintptr_t)surface;
    const mesh_node *all = &s->mesh->nodes[0];
    pawl_vec3 at = v3_add(point, s->origin);
    if (s->mesh->closed && (at.x < all->low.x || at.x > all->high.x || at.y < all->low.y ||
                            at.y > all->high.y || at.z < all->low.z || at.z > all->high.z)) {
        *face = UINT64_MAX;
        *normal = v3(0.0, 0.0, 1.0);
        return -INFINITY;
    }
    const mesh_asked *a = NULL;
    double same = 1e-14 * (s->mesh->radius + s->search.scale); // each face has its own rounding
    for (int k = 0; k < s->asked_count && a == NULL; ++k) {
        a = v3_max_abs(v3_sub(s->asked[k].point, point)) <= same ? &s->asked[k] : NULL;
    }
    if (a == NULL) {
        mesh_nearest near = pawl_tri_mesh_nearest(s->mesh, at);
        s->asked[s->asked_next] =
            (mesh_asked){point, s->mesh->triangles[near.triangle].normal, (uint64_t)near.triangle,
                         near.inside ? near.distance : -near.distance};
        a = &s->asked[s->asked_next];
        s->asked_next = (s->asked_next + 1) % MESH_ASKED;
        s->asked_count += s->asked_count < MESH_ASKED ? 1 : 0;
    }
    *face = a->face;
    *normal = a->normal;
    return a->depth;
}

static pawl_vec3 mesh_at(const mesh_search *s, int vertex)
{
    return v3_sub(s->mesh->vertices[vertex].at, s->origin);
}

// An edge as seen from a point. At a rim the second face goes down, with its normal away from the first.
static surface_edge mesh_edge_of(const tri_mesh *m, int index, pawl_vec3 origin)
{
    const mesh_edge *e = &m->edges[index];
    surface_edge edge = {.id = (uint64_t)index};
    for (int k = 0; k < 2; ++k) {
        edge.v[k] = v3_sub(m->vertices[e->v[k]].at, origin);
    }
    edge.opposite[0] = v3_sub(m->vertices[e->opposite[0]].at, origin);
    edge.normal[0] = m->triangles[e->side[0]].normal;
    pawl_vec3 along = v3_sub(edge.v[1], edge.v[0]);
    if (e->side[1] >= 0) {
        edge.opposite[1] = v3_sub(m->vertices[e->opposite[1]].at, origin);
        edge.normal[1] = m->triangles[e->side[1]].normal;
    } else {
        edge.opposite[1] = v3_axpy(edge.v[0], -v3_norm(along), edge.normal[0]);
        edge.normal[1] = v3_unit_or(v3_cross(along, edge.normal[0]), edge.normal[0]);
    }
    return edge;
}

static void mesh_add_edge(mesh_search *s, int index)
{
    surface_edge edge = mesh_edge_of(s->mesh, index, s->origin);
    pawl_surface_add_edge(&s->search, &edge);
}

// Its neighbours, and at a rim the way down.
static void mesh_add_vertex(mesh_search *s, int index)
{
    const tri_mesh *m = s->mesh;
    const mesh_vertex *v = &m->vertices[index];
    pawl_vec3 ring[MESH_RING];
    int count = 0;
    for (int k = 0; k < v->edge_count && count + 2 <= MESH_RING; ++k) {
        const mesh_edge *e = &m->edges[m->edge_of[v->first_edge + k]];
        pawl_vec3 other = mesh_at(s, e->v[e->v[0] == index]);
        ring[count++] = other;
        if (e->side[1] < 0) {
            double length = v3_norm(v3_sub(other, mesh_at(s, index)));
            ring[count++] = v3_axpy(mesh_at(s, index), -length, m->triangles[e->side[0]].normal);
        }
    }
    surface_vertex vertex = {mesh_at(s, index), ring, count, v->outward, (uint64_t)index};
    pawl_surface_add_vertex(&s->search, &vertex);
}

// ---- two ridges ---------------------------------------------------------------------------------

// The ridges of one mesh are looked for in another.
typedef struct mesh_pass {
    const tri_mesh *from;
    const placed_shape *surface;
    pawl_mat3 turn;   // from the axes of `from` to those of the surface
    pawl_vec3 origin; // of `from`, in the surface's frame
    double margin;
    bool second;
    surface_search *all;
    int ridge;         // the edge of `from` that is looked for
    pawl_vec3 middle;  // of it, in the frame of `from`
    surface_edge edge; // the same, seen from its middle, in the axes of the surface
} mesh_pass;

// How far the face on a side of a ridge rises above a direction; the sine of that angle.
static double mesh_rise(const surface_edge *e, int side, pawl_vec3 n)
{
    pawl_vec3 along = v3_sub(e->v[1], e->v[0]), into = v3_sub(e->opposite[side], e->v[0]);
    into = v3_axpy(into, -v3_dot(into, along) / v3_dot(along, along), along);
    return v3_dot(n, into) / v3_norm(into);
}

// Whether a direction points out of a ridge: no face beside it rises above it by more than `tilt`.
static bool mesh_leaves_edge(const surface_edge *e, pawl_vec3 n, double tilt)
{
    return mesh_rise(e, 0, n) <= tilt && mesh_rise(e, 1, n) <= tilt;
}

// Where two lines through a and b along d and e are closest, as parts of d and e; false where they are parallel.
static bool mesh_closest(pawl_vec3 a, pawl_vec3 d, pawl_vec3 b, pawl_vec3 e, double *s, double *t)
{
    double dd = v3_dot(d, d), ee = v3_dot(e, e), de = v3_dot(d, e);
    double det = dd * ee - de * de;
    if (!(det > 1e-8 * dd * ee)) {
        return false;
    }
    pawl_vec3 r = v3_sub(b, a);
    *s = (v3_dot(r, d) * ee - v3_dot(r, e) * de) / det;
    *t = (v3_dot(r, d) * de - v3_dot(r, e) * dd) / det;
    return true;
}

// Inside, but for rounding.
static bool mesh_holds(const tri_mesh *m, pawl_vec3 point)
{
    mesh_nearest near = pawl_tri_mesh_nearest(m, point);
    return near.inside || near.distance <= 1e-9 * m->radius;
}

// How deep a ridge from a to b lies in a mesh near its point p, as the nearest face says: in the middle of the parts to
// either side of p that are inside, and of both together. A part that leaves the mesh and comes back, as over a hollow,
// ends where it leaves. At the border p itself has no depth, where bars lie across each other, but the parts have.
static double mesh_ridge_depth(const tri_mesh *m, pawl_vec3 a, pawl_vec3 b, pawl_vec3 p)
{
    double length = v3_norm(v3_sub(b, a)), small = 1e-7 * m->radius, depth = 0.0;
    pawl_vec3 along = v3_scale(1.0 / length, v3_sub(b, a)), middle[3], end[2];
    for (int k = 0; k < 2; ++k) {
        pawl_vec3 way = v3_scale(k == 0 ? -1.0 : 1.0, along);
        double left = v3_norm(v3_sub(k == 0 ? a : b, p)), hit = 0.0, from = fmin(small, left);
        if (pawl_tri_mesh_ray(m, v3_axpy(p, from, way), way, left - from, &hit) < 0) {
            hit = left - from;
        }
        end[k] = v3_axpy(p, from + hit, way);
        middle[k] = v3_scale(0.5, v3_add(p, end[k]));
    }
    middle[2] = v3_scale(0.5, v3_add(end[0], end[1]));
    for (int k = 0; k < 3; ++k) {
        mesh_nearest near = pawl_tri_mesh_nearest(m, middle[k]);
        depth = near.inside ? fmax(depth, near.distance) : depth;
    }
    return depth;
}

// Whether two ridges, whose points p and q are -gap inside of each other, are so by about as much as the faces of both
// meshes say. Where faces lie on each other, any two ridges in them are inside by rounding alone, and cross somewhere.
static bool mesh_ridges_are_deep(const mesh_search *s, const surface_edge *other, pawl_vec3 p,
                                 pawl_vec3 q, double gap)
{
    const mesh_pass *pass = s->pass;
    const surface_edge *own = &pass->edge;
    double most = 0.25 * (-gap - 1e-9 * s->mesh->radius);
    pawl_vec3 at = v3_add(p, s->origin), back[3] = {other->v[0], other->v[1], q};
    for (int k = 0; k < 3; ++k) {
        back[k] = v3_add(m3_tmul(&pass->turn, back[k]), pass->middle);
    }
    return mesh_holds(s->mesh, at) && mesh_holds(pass->from, back[2]) &&
           most <= mesh_ridge_depth(s->mesh, v3_add(own->v[0], s->origin),
                                    v3_add(own->v[1], s->origin), at) &&
           most <= mesh_ridge_depth(pass->from, back[0], back[1], back[2]);
}

// Two ridges that cross each other: along the normal of both, which must point out of the one and into the other; where
// a face rises above it a little, along the normal of that face. Lines have no depth of their own: they are deep where
// each has come into the other's mesh, by about as much as the faces there say; otherwise they are ridges on far sides.
static void mesh_cross_ridges(mesh_search *s, int index, const surface_edge *other)
{
    const surface_edge *own = &s->pass->edge;
    pawl_vec3 d = v3_sub(own->v[1], own->v[0]), e = v3_sub(other->v[1], other->v[0]);
    double x, y, small = 1e-9;
    if (!mesh_closest(own->v[0], d, other->v[0], e, &x, &y) || x < -small || x > 1.0 + small ||
        y < -small || y > 1.0 + small) {
        return;
    }
    pawl_vec3 p = v3_axpy(own->v[0], x, d), q = v3_axpy(other->v[0], y, e), n = v3_cross(d, e);
    n = v3_scale(1.0 / v3_norm(n), n);
    if (v3_dot(n, v3_add(other->normal[0], other->normal[1])) < 0.0) {
        n = v3_scale(-1.0, n);
    }
    for (int side = 0; side < 2; ++side) {
        double rise = mesh_rise(other, side, n);
        if (rise > mesh_tilt) {
            return;
        }
        n = rise > mesh_cross_tilt ? other->normal[side] : n;
    }
    double gap = v3_dot(n, v3_sub(p, q));
    if (gap > s->search.margin || !mesh_leaves_edge(own, v3_scale(-1.0, n), mesh_tilt)) {
        return;
    }
    if (gap >= 0.0 || mesh_ridges_are_deep(s, other, p, q, gap)) {
        pawl_surface_add_point(&s->search, v3_scale(0.5, v3_add(p, q)), n, gap, (uint64_t)index);
    }
}

// An end of the ridge that is looked for, near a ridge of the surface. Inside it would be a face's.
static void mesh_near_ridge(mesh_search *s, int index, const surface_edge *other, int end)
{
    pawl_vec3 v = s->pass->edge.v[end], e = v3_sub(other->v[1], other->v[0]);
    double at = v3_dot(v3_sub(v, other->v[0]), e) / v3_dot(e, e);
    pawl_vec3 q = v3_axpy(other->v[0], at, e), d = v3_sub(v, q);
    double gap = v3_norm(d);
    if (at > 0.0 && at < 1.0 && gap > 0.0 && gap <= s->search.margin) {
        pawl_vec3 n = v3_scale(1.0 / gap, d);
        if (mesh_leaves_edge(other, n, mesh_cross_tilt)) {
            pawl_surface_add_point(&s->search, v3_scale(0.5, v3_add(v, q)), n, gap,
                                   3 * (uint64_t)index + 1 + (uint64_t)end);
        }
    }
}

static void mesh_meet_ridges(mesh_search *s, int index)
{
    surface_edge other = mesh_edge_of(s->mesh, index, s->origin);
    mesh_cross_ridges(s, 3 * index, &other);
    mesh_near_ridge(s, index, &other, 0);
    mesh_near_ridge(s, index, &other, 1);
}

// Every edge and vertex in reach is of a triangle in reach: its first one hands it in.
static void mesh_add_triangle(void *user, int index)
{
    mesh_search *s = user;
    const tri_mesh *m = s->mesh;
    const mesh_triangle *t = &m->triangles[index];
    surface_face face = {.normal = t->normal, .id = (uint64_t)index};
    for (int k = 0; k < 3; ++k) {
        face.v[k] = mesh_at(s, t->v[k]);
    }
    pawl_surface_add_face(&s->search, &face);
    for (int k = 0; k < 3 && !s->faces_alone; ++k) {
        const mesh_edge *e = &m->edges[t->edge[k]];
        if (e->ridge && e->side[0] == index) {
            (s->pass == NULL ? mesh_add_edge : mesh_meet_ridges)(s, t->edge[k]);
        }
        const mesh_vertex *v = &m->vertices[t->v[k]];
        if (v->ridge && v->owner == index) {
            mesh_add_vertex(s, t->v[k]);
        }
    }
}

// Without the answer: `seen` is the shape in the mesh's axes.
static void mesh_run(mesh_search *s, const placed_shape *seen, double margin)
{
    pawl_surface_begin(&s->search, seen, margin, mesh_inside, s, s->mesh->usual);
    // The ground has one side, but a corner of a body that is in a wall behind another corner has none to go to.
    s->search.exits = false;
    // A body that lies on a face of its own has all corners of it down, not the lowest alone.
    s->search.tilt = mesh_tilt;
    mesh_region region = {.low = v3_add(s->search.low, s->origin),
                          .high = v3_add(s->search.high, s->origin)};
    double more = margin + pawl_shape_radius(seen);
    for (int k = 0; k < 3; ++k) {
        pawl_vec3 axis = m3_column(&seen->axes, k);
        double at = v3_dot(axis, s->origin);
        region.axis[k] = axis;
        region.to[k] = at + v3_dot(axis, pawl_shape_support(seen, axis)) + more;
        axis = v3_scale(-1.0, axis);
        region.from[k] = at - v3_dot(axis, pawl_shape_support(seen, axis)) - more;
    }
    pawl_tri_mesh_in_region(s->mesh, &region, mesh_add_triangle, s);
}

int pawl_mesh_collide(const placed_shape *shape, const placed_shape *mesh, double margin,
                      contact_manifold *out, int room)
{
    mesh_search s = {.mesh = mesh->mesh};
    placed_shape seen = pawl_surface_seen(shape, mesh, &s.origin);
    mesh_run(&s, &seen, margin);
    if (mesh->mesh->closed && !pawl_surface_has_overlap(&s.search)) {
        // it may be all inside, away from the surface
        pawl_vec3 centre = shape->hull != NULL ? shape->hull->centre : v3(0.0, 0.0, 0.0);
        pawl_surface_add_sunk(&s.search, m3_mul(&seen.axes, centre));
    }
    int count = pawl_surface_finish(&s.search, out, room);
    pawl_surface_to_world(out, count, shape, mesh);
    return count;
}

// ---- two meshes --------------------------------------------------------------------------------

// Whether a direction, in the axes of the surface, points out of a corner of `from`: none of its neighbours rises above
// it.
static bool mesh_pass_leaves_vertex(const mesh_pass *p, int vertex, pawl_vec3 out)
{
    const mesh_vertex *v = &p->from->vertices[vertex];
    pawl_vec3 n = m3_tmul(&p->turn, out);
    for (int k = 0; k < v->edge_count; ++k) {
        const mesh_edge *e = &p->from->edges[p->from->edge_of[v->first_edge + k]];
        pawl_vec3 d = v3_sub(p->from->vertices[e->v[e->v[0] == vertex]].at, v->at);
        if (v3_dot(n, d) > mesh_tilt * v3_norm(d)) {
            return false;
        }
    }
    return true;
}

// Drops points at which the surface would push the ridge into its own mesh: another part of that is nearer.
static void mesh_pass_filter(const mesh_pass *p, double length, surface_search *found)
{
    const mesh_edge *e = &p->from->edges[p->ridge];
    pawl_vec3 along = v3_scale(1.0 / length, v3_sub(p->edge.v[1], p->edge.v[0]));
    int kept = 0;
    for (int k = 0; k < found->count; ++k) {
        surface_point x = found->point[k];
        double at = v3_dot(x.position, along);
        pawl_vec3 out = v3_scale(-1.0, x.normal);
        bool end = fabs(at) >= 0.5 * length * (1.0 - 1e-6) - fabs(x.gap);
        if (end ? mesh_pass_leaves_vertex(p, e->v[at > 0.0], out)
                : mesh_leaves_edge(&p->edge, out, mesh_tilt)) {
            found->point[kept++] = x;
        }
    }
    found->count = kept;
}

// A ridge that goes in through one face and out through another, with both ends outside: the middle of its part inside
// belongs to the nearest face.
static void mesh_pass_pierce(const mesh_pass *p, mesh_search *s, pawl_vec3 along, double length)
{
    const tri_mesh *mesh = s->mesh;
    pawl_vec3 a = v3_add(p->edge.v[0], s->origin), b = v3_add(p->edge.v[1], s->origin);
    double in, out;
    if (mesh->closed && pawl_tri_mesh_ray(mesh, a, along, length, &in) >= 0 &&
        pawl_tri_mesh_ray(mesh, b, v3_scale(-1.0, along), length, &out) >= 0) {
        double middle = 0.5 * (in + length - out);
        pawl_surface_add_sunk(&s->search, v3_axpy(p->edge.v[0], middle, along));
    }
}

// An edge in the axes of the surface, seen from its middle, which is where it is from the origin of `from`.
static pawl_vec3 mesh_pass_take(mesh_pass *p, int index)
{
    const mesh_edge *e = &p->from->edges[index];
    pawl_vec3 middle =
        v3_scale(0.5, v3_add(p->from->vertices[e->v[0]].at, p->from->vertices[e->v[1]].at));
    p->ridge = index;
    p->middle = middle;
    p->edge = mesh_edge_of(p->from, index, middle);
    for (int k = 0; k < 2; ++k) {
        p->edge.v[k] = m3_mul(&p->turn, p->edge.v[k]);
        p->edge.opposite[k] = m3_mul(&p->turn, p->edge.opposite[k]);
        p->edge.normal[k] = m3_mul(&p->turn, p->edge.normal[k]);
    }
    return m3_mul(&p->turn, middle);
}

// A ridge as a capsule of radius 0, at its middle.
static void mesh_pass_ridge(mesh_pass *p, int index)
{
    pawl_vec3 middle = mesh_pass_take(p, index), x, y;
    pawl_vec3 edge = v3_sub(p->edge.v[1], p->edge.v[0]);
    double length = v3_norm(edge);
    pawl_vec3 along = v3_scale(1.0 / length, edge);
    pawl_tangents(along, &x, &y);
    placed_shape ridge = {.kind = PAWL_SHAPE_CAPSULE,
                          .size = v3(0.0, 0.0, 0.5 * length),
                          .axes = {{{x.x, y.x, along.x}, {x.y, y.y, along.y}, {x.z, y.z, along.z}}},
                          .key = -1};
    mesh_search s = {.mesh = p->surface->mesh,
                     .origin = v3_add(p->origin, middle),
                     .faces_alone = p->second,
                     .pass = p};
    mesh_run(&s, &ridge, p->margin);
    mesh_pass_filter(p, length, &s.search);
    if (!pawl_surface_has_overlap(&s.search)) {
        mesh_pass_pierce(p, &s, along, length);
    }
    pawl_surface_merge(p->all, &s.search, middle, 2 * (uint64_t)index + p->second);
}

static void mesh_pass_triangle(void *user, int index)
{
    mesh_pass *p = user;
    for (int k = 0; k < 3; ++k) {
        int edge = p->from->triangles[index].edge[k];
        if (p->from->edges[edge].ridge && p->from->edges[edge].side[0] == index) {
            mesh_pass_ridge(p, edge);
        }
    }
}

// Ridges in the box of `surface`, with the margin around it.
static void mesh_pass_run(mesh_pass *p)
{
    const mesh_node *root = &p->surface->mesh->nodes[0];
    pawl_vec3 half = v3_scale(0.5, v3_sub(root->high, root->low));
    pawl_vec3 middle = v3_sub(v3_add(root->low, half), p->origin);
    mesh_region region;
    for (int k = 0; k < 3; ++k) {
        pawl_vec3 axis = m3_column(&p->turn, k); // of `from`, in the surface's axes
        double wide = fabs(axis.x) * half.x + fabs(axis.y) * half.y + fabs(axis.z) * half.z;
        v3_set(&region.low, k, v3_dot(axis, middle) - wide - p->margin);
        v3_set(&region.high, k, v3_dot(axis, middle) + wide + p->margin);
        region.axis[k] = v3(p->turn.m[k][0], p->turn.m[k][1], p->turn.m[k][2]);
        region.from[k] = v3_get(middle, k) - v3_get(half, k) - p->margin;
        region.to[k] = v3_get(middle, k) + v3_get(half, k) + p->margin;
    }
    pawl_tri_mesh_in_region(p->from, &region, mesh_pass_triangle, p);
}

// Points of one pass, in the axes of `surface`, seen from `from`.
static void mesh_pass_make(mesh_pass *p, const placed_shape *from, const placed_shape *surface,
                           double margin, bool second, mesh_search *total, placed_shape *seen)
{
    *seen = pawl_surface_seen(from, surface, &total->origin);
    *p = (mesh_pass){.from = from->mesh,
                     .surface = surface,
                     .turn = seen->axes,
                     .origin = total->origin,
                     .margin = margin,
                     .second = second,
                     .all = &total->search};
    pawl_surface_begin(&total->search, seen, margin, mesh_inside, total, v3(0.0, 0.0, 0.0));
    mesh_pass_run(p);
}

int pawl_mesh_collide_meshes(const placed_shape *a, const placed_shape *b, double margin,
                             contact_manifold *out, int room)
{
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        const placed_shape *from = pass == 0 ? a : b, *surface = pass == 0 ? b : a;
        mesh_search total = {.mesh = surface->mesh};
        placed_shape seen;
        mesh_pass p;
        mesh_pass_make(&p, from, surface, margin, pass == 1, &total, &seen);
        int found = pawl_surface_finish(&total.search, out + count, room - count);
        pawl_surface_to_world(out + count, found, from, surface);
        for (int k = count; pass == 1 && k < count + found; ++k) {
            out[k].normal = v3_scale(-1.0, out[k].normal);
        }
        count += found;
        if (count == room) {
            break;
        }
    }
    return count;
}
