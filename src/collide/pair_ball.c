// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A sphere against a box, cylinder or ellipsoid: the nearest point of the surface to the sphere's
// centre, outside or inside. A centre that is equally far from several faces takes the first.
#include "collide/pair.h"

typedef struct ball_nearest {
    pawl_vec3 normal; // of the surface there, outward, in the shape's frame
    double distance;  // signed
    unsigned feature;
} ball_nearest;

static ball_nearest ball_box(pawl_vec3 size, pawl_vec3 centre)
{
    const double e[3] = {size.x, size.y, size.z}, c[3] = {centre.x, centre.y, centre.z};
    double out[3] = {0.0, 0.0, 0.0};
    int beyond = 0, last = 0, flat = 0, shallow = 0;
    unsigned corner = 0;
    for (int k = 0; k < 3; ++k) {
        corner |= c[k] > 0.0 ? 1u << k : 0u;
        if (fabs(c[k]) > e[k]) {
            out[k] = c[k] - copysign(e[k], c[k]);
            ++beyond;
            last = k;
        } else {
            flat = k;
        }
        shallow = e[k] - fabs(c[k]) < e[shallow] - fabs(c[shallow]) ? k : shallow;
    }
    if (beyond <= 1) {
        int k = beyond == 1 ? last : shallow;
        double normal[3] = {0.0, 0.0, 0.0};
        normal[k] = copysign(1.0, c[k]);
        return (ball_nearest){v3(normal[0], normal[1], normal[2]), fabs(c[k]) - e[k],
                              FEATURE_FACE | (unsigned)(2 * k + (c[k] > 0.0))};
    }
    pawl_vec3 d = v3(out[0], out[1], out[2]);
    double distance = v3_norm(d);
    unsigned v = corner & ~(1u << flat), w = corner | 1u << flat;
    return (ball_nearest){v3_scale(1.0 / distance, d), distance,
                          beyond == 3 ? FEATURE_VERTEX | corner : FEATURE_EDGE | v << 3 | w};
}

static ball_nearest ball_cylinder(pawl_vec3 size, pawl_vec3 c)
{
    double across = sqrt(c.x * c.x + c.y * c.y);
    double ux = across > 0.0 ? c.x / across : 1.0, uy = across > 0.0 ? c.y / across : 0.0;
    double end = copysign(1.0, c.z);
    double side = across - size.x, cap = fabs(c.z) - size.z;
    if (side > 0.0 && cap > 0.0) {
        double distance = sqrt(side * side + cap * cap);
        double s = side / distance;
        return (ball_nearest){v3(s * ux, s * uy, end * cap / distance), distance,
                              FEATURE_CURVED | (end > 0.0)};
    }
    if (side > cap) {
        return (ball_nearest){v3(ux, uy, 0.0), side, FEATURE_CURVED | 2};
    }
    return (ball_nearest){v3(0.0, 0.0, end), cap, FEATURE_FACE | (end > 0.0)};
}

// The foot x of the perpendicular from c satisfies x_i = a_i^2 c_i / (a_i^2 + t); putting it on the
// surface leaves one equation for t, with one root above -min a^2: the nearest foot. With
// s = t + min a^2 the terms keep their digits at the pole, which centres near the middle plane of
// the shortest axis come close to.
static ball_nearest ball_ellipsoid(pawl_vec3 size, pawl_vec3 centre)
{
    const double a[3] = {size.x, size.y, size.z}, c[3] = {centre.x, centre.y, centre.z};
    int shortest = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;
    double shift[3], s = 0.0;
    for (int i = 0; i < 3; ++i) {
        // a_i^2 - min a^2 as a product, exact where axes are almost equal
        shift[i] = (a[i] - a[shortest]) * (a[i] + a[shortest]);
        s = max_of(s, a[i] * fabs(c[i]) - shift[i]); // one term alone is 1 here: left of the root
    }
    double rest = 0.0; // squared share of the shortest axis when s = 0
    for (int round = 0; round < 200; ++round) {
        // f is convex and falls: Newton's method from the left never oversteps
        double f = -1.0, slope = 0.0;
        for (int i = 0; i < 3; ++i) {
            double below = shift[i] + s;
            double term = c[i] != 0.0 ? a[i] * c[i] / below : 0.0;
            f += term * term;
            slope += c[i] != 0.0 ? 2.0 * term * term / below : 0.0;
        }
        if (!(f > 0.0)) {
            rest = s > 0.0 ? 0.0 : -f;
            break;
        }
        double next = s + f / slope;
        if (!(next > s)) {
            break;
        }
        s = next;
    }
    double x[3], g[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = c[i] != 0.0 ? a[i] * a[i] * c[i] / (shift[i] + s) : 0.0;
        if (i == shortest && rest > 0.0) {
            x[i] = a[i] * sqrt(rest); // both sides are as near
        }
        g[i] = x[i] / (a[i] * a[i]);
    }
    pawl_vec3 normal = v3_unit_or(v3(g[0], g[1], g[2]), v3(0.0, 0.0, 1.0));
    double distance = v3_dot(normal, v3_sub(centre, v3(x[0], x[1], x[2])));
    return (ball_nearest){normal, distance, FEATURE_CURVED};
}

void pawl_collide_ball(const placed_shape *a, const placed_shape *b, double margin,
                       contact_manifold *out)
{
    pawl_vec3 c = shape_to_local(b, v3_sub(a->position, b->position));
    ball_nearest nearest = b->kind == PAWL_SHAPE_BOX        ? ball_box(b->size, c)
                           : b->kind == PAWL_SHAPE_CYLINDER ? ball_cylinder(b->size, c)
                                                            : ball_ellipsoid(b->size, c);
    double gap = nearest.distance - a->size.x;
    out->count = 0;
    if (gap <= margin) {
        pawl_vec3 n = v3_scale(-1.0, m3_mul(&b->axes, nearest.normal));
        out->normal = n;
        out->count = 1;
        out->point[0] = (contact_point){v3_axpy(a->position, a->size.x + 0.5 * gap, n), gap,
                                        (uint32_t)FEATURE_CURVED << 16 | nearest.feature};
    }
}
