// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Volume, centre and second moments of what a mesh encloses. A tetrahedron with corners 0, a, b, c and the signed volume
// V = a . (b x c) / 6 has the centroid (a + b + c) / 4 and the second moments V / 20 (s s^T + a a^T + b b^T + c c^T) with
// s = a + b + c; summed over the triangles of a closed surface this is exact, wherever the origin is.
#include "math/vec.h"
#include "read/mesh.h"
#include <stdlib.h>
#include <string.h>

typedef struct mass_corner {
    pawl_vec3 p;
    int index;
} mass_corner;

static int mass_compare_corner(const void *a, const void *b)
{
    const mass_corner *x = a, *y = b;
    const double u[3] = {x->p.x, x->p.y, x->p.z}, v[3] = {y->p.x, y->p.y, y->p.z};
    for (int k = 0; k < 3; ++k) {
        if (u[k] != v[k]) {
            return u[k] < v[k] ? -1 : 1;
        }
    }
    return x->index - y->index;
}

static int mass_compare_edge(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Whether every edge is run along as often in one direction as in the other. Corners in one place are one.
static pawl_status mass_watertight(xml_reader *reader, const triangle_mesh *m, bool *out)
{
    size_t n = (size_t)m->vertex_count, t = (size_t)m->triangle_count;
    *out = false;
    if (t == 0) {
        return PAWL_OK;
    }
    mass_corner *corners = xml_alloc(reader, n * sizeof *corners);
    int *name = xml_alloc(reader, n * sizeof *name);
    uint64_t *edges = xml_alloc(reader, 3 * t * sizeof *edges);
    if (corners == NULL || name == NULL || edges == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (size_t i = 0; i < n; ++i) {
        corners[i] = (mass_corner){m->vertices[i], (int)i};
    }
    qsort(corners, n, sizeof *corners, mass_compare_corner);
    for (size_t i = 0; i < n; ++i) {
        bool same = i > 0 && corners[i].p.x == corners[i - 1].p.x &&
                    corners[i].p.y == corners[i - 1].p.y && corners[i].p.z == corners[i - 1].p.z;
        name[corners[i].index] = same ? name[corners[i - 1].index] : corners[i].index;
    }
    size_t count = 0;
    for (size_t i = 0; i < t; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint64_t a = (uint64_t)name[m->triangles[i].v[k]];
            uint64_t b = (uint64_t)name[m->triangles[i].v[(k + 1) % 3]];
            if (a != b) { // the lowest bit is the direction
                edges[count++] = (a < b ? a : b) << 33 | (a < b ? b : a) << 1 | (a < b ? 0 : 1);
            }
        }
    }
    qsort(edges, count, sizeof *edges, mass_compare_edge);
    *out = count > 0;
    for (size_t i = 0; i < count && *out;) {
        uint64_t edge = edges[i] >> 1;
        int balance = 0;
        for (; i < count && edges[i] >> 1 == edge; ++i) {
            balance += (edges[i] & 1) != 0 ? -1 : 1;
        }
        *out = balance == 0;
    }
    return PAWL_OK;
}

typedef struct mass_sum {
    double volume;
    pawl_vec3 first;
    double second[3][3];
} mass_sum;

static void mass_add(mass_sum *sum, double v, const pawl_vec3 p[3])
{
    pawl_vec3 s = v3_add(p[0], v3_add(p[1], p[2]));
    const pawl_vec3 all[4] = {s, p[0], p[1], p[2]};
    sum->volume += v;
    sum->first = v3_axpy(sum->first, 0.25 * v, s);
    for (int q = 0; q < 4; ++q) {
        const double x[3] = {all[q].x, all[q].y, all[q].z};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j <= i; ++j) {
                sum->second[i][j] += v / 20.0 * x[i] * x[j];
            }
        }
    }
}

// A triangle of area A has the second moments A / 12 (s s^T + a a^T + b b^T + c c^T).
static void mass_add_shell(mass_sum *sum, const pawl_vec3 p[3])
{
    double area = 0.5 * v3_norm(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])));
    mass_sum part = {0};
    mass_add(&part, area, p);
    sum->volume += area;
    sum->first = v3_axpy(sum->first, 4.0 / 3.0, part.first);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            sum->second[i][j] += 20.0 / 12.0 * part.second[i][j];
        }
    }
}

static mass_sum mass_about(const triangle_mesh *m, mesh_volume_rule rule, pawl_vec3 origin)
{
    mass_sum sum = {0};
    for (int t = 0; t < m->triangle_count; ++t) {
        pawl_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = v3_sub(m->vertices[m->triangles[t].v[k]], origin);
        }
        double v = v3_dot(p[0], v3_cross(p[1], p[2])) / 6.0;
        if (rule == MESH_SHELL) {
            mass_add_shell(&sum, p);
        } else {
            mass_add(&sum, rule == MESH_LEGACY ? fabs(v) : v, p);
        }
    }
    return sum;
}

// The centre of the surface, weighed by area.
static pawl_vec3 mass_surface_centre(const triangle_mesh *m)
{
    mass_sum sum = mass_about(m, MESH_SHELL, m->vertices[0]);
    return sum.volume > 0.0 ? v3_axpy(m->vertices[0], 1.0 / sum.volume, sum.first) : m->vertices[0];
}

pawl_status mesh_moments_of(xml_reader *reader, const triangle_mesh *mesh, mesh_volume_rule rule,
                            mesh_moments *out)
{
    *out = (mesh_moments){0};
    PAWL_TRY(mass_watertight(reader, mesh, &out->watertight));
    if (mesh->triangle_count == 0) {
        return PAWL_OK;
    }
    pawl_vec3 origin = mass_surface_centre(mesh);
    mass_sum sum = mass_about(mesh, rule, origin);
    if (!(fabs(sum.volume) > 0.0)) {
        return PAWL_OK;
    }
    pawl_vec3 c = v3_scale(1.0 / sum.volume, sum.first);
    out->centre = v3_add(origin, c);
    if (rule == MESH_LEGACY) { // unsigned volumes depend on the origin: taken anew from the centre
        sum = mass_about(mesh, rule, out->centre);
        c = v3(0.0, 0.0, 0.0);
    }
    out->volume = sum.volume;
    const double shift[6] = {c.x * c.x, c.y * c.y, c.z * c.z, c.x * c.y, c.x * c.z, c.y * c.z};
    const double own[6] = {sum.second[0][0], sum.second[1][1], sum.second[2][2],
                           sum.second[1][0], sum.second[2][0], sum.second[2][1]};
    for (int i = 0; i < 6; ++i) {
        out->second[i] = own[i] - sum.volume * shift[i];
    }
    return PAWL_OK;
}
