// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Generalized contact models: derivatives of every one on every kind of ground against differences,
// vertices inside their friction cones and limit surfaces, tables exact at their centres, models of
// the user's, points derived from shapes, and what is refused.
#include "pawl/wrench.h"
#include "support/random.h"
#include "support/slope.h"
#include "support/test.h"
#include <string.h>

enum { MAX_NUMBERS = PAWL_WRENCH_MAX_VERTICES * 6 };

static test_env environment;

typedef enum ground_kind { GROUND_PLANE, GROUND_BALL, GROUND_FIELD, GROUND_COUNT } ground_kind;

static void add_ground(pawl_builder *b, ground_kind kind)
{
    pawl_shape_def shape = pawl_shape_def_default();
    if (kind == GROUND_PLANE) {
        shape.kind = PAWL_SHAPE_PLANE;
        shape.frame.orientation = pawl_quat_from_rpy(0.3, -0.2, 0.4);
        CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &shape, NULL));
    } else if (kind == GROUND_BALL) {
        shape.kind = PAWL_SHAPE_ELLIPSOID;
        shape.size = v3(3.0, 2.0, 1.5);
        shape.frame.position = v3(0.0, 0.0, -1.5);
        CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &shape, NULL));
    } else {
        double heights[11 * 11];
        for (int i = 0; i < 11 * 11; ++i) {
            heights[i] = 0.05 * sin(0.9 * (i % 11)) * cos(0.7 * (i / 11));
        }
        pawl_heightfield_def def = pawl_heightfield_def_default();
        def.frame.position = v3(-1.5, -1.5, 0.0);
        def.x_count = def.y_count = 11;
        def.dx = def.dy = 0.3;
        def.heights = heights;
        CHECK_OK(pawl_builder_add_heightfield(b, &def, NULL));
    }
}

static pawl_builder *new_builder(void)
{
    test_env_init(&environment);
    pawl_builder *b;
    CHECK_OK(pawl_builder_create(&environment.env, "feet", &b));
    pawl_body_def body = pawl_body_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    CHECK_OK(pawl_builder_add_body(b, &body, NULL));
    return b;
}

typedef struct feet {
    pawl_model *model;
    pawl_wrench_set *set;
} feet;

static feet feet_of(pawl_builder *b)
{
    feet f;
    CHECK_OK(pawl_builder_compile(b, &f.model));
    pawl_builder_destroy(b);
    pawl_wrench_set_def def = pawl_wrench_set_def_default();
    CHECK_OK(pawl_wrench_set_create(&environment.env, f.model, &def, &f.set));
    return f;
}

static void feet_end(feet *f)
{
    pawl_wrench_set_destroy(f->set);
    pawl_model_destroy(f->model);
    CHECK_NO_LEAK(&environment);
}

static void add_foot(pawl_builder *b, const pawl_wrench_model_def *def, double radius)
{
    pawl_contact_point_def point = pawl_contact_point_def_default();
    CHECK_OK(pawl_builder_add_wrench_model(b, def, &point.wrench_model));
    point.body = pawl_builder_body_at(b, 0);
    point.radius = radius;
    CHECK_OK(pawl_builder_add_contact_point(b, &point, NULL));
}

static feet foot_on(ground_kind ground, const pawl_wrench_model_def *def, double radius)
{
    pawl_builder *b = new_builder();
    add_ground(b, ground);
    add_foot(b, def, radius);
    return feet_of(b);
}

static pawl_contact_frame frame_at(pawl_vec3 position, pawl_quat q)
{
    pawl_contact_frame f = {.position = position};
    pawl_mat3 R = quat_matrix(q);
    memcpy(f.rotation, R.m, sizeof R.m);
    return f;
}

// A frame that is `depth` inside, somewhere.
static pawl_contact_frame random_frame(uint64_t *seed, const pawl_wrench_set *set, double depth)
{
    pawl_vec3 p = v3(random_in(seed, -1.0, 1.0), random_in(seed, -1.0, 1.0), 0.0);
    pawl_quat turn = random_quat(seed);
    for (int k = 0; k < 50; ++k) { // onto the level set
        pawl_contact_frame frame = frame_at(p, turn);
        pawl_wrench_touch touch = pawl_wrench_set_touch(set, 0, &frame);
        p = v3_axpy(p, -depth - touch.gap, touch.normal);
    }
    return frame_at(p, turn);
}

typedef struct vertex_line {
    const pawl_wrench_set *set;
    const pawl_contact_frame *frame;
    int coordinate, number;
} vertex_line;

static double vertex_along(void *of, double s)
{
    const vertex_line *line = of;
    pawl_contact_frame f = *line->frame;
    double move[6] = {0.0};
    move[line->coordinate] = s;
    f.position = v3_add(f.position, v3(move[0], move[1], move[2]));
    pawl_mat3 turn = quat_matrix(quat_exp(v3(move[3], move[4], move[5]))), R;
    memcpy(R.m, f.rotation, sizeof R.m);
    R = m3_product(&turn, &R);
    memcpy(f.rotation, R.m, sizeof R.m);
    double v[MAX_NUMBERS];
    pawl_wrench_set_vertices(line->set, 0, &f, v, NULL);
    return v[line->number];
}

// All derivatives to 1e-8 of the largest vertex component or derivative. False next to a kink.
static bool check_derivatives(const pawl_wrench_set *set, const pawl_contact_frame *frame, double h)
{
    static double v[MAX_NUMBERS], dv[MAX_NUMBERS * 6];
    pawl_wrench_point p = pawl_wrench_set_point(set, 0);
    int numbers = p.vertex_count * p.component_count;
    CHECK(p.has_derivatives);
    pawl_wrench_set_vertices(set, 0, frame, v, dv);
    double scale = 0.0;
    for (int i = 0; i < 6 * numbers; ++i) {
        scale = fmax(scale, fabs(dv[i]));
    }
    for (int i = 0; i < numbers; ++i) {
        scale = fmax(scale, fabs(v[i]));
    }
    for (int i = 0; i < numbers; ++i) {
        for (int j = 0; j < 6; ++j) {
            vertex_line line = {set, frame, j, i};
            double fine = slope_step(vertex_along, &line, h);
            if (fabs(fine - slope_step(vertex_along, &line, 2.0 * h)) > 3e-9 * scale) {
                return false;
            }
            CHECK_NEAR(dv[6 * i + j], fine, 1e-8 * scale);
        }
    }
    return true;
}

static pawl_wrench_model_def some_table(uint64_t *seed, double *centres, double *wrenches)
{
    pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_TABLE);
    def.power = 2.0;
    def.table = (pawl_wrench_table){.centre_count = 40,
                                    .vertex_count = 5,
                                    .depth_scale = 0.04,
                                    .normal_scale = 0.8,
                                    .centres = centres,
                                    .wrenches = wrenches};
    for (int i = 0; i < 40; ++i) {
        pawl_vec3 n = pawl_quat_rotate(random_quat(seed), v3(0.0, 0.0, 1.0));
        centres[4 * i] = random_in(seed, 0.01, 0.1);
        centres[4 * i + 1] = n.x;
        centres[4 * i + 2] = n.y;
        centres[4 * i + 3] = n.z;
        for (int k = 0; k < 30; ++k) {
            wrenches[30 * i + k] = random_in(seed, -100.0, 100.0);
        }
    }
    return def;
}

static pawl_wrench_model_def some_model(uint64_t *seed, int which, double *centres,
                                        double *wrenches)
{
    static const pawl_wrench_kind kinds[] = {PAWL_WRENCH_COULOMB, PAWL_WRENCH_ANISOTROPIC,
                                             PAWL_WRENCH_ANISOTROPIC, PAWL_WRENCH_PATCH};
    if (which == 4) {
        return some_table(seed, centres, wrenches);
    }
    pawl_wrench_model_def def = pawl_wrench_model_def_default(kinds[which]);
    def.stiffness = 1e6;
    def.friction = 0.7;
    def.power = 1.0 + 0.5 * random_index(seed, 7);
    def.zeta = random_index(seed, 2) == 0 ? 0.0 : 1e-4;
    def.directions = 3 + random_index(seed, 5);
    def.angle = 0.4;
    def.body_axes = which == 2;
    def.rings = 1 + 2 * random_index(seed, 2);
    return def;
}

TEST(all_models_have_the_right_derivatives_on_all_ground)
{
    uint64_t seed = 1;
    static double centres[40 * 4], wrenches[40 * 30];
    int checked = 0, total = 0;
    for (int which = 0; which < 5; ++which) {
        for (int ground = 0; ground < GROUND_COUNT; ++ground) {
            for (int trial = 0; trial < 4; ++trial) {
                pawl_wrench_model_def def = some_model(&seed, which, centres, wrenches);
                feet f = foot_on((ground_kind)ground, &def, trial % 2 == 0 ? 0.0 : 0.2);
                for (int k = 0; k < 5; ++k, ++total) {
                    double depth = random_in(&seed, 0.02, 0.1);
                    pawl_contact_frame frame = random_frame(&seed, f.set, depth);
                    checked += check_derivatives(f.set, &frame, 2e-4) ? 1 : 0;
                }
                feet_end(&f);
            }
        }
    }
    CHECK(checked > total * 8 / 10); // the others have a heightfield's grid line in their stencil
}

// Wheels' rims and ellipsoids: the point that touches moves over the body as it turns. Rims that stand back, too.
TEST(cores_have_the_right_derivatives_on_all_ground)
{
    uint64_t seed = 3;
    const pawl_vec3 cores[] = {{0.3, 0.3, 0.0}, {0.3, 0.2, 0.15}, {0.0, 0.0, 0.0}};
    int checked = 0, total = 0;
    for (int which = 0; which < 4 * 3 * GROUND_COUNT; ++which) {
        pawl_builder *b = new_builder();
        add_ground(b, (ground_kind)(which / 12));
        pawl_wrench_model_def def = some_model(&seed, which % 4, NULL, NULL);
        pawl_contact_point_def point = pawl_contact_point_def_default();
        CHECK_OK(pawl_builder_add_wrench_model(b, &def, &point.wrench_model));
        point.body = pawl_builder_body_at(b, 0);
        point.core = cores[which / 4 % 3];
        point.lean = v3_norm(point.core) > 0.0 ? 0.0 : 0.1;
        point.radius = which % 2 == 0 ? 0.0 : 0.05;
        CHECK_OK(pawl_builder_add_contact_point(b, &point, NULL));
        feet f = feet_of(b);
        for (int k = 0; k < 4; ++k, ++total) {
            pawl_contact_frame frame = random_frame(&seed, f.set, random_in(&seed, 0.02, 0.06));
            checked += check_derivatives(f.set, &frame, 2e-4) ? 1 : 0;
        }
        feet_end(&f);
    }
    print_message("%d of %d checked\n", checked, total);
    CHECK(checked > total * 7 / 10);
}

// Constants of a vertex: force along n, along the tangents, and moment about n, over the largest
// normal force.
typedef struct vertex_parts {
    double normal, tangent[2], moment;
} vertex_parts;

static vertex_parts parts_of(const pawl_wrench_set *set, const pawl_contact_frame *frame,
                             const double *v)
{
    pawl_wrench_point p = pawl_wrench_set_point(set, 0);
    pawl_distance d;
    pawl_vec3 t[2], f = v3(v[0], v[1], v[2]), m = v3(0.0, 0.0, 0.0);
    pawl_ground_distance(pawl_wrench_set_ground(set), frame->position, &d);
    pawl_ground_tangents(pawl_wrench_set_ground(set), &d, t, NULL);
    if (p.component_count == 6) { // at the ball's surface
        m = v3_axpy(v3(v[3], v[4], v[5]), p.radius, v3_cross(d.normal, f));
        CHECK_NEAR(v3_norm(v3_sub(m, v3_scale(v3_dot(m, d.normal), d.normal))), 0.0,
                   1e-12 * v3_norm(f));
    }
    return (vertex_parts){
        v3_dot(f, d.normal), {v3_dot(f, t[0]), v3_dot(f, t[1])}, v3_dot(m, d.normal)};
}

// Coulomb's cone: |f_t| <= mu f_n, all vertices on it, with the law's normal force.
TEST(vertices_lie_on_the_friction_cone)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 60; ++trial) {
        pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
        def.friction = random_in(&seed, 0.1, 1.5);
        def.power = 3.0;
        def.directions = 3 + trial % 10;
        feet f = foot_on((ground_kind)(trial % GROUND_COUNT), &def, trial % 2 == 0 ? 0.0 : 0.1);
        double v[MAX_NUMBERS], depth = random_in(&seed, 0.001, 0.05);
        pawl_contact_frame frame = random_frame(&seed, f.set, depth);
        pawl_wrench_set_vertices(f.set, 0, &frame, v, NULL);
        pawl_wrench_point p = pawl_wrench_set_point(f.set, 0);
        CHECK_INT(p.vertex_count, def.directions);
        CHECK_INT(p.component_count, trial % 2 == 0 ? 3 : 6);
        double K = 1e8 * depth * depth * depth;
        for (int i = 0; i < p.vertex_count; ++i) {
            vertex_parts c = parts_of(f.set, &frame, v + i * p.component_count);
            CHECK_NEAR(c.normal, K, 1e-9 * K);
            CHECK_NEAR(sqrt(c.tangent[0] * c.tangent[0] + c.tangent[1] * c.tangent[1]),
                       def.friction * K, 1e-9 * K);
            CHECK_NEAR(c.moment, 0.0, 1e-9 * K);
        }
        feet_end(&f);
    }
}

// Any weights give a force inside the ellipse (x/mu)^2 + (y/mu_2)^2 <= f_n^2 of turned axes.
TEST(anisotropic_forces_stay_inside_the_ellipse)
{
    uint64_t seed = 3;
    for (int trial = 0; trial < 60; ++trial) {
        pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_ANISOTROPIC);
        def.friction = 0.8;
        def.friction2 = 0.2;
        def.angle = 0.5;
        def.directions = 8;
        feet f = foot_on((ground_kind)(trial % GROUND_COUNT), &def, 0.0);
        pawl_contact_frame frame = random_frame(&seed, f.set, 0.01);
        double v[MAX_NUMBERS], force[3] = {0.0}, left = 1.0;
        pawl_wrench_set_vertices(f.set, 0, &frame, v, NULL);
        for (int i = 0; i < 8; ++i) {
            double w = left * random_in(&seed, 0.0, 1.0);
            left -= w;
            for (int c = 0; c < 3; ++c) {
                force[c] += w * v[3 * i + c];
            }
        }
        vertex_parts c = parts_of(f.set, &frame, force);
        double x = cos(0.5) * c.tangent[0] + sin(0.5) * c.tangent[1];
        double y = -sin(0.5) * c.tangent[0] + cos(0.5) * c.tangent[1];
        double inside = sqrt(x * x / 0.64 + y * y / 0.04);
        CHECK(inside <= c.normal * (1.0 + 1e-12));
        c = parts_of(f.set, &frame, v); // the first vertex: along the first axis
        CHECK_NEAR(cos(0.5) * c.tangent[0] + sin(0.5) * c.tangent[1], 0.8 * c.normal, 1e-9);
        feet_end(&f);
    }
}

// On a plane, axes of the body turn with it and stay in the plane.
TEST(axes_of_the_body_turn_with_it)
{
    pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_ANISOTROPIC);
    def.body_axes = true;
    feet f = foot_on(GROUND_PLANE, &def, 0.0);
    pawl_quat tilt = pawl_quat_from_rpy(0.3, -0.2, 0.4); // the plane's own
    for (int k = 0; k < 8; ++k) {
        pawl_quat q = pawl_quat_multiply(tilt, pawl_quat_from_rpy(0.0, 0.0, 0.7 * k));
        pawl_contact_frame frame = frame_at(pawl_quat_rotate(tilt, v3(0.3, 0.2, -0.01)), q);
        double v[MAX_NUMBERS], K = 1e8 * 1e-6;
        pawl_wrench_set_vertices(f.set, 0, &frame, v, NULL);
        pawl_vec3 expected = pawl_quat_rotate(q, v3(0.5 * K, 0.0, K));
        CHECK_NEAR3(v3(v[0], v[1], v[2]), expected, 1e-9 * K);
    }
    feet_end(&f);
}

// Ellipsoidal limit surface: (|f_t|/mu)^2 + (m/(mu c))^2 = f_n^2 at all vertices, poles included.
TEST(patch_vertices_lie_on_the_limit_surface)
{
    uint64_t seed = 4;
    for (int trial = 0; trial < 30; ++trial) {
        pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_PATCH);
        def.torsion = 0.03;
        def.friction = 0.6;
        def.rings = 1 + 2 * (trial % 3);
        def.directions = 6;
        feet f = foot_on((ground_kind)(trial % GROUND_COUNT), &def, trial % 2 == 0 ? 0.0 : 0.1);
        pawl_contact_frame frame = random_frame(&seed, f.set, 0.01);
        double v[MAX_NUMBERS], most = 0.0, least = 0.0;
        pawl_wrench_set_vertices(f.set, 0, &frame, v, NULL);
        pawl_wrench_point p = pawl_wrench_set_point(f.set, 0);
        CHECK_INT(p.component_count, 6);
        CHECK_INT(p.vertex_count, 6 * def.rings + 2);
        for (int i = 0; i < p.vertex_count; ++i) {
            vertex_parts c = parts_of(f.set, &frame, v + 6 * i);
            double t2 = c.tangent[0] * c.tangent[0] + c.tangent[1] * c.tangent[1];
            double surface = t2 / 0.36 + c.moment * c.moment / (0.36 * 0.03 * 0.03);
            CHECK_NEAR(sqrt(surface), c.normal, 1e-9 * c.normal);
            most = fmax(most, c.moment / c.normal);
            least = fmin(least, c.moment / c.normal);
        }
        CHECK_NEAR(most, 0.018, 1e-12);
        CHECK_NEAR(least, -0.018, 1e-12);
        feet_end(&f);
    }
}

// At a centre's depth and normal the vertices are the table's, turned to the world.
TEST(tables_are_exact_at_their_centres)
{
    uint64_t seed = 5;
    double centres[40 * 4], wrenches[40 * 30];
    pawl_wrench_model_def def = some_table(&seed, centres, wrenches);
    def.stiffness = 2.0;
    feet f = foot_on(GROUND_PLANE, &def, 0.0);
    pawl_vec3 n = pawl_quat_rotate(pawl_quat_from_rpy(0.3, -0.2, 0.4), v3(0.0, 0.0, 1.0));
    for (int i = 0; i < 40; ++i) {
        // a turn that takes the centre's normal, in the foot's axes, to n in the world's
        pawl_vec3 m = v3(centres[4 * i + 1], centres[4 * i + 2], centres[4 * i + 3]);
        pawl_quat from = pawl_quat_from_axes(m, random_vec(&seed, 1.0));
        pawl_quat to = pawl_quat_from_axes(n, random_vec(&seed, 1.0));
        pawl_quat q = pawl_quat_multiply(to, quat_conj(from));
        pawl_contact_frame frame = frame_at(v3_scale(-centres[4 * i], n), q);
        double v[30];
        pawl_wrench_set_vertices(f.set, 0, &frame, v, NULL);
        for (int k = 0; k < 10; ++k) {
            const double *w = wrenches + 30 * i + 3 * k;
            pawl_vec3 expected = pawl_quat_rotate(q, v3(2.0 * w[0], 2.0 * w[1], 2.0 * w[2]));
            CHECK_NEAR3(v3(v[3 * k], v[3 * k + 1], v[3 * k + 2]), expected, 1e-7);
        }
    }
    feet_end(&f);
}

// p >= 2: force and stiffness go to 0 at touch, from both sides and with no jump; 3/2 (Hertz) has a
// continuous force.
TEST(forces_are_continuous_through_touch)
{
    for (int half = 2; half <= 16; ++half) {
        pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
        def.power = 0.5 * half;
        feet f = foot_on(GROUND_BALL, &def, 0.0);
        double before_v = 0.0, before_d = 0.0;
        for (int k = -100; k <= 100; ++k) { // the top of the ellipsoid is the origin
            double depth = 1e-7 * k, v[18], dv[108];
            pawl_contact_frame frame =
                frame_at(v3(0.0, 0.0, -depth), pawl_pose_identity().orientation);
            pawl_wrench_set_vertices(f.set, 0, &frame, v, dv);
            double slope = 1e8 * def.power * pow(fmax(depth, 0.0), def.power - 1.0);
            double law = 1e8 * pow(fmax(depth, 0.0), def.power);
            CHECK_NEAR(v[2], law, slope * 1e-15 + law * 1e-12); // coordinates of size 1 are rounded
            CHECK_NEAR(-dv[6 * 2 + 2], k <= 0 ? 0.0 : slope, 1e-7 * (slope + 1e-3));
            if (k > -100) {
                double step = 1e-7;
                CHECK(fabs(v[2] - before_v) <= 1e8 * def.power * step * 1.01);
                if (def.power >= 2.0) { // the stiffness itself is continuous
                    CHECK(fabs(dv[14] - before_d) <=
                          1e8 * def.power * (def.power - 1.0) * step * 1.01);
                }
            }
            before_v = v[2];
            before_d = dv[14];
        }
        feet_end(&f);
    }
}

// The authors' law 1e6 (d^2 + 1e-4) pushes before touch, as it says.
TEST(the_constant_part_pushes_everywhere)
{
    pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
    def.stiffness = 1e6;
    def.power = 2.0;
    def.zeta = 1e-4;
    feet f = foot_on(GROUND_BALL, &def, 0.0);
    for (int k = -3; k <= 3; ++k) {
        double depth = 0.01 * k, v[18];
        pawl_contact_frame frame = frame_at(v3(0.0, 0.0, -depth), pawl_pose_identity().orientation);
        pawl_wrench_set_vertices(f.set, 0, &frame, v, NULL);
        CHECK_NEAR(v[2], k > 0 ? 1e6 * (depth * depth + 1e-4) : 100.0, 1e-9);
    }
    feet_end(&f);
}

// Four feet carry 100 kg at the depth where 4 k d^3 = m g: d = (m g/(4 k))^(1/3).
TEST(four_feet_carry_their_weight_at_the_depth_of_the_formula)
{
    static const struct {
        double k, depth;
    } cases[] = {{1e8, 13.5e-3}, {1e10, 2.9e-3}};
    for (int c = 0; c < 2; ++c) {
        pawl_builder *b = new_builder();
        pawl_shape_def plane = pawl_shape_def_default();
        plane.kind = PAWL_SHAPE_PLANE;
        CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &plane, NULL));
        pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
        def.stiffness = cases[c].k;
        for (int i = 0; i < 4; ++i) {
            add_foot(b, &def, 0.0);
        }
        feet f = feet_of(b);
        CHECK_INT(pawl_wrench_set_point_count(f.set), 4);
        CHECK_INT(pawl_wrench_set_weight_count(f.set), 24);
        double depth = cbrt(100.0 * 9.81 / (4.0 * cases[c].k)), up = 0.0, across = 0.0;
        CHECK_NEAR(depth, cases[c].depth, 0.05e-3);
        for (int i = 0; i < 4; ++i) {
            double v[18];
            pawl_contact_frame frame = frame_at(v3(i % 2, i / 2, -depth), // equal weights
                                                pawl_pose_identity().orientation);
            CHECK_INT(pawl_wrench_set_point(f.set, i).first_weight, 6 * i);
            pawl_wrench_set_vertices(f.set, i, &frame, v, NULL);
            for (int k = 0; k < 6; ++k) {
                up += v[3 * k + 2] / 6.0;
                across += v[3 * k] / 6.0 + v[3 * k + 1] / 6.0;
            }
        }
        CHECK_NEAR(up, 981.0, 1e-9);
        CHECK_NEAR(across, 0.0, 1e-9);
        feet_end(&f);
    }
}

TEST(sensitivities_to_the_numbers_of_a_model_are_right)
{
    uint64_t seed = 6;
    static double centres[40 * 4], wrenches[40 * 30];
    for (int which = 0; which < 5; ++which) {
        pawl_wrench_model_def def = some_model(&seed, which, centres, wrenches);
        for (int number = 0; number < PAWL_WRENCH_NUMBER_COUNT; ++number) {
            double v[2][MAX_NUMBERS], dv[MAX_NUMBERS], step = 1e-3;
            bool known = false;
            for (int side = 0; side < 2; ++side) { // linear in each: two points are exact
                pawl_wrench_model_def moved = def;
                double *numbers[] = {&moved.stiffness, &moved.friction, &moved.friction2,
                                     &moved.torsion};
                *numbers[number] += side == 0 ? -step : step;
                feet f = foot_on(GROUND_BALL, &moved, 0.2);
                uint64_t again = 7;
                pawl_contact_frame frame = random_frame(&again, f.set, 0.05);
                pawl_wrench_set_vertices(f.set, 0, &frame, v[side], NULL);
                known =
                    pawl_wrench_set_sensitivity(f.set, 0, &frame, (pawl_wrench_number)number, dv);
                feet_end(&f);
            }
            int count = which == 4
                            ? 30
                            : 6 * (which == 3 ? def.directions * def.rings + 2 : def.directions);
            bool expected = number == PAWL_WRENCH_STIFFNESS ||
                            (number == PAWL_WRENCH_FRICTION && which != 4) ||
                            (number == PAWL_WRENCH_FRICTION2 && (which == 1 || which == 2)) ||
                            (number == PAWL_WRENCH_TORSION && which == 3);
            CHECK(known == expected);
            for (int i = 0; i < count; ++i) {
                double slope = (v[1][i] - v[0][i]) / (2.0 * step);
                CHECK_NEAR(dv[i], slope, 1e-9 * (fabs(v[0][i]) / step + 1e-3));
            }
        }
    }
}

// A user's model: one vertex that pulls towards a given height.
static void pull_up(void *user, const pawl_wrench_query *q, double *v, double *dv)
{
    ++*(int *)user;
    assert_int_equal(q->parameter_count, 2);
    v[0] = v[1] = 0.0;
    v[2] = q->parameters[0] * (q->parameters[1] - q->frame.position.z) + q->radius;
    if (dv != NULL) {
        memset(dv, 0, 18 * sizeof *dv);
        dv[2 * 6 + 2] = -q->parameters[0];
    }
}

TEST(a_model_of_the_users_works_with_and_without_derivatives)
{
    for (int has = 0; has < 2; ++has) {
        int calls = 0;
        const double parameters[2] = {10.0, 0.5};
        pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_CUSTOM);
        def.vertex_count = 1;
        def.component_count = 3;
        def.has_derivatives = has == 1;
        def.parameters = parameters;
        def.parameter_count = 2;
        def.vertices = pull_up;
        def.user = &calls;
        feet f = foot_on(GROUND_PLANE, &def, 0.25);
        pawl_wrench_point p = pawl_wrench_set_point(f.set, 0);
        CHECK(p.has_derivatives == (has == 1));
        CHECK_INT(p.component_count, 3);
        pawl_contact_frame frame = frame_at(v3(0.0, 0.0, 0.2), pawl_pose_identity().orientation);
        double v[3], dv[18];
        int64_t before = environment.calls;
        pawl_wrench_set_vertices(f.set, 0, &frame, v, dv);
        CHECK_INT(environment.calls, before);
        CHECK_INT(calls, 1);
        CHECK_NEAR(v[2], 3.25, 1e-15);
        CHECK_NEAR(dv[14], has == 1 ? -10.0 : 0.0, 0.0);
        CHECK(!pawl_wrench_set_sensitivity(f.set, 0, &frame, PAWL_WRENCH_FRICTION, v));
        feet_end(&f);
    }
}

// One of each shape: the deepest of its points is its support point on a plane below; rims to what their flattening
// takes, 2e-4 of a radius where they are tilted as here.
TEST(points_of_shapes_touch_where_the_shapes_do)
{
    uint64_t seed = 8;
    static const int counts[] = {1, 8, 18, 2, 1, 0, 6};
    static const double slack[] = {0.0, 0.0, 1e-3, 0.0, 0.0, 0.0, 0.0};
    for (int kind = 0; kind < PAWL_SHAPE_HEIGHTFIELD; ++kind) {
        pawl_builder *b = new_builder();
        add_ground(b, GROUND_PLANE);
        pawl_shape_def shape = pawl_shape_def_default();
        // an octahedron: all six points are vertices; and one inside
        const pawl_vec3 points[7] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},
                                     {0, 0, 1}, {0, 0, -1}, {0.1, 0, 0}};
        shape.kind = (pawl_shape_kind)kind;
        shape.size = v3(1.0, 0.7, 0.5);
        shape.points = points;
        shape.point_count = 7;
        shape.frame = random_pose(&seed, 1.0);
        shape.friction = 0.37;
        CHECK_OK(pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &shape, NULL));
        shape.visual_only = true;
        CHECK_OK(pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &shape, NULL));
        feet f = feet_of(b);
        CHECK_INT(pawl_wrench_set_point_count(f.set), counts[kind]);
        double deepest = INFINITY, exact;
        for (int i = 0; i < counts[kind]; ++i) {
            pawl_wrench_point p = pawl_wrench_set_point(f.set, i);
            CHECK_INT(pawl_body_index(p.body), 0);
            pawl_contact_frame frame = frame_at(p.frame.position, p.frame.orientation);
            deepest = fmin(deepest, pawl_wrench_set_touch(f.set, i, &frame).gap);
        }
        pawl_mat3 R = quat_matrix(shape.frame.orientation);
        pawl_vec3 n = pawl_quat_rotate(pawl_quat_from_rpy(0.3, -0.2, 0.4), v3(0.0, 0.0, 1.0));
        pawl_vec3 own = m3_tmul(&R, n); // the plane's normal in the shape's axes
        const double d[3] = {fabs(own.x), fabs(own.y), fabs(own.z)};
        switch (shape.kind) {
        case PAWL_SHAPE_SPHERE:
            exact = 1.0;
            break;
        case PAWL_SHAPE_CAPSULE:
            exact = 1.0 + 0.5 * d[2];
            break;
        case PAWL_SHAPE_BOX:
            exact = d[0] + 0.7 * d[1] + 0.5 * d[2];
            break;
        case PAWL_SHAPE_CYLINDER:
            exact = sqrt(d[0] * d[0] + d[1] * d[1]) + 0.5 * d[2];
            break;
        case PAWL_SHAPE_ELLIPSOID:
            exact = sqrt(d[0] * d[0] + 0.49 * d[1] * d[1] + 0.25 * d[2] * d[2]);
            break;
        case PAWL_SHAPE_HULL:
            exact = fmax(d[0], fmax(d[1], d[2]));
            break;
        default:
            exact = -INFINITY;
        }
        double got = v3_dot(n, shape.frame.position) - deepest;
        CHECK(!(got > exact + 1e-12));
        CHECK(!(got < exact * (1.0 - slack[kind]) - 1e-12));
        feet_end(&f);
    }
}

// The builder's own way to the same points, and derived friction from the shape.
TEST(points_added_for_a_body_are_the_derived_ones)
{
    pawl_vec3 positions[2][8];
    double v[2][8][18];
    for (int variant = 0; variant < 2; ++variant) {
        pawl_builder *b = new_builder();
        add_ground(b, GROUND_PLANE);
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = PAWL_SHAPE_BOX;
        shape.friction = 0.37;
        shape.frame.position = v3(0.1, 0.2, 0.3);
        CHECK_OK(pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &shape, NULL));
        if (variant == 1) {
            pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
            int model;
            def.friction = 0.37;
            CHECK_OK(pawl_builder_add_wrench_model(b, &def, &model));
            CHECK_OK(pawl_builder_add_contact_points_of(b, pawl_builder_body_at(b, 0), model));
            CHECK_STATUS(pawl_builder_add_contact_points_of(b, pawl_builder_body_at(b, 5), model),
                         PAWL_BAD_ARGUMENT);
        }
        feet f = feet_of(b);
        CHECK_INT(pawl_wrench_set_point_count(f.set), 8);
        CHECK_INT(pawl_model_contact_point_count(f.model), variant == 0 ? 0 : 8);
        for (int i = 0; i < 8; ++i) {
            pawl_contact_frame frame =
                frame_at(v3(0.0, 0.0, -0.1), pawl_pose_identity().orientation);
            positions[variant][i] = pawl_wrench_set_point(f.set, i).frame.position;
            pawl_wrench_set_vertices(f.set, i, &frame, v[variant][i], NULL);
        }
        feet_end(&f);
    }
    for (int i = 0; i < 8; ++i) {
        CHECK_NEAR3(positions[0][i], positions[1][i], 0.0);
    }
    CHECK(memcmp(v[0], v[1], sizeof v[0]) == 0);
}

// A shape that is kept from the ground by its mask, by an exclusion, or because there is none has no
// points; a heightfield has no groups.
TEST(shapes_that_cannot_touch_the_ground_have_no_points)
{
    static const struct {
        bool plane, field, masked, excluded;
        int points;
    } cases[] = {{true, false, false, false, 8}, {false, false, false, false, 0},
                 {false, true, false, false, 8}, {true, false, true, false, 0},
                 {true, true, true, false, 8},   {true, false, false, true, 0},
                 {false, true, false, true, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        pawl_builder *b = new_builder();
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = PAWL_SHAPE_BOX;
        shape.mask = cases[i].masked ? 2 : UINT32_MAX;
        CHECK_OK(pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &shape, NULL));
        if (cases[i].plane) {
            add_ground(b, GROUND_PLANE);
        }
        if (cases[i].field) {
            add_ground(b, GROUND_FIELD);
        }
        if (cases[i].excluded) {
            CHECK_OK(pawl_builder_exclude(b, pawl_builder_body_at(b, 0), PAWL_WORLD));
        }
        feet f = feet_of(b);
        CHECK_INT(pawl_wrench_set_point_count(f.set), cases[i].points);
        feet_end(&f);
    }
}

TEST(what_cannot_be_is_refused)
{
    pawl_builder *b = new_builder();
    static const struct {
        pawl_wrench_kind kind;
        size_t at;
        double value;
        const char *says;
    } numbers[] = {
        {PAWL_WRENCH_COULOMB, offsetof(pawl_wrench_model_def, stiffness), 0.0, "stiffness must"},
        {PAWL_WRENCH_COULOMB, offsetof(pawl_wrench_model_def, stiffness), NAN, "stiffness must"},
        {PAWL_WRENCH_COULOMB, offsetof(pawl_wrench_model_def, power), 2.3, "multiple of 0.5"},
        {PAWL_WRENCH_COULOMB, offsetof(pawl_wrench_model_def, power), 0.5, "multiple of 0.5"},
        {PAWL_WRENCH_COULOMB, offsetof(pawl_wrench_model_def, zeta), -1.0, "zeta must"},
        {PAWL_WRENCH_PATCH, offsetof(pawl_wrench_model_def, friction), -1.0, "friction must"},
        {PAWL_WRENCH_PATCH, offsetof(pawl_wrench_model_def, torsion), 0.0, "torsion must"},
        {PAWL_WRENCH_ANISOTROPIC, offsetof(pawl_wrench_model_def, friction2), -1.0, "second axis"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        pawl_wrench_model_def def = pawl_wrench_model_def_default(numbers[i].kind);
        memcpy((char *)&def + numbers[i].at, &numbers[i].value, sizeof(double));
        CHECK_STATUS(pawl_builder_add_wrench_model(b, &def, NULL), PAWL_BAD_ARGUMENT);
        CHECK_MESSAGE(&environment, numbers[i].says);
    }
    pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_PATCH);
    def.rings = 2;
    CHECK_STATUS(pawl_builder_add_wrench_model(b, &def, NULL), PAWL_BAD_ARGUMENT);
    def = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
    def.directions = 2;
    CHECK_STATUS(pawl_builder_add_wrench_model(b, &def, NULL), PAWL_BAD_ARGUMENT);
    def = pawl_wrench_model_def_default(PAWL_WRENCH_CUSTOM);
    def.vertex_count = 1;
    CHECK_STATUS(pawl_builder_add_wrench_model(b, &def, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "no function");
    def = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
    def.name = "sole";
    CHECK_OK(pawl_builder_add_wrench_model(b, &def, NULL));
    CHECK_STATUS(pawl_builder_add_wrench_model(b, &def, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "exists already");
    CHECK_INT(pawl_builder_find_wrench_model(b, "sole"), 0);
    CHECK_INT(pawl_builder_find_wrench_model(b, "none"), -1);

    uint64_t seed = 9;
    double centres[40 * 4], wrenches[40 * 30];
    def = some_table(&seed, centres, wrenches);
    memcpy(centres + 4, centres, 4 * sizeof *centres);
    CHECK_STATUS(pawl_builder_add_wrench_model(b, &def, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "centres 0 and 1 are the same");
    centres[4] = -1.0;
    CHECK_STATUS(pawl_builder_add_wrench_model(b, &def, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "depth above 0");

    pawl_contact_point_def point = pawl_contact_point_def_default(), good;
    CHECK_STATUS(pawl_builder_add_contact_point(b, &point, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "names no body of this model");
    point.body = pawl_builder_body_at(b, 0);
    CHECK_STATUS(pawl_builder_add_contact_point(b, &point, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "names wrench model -1 of 1");
    point.wrench_model = 0;
    good = point;
    point.radius = -0.1;
    CHECK_STATUS(pawl_builder_add_contact_point(b, &point, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&environment, "radius -0.1");
    CHECK_OK(pawl_builder_add_contact_point(b, &good, NULL));
    pawl_builder_destroy(b);
    CHECK_NO_LEAK(&environment);
}

// Every number counts, and models without contact points keep their hash.
TEST(the_hash_covers_contact_points)
{
    uint64_t hash[4];
    for (int k = 0; k < 4; ++k) {
        pawl_builder *b = new_builder();
        pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
        def.friction = k == 2 ? 0.6 : 0.5;
        if (k > 0) {
            add_foot(b, &def, k == 3 ? 0.1 : 0.0);
        }
        pawl_model *m;
        CHECK_OK(pawl_builder_compile(b, &m));
        hash[k] = pawl_model_hash(m);
        for (int i = 0; i < k; ++i) {
            CHECK(hash[i] != hash[k]);
        }
        pawl_model_destroy(m);
        pawl_builder_destroy(b);
    }
}

static pawl_status make_feet(const pawl_env *env, void *argument)
{
    const pawl_model *model = argument;
    pawl_wrench_set_def def = pawl_wrench_set_def_default();
    pawl_wrench_set *set;
    pawl_status status = pawl_wrench_set_create(env, model, &def, &set);
    pawl_wrench_set_destroy(set);
    return status;
}

TEST(running_out_of_memory_is_survived)
{
    uint64_t seed = 10;
    double centres[40 * 4], wrenches[40 * 30];
    pawl_wrench_model_def def = some_table(&seed, centres, wrenches);
    feet f = foot_on(GROUND_FIELD, &def, 0.0);
    CHECK_SURVIVES_NO_MEMORY(make_feet, f.model);
    feet_end(&f);
    pawl_builder *b = new_builder();
    pawl_shape_def shape = pawl_shape_def_default();
    const pawl_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    shape.kind = PAWL_SHAPE_HULL;
    shape.points = points;
    shape.point_count = 4;
    CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &shape, NULL));
    CHECK_OK(pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &shape, NULL));
    f = feet_of(b);
    CHECK_SURVIVES_NO_MEMORY(make_feet, f.model);
    feet_end(&f);
}
