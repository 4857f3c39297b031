// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The nearest point of a box, cylinder or ellipsoid. If several faces are equally near, the first is used.
#include "collide/nearest_surface.h"
#include "collide/pair.h"

// `beyond` counts the axes along which the point is outside: 0 inside, 1 over a face, 2 over an edge, 3 over a
// corner. Inside, the face with the least depth is the answer.
static nearest_surface nearest_on_box(pawl_vec3 size, pawl_vec3 centre)
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
        return (nearest_surface){v3(normal[0], normal[1], normal[2]), fabs(c[k]) - e[k],
                                 FEATURE_FACE | (unsigned)(2 * k + (c[k] > 0.0))};
    }
    pawl_vec3 d = v3(out[0], out[1], out[2]);
    double distance = v3_norm(d);
    unsigned v = corner & ~(1u << flat), w = corner | 1u << flat;
    return (nearest_surface){v3_scale(1.0 / distance, d), distance,
                             beyond == 3 ? FEATURE_VERTEX | corner : FEATURE_EDGE | v << 3 | w};
}

// In the half plane through the axis this is a rectangle. On the axis itself any radial direction is as good: x is
// taken.
static nearest_surface nearest_on_cylinder(pawl_vec3 size, pawl_vec3 c)
{
    double across = sqrt(c.x * c.x + c.y * c.y);
    double ux = across > 0.0 ? c.x / across : 1.0, uy = across > 0.0 ? c.y / across : 0.0;
    double end = copysign(1.0, c.z);
    double side = across - size.x, cap = fabs(c.z) - size.z;
    if (side > 0.0 && cap > 0.0) {
        double distance = sqrt(side * side + cap * cap);
        double s = side / distance;
        return (nearest_surface){v3(s * ux, s * uy, end * cap / distance), distance,
                                 FEATURE_CURVED | (end > 0.0)};
    }
    if (side > cap) {
        return (nearest_surface){v3(ux, uy, 0.0), side, FEATURE_CURVED | 2};
    }
    return (nearest_surface){v3(0.0, 0.0, end), cap, FEATURE_FACE | (end > 0.0)};
}

// The foot x of the perpendicular from c satisfies x_i = a_i^2 c_i / (a_i^2 + t); putting it on the
// surface leaves one equation for t, with one root above -min a^2: the nearest foot. With
// s = t + min a^2 the terms keep their digits at the pole, which centres near the middle plane of
// the shortest axis come close to.
static nearest_surface nearest_on_ellipsoid(pawl_vec3 size, pawl_vec3 centre)
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
    return (nearest_surface){normal, distance, FEATURE_CURVED};
}

// point and normal are in the shape's frame; the distance [m] is negative inside.
nearest_surface pawl_nearest_surface(pawl_shape_kind kind, pawl_vec3 size, pawl_vec3 point)
{
    return kind == PAWL_SHAPE_BOX        ? nearest_on_box(size, point)
           : kind == PAWL_SHAPE_CYLINDER ? nearest_on_cylinder(size, point)
                                         : nearest_on_ellipsoid(size, point);
}
