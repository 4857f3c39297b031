// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Convex hulls by inserting the point furthest outside a face until no point is outside, then
// merging triangles that lie in one plane. Points within a tolerance of a face count as on it. Made
// for hundreds of points, at build time; never in a step.
//
// The method is Quickhull without its conflict lists (Barber, Dobkin, Huhdanpaa 1996). Triangles are
// counterclockwise seen from outside: normals point outwards, and hull_above() > 0 means outside.
// Lengths are in m; eps is 1e-9 of the largest extent.
#include "model/hull.h"
#include "base/carver.h"
#include <stdlib.h>
#include <string.h>

typedef struct hull_triangle {
    int v[3];
    int group; // of coplanar triangles
    bool done; // no point is outside it
    pawl_vec3 n;
    double offset;
} hull_triangle;
typedef struct hull_side { // of a triangle or of a face, directed
    int from, to, triangle;
} hull_side;

typedef struct hull_work {
    const pawl_vec3 *points;
    int point_count;
    double scale, eps;
    double coarse; // times the usual eps
    int triangle_count, triangle_capacity;
    hull_triangle *triangles;
    hull_side *sides;  // three a triangle
    int *vertex_of;    // point to vertex of the result, -1: none (point_count)
    int *outer, *next; // sides between a group and others, -1: no more (triangles), (sides)
} hull_work;

// Fails for three points on a line, and when there is no room: then rounding has broken the
// topology, since a hull of n points has at most 2 n - 4 triangles.
static bool hull_add_triangle(hull_work *w, int i, int j, int k)
{
    pawl_vec3 o = w->points[i];
    pawl_vec3 n = v3_cross(v3_sub(w->points[j], o), v3_sub(w->points[k], o));
    double area = v3_norm(n);
    if (!(area > 0.0) || w->triangle_count == w->triangle_capacity) {
        return false;
    }
    n = v3_scale(1.0 / area, n);
    w->triangles[w->triangle_count++] = (hull_triangle){{i, j, k}, 0, false, n, v3_dot(n, o)};
    return true;
}

// Signed distance of a point from the plane of a triangle.
static double hull_above(const hull_work *w, const hull_triangle *t, int point)
{
    return v3_dot(t->n, w->points[point]) - t->offset;
}

// Two points furthest apart along an axis, one furthest from their line, one from their plane.
//
// The order of the first triangle is chosen so that the fourth point is below it: all four normals
// then point outwards. Fails for points on a line or in a plane.
static bool hull_start(hull_work *w)
{
    const pawl_vec3 *p = w->points;
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int i = 1; i < w->point_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            low[k] = v3_get(p[i], k) < v3_get(p[low[k]], k) ? i : low[k];
            high[k] = v3_get(p[i], k) > v3_get(p[high[k]], k) ? i : high[k];
        }
    }
    int axis = 0;
    w->scale = 0.0;
    for (int k = 0; k < 3; ++k) {
        double extent = v3_get(p[high[k]], k) - v3_get(p[low[k]], k);
        if (extent > w->scale) {
            w->scale = extent;
            axis = k;
        }
    }
    w->eps = w->coarse * 1e-9 * w->scale;
    int v[4] = {low[axis], high[axis], 0, 0};
    pawl_vec3 e = v3_sub(p[v[1]], p[v[0]]);
    double furthest = 0.0;
    for (int i = 0; i < w->point_count; ++i) {
        double across = v3_norm(v3_cross(v3_sub(p[i], p[v[0]]), e));
        if (across > furthest) {
            furthest = across;
            v[2] = i;
        }
    }
    if (!(furthest > w->eps * v3_norm(e))) {
        return false;
    }
    pawl_vec3 n = v3_cross(e, v3_sub(p[v[2]], p[v[0]]));
    n = v3_scale(1.0 / v3_norm(n), n);
    double height = 0.0;
    for (int i = 0; i < w->point_count; ++i) {
        double above = v3_dot(n, v3_sub(p[i], p[v[0]]));
        if (fabs(above) > fabs(height)) {
            height = above;
            v[3] = i;
        }
    }
    if (!(fabs(height) > 1e-6 * w->scale)) {
        return false;
    }
    if (height > 0.0) {
        int swap = v[0];
        v[0] = v[1];
        v[1] = swap;
    }
    return hull_add_triangle(w, v[0], v[1], v[2]) && hull_add_triangle(w, v[1], v[0], v[3]) &&
           hull_add_triangle(w, v[2], v[1], v[3]) && hull_add_triangle(w, v[0], v[2], v[3]);
}

// Removes all triangles that see the point. Sides of removed triangles that occur in both
// directions lie between two of them and cancel; those left over are the horizon, which is joined
// to the point.
static bool hull_insert(hull_work *w, int point)
{
    int kept = 0, count = 0;
    for (int t = 0; t < w->triangle_count; ++t) {
        hull_triangle triangle = w->triangles[t];
        if (hull_above(w, &triangle, point) <= w->eps) {
            w->triangles[kept++] = triangle;
            continue;
        }
        for (int e = 0; e < 3; ++e) {
            int i = triangle.v[e], j = triangle.v[(e + 1) % 3];
            int same = 0;
            while (same < count && !(w->sides[same].from == j && w->sides[same].to == i)) {
                ++same;
            }
            if (same < count) {
                w->sides[same] = w->sides[--count];
            } else {
                w->sides[count++] = (hull_side){i, j, -1};
            }
        }
    }
    w->triangle_count = kept;
    for (int e = 0; e < count; ++e) {
        if (!hull_add_triangle(w, w->sides[e].from, w->sides[e].to, point)) {
            return false;
        }
    }
    return count >= 3;
}

// A triangle that no point is outside of stays so until it is removed, hence `done`.
static bool hull_grow(hull_work *w)
{
    for (int t = 0; t < w->triangle_count;) {
        int best = -1;
        double highest = w->eps;
        for (int i = 0; i < w->point_count && !w->triangles[t].done; ++i) {
            double above = hull_above(w, &w->triangles[t], i);
            if (above > highest) {
                highest = above;
                best = i;
            }
        }
        if (best < 0) {
            w->triangles[t++].done = true;
        } else if (!hull_insert(w, best)) {
            return false;
        } else {
            t = 0; // triangles have moved; those that are done cost nothing
        }
    }
    return true;
}

// By the pair of ends whatever the direction, then by direction: the two sides of an edge become
// neighbours in the sorted list. The order is total, so that every C library sorts alike.
static int hull_compare_sides(const void *a, const void *b)
{
    const hull_side *s = a, *t = b;
    int s_low = s->from < s->to ? s->from : s->to, t_low = t->from < t->to ? t->from : t->to;
    int s_high = s->from + s->to - s_low, t_high = t->from + t->to - t_low;
    return s_low != t_low       ? (s_low < t_low ? -1 : 1)
           : s_high != t_high   ? (s_high < t_high ? -1 : 1)
           : s->from != t->from ? (s->from < t->from ? -1 : 1)
                                : 0;
}

// Representative of the coplanar group of triangle t, the one with the smallest index.
static int hull_group(const hull_work *w, int t)
{
    while (w->triangles[t].group != t) {
        t = w->triangles[t].group;
    }
    return t;
}

// The corner of a triangle that is not on the side.
static int hull_opposite(const hull_triangle *t, const hull_side *side)
{
    for (int k = 0; k < 2; ++k) {
        if (t->v[k] != side->from && t->v[k] != side->to) {
            return t->v[k];
        }
    }
    return t->v[2];
}

// Sorts the sides into pairs that run opposite ways; false when the surface is not closed. Joins
// neighbours in one plane.
static bool hull_join(hull_work *w)
{
    int count = 0;
    for (int t = 0; t < w->triangle_count; ++t) {
        w->triangles[t].group = t;
        for (int e = 0; e < 3; ++e) {
            w->sides[count++] =
                (hull_side){w->triangles[t].v[e], w->triangles[t].v[(e + 1) % 3], t};
        }
    }
    qsort(w->sides, (size_t)count, sizeof *w->sides, hull_compare_sides);
    double flat = 10.0 * w->eps;
    for (int s = 0; s < count; s += 2) {
        const hull_side *p = &w->sides[s], *q = p + 1;
        if (p->from != q->to || p->to != q->from) {
            return false;
        }
        const hull_triangle *tp = &w->triangles[p->triangle], *tq = &w->triangles[q->triangle];
        if (fabs(hull_above(w, tp, hull_opposite(tq, q))) <= flat &&
            fabs(hull_above(w, tq, hull_opposite(tp, p))) <= flat && v3_dot(tp->n, tq->n) > 0.0) {
            int a = hull_group(w, p->triangle), b = hull_group(w, q->triangle);
            w->triangles[a > b ? a : b].group = a < b ? a : b;
        }
    }
    return true;
}

// Lists the sides in which each group ends, ascending.
// Side s and its partner are neighbours in the sorted list: s ^ 1.
static void hull_list_sides(hull_work *w)
{
    for (int t = 0; t < w->triangle_count; ++t) {
        w->outer[t] = -1;
    }
    for (int s = 3 * w->triangle_count - 1; s >= 0; --s) {
        int group = hull_group(w, w->sides[s].triangle);
        if (hull_group(w, w->sides[s ^ 1].triangle) != group) {
            w->next[s] = w->outer[group];
            w->outer[group] = s;
        }
    }
}

// The outline of one group: sides whose partner is in another, chained. Returns the corners' count,
// 0 when they do not make one loop.
static int hull_outline(const hull_work *w, int group, int *loop)
{
    int count = 0, first = -1, at = -1;
    do {
        int next = -1;
        for (int s = w->outer[group]; s >= 0; s = w->next[s]) {
            const hull_side *side = &w->sides[s];
            if (at < 0 || side->from == at) {
                next = side->to;
                if (at < 0) {
                    first = at = side->from;
                }
                break;
            }
        }
        if (next < 0 || count == w->point_count) {
            return 0;
        }
        loop[count++] = at;
        at = next;
    } while (at != first);
    return count;
}

// One block of memory. `radius` is the largest distance of a vertex from the frame's origin.
static convex_hull *hull_layout(const hull_work *w, int faces, int corners, int vertices,
                                pawl_carver *mem)
{
    convex_hull *h = PAWL_CARVE(mem, convex_hull, 1);
    pawl_vec3 *points = PAWL_CARVE(mem, pawl_vec3, vertices);
    pawl_vec3 *normals = PAWL_CARVE(mem, pawl_vec3, faces);
    double *offsets = PAWL_CARVE(mem, double, faces);
    int *start = PAWL_CARVE(mem, int, faces + 1);
    int *loops = PAWL_CARVE(mem, int, corners);
    hull_edge *edges = PAWL_CARVE(mem, hull_edge, corners / 2);
    if (h == NULL) {
        return NULL;
    }
    *h = (convex_hull){.vertex_count = vertices,
                       .face_count = faces,
                       .edge_count = 0,
                       .vertices = points,
                       .normals = normals,
                       .offsets = offsets,
                       .face_start = start,
                       .loops = loops,
                       .edges = edges,
                       .bytes = mem->capacity};
    for (int i = 0; i < w->point_count; ++i) {
        if (w->vertex_of[i] >= 0) {
            points[w->vertex_of[i]] = w->points[i];
            h->radius = max_of(h->radius, v3_norm(w->points[i]));
        }
    }
    return h;
}

// Area vector of a polygon (Newell).
static pawl_vec3 hull_area(const convex_hull *h, int face)
{
    pawl_vec3 area = v3(0.0, 0.0, 0.0);
    int first = h->face_start[face], last = h->face_start[face + 1];
    pawl_vec3 o = h->vertices[h->loops[first]];
    for (int c = first + 1; c + 1 < last; ++c) {
        area = v3_add(area, v3_cross(v3_sub(h->vertices[h->loops[c]], o),
                                     v3_sub(h->vertices[h->loops[c + 1]], o)));
    }
    return area;
}

// Sides of the faces sorted into pairs that run opposite ways.
static bool hull_fill_edges(hull_work *w, convex_hull *h)
{
    int count = 0;
    for (int f = 0; f < h->face_count; ++f) {
        int first = h->face_start[f], last = h->face_start[f + 1];
        for (int k = first; k < last; ++k) {
            w->sides[count++] = (hull_side){h->loops[k], h->loops[k + 1 < last ? k + 1 : first], f};
        }
    }
    qsort(w->sides, (size_t)count, sizeof *w->sides, hull_compare_sides);
    for (int s = 0; s + 1 < count; s += 2) {
        const hull_side *p = &w->sides[s], *q = p + 1;
        if (p->from != q->to || p->to != q->from) {
            return false;
        }
        h->edges[h->edge_count++] = (hull_edge){{p->from, p->to}, {p->triangle, q->triangle}};
    }
    return count % 2 == 0;
}

// Offsets are those of the furthest corner: no vertex of a face is outside its plane, although
// merged triangles are coplanar only within a tolerance.
static bool hull_fill(hull_work *w, convex_hull *h, int *loop)
{
    int face = 0, corner = 0;
    for (int t = 0; t < w->triangle_count; ++t) {
        if (hull_group(w, t) != t) {
            continue;
        }
        int count = hull_outline(w, t, loop);
        h->face_start[face] = corner;
        for (int k = 0; k < count; ++k) {
            if (w->vertex_of[loop[k]] >= 0) {
                h->loops[corner++] = w->vertex_of[loop[k]];
            }
        }
        if (corner - h->face_start[face] < 3) {
            return false;
        }
        h->face_start[face + 1] = corner;
        pawl_vec3 area = hull_area(h, face);
        double size = v3_norm(area);
        if (!(size > 0.0)) {
            return false;
        }
        h->normals[face] = v3_scale(1.0 / size, area);
        h->offsets[face] = -INFINITY;
        for (int k = h->face_start[face]; k < corner; ++k) {
            h->offsets[face] =
                max_of(h->offsets[face], v3_dot(h->normals[face], h->vertices[h->loops[k]]));
        }
        ++face;
    }
    return hull_fill_edges(w, h);
}

// Counts first, then lays out and fills. vertex_of is used twice: as the number of faces at a
// point, then as the index of the vertex.
static pawl_status hull_finish(const pawl_env *env, hull_work *w, int *loop, convex_hull **out)
{
    int faces = 0, corners = 0, vertices = 0;
    for (int i = 0; i < w->point_count; ++i) {
        w->vertex_of[i] = -1;
    }
    for (int t = 0; t < w->triangle_count; ++t) {
        if (hull_group(w, t) == t) {
            int count = hull_outline(w, t, loop);
            if (count < 3) {
                return PAWL_BAD_ARGUMENT;
            }
            ++faces;
            for (int k = 0; k < count; ++k) {
                ++w->vertex_of[loop[k]];
            }
        }
    }
    for (int i = 0; i < w->point_count; ++i) {
        // a corner of two faces only lies on the straight edge between them
        int of_faces = w->vertex_of[i] + 1;
        w->vertex_of[i] = of_faces > 2 ? vertices++ : -1;
        corners += of_faces > 2 ? of_faces : 0;
    }
    pawl_carver need = {0};
    hull_layout(w, faces, corners, vertices, &need);
    pawl_carver mem = {.base = pawl_alloc(env, need.used), .capacity = need.used};
    if (mem.base == NULL) {
        return PAWL_NO_MEMORY;
    }
    convex_hull *h = hull_layout(w, faces, corners, vertices, &mem);
    if (!hull_fill(w, h, loop)) {
        pawl_hull_destroy(env, h);
        return PAWL_BAD_ARGUMENT;
    }
    double volume, moments[6];
    pawl_hull_moments(h, &volume, &h->centre, moments);
    *out = h;
    return PAWL_OK;
}

pawl_status pawl_hull_create(const pawl_env *env, const char *name, const pawl_vec3 *points,
                             int point_count, convex_hull **out)
{
    *out = NULL;
    if (points == NULL || point_count < 4 || point_count > HULL_MAX_POINTS) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "hull '%s' has %d points, must be 4 to %d", name,
                         points == NULL ? 0 : point_count, (int)HULL_MAX_POINTS);
    }
    for (int i = 0; i < point_count; ++i) {
        if (!v3_finite(points[i])) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "hull '%s': point %d is not finite", name, i);
        }
    }
    int triangles = 2 * point_count;
    size_t size[3] = {(size_t)triangles * sizeof(hull_triangle),
                      (size_t)triangles * 3 * sizeof(hull_side),
                      (size_t)(2 * point_count + 4 * triangles) * sizeof(int)};
    char *block = pawl_alloc(env, size[0] + size[1] + size[2]);
    pawl_status status = PAWL_NO_MEMORY;
    if (block != NULL) {
        hull_work w = {.points = points,
                       .point_count = point_count,
                       .triangle_capacity = triangles,
                       .triangles = (hull_triangle *)(void *)block,
                       .sides = (hull_side *)(void *)(block + size[0]),
                       .vertex_of = (int *)(void *)(block + size[0] + size[1])};
        w.outer = w.vertex_of + 2 * point_count;
        w.next = w.outer + triangles;
        status = PAWL_BAD_ARGUMENT;
        // points almost on each other make triangles whose sides rounding decides: further off they are on the hull
        for (w.coarse = 1.0; w.coarse <= 1e4 && status == PAWL_BAD_ARGUMENT; w.coarse *= 10.0) {
            w.triangle_count = 0;
            if (hull_start(&w) && hull_grow(&w) && hull_join(&w)) {
                hull_list_sides(&w);
                status = hull_finish(env, &w, w.vertex_of + point_count, out);
            }
        }
        pawl_free(env, block, size[0] + size[1] + size[2]);
    }
    if (status == PAWL_NO_MEMORY) {
        return PAWL_FAIL(env, status, "no memory for hull '%s' of %d points", name, point_count);
    }
    if (status != PAWL_OK) {
        return PAWL_FAIL(env, status, "hull '%s': its %d points lie in or too close to one plane",
                         name, point_count);
    }
    return PAWL_OK;
}

void pawl_hull_destroy(const pawl_env *env, convex_hull *hull)
{
    if (hull != NULL) {
        pawl_free(env, hull, hull->bytes);
    }
}

// Sums over tetrahedra from a point inside. A tetrahedron with corners 0, a, b, c and volume V has
// the centroid (a + b + c) / 4 and the second moments V / 20 (s s^T + sum of p p^T), s = a + b + c.
void pawl_hull_moments(const convex_hull *h, double *volume, pawl_vec3 *centre, double moments[6])
{
    pawl_vec3 o = h->vertices[0];
    double total = 0.0, second[3][3] = {{0.0}};
    pawl_vec3 first = v3(0.0, 0.0, 0.0);
    for (int f = 0; f < h->face_count; ++f) {
        const int *loop = h->loops + h->face_start[f];
        int count = h->face_start[f + 1] - h->face_start[f];
        pawl_vec3 a = v3_sub(h->vertices[loop[0]], o);
        for (int k = 1; k + 1 < count; ++k) {
            pawl_vec3 b = v3_sub(h->vertices[loop[k]], o), c = v3_sub(h->vertices[loop[k + 1]], o);
            double v = v3_dot(a, v3_cross(b, c)) / 6.0;
            pawl_vec3 s = v3_add(a, v3_add(b, c));
            const pawl_vec3 p[4] = {s, a, b, c};
            total += v;
            first = v3_axpy(first, 0.25 * v, s);
            for (int q = 0; q < 4; ++q) {
                const double x[3] = {p[q].x, p[q].y, p[q].z};
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j <= i; ++j) {
                        second[i][j] += v / 20.0 * x[i] * x[j];
                    }
                }
            }
        }
    }
    pawl_vec3 c = v3_scale(1.0 / total, first);
    *volume = total;
    *centre = v3_add(o, c);
    moments[0] = second[0][0] - total * c.x * c.x;
    moments[1] = second[1][1] - total * c.y * c.y;
    moments[2] = second[2][2] - total * c.z * c.z;
    moments[3] = second[1][0] - total * c.x * c.y;
    moments[4] = second[2][0] - total * c.x * c.z;
    moments[5] = second[2][1] - total * c.y * c.z;
}
