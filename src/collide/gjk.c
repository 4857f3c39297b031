// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Distance of two convex sets by the method of Gilbert, Johnson and Keerthi: the point of a
// simplex inside the difference A - B that is nearest to the origin, with the simplex improved by
// support points. For polytopes it ends with the exact features after a few rounds; for curved sets it converges
// linearly, and pawl_refine_axis() computes the last digits. For overlapping sets see polytope_penetration.c and
// expand_penetration.c.
#include "collide/pair.h"

enum { GJK_ROUNDS = 128 };

typedef struct gjk_vertex {
    pawl_vec3 w; // a - b
    pawl_vec3 a, b;
} gjk_vertex;
typedef struct gjk_simplex {
    int count;
    gjk_vertex v[4];
    double weight[4];
} gjk_simplex;

// Weights of the point nearest to the origin on the affine hull of up to three points. False when
// they are dependent or the point is not inside their convex hull.
static bool gjk_project(const pawl_vec3 *const w[], int count, double weight[3])
{
    if (count == 1) {
        weight[0] = 1.0;
        return true;
    }
    pawl_vec3 e = v3_sub(*w[1], *w[0]);
    if (count == 2) {
        double ee = v3_dot(e, e);
        if (!(ee > 0.0)) {
            return false;
        }
        weight[1] = -v3_dot(*w[0], e) / ee;
        weight[0] = 1.0 - weight[1];
        return weight[0] > 0.0 && weight[1] > 0.0;
    }
    pawl_vec3 f = v3_sub(*w[2], *w[0]);
    pawl_vec3 n = v3_cross(e, f);
    double nn = v3_dot(n, n);
    // slivers: their edges serve as well
    if (!(nn > 1e-24 * v3_dot(e, e) * v3_dot(f, f))) {
        return false;
    }
    // areas of the triangles that the projected origin makes with two corners each
    weight[0] = v3_dot(v3_cross(*w[1], *w[2]), n) / nn;
    weight[1] = v3_dot(v3_cross(*w[2], *w[0]), n) / nn;
    weight[2] = 1.0 - weight[0] - weight[1];
    return weight[0] > 0.0 && weight[1] > 0.0 && weight[2] > 0.0;
}

// True when the origin lies inside the tetrahedron.
static bool gjk_holds_origin(const gjk_simplex *s)
{
    pawl_vec3 o = s->v[0].w;
    pawl_vec3 e1 = v3_sub(s->v[1].w, o), e2 = v3_sub(s->v[2].w, o), e3 = v3_sub(s->v[3].w, o);
    double volume = v3_dot(e1, v3_cross(e2, e3));
    double size = v3_norm(e1) * v3_norm(e2) * v3_norm(e3);
    if (!(fabs(volume) > 1e-14 * size)) {
        return false;
    }
    pawl_vec3 p = v3_scale(-1.0, o);
    double x = v3_dot(p, v3_cross(e2, e3)) / volume;
    double y = v3_dot(e1, v3_cross(p, e3)) / volume;
    double z = v3_dot(e1, v3_cross(e2, p)) / volume;
    return x >= 0.0 && y >= 0.0 && z >= 0.0 && x + y + z <= 1.0;
}

// Cuts the simplex down to the face nearest to the origin and returns the nearest point. All faces
// are tried: a walk through Voronoi regions saves little and errs where rounding blurs them.
static pawl_vec3 gjk_reduce(gjk_simplex *s)
{
    double best = INFINITY;
    pawl_vec3 nearest = s->v[0].w;
    gjk_simplex chosen = {.count = 0};
    int all = (1 << s->count) - 1;
    for (int set = 1; set <= all; ++set) {
        int index[4], count = 0;
        for (int i = 0; i < s->count; ++i) {
            if (set & (1 << i)) {
                index[count++] = i;
            }
        }
        if (count > 3) {
            continue;
        }
        const pawl_vec3 *w[3] = {NULL, NULL, NULL};
        for (int i = 0; i < count; ++i) {
            w[i] = &s->v[index[i]].w;
        }
        double weight[3];
        if (!gjk_project(w, count, weight)) {
            continue;
        }
        pawl_vec3 p = v3(0.0, 0.0, 0.0);
        for (int i = 0; i < count; ++i) {
            p = v3_axpy(p, weight[i], *w[i]);
        }
        double norm2 = v3_dot(p, p);
        if (norm2 < best) {
            best = norm2;
            nearest = p;
            chosen.count = count;
            for (int i = 0; i < count; ++i) {
                chosen.v[i] = s->v[index[i]];
                chosen.weight[i] = weight[i];
            }
        }
    }
    *s = chosen;
    return nearest;
}

// axis->n points from a to b, gap is the distance of the cores (round shapes without their radius), on_a and on_b
// are the nearest points. v is the point of A - B nearest to the origin so far; its support plane gives a lower
// bound of the distance, which ends the search early where it is beyond `limit`. Overlaps, and distances below
// 1e-12 of the sizes, are left to the penetration searches, since v has no direction there.
gjk_result pawl_gjk_distance(const placed_shape *a, const placed_shape *b, double limit,
                             pair_axis *axis)
{
    double scale = pawl_shape_scale(a) + pawl_shape_scale(b);
    double touching = 1e-12 * scale;
    pawl_vec3 start = v3_sub(a->position, b->position);
    if (!(v3_norm(start) > touching)) {
        start = m3_column(&a->axes, 2);
    }
    gjk_simplex s = {.count = 0};
    pawl_vec3 v = start;
    double distance = INFINITY, lower = -INFINITY;
    for (int round = 0; round < GJK_ROUNDS; ++round) {
        gjk_vertex fresh;
        // v points from b to a: the difference is searched towards the origin, that is along -v.
        fresh.a = pawl_shape_support(a, v3_scale(-1.0, v));
        fresh.b = pawl_shape_support(b, v);
        fresh.w = v3_sub(fresh.a, fresh.b);
        double length = v3_norm(v);
        double bound = v3_dot(v, fresh.w) / length;
        lower = max_of(lower, bound);
        if (lower > limit) {
            return GJK_BEYOND;
        }
        // no support point lies nearer than the simplex: done
        if (s.count > 0 && distance - lower <= 1e-15 * scale) {
            break;
        }
        // A support point that is in the simplex already cannot improve it: rounding would repeat it without end.
        bool known = false;
        for (int i = 0; i < s.count; ++i) {
            pawl_vec3 d = v3_sub(s.v[i].w, fresh.w);
            known = known || !(v3_dot(d, d) > 0.0);
        }
        if (known) {
            break;
        }
        gjk_simplex previous = s;
        s.v[s.count++] = fresh;
        if (s.count == 4 && gjk_holds_origin(&s)) {
            return GJK_OVERLAP;
        }
        pawl_vec3 next = gjk_reduce(&s);
        double shorter = v3_norm(next);
        if (!(shorter < distance)) { // rounding has the last word
            s = previous;
            break;
        }
        v = next;
        distance = shorter;
        // Direction lost: v is rounding.
        if (!(distance > touching)) {
            return GJK_OVERLAP;
        }
    }
    axis->n = v3_scale(-1.0 / distance, v);
    axis->gap = distance;
    axis->on_a = axis->on_b = v3(0.0, 0.0, 0.0);
    for (int i = 0; i < s.count; ++i) {
        axis->on_a = v3_axpy(axis->on_a, s.weight[i], s.v[i].a);
        axis->on_b = v3_axpy(axis->on_b, s.weight[i], s.v[i].b);
    }
    axis->has_points = true;
    return GJK_APART;
}
