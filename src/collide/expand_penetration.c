// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The least translation that separates two overlapping convex sets of any kind: a polytope inside the difference A -
// B is expanded where its surface is nearest to the origin, until it reaches the surface of the difference there. The
// least offset of a face bounds the depth from below and every support from above, so the result is optimal over all
// directions within the tolerance. Curved sets would need very many faces to be exact: the tolerance is coarse, and
// pawl_refine_axis() computes the last digits.
#include "collide/pair.h"

enum { EXPAND_VERTICES = 160, EXPAND_FACES = 2 * EXPAND_VERTICES, EXPAND_HORIZON = 128 };

typedef struct expand_face {
    int v[3];
    pawl_vec3 n; // unit, outward
    double offset;
} expand_face;
typedef struct expand_polytope {
    int vertex_count, face_count;
    pawl_vec3 vertex[EXPAND_VERTICES];
    expand_face face[EXPAND_FACES];
} expand_polytope;

// Support point of the difference A - B.
static pawl_vec3 expand_support(const placed_shape *a, const placed_shape *b, pawl_vec3 n)
{
    return v3_sub(pawl_shape_support(a, n), pawl_shape_support(b, v3_scale(-1.0, n)));
}

// Corners counter-clockwise seen from outside. False for slivers, whose normal is rounding, and without room.
static bool expand_add_face(expand_polytope *p, int i, int j, int k)
{
    pawl_vec3 o = p->vertex[i];
    pawl_vec3 e = v3_sub(p->vertex[j], o), f = v3_sub(p->vertex[k], o);
    pawl_vec3 n = v3_cross(e, f);
    double area = v3_norm(n);
    if (!(area > 1e-14 * v3_norm(e) * v3_norm(f)) || p->face_count == EXPAND_FACES) {
        return false;
    }
    n = v3_scale(1.0 / area, n);
    p->face[p->face_count++] = (expand_face){{i, j, k}, n, v3_dot(n, o)};
    return true;
}

// A tetrahedron of support points.
// Two points along the line of centres, the one furthest from their line among four directions, and the one
// furthest from the plane of these three. Which side the last is on decides the winding of all faces.
static bool expand_start(const placed_shape *a, const placed_shape *b, expand_polytope *p)
{
    pawl_vec3 d = v3_unit_or(v3_sub(b->position, a->position), m3_column(&a->axes, 2));
    p->vertex[0] = expand_support(a, b, d);
    p->vertex[1] = expand_support(a, b, v3_scale(-1.0, d));
    pawl_vec3 e = v3_unit_or(v3_sub(p->vertex[1], p->vertex[0]), d);
    pawl_vec3 t1, t2;
    pawl_tangents(e, &t1, &t2);
    double widest = 0.0;
    for (int k = 0; k < 4; ++k) {
        pawl_vec3 t = v3_scale(k & 1 ? -1.0 : 1.0, k & 2 ? t2 : t1);
        pawl_vec3 w = expand_support(a, b, t);
        pawl_vec3 across = v3_cross(v3_sub(w, p->vertex[0]), e);
        if (v3_norm(across) > widest) {
            widest = v3_norm(across);
            p->vertex[2] = w;
        }
    }
    if (!(widest > 0.0)) {
        return false;
    }
    pawl_vec3 n = v3_unit_or(v3_cross(e, v3_sub(p->vertex[2], p->vertex[0])), t1);
    pawl_vec3 up = expand_support(a, b, n), down = expand_support(a, b, v3_scale(-1.0, n));
    double above = v3_dot(n, v3_sub(up, p->vertex[0]));
    double below = v3_dot(n, v3_sub(p->vertex[0], down));
    p->vertex[3] = above > below ? up : down;
    p->vertex_count = 4;
    p->face_count = 0;
    if (above > below) {
        return expand_add_face(p, 0, 2, 1) && expand_add_face(p, 0, 1, 3) &&
               expand_add_face(p, 1, 2, 3) && expand_add_face(p, 2, 0, 3);
    }
    return expand_add_face(p, 0, 1, 2) && expand_add_face(p, 1, 0, 3) &&
           expand_add_face(p, 2, 1, 3) && expand_add_face(p, 0, 2, 3);
}

// Replaces the faces that see `w` by a cone to it. False when rounding or room stops it.
// The horizon is the set of edges with one face that goes and one that stays. An edge of two faces that go is met
// twice, in opposite directions, and is taken out again. The loop of new faces keeps the direction of the
// horizon's edges, so that they look outward, too.
static bool expand_by(expand_polytope *p, pawl_vec3 w, double tolerance)
{
    int horizon[EXPAND_HORIZON][2];
    int count = 0, kept = 0;
    if (p->vertex_count == EXPAND_VERTICES) {
        return false;
    }
    for (int f = 0; f < p->face_count; ++f) {
        expand_face face = p->face[f];
        if (v3_dot(face.n, w) <= face.offset + tolerance) {
            p->face[kept++] = face;
            continue;
        }
        for (int e = 0; e < 3; ++e) {
            int i = face.v[e], j = face.v[(e + 1) % 3];
            int same = 0;
            while (same < count && !(horizon[same][0] == j && horizon[same][1] == i)) {
                ++same;
            }
            if (same < count) { // shared by two faces that go
                --count;
                horizon[same][0] = horizon[count][0];
                horizon[same][1] = horizon[count][1];
            } else if (count == EXPAND_HORIZON) {
                return false;
            } else {
                horizon[count][0] = i;
                horizon[count++][1] = j;
            }
        }
    }
    p->face_count = kept;
    int fresh = p->vertex_count++;
    p->vertex[fresh] = w;
    for (int e = 0; e < count; ++e) {
        if (!expand_add_face(p, horizon[e][0], horizon[e][1], fresh)) {
            return false;
        }
    }
    return count > 0;
}

// axis->n points from a to b; axis->gap is negative, minus the depth along n. The best direction is kept from
// round to round: if rounding or lack of memory ends the search, the result is still a valid separation.
void pawl_expand_penetration(const placed_shape *a, const placed_shape *b, pair_axis *axis)
{
    double scale = pawl_shape_scale(a) + pawl_shape_scale(b);
    *axis = (pair_axis){.n = v3_unit_or(v3_sub(b->position, a->position), m3_column(&a->axes, 2))};
    axis->gap = pair_gap_along(a, b, axis->n);
    expand_polytope p;
    if (!expand_start(a, b, &p)) {
        return;
    }
    for (;;) {
        int nearest = 0;
        for (int f = 1; f < p.face_count; ++f) {
            if (p.face[f].offset < p.face[nearest].offset) {
                nearest = f;
            }
        }
        pawl_vec3 n = p.face[nearest].n;
        double offset = p.face[nearest].offset;
        pawl_vec3 w = expand_support(a, b, n);
        double depth = v3_dot(n, w);
        if (-depth > axis->gap) {
            axis->gap = -depth;
            axis->n = n;
        }
        // Upper bound (best depth so far) minus lower bound (offset of the nearest face).
        if (-axis->gap - offset <= 1e-7 * scale || !expand_by(&p, w, 1e-13 * scale)) {
            return;
        }
    }
}
