// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Signed distances of the shapes with their Hessians. The distances are those of the narrow phase;
// the Hessian of a distance is the curvature of its level set: 1/distance from a corner, edge or
// rim in the directions that turn about it, the surface's own curvature otherwise.
#include "collide/nearest_surface.h"
#include "collide/pair.h"
#include "model/tri_mesh.h"
#include "wrench/surface.h"

// s (1 - n nT - e eT): s on the plane across n, or on the line across n and e. e may be NULL.
pawl_mat3 pawl_across(double s, pawl_vec3 n, const pawl_vec3 *e)
{
    const double a[3] = {n.x, n.y, n.z};
    const double b[3] = {e != NULL ? e->x : 0.0, e != NULL ? e->y : 0.0, e != NULL ? e->z : 0.0};
    pawl_mat3 m;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m.m[i][j] = s * ((i == j ? 1.0 : 0.0) - a[i] * a[j] - b[i] * b[j]);
        }
    }
    return m;
}

// Curvature of the parallel surface at distance d from one with curvature S: (1 + d S)^-1 S. Outside of a convex
// surface it is less, inside more.
pawl_mat3 pawl_surface_offset(const pawl_mat3 *S, double d)
{
    pawl_mat3 shifted;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            shifted.m[i][j] = (i == j ? 1.0 : 0.0) + d * S->m[i][j];
        }
    }
    if (!(fabs(m3_det(&shifted)) > 1e-12)) { // a focal point: the nearest point is not unique
        return (pawl_mat3){{{0.0}}};
    }
    pawl_mat3 inverse = m3_inverse(&shifted);
    return m3_product(&inverse, S);
}

// From the nearest point of a core, offset away from it, minus the radius by which it is grown.
static surface_distance surface_from_core(pawl_vec3 offset, double radius, const pawl_vec3 *along,
                                          pawl_vec3 fallback)
{
    double length = v3_norm(offset);
    pawl_vec3 n = v3_unit_or(offset, fallback);
    return (surface_distance){length - radius, n,
                              length > 0.0 ? pawl_across(1.0 / length, n, along)
                                           : (pawl_mat3){{{0.0}}}};
}

// Inside the nearest face decides and the Hessian is 0; outside edges and corners it is that of a cylinder or
// sphere about them.
static surface_distance surface_of_box(pawl_vec3 size, pawl_vec3 p)
{
    nearest_surface near = pawl_nearest_surface(PAWL_SHAPE_BOX, size, p);
    surface_distance out = {near.distance, near.normal, {{{0.0}}}};
    const double n[3] = {near.normal.x, near.normal.y, near.normal.z};
    bool face = (near.feature & FEATURE_CURVED) == FEATURE_FACE;
    for (int i = 0; i < 3 && !face; ++i) {
        for (int j = 0; j < 3; ++j) {
            // an edge along axis i leaves n_i = 0: nothing turns there
            out.hessian.m[i][j] =
                ((i == j && n[i] != 0.0 ? 1.0 : 0.0) - n[i] * n[j]) / near.distance;
        }
    }
    return out;
}

// A face has no curvature. The side curves about the axis alone; a rim about the axis and about itself.
static surface_distance surface_of_cylinder(pawl_vec3 size, pawl_vec3 p)
{
    nearest_surface near = pawl_nearest_surface(PAWL_SHAPE_CYLINDER, size, p);
    surface_distance out = {near.distance, near.normal, {{{0.0}}}};
    double across = sqrt(p.x * p.x + p.y * p.y);
    if ((near.feature & FEATURE_CURVED) == FEATURE_FACE || !(across > 0.0)) {
        return out;
    }
    pawl_vec3 n = near.normal, z = v3(0.0, 0.0, 1.0);
    double s = sqrt(n.x * n.x + n.y * n.y); // 1 on the side, less off a rim
    pawl_vec3 around = v3(-p.y / across, p.x / across, 0.0);
    bool rim = near.feature != (FEATURE_CURVED | 2u);
    // about the axis by s/across; about the rim by 1/distance
    pawl_mat3 turn = pawl_across(rim ? 1.0 / near.distance : 0.0, n, &around);
    pawl_vec3 radial = v3_cross(around, z);
    pawl_mat3 about = pawl_across(s / across, z, &radial);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out.hessian.m[i][j] = turn.m[i][j] + about.m[i][j];
        }
    }
    return out;
}

static surface_distance surface_of_ellipsoid(pawl_vec3 size, pawl_vec3 p)
{
    nearest_surface near = pawl_nearest_surface(PAWL_SHAPE_ELLIPSOID, size, p);
    pawl_vec3 foot = v3_axpy(p, -near.distance, near.normal);
    const double w[3] = {1.0 / (size.x * size.x), 1.0 / (size.y * size.y), 1.0 / (size.z * size.z)};
    // grad = (w_i foot_i) points along n; the normal's derivative is P diag(w) P/|grad|
    double steep = v3_norm(v3(w[0] * foot.x, w[1] * foot.y, w[2] * foot.z));
    pawl_mat3 project = pawl_across(1.0, near.normal, NULL);
    pawl_mat3 S = {{{w[0] / steep, 0.0, 0.0}, {0.0, w[1] / steep, 0.0}, {0.0, 0.0, w[2] / steep}}};
    S = m3_congruence(&project, &S);
    return (surface_distance){near.distance, near.normal, pawl_surface_offset(&S, near.distance)};
}

// The nearest point of the surface, inside of which is where the triangle there has its back. Its own curvature is that
// of its corners and edges alone, and is left out.
static surface_distance surface_of_mesh(const tri_mesh *mesh, pawl_vec3 p)
{
    mesh_nearest near = pawl_tri_mesh_nearest(mesh, p);
    double side = near.inside ? -1.0 : 1.0;
    pawl_vec3 away = v3_scale(side, v3_sub(p, near.at));
    pawl_vec3 flat = mesh->triangles[near.triangle].normal;
    // so close to it that rounding has the direction, the triangle has it
    bool over = near.distance <= 1e-9 * mesh->radius;
    return (surface_distance){
        side * near.distance, over ? flat : v3_unit_or(away, flat), {{{0.0}}}};
}

// p is in the shape's own frame, and so is the result. Planes are the half space z < 0.
surface_distance pawl_surface_of_shape(const placed_shape *shape, pawl_vec3 p)
{
    pawl_vec3 size = shape->size, x = v3(1.0, 0.0, 0.0), z = v3(0.0, 0.0, 1.0);
    switch (shape->kind) {
    case PAWL_SHAPE_SPHERE:
        return surface_from_core(p, size.x, NULL, z);
    case PAWL_SHAPE_CAPSULE: {
        double t = clamp_to(p.z, -size.z, size.z);
        bool side = p.z == t;
        return surface_from_core(v3(p.x, p.y, p.z - t), size.x, side ? &z : NULL, x);
    }
    case PAWL_SHAPE_BOX:
        return surface_of_box(size, p);
    case PAWL_SHAPE_CYLINDER:
        return surface_of_cylinder(size, p);
    case PAWL_SHAPE_ELLIPSOID:
        return surface_of_ellipsoid(size, p);
    case PAWL_SHAPE_HULL:
        return pawl_surface_of_hull(shape->hull, p);
    case PAWL_SHAPE_MESH:
        return surface_of_mesh(shape->mesh, p);
    case PAWL_SHAPE_PLANE:
    case PAWL_SHAPE_HEIGHTFIELD:
    case PAWL_SHAPE_COUNT:
        break;
    }
    return (surface_distance){p.z, z, {{{0.0}}}};
}
