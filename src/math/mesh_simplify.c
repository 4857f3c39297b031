// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Surfaces with fewer triangles, by clustering of vertices: all points in a cell of a grid become one point, and
// triangles with three different points are kept. It accepts any input (open, self-intersecting, in pieces), unlike
// methods that collapse edges, and gives the same bits everywhere. The point of a cell is the one nearest to the
// planes of its triangles (Lindstrom 2000, "Out-of-core simplification of large polygonal models": the minimum of the
// quadric, regularized towards the mean where the planes do not determine it), so that the edges of machined parts
// stay sharp. For drawing only: the result may intersect itself and have a different volume.
#include "math/mesh_simplify.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/sort.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

enum { SIMPLIFY_CELLS = 2047 }; // along the longest side, at most: 11 bits an axis

// Sum of squared distances from planes: x'Ax - 2 b'x, and the mean of the points.
typedef struct simplify_cell {
    double a[6], b[3]; // a: xx yy zz xy xz yz
    pawl_vec3 sum;
    int count;
} simplify_cell;

typedef struct simplify_work {
    const pawl_vec3 *points;
    int point_count;
    int *triangles, triangle_count; // corners after points were joined
    pawl_vec3 low;
    double side; // longest, of the box around all
    uint64_t *keys, *scratch;
    int *cell_of; // (points)
    int cell_count;
} simplify_work;

// The first point at the same place, by a table of hashes with open addressing.
static void simplify_join(const pawl_vec3 *p, int count, int *table, size_t mask, int *first)
{
    memset(table, 0xff, (mask + 1) * sizeof *table);
    for (int i = 0; i < count; ++i) {
        const double v[3] = {p[i].x, p[i].y, p[i].z};
        size_t at = (size_t)pawl_hash_doubles(PAWL_HASH_SEED, v, 3) & mask;
        while (table[at] >= 0 && !(p[table[at]].x == p[i].x && p[table[at]].y == p[i].y &&
                                   p[table[at]].z == p[i].z)) {
            at = (at + 1) & mask;
        }
        table[at] = table[at] < 0 ? i : table[at];
        first[i] = table[at];
    }
}

static bool simplify_has_area(const pawl_vec3 *p, const int v[3])
{
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
        return false;
    }
    pawl_vec3 n = v3_cross(v3_sub(p[v[1]], p[v[0]]), v3_sub(p[v[2]], p[v[0]]));
    return v3_dot(n, n) > 0.0;
}

static uint64_t simplify_cell_at(const simplify_work *w, pawl_vec3 p, int cells)
{
    const double t[3] = {p.x - w->low.x, p.y - w->low.y, p.z - w->low.z};
    uint64_t key = 0;
    for (int k = 0; k < 3; ++k) {
        double at = floor(t[k] / w->side * cells);
        key = key << 11 | (uint64_t)clamp_to(at, 0.0, cells - 1.0);
    }
    return key;
}

// Numbers the cells that have points; how many triangles keep three different ones.
static int simplify_try(simplify_work *w, int cells)
{
    for (int i = 0; i < w->point_count; ++i) {
        w->keys[i] = simplify_cell_at(w, w->points[i], cells) << 31 | (uint64_t)i;
    }
    pawl_sort_keys(w->keys, w->scratch, w->point_count);
    w->cell_count = 0;
    for (int i = 0; i < w->point_count; ++i) {
        w->cell_count += i == 0 || w->keys[i] >> 31 != w->keys[i - 1] >> 31;
        w->cell_of[w->keys[i] & 0x7fffffff] = w->cell_count - 1;
    }
    int kept = 0;
    for (int t = 0; t < w->triangle_count; ++t) {
        const int *v = w->triangles + 3 * t;
        int a = w->cell_of[v[0]], b = w->cell_of[v[1]], c = w->cell_of[v[2]];
        kept += a != b && b != c && c != a;
    }
    return kept;
}

static void simplify_add_planes(const simplify_work *w, simplify_cell *cells)
{
    for (int t = 0; t < w->triangle_count; ++t) {
        const int *v = w->triangles + 3 * t;
        pawl_vec3 o = w->points[v[0]];
        // Of length twice the area: large triangles count more.
        pawl_vec3 n = v3_cross(v3_sub(w->points[v[1]], o), v3_sub(w->points[v[2]], o));
        double d = v3_dot(n, v3_sub(o, w->low));
        const double a[6] = {n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.x * n.z, n.y * n.z};
        for (int k = 0; k < 3; ++k) {
            simplify_cell *c = &cells[w->cell_of[v[k]]];
            c->sum = v3_add(c->sum, v3_sub(w->points[v[k]], w->low));
            c->count += 1;
            for (int i = 0; i < 6; ++i) {
                c->a[i] += a[i];
            }
            c->b[0] += d * n.x, c->b[1] += d * n.y, c->b[2] += d * n.z;
        }
    }
}

// The minimum of the quadric near the mean; where that is further away than a cell is wide, the mean.
static pawl_vec3 simplify_point(const simplify_work *w, const simplify_cell *c, double width)
{
    pawl_vec3 mean = v3_scale(1.0 / (c->count > 0 ? c->count : 1), c->sum);
    double trace = c->a[0] + c->a[1] + c->a[2];
    double six[6] = {c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5]};
    for (int i = 0; i < 3; ++i) {
        six[i] += 1e-3 * trace;
    }
    pawl_mat3 a = m3_from_six(six);
    if (!(m3_det(&a) > 0.0)) {
        return v3_add(w->low, mean);
    }
    pawl_mat3 inverse = m3_inverse(&a);
    pawl_vec3 best = m3_mul(&inverse, v3_axpy(v3(c->b[0], c->b[1], c->b[2]), 1e-3 * trace, mean));
    bool near = v3_finite(best) && v3_norm(v3_sub(best, mean)) < width;
    return v3_add(w->low, near ? best : mean);
}

static pawl_status simplify_reserve(const pawl_env *env, int points, int triangles, drawn_mesh *out)
{
    size_t size = (size_t)points * sizeof *out->points;
    out->bytes = size + (size_t)triangles * 3 * sizeof *out->triangles + 1;
    out->block = pawl_alloc(env, out->bytes);
    if (out->block == NULL) {
        *out = (drawn_mesh){0};
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a mesh of %d triangles", triangles);
    }
    out->points = out->block;
    out->triangles = (int *)(void *)((char *)out->block + size);
    return PAWL_OK;
}

// One point a cell, and the triangles that keep three different ones.
static pawl_status simplify_clusters(const pawl_env *env, simplify_work *w, int cells, int kept,
                                     drawn_mesh *out)
{
    size_t size = (size_t)w->cell_count * sizeof(simplify_cell);
    simplify_cell *cell = pawl_alloc(env, size + 1);
    if (cell == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for %d cells", w->cell_count);
    }
    pawl_status status = simplify_reserve(env, w->cell_count, kept, out);
    if (status == PAWL_OK) {
        simplify_add_planes(w, cell);
        for (int i = 0; i < w->cell_count; ++i) {
            out->points[i] = simplify_point(w, &cell[i], w->side / cells);
        }
        out->point_count = w->cell_count;
        for (int t = 0; t < w->triangle_count; ++t) {
            const int *v = w->triangles + 3 * t;
            int a = w->cell_of[v[0]], b = w->cell_of[v[1]], c = w->cell_of[v[2]];
            if (a != b && b != c && c != a) {
                int *to = out->triangles + 3 * out->triangle_count++;
                to[0] = a, to[1] = b, to[2] = c;
            }
        }
    }
    pawl_free(env, cell, size + 1);
    return status;
}

// Joined points and all triangles, without the points that none of them uses.
static pawl_status simplify_copy(const pawl_env *env, simplify_work *w, drawn_mesh *out)
{
    int used = 0;
    memset(w->cell_of, 0xff, (size_t)w->point_count * sizeof *w->cell_of);
    for (int k = 0; k < 3 * w->triangle_count; ++k) {
        int *number = &w->cell_of[w->triangles[k]];
        *number = *number < 0 ? used++ : *number;
    }
    PAWL_TRY(simplify_reserve(env, used, w->triangle_count, out));
    for (int k = 0; k < 3 * w->triangle_count; ++k) {
        out->triangles[k] = w->cell_of[w->triangles[k]];
        out->points[out->triangles[k]] = w->points[w->triangles[k]];
    }
    out->point_count = used;
    out->triangle_count = w->triangle_count;
    return PAWL_OK;
}

static pawl_status simplify_run(const pawl_env *env, simplify_work *w, int most, drawn_mesh *out)
{
    pawl_vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_scale(-1.0, low);
    for (int k = 0; k < 3 * w->triangle_count; ++k) {
        pawl_vec3 p = w->points[w->triangles[k]];
        low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    w->low = low;
    w->side = w->triangle_count > 0 ? v3_max_abs(v3_sub(high, low)) : 0.0;
    if (w->triangle_count <= most || !(w->side > 0.0)) {
        return simplify_copy(env, w, out);
    }
    int coarse = 1, fine = SIMPLIFY_CELLS + 1; // with `coarse` cells a side there are few enough
    while (fine - coarse > 1) {
        int middle = (coarse + fine) / 2;
        if (simplify_try(w, middle) <= most) {
            coarse = middle;
        } else {
            fine = middle;
        }
    }
    return simplify_clusters(env, w, coarse, simplify_try(w, coarse), out);
}

pawl_status pawl_mesh_simplify(const pawl_env *env, const pawl_vec3 *points, int point_count,
                               const int *triangles, int triangle_count, int most, drawn_mesh *out)
{
    *out = (drawn_mesh){0};
    size_t n = (size_t)point_count, slots = 16;
    while (slots < 2 * n) {
        slots *= 2;
    }
    // keys and scratch, the table of hashes in their place before; cells; corners
    size_t keys = (2 * n + slots) * sizeof(uint64_t), cells = n * sizeof(int);
    size_t bytes = keys + cells + (size_t)triangle_count * 3 * sizeof(int) + 1;
    char *block = pawl_alloc(env, bytes);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a mesh of %d triangles",
                         triangle_count);
    }
    simplify_work w = {.points = points,
                       .point_count = point_count,
                       .keys = (uint64_t *)(void *)block,
                       .scratch = (uint64_t *)(void *)block + n,
                       .cell_of = (int *)(void *)(block + keys),
                       .triangles = (int *)(void *)(block + keys + cells)};
    simplify_join(points, point_count, (int *)(void *)block, slots - 1, w.cell_of);
    for (int t = 0; t < triangle_count; ++t) {
        int v[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = w.cell_of[triangles[3 * t + k]];
        }
        if (simplify_has_area(points, v)) {
            memcpy(w.triangles + 3 * w.triangle_count++, v, sizeof v);
        }
    }
    pawl_status status = simplify_run(env, &w, most, out);
    pawl_free(env, block, bytes);
    return status;
}

void pawl_drawn_mesh_free(const pawl_env *env, drawn_mesh *mesh)
{
    if (mesh->block != NULL) {
        pawl_free(env, mesh->block, mesh->bytes);
    }
    *mesh = (drawn_mesh){0};
}
