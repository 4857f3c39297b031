// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Convex parts of a mesh. The solid is cut by planes until the convex hull of every part is close to the part: a binary
// space partition whose cells are convex, with the concavity of a part as its measure,
//   c = max over points p of the hull's surface, outside of the solid, of the distance of p from the part's surface,
// which is the depth of the concave regions that the hull fills (the measure of Wei et al., "Approximate convex
// decomposition for 3D meshes with collision-aware concavity", 2022, taken on the boundary). The next cut goes
// through the point of the surface below the deepest such region: along a face there, which cuts polyhedra exactly at
// their inner edges, or normal to an axis. Of these planes the one that leaves the smaller concavity is used.
//
// A part is the solid within a cell, so its extreme points are corners of the surface clipped by the cell, or corners of
// the cell inside the solid; its hull is that of these points, and no caps are made. Inside is where the winding number (the
// sum of the solid angles of the triangles, Jacobson et al. 2013) is above 1/2, which also serves meshes with small holes.
#include "read/mesh_parts.h"
#include "math/mesh_simplify.h"
#include "math/trig.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

enum {
    PARTS_MOST = 32,        // of a mesh
    PARTS_TRIANGLES = 3000, // of the mesh that is cut; larger ones are simplified first
    PARTS_PLANES = 40,      // of a cell
    PARTS_NORMALS = 6,      // of faces at a point
    PARTS_SAMPLES = 400     // on a hull, about
};
static const double parts_tolerance = 0.01; // concavity, of the diagonal of the bounds
static const double parts_on_plane = 1e-7;  // of the diagonal

typedef struct parts_plane { // n x <= d
    pawl_vec3 n;
    double d;
} parts_plane;

typedef struct parts_triangle {
    pawl_vec3 v[3], normal, centre;
    double radius;
} parts_triangle;

typedef struct parts_cell {
    int plane_count, count, capacity;
    parts_plane planes[PARTS_PLANES];
    parts_triangle *triangles;
    double concavity;
    pawl_vec3 foot; // on the surface, below the deepest pocket
    bool flat;      // it has no volume
} parts_cell;

typedef struct parts_work {
    const pawl_env *env;
    double size;         // diagonal of the bounds
    parts_triangle *all; // the surface (all_count)
    int all_count;
    parts_cell *cells[PARTS_MOST];
    int count;
} parts_work;

// ---- Surface ------------------------------------------------------------------------------------

static bool parts_triangle_make(pawl_vec3 a, pawl_vec3 b, pawl_vec3 c, parts_triangle *out)
{
    pawl_vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    double twice = v3_norm(n);
    out->v[0] = a;
    out->v[1] = b;
    out->v[2] = c;
    out->normal = twice > 0.0 ? v3_scale(1.0 / twice, n) : n;
    out->centre = v3_scale(1.0 / 3.0, v3_add(a, v3_add(b, c)));
    out->radius = 0.0;
    for (int i = 0; i < 3; ++i) {
        out->radius = fmax(out->radius, v3_norm(v3_sub(out->v[i], out->centre)));
    }
    return twice > 0.0;
}

// Solid angle of a triangle (van Oosterom and Strackee 1983).
static double parts_angle(const parts_triangle *t, pawl_vec3 p)
{
    pawl_vec3 a = v3_sub(t->v[0], p), b = v3_sub(t->v[1], p), c = v3_sub(t->v[2], p);
    double x = v3_norm(a), y = v3_norm(b), z = v3_norm(c);
    double volume = v3_dot(a, v3_cross(b, c));
    return 2.0 *
           pawl_atan2(volume, x * y * z + v3_dot(a, b) * z + v3_dot(b, c) * x + v3_dot(c, a) * y);
}

static bool parts_inside(const parts_work *w, pawl_vec3 p)
{
    const double two_pi = 6.283185307179586;
    double sum = 0.0;
    for (int i = 0; i < w->all_count; ++i) {
        sum += parts_angle(&w->all[i], p);
    }
    return sum > two_pi; // half of 4 pi
}

// The point of a triangle next to p (Ericson 2005, section 5.1.5).
static pawl_vec3 parts_nearest(const parts_triangle *t, pawl_vec3 p)
{
    pawl_vec3 a = t->v[0], ab = v3_sub(t->v[1], a), ac = v3_sub(t->v[2], a), ap = v3_sub(p, a);
    double d1 = v3_dot(ab, ap), d2 = v3_dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) {
        return a;
    }
    pawl_vec3 bp = v3_sub(p, t->v[1]);
    double d3 = v3_dot(ab, bp), d4 = v3_dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) {
        return t->v[1];
    }
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        return v3_add(a, v3_scale(d1 / (d1 - d3), ab));
    }
    pawl_vec3 cp = v3_sub(p, t->v[2]);
    double d5 = v3_dot(ab, cp), d6 = v3_dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) {
        return t->v[2];
    }
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        return v3_add(a, v3_scale(d2 / (d2 - d6), ac));
    }
    double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        pawl_vec3 bc = v3_sub(t->v[2], t->v[1]);
        return v3_add(t->v[1], v3_scale((d4 - d3) / ((d4 - d3) + (d5 - d6)), bc));
    }
    double scale = 1.0 / (va + vb + vc);
    return v3_add(a, v3_add(v3_scale(vb * scale, ab), v3_scale(vc * scale, ac)));
}

static double parts_distance(const parts_cell *c, pawl_vec3 p, pawl_vec3 *foot)
{
    double best = INFINITY;
    for (int i = 0; i < c->count; ++i) {
        const parts_triangle *t = &c->triangles[i];
        if (v3_norm(v3_sub(p, t->centre)) - t->radius >= best) {
            continue;
        }
        pawl_vec3 q = parts_nearest(t, p);
        double d = v3_norm(v3_sub(p, q));
        if (d < best) {
            best = d;
            *foot = q;
        }
    }
    return best;
}

// ---- Cells --------------------------------------------------------------------------------------

static parts_cell *parts_cell_create(const pawl_env *env, int capacity)
{
    parts_cell *c = pawl_alloc(env, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    *c = (parts_cell){.capacity = capacity};
    c->triangles = pawl_alloc(env, ((size_t)capacity + 1) * sizeof *c->triangles);
    if (c->triangles == NULL) {
        pawl_free(env, c, sizeof *c);
        return NULL;
    }
    return c;
}

static void parts_cell_free(const pawl_env *env, parts_cell *c)
{
    if (c != NULL) {
        pawl_free(env, c->triangles, ((size_t)c->capacity + 1) * sizeof *c->triangles);
        pawl_free(env, c, sizeof *c);
    }
}

// The triangles of `c` on the side n x <= d, as triangles. One in the plane belongs to the side of the solid, which is
// opposite to its normal.
static void parts_clip(const parts_cell *c, parts_plane plane, double eps, parts_cell *out)
{
    for (int i = 0; i < c->count; ++i) {
        const parts_triangle *t = &c->triangles[i];
        double h[3];
        pawl_vec3 kept[4];
        int n = 0, above = 0, below = 0;
        for (int k = 0; k < 3; ++k) {
            h[k] = v3_dot(plane.n, t->v[k]) - plane.d;
            above += h[k] > eps;
            below += h[k] < -eps;
        }
        if (above == 0 && below == 0) {
            if (v3_dot(t->normal, plane.n) > 0.0) {
                out->triangles[out->count++] = *t;
            }
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            int next = (k + 1) % 3;
            if (h[k] <= eps) {
                kept[n++] = t->v[k];
            }
            if ((h[k] > eps && h[next] < -eps) || (h[k] < -eps && h[next] > eps)) {
                double s = h[k] / (h[k] - h[next]);
                kept[n++] = v3_add(t->v[k], v3_scale(s, v3_sub(t->v[next], t->v[k])));
            }
        }
        for (int k = 2; k < n && below > 0; ++k) {
            if (parts_triangle_make(kept[0], kept[k - 1], kept[k], &out->triangles[out->count])) {
                out->triangles[out->count].normal = t->normal;
                out->count += 1;
            }
        }
    }
}

// Corners of the cell inside of the solid: where three of its planes meet.
static int parts_corners(const parts_work *w, const parts_cell *c, pawl_vec3 *out, int most)
{
    int count = 0;
    double eps = parts_on_plane * w->size;
    for (int i = 0; i < c->plane_count; ++i) {
        for (int k = i + 1; k < c->plane_count; ++k) {
            for (int l = k + 1; l < c->plane_count && count < most; ++l) {
                const parts_plane *a = &c->planes[i], *b = &c->planes[k], *e = &c->planes[l];
                double det = v3_dot(a->n, v3_cross(b->n, e->n));
                if (fabs(det) < 1e-6) {
                    continue;
                }
                pawl_vec3 p = v3_add(v3_scale(a->d, v3_cross(b->n, e->n)),
                                     v3_add(v3_scale(b->d, v3_cross(e->n, a->n)),
                                            v3_scale(e->d, v3_cross(a->n, b->n))));
                p = v3_scale(1.0 / det, p);
                bool in = true;
                for (int m = 0; m < c->plane_count && in; ++m) {
                    in = v3_dot(c->planes[m].n, p) <= c->planes[m].d + eps;
                }
                if (in && parts_inside(w, p)) {
                    out[count++] = p;
                }
            }
        }
    }
    return count;
}

// Hull of a part, in the memory of `reader`.
static pawl_status parts_hull(xml_reader *reader, const parts_work *w, const parts_cell *c,
                              mesh_hull *out)
{
    enum { CORNERS = 200 };
    pawl_vec3 *points = xml_alloc(reader, (3 * (size_t)c->count + CORNERS) * sizeof *points);
    *out = (mesh_hull){0};
    if (points == NULL) {
        return PAWL_NO_MEMORY;
    }
    int n = 0;
    for (int i = 0; i < c->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            points[n++] = c->triangles[i].v[k];
        }
    }
    n += parts_corners(w, c, points + n, CORNERS);
    return n >= 4 ? mesh_hull_make(reader, points, n, out) : PAWL_OK;
}

// Concavity over points of the hull's faces, which are in proportion to their areas.
static void parts_sample(const parts_work *w, const pawl_hull_faces *faces, parts_cell *c)
{
    double area = 0.0;
    parts_triangle t;
    for (int pass = 0; pass < 2; ++pass) {
        for (int f = 0; f < faces->count; ++f) {
            for (int k = faces->start[f] + 2; k < faces->start[f + 1]; ++k) {
                pawl_vec3 a = faces->corners[faces->start[f]], b = faces->corners[k - 1];
                pawl_vec3 e = faces->corners[k];
                double own = 0.5 * v3_norm(v3_cross(v3_sub(b, a), v3_sub(e, a)));
                area += pass == 0 ? own : 0.0;
                if (pass == 0 || !parts_triangle_make(a, b, e, &t)) {
                    continue;
                }
                int side = 1 + (int)sqrt(2.0 * PARTS_SAMPLES * own / area);
                side = side > 40 ? 40 : side;
                for (int i = 0; i < side; ++i) {
                    for (int j = 0; i + j < side; ++j) {
                        double u = (i + 1.0 / 3.0) / side, v = (j + 1.0 / 3.0) / side;
                        pawl_vec3 p =
                            v3_add(a, v3_add(v3_scale(u, v3_sub(b, a)), v3_scale(v, v3_sub(e, a))));
                        pawl_vec3 foot;
                        double d = parts_distance(c, p, &foot);
                        if (isfinite(d) && d > c->concavity && !parts_inside(w, p)) {
                            c->concavity = d;
                            c->foot = foot;
                        }
                    }
                }
            }
        }
    }
}

static pawl_status parts_measure(const parts_work *w, parts_cell *c)
{
    xml_reader scratch;
    mesh_hull hull;
    c->concavity = 0.0;
    c->flat = true;
    xml_reader_begin(&scratch, w->env, false);
    pawl_status status = parts_hull(&scratch, w, c, &hull);
    if (status == PAWL_OK && hull.count >= 4 && !hull.thickened) {
        pawl_hull_faces *faces;
        status = pawl_hull_faces_create(w->env, hull.points, hull.count, &faces);
        if (status == PAWL_OK) {
            c->flat = false;
            parts_sample(w, faces, c);
            pawl_hull_faces_destroy(w->env, faces);
        }
    }
    xml_reader_end(&scratch);
    return status;
}

// Both sides of a plane; *half are NULL where it does not cut.
static pawl_status parts_split(const parts_work *w, const parts_cell *c, parts_plane plane,
                               parts_cell *half[2])
{
    half[0] = half[1] = NULL;
    if (c->plane_count == PARTS_PLANES) {
        return PAWL_OK;
    }
    for (int i = 0; i < 2; ++i) {
        parts_plane own = i == 0 ? plane : (parts_plane){v3_scale(-1.0, plane.n), -plane.d};
        half[i] = parts_cell_create(w->env, 2 * c->count);
        if (half[i] == NULL) {
            return PAWL_NO_MEMORY;
        }
        half[i]->plane_count = c->plane_count + 1;
        memcpy(half[i]->planes, c->planes, sizeof c->planes);
        half[i]->planes[c->plane_count] = own;
        parts_clip(c, own, parts_on_plane * w->size, half[i]);
    }
    bool cuts = half[0]->count > 0 && half[1]->count > 0;
    for (int i = 0; i < 2 && cuts; ++i) {
        PAWL_TRY(parts_measure(w, half[i]));
    }
    cuts = cuts && !half[0]->flat && !half[1]->flat;
    for (int i = 0; i < 2 && !cuts; ++i) {
        parts_cell_free(w->env, half[i]);
        half[i] = NULL;
    }
    return PAWL_OK;
}

// Planes through the foot of the deepest pocket: of the faces there, then across the axes.
static int parts_planes(const parts_work *w, const parts_cell *c,
                        parts_plane out[PARTS_NORMALS + 3])
{
    int count = 0;
    for (int i = 0; i < c->count && count < PARTS_NORMALS; ++i) {
        const parts_triangle *t = &c->triangles[i];
        pawl_vec3 q = parts_nearest(t, c->foot);
        bool known = v3_norm(v3_sub(q, c->foot)) > 1e-6 * w->size;
        for (int k = 0; k < count && !known; ++k) {
            known = fabs(v3_dot(out[k].n, t->normal)) > 0.999;
        }
        if (!known) {
            out[count++] = (parts_plane){t->normal, v3_dot(t->normal, c->foot)};
        }
    }
    for (int a = 0; a < 3; ++a) {
        pawl_vec3 n = v3(a == 0, a == 1, a == 2);
        bool known = false;
        for (int k = 0; k < count && !known; ++k) {
            known = fabs(v3_dot(out[k].n, n)) > 0.999;
        }
        if (!known) {
            out[count++] = (parts_plane){n, v3_dot(n, c->foot)};
        }
    }
    return count;
}

// Replaces cell `index` by two; *done is false where no plane cuts it.
static pawl_status parts_cut(parts_work *w, int index, bool *done)
{
    parts_plane planes[PARTS_NORMALS + 3];
    parts_cell *c = w->cells[index], *best[2] = {NULL, NULL};
    double least = INFINITY;
    int count = parts_planes(w, c, planes);
    for (int i = 0; i < count; ++i) {
        parts_cell *half[2];
        pawl_status status = parts_split(w, c, planes[i], half);
        double worst = INFINITY;
        if (status == PAWL_OK && half[0] != NULL) {
            double a = half[0]->concavity, b = half[1]->concavity;
            worst = fmax(a, b) + 0.1 * fmin(a, b);
        }
        parts_cell **drop = worst < least ? best : half;
        parts_cell *old[2] = {drop[0], drop[1]};
        if (worst < least) {
            best[0] = half[0];
            best[1] = half[1];
            least = worst;
        }
        parts_cell_free(w->env, old[0]);
        parts_cell_free(w->env, old[1]);
        if (status != PAWL_OK) {
            parts_cell_free(w->env, best[0]);
            parts_cell_free(w->env, best[1]);
            return status;
        }
    }
    *done = best[0] != NULL;
    if (*done) {
        parts_cell_free(w->env, c);
        w->cells[index] = best[0];
        w->cells[w->count++] = best[1];
    } else {
        c->concavity = 0.0; // nothing more can be done about it
    }
    return PAWL_OK;
}

static pawl_status parts_run(parts_work *w)
{
    PAWL_TRY(parts_measure(w, w->cells[0]));
    while (w->count < PARTS_MOST) {
        int worst = 0;
        bool done;
        for (int i = 1; i < w->count; ++i) {
            worst = w->cells[i]->concavity > w->cells[worst]->concavity ? i : worst;
        }
        if (w->cells[worst]->concavity <= parts_tolerance * w->size) {
            break;
        }
        PAWL_TRY(parts_cut(w, worst, &done));
    }
    return PAWL_OK;
}

// ---- Meshes -------------------------------------------------------------------------------------

static pawl_status parts_begin(xml_reader *reader, const triangle_mesh *mesh, parts_work *w)
{
    drawn_mesh simple;
    pawl_vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_scale(-1.0, low);
    PAWL_TRY(pawl_mesh_simplify(reader->env, mesh->vertices, mesh->vertex_count, mesh->triangles->v,
                                mesh->triangle_count, PARTS_TRIANGLES, &simple));
    for (int i = 0; i < simple.point_count; ++i) {
        pawl_vec3 p = simple.points[i];
        low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    w->size = simple.point_count > 0 ? v3_norm(v3_sub(high, low)) : 0.0;
    w->all = xml_alloc(reader, ((size_t)simple.triangle_count + 1) * sizeof *w->all);
    w->cells[0] = parts_cell_create(reader->env, simple.triangle_count);
    pawl_status status = w->all != NULL && w->cells[0] != NULL ? PAWL_OK : PAWL_NO_MEMORY;
    w->count = w->cells[0] != NULL ? 1 : 0;
    for (int i = 0; status == PAWL_OK && i < simple.triangle_count; ++i) {
        const int *v = simple.triangles + 3 * i;
        w->all_count += parts_triangle_make(simple.points[v[0]], simple.points[v[1]],
                                            simple.points[v[2]], &w->all[w->all_count]);
    }
    if (status == PAWL_OK) {
        memcpy(w->cells[0]->triangles, w->all, (size_t)w->all_count * sizeof *w->all);
        w->cells[0]->count = w->all_count;
    }
    pawl_drawn_mesh_free(reader->env, &simple);
    return status;
}

pawl_status mesh_parts_make(xml_reader *reader, const triangle_mesh *mesh, const mesh_parts **out)
{
    uint64_t key = mesh_key(mesh);
    for (*out = reader->parts; *out != NULL; *out = (*out)->next) {
        if ((*out)->key == key) {
            return PAWL_OK;
        }
    }
    parts_work w = {.env = reader->env};
    pawl_status status = parts_begin(reader, mesh, &w);
    if (status == PAWL_OK) {
        status = parts_run(&w);
    }
    mesh_parts *made = status == PAWL_OK ? xml_alloc(reader, sizeof *made) : NULL;
    mesh_hull *hulls = xml_alloc(reader, ((size_t)w.count + 1) * sizeof *hulls);
    status = status == PAWL_OK && (made == NULL || hulls == NULL) ? PAWL_NO_MEMORY : status;
    for (int i = 0; status == PAWL_OK && i < w.count; ++i) {
        status = parts_hull(reader, &w, w.cells[i], &hulls[made->count]);
        bool solid = hulls[made->count].count >= 4 && !hulls[made->count].thickened;
        made->count += status == PAWL_OK && solid ? 1 : 0;
        made->concavity = fmax(made->concavity, w.cells[i]->concavity);
    }
    for (int i = 0; i < w.count; ++i) {
        parts_cell_free(reader->env, w.cells[i]);
    }
    PAWL_TRY(status);
    made->key = key;
    made->hulls = hulls;
    made->next = reader->parts;
    reader->parts = made;
    *out = made;
    return PAWL_OK;
}
