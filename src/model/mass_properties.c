// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Mass, centre of mass and inertia of solid shapes in closed form; of hulls by integration over the
// tetrahedra of their faces. Parts are added by the parallel axis theorem.
#include "base/env.h"
#include "model/hull.h"
#include "model/model.h"
#include "model/tri_mesh.h"

// Shape sizes are radii and half lengths [m], density is in kg/m^3, inertia in kg m^2. The inertia
// returned is about the shape's own centre of mass, in the axes of the body.
static const double mass_pi = 0x1.921fb54442d18p+1;

// Second moments of a solid to its inertia, I = trace(S) 1 - S, in the link frame.
static mass_properties mass_of_moments(const pawl_shape_def *shape, double density, double volume,
                                       pawl_vec3 centre, const double s[6])
{
    const double six[6] = {density * (s[1] + s[2]), density * (s[0] + s[2]),
                           density * (s[0] + s[1]), -density * s[3],
                           -density * s[4],         -density * s[5]};
    pawl_mat3 own = m3_from_six(six), r = quat_matrix(shape->frame.orientation);
    return (mass_properties){density * volume, pawl_pose_apply(shape->frame, centre),
                             m3_congruence(&r, &own)};
}

static pawl_status mass_of_hull(const pawl_env *env, const pawl_shape_def *shape, double density,
                                mass_properties *out)
{
    convex_hull *hull;
    PAWL_TRY(pawl_hull_create(env, shape->name, shape->points, shape->point_count, &hull));
    double volume, s[6];
    pawl_vec3 centre;
    pawl_hull_moments(hull, &volume, &centre, s);
    pawl_hull_destroy(env, hull);
    *out = mass_of_moments(shape, density, volume, centre, s);
    return PAWL_OK;
}

static pawl_status mass_of_mesh(const pawl_env *env, const pawl_shape_def *shape, double density,
                                mass_properties *out)
{
    tri_mesh *mesh;
    PAWL_TRY(pawl_tri_mesh_create(env, shape->name, shape->points, shape->point_count,
                                  shape->triangles, shape->triangle_count, &mesh));
    bool closed = mesh->closed;
    *out = mass_of_moments(shape, density, mesh->volume, mesh->centre, mesh->second);
    pawl_tri_mesh_destroy(env, mesh);
    if (!closed) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "mesh '%s' is not closed and has no volume; expected a closed one, or a "
                         "body with a mass and an inertia instead of a density",
                         shape->name);
    }
    return PAWL_OK;
}

pawl_status pawl_mass_of_any(const pawl_env *env, const pawl_shape_def *shape, double density,
                             mass_properties *out)
{
    if (shape->kind == PAWL_SHAPE_HULL) {
        return mass_of_hull(env, shape, density, out);
    }
    if (shape->kind == PAWL_SHAPE_MESH) {
        return mass_of_mesh(env, shape, density, out);
    }
    *out = pawl_mass_of_shape(shape, density);
    return PAWL_OK;
}

// Planes and height fields have no volume and get mass 0. Hulls have a function of their own, which
// can fail.
mass_properties pawl_mass_of_shape(const pawl_shape_def *shape, double density)
{
    double x = shape->size.x, y = shape->size.y, z = shape->size.z;
    double mass = 0.0;
    double ix = 0.0, iy = 0.0, iz = 0.0; // in the shape's own axes
    switch (shape->kind) {
    case PAWL_SHAPE_SPHERE:
        mass = density * 4.0 / 3.0 * mass_pi * x * x * x;
        ix = iy = iz = 0.4 * mass * x * x;
        break;
    case PAWL_SHAPE_BOX:
        mass = density * 8.0 * x * y * z;
        ix = mass / 3.0 * (y * y + z * z);
        iy = mass / 3.0 * (x * x + z * z);
        iz = mass / 3.0 * (x * x + y * y);
        break;
    case PAWL_SHAPE_CYLINDER:
        mass = density * mass_pi * x * x * 2.0 * z;
        ix = iy = mass * (0.25 * x * x + z * z / 3.0);
        iz = 0.5 * mass * x * x;
        break;
    case PAWL_SHAPE_CAPSULE: {
        double tube = density * mass_pi * x * x * 2.0 * z;
        double ball = density * 4.0 / 3.0 * mass_pi * x * x * x;
        mass = tube + ball;
        // each half ball's centre lies 3/8 radius beyond the end of the straight part
        ix = iy = tube * (0.25 * x * x + z * z / 3.0) + ball * (0.4 * x * x + z * z + 0.75 * x * z);
        iz = 0.5 * tube * x * x + 0.4 * ball * x * x;
        break;
    }
    case PAWL_SHAPE_ELLIPSOID:
        mass = density * 4.0 / 3.0 * mass_pi * x * y * z;
        ix = 0.2 * mass * (y * y + z * z);
        iy = 0.2 * mass * (x * x + z * z);
        iz = 0.2 * mass * (x * x + y * y);
        break;
    case PAWL_SHAPE_PLANE:
    case PAWL_SHAPE_HULL:
    case PAWL_SHAPE_HEIGHTFIELD:
    case PAWL_SHAPE_MESH:
    case PAWL_SHAPE_COUNT:
        break;
    }
    pawl_mat3 own = {{{ix, 0, 0}, {0, iy, 0}, {0, 0, iz}}};
    pawl_mat3 r = quat_matrix(shape->frame.orientation);
    return (mass_properties){mass, shape->frame.position, m3_congruence(&r, &own)};
}

// Steiner's theorem: a point mass at d adds m (d.d 1 - d dT).
static void mass_shift(pawl_mat3 *inertia, double mass, pawl_vec3 d)
{
    double v[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            inertia->m[i][j] += mass * ((i == j ? v3_dot(d, d) : 0.0) - v[i] * v[j]);
        }
    }
}

// Both inertias are shifted to the common centre before they are added. Without any mass the common
// centre is not defined, and a is returned.
mass_properties pawl_mass_add(mass_properties a, mass_properties b)
{
    mass_properties c = {.mass = a.mass + b.mass};
    if (!(c.mass > 0.0)) {
        return a;
    }
    c.com = v3_scale(1.0 / c.mass, v3_add(v3_scale(a.mass, a.com), v3_scale(b.mass, b.com)));
    mass_shift(&a.inertia, a.mass, v3_sub(a.com, c.com));
    mass_shift(&b.inertia, b.mass, v3_sub(b.com, c.com));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.inertia.m[i][j] = a.inertia.m[i][j] + b.inertia.m[i][j];
        }
    }
    return c;
}
