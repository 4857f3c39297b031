// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Manifolds of bodies at rest on one another: how many points, where, and that their names do not
// change as long as the features stay the same. Expected points come from plane geometry.
#include "collide/manifold.h"
#include "support/random.h"
#include "support/test.h"

typedef struct rest_case {
    const char *name;
    pawl_shape_kind below, above;
    pawl_vec3 size_below, size_above;
    pawl_vec3 shift;                  // of the upper one, aside
    pawl_vec3 turn_below, turn_above; // rotation vectors
    double height;                    // of the upper centre when they touch
    double touch;                     // height of the contact then
    int points;
    double extent; // largest distance of a point from the upper shape's axis, seen from above
} rest_case;

#define REST_QUARTER 1.57079632679489661923

// A box of 2 x 2 x 2 as points, with more points on its faces and inside.
static const pawl_vec3 rest_points[] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1},
                                        {0, 0, 1},    {0.5, 1, 0}, {0, 0, 0},   {0.25, -0.5, -1}};

static const rest_case rest_cases[] = {
    {"box on plane",
     PAWL_SHAPE_PLANE,
     PAWL_SHAPE_BOX,
     {1, 1, 1},
     {1, 1, 1},
     {3, 2, 0},
     {0, 0, 0},
     {0, 0, 0.3},
     1.0,
     0.0,
     4,
     1.41421356237309504880},
    {"equal boxes",
     PAWL_SHAPE_BOX,
     PAWL_SHAPE_BOX,
     {1, 1, 1},
     {1, 1, 1},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     2.0,
     1.0,
     4,
     1.41421356237309504880},
    {"small box on a large one",
     PAWL_SHAPE_BOX,
     PAWL_SHAPE_BOX,
     {5, 5, 1},
     {1, 1, 1},
     {2, 1, 0},
     {0, 0, 0},
     {0, 0, 0.7},
     2.0,
     1.0,
     4,
     1.41421356237309504880},
    {"box over an edge",
     PAWL_SHAPE_BOX,
     PAWL_SHAPE_BOX,
     {1, 1, 1},
     {1, 1, 1},
     {0.5, 0.25, 0},
     {0, 0, 0},
     {0, 0, 0},
     2.0,
     1.0,
     4,
     1.41421356237309504880},
    {"boxes turned by an eighth",
     PAWL_SHAPE_BOX,
     PAWL_SHAPE_BOX,
     {1, 1, 1},
     {1, 1, 1},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0.78539816339744830962},
     2.0,
     1.0,
     8,
     1.08239220029239396880},
    {"box on its edge",
     PAWL_SHAPE_BOX,
     PAWL_SHAPE_BOX,
     {5, 5, 1},
     {1, 1, 1},
     {1, 1, 0},
     {0, 0, 0},
     {0.78539816339744830962, 0, 0},
     2.41421356237309504880,
     1.0,
     2,
     1.0},
    {"capsule lying on a plane",
     PAWL_SHAPE_PLANE,
     PAWL_SHAPE_CAPSULE,
     {1, 1, 1},
     {0.5, 1, 2},
     {0, 0, 0},
     {0, 0, 0},
     {REST_QUARTER, 0, 0},
     0.5,
     0.0,
     2,
     2.0},
    {"capsule lying on a box",
     PAWL_SHAPE_BOX,
     PAWL_SHAPE_CAPSULE,
     {5, 5, 1},
     {0.5, 1, 2},
     {0.5, 0.5, 0},
     {0, 0, 0},
     {REST_QUARTER, 0, 0},
     1.5,
     1.0,
     2,
     2.0},
    {"capsule lying on a capsule",
     PAWL_SHAPE_CAPSULE,
     PAWL_SHAPE_CAPSULE,
     {0.5, 1, 3},
     {0.5, 1, 2},
     {0, 0, 0},
     {REST_QUARTER, 0, 0},
     {REST_QUARTER, 0, 0},
     1.0,
     0.5,
     2,
     2.0},
    {"cylinder standing on a plane",
     PAWL_SHAPE_PLANE,
     PAWL_SHAPE_CYLINDER,
     {1, 1, 1},
     {1, 1, 2},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0.2},
     2.0,
     0.0,
     6,
     1.0},
    {"cylinder lying on a plane",
     PAWL_SHAPE_PLANE,
     PAWL_SHAPE_CYLINDER,
     {1, 1, 1},
     {1, 1, 2},
     {0, 0, 0},
     {0, 0, 0},
     {REST_QUARTER, 0, 0},
     1.0,
     0.0,
     2,
     2.0},
    {"cylinder standing on a box",
     PAWL_SHAPE_BOX,
     PAWL_SHAPE_CYLINDER,
     {5, 5, 1},
     {1, 1, 2},
     {1, 1, 0},
     {0, 0, 0},
     {0, 0, 0.1},
     3.0,
     1.0,
     6,
     1.0},
    {"cylinder lying on a box",
     PAWL_SHAPE_BOX,
     PAWL_SHAPE_CYLINDER,
     {5, 5, 1},
     {1, 1, 2},
     {1, 1, 0},
     {0, 0, 0},
     {REST_QUARTER, 0, 0},
     2.0,
     1.0,
     2,
     2.0},
    {"box on a standing cylinder",
     PAWL_SHAPE_CYLINDER,
     PAWL_SHAPE_BOX,
     {3, 1, 1},
     {1, 1, 1},
     {0.5, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     2.0,
     1.0,
     4,
     1.41421356237309504880},
    {"equal cylinders",
     PAWL_SHAPE_CYLINDER,
     PAWL_SHAPE_CYLINDER,
     {1, 1, 1},
     {1, 1, 1},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0},
     2.0,
     1.0,
     6,
     1.0},
    {"small cylinder on a large one",
     PAWL_SHAPE_CYLINDER,
     PAWL_SHAPE_CYLINDER,
     {3, 1, 1},
     {1, 1, 1},
     {1, 0, 0},
     {0, 0, 0},
     {0, 0, 0.4},
     2.0,
     1.0,
     6,
     1.0},
    {"logs",
     PAWL_SHAPE_CYLINDER,
     PAWL_SHAPE_CYLINDER,
     {1, 1, 3},
     {1, 1, 2},
     {0, 0, 0},
     {REST_QUARTER, 0, 0},
     {REST_QUARTER, 0, 0},
     2.0,
     1.0,
     2,
     2.0},
    {"hull on plane",
     PAWL_SHAPE_PLANE,
     PAWL_SHAPE_HULL,
     {1, 1, 1},
     {1, 1, 1},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0.3},
     1.0,
     0.0,
     4,
     1.41421356237309504880},
    {"hull on box",
     PAWL_SHAPE_BOX,
     PAWL_SHAPE_HULL,
     {5, 5, 1},
     {1, 1, 1},
     {1, 1, 0},
     {0, 0, 0},
     {0, 0, 0.3},
     2.0,
     1.0,
     4,
     1.41421356237309504880},
    {"hull on hull",
     PAWL_SHAPE_HULL,
     PAWL_SHAPE_HULL,
     {1, 1, 1},
     {1, 1, 1},
     {0.5, 0.5, 0},
     {0, 0, 0},
     {0, 0, 0},
     2.0,
     1.0,
     4,
     1.41421356237309504880},
    {"cylinder standing on a hull",
     PAWL_SHAPE_HULL,
     PAWL_SHAPE_CYLINDER,
     {1, 1, 1},
     {0.5, 1, 2},
     {0, 0, 0},
     {0, 0, 0},
     {0, 0, 0.1},
     3.0,
     1.0,
     6,
     0.5},
    {"capsule lying on a hull",
     PAWL_SHAPE_HULL,
     PAWL_SHAPE_CAPSULE,
     {1, 1, 1},
     {0.5, 1, 0.75},
     {0.1, 0, 0},
     {0, 0, 0},
     {REST_QUARTER, 0, 0},
     1.5,
     1.0,
     2,
     0.75},
};
enum { REST_COUNT = sizeof rest_cases / sizeof rest_cases[0] };

static placed_shape rest_shape(pawl_shape_kind kind, pawl_vec3 size, const convex_hull *hull,
                               pawl_vec3 at, pawl_vec3 turn, int key)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = kind;
    def.size = size;
    pawl_pose frame = {at, quat_exp(turn)};
    return pawl_shape_place(&def, kind == PAWL_SHAPE_HULL ? hull : NULL, frame, key);
}

typedef struct rest_pair {
    placed_shape below, above;
} rest_pair;
static rest_pair rest_make(const rest_case *c, const convex_hull *hull, double gap)
{
    pawl_vec3 up = v3(c->shift.x, c->shift.y, c->height + gap);
    return (rest_pair){rest_shape(c->below, c->size_below, hull, v3(0, 0, 0), c->turn_below, 0),
                       rest_shape(c->above, c->size_above, hull, up, c->turn_above, 1)};
}

static convex_hull *rest_hull(test_env *t)
{
    convex_hull *hull;
    test_env_init(t);
    CHECK_OK(pawl_hull_create(&t->env, "box", rest_points,
                              (int)(sizeof rest_points / sizeof rest_points[0]), &hull));
    return hull;
}

TEST(bodies_at_rest_have_all_their_points)
{
    test_env t;
    convex_hull *hull = rest_hull(&t);
    for (int i = 0; i < REST_COUNT; ++i) {
        const rest_case *c = &rest_cases[i];
        for (int g = 0; g < 4; ++g) {
            static const double gaps[4] = {0.0, 1e-3, -1e-3, -1e-9};
            rest_pair p = rest_make(c, hull, gaps[g]);
            contact_manifold m;
            pawl_collide_pair(&p.below, &p.above, 2e-3, &m);
            if (m.count != c->points) {
                print_error("%s at gap %g:\n", c->name, gaps[g]);
            }
            CHECK_INT(m.count, c->points);
            CHECK_NEAR3(m.normal, v3(0, 0, 1), 1e-12);
            double extent = 0.0;
            for (int k = 0; k < m.count; ++k) {
                CHECK_NEAR(m.point[k].gap, gaps[g], 1e-12);
                pawl_vec3 d = v3_sub(m.point[k].position, p.above.position);
                double between = c->touch + 0.5 * gaps[g];
                CHECK_NEAR(m.point[k].position.z, between, 1e-12);
                extent = fmax(extent, sqrt(d.x * d.x + d.y * d.y));
            }
            CHECK_NEAR(extent, c->extent, 1e-9);
        }
    }
    pawl_hull_destroy(&t.env, hull);
    CHECK_NO_LEAK(&t);
}

// Names come from features, so rocking, sinking and sliding by little must keep them all.
TEST(features_keep_their_names_while_bodies_shiver)
{
    test_env t;
    uint64_t seed = 5;
    convex_hull *hull = rest_hull(&t);
    for (int i = 0; i < REST_COUNT; ++i) {
        const rest_case *c = &rest_cases[i];
        rest_pair p = rest_make(c, hull, 0.0);
        contact_manifold m;
        pawl_collide_pair(&p.below, &p.above, 1e-3, &m);
        for (int trial = 0; trial < 200; ++trial) {
            // outlines that are exactly on one another cross as they move: with straight edges that
            // must not show, but on rims crossings and lowest points come and go
            bool rims = c->below == PAWL_SHAPE_CYLINDER || c->above == PAWL_SHAPE_CYLINDER;
            double size = pow(10.0, random_in(&seed, -12.0, rims ? -10.0 : -7.0));
            rest_pair q = p;
            q.above.position = v3_add(p.above.position, random_vec(&seed, size));
            pawl_mat3 turn = quat_matrix(quat_exp(random_vec(&seed, size)));
            q.above.axes = m3_product(&turn, &p.above.axes);
            contact_manifold moved;
            pawl_collide_pair(&q.below, &q.above, 1e-3, &moved);
            if (moved.count != m.count) {
                print_error("%s\n", c->name);
            }
            CHECK_INT(moved.count, m.count);
            for (int k = 0; k < m.count; ++k) {
                CHECK_INT(moved.point[k].feature, m.point[k].feature);
                CHECK_NEAR3(moved.point[k].position, m.point[k].position, 1e-8 + 10.0 * size);
            }
        }
    }
    pawl_hull_destroy(&t.env, hull);
    CHECK_NO_LEAK(&t);
}

// Two cards lean against each other, parallel edges on each other with next to no gap: any direction between the two
// faces parts them as well, and the one that rounding chooses must not be another in every step.
TEST(edges_that_all_but_touch_keep_their_normal)
{
    const pawl_vec3 size = {0.1, 0.5, 0.01};
    const double lean = 1.1;
    uint64_t seed = 8;
    for (int trial = 0; trial < 40; ++trial) {
        double gap = pow(10.0, random_in(&seed, -13.0, -9.0));
        placed_shape cards[2];
        for (int side = 0; side < 2; ++side) {
            double sign = side == 0 ? 1.0 : -1.0;
            cards[side] = (placed_shape){.kind = PAWL_SHAPE_BOX, .size = size};
            pawl_mat3 off = quat_matrix(quat_exp(random_vec(&seed, 1e-11))), tilt;
            tilt = quat_matrix(quat_exp(v3(0, -sign * lean, 0)));
            cards[side].axes = m3_product(&off, &tilt);
            // the corner at the top, in the middle between the two
            pawl_vec3 corner = m3_mul(&cards[side].axes, v3(sign * size.x, 0, -size.z));
            cards[side].position = v3_sub(v3(sign * -0.5 * gap, 0, 0), corner);
        }
        contact_manifold first, m;
        pawl_collide_pair(&cards[0], &cards[1], 1e-3, &first);
        CHECK(first.count > 0);
        for (int shiver = 0; shiver < 20; ++shiver) {
            placed_shape moved = cards[1];
            pawl_mat3 turn = quat_matrix(quat_exp(random_vec(&seed, 1e-15)));
            moved.position = v3_add(moved.position, random_vec(&seed, 1e-15));
            moved.axes = m3_product(&turn, &moved.axes);
            pawl_collide_pair(&cards[0], &moved, 1e-3, &m);
            CHECK_INT(m.count, first.count);
            CHECK_NEAR3(m.normal, first.normal, 1e-9);
        }
    }
}

// A convex polygon seen from above, counter-clockwise.
typedef struct rest_polygon {
    int count;
    double x[16], y[16];
} rest_polygon;

static rest_polygon rest_rectangle(const placed_shape *box)
{
    rest_polygon out = {.count = 4};
    for (int k = 0; k < 4; ++k) {
        pawl_vec3 corner = v3(k == 1 || k == 2 ? box->size.x : -box->size.x,
                              k > 1 ? box->size.y : -box->size.y, 0.0);
        pawl_vec3 p = v3_add(box->position, m3_mul(&box->axes, corner));
        out.x[k] = p.x;
        out.y[k] = p.y;
    }
    return out;
}

// What both hold, by cutting one with each edge of the other in turn.
static rest_polygon rest_overlap(rest_polygon a, const rest_polygon *b)
{
    for (int e = 0; e < b->count; ++e) {
        int f = (e + 1) % b->count;
        double ex = b->x[f] - b->x[e], ey = b->y[f] - b->y[e];
        rest_polygon out = {0};
        for (int i = 0; i < a.count; ++i) {
            int j = (i + 1) % a.count;
            double p = ex * (a.y[i] - b->y[e]) - ey * (a.x[i] - b->x[e]);
            double q = ex * (a.y[j] - b->y[e]) - ey * (a.x[j] - b->x[e]);
            if (p >= 0.0) {
                out.x[out.count] = a.x[i];
                out.y[out.count++] = a.y[i];
            }
            if ((p > 0.0 && q < 0.0) || (p < 0.0 && q > 0.0)) {
                double t = p / (p - q);
                out.x[out.count] = a.x[i] + t * (a.x[j] - a.x[i]);
                out.y[out.count++] = a.y[i] + t * (a.y[j] - a.y[i]);
            }
        }
        a = out;
    }
    return a;
}

// The largest coordinate along a direction.
static double rest_reach(const rest_polygon *p, double x, double y)
{
    double reach = -INFINITY;
    for (int i = 0; i < p->count; ++i) {
        reach = fmax(reach, x * p->x[i] + y * p->y[i]);
    }
    return reach;
}

static bool rest_holds(const placed_shape *box, pawl_vec3 p, double tolerance)
{
    pawl_vec3 d = m3_tmul(&box->axes, v3_sub(p, box->position));
    return fabs(d.x) <= box->size.x + tolerance && fabs(d.y) <= box->size.y + tolerance;
}

// Where the outlines all but coincide, copies and flat corners are left out; what is left must still
// reach as far as the polygon in every direction. The polygon is cut out here, in another way. (A
// point that both boxes hold but for rounding may reach further: the tip of a sliver is not sharp.)
TEST(the_points_of_two_boxes_span_their_overlap)
{
    uint64_t seed = 11;
    int seen[MANIFOLD_POINTS + 1] = {0};
    for (int trial = 0; trial < 20000; ++trial) {
        pawl_vec3 size = v3(random_in(&seed, 0.2, 2.0), random_in(&seed, 0.2, 2.0), 0.5);
        bool alike = random_index(&seed, 2) == 0;
        pawl_vec3 other =
            alike ? size : v3(random_in(&seed, 0.2, 2.0), random_in(&seed, 0.2, 2.0), 0.5);
        double off = pow(10.0, random_in(&seed, -12.0, 0.0));
        double turn = pow(10.0, random_in(&seed, -12.0, 0.0));
        // some on one another, some side by side, with a sliver between them
        double aside = random_index(&seed, 3) == 0 ? size.x + other.x : 0.0;
        pawl_vec3 at =
            v3(aside + random_in(&seed, -off, off), random_in(&seed, -1.0, 1.0) * off, 1.0);
        placed_shape below =
            rest_shape(PAWL_SHAPE_BOX, size, NULL, v3(0, 0, 0), v3(0, 0, 0), trial % 2);
        placed_shape above =
            rest_shape(PAWL_SHAPE_BOX, other, NULL, at, v3(0, 0, turn), 1 - trial % 2);
        rest_polygon under = rest_rectangle(&below), over = rest_rectangle(&above);
        rest_polygon exact = rest_overlap(under, &over), got = {0};
        contact_manifold m;
        pawl_collide_pair(&below, &above, 1e-3, &m);
        if (exact.count < 3 || fabs(m.normal.z) < 0.999) {
            continue; // apart, or touching at their sides
        }
        ++seen[m.count];
        got.count = m.count;
        for (int k = 0; k < m.count; ++k) {
            got.x[k] = m.point[k].position.x;
            got.y[k] = m.point[k].position.y;
            CHECK(rest_holds(&below, m.point[k].position, 3e-8));
            CHECK(rest_holds(&above, m.point[k].position, 3e-8));
            for (int j = 0; j < k; ++j) {
                CHECK(m.point[j].feature != m.point[k].feature);
            }
        }
        for (int k = 0; k < 64; ++k) {
            double angle = 0.09817477042468103 * k, x = cos(angle), y = sin(angle);
            CHECK(rest_reach(&got, x, y) >= rest_reach(&exact, x, y) - 1e-6 * v3_norm(size));
        }
    }
    CHECK(seen[2] > 0 && seen[4] > 1000 && seen[8] > 100);
}

// A tilted box: the corners' gaps follow from trigonometry.
TEST(a_box_that_rocks_keeps_four_points_with_their_own_gaps)
{
    for (int on_box = 0; on_box < 2; ++on_box) {
        double tilt = 1e-3;
        placed_shape below = rest_shape(on_box ? PAWL_SHAPE_BOX : PAWL_SHAPE_PLANE, v3(5, 5, 1),
                                        NULL, v3(0, 0, on_box ? -1.0 : 0.0), v3(0, 0, 0), 0);
        placed_shape above =
            rest_shape(PAWL_SHAPE_BOX, v3(1, 1, 1), NULL, v3(0, 0, 1), v3(0, tilt, 0), 1);
        contact_manifold m;
        pawl_collide_pair(&below, &above, 0.1, &m);
        CHECK_INT(m.count, 4);
        for (int k = 0; k < 4; ++k) {
            double side = m.point[k].position.x > 0.0 ? 1.0 : -1.0;
            CHECK_NEAR(m.point[k].gap, 1.0 - cos(tilt) - side * sin(tilt), 1e-12);
        }
    }
}

TEST(points_appear_at_the_margin)
{
    placed_shape a = rest_shape(PAWL_SHAPE_SPHERE, v3(1, 1, 1), NULL, v3(0, 0, 0), v3(0, 0, 0), 0);
    contact_manifold m;
    for (int kind = 0; kind < PAWL_SHAPE_HULL; ++kind) {
        double top = kind == PAWL_SHAPE_CAPSULE ? 2.0 : kind == PAWL_SHAPE_PLANE ? 0.0 : 1.0;
        placed_shape b =
            rest_shape((pawl_shape_kind)kind, v3(1, 1, 1), NULL, v3(0, 0, 0), v3(0, 0, 0), 1);
        a.position = v3(0.0, 0.0, top + 1.0 + 0.0625);
        pawl_collide_pair(&a, &b, 0.0624, &m);
        CHECK_INT(m.count, 0);
        pawl_collide_pair(&a, &b, 0.0626, &m);
        CHECK_INT(m.count, 1);
        CHECK_NEAR(m.point[0].gap, 0.0625, 1e-12);
        CHECK_NEAR3(m.normal, v3(0, 0, -1), 1e-12);
        CHECK_NEAR3(m.point[0].position, v3(0, 0, top + 0.03125), 1e-12);
    }
}

// The least way out of concentric shapes: through the nearest pair of faces.
TEST(coincident_shapes_part_along_their_shortest_axis)
{
    test_env t;
    convex_hull *hull = rest_hull(&t);
    static const pawl_shape_kind kinds[6] = {PAWL_SHAPE_SPHERE,    PAWL_SHAPE_BOX,
                                             PAWL_SHAPE_CYLINDER,  PAWL_SHAPE_CAPSULE,
                                             PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_HULL};
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            placed_shape a = rest_shape(kinds[i], v3(1, 1, 1), hull, v3(7, 8, 9), v3(0, 0, 0), 0);
            placed_shape b = rest_shape(kinds[j], v3(1, 1, 1), hull, v3(7, 8, 9), v3(0, 0, 0), 1);
            contact_manifold m;
            pawl_collide_pair(&a, &b, 0.0, &m);
            CHECK(m.count >= 1);
            CHECK_NEAR(v3_norm(m.normal), 1.0, 1e-12);
            double deepest = 0.0;
            for (int k = 0; k < m.count; ++k) {
                deepest = fmin(deepest, m.point[k].gap);
            }
            CHECK_NEAR(deepest, -2.0, 1e-6);
        }
    }
    pawl_hull_destroy(&t.env, hull);
}

TEST(what_is_not_finite_gives_no_points)
{
    test_env t;
    convex_hull *hull = rest_hull(&t);
    static const double bad[2] = {NAN, INFINITY};
    for (int i = 0; i < PAWL_SHAPE_HEIGHTFIELD; ++i) {
        for (int j = 0; j < PAWL_SHAPE_HEIGHTFIELD; ++j) {
            for (int where = 0; where < 8; ++where) {
                placed_shape a =
                    rest_shape((pawl_shape_kind)i, v3(1, 1, 1), hull, v3(0, 0, 0), v3(0, 0, 0), 0);
                placed_shape b = rest_shape((pawl_shape_kind)j, v3(1, 1, 1), hull, v3(0, 0, 1.5),
                                            v3(0, 0, 0), 1);
                double value = bad[where % 2], margin = 0.1;
                double *slots[4] = {&a.position.y, &b.axes.m[1][2], &a.size.x, &margin};
                *slots[where / 2] = value;
                contact_manifold m;
                pawl_collide_pair(&a, &b, margin, &m);
                CHECK_INT(m.count, 0);
            }
        }
    }
    pawl_hull_destroy(&t.env, hull);
}

// A rigid motion of both shapes moves the answer along with them.
TEST(moving_both_shapes_moves_the_manifold)
{
    test_env t;
    uint64_t seed = 77;
    convex_hull *hull = rest_hull(&t);
    for (int trial = 0; trial < 5000; ++trial) {
        pawl_shape_kind ka = (pawl_shape_kind)random_index(&seed, PAWL_SHAPE_HEIGHTFIELD);
        pawl_shape_kind kb = (pawl_shape_kind)random_index(&seed, PAWL_SHAPE_HEIGHTFIELD);
        pawl_vec3 size = v3(random_in(&seed, 0.5, 1.5), 0.75, random_in(&seed, 0.5, 1.5));
        placed_shape a = rest_shape(ka, size, hull, v3(0, 0, 0), random_vec(&seed, 2.0), 0);
        placed_shape b = rest_shape(kb, v3(1, 0.5, 0.8), hull, random_vec(&seed, 1.2),
                                    random_vec(&seed, 2.0), 1);
        contact_manifold m, moved;
        pawl_collide_pair(&a, &b, 0.05, &m);
        pawl_vec3 shift = random_vec(&seed, 100.0);
        pawl_mat3 turn = quat_matrix(quat_exp(random_vec(&seed, 3.0)));
        placed_shape *both[2] = {&a, &b};
        for (int k = 0; k < 2; ++k) {
            both[k]->position = v3_add(shift, m3_mul(&turn, both[k]->position));
            both[k]->axes = m3_product(&turn, &both[k]->axes);
        }
        pawl_collide_pair(&a, &b, 0.05, &moved);
        CHECK_INT(moved.count, m.count);
        if (m.count == 0) {
            continue;
        }
        // two ways out may be equally short; then either is right
        pawl_vec3 n = m3_mul(&turn, m.normal);
        if (v3_dot(n, moved.normal) < 0.999) {
            continue;
        }
        CHECK_NEAR3(moved.normal, n, 1e-6);
        for (int k = 0; k < m.count; ++k) {
            CHECK_NEAR(moved.point[k].gap, m.point[k].gap, 1e-9);
            CHECK_INT(moved.point[k].feature, m.point[k].feature);
            CHECK_NEAR3(moved.point[k].position, v3_add(shift, m3_mul(&turn, m.point[k].position)),
                        1e-6);
        }
    }
    pawl_hull_destroy(&t.env, hull);
}
