// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A ray against one shape, in closed form in the shape's own axes. A convex shape intersects a line in an interval:
// slabs, half spaces and quadrics give one interval each, and their intersection is that of the shape. A capsule is a
// cylinder without caps and two balls together, of which the first entry counts. Meshes are searched by their tree of
// boxes, heightfields follow the ray from cell to cell (collide/height_grid.c).
#include "collide/ray.h"
#include "collide/height_grid.h"
#include "model/tri_mesh.h"

// The part of a line inside of a convex set: from t0, where it enters through a face of that normal, to t1.
typedef struct ray_cut {
    double t0, t1;
    pawl_vec3 normal; // at t0, in the shape's axes; need not have length 1
} ray_cut;

static const ray_cut ray_all = {-INFINITY, INFINITY, {0.0, 0.0, 0.0}};
static const ray_cut ray_none = {INFINITY, -INFINITY, {0.0, 0.0, 0.0}};

static ray_cut ray_both(ray_cut a, ray_cut b)
{
    ray_cut both = a.t0 >= b.t0 ? a : b;
    both.t1 = fmin(a.t1, b.t1);
    return both;
}

// n . x <= offset along o + t d.
static ray_cut ray_half_space(pawl_vec3 o, pawl_vec3 d, pawl_vec3 n, double offset)
{
    double above = v3_dot(n, o) - offset, speed = v3_dot(n, d);
    if (speed == 0.0) {
        return above <= 0.0 ? ray_all : ray_none;
    }
    double t = -above / speed;
    return speed < 0.0 ? (ray_cut){t, INFINITY, n} : (ray_cut){-INFINITY, t, {0.0, 0.0, 0.0}};
}

// |x_axis| <= half.
static ray_cut ray_slab(pawl_vec3 o, pawl_vec3 d, int axis, double half)
{
    pawl_vec3 n = {0.0, 0.0, 0.0};
    v3_set(&n, axis, 1.0);
    return ray_both(ray_half_space(o, d, n, half), ray_half_space(o, d, v3_scale(-1.0, n), half));
}

// |x| <= radius over the first `axes` (2 or 3) axes. The line is parametrized from its point nearest to the centre,
// so that a far origin loses no digits.
static ray_cut ray_round(pawl_vec3 o, pawl_vec3 d, int axes, double radius)
{
    if (axes == 2) {
        o.z = d.z = 0.0;
    }
    double speed2 = v3_dot(d, d);
    if (speed2 == 0.0) {
        return v3_dot(o, o) <= radius * radius ? ray_all : ray_none;
    }
    double middle = -v3_dot(o, d) / speed2;
    pawl_vec3 nearest = v3_axpy(o, middle, d);
    double gap = v3_norm(nearest);
    if (gap > radius) {
        return ray_none;
    }
    double half = sqrt((radius - gap) * (radius + gap) / speed2);
    return (ray_cut){middle - half, middle + half, v3_axpy(nearest, -half, d)};
}

static ray_cut ray_cylinder(pawl_vec3 o, pawl_vec3 d, pawl_vec3 size)
{
    return ray_both(ray_round(o, d, 2, size.x), ray_slab(o, d, 2, size.z));
}

static ray_cut ray_box(pawl_vec3 o, pawl_vec3 d, pawl_vec3 size)
{
    ray_cut cut = ray_slab(o, d, 0, size.x);
    cut = ray_both(cut, ray_slab(o, d, 1, size.y));
    return ray_both(cut, ray_slab(o, d, 2, size.z));
}

static ray_cut ray_ellipsoid(pawl_vec3 o, pawl_vec3 d, pawl_vec3 size)
{
    pawl_vec3 so = v3(o.x / size.x, o.y / size.y, o.z / size.z);
    pawl_vec3 sd = v3(d.x / size.x, d.y / size.y, d.z / size.z);
    ray_cut cut = ray_round(so, sd, 3, 1.0);
    cut.normal = v3(cut.normal.x / size.x, cut.normal.y / size.y, cut.normal.z / size.z);
    return cut;
}

static ray_cut ray_hull(pawl_vec3 o, pawl_vec3 d, const convex_hull *hull)
{
    ray_cut cut = ray_all;
    for (int f = 0; f < hull->face_count && cut.t0 <= cut.t1; ++f) {
        cut = ray_both(cut, ray_half_space(o, d, hull->normals[f], hull->offsets[f]));
    }
    return cut;
}

// The union of convex parts that is convex itself: it begins where the first of them does.
static ray_cut ray_either(ray_cut a, ray_cut b)
{
    if (a.t0 > a.t1) {
        return b;
    }
    ray_cut first = b.t0 > b.t1 || a.t0 <= b.t0 ? a : b;
    first.t1 = fmax(a.t1, b.t1);
    return first;
}

static ray_cut ray_capsule(pawl_vec3 o, pawl_vec3 d, pawl_vec3 size)
{
    pawl_vec3 half = {0.0, 0.0, size.z};
    ray_cut cut = ray_both(ray_round(o, d, 2, size.x), ray_slab(o, d, 2, size.z));
    cut = ray_either(cut, ray_round(v3_sub(o, half), d, 3, size.x));
    return ray_either(cut, ray_round(v3_add(o, half), d, 3, size.x));
}

// In the axes of the shape.
static ray_cut ray_shape(const placed_shape *s, pawl_vec3 o, pawl_vec3 d)
{
    switch (s->kind) {
    case PAWL_SHAPE_PLANE:
        return ray_half_space(o, d, v3(0.0, 0.0, 1.0), 0.0);
    case PAWL_SHAPE_SPHERE:
        return ray_round(o, d, 3, s->size.x);
    case PAWL_SHAPE_BOX:
        return ray_box(o, d, s->size);
    case PAWL_SHAPE_CYLINDER:
        return ray_cylinder(o, d, s->size);
    case PAWL_SHAPE_CAPSULE:
        return ray_capsule(o, d, s->size);
    case PAWL_SHAPE_ELLIPSOID:
        return ray_ellipsoid(o, d, s->size);
    case PAWL_SHAPE_HULL:
        return ray_hull(o, d, s->hull);
    case PAWL_SHAPE_HEIGHTFIELD:
    case PAWL_SHAPE_MESH:
    case PAWL_SHAPE_COUNT:
        break;
    }
    return ray_none;
}

// Triangles are seen from both sides, but what begins inside of a closed surface is there already.
static bool ray_mesh(const tri_mesh *mesh, pawl_vec3 o, pawl_vec3 d, double reach, double *distance,
                     pawl_vec3 *normal)
{
    int triangle = pawl_tri_mesh_ray(mesh, o, d, reach, distance);
    if (triangle >= 0) {
        pawl_vec3 n = mesh->triangles[triangle].normal;
        bool leaves = v3_dot(n, d) > 0.0;
        *normal = leaves ? v3_scale(-1.0, n) : n;
        *distance = leaves && mesh->closed ? 0.0 : *distance;
        return true;
    }
    *distance = 0.0; // short rays inside meet nothing
    return mesh->closed && pawl_tri_mesh_nearest(mesh, o).inside;
}

bool pawl_shape_meets_ray(const placed_shape *s, const shape_ray *ray, double *distance,
                          pawl_vec3 *normal)
{
    pawl_vec3 o = shape_to_local(s, v3_sub(ray->origin, s->position));
    pawl_vec3 d = shape_to_local(s, ray->direction), n;
    if (s->kind == PAWL_SHAPE_HEIGHTFIELD) {
        if (!pawl_height_grid_meets_ray(s->grid, o, d, ray->reach, distance, &n)) {
            return false;
        }
    } else if (s->kind == PAWL_SHAPE_MESH) {
        if (!ray_mesh(s->mesh, o, d, ray->reach, distance, &n)) {
            return false;
        }
    } else {
        ray_cut cut = ray_shape(s, o, d);
        if (!(cut.t0 <= cut.t1) || cut.t1 < 0.0 || cut.t0 > ray->reach) {
            return false;
        }
        *distance = max_of(cut.t0, 0.0);
        n = cut.normal;
    }
    pawl_vec3 back = v3_scale(-1.0, ray->direction);
    *normal = *distance > 0.0 ? v3_unit_or(m3_mul(&s->axes, n), back) : back;
    return true;
}
