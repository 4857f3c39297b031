// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Searches in a surface of triangles, by its tree of boxes: the nearest point, the first triangle along a ray, all
// triangles in a region.
#include "model/tri_mesh.h"

static bool search_node_in(const mesh_node *n, const mesh_region *r)
{
    if (n->low.x > r->high.x || n->high.x < r->low.x || n->low.y > r->high.y ||
        n->high.y < r->low.y || n->low.z > r->high.z || n->high.z < r->low.z) {
        return false;
    }
    pawl_vec3 half = v3_scale(0.5, v3_sub(n->high, n->low)), middle = v3_add(n->low, half);
    for (int k = 0; k < 3; ++k) {
        pawl_vec3 a = r->axis[k];
        double at = v3_dot(a, middle);
        double wide = fabs(a.x) * half.x + fabs(a.y) * half.y + fabs(a.z) * half.z;
        if (at - wide > r->to[k] || at + wide < r->from[k]) {
            return false;
        }
    }
    return true;
}

static bool search_triangle_in(const tri_mesh *m, int triangle, const mesh_region *r)
{
    const int *v = m->triangles[triangle].v;
    for (int k = 0; k < 3; ++k) {
        double a = v3_dot(r->axis[k], m->vertices[v[0]].at);
        double b = v3_dot(r->axis[k], m->vertices[v[1]].at);
        double c = v3_dot(r->axis[k], m->vertices[v[2]].at);
        if ((a > r->to[k] && b > r->to[k] && c > r->to[k]) ||
            (a < r->from[k] && b < r->from[k] && c < r->from[k])) {
            return false;
        }
    }
    return true;
}

void pawl_tri_mesh_in_region(const tri_mesh *m, const mesh_region *region,
                             void (*visit)(void *user, int triangle), void *user)
{
    for (int i = 0; i < m->node_count;) {
        const mesh_node *n = &m->nodes[i];
        if (!search_node_in(n, region)) {
            i = n->skip;
            continue;
        }
        for (int k = 0; k < n->count; ++k) {
            if (search_triangle_in(m, n->first + k, region)) {
                visit(user, n->first + k);
            }
        }
        ++i;
    }
}

// ---- the nearest point -------------------------------------------------------------------------

static double search_box_distance2(const mesh_node *n, pawl_vec3 p)
{
    double x = fmax(0.0, fmax(n->low.x - p.x, p.x - n->high.x));
    double y = fmax(0.0, fmax(n->low.y - p.y, p.y - n->high.y));
    double z = fmax(0.0, fmax(n->low.z - p.z, p.z - n->high.z));
    return x * x + y * y + z * z;
}

// The nearest feature of a triangle: corner k, side k (from corner k to the next), or its interior.
typedef enum search_region { SEARCH_CORNER = 0, SEARCH_SIDE = 3, SEARCH_INSIDE = 6 } search_region;

// The nearest point of a triangle, by the region of its plane that p is over (Ericson 2005, section 5.1.5).
static pawl_vec3 search_on_triangle(pawl_vec3 a, pawl_vec3 b, pawl_vec3 c, pawl_vec3 p, int *region)
{
    pawl_vec3 ab = v3_sub(b, a), ac = v3_sub(c, a), ap = v3_sub(p, a);
    double d1 = v3_dot(ab, ap), d2 = v3_dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) {
        *region = SEARCH_CORNER;
        return a;
    }
    pawl_vec3 bp = v3_sub(p, b);
    double d3 = v3_dot(ab, bp), d4 = v3_dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) {
        *region = SEARCH_CORNER + 1;
        return b;
    }
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        *region = SEARCH_SIDE;
        return v3_axpy(a, d1 / (d1 - d3), ab);
    }
    pawl_vec3 cp = v3_sub(p, c);
    double d5 = v3_dot(ab, cp), d6 = v3_dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) {
        *region = SEARCH_CORNER + 2;
        return c;
    }
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        *region = SEARCH_SIDE + 2;
        return v3_axpy(a, d2 / (d2 - d6), ac);
    }
    double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        *region = SEARCH_SIDE + 1;
        return v3_axpy(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), v3_sub(c, b));
    }
    *region = SEARCH_INSIDE;
    double scale = 1.0 / (va + vb + vc);
    return v3_axpy(v3_axpy(a, vb * scale, ab), vc * scale, ac);
}

// The mean normal of all triangles at the nearest point: on whose side of it the point is tells whether it is outside
// (Baerentzen and Aanaes 2005).
static pawl_vec3 search_mean_normal(const tri_mesh *m, const mesh_triangle *t, int region)
{
    if (region < SEARCH_SIDE) {
        return m->vertices[t->v[region]].outward;
    }
    if (region == SEARCH_INSIDE) {
        return t->normal;
    }
    const mesh_edge *e = &m->edges[t->edge[region - SEARCH_SIDE]];
    return e->side[1] < 0
               ? t->normal
               : v3_add(m->triangles[e->side[0]].normal, m->triangles[e->side[1]].normal);
}

// The nearest so far.
typedef struct search_best {
    mesh_nearest nearest;
    double distance2, height; // height: above or below the plane of the triangle
} search_best;

// Of triangles that meet where the point is nearest, the one that it is highest above or below has it: the others see
// it from the side.
static void search_try(const tri_mesh *m, int triangle, pawl_vec3 p, search_best *best)
{
    const mesh_triangle *t = &m->triangles[triangle];
    pawl_vec3 a = m->vertices[t->v[0]].at;
    int region;
    pawl_vec3 at =
        search_on_triangle(a, m->vertices[t->v[1]].at, m->vertices[t->v[2]].at, p, &region);
    pawl_vec3 d = v3_sub(p, at);
    double d2 = v3_dot(d, d), height = fabs(v3_dot(t->normal, v3_sub(p, a)));
    bool first = best->nearest.triangle < 0;
    double same = first ? 0.0 : 1e-12 * best->distance2;
    bool tells_more = d2 <= best->distance2 + same && height > best->height;
    if (first || d2 < best->distance2 - same || tells_more) {
        bool inside = v3_dot(search_mean_normal(m, t, region), d) < 0.0;
        best->nearest = (mesh_nearest){triangle, at, sqrt(d2), inside};
        best->distance2 = first ? d2 : fmin(d2, best->distance2);
        best->height = height;
    }
}

mesh_nearest pawl_tri_mesh_nearest(const tri_mesh *m, pawl_vec3 p)
{
    search_best best = {.nearest = {.triangle = -1}, .distance2 = INFINITY};
    int stack[2 * MESH_MAX_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const mesh_node *n = &m->nodes[stack[--depth]];
        if (search_box_distance2(n, p) > best.distance2 * (1.0 + 1e-12)) {
            continue;
        }
        for (int k = 0; k < n->count; ++k) {
            search_try(m, n->first + k, p, &best);
        }
        if (n->count == 0) { // the nearer child last, so that it is looked at first
            int left = (int)(n - m->nodes) + 1, right = m->nodes[left].skip;
            bool first = search_box_distance2(&m->nodes[left], p) <=
                         search_box_distance2(&m->nodes[right], p);
            stack[depth++] = first ? right : left;
            stack[depth++] = first ? left : right;
        }
    }
    return best.nearest;
}

// ---- rays --------------------------------------------------------------------------------------

static bool search_ray_meets_box(const mesh_node *n, pawl_vec3 o, pawl_vec3 d, double reach)
{
    double from = 0.0, to = reach;
    const double *low = &n->low.x, *high = &n->high.x, *at = &o.x, *along = &d.x;
    for (int k = 0; k < 3; ++k) {
        if (along[k] == 0.0) {
            if (at[k] < low[k] || at[k] > high[k]) {
                return false;
            }
            continue;
        }
        double a = (low[k] - at[k]) / along[k], b = (high[k] - at[k]) / along[k];
        from = fmax(from, fmin(a, b));
        to = fmin(to, fmax(a, b));
    }
    return from <= to + 1e-12 * (fabs(from) + fabs(to));
}

// Moeller and Trumbore (1997), with the rim of the triangle a little wider than rounding: no ray slips through between
// two neighbours.
static bool search_ray_meets(const tri_mesh *m, int triangle, pawl_vec3 o, pawl_vec3 d, double *t)
{
    const int *v = m->triangles[triangle].v;
    pawl_vec3 a = m->vertices[v[0]].at, e1 = v3_sub(m->vertices[v[1]].at, a);
    pawl_vec3 e2 = v3_sub(m->vertices[v[2]].at, a), h = v3_cross(d, e2);
    double det = v3_dot(e1, h);
    if (det == 0.0) {
        return false;
    }
    pawl_vec3 s = v3_sub(o, a), q = v3_cross(s, e1);
    double x = v3_dot(s, h) / det, y = v3_dot(d, q) / det, rim = 1e-12;
    *t = v3_dot(e2, q) / det;
    return x >= -rim && y >= -rim && x + y <= 1.0 + rim && *t >= 0.0;
}

int pawl_tri_mesh_ray(const tri_mesh *m, pawl_vec3 o, pawl_vec3 d, double reach, double *distance)
{
    int found = -1;
    for (int i = 0; i < m->node_count;) {
        const mesh_node *n = &m->nodes[i];
        if (!search_ray_meets_box(n, o, d, reach)) {
            i = n->skip;
            continue;
        }
        for (int k = 0; k < n->count; ++k) {
            double t;
            if (search_ray_meets(m, n->first + k, o, d, &t) && t <= reach) {
                reach = *distance = t;
                found = n->first + k;
            }
        }
        ++i;
    }
    return found;
}
