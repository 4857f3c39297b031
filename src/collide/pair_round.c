// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Spheres and capsules among themselves: closest points of points and segments. Where the cores
// meet, the normal is a fixed choice across them.
#include "collide/pair.h"

typedef struct round_core {
    pawl_vec3 centre, along; // along: half the segment, 0 for a sphere
    double length2;          // of along, squared
} round_core;

static round_core round_core_of(const placed_shape *s)
{
    round_core c = {s->position, v3(0.0, 0.0, 0.0), 0.0};
    if (s->kind == PAWL_SHAPE_CAPSULE) {
        c.along = v3_scale(s->size.z, m3_column(&s->axes, 2));
        c.length2 = v3_dot(c.along, c.along);
    }
    return c;
}

// Parameter in [-1, 1] of the point of c that is nearest to p.
static double round_nearest(const round_core *c, pawl_vec3 p)
{
    if (!(c->length2 > 0.0)) {
        return 0.0;
    }
    double t = v3_dot(v3_sub(p, c->centre), c->along) / c->length2;
    return t < -1.0 ? -1.0 : t > 1.0 ? 1.0 : t;
}

typedef struct round_search {
    const round_core *a, *b;
    double best, s, t;
} round_search;

// Keeps the parameters s on a and t on b if their points are nearer than those before.
static void round_try(round_search *r, double s, double t)
{
    pawl_vec3 d =
        v3_sub(v3_axpy(r->b->centre, t, r->b->along), v3_axpy(r->a->centre, s, r->a->along));
    double d2 = v3_dot(d, d);
    if (d2 < r->best) {
        r->best = d2;
        r->s = s;
        r->t = t;
    }
}

// Concentric ones are parted along the first one's z axis.
static void round_spheres(const placed_shape *a, const placed_shape *b, double margin,
                          contact_manifold *out)
{
    pawl_vec3 d = v3_sub(b->position, a->position), z = m3_column(&a->axes, 2), n = z;
    double ra = a->size.x, rb = b->size.x, distance = v3_norm(d);
    out->count = 0;
    if (distance - ra - rb > margin) {
        return;
    }
    if (distance > 1e-12 * (pawl_shape_scale(a) + pawl_shape_scale(b))) {
        n = v3_unit_or(v3_scale(1.0 / distance, d), z);
        distance = v3_dot(n, d);
    }
    double gap = distance - ra - rb;
    out->normal = n;
    out->count = 1;
    out->point[0] = (contact_point){v3_axpy(a->position, ra + 0.5 * gap, n), gap,
                                    (uint32_t)FEATURE_CURVED << 16 | FEATURE_CURVED};
}

// Two segments are nearest inside both (then the common perpendicular is the normal), or one of the four ends is
// nearest to the other segment. Spheres are segments of length 0. Two capsules that lie side by side touch along a
// line: their points come from pawl_manifold_from_axis.
void pawl_collide_round(const placed_shape *a, const placed_shape *b, double margin,
                        contact_manifold *out)
{
    if (a->kind == PAWL_SHAPE_SPHERE && b->kind == PAWL_SHAPE_SPHERE) {
        round_spheres(a, b, margin, out);
        return;
    }
    round_core ca = round_core_of(a), cb = round_core_of(b);
    double ra = a->size.x, rb = b->size.x;
    out->count = 0;
    // the nearest pair has an end of one segment, or lies inside both
    round_search r = {&ca, &cb, INFINITY, 0.0, 0.0};
    pawl_vec3 w = v3_sub(cb.centre, ca.centre), across = v3(0.0, 0.0, 0.0);
    bool inside = false;
    if (ca.length2 > 0.0 && cb.length2 > 0.0 &&
        pair_across(m3_column(&a->axes, 2), m3_column(&b->axes, 2), &across)) {
        double area = v3_dot(v3_cross(ca.along, cb.along), across);
        double s = v3_dot(v3_cross(w, cb.along), across) / area;
        double t = v3_dot(v3_cross(w, ca.along), across) / area;
        inside = fabs(s) < 1.0 && fabs(t) < 1.0;
        if (inside) {
            round_try(&r, s, t);
        }
    }
    for (int end = -1; end <= 1 && !inside; end += 2) {
        double s = (double)end;
        round_try(&r, s, round_nearest(&cb, v3_axpy(ca.centre, s, ca.along)));
        round_try(&r, round_nearest(&ca, v3_axpy(cb.centre, s, cb.along)), s);
    }
    pair_axis axis = {.on_a = v3_axpy(ca.centre, r.s, ca.along),
                      .on_b = v3_axpy(cb.centre, r.t, cb.along),
                      .has_points = true};
    pawl_vec3 d = v3_sub(axis.on_b, axis.on_a);
    double distance = v3_norm(d);
    if (distance - ra - rb > margin) {
        return;
    }
    if (inside) {
        // exact also where the segments all but meet
        axis.n = v3_dot(across, w) < 0.0 ? v3_scale(-1.0, across) : across;
        distance = v3_dot(axis.n, w);
    } else if (distance > 1e-12 * (pawl_shape_scale(a) + pawl_shape_scale(b))) {
        // exactly across a segment inside which the nearest point lies: a short difference of long
        // vectors has few digits
        pawl_vec3 n = v3_scale(1.0 / distance, d);
        const placed_shape *across_whom = fabs(r.s) < 1.0 ? a : fabs(r.t) < 1.0 ? b : NULL;
        if (across_whom != NULL && across_whom->kind == PAWL_SHAPE_CAPSULE) {
            pawl_vec3 along = m3_column(&across_whom->axes, 2);
            n = v3_axpy(n, -v3_dot(n, along), along);
        }
        axis.n = v3_unit_or(n, m3_column(&a->axes, 2));
        distance = v3_dot(axis.n, d);
    } else {
        // across the segment, if there is one
        pawl_vec3 unused;
        const placed_shape *with = ca.length2 > 0.0 ? a : b;
        pawl_vec3 z = m3_column(&with->axes, 2);
        axis.n = z;
        if (ca.length2 > 0.0 || cb.length2 > 0.0) {
            pawl_tangents(z, &axis.n, &unused);
        }
    }
    axis.gap = distance;
    if (a->kind == PAWL_SHAPE_SPHERE) {
        double gap = distance - ra - rb;
        double middle = ra + 0.5 * gap;
        unsigned at_b = FEATURE_CURVED | (b->kind == PAWL_SHAPE_SPHERE ? 0u
                                          : r.t <= -1.0                ? 0u
                                          : r.t >= 1.0                 ? 1u
                                                                       : 2u);
        out->normal = axis.n;
        out->count = 1;
        out->point[0] = (contact_point){v3_axpy(axis.on_a, middle, axis.n), gap,
                                        (uint32_t)FEATURE_CURVED << 16 | at_b};
        return;
    }
    pawl_manifold_from_axis(a, b, margin, &axis, out);
}
