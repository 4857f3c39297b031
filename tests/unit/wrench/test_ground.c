// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The ground's signed distance: against closed forms and the narrow phase, its gradient and Hessian
// against differences, heightfields against the functions they sample and a brute-force search.
#include "collide/manifold.h"
#include "pawl/wrench.h"
#include "support/random.h"
#include "support/slope.h"
#include "support/test.h"
#include "wrench/spline_field.h"

static test_env environment;

static pawl_builder *ground_builder(void)
{
    test_env_init(&environment);
    pawl_builder *b;
    CHECK_OK(pawl_builder_create(&environment.env, "ground", &b));
    pawl_body_def body = pawl_body_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    CHECK_OK(pawl_builder_add_body(b, &body, NULL));
    return b;
}

static pawl_ground *ground_of(pawl_builder *b)
{
    pawl_model *m;
    pawl_ground *g;
    CHECK_OK(pawl_builder_compile(b, &m));
    pawl_builder_destroy(b);
    CHECK_OK(pawl_ground_create(&environment.env, m, &g));
    pawl_model_destroy(m); // a ground keeps nothing of it
    return g;
}

static pawl_ground *ground_of_shape(const pawl_shape_def *def)
{
    pawl_builder *b = ground_builder();
    CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, def, NULL));
    return ground_of(b);
}

static const double wavy_length = 0.7;
static double wavy(double x, double y)
{
    return 0.1 * sin(x / wavy_length) * cos(1.3 * y / wavy_length) + 0.05 * x;
}

enum { FIELD_X = 41, FIELD_Y = 33 };
static pawl_heightfield_def field_of(double (*height)(double, double), double *heights,
                                     pawl_pose frame)
{
    pawl_heightfield_def def = pawl_heightfield_def_default();
    def.frame = frame;
    def.x_count = FIELD_X;
    def.y_count = FIELD_Y;
    def.dx = 0.1;
    def.dy = 0.125;
    for (int j = 0; j < FIELD_Y; ++j) {
        for (int i = 0; i < FIELD_X; ++i) {
            heights[j * FIELD_X + i] = height(0.1 * i, 0.125 * j);
        }
    }
    def.heights = heights;
    return def;
}

static pawl_ground *ground_of_field(double (*height)(double, double), pawl_pose frame)
{
    double heights[FIELD_X * FIELD_Y];
    pawl_heightfield_def def = field_of(height, heights, frame);
    pawl_builder *b = ground_builder();
    CHECK_OK(pawl_builder_add_heightfield(b, &def, NULL));
    return ground_of(b);
}

typedef struct ground_line {
    const pawl_ground *ground;
    pawl_vec3 at, along;
    int what; // 0: the distance; 1 to 3: of its gradient; 4 to 9: of the tangents
} ground_line;

static double ground_along(void *of, double s)
{
    const ground_line *line = of;
    pawl_distance d;
    pawl_vec3 t[2];
    pawl_ground_distance(line->ground, v3_axpy(line->at, s, line->along), &d);
    pawl_ground_tangents(line->ground, &d, t, NULL);
    const double all[10] = {d.value, d.normal.x, d.normal.y, d.normal.z, t[0].x,
                            t[0].y,  t[0].z,     t[1].x,     t[1].y,     t[1].z};
    return all[line->what];
}

// Gradient, Hessian and the tangents' derivatives against differences. False where a kink is so
// near that differences of two widths disagree.
static bool ground_check_slopes(const pawl_ground *g, pawl_vec3 p, double h, double tolerance)
{
    pawl_distance d;
    pawl_vec3 t[2];
    double dt[2][3][3], got[10][3], rough[10][3];
    pawl_ground_distance(g, p, &d);
    pawl_ground_tangents(g, &d, t, dt);
    for (int w = 0; w < 10; ++w) {
        for (int j = 0; j < 3; ++j) {
            ground_line line = {g, p, v3(j == 0, j == 1, j == 2), w};
            got[w][j] = slope_step(ground_along, &line, h);
            rough[w][j] = slope_step(ground_along, &line, 2.0 * h);
            if (fabs(got[w][j] - rough[w][j]) > 3e-9 * (1.0 + fabs(got[w][j]))) {
                return false;
            }
        }
    }
    const double n[3] = {d.normal.x, d.normal.y, d.normal.z};
    for (int j = 0; j < 3; ++j) {
        CHECK_NEAR(n[j], got[0][j], tolerance);
        for (int i = 0; i < 3; ++i) {
            double scale = 1.0 + fabs(got[1 + i][j]);
            CHECK_NEAR(d.hessian[i][j], got[1 + i][j], tolerance * scale);
            CHECK_NEAR(d.hessian[i][j], d.hessian[j][i], 1e-9 * scale);
            CHECK_NEAR(dt[0][i][j], got[4 + i][j], tolerance * (1.0 + fabs(got[4 + i][j])));
            CHECK_NEAR(dt[1][i][j], got[7 + i][j], tolerance * (1.0 + fabs(got[7 + i][j])));
        }
    }
    CHECK_NEAR(v3_norm(d.normal), 1.0, 1e-12);
    for (int a = 0; a < 2; ++a) {
        CHECK_NEAR(v3_norm(t[a]), 1.0, 1e-9);
        CHECK_NEAR(v3_dot(t[a], d.normal), 0.0, 1e-9);
    }
    CHECK_NEAR(v3_dot(v3_cross(t[0], t[1]), d.normal), 1.0, 1e-9); // right-handed
    return true;
}

static void random_shape(uint64_t *seed, pawl_shape_kind kind, pawl_shape_def *def,
                         pawl_vec3 points[12])
{
    *def = pawl_shape_def_default();
    def->kind = kind;
    def->frame = random_pose(seed, 1.0);
    def->size = v3(random_in(seed, 0.3, 1.0), random_in(seed, 0.3, 1.0), random_in(seed, 0.3, 1.0));
    if (kind == PAWL_SHAPE_HULL) {
        for (int i = 0; i < 12; ++i) {
            points[i] = random_vec(seed, 1.0);
        }
        def->points = points;
        def->point_count = 12;
    }
}

TEST(distances_of_all_shapes_have_the_right_derivatives)
{
    uint64_t seed = 1;
    for (int kind = 0; kind < PAWL_SHAPE_HEIGHTFIELD; ++kind) {
        int checked = 0, total = 0;
        for (int trial = 0; trial < 8; ++trial) {
            pawl_shape_def def;
            pawl_vec3 points[12];
            random_shape(&seed, (pawl_shape_kind)kind, &def, points);
            pawl_ground *g = ground_of_shape(&def);
            for (int k = 0; k < 40; ++k, ++total) {
                pawl_vec3 p = v3_add(def.frame.position, random_vec(&seed, 1.5));
                checked += ground_check_slopes(g, p, 2e-4, 1e-8) ? 1 : 0;
            }
            pawl_ground_destroy(g);
            CHECK_NO_LEAK(&environment);
        }
        CHECK(checked > total * 3 / 4); // the others are near edges of Voronoi cells
    }
}

TEST(distances_are_those_of_the_narrow_phase)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 210; ++trial) {
        pawl_shape_def def;
        pawl_vec3 points[12];
        random_shape(&seed, (pawl_shape_kind)(trial % PAWL_SHAPE_HEIGHTFIELD), &def, points);
        pawl_ground *g = ground_of_shape(&def);
        pawl_shape_def ball = pawl_shape_def_default();
        ball.kind = PAWL_SHAPE_SPHERE;
        ball.size.x = 0.05;
        convex_hull *hull = NULL;
        if (def.kind == PAWL_SHAPE_HULL) {
            CHECK_OK(pawl_hull_create(&environment.env, "hull", points, 12, &hull));
        }
        placed_shape solid = pawl_shape_place(&def, hull, def.frame, 0);
        for (int k = 0; k < 20; ++k) {
            pawl_vec3 p = v3_add(def.frame.position, random_vec(&seed, 1.2));
            pawl_pose there = {p, pawl_pose_identity().orientation};
            placed_shape sphere = pawl_shape_place(&ball, NULL, there, 1);
            contact_manifold m;
            pawl_collide_pair(&sphere, &solid, 100.0, &m);
            CHECK_INT(m.count, 1);
            pawl_distance d;
            pawl_ground_distance(g, p, &d);
            CHECK_NEAR(d.value, m.point[0].gap + 0.05, 1e-10);
            CHECK_NEAR3(d.normal, v3_scale(-1.0, m.normal), 1e-6);
        }
        pawl_hull_destroy(&environment.env, hull);
        pawl_ground_destroy(g);
        CHECK_NO_LEAK(&environment);
    }
}

// Closed forms: (1 - n nT)/r around a sphere's centre and off a box's corner, without the edge's own
// direction off an edge, 0 over a face.
TEST(hessians_of_a_sphere_and_a_box_have_closed_forms)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = PAWL_SHAPE_SPHERE;
    def.size.x = 2.0;
    pawl_ground *g = ground_of_shape(&def);
    pawl_distance d;
    pawl_ground_distance(g, v3(0.0, 3.0, 4.0), &d);
    CHECK_NEAR(d.value, 3.0, 1e-15);
    const double sphere[3][3] = {{0.2, 0.0, 0.0}, {0.0, 0.128, -0.096}, {0.0, -0.096, 0.072}};
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(d.hessian[i / 3][i % 3], sphere[i / 3][i % 3], 1e-15);
    }
    pawl_ground_destroy(g);
    def.kind = PAWL_SHAPE_BOX;
    def.size = v3(1.0, 2.0, 3.0);
    g = ground_of_shape(&def);
    pawl_ground_distance(g, v3(0.5, 2.0 + 3.0, 3.0 + 4.0), &d);
    CHECK_NEAR(d.value, 5.0, 1e-15);
    const double edge[3][3] = {{0.0, 0.0, 0.0}, {0.0, 0.128, -0.096}, {0.0, -0.096, 0.072}};
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(d.hessian[i / 3][i % 3], edge[i / 3][i % 3], 1e-15);
    }
    pawl_ground_distance(g, v3(0.5, 1.0, 7.0), &d);
    CHECK_NEAR(d.value, 4.0, 0.0);
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(d.hessian[i / 3][i % 3], 0.0, 0.0);
    }
    pawl_ground_destroy(g);
}

static double slanted(double x, double y)
{
    return 0.3 * x - 0.7 * y + 0.2;
}

// A plane through the same points is the heightfield, inside the grid and beyond it.
TEST(a_heightfield_of_an_affine_function_is_a_plane)
{
    uint64_t seed = 3;
    pawl_pose frame = random_pose(&seed, 2.0);
    pawl_ground *g = ground_of_field(slanted, frame);
    pawl_vec3 n = v3_scale(1.0 / sqrt(1.0 + 0.09 + 0.49), v3(-0.3, 0.7, 1.0));
    for (int k = 0; k < 200; ++k) {
        pawl_vec3 local = v3_add(v3(2.0, 2.0, 0.0), random_vec(&seed, 6.0));
        pawl_distance d;
        pawl_ground_distance(g, pawl_pose_apply(frame, local), &d);
        CHECK_NEAR(d.value, v3_dot(n, v3_sub(local, v3(0.0, 0.0, 0.2))), 1e-12);
        CHECK_NEAR3(d.normal, pawl_quat_rotate(frame.orientation, n), 1e-12);
        for (int i = 0; i < 9; ++i) {
            CHECK_NEAR(d.hessian[i / 3][i % 3], 0.0, 1e-10);
        }
    }
    pawl_ground_destroy(g);
    CHECK_NO_LEAK(&environment);
}

TEST(a_heightfield_has_the_right_derivatives)
{
    uint64_t seed = 4;
    pawl_pose frame = random_pose(&seed, 2.0);
    pawl_ground *g = ground_of_field(wavy, frame);
    int checked = 0;
    for (int k = 0; k < 300; ++k) {
        pawl_vec3 local = v3(random_in(&seed, -1.0, 5.0), random_in(&seed, -1.0, 5.0), 0.0);
        local.z = wavy(local.x, local.y) + random_in(&seed, -0.3, 0.3);
        checked += ground_check_slopes(g, pawl_pose_apply(frame, local), 2e-4, 1e-8) ? 1 : 0;
    }
    CHECK(checked > 200); // the others have a grid line in their stencil
    pawl_ground_destroy(g);
    CHECK_NO_LEAK(&environment);
}

// Going through the samples, close to the function between them, twice continuously differentiable.
TEST(a_heightfield_is_a_smooth_surface_through_its_heights)
{
    double heights[FIELD_X * FIELD_Y];
    pawl_heightfield_def def = field_of(wavy, heights, pawl_pose_identity());
    test_env_init(&environment);
    pawl_carver need = {0};
    pawl_spline_field_layout(&def, &need, NULL);
    char *block = pawl_alloc(&environment.env, need.used);
    pawl_carver mem = {.base = block, .capacity = need.used};
    spline_field field;
    pawl_spline_field_layout(&def, &mem, &field);
    pawl_spline_field_fit(&def, &field);
    for (int j = 0; j < FIELD_Y; ++j) {
        for (int i = 0; i < FIELD_X; ++i) {
            field_height at = pawl_spline_field_height(&field, 0.1 * i, 0.125 * j);
            CHECK_NEAR(at.h, heights[j * FIELD_X + i], 1e-14);
        }
    }
    for (int i = -3; i < FIELD_X + 3; ++i) { // across grid lines and both edges
        double e = 1e-9;
        field_height a = pawl_spline_field_height(&field, 0.1 * i - e, 1.234);
        field_height b = pawl_spline_field_height(&field, 0.1 * i + e, 1.234);
        CHECK_NEAR(a.hx, b.hx, 1e-8);
        CHECK_NEAR(a.hxx, b.hxx, 1e-7);
        CHECK_NEAR(a.hxy, b.hxy, 1e-7);
        CHECK_NEAR(a.hyy, b.hyy, 1e-7);
    }
    uint64_t seed = 5;
    for (int k = 0; k < 100; ++k) { // fourth order away from the edges, where it is natural
        double x = random_in(&seed, 1.0, 3.0), y = random_in(&seed, 1.0, 3.0);
        field_height at = pawl_spline_field_height(&field, x, y);
        CHECK_NEAR(at.h, wavy(x, y), 2e-5);
        CHECK_NEAR(at.hxx, -0.1 / (0.7 * 0.7) * sin(x / 0.7) * cos(1.3 * y / 0.7), 2e-2);
    }
    pawl_free(&environment.env, block, need.used);
    CHECK_NO_LEAK(&environment);
}

// A dense search over the surface never finds a nearer point than the foot of the perpendicular.
TEST(the_distance_of_a_heightfield_is_the_true_one)
{
    uint64_t seed = 6;
    pawl_ground *g = ground_of_field(wavy, pawl_pose_identity());
    for (int k = 0; k < 40; ++k) {
        pawl_vec3 p = v3(random_in(&seed, 1.5, 2.5), random_in(&seed, 1.5, 2.5), 0.0);
        p.z = wavy(p.x, p.y) + random_in(&seed, -0.3, 0.3);
        pawl_distance d;
        pawl_ground_distance(g, p, &d);
        CHECK((d.value > 0.0) == (p.z > wavy(p.x, p.y)));
        double best = INFINITY;
        for (int i = -100; i <= 100; ++i) {
            for (int j = -100; j <= 100; ++j) {
                double x = p.x + 0.005 * i, y = p.y + 0.005 * j;
                best = fmin(best, v3_norm(v3_sub(p, v3(x, y, wavy(x, y)))));
            }
        }
        CHECK(fabs(d.value) <= best + 2e-5);
        CHECK_NEAR(fabs(d.value), best, 1e-3);
    }
    pawl_ground_destroy(g);
    CHECK_NO_LEAK(&environment);
}

TEST(the_nearest_piece_of_ground_counts)
{
    pawl_builder *b = ground_builder();
    pawl_shape_def plane = pawl_shape_def_default(), ball = plane, shown = plane;
    plane.kind = PAWL_SHAPE_PLANE;
    ball.kind = shown.kind = PAWL_SHAPE_SPHERE;
    ball.size.x = shown.size.x = 1.0;
    shown.frame.position = v3(-5.0, 0.0, 0.0);
    shown.visual_only = true;
    CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &plane, NULL));
    CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &ball, NULL));
    CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &shown, NULL));
    CHECK_OK(
        pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &ball, NULL)); // moves: no ground
    pawl_ground *g = ground_of(b);
    pawl_distance d;
    pawl_ground_distance(g, v3(0.0, 0.0, 1.5), &d);
    CHECK_NEAR(d.value, 0.5, 1e-15);
    pawl_ground_distance(g, v3(3.0, 0.0, 1.5), &d);
    CHECK_NEAR(d.value, 1.5, 1e-15);
    pawl_ground_distance(g, v3(-5.0, 0.0, 1.5), &d);
    CHECK_NEAR(d.value, 1.5, 1e-15);
    pawl_ground_destroy(g);
    g = ground_of(ground_builder());
    pawl_ground_distance(g, v3(0.0, 0.0, 0.0), &d);
    CHECK(d.value == INFINITY);
    CHECK_INT(d.piece, -1);
    pawl_ground_destroy(g);
}

TEST(bad_heightfields_are_refused)
{
    pawl_builder *b = ground_builder();
    double heights[4] = {0.0, 0.0, 0.0, 0.0};
    pawl_heightfield_def good = pawl_heightfield_def_default(), def;
    good.x_count = good.y_count = 2;
    good.heights = heights;
    CHECK_OK(pawl_builder_add_heightfield(b, &good, NULL));
    def = good;
    def.x_count = 1;
    CHECK_STATUS(pawl_builder_add_heightfield(b, &def, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "1 x 2 heights");
    def = good;
    def.dy = 0.0;
    CHECK_STATUS(pawl_builder_add_heightfield(b, &def, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "spacing");
    heights[2] = NAN;
    CHECK_STATUS(pawl_builder_add_heightfield(b, &good, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "height 2");
    pawl_builder_destroy(b);
    CHECK_NO_LEAK(&environment);
}
