// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Time of one narrow-phase call for every pair of shapes, resting on one another and in random poses
// that overlap a little; of shapes on heightfields of 100 to a million cells; and of a whole step of
// collision detection for heaps, and for bodies that fly together. It uses internal functions and needs the static
// library.
#include "collide/collider.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_KINDS = 7, BENCH_POSES = 256, BENCH_POINTS = 24 };
static const pawl_shape_kind bench_kinds[BENCH_KINDS] = {
    PAWL_SHAPE_SPHERE,    PAWL_SHAPE_CAPSULE, PAWL_SHAPE_BOX,  PAWL_SHAPE_CYLINDER,
    PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_HULL,    PAWL_SHAPE_PLANE};
static const char *const bench_names[BENCH_KINDS] = {"sphere",    "capsule", "box",  "cylinder",
                                                     "ellipsoid", "hull",    "plane"};

static uint64_t bench_seed = 1;
static double bench_random(double low, double high)
{
    bench_seed = bench_seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ((double)(bench_seed >> 11) * 0x1p-53);
}
static pawl_vec3 bench_vector(double size)
{
    double x = bench_random(-size, size), y = bench_random(-size, size);
    return v3(x, y, bench_random(-size, size));
}

static double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static placed_shape bench_shape(pawl_shape_kind kind, const convex_hull *hull, int key)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = kind;
    def.size = v3(0.5, 0.5, 0.5);
    return pawl_shape_place(&def, kind == PAWL_SHAPE_HULL ? hull : NULL, pawl_pose_identity(), key);
}

static double bench_height(const placed_shape *s, pawl_vec3 n)
{
    return s->kind == PAWL_SHAPE_PLANE ? v3_dot(n, s->position)
                                       : v3_dot(n, pawl_shape_support(s, n)) + pawl_shape_radius(s);
}

// Microseconds a call, and points a call.
static double bench_pair(pawl_shape_kind ka, pawl_shape_kind kb, const convex_hull *hull, bool rest,
                         double *points)
{
    static placed_shape a[BENCH_POSES], b[BENCH_POSES];
    for (int i = 0; i < BENCH_POSES; ++i) {
        a[i] = bench_shape(ka, hull, 0);
        b[i] = bench_shape(kb, hull, 1);
        pawl_quat turn = rest ? quat_exp(v3(0, 0, bench_random(0, 3))) : quat_exp(bench_vector(3));
        a[i].axes = quat_matrix(turn);
        pawl_vec3 up = v3(0, 0, 1);
        double depth = rest ? 1e-7 : bench_random(0.0, 0.05);
        double z = bench_height(&b[i], up) + bench_height(&a[i], v3(0, 0, -1)) - depth;
        a[i].position = v3(bench_random(-0.2, 0.2), bench_random(-0.2, 0.2), z);
    }
    double best = INFINITY;
    int64_t count = 0;
    for (int round = 0; round < 5; ++round) {
        contact_manifold m;
        count = 0;
        double begin = bench_now();
        for (int i = 0; i < BENCH_POSES; ++i) {
            pawl_collide_pair(&a[i], &b[i], 1e-3, &m);
            count += m.count;
        }
        double time = 1e6 * (bench_now() - begin) / BENCH_POSES;
        best = time < best ? time : best;
    }
    *points = (double)count / BENCH_POSES;
    return best;
}

// side^3 bodies of one shape, to be put somewhere, on a floor or without one.
typedef struct bench_crowd {
    pawl_builder *builder;
    pawl_model *model;
    collider *collider;
    body_state *bodies; // (count)
    int count, side;
} bench_crowd;

static bench_crowd bench_crowd_make(const pawl_env *env, const char *name, int side, bool floor,
                                    const pawl_shape_def *shape)
{
    bench_crowd c = {.count = side * side * side, .side = side};
    pawl_status status = pawl_builder_create(env, name, &c.builder);
    if (floor) {
        pawl_shape_def plane = pawl_shape_def_default();
        plane.kind = PAWL_SHAPE_PLANE;
        status |= pawl_builder_add_shape(c.builder, PAWL_WORLD, &plane, NULL);
    }
    for (int i = 0; i < c.count; ++i) {
        pawl_body_def body = pawl_body_def_default();
        pawl_body_id id;
        body.density = 1.0;
        status |= pawl_builder_add_body(c.builder, &body, &id);
        status |= pawl_builder_add_shape(c.builder, id, shape, NULL);
    }
    status |= pawl_builder_compile(c.builder, &c.model);
    collider_def def = pawl_collider_def_default();
    c.bodies = calloc((size_t)c.count, sizeof *c.bodies);
    if (status != PAWL_OK || c.bodies == NULL ||
        pawl_collider_create(env, c.model, &def, &c.collider) != PAWL_OK) {
        printf("%s: could not be made\n", name);
        exit(1);
    }
    return c;
}

// Where body i is in a grid of this spacing.
static pawl_vec3 bench_crowd_place(const bench_crowd *c, int i, double spacing)
{
    int side = c->side;
    return v3(spacing * (i % side), spacing * (i / side % side), spacing * (i / (side * side)));
}

// The least time of a search for contacts in a step dt [s].
static double bench_crowd_time(const bench_crowd *c, double dt)
{
    double best = INFINITY;
    pawl_status status = PAWL_OK;
    for (int round = 0; round < 10 && status == PAWL_OK; ++round) {
        double begin = bench_now();
        status = pawl_collider_run(c->collider, c->bodies, 1e-3, dt);
        best = fmin(best, bench_now() - begin);
    }
    return best;
}

static void bench_crowd_free(bench_crowd *c)
{
    pawl_collider_destroy(c->collider);
    pawl_model_destroy(c->model);
    pawl_builder_destroy(c->builder);
    free(c->bodies);
}

// Layers that touch, each body turned a little.
static json_t *bench_heap(const pawl_env *env, pawl_shape_kind kind, int side)
{
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = kind;
    shape.size = v3(0.5, 0.5, 0.5);
    bench_crowd crowd = bench_crowd_make(env, "heap", side, true, &shape);
    for (int i = 0; i < crowd.count; ++i) {
        crowd.bodies[i].r = v3_add(bench_crowd_place(&crowd, i, 0.999), v3(0.0, 0.0, 0.5));
        crowd.bodies[i].q = quat_exp(bench_vector(0.001));
    }
    double best = bench_crowd_time(&crowd, 0.0);
    const collider *c = crowd.collider;
    printf("heap of %5d %-6s %7d pairs %7d contacts %8d points %10.1f us\n", crowd.count,
           kind == PAWL_SHAPE_BOX ? "boxes" : "balls", c->pair_count, c->contact_count,
           c->point_count, 1e6 * best);
    json_t *row = json_pack("{s:i, s:s, s:i, s:i, s:i, s:f}",                   //
                            "bodies", crowd.count,                              //
                            "shape", kind == PAWL_SHAPE_BOX ? "box" : "sphere", //
                            "pairs", c->pair_count,                             //
                            "contacts", c->contact_count,                       //
                            "points", c->point_count,                           //
                            "us", 1e6 * best);
    bench_crowd_free(&crowd);
    return row;
}

// Shapes with half a cell to three cells under them, on rough ground of side x side points, 0.1 m apart.
static json_t *bench_field(const pawl_env *env, const convex_hull *hull, int side)
{
    pawl_heightfield_def def = pawl_heightfield_def_default();
    double *heights = calloc((size_t)side * (size_t)side, sizeof *heights);
    height_grid *grid;
    for (int i = 0; heights != NULL && i < side * side; ++i) {
        heights[i] = bench_random(-0.01, 0.01);
    }
    def.x_count = def.y_count = side;
    def.dx = def.dy = 0.1;
    def.heights = heights;
    if (heights == NULL || pawl_height_grid_create(env, &def, &grid) != PAWL_OK) {
        printf("field: could not be made\n");
        exit(1);
    }
    placed_shape field = {.kind = PAWL_SHAPE_HEIGHTFIELD, .key = 1, .grid = grid};
    field.axes = quat_matrix(pawl_pose_identity().orientation);
    json_t *row = json_pack("{s:i}", "cells", (side - 1) * (side - 1));
    printf("%9d cells", (side - 1) * (side - 1));
    for (int kind = 0; kind + 1 < BENCH_KINDS; ++kind) {
        static placed_shape shapes[BENCH_POSES];
        for (int i = 0; i < BENCH_POSES; ++i) {
            shapes[i] = bench_shape(bench_kinds[kind], hull, 0);
            shapes[i].size = v3(0.15, 0.15, 0.15);
            shapes[i].axes = quat_matrix(quat_exp(v3(0, 0, bench_random(0, 3))));
            double low = -bench_height(&shapes[i], v3(0, 0, -1)), wide = 0.1 * (side - 1);
            shapes[i].position =
                v3(bench_random(0.3, 0.7) * wide, bench_random(0.3, 0.7) * wide, 0.01 - low);
        }
        double best = INFINITY;
        int64_t points = 0;
        for (int round = 0; round < 5; ++round) {
            contact_manifold found[MANIFOLDS_A_PAIR];
            points = 0;
            double begin = bench_now();
            for (int i = 0; i < BENCH_POSES; ++i) {
                int count = pawl_collide_shapes(&shapes[i], &field, 2e-3, found, MANIFOLDS_A_PAIR);
                for (int k = 0; k < count; ++k) {
                    points += found[k].count;
                }
            }
            best = fmin(best, 1e6 * (bench_now() - begin) / BENCH_POSES);
        }
        printf("  %-9s %6.2f us %4.1f p", bench_names[kind], best, (double)points / BENCH_POSES);
        json_object_set_new(row, bench_names[kind], json_real(best));
    }
    printf("\n");
    pawl_height_grid_destroy(env, grid);
    free(heights);
    return row;
}

// Balls in layers 4 cm apart that all fly at one speed, in a step of 10 ms.
static json_t *bench_flight(const pawl_env *env, int side, double speed)
{
    pawl_shape_def shape = pawl_shape_def_default();
    shape.size = v3(0.05, 0.05, 0.05);
    bench_crowd crowd = bench_crowd_make(env, "flight", side, false, &shape);
    for (int i = 0; i < crowd.count; ++i) {
        crowd.bodies[i].r = bench_crowd_place(&crowd, i, 0.14);
        crowd.bodies[i].q = pawl_pose_identity().orientation;
        crowd.bodies[i].v = v3_scale(speed, v3(0.6, 0.0, 0.8));
    }
    double best = bench_crowd_time(&crowd, 0.01);
    const collider *c = crowd.collider;
    printf("%5d balls at %6.1f m/s %7d pairs %7d contacts %10.1f us\n", crowd.count, speed,
           c->pair_count, c->contact_count, 1e6 * best);
    json_t *row = json_pack("{s:i, s:f, s:i, s:i, s:f}", "bodies", crowd.count, "speed", speed,
                            "pairs", c->pair_count, "contacts", c->contact_count, "us", 1e6 * best);
    bench_crowd_free(&crowd);
    return row;
}

static json_t *bench_pairs(const bench_options *options, const convex_hull *hull)
{
    json_t *rows = json_array();
    printf("%-21s %14s %18s\n", "pair", "at rest", "random");
    for (int i = 0; i + 1 < BENCH_KINDS; ++i) {
        for (int j = i; j < BENCH_KINDS; ++j) {
            char name[32];
            snprintf(name, sizeof name, "%-10s %-10s", bench_names[i], bench_names[j]);
            if (!bench_wanted(options, name)) {
                continue;
            }
            double p, q;
            double rest = bench_pair(bench_kinds[i], bench_kinds[j], hull, true, &p);
            double random = bench_pair(bench_kinds[i], bench_kinds[j], hull, false, &q);
            printf("%s %6.2f us %3.1f p %8.2f us %3.1f p\n", name, rest, p, random, q);
            json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:f}", "a", bench_names[i], "b",
                                                  bench_names[j], "us_at_rest", rest, "us_random",
                                                  random));
        }
    }
    return rows;
}

int main(int argument_count, char **arguments)
{
    bench_options options =
        bench_parse("bench_collide", "time of collision detection", argument_count, arguments);
    pawl_env env = pawl_env_default();
    pawl_vec3 points[BENCH_POINTS];
    for (int i = 0; i < BENCH_POINTS; ++i) { // a prism: flat top and bottom
        double angle = 0.5235987755982988 * (i / 2);
        points[i] = v3(0.5 * cos(angle), 0.5 * sin(angle), i % 2 ? 0.5 : -0.5);
    }
    convex_hull *hull;
    if (pawl_hull_create(&env, "prism", points, BENCH_POINTS, &hull) != PAWL_OK) {
        return 1;
    }
    json_t *pairs = bench_pairs(&options, hull), *heaps = json_array();
    if (bench_wanted(&options, "heap")) {
        json_array_append_new(heaps, bench_heap(&env, PAWL_SHAPE_SPHERE, 10));
        json_array_append_new(heaps, bench_heap(&env, PAWL_SHAPE_BOX, 10));
        json_array_append_new(heaps, bench_heap(&env, PAWL_SHAPE_SPHERE, 20));
    }
    json_t *fields = json_array(), *flights = json_array();
    if (bench_wanted(&options, "field")) {
        static const int sides[] = {11, 32, 101, 317, 1001};
        for (size_t k = 0; k < sizeof sides / sizeof sides[0]; ++k) {
            json_array_append_new(fields, bench_field(&env, hull, sides[k]));
        }
    }
    if (bench_wanted(&options, "flight")) {
        json_array_append_new(flights, bench_flight(&env, 10, 0.0));
        json_array_append_new(flights, bench_flight(&env, 10, 20.0));
        json_array_append_new(flights, bench_flight(&env, 10, 300.0));
    }
    pawl_hull_destroy(&env, hull);
    json_t *root = json_pack("{s:s, s:o, s:o, s:o, s:o}", "pawl", pawl_version(), "pairs", pairs,
                             "heaps", heaps, "fields", fields, "flights", flights);
    return bench_write_json(&options, root) ? 0 : 2;
}
