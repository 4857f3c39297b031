// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The convex hull of a mesh with few vertices: starts from four corners and the extremes along 13 axes and adds, for every face of the
// hull so far, the vertex furthest outside of it, until none is outside or the limit is reached. The omitted vertices
// are at most `error` outside. Vertices inside remain inside while the hull grows, so each is discarded once.
#include "math/vec.h"
#include "read/mesh.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double hull_flat = 1e-6; // of the size: what is thinner is a plate without thickness
static const double hull_same =
    1e-7; // of the size: what is no further outside counts as on the hull
static const double hull_near = 1e-5;  // of the size: closer corners count as one
static const double hull_plate = 1e-3; // of the size: thickness that a flat mesh is given

typedef struct hull_candidate {
    int point;
    double above;
} hull_candidate;

typedef struct hull_search {
    pawl_env env; // without a log: a set that spans no volume is no error here
    const pawl_vec3 *p;
    int *active, active_count; // points that may be outside
    bool *chosen;
    double size;
    mesh_hull *out;
} hull_search;

// Corners that all but coincide span slivers: of those the first is taken.
static void hull_choose(hull_search *s, int point)
{
    bool wanted = !s->chosen[point] && s->out->count < MESH_HULL_VERTICES;
    for (int i = 0; i < s->out->count && wanted; ++i) {
        wanted = v3_norm(v3_sub(s->out->points[i], s->p[point])) > hull_near * s->size;
    }
    if (wanted) {
        s->chosen[point] = true;
        s->out->points[s->out->count++] = s->p[point];
    }
}

static bool hull_stands(const hull_search *s)
{
    pawl_hull_faces *faces;
    bool good = pawl_hull_faces_create(&s->env, s->out->points, s->out->count, &faces) == PAWL_OK;
    if (good) {
        pawl_hull_faces_destroy(&s->env, faces);
    }
    return good;
}

// Rounded numbers can make corners that no closed surface takes in; these are left out, one by one.
static void hull_choose_all(hull_search *s, const hull_candidate *candidates, int count)
{
    int before = s->out->count;
    for (int k = 0; k < count; ++k) {
        hull_choose(s, candidates[k].point);
    }
    if (hull_stands(s)) {
        return;
    }
    s->out->count = before;
    for (int k = 0; k < count; ++k) {
        int kept = s->out->count;
        s->chosen[candidates[k].point] = false;
        hull_choose(s, candidates[k].point);
        if (s->out->count > kept && !hull_stands(s)) {
            s->out->count = kept; // it stays marked, and is not tried again
        }
    }
}

// Four corners that span the most: the lowest along x, the furthest from it, from their line and from their plane.
void mesh_far_corners(const pawl_vec3 *p, int count, int v[4])
{
    v[0] = 0;
    for (int i = 1; i < count; ++i) {
        v[0] = p[i].x < p[v[0]].x ? i : v[0];
    }
    pawl_vec3 o = p[v[0]], e = v3(0.0, 0.0, 0.0), n = e;
    for (int k = 1; k < 4; ++k) {
        double most = -1.0;
        v[k] = 0;
        for (int i = 0; i < count; ++i) {
            pawl_vec3 d = v3_sub(p[i], o);
            double far = k == 1   ? v3_norm(d)
                         : k == 2 ? v3_norm(v3_cross(e, d))
                                  : fabs(v3_dot(n, d));
            v[k] = far > most ? i : v[k];
            most = far > most ? far : most;
        }
        pawl_vec3 d = v3_sub(p[v[k]], o);
        n = k == 2 ? v3_cross(e, d) : n;
        e = k == 1 ? d : e;
    }
}

// The furthest in every direction of a 3 x 3 x 3 grid but its centre.
static void hull_extremes(hull_search *s, int count)
{
    hull_candidate found[26];
    int n = 0, v[4];
    mesh_far_corners(s->p, count, v);
    for (int k = 0; k < 4; ++k) {
        hull_choose(s, v[k]);
    }
    for (int k = 0; k < 27; ++k) {
        pawl_vec3 d = v3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        int best = 0;
        for (int i = 1; i < count; ++i) {
            best = v3_dot(d, s->p[i]) > v3_dot(d, s->p[best]) ? i : best;
        }
        if (k != 13) {
            found[n++] = (hull_candidate){best, 0.0};
        }
    }
    hull_choose_all(s, found, n);
}

// Furthest first; of equal ones the first in the file.
static int hull_compare(const void *a, const void *b)
{
    const hull_candidate *x = a, *y = b;
    return x->above != y->above ? (x->above < y->above ? 1 : -1) : x->point - y->point;
}

// One round: false when nothing is outside any more, or the hull is full, or there is none.
static bool hull_round(hull_search *s, hull_candidate *candidates)
{
    pawl_hull_faces *faces;
    if (pawl_hull_faces_create(&s->env, s->out->points, s->out->count, &faces) != PAWL_OK) {
        return false;
    }
    int kept = 0, found = 0;
    double most = 0.0;
    memset(candidates, 0, (size_t)faces->count * sizeof *candidates);
    for (int a = 0; a < s->active_count; ++a) {
        int i = s->active[a];
        bool outside = false;
        for (int f = 0; f < faces->count; ++f) {
            double above =
                v3_dot(faces->normals[f], v3_sub(s->p[i], faces->corners[faces->start[f]]));
            outside = outside || above > hull_same * s->size;
            if (above > candidates[f].above) {
                candidates[f] = (hull_candidate){i, above};
            }
        }
        if (outside) {
            s->active[kept++] = i;
        }
    }
    s->active_count = kept;
    for (int f = 0; f < faces->count; ++f) {
        most = most > candidates[f].above ? most : candidates[f].above;
        if (candidates[f].above > hull_same * s->size) {
            candidates[found++] = candidates[f];
        }
    }
    pawl_hull_faces_destroy(&s->env, faces);
    s->out->error = most;
    qsort(candidates, (size_t)found, sizeof *candidates, hull_compare);
    int before = s->out->count;
    hull_choose_all(s, candidates, found);
    return s->out->count > before;
}

// The direction in which the points are thinnest, and how thick they are there. Zero for a line or a point.
static pawl_vec3 hull_thinnest(const pawl_vec3 *p, int count, double *size, double *thickness)
{
    int b = 0, c = 0;
    double longest = 0.0, widest = 0.0;
    for (int i = 0; i < count; ++i) {
        double d = v3_norm(v3_sub(p[i], p[0]));
        b = d > longest ? i : b;
        longest = d > longest ? d : longest;
    }
    pawl_vec3 e = v3_sub(p[b], p[0]);
    *size = longest;
    *thickness = 0.0;
    for (int i = 0; i < count; ++i) {
        double d = v3_norm(v3_cross(e, v3_sub(p[i], p[0])));
        c = d > widest ? i : c;
        widest = d > widest ? d : widest;
    }
    if (!(widest > hull_flat * longest * longest)) {
        return v3(0.0, 0.0, 0.0);
    }
    pawl_vec3 n = v3_cross(e, v3_sub(p[c], p[0]));
    n = v3_scale(1.0 / v3_norm(n), n);
    double low = 0.0, high = 0.0;
    for (int i = 0; i < count; ++i) {
        double d = v3_dot(n, v3_sub(p[i], p[0]));
        low = d < low ? d : low;
        high = d > high ? d : high;
    }
    *thickness = high - low;
    return n;
}

pawl_status mesh_hull_make(xml_reader *reader, const pawl_vec3 *vertices, int count, mesh_hull *out)
{
    double size, thickness;
    *out = (mesh_hull){0};
    pawl_vec3 n = hull_thinnest(vertices, count, &size, &thickness);
    if (v3_max_abs(n) == 0.0) {
        return PAWL_OK; // a point or a line
    }
    pawl_vec3 *plate = NULL;
    if (!(thickness > hull_flat * size)) {
        out->thickened = true;
        plate = xml_alloc(reader, 2 * (size_t)count * sizeof *plate);
        if (plate == NULL) {
            return PAWL_NO_MEMORY;
        }
        for (int i = 0; i < count; ++i) {
            plate[2 * i] = v3_axpy(vertices[i], 0.5 * hull_plate * size, n);
            plate[2 * i + 1] = v3_axpy(vertices[i], -0.5 * hull_plate * size, n);
        }
        vertices = plate;
        count *= 2;
    }
    hull_search s = {.env = *reader->env, .p = vertices, .size = size, .out = out};
    s.env.log = NULL;
    size_t faces = 2 * MESH_HULL_VERTICES;
    s.active = xml_alloc(reader, (size_t)count * sizeof *s.active);
    s.chosen = xml_alloc(reader, (size_t)count * sizeof *s.chosen);
    out->points = xml_alloc(reader, MESH_HULL_VERTICES * sizeof *out->points);
    hull_candidate *candidates = xml_alloc(reader, faces * sizeof *candidates);
    if (s.active == NULL || s.chosen == NULL || out->points == NULL || candidates == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        s.active[i] = i;
    }
    s.active_count = count;
    hull_extremes(&s, count);
    while (hull_round(&s, candidates)) {
    }
    return PAWL_OK;
}
