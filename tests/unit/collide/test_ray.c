// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Rays against shapes, by whether points of the ray are inside: a test of its own for every kind, written from its
// definition. Before a hit nothing is inside, right behind it something is, and a ray that misses has no point inside.
#include "collide/height_grid.h"
#include "collide/ray.h"
#include "model/tri_mesh.h"
#include "support/mesh_solids.h"
#include "support/random.h"
#include "support/test.h"
#include <stdlib.h>

enum { RAY_POINTS = 12, RAY_NX = 7, RAY_NY = 5 };

typedef struct ray_case {
    placed_shape shape;
    convex_hull *hull;
    tri_mesh *mesh;
    height_grid *grid;
    pawl_heightfield_def field;
    double heights[RAY_NX * RAY_NY];
} ray_case;

static void ray_case_make(ray_case *c, test_env *t, pawl_shape_kind kind, uint64_t *seed)
{
    *c = (ray_case){.hull = NULL};
    pawl_shape_def def = pawl_shape_def_default();
    pawl_vec3 points[RAY_POINTS];
    def.kind = kind;
    def.size = v3(random_in(seed, 0.1, 2), random_in(seed, 0.1, 2), random_in(seed, 0.1, 2));
    if (kind == PAWL_SHAPE_HULL) {
        for (int i = 0; i < RAY_POINTS; ++i) {
            points[i] = random_vec(seed, 1.0);
        }
        CHECK_OK(pawl_hull_create(&t->env, "hull", points, RAY_POINTS, &c->hull));
    }
    c->shape = pawl_shape_place(&def, c->hull, random_pose(seed, 3.0), 0);
    if (kind == PAWL_SHAPE_MESH) {
        mesh_solid *solid = calloc(1, sizeof *solid);
        solid_add_box(solid, v3(0, 0, 0), def.size, 3);
        CHECK_OK(pawl_tri_mesh_create(&t->env, "mesh", solid->points, solid->point_count,
                                      solid->triangles, solid->triangle_count, &c->mesh));
        c->shape.mesh = c->mesh;
        free(solid);
    }
    if (kind == PAWL_SHAPE_HEIGHTFIELD) {
        for (int i = 0; i < RAY_NX * RAY_NY; ++i) {
            c->heights[i] = random_in(seed, -0.4, 0.4);
        }
        c->field = pawl_heightfield_def_default();
        c->field.x_count = RAY_NX;
        c->field.y_count = RAY_NY;
        c->field.dx = random_in(seed, 0.3, 1.0);
        c->field.dy = random_in(seed, 0.3, 1.0);
        c->field.heights = c->heights;
        CHECK_OK(pawl_height_grid_create(&t->env, &c->field, &c->grid));
        c->shape.grid = c->grid;
    }
}

static void ray_case_end(ray_case *c, test_env *t)
{
    pawl_hull_destroy(&t->env, c->hull);
    pawl_height_grid_destroy(&t->env, c->grid);
    pawl_tri_mesh_destroy(&t->env, c->mesh);
}

// How far inside of the shape a point is, in any measure that is positive inside and continuous.
static double ray_inside(const ray_case *c, pawl_vec3 point)
{
    const placed_shape *s = &c->shape;
    pawl_vec3 x = shape_to_local(s, v3_sub(point, s->position)), e = s->size;
    double across = sqrt(x.x * x.x + x.y * x.y), beyond = max_of(fabs(x.z) - e.z, 0.0), least;
    switch (s->kind) {
    case PAWL_SHAPE_PLANE:
        return -x.z;
    case PAWL_SHAPE_SPHERE:
        return e.x - v3_norm(x);
    case PAWL_SHAPE_MESH: // of a box
    case PAWL_SHAPE_BOX:
        return fmin(fmin(e.x - fabs(x.x), e.y - fabs(x.y)), e.z - fabs(x.z));
    case PAWL_SHAPE_CYLINDER:
        return fmin(e.x - across, e.z - fabs(x.z));
    case PAWL_SHAPE_CAPSULE:
        return e.x - sqrt(across * across + beyond * beyond);
    case PAWL_SHAPE_ELLIPSOID:
        return 1.0 - v3_norm(v3(x.x / e.x, x.y / e.y, x.z / e.z));
    case PAWL_SHAPE_HULL:
        least = INFINITY;
        for (int f = 0; f < c->hull->face_count; ++f) {
            least = fmin(least, c->hull->offsets[f] - v3_dot(c->hull->normals[f], x));
        }
        return least;
    case PAWL_SHAPE_HEIGHTFIELD:
        return pawl_height_grid_depth(c->grid, x);
    case PAWL_SHAPE_COUNT:
        break;
    }
    return NAN;
}

// A quarter of the rays begins far away, a quarter runs along an axis of the shape.
static shape_ray ray_make(const ray_case *c, uint64_t *seed, int trial)
{
    double far = trial % 4 == 0 ? 1e3 : 4.0;
    pawl_vec3 aim = v3_add(c->shape.position, random_vec(seed, 1.5));
    pawl_vec3 d = v3_unit_or(random_vec(seed, 1.0), v3(0, 0, 1));
    if (trial % 4 == 1) {
        d = m3_column(&c->shape.axes, random_index(seed, 3));
    }
    return (shape_ray){v3_axpy(aim, -far * random_in(seed, 0, 1), d), d,
                       trial % 3 == 0 ? INFINITY : random_in(seed, 0, 2 * far)};
}

// Samples the ray; fine enough for shapes of this size.
static double ray_deepest(const ray_case *c, const shape_ray *ray, double from, double to)
{
    double deepest = -INFINITY;
    for (int k = 0; k <= 400; ++k) {
        double t = from + (to - from) * k / 400;
        deepest = max_of(deepest, ray_inside(c, v3_axpy(ray->origin, t, ray->direction)));
    }
    return deepest;
}

static void ray_check(const ray_case *c, const shape_ray *ray)
{
    double at, scale = v3_norm(v3_sub(ray->origin, c->shape.position)) + 1.0;
    pawl_vec3 n;
    double tiny = 1e-12 * scale;
    if (!pawl_shape_meets_ray(&c->shape, ray, &at, &n)) {
        double middle = v3_dot(v3_sub(c->shape.position, ray->origin), ray->direction);
        double from = max_of(0.0, middle - 6.0), to = fmin(ray->reach, middle + 6.0);
        CHECK(to <= from || ray_deepest(c, ray, from, to) <= tiny);
        return;
    }
    CHECK(at >= 0.0 && at <= ray->reach);
    CHECK_NEAR(v3_norm(n), 1.0, 1e-12);
    CHECK(v3_dot(n, ray->direction) <= 1e-12);
    pawl_vec3 hit = v3_axpy(ray->origin, at, ray->direction);
    if (at > 1e6) { // beside a plane but for rounding
        return;
    }
    if (at == 0.0) {
        CHECK(ray_inside(c, hit) >= -tiny);
        return;
    }
    CHECK_NEAR(ray_inside(c, hit), 0.0, 20.0 * tiny);
    CHECK(ray_deepest(c, ray, max_of(0.0, at - 6.0), at) <= 20.0 * tiny);
    // along the normal it is out, against it in
    CHECK(ray_inside(c, v3_axpy(hit, 1e-6, n)) < 0.0);
    CHECK(ray_inside(c, v3_axpy(hit, -1e-6, n)) > 0.0 || c->shape.kind == PAWL_SHAPE_ELLIPSOID ||
          c->shape.kind == PAWL_SHAPE_HULL || c->shape.kind == PAWL_SHAPE_HEIGHTFIELD);
}

TEST(rays_end_where_points_are_inside)
{
    test_env t;
    test_env_init(&t);
    uint64_t seed = 77;
    for (int kind = 0; kind < PAWL_SHAPE_COUNT; ++kind) {
        for (int trial = 0; trial < 400; ++trial) {
            ray_case c;
            ray_case_make(&c, &t, (pawl_shape_kind)kind, &seed);
            shape_ray ray = ray_make(&c, &seed, trial);
            ray_check(&c, &ray);
            ray_case_end(&c, &t);
        }
    }
    CHECK_NO_LEAK(&t);
}

// Closed form: straight down on a field, over its inner points, along its lines and beyond its edges.
TEST(a_vertical_ray_reads_the_height_of_a_field)
{
    test_env t;
    test_env_init(&t);
    uint64_t seed = 5;
    ray_case c;
    ray_case_make(&c, &t, PAWL_SHAPE_HEIGHTFIELD, &seed);
    for (int j = 0; j < RAY_NY; ++j) {
        for (int i = 0; i < RAY_NX; ++i) {
            pawl_vec3 n, o = v3(i * c.field.dx, j * c.field.dy, 3.0);
            double at;
            CHECK(pawl_height_grid_meets_ray(c.grid, o, v3(0, 0, -1), INFINITY, &at, &n));
            CHECK_NEAR(at, 3.0 - c.heights[j * RAY_NX + i], 1e-12);
            CHECK(!pawl_height_grid_meets_ray(c.grid, o, v3(0, 0, 1), INFINITY, &at, &n));
        }
    }
    ray_case_end(&c, &t);
    CHECK_NO_LEAK(&t);
}
