// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Builds a surface from a list of triangles as in files: with repeated corners, triangles without area, and edges
// with any number of neighbours. Everything is sorted only by numbers, so that a file gives the same surface on every
// machine. Moments are exact integrals over tetrahedra (as those of hulls).
#include "model/tri_mesh.h"
#include "base/carver.h"
#include "math/trig.h"
#include <stdlib.h>
#include <string.h>

// Hulls of more corners than MESH_CONVEX_CORNERS cost more than searches in their triangles.
enum { MESH_LEAF = 4, MESH_HULL_DIRECTIONS = 1024, MESH_CONVEX_CORNERS = 32 };
// An edge flatter than this [rad] is none.
static const double mesh_flat = 1e-6;
// Corners nearer than this, of the mesh's size, are one.
static const double mesh_same = 1e-8;

typedef struct mesh_corner { // of the input, to be welded
    double along;
    int index;
} mesh_corner;
typedef struct mesh_side { // of a triangle; from < to by `low` and `high`
    int low, high, triangle, k;
} mesh_side;

// What is needed while a mesh is made.
typedef struct mesh_work {
    const pawl_vec3 *points;
    int point_count;
    mesh_corner *corners; // (points)
    int *welded;          // (points) to its vertex
    mesh_side *sides;     // (3 x triangles)
    int *order;           // (triangles)
    mesh_triangle *given; // (triangles)
    pawl_vec3 *middle;    // (triangles)
    int given_count;
    double scale;
} mesh_work;

// ---- corners and triangles ---------------------------------------------------------------------

static int mesh_compare_corners(const void *a, const void *b)
{
    const mesh_corner *p = a, *q = b;
    if (p->along != q->along) {
        return p->along < q->along ? -1 : 1;
    }
    return (p->index > q->index) - (p->index < q->index);
}

// Corners at the same place but for rounding, as the many triangles of one corner in a file are. They are sorted along
// a direction that no side of a part is likely to lie across, so that few have to be compared.
static int mesh_weld(mesh_work *w, pawl_vec3 *unique)
{
    const pawl_vec3 along = {0.5321, 0.6177, 0.5790};
    const double near = mesh_same * w->scale;
    for (int i = 0; i < w->point_count; ++i) {
        w->corners[i] = (mesh_corner){v3_dot(v3_sub(w->points[i], w->points[0]), along), i};
        w->welded[i] = -1;
    }
    qsort(w->corners, (size_t)w->point_count, sizeof *w->corners, mesh_compare_corners);
    int count = 0;
    for (int i = 0; i < w->point_count; ++i) {
        int own = w->corners[i].index;
        if (w->welded[own] >= 0) {
            continue;
        }
        unique[count] = w->points[own];
        for (int j = i;
             j < w->point_count && w->corners[j].along - w->corners[i].along <= 2.0 * near; ++j) {
            int other = w->corners[j].index;
            if (w->welded[other] < 0 &&
                v3_max_abs(v3_sub(w->points[other], w->points[own])) <= near) {
                w->welded[other] = count;
            }
        }
        ++count;
    }
    return count;
}

static void mesh_set_normal(const pawl_vec3 *at, mesh_triangle *t)
{
    pawl_vec3 n = v3_cross(v3_sub(at[t->v[1]], at[t->v[0]]), v3_sub(at[t->v[2]], at[t->v[0]]));
    t->normal = v3_scale(1.0 / v3_norm(n), n);
}

// Of a triangle thinner than rounding the normal is noise.
static bool mesh_has_area(const mesh_work *w, const pawl_vec3 *at, const int v[3])
{
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
        return false;
    }
    pawl_vec3 a = v3_sub(at[v[1]], at[v[0]]), b = v3_sub(at[v[2]], at[v[0]]), c = v3_sub(b, a);
    double longest = fmax(v3_dot(a, a), fmax(v3_dot(b, b), v3_dot(c, c)));
    double height = v3_norm(v3_cross(a, b)) / sqrt(longest);
    return height > 1e-12 * w->scale;
}

static void mesh_keep_triangles(mesh_work *w, const pawl_vec3 *at, const int *triangles, int count)
{
    w->given_count = 0;
    for (int i = 0; i < count; ++i) {
        mesh_triangle t = {.edge = {-1, -1, -1}};
        for (int k = 0; k < 3; ++k) {
            t.v[k] = w->welded[triangles[3 * i + k]];
        }
        if (mesh_has_area(w, at, t.v)) {
            mesh_set_normal(at, &t);
            w->given[w->given_count++] = t;
        }
    }
}

// ---- the tree of boxes -------------------------------------------------------------------------

typedef struct mesh_tree {
    tri_mesh *m;
    mesh_work *w;
    const pawl_vec3 *at;
    int used; // triangles placed
} mesh_tree;

static void mesh_box(const mesh_tree *t, int begin, int end, mesh_node *node)
{
    node->low = v3(INFINITY, INFINITY, INFINITY);
    node->high = v3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) {
            pawl_vec3 p = t->at[t->w->given[t->w->order[i]].v[k]];
            node->low = v3(fmin(node->low.x, p.x), fmin(node->low.y, p.y), fmin(node->low.z, p.z));
            node->high =
                v3(fmax(node->high.x, p.x), fmax(node->high.y, p.y), fmax(node->high.z, p.z));
        }
    }
}

static bool mesh_before(const mesh_tree *t, int a, int b, int axis)
{
    double x = v3_get(t->w->middle[a], axis), y = v3_get(t->w->middle[b], axis);
    return x != y ? x < y : a < b;
}

// Puts the triangle that belongs at `at` there, smaller ones before it and larger ones behind (Hoare's selection).
static void mesh_select(mesh_tree *t, int begin, int end, int at, int axis)
{
    int *o = t->w->order;
    while (end - begin > 1) {
        int pivot = o[begin + (end - begin) / 2], i = begin, j = end - 1;
        while (i <= j) {
            while (mesh_before(t, o[i], pivot, axis)) {
                ++i;
            }
            while (mesh_before(t, pivot, o[j], axis)) {
                --j;
            }
            if (i <= j) {
                int swap = o[i];
                o[i++] = o[j];
                o[j--] = swap;
            }
        }
        if (at <= j) {
            end = j + 1;
        } else if (at >= i) {
            begin = i;
        } else {
            return;
        }
    }
}

// Halves by number across the longest side: the depth is that of the logarithm, whatever the mesh.
static void mesh_split(mesh_tree *t, int begin, int end)
{
    mesh_node *node = &t->m->nodes[t->m->node_count++];
    mesh_box(t, begin, end, node);
    if (end - begin <= MESH_LEAF) {
        node->first = t->used;
        node->count = end - begin;
        for (int i = begin; i < end; ++i) {
            t->m->triangles[t->used++] = t->w->given[t->w->order[i]];
        }
    } else {
        pawl_vec3 side = v3_sub(node->high, node->low);
        int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
        int middle = begin + (end - begin) / 2;
        mesh_select(t, begin, end, middle, axis);
        node->count = 0;
        mesh_split(t, begin, middle);
        mesh_split(t, middle, end);
    }
    node->skip = t->m->node_count;
}

static void mesh_make_tree(tri_mesh *m, mesh_work *w, const pawl_vec3 *at)
{
    mesh_tree t = {.m = m, .w = w, .at = at};
    for (int i = 0; i < w->given_count; ++i) {
        const int *v = w->given[i].v;
        w->order[i] = i;
        w->middle[i] = v3_scale(1.0 / 3.0, v3_add(at[v[0]], v3_add(at[v[1]], at[v[2]])));
    }
    m->node_count = 0;
    m->triangle_count = w->given_count;
    mesh_split(&t, 0, w->given_count);
}

// ---- neighbours --------------------------------------------------------------------------------

static int mesh_compare_sides(const void *a, const void *b)
{
    const mesh_side *p = a, *q = b;
    const int x[4] = {p->low, p->high, p->triangle, p->k};
    const int y[4] = {q->low, q->high, q->triangle, q->k};
    for (int k = 0; k < 4; ++k) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

// Edge e, passed by side s of a triangle in its direction.
static void mesh_add_edge(tri_mesh *m, const mesh_side *s, const mesh_side *other)
{
    mesh_triangle *t = &m->triangles[s->triangle];
    mesh_edge e = {.v = {t->v[s->k], t->v[(s->k + 1) % 3]},
                   .side = {s->triangle, -1},
                   .opposite = {t->v[(s->k + 2) % 3], -1},
                   .ridge = true};
    t->edge[s->k] = m->edge_count;
    if (other != NULL) {
        mesh_triangle *u = &m->triangles[other->triangle];
        e.side[1] = other->triangle;
        e.opposite[1] = u->v[(other->k + 2) % 3];
        u->edge[other->k] = m->edge_count;
        pawl_vec3 d = v3_sub(m->vertices[e.opposite[1]].at, m->vertices[e.v[0]].at);
        e.ridge = v3_dot(t->normal, d) < -mesh_flat * v3_norm(d);
    }
    m->edges[m->edge_count++] = e;
}

// Two triangles that pass an edge in opposite directions are neighbours. Where there are one, three or more, or two
// that disagree on what is outside, each has a rim there.
static void mesh_join(tri_mesh *m, mesh_work *w)
{
    int count = 0;
    for (int i = 0; i < m->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int a = m->triangles[i].v[k], b = m->triangles[i].v[(k + 1) % 3];
            w->sides[count++] = (mesh_side){a < b ? a : b, a < b ? b : a, i, k};
        }
    }
    qsort(w->sides, (size_t)count, sizeof *w->sides, mesh_compare_sides);
    m->edge_count = 0;
    m->closed = true;
    for (int i = 0, next; i < count; i = next) {
        const mesh_side *s = &w->sides[i];
        for (next = i + 1;
             next < count && w->sides[next].low == s->low && w->sides[next].high == s->high;) {
            ++next;
        }
        bool pair = next == i + 2 &&
                    m->triangles[s[0].triangle].v[s[0].k] != m->triangles[s[1].triangle].v[s[1].k];
        m->closed = m->closed && pair;
        if (pair) {
            mesh_add_edge(m, &s[0], &s[1]);
            continue;
        }
        for (int k = i; k < next; ++k) {
            mesh_add_edge(m, &w->sides[k], NULL);
        }
    }
}

// Lists the edges of every vertex, and adds up the normals around it by their angles there.
static void mesh_fill_vertices(tri_mesh *m)
{
    for (int e = 0; e < m->edge_count; ++e) {
        for (int k = 0; k < 2; ++k) {
            mesh_vertex *v = &m->vertices[m->edges[e].v[k]];
            ++v->edge_count;
            v->ridge = v->ridge || m->edges[e].ridge;
        }
    }
    int next = 0;
    for (int i = 0; i < m->vertex_count; ++i) {
        m->vertices[i].first_edge = next;
        m->vertices[i].owner = -1;
        next += m->vertices[i].edge_count;
        m->vertices[i].edge_count = 0;
    }
    for (int e = 0; e < m->edge_count; ++e) {
        for (int k = 0; k < 2; ++k) {
            mesh_vertex *v = &m->vertices[m->edges[e].v[k]];
            m->edge_of[v->first_edge + v->edge_count++] = e;
        }
    }
    for (int i = 0; i < m->triangle_count; ++i) {
        const mesh_triangle *t = &m->triangles[i];
        for (int k = 0; k < 3; ++k) {
            mesh_vertex *v = &m->vertices[t->v[k]];
            pawl_vec3 a = v3_sub(m->vertices[t->v[(k + 1) % 3]].at, v->at);
            pawl_vec3 b = v3_sub(m->vertices[t->v[(k + 2) % 3]].at, v->at);
            v->owner = v->owner < 0 ? i : v->owner;
            double angle = pawl_atan2(v3_norm(v3_cross(a, b)), v3_dot(a, b));
            v->outward = v3_axpy(v->outward, angle, t->normal);
        }
    }
}

static void mesh_measure(tri_mesh *m)
{
    pawl_vec3 n = m->triangles[0].normal;
    int same = 0;
    for (int i = 0; i < m->triangle_count; ++i) {
        same += v3_max_abs(v3_sub(m->triangles[i].normal, n)) <= 1e-9;
    }
    m->usual = 2 * same >= m->triangle_count ? n : v3(0.0, 0.0, 0.0);
    for (int i = 0; i < m->vertex_count; ++i) {
        m->radius = fmax(m->radius, v3_norm(m->vertices[i].at));
    }
}

// Volume, centre and second moments by tetrahedra from one corner to all triangles.
static void mesh_integrate(tri_mesh *m)
{
    pawl_vec3 o = m->vertices[0].at, first = {0.0, 0.0, 0.0};
    double total = 0.0, second[3][3] = {{0.0}};
    for (int i = 0; i < m->triangle_count; ++i) {
        const int *v = m->triangles[i].v;
        pawl_vec3 p[4];
        for (int k = 0; k < 3; ++k) {
            p[k + 1] = v3_sub(m->vertices[v[k]].at, o);
        }
        p[0] = v3_add(p[1], v3_add(p[2], p[3]));
        double part = v3_dot(p[1], v3_cross(p[2], p[3])) / 6.0;
        total += part;
        first = v3_axpy(first, 0.25 * part, p[0]);
        for (int q = 0; q < 4; ++q) {
            const double x[3] = {p[q].x, p[q].y, p[q].z};
            for (int a = 0; a < 9; ++a) {
                second[a / 3][a % 3] += part / 20.0 * x[a / 3] * x[a % 3];
            }
        }
    }
    pawl_vec3 c = v3_scale(1.0 / total, first);
    const double xx[6] = {c.x * c.x, c.y * c.y, c.z * c.z, c.x * c.y, c.x * c.z, c.y * c.z};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    m->volume = total;
    m->centre = v3_add(o, c);
    for (int k = 0; k < 6; ++k) {
        m->second[k] = second[row[k]][column[k]] - total * xx[k];
    }
}

// ---- making one --------------------------------------------------------------------------------

// Corners that reach furthest along directions spread evenly over a sphere (Fibonacci's lattice).
static int mesh_extreme_points(const tri_mesh *m, pawl_vec3 *out)
{
    const double golden = 2.39996322972865332;
    int count = 0;
    for (int k = 0; k < MESH_HULL_DIRECTIONS; ++k) {
        double z = 1.0 - (2.0 * k + 1.0) / MESH_HULL_DIRECTIONS, r = sqrt(1.0 - z * z);
        pawl_vec3 d = v3(r * pawl_cos(golden * k), r * pawl_sin(golden * k), z);
        int best = 0;
        for (int i = 1; i < m->vertex_count; ++i) {
            best = v3_dot(m->vertices[i].at, d) > v3_dot(m->vertices[best].at, d) ? i : best;
        }
        bool known = false;
        for (int i = 0; i < count && !known; ++i) {
            known = v3_max_abs(v3_sub(out[i], m->vertices[best].at)) == 0.0;
        }
        if (!known) {
            out[count++] = m->vertices[best].at;
        }
    }
    return count;
}

// The thickness that a surface in one plane gets below it, so that it has a hull; 0 where it has one already.
static double mesh_thickness(const tri_mesh *m, double scale)
{
    const mesh_triangle *t = &m->triangles[0];
    double most = 0.0;
    for (int i = 0; i < m->vertex_count; ++i) {
        pawl_vec3 d = v3_sub(m->vertices[i].at, m->vertices[t->v[0]].at);
        most = fmax(most, fabs(v3_dot(t->normal, d)));
    }
    return most > 1e-7 * scale ? 0.0 : 1e-6 * scale;
}

// Half of the room is for the lower side of flat surfaces.
static pawl_status mesh_make_hull(const pawl_env *env, const char *name, double scale, tri_mesh *m)
{
    double thickness = mesh_thickness(m, scale);
    bool all = m->vertex_count <= HULL_MAX_POINTS / 2 && thickness == 0.0;
    int room = 2 * (all ? m->vertex_count : MESH_HULL_DIRECTIONS);
    pawl_vec3 *points = pawl_alloc(env, (size_t)room * sizeof *points);
    if (points == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for mesh '%s'", name);
    }
    int count = all ? m->vertex_count : mesh_extreme_points(m, points);
    for (int i = 0; i < count && all; ++i) {
        points[i] = m->vertices[i].at;
    }
    for (int i = 0, top = count; i < top && thickness > 0.0; ++i) {
        points[count++] = v3_axpy(points[i], -thickness, m->triangles[0].normal);
    }
    pawl_status status = pawl_hull_create(env, name, points, count, &m->hull);
    pawl_free(env, points, (size_t)room * sizeof *points);
    return status;
}

// A closed surface that encloses as much as its hull is the surface of that.
static bool mesh_is_convex(const tri_mesh *m)
{
    double volume, moments[6];
    pawl_vec3 centre;
    if (!m->closed || m->vertex_count > MESH_CONVEX_CORNERS) {
        return false;
    }
    pawl_hull_moments(m->hull, &volume, &centre, moments);
    return fabs(m->volume - volume) <= 1e-9 * volume;
}

static tri_mesh *mesh_layout(int vertices, int triangles, pawl_carver *mem)
{
    tri_mesh *out = PAWL_CARVE(mem, tri_mesh, 1);
    tri_mesh m = {.vertex_count = vertices, .triangle_count = triangles};
    m.vertices = PAWL_CARVE(mem, mesh_vertex, vertices);
    m.triangles = PAWL_CARVE(mem, mesh_triangle, triangles);
    m.edges = PAWL_CARVE(mem, mesh_edge, 3 * triangles);
    m.edge_of = PAWL_CARVE(mem, int, 6 * triangles);
    m.nodes = PAWL_CARVE(mem, mesh_node, 2 * triangles);
    if (out != NULL) {
        *out = m;
        out->bytes = mem->capacity;
    }
    return out;
}

// `unique` is scratch of the size of the points.
static pawl_status mesh_make(const pawl_env *env, const char *name, mesh_work *w,
                             const int *triangles, int triangle_count, pawl_vec3 *unique,
                             tri_mesh **out)
{
    int vertices = mesh_weld(w, unique);
    mesh_keep_triangles(w, unique, triangles, triangle_count);
    if (w->given_count == 0) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "mesh '%s': none of its %d triangles has an area, expected at least one",
                         name, triangle_count);
    }
    pawl_carver need = {0};
    mesh_layout(vertices, w->given_count, &need);
    pawl_carver mem = {.base = pawl_alloc(env, need.used), .capacity = need.used};
    if (mem.base == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "mesh '%s' of %d triangles needs %zu bytes", name,
                         w->given_count, need.used);
    }
    tri_mesh *m = mesh_layout(vertices, w->given_count, &mem);
    for (int i = 0; i < vertices; ++i) {
        m->vertices[i] = (mesh_vertex){.at = unique[i]};
    }
    mesh_make_tree(m, w, unique);
    mesh_join(m, w);
    mesh_fill_vertices(m);
    mesh_measure(m);
    mesh_integrate(m);
    if (!m->closed) {
        m->volume = 0.0;
    }
    *out = m;
    PAWL_TRY(mesh_make_hull(env, name, w->scale, m));
    m->convex = mesh_is_convex(m);
    return PAWL_OK;
}

// Turned inside out, as exporters that mirror a part leave it.
static bool mesh_is_inverted(const tri_mesh *m)
{
    return m->closed && m->volume < 0.0;
}

pawl_status pawl_tri_mesh_check(const pawl_env *env, const char *name, const pawl_vec3 *points,
                                int point_count, const int *triangles, int triangle_count)
{
    if (points == NULL || triangles == NULL || point_count < 3 || triangle_count < 1 ||
        triangle_count > MESH_MAX_TRIANGLES || point_count > 3 * MESH_MAX_TRIANGLES) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "mesh '%s' has %d points and %d triangles, expected at least 3 and 1, and "
                         "at most %d triangles",
                         name, points == NULL ? 0 : point_count,
                         triangles == NULL ? 0 : triangle_count, (int)MESH_MAX_TRIANGLES);
    }
    for (int i = 0; i < point_count; ++i) {
        if (!v3_finite(points[i])) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "mesh '%s': point %d is not finite", name, i);
        }
    }
    for (int i = 0; i < 3 * triangle_count; ++i) {
        if (triangles[i] < 0 || triangles[i] >= point_count) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "mesh '%s': triangle %d names point %d, expected 0 to %d", name, i / 3,
                             triangles[i], point_count - 1);
        }
    }
    return PAWL_OK;
}

static mesh_work mesh_work_layout(int points, int triangles, pawl_vec3 **unique, pawl_carver *mem)
{
    mesh_work w = {.point_count = points};
    w.corners = PAWL_CARVE(mem, mesh_corner, points);
    w.welded = PAWL_CARVE(mem, int, points);
    w.sides = PAWL_CARVE(mem, mesh_side, 3 * triangles);
    w.order = PAWL_CARVE(mem, int, triangles);
    w.given = PAWL_CARVE(mem, mesh_triangle, triangles);
    w.middle = PAWL_CARVE(mem, pawl_vec3, triangles);
    *unique = PAWL_CARVE(mem, pawl_vec3, points);
    return w;
}

// A closed mesh whose volume comes out negative is made once more with its triangles the other way round.
pawl_status pawl_tri_mesh_create(const pawl_env *env, const char *name, const pawl_vec3 *points,
                                 int point_count, const int *triangles, int triangle_count,
                                 tri_mesh **out)
{
    *out = NULL;
    PAWL_TRY(pawl_tri_mesh_check(env, name, points, point_count, triangles, triangle_count));
    pawl_carver need = {0};
    pawl_vec3 *unique;
    (void)mesh_work_layout(point_count, triangle_count, &unique, &need);
    size_t flipped = (size_t)(3 * triangle_count) * sizeof(int);
    char *block = pawl_alloc(env, need.used + flipped);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for mesh '%s' of %d triangles", name,
                         triangle_count);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    mesh_work w = mesh_work_layout(point_count, triangle_count, &unique, &mem);
    w.points = points;
    for (int i = 0; i < point_count; ++i) {
        w.scale = fmax(w.scale, v3_max_abs(v3_sub(points[i], points[0])));
    }
    pawl_status status = mesh_make(env, name, &w, triangles, triangle_count, unique, out);
    if (status == PAWL_OK && mesh_is_inverted(*out)) {
        int *turned = (int *)(void *)(block + need.used);
        for (int i = 0; i < 3 * triangle_count; ++i) {
            turned[i] = triangles[i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1];
        }
        pawl_tri_mesh_destroy(env, *out);
        *out = NULL;
        status = mesh_make(env, name, &w, turned, triangle_count, unique, out);
    }
    pawl_free(env, block, need.used + flipped);
    if (status != PAWL_OK) {
        pawl_tri_mesh_destroy(env, *out);
        *out = NULL;
    }
    return status;
}

void pawl_tri_mesh_destroy(const pawl_env *env, tri_mesh *m)
{
    if (m != NULL) {
        pawl_hull_destroy(env, m->hull);
        pawl_free(env, m, m->bytes);
    }
}
