// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A point is a ball of radius r about x, where x lies on a core: an ellipsoid with half axes e about the frame's origin
// p (a disc where one of them is 0, p itself where all are). It is the point of the core that is furthest against the
// normal n,
//   x = p - s(n),   s = M n/q,   q^2 = nT M n,   M = R diag(e^2) RT,
// so that a wheel or an ellipsoid rolls over its own surface instead of over a polygon. A disc that lies flat has no
// such point: there q^2 is increased by (0.02 e)^2, which moves s smoothly to the centre, and s is scaled so that a
// disc on edge keeps its radius. On a plane n is known; on curved ground n is that at x, found in two rounds from
// that at p, which is exact to second order in the curvature times the size of the core.
//
// ds/dn = (M - s sT)/q. Turning frame and normal together turns s, so ds/dxi = [xi]x s - ds/dn [xi]x n.
#include "wrench/contact_site.h"
#include "math/vec.h"
#include <string.h>

enum { SITE_ROUNDS = 2 };
static const double site_flat = 0.02; // of a disc's radius

typedef struct site_core {
    pawl_mat3 M;
    double least2; // is added to q^2 [m^2]
    double scale;
} site_core;

// M is turned to the world's axes here, once for each evaluation.
static site_core site_core_of(const pawl_wrench_query *query)
{
    pawl_vec3 e = query->core;
    pawl_mat3 R, square = {{{e.x * e.x, 0.0, 0.0}, {0.0, e.y * e.y, 0.0}, {0.0, 0.0, e.z * e.z}}};
    memcpy(R.m, query->frame.rotation, sizeof R.m);
    double largest = fmax(e.x, fmax(e.y, e.z)), smallest = fmin(e.x, fmin(e.y, e.z));
    double flat = smallest < site_flat * largest ? site_flat : 0.0;
    return (site_core){m3_congruence(&R, &square), flat * flat * largest * largest,
                       sqrt(1.0 + flat * flat)};
}

static void site_put_column(double m[3][6], int j, pawl_vec3 x)
{
    m[0][j] = x.x, m[1][j] = x.y, m[2][j] = x.z;
}

static pawl_vec3 site_column(double m[3][6], int j)
{
    return v3(m[0][j], m[1][j], m[2][j]);
}

static pawl_vec3 site_unit(int j)
{
    return v3(j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0);
}

// s(n), and its derivative where the normal changes by dn.
static pawl_vec3 site_support(const site_core *c, pawl_vec3 n, double dn[3][6], double ds[3][6])
{
    pawl_vec3 Mn = m3_mul(&c->M, n);
    double q = sqrt(v3_dot(n, Mn) + c->least2);
    if (!(q > 0.0)) {
        memset(ds, 0, 18 * sizeof(double));
        return v3(0.0, 0.0, 0.0);
    }
    pawl_vec3 bare = v3_scale(1.0 / q, Mn), s = v3_scale(c->scale, bare);
    for (int j = 0; j < 6; ++j) {
        pawl_vec3 d = site_column(dn, j), turned = v3(0.0, 0.0, 0.0);
        if (j >= 3) {
            pawl_vec3 xi = site_unit(j - 3);
            turned = v3_cross(xi, s);
            d = v3_sub(d, v3_cross(xi, n));
        }
        pawl_vec3 rate = v3_axpy(m3_mul(&c->M, d), -v3_dot(bare, d), bare);
        site_put_column(ds, j, v3_axpy(turned, c->scale / q, rate));
    }
    return s;
}

// dn = H dx
static void site_normal_slope(const pawl_distance *distance, double dx[3][6], double dn[3][6])
{
    for (int r = 0; r < 3; ++r) {
        for (int j = 0; j < 6; ++j) {
            dn[r][j] = distance->hessian[r][0] * dx[0][j] + distance->hessian[r][1] * dx[1][j] +
                       distance->hessian[r][2] * dx[2][j];
        }
    }
}

// The point x of the core that touches; dx its derivative.
static void site_on_core(const pawl_wrench_query *query, pawl_vec3 *x, double dx[3][6],
                         contact_site *out)
{
    site_core core = site_core_of(query);
    double ds[3][6];
    for (int round = 0; round < SITE_ROUNDS && out->distance.piece >= 0; ++round) {
        pawl_vec3 before = out->distance.normal;
        pawl_vec3 s = site_support(&core, before, out->normal_slope, ds);
        *x = v3_sub(query->frame.position, s);
        for (int r = 0; r < 3; ++r) {
            for (int j = 0; j < 6; ++j) {
                dx[r][j] = (r == j ? 1.0 : 0.0) - ds[r][j];
            }
        }
        pawl_ground_distance(query->ground, *x, &out->distance);
        site_normal_slope(&out->distance, dx, out->normal_slope);
        if (v3_norm(v3_sub(before, out->distance.normal)) == 0.0) {
            break; // flat
        }
    }
}

// A point of a rim recedes while the rim is tilted: gap + lean (1 - (n.a)^2), a the frame's z axis.
static double site_lean(const pawl_wrench_query *query, bool slopes, contact_site *out)
{
    pawl_vec3 n = out->normal;
    pawl_vec3 a =
        v3(query->frame.rotation[0][2], query->frame.rotation[1][2], query->frame.rotation[2][2]);
    double along = v3_dot(n, a);
    for (int j = 0; j < 6 && slopes; ++j) {
        double rate = v3_dot(site_column(out->normal_slope, j), a);
        rate += j >= 3 ? v3_dot(n, v3_cross(site_unit(j - 3), a)) : 0.0;
        out->depth_slope[j] += 2.0 * query->lean * along * rate;
    }
    return query->lean * (1.0 - along * along);
}

// depth is positive inside. lever leads from the frame's origin to the lowest point of the ball, where the force
// acts. Columns of all slopes: translations of the frame, then rotations about the axes of the ground's frame.
// distance.value is that of x on the core; the ball's radius is subtracted here.
void pawl_contact_site(const pawl_wrench_query *query, bool slopes, contact_site *out)
{
    bool has_core = query->core.x > 0.0 || query->core.y > 0.0 || query->core.z > 0.0;
    pawl_vec3 x = query->frame.position;
    double dx[3][6] = {{1.0, 0.0}, {0.0, 1.0}, {0.0, 0.0, 1.0}};
    pawl_ground_distance(query->ground, x, &out->distance);
    out->turns = has_core || query->lean > 0.0;
    if (slopes || has_core) {
        site_normal_slope(&out->distance, dx, out->normal_slope);
    }
    if (has_core) {
        site_on_core(query, &x, dx, out);
    }
    out->normal = out->distance.normal;
    out->depth = query->radius - out->distance.value;
    pawl_vec3 arm = v3_sub(x, query->frame.position);
    out->lever = v3_axpy(arm, -query->radius, out->normal);
    for (int j = 0; j < 6 && slopes; ++j) {
        out->depth_slope[j] = -v3_dot(out->normal, site_column(dx, j));
        for (int r = 0; r < 3; ++r) {
            out->lever_slope[r][j] =
                dx[r][j] - (r == j ? 1.0 : 0.0) - query->radius * out->normal_slope[r][j];
        }
    }
    if (query->lean > 0.0) {
        out->depth -= site_lean(query, slopes, out);
    }
}
