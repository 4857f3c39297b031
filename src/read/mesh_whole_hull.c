// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The surface of the convex hull of many points, for volumes: it uses all corners, while mesh_hull.c selects the few
// for contact. Quickhull (Barber, Dobkin, Huhdanpaa 1996): every face keeps the points outside of it; the furthest of
// one face replaces all faces that it sees by a fan over their horizon. Points closer to a face than rounding count
// as on it. Rounding can produce a horizon that is not a simple loop: then there is no result. There is no result
// either after too many tests of points, which no realistic mesh needs.
#include "base/array.h"
#include "math/vec.h"
#include "read/mesh.h"
#include <math.h>

static const double whole_on = 1e-11; // of the size: no further outside counts as on a face
static const int64_t whole_tests = 2000000000; // of a point and a face

typedef struct whole_face {
    int v[3],
        across[3]; // across[i] is the face on the other side of the edge from v[i] to v[i + 1]
    int outside;   // the first point outside of it, -1: none
    int furthest;
    double far, level; // the plane is normal . p = level
    pawl_vec3 normal;
    bool dead, seen;
} whole_face;

typedef struct whole_edge {
    int from, to, behind; // of the horizon; the face behind it that stays
} whole_edge;

typedef struct whole_hull {
    const pawl_env *env;
    const pawl_vec3 *p;
    int *next;  // of the points outside of the same face (points)
    int *start; // the new face whose horizon edge starts at a point, -1: none (points)
    double on;
    int64_t tests;
    pawl_array faces, stack, horizon; // whole_face, int, whole_edge
} whole_hull;

#define WHOLE_FACE(h, i) (&PAWL_ITEM((h)->faces, whole_face, (i)))

static pawl_status whole_add_face(whole_hull *h, int a, int b, int c)
{
    whole_face *f = pawl_array_push(h->env, &h->faces, sizeof *f);
    if (f == NULL) {
        return PAWL_NO_MEMORY;
    }
    pawl_vec3 n = v3_cross(v3_sub(h->p[b], h->p[a]), v3_sub(h->p[c], h->p[a]));
    double length = v3_norm(n);
    n = length > 0.0 ? v3_scale(1.0 / length, n) : v3(0.0, 0.0, 0.0);
    *f = (whole_face){.v = {a, b, c},
                      .across = {-1, -1, -1},
                      .outside = -1,
                      .furthest = -1,
                      .normal = n,
                      .level = v3_dot(n, h->p[a])};
    return PAWL_OK;
}

static double whole_above(whole_hull *h, const whole_face *f, int point)
{
    h->tests += 1;
    return v3_dot(f->normal, h->p[point]) - f->level;
}

// Gives a point to the first of the faces from `first` on that it is outside of; inside of all it is dropped.
static void whole_place(whole_hull *h, int point, int first)
{
    for (int k = first; k < h->faces.count; ++k) {
        whole_face *f = WHOLE_FACE(h, k);
        double above = whole_above(h, f, point);
        if (above > h->on) {
            h->next[point] = f->outside;
            f->outside = point;
            if (above > f->far) {
                f->far = above;
                f->furthest = point;
            }
            return;
        }
    }
}

static pawl_status whole_begin(whole_hull *h, int count, const int v[4])
{
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    pawl_vec3 o = h->p[v[0]];
    pawl_vec3 n = v3_cross(v3_sub(h->p[v[1]], o), v3_sub(h->p[v[2]], o));
    bool turned = v3_dot(n, v3_sub(h->p[v[3]], o)) > 0.0; // the last corner is below the first face
    for (int k = 0; k < 4; ++k) {
        const int *c = corner[k];
        PAWL_TRY(whole_add_face(h, v[c[0]], v[c[turned ? 2 : 1]], v[c[turned ? 1 : 2]]));
    }
    for (int k = 0; k < 12; ++k) {
        whole_face *f = WHOLE_FACE(h, k / 3);
        int a = f->v[k % 3], b = f->v[(k + 1) % 3];
        for (int m = 0; m < 12; ++m) {
            const whole_face *g = WHOLE_FACE(h, m / 3);
            if (g->v[m % 3] == b && g->v[(m + 1) % 3] == a) {
                f->across[k % 3] = m / 3;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        if (i != v[0] && i != v[1] && i != v[2] && i != v[3]) {
            whole_place(h, i, 0);
        }
    }
    return PAWL_OK;
}

static pawl_status whole_push(whole_hull *h, int face)
{
    int *slot = pawl_array_push(h->env, &h->stack, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = face;
    WHOLE_FACE(h, face)->seen = true;
    return PAWL_OK;
}

// All faces that the point sees, in the stack, and the edges between them and those that it does not see.
static pawl_status whole_look(whole_hull *h, int point, int face)
{
    h->stack.count = h->horizon.count = 0;
    PAWL_TRY(whole_push(h, face));
    for (int k = 0; k < h->stack.count; ++k) {
        const whole_face f = *WHOLE_FACE(h, PAWL_ITEM(h->stack, int, k));
        for (int i = 0; i < 3; ++i) {
            const whole_face *g = WHOLE_FACE(h, f.across[i]);
            if (g->seen) {
                continue;
            }
            if (whole_above(h, g, point) > h->on) {
                PAWL_TRY(whole_push(h, f.across[i]));
                continue;
            }
            whole_edge *e = pawl_array_push(h->env, &h->horizon, sizeof *e);
            if (e == NULL) {
                return PAWL_NO_MEMORY;
            }
            *e = (whole_edge){f.v[i], f.v[(i + 1) % 3], f.across[i]};
        }
    }
    return PAWL_OK;
}

// The fan over the horizon; `simple` says whether it is one loop of different corners.
static pawl_status whole_fan(whole_hull *h, int point, bool *simple)
{
    int first = h->faces.count, edges = h->horizon.count;
    *simple = edges > 2;
    for (int k = 0; k < edges; ++k) {
        whole_edge e = PAWL_ITEM(h->horizon, whole_edge, k);
        PAWL_TRY(whole_add_face(h, e.from, e.to, point));
        WHOLE_FACE(h, first + k)->across[0] = e.behind;
        whole_face *behind = WHOLE_FACE(h, e.behind);
        for (int i = 0; i < 3; ++i) {
            if (behind->v[i] == e.to && behind->v[(i + 1) % 3] == e.from) {
                behind->across[i] = first + k;
            }
        }
        *simple = *simple && h->start[e.from] < 0;
        h->start[e.from] = first + k;
    }
    for (int k = 0; k < edges; ++k) {
        int to = PAWL_ITEM(h->horizon, whole_edge, k).to, other = h->start[to];
        *simple = *simple && other >= 0;
        if (*simple) {
            WHOLE_FACE(h, first + k)->across[1] = other;
            WHOLE_FACE(h, other)->across[2] = first + k;
        }
    }
    for (int k = 0; k < edges; ++k) {
        h->start[PAWL_ITEM(h->horizon, whole_edge, k).from] = -1;
    }
    return PAWL_OK;
}

static pawl_status whole_grow(whole_hull *h, bool *good)
{
    *good = true;
    for (int face = 0; face < h->faces.count && *good; ++face) {
        const whole_face *f = WHOLE_FACE(h, face);
        if (f->dead || f->outside < 0) {
            continue;
        }
        int point = f->furthest, first = h->faces.count;
        PAWL_TRY(whole_look(h, point, face));
        PAWL_TRY(whole_fan(h, point, good));
        for (int k = 0; k < h->stack.count && *good; ++k) {
            whole_face *old = WHOLE_FACE(h, PAWL_ITEM(h->stack, int, k));
            int next;
            old->dead = true;
            for (int i = old->outside; i >= 0; i = next) {
                next = h->next[i];
                if (i != point) {
                    whole_place(h, i, first);
                }
            }
        }
        *good = *good && h->tests < whole_tests;
    }
    return PAWL_OK;
}

static pawl_status whole_write(whole_hull *h, xml_reader *reader, const pawl_vec3 *points,
                               triangle_mesh *out)
{
    int living = 0;
    for (int k = 0; k < h->faces.count; ++k) {
        living += !WHOLE_FACE(h, k)->dead;
    }
    out->vertices = xml_alloc(reader, 3 * (size_t)living * sizeof *out->vertices);
    out->triangles = xml_alloc(reader, (size_t)living * sizeof *out->triangles);
    if (out->vertices == NULL || out->triangles == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (int k = 0; k < h->faces.count;
         ++k) { // each corner once: it is numbered when it first comes
        const whole_face *f = WHOLE_FACE(h, k);
        for (int i = 0; i < 3 && !f->dead; ++i) {
            int *number = &h->start[f->v[i]];
            if (*number < 0) {
                *number = out->vertex_count;
                out->vertices[out->vertex_count++] = points[f->v[i]];
            }
            out->triangles[out->triangle_count].v[i] = *number;
        }
        out->triangle_count += !f->dead;
    }
    return PAWL_OK;
}

pawl_status mesh_whole_hull(xml_reader *reader, const pawl_vec3 *points, int count,
                            triangle_mesh *out)
{
    int v[4];
    double size = 0.0;
    *out = (triangle_mesh){0};
    if (count < 4) {
        return PAWL_OK;
    }
    for (int i = 0; i < count; ++i) {
        size = fmax(size, v3_max_abs(v3_sub(points[i], points[0])));
    }
    mesh_far_corners(points, count, v);
    whole_hull h = {.env = reader->env, .on = whole_on * size};
    pawl_vec3 *moved = xml_alloc(reader, (size_t)count * sizeof *moved);
    h.next = xml_alloc(reader, (size_t)count * sizeof *h.next);
    h.start = xml_alloc(reader, (size_t)count * sizeof *h.start);
    if (moved == NULL || h.next == NULL || h.start == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (int i = 0; i < count; ++i) { // far from the origin the planes would be rounded coarsely
        moved[i] = v3_sub(points[i], points[0]);
        h.start[i] = -1;
    }
    h.p = moved;
    pawl_vec3 n = v3_cross(v3_sub(moved[v[1]], moved[v[0]]), v3_sub(moved[v[2]], moved[v[0]]));
    double thick = fabs(v3_dot(n, v3_sub(moved[v[3]], moved[v[0]])));
    bool good = thick > whole_on * size * v3_norm(n);
    pawl_status status = PAWL_OK;
    if (good) {
        status = whole_begin(&h, count, v);
        status = status == PAWL_OK ? whole_grow(&h, &good) : status;
    }
    if (status == PAWL_OK && good) {
        status = whole_write(&h, reader, points, out);
    }
    pawl_array_free(reader->env, &h.faces);
    pawl_array_free(reader->env, &h.stack);
    pawl_array_free(reader->env, &h.horizon);
    return status;
}
