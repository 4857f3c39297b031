// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Convex shapes against heightfields. The answers come from planes, and from solid prisms under every
// triangle of the field: apart from them, the least of their distances is that of the field, by pairs of
// convex shapes, which test_collide_pairs.c has judged.
#include "collide/height_grid.h"
#include "support/random.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { GRID = 9, GRID_KINDS = 6, HULL_POINTS = 14 };
static const double grid_step = 0.3;
static const pawl_shape_kind grid_kinds[GRID_KINDS] = {PAWL_SHAPE_SPHERE,    PAWL_SHAPE_CAPSULE,
                                                       PAWL_SHAPE_BOX,       PAWL_SHAPE_CYLINDER,
                                                       PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_HULL};

typedef struct grid_scene {
    test_env env;
    double heights[GRID * GRID];
    pawl_heightfield_def def;
    height_grid *grid;
    placed_shape field;
    convex_hull *prism[2 * (GRID - 1) * (GRID - 1)];
    convex_hull *hull; // of the shape that is a hull
} grid_scene;

static pawl_vec3 grid_vertex(const grid_scene *s, int i, int j)
{
    return v3(s->def.dx * i, s->def.dy * j, s->heights[j * GRID + i]);
}

// A field of this height function, placed anywhere.
static void grid_begin(grid_scene *s, uint64_t *seed, double rough, double slope_x, double slope_y)
{
    test_env_init(&s->env);
    for (int j = 0; j < GRID; ++j) {
        for (int i = 0; i < GRID; ++i) {
            s->heights[j * GRID + i] =
                slope_x * grid_step * i + slope_y * grid_step * j + random_in(seed, -rough, rough);
        }
    }
    s->def = pawl_heightfield_def_default();
    s->def.x_count = s->def.y_count = GRID;
    s->def.dx = s->def.dy = grid_step;
    s->def.heights = s->heights;
    s->def.frame = random_pose(seed, 3.0);
    CHECK_OK(pawl_height_grid_create(&s->env.env, &s->def, &s->grid));
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_HEIGHTFIELD;
    s->field = pawl_shape_place(&shape, NULL, s->def.frame, 7);
    s->field.grid = s->grid;
    int count = 0;
    for (int j = 0; j + 1 < GRID; ++j) {
        for (int i = 0; i + 1 < GRID; ++i) {
            for (int side = 0; side < 2; ++side) {
                pawl_vec3 p[6] = {grid_vertex(s, i, j), grid_vertex(s, i + 1, j + side),
                                  grid_vertex(s, i + 1 - side, j + 1)};
                for (int k = 0; k < 3; ++k) {
                    p[3 + k] = v3(p[k].x, p[k].y, -5.0);
                }
                CHECK_OK(pawl_hull_create(&s->env.env, "prism", p, 6, &s->prism[count++]));
            }
        }
    }
    pawl_vec3 points[HULL_POINTS];
    for (int k = 0; k < HULL_POINTS; ++k) {
        pawl_vec3 d = random_vec(seed, 1.0);
        points[k] = v3_scale(0.2 / (0.1 + v3_norm(d)), d);
    }
    CHECK_OK(pawl_hull_create(&s->env.env, "hull", points, HULL_POINTS, &s->hull));
}

static void grid_end(grid_scene *s)
{
    for (size_t k = 0; k < sizeof s->prism / sizeof s->prism[0]; ++k) {
        pawl_hull_destroy(&s->env.env, s->prism[k]);
    }
    pawl_hull_destroy(&s->env.env, s->hull);
    pawl_height_grid_destroy(&s->env.env, s->grid);
    CHECK_NO_LEAK(&s->env);
}

// A shape over the inner part of the field, `above` it as the field sees it.
static placed_shape grid_shape(const grid_scene *s, uint64_t *seed, pawl_shape_kind kind,
                               double low, double high)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = kind;
    def.size = v3(random_in(seed, 0.1, 0.3), random_in(seed, 0.1, 0.3), random_in(seed, 0.1, 0.3));
    double middle = 0.5 * grid_step * (GRID - 1), wide = 0.4 * middle;
    pawl_pose local = {v3(middle + random_in(seed, -wide, wide),
                          middle + random_in(seed, -wide, wide), random_in(seed, low, high)),
                       random_quat(seed)};
    int upright = random_index(seed, 3); // many stand or lie flat
    if (upright == 0) {
        local.orientation = pawl_quat_from_rpy(0.0, 0.0, random_in(seed, 0.0, 6.0));
    } else if (upright == 1) {
        local.orientation = pawl_quat_from_rpy(0.0, 1.5707963267948966, 0.3);
    }
    return pawl_shape_place(&def, kind == PAWL_SHAPE_HULL ? s->hull : NULL,
                            pawl_pose_compose(s->def.frame, local), 3);
}

static double grid_least(const contact_manifold *m, int count)
{
    double least = INFINITY;
    for (int k = 0; k < count; ++k) {
        for (int p = 0; p < m[k].count; ++p) {
            least = fmin(least, m[k].point[p].gap);
        }
    }
    return least;
}

// Distance from all prisms; negative where one overlaps the shape.
static double grid_distance(const grid_scene *s, const placed_shape *shape, double margin)
{
    double least = INFINITY;
    for (size_t k = 0; k < sizeof s->prism / sizeof s->prism[0]; ++k) {
        placed_shape prism = s->field;
        prism.kind = PAWL_SHAPE_HULL;
        prism.hull = s->prism[k];
        prism.grid = NULL;
        contact_manifold m;
        pawl_collide_pair(shape, &prism, margin, &m);
        least = fmin(least, grid_least(&m, 1));
    }
    return least;
}

// On a flat field, level or sloping, all shapes touch as they touch a plane: the same points and gaps.
TEST(a_flat_field_is_a_plane)
{
    uint64_t seed = 11;
    for (int trial = 0; trial < 60; ++trial) {
        grid_scene s;
        double sx = random_in(&seed, -0.7, 0.7),
               sy = trial % 3 == 0 ? 0.0 : random_in(&seed, -1, 1);
        grid_begin(&s, &seed, 0.0, sx, sy);
        pawl_vec3 up = v3_unit_or(v3(-sx, -sy, 1.0), v3(0, 0, 1)), x, y;
        pawl_tangents(up, &x, &y);
        placed_shape plane = s.field;
        plane.kind = PAWL_SHAPE_PLANE;
        pawl_mat3 own = {{{x.x, y.x, up.x}, {x.y, y.y, up.y}, {x.z, y.z, up.z}}};
        plane.axes = m3_product(&s.field.axes, &own);
        for (int k = 0; k < GRID_KINDS; ++k) {
            double ground = 0.5 * grid_step * (GRID - 1) * (sx + sy);
            placed_shape shape = grid_shape(&s, &seed, grid_kinds[k], ground - 0.5, ground + 0.5);
            contact_manifold expected, found[MANIFOLDS_A_PAIR];
            pawl_collide_pair(&shape, &plane, 0.1, &expected);
            int count = pawl_collide_shapes(&shape, &s.field, 0.1, found, MANIFOLDS_A_PAIR);
            int points = 0;
            for (int m = 0; m < count; ++m) {
                points += found[m].count;
                CHECK_NEAR3(found[m].normal, expected.normal, 1e-11);
            }
            // more than eight points of a hull: a plane's are cut down
            CHECK(points == expected.count || expected.count == MANIFOLD_POINTS);
            for (int p = 0; p < expected.count; ++p) {
                double nearest = INFINITY;
                for (int m = 0; m < count; ++m) {
                    for (int q = 0; q < found[m].count; ++q) {
                        pawl_vec3 d =
                            v3_sub(found[m].point[q].position, expected.point[p].position);
                        double off =
                            v3_max_abs(d) + fabs(found[m].point[q].gap - expected.point[p].gap);
                        nearest = fmin(nearest, off);
                    }
                }
                CHECK_NEAR(nearest, 0.0, 1e-11);
            }
        }
        grid_end(&s);
    }
}

TEST(the_least_gap_is_the_distance_from_all_triangles)
{
    uint64_t seed = 12;
    int apart = 0, overlap = 0;
    for (int trial = 0; trial < 40; ++trial) {
        grid_scene s;
        double rough = trial % 4 == 0 ? 0.01 : random_in(&seed, 0.02, 0.25);
        grid_begin(&s, &seed, rough, random_in(&seed, -0.3, 0.3), random_in(&seed, -0.3, 0.3));
        for (int k = 0; k < 10 * GRID_KINDS; ++k) {
            placed_shape shape = grid_shape(&s, &seed, grid_kinds[k % GRID_KINDS], -0.5, 1.2);
            contact_manifold found[MANIFOLDS_A_PAIR];
            const double margin = 0.2;
            int count = pawl_collide_shapes(&shape, &s.field, margin, found, MANIFOLDS_A_PAIR);
            double least = grid_least(found, count), expected = grid_distance(&s, &shape, margin);
            if (expected > 0.0) {
                ++apart;
                if (isfinite(expected) || isfinite(least)) {
                    CHECK_NEAR(least, expected, 1e-7);
                }
            } else {
                ++overlap;
                CHECK(least < 1e-9);
            }
            for (int m = 0; m < count; ++m) { // out of the field, never into it or along it
                pawl_vec3 n = m3_tmul(&s.field.axes, found[m].normal);
                CHECK(n.z < -0.1);
            }
        }
        grid_end(&s);
    }
    CHECK(apart > 500 && overlap > 500);
}

// However deep: moved along its contacts' normals by their depths, again and again, a shape gets out.
TEST(contacts_lead_out_of_the_field)
{
    uint64_t seed = 13;
    for (int trial = 0; trial < 40; ++trial) {
        grid_scene s;
        grid_begin(&s, &seed, random_in(&seed, 0.0, 0.1), 0.1, -0.2);
        for (int k = 0; k < 3 * GRID_KINDS; ++k) {
            placed_shape shape = grid_shape(&s, &seed, grid_kinds[k % GRID_KINDS], -1.5, 0.3);
            bool out = false;
            for (int round = 0; round < 200 && !out; ++round) {
                contact_manifold found[MANIFOLDS_A_PAIR];
                int count = pawl_collide_shapes(&shape, &s.field, 0.01, found, MANIFOLDS_A_PAIR);
                double deepest = -1e-6;
                pawl_vec3 displacement = v3(0, 0, 0);
                for (int m = 0; m < count; ++m) {
                    double least = grid_least(&found[m], 1);
                    if (least < deepest) {
                        deepest = least;
                        displacement = v3_scale(least, found[m].normal);
                    }
                }
                out = deepest == -1e-6;
                shape.position = v3_add(shape.position, displacement);
            }
            CHECK(out);
            CHECK(grid_distance(&s, &shape, 0.01) > -1e-5);
        }
        grid_end(&s);
    }
}

// Sliding over a flat stretch, points keep their names from triangle to triangle.
TEST(names_last_while_a_shape_slides_over_flat_ground)
{
    uint64_t seed = 14;
    for (int k = 0; k < GRID_KINDS; ++k) {
        grid_scene s;
        grid_begin(&s, &seed, 0.0, 0.2, -0.1);
        s.field.axes = quat_matrix(pawl_quat_from_rpy(0.0, 0.0, 0.0));
        s.field.position = v3(0, 0, 0);
        pawl_shape_def def = pawl_shape_def_default();
        def.kind = grid_kinds[k];
        def.size = v3(0.2, 0.2, 0.2);
        uint32_t names[MANIFOLD_POINTS];
        int name_count = -1;
        for (int step = 0; step < 200; ++step) {
            double x = 0.5 + 0.007 * step, y = 0.6 + 0.005 * step;
            pawl_pose at = {v3(x, y, 0.2 * x - 0.1 * y + 0.1), pawl_quat_from_rpy(0.3, 0.2, 0.1)};
            placed_shape shape = pawl_shape_place(&def, k == 5 ? s.hull : NULL, at, 3);
            contact_manifold found[MANIFOLDS_A_PAIR];
            int count = pawl_collide_shapes(&shape, &s.field, 0.01, found, MANIFOLDS_A_PAIR);
            CHECK_INT(count, 1);
            if (name_count < 0) {
                name_count = found[0].count;
            }
            CHECK_INT(found[0].count, name_count);
            for (int p = 0; p < name_count; ++p) {
                bool known = step == 0;
                for (int q = 0; q < name_count && !known; ++q) {
                    known = names[q] == found[0].point[p].feature;
                }
                CHECK(known);
            }
            for (int p = 0; p < name_count; ++p) {
                names[p] = found[0].point[p].feature;
            }
        }
        grid_end(&s);
    }
}

// Beyond its edges a field continues straight, so that nothing falls off.
TEST(a_field_continues_straight_beyond_its_edges)
{
    uint64_t seed = 15;
    grid_scene s;
    grid_begin(&s, &seed, 0.0, 0.2, -0.1);
    for (int k = 0; k < 200; ++k) {
        pawl_vec3 p = v3(random_in(&seed, -20, 20), random_in(&seed, -20, 20), 0.0);
        double up = sqrt(1.0 + 0.04 + 0.01);
        p.z = 0.2 * p.x - 0.1 * p.y - 0.3;
        CHECK_NEAR(pawl_height_grid_depth(s.grid, p), 0.3 / up, 1e-9);
    }
    grid_end(&s);
}
