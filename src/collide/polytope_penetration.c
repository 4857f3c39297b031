// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The least translation that separates two overlapping polytopes. The difference of two polytopes is a polytope whose
// faces come from the faces of either and from pairs of edges whose arcs on the sphere of normals cross; the nearest
// of these faces is the exact answer. Cost: faces times vertices, and edges times edges, for hulls of moderate size.
// Points and segments take part as polytopes without faces.
#include "collide/pair.h"

typedef struct polytope {
    const placed_shape *shape;
    int face_count, edge_count;
    const pawl_vec3 *normals, *vertices;
    const hull_edge *edges;
    pawl_vec3 own_vertices[8];
} polytope;

static const pawl_vec3 polytope_box_normals[6] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                                  {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
// Vertex bits: 1 for +x, 2 for +y, 4 for +z. Faces 2k and 2k + 1 are minus and plus axis k.
static const hull_edge polytope_box_edges[12] = {
    {{0, 1}, {2, 4}}, {{2, 3}, {3, 4}}, {{4, 5}, {2, 5}}, {{6, 7}, {3, 5}},
    {{0, 2}, {0, 4}}, {{1, 3}, {1, 4}}, {{4, 6}, {0, 5}}, {{5, 7}, {1, 5}},
    {{0, 4}, {0, 2}}, {{1, 5}, {1, 2}}, {{2, 6}, {0, 3}}, {{3, 7}, {1, 3}}};
static const hull_edge polytope_segment_edge = {{0, 1}, {-1, -1}};

// Boxes get the tables above, capsules are segments with one edge and no faces, spheres points. Vertices are in
// the shape's own axes.
static void polytope_view(const placed_shape *s, polytope *p)
{
    *p = (polytope){.shape = s};
    pawl_vec3 e = s->size;
    if (s->kind == PAWL_SHAPE_HULL) {
        p->face_count = s->hull->face_count;
        p->edge_count = s->hull->edge_count;
        p->normals = s->hull->normals;
        p->vertices = s->hull->vertices;
        p->edges = s->hull->edges;
        return;
    }
    p->vertices = p->own_vertices;
    if (s->kind == PAWL_SHAPE_BOX) {
        p->face_count = 6;
        p->edge_count = 12;
        p->normals = polytope_box_normals;
        p->edges = polytope_box_edges;
        for (int i = 0; i < 8; ++i) {
            p->own_vertices[i] = v3(i & 1 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 4 ? e.z : -e.z);
        }
    } else if (s->kind == PAWL_SHAPE_CAPSULE) {
        p->edge_count = 1;
        p->edges = &polytope_segment_edge;
        p->own_vertices[0] = v3(0.0, 0.0, -e.z);
        p->own_vertices[1] = v3(0.0, 0.0, e.z);
    }
}

// Keeps n if it separates better than `best`: the depth is the least over all directions, so the largest gap wins.
static void polytope_try(pair_axis *best, const placed_shape *a, const placed_shape *b, pawl_vec3 n,
                         double bias)
{
    double gap = pair_gap_along(a, b, n);
    if (gap > best->gap + bias) {
        best->gap = gap;
        best->n = n;
    }
}

// An edge of the second shape in the first one's axes with the normals beside it, which count the
// other way round.
typedef struct polytope_arc {
    pawl_vec3 point, along;
    pawl_vec3 normal[2];
    bool whole; // no faces beside it: the whole circle across `along`
} polytope_arc;

static polytope_arc polytope_other_arc(const polytope *p, const hull_edge *edge)
{
    pawl_vec3 v0 = p->vertices[edge->vertex[0]], v1 = p->vertices[edge->vertex[1]];
    polytope_arc arc = {.point = shape_to_world(p->shape, v0),
                        .along = m3_mul(&p->shape->axes, v3_sub(v1, v0)),
                        .whole = edge->face[0] < 0};
    for (int k = 0; k < 2 && !arc.whole; ++k) {
        arc.normal[k] = v3_scale(-1.0, m3_mul(&p->shape->axes, p->normals[edge->face[k]]));
    }
    return arc;
}

// Whether the arcs of two edges on the sphere of normals cross: only then is the pair a face of the
// difference. Writes the crossing. The first edge is in its own axes; it is looked at in place, as
// most pairs end at the first test.
static bool polytope_arcs_cross(const polytope *pa, const hull_edge *edge, const polytope_arc *b,
                                pawl_vec3 *n)
{
    pawl_vec3 along = v3_sub(pa->vertices[edge->vertex[1]], pa->vertices[edge->vertex[0]]);
    bool whole = edge->face[0] < 0;
    // each great circle must part the ends of the other arc
    if (!b->whole && v3_dot(b->normal[0], along) * v3_dot(b->normal[1], along) >= 0.0) {
        return false;
    }
    if (!whole && v3_dot(pa->normals[edge->face[0]], b->along) *
                          v3_dot(pa->normals[edge->face[1]], b->along) >=
                      0.0) {
        return false;
    }
    pawl_vec3 c;
    if (!pair_across(v3_scale(1.0 / v3_norm(along), along),
                     v3_scale(1.0 / v3_norm(b->along), b->along), &c)) {
        return false;
    }
    pawl_vec3 middle_b = v3_add(b->normal[0], b->normal[1]);
    pawl_vec3 middle =
        whole ? middle_b : v3_add(pa->normals[edge->face[0]], pa->normals[edge->face[1]]);
    *n = v3_dot(c, middle) < 0.0 ? v3_scale(-1.0, c) : c;
    // the circles cross in two opposite points: both arcs must hold the same one
    return whole || b->whole || v3_dot(*n, middle_b) > 0.0;
}

// Of two edges only those directions count in which both are extreme: their arcs on the sphere of normals cross.
// Without that test every pair of edges would cost two support functions.
static void polytope_edge_pairs(const polytope *pa, const polytope *pb, double bias,
                                pair_axis *best)
{
    for (int j = 0; j < pb->edge_count; ++j) {
        polytope_arc b = polytope_other_arc(pb, &pb->edges[j]);
        for (int i = 0; i < pa->edge_count; ++i) {
            pawl_vec3 n;
            if (!polytope_arcs_cross(pa, &pa->edges[i], &b, &n)) {
                continue;
            }
            double gap = v3_dot(n, v3_sub(b.point, pa->vertices[pa->edges[i].vertex[0]]));
            if (gap > best->gap + bias) {
                // the arcs' test may err by rounding; the support functions do not
                polytope_try(best, pa->shape, pb->shape, n, bias);
            }
        }
    }
}

// Returns false where the shapes are further apart than `limit`. axis->n (world) points from a to b.
bool pawl_polytope_penetration(const placed_shape *a, const placed_shape *b, double limit,
                               pair_axis *axis)
{
    // Seen from the first shape, its own edges need no turning.
    placed_shape own = *a, other = *b;
    own.position = v3(0.0, 0.0, 0.0);
    own.axes = (pawl_mat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    other.position = m3_tmul(&a->axes, v3_sub(b->position, a->position));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            other.axes.m[i][j] = v3_dot(m3_column(&a->axes, i), m3_column(&b->axes, j));
        }
    }
    polytope pa, pb;
    polytope_view(&own, &pa);
    polytope_view(&other, &pb);
    // Faces come first and edges must beat them by more than rounding: at rest both may tie, and a
    // face's normal does not wander.
    double bias = 1e-13 * (pawl_shape_scale(a) + pawl_shape_scale(b));
    *axis = (pair_axis){.gap = -INFINITY};
    for (int f = 0; f < pa.face_count; ++f) {
        polytope_try(axis, &own, &other, pa.normals[f], bias);
    }
    for (int f = 0; f < pb.face_count; ++f) {
        polytope_try(axis, &own, &other, v3_scale(-1.0, m3_mul(&other.axes, pb.normals[f])), bias);
    }
    if (axis->gap > limit) {
        return false;
    }
    polytope_edge_pairs(&pa, &pb, bias, axis);
    axis->n = m3_mul(&a->axes, axis->n);
    return axis->gap <= limit;
}
