// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies of triangles in motion: floors of triangles beside planes, a ball in a cup, hooks that hang on each other.
#include "math/rotation.h"
#include "pawl/pawl.h"
#include "support/mechanism.h"
#include "support/mesh_solids.h"
#include "support/random.h"
#include <stdlib.h>

static pawl_shape_def mesh_def(const mesh_solid *s)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = PAWL_SHAPE_MESH;
    def.points = s->points;
    def.point_count = s->point_count;
    def.triangles = s->triangles;
    def.triangle_count = s->triangle_count;
    return def;
}

// A box pushed over a floor at 3 m/s and 4 rad/s; where it is after 0.5 s.
static pawl_pose mesh_slide(const pawl_shape_def *floor, pawl_stepper_kind stepper)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    pawl_body_def def = pawl_body_def_default();
    def.pose.position = v3(-1.03, 0.017, 0.1);
    def.pose.orientation = quat_exp(v3(0, 0, 0.3));
    def.twist = (pawl_twist){{3, 0.4, 0}, {0, 0, 4}};
    def.density = 500;
    pawl_body_id box = mechanism_body(&m, &def);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = v3(0.2, 0.15, 0.1);
    shape.friction = 0.4;
    CHECK_OK(pawl_builder_add_shape(m.builder, box, &shape, NULL));
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, floor, NULL));
    pawl_settings settings = pawl_settings_default();
    settings.dt = 2e-3;
    settings.stepper = stepper;
    mechanism_start(&m, &settings);
    mechanism_run(&m, 250);
    pawl_pose pose = pawl_state_pose(mechanism_state(&m), box);
    mechanism_end(&m);
    return pose;
}

// As on the plane: inner edges of a floor of 10,000 triangles, flat or part of a slab, catch nothing.
TEST(a_box_slides_over_triangles_as_over_the_plane)
{
    mesh_solid *s = calloc(1, sizeof *s);
    pawl_shape_def plane = pawl_shape_def_default();
    plane.kind = PAWL_SHAPE_PLANE;
    plane.friction = 0.4;
    for (int stepper = PAWL_STEPPER_EULER; stepper <= PAWL_STEPPER_MOREAU; ++stepper) {
        pawl_pose right = mesh_slide(&plane, (pawl_stepper_kind)stepper);
        CHECK(right.position.x > -0.5);
        s->point_count = s->triangle_count = 0;
        solid_add_quad(s, v3(-3, -3, 0), v3(3, -3, 0), v3(3, 3, 0), v3(-3, 3, 0), 71);
        pawl_shape_def def = mesh_def(s);
        def.friction = 0.4;
        pawl_pose got = mesh_slide(&def, (pawl_stepper_kind)stepper);
        CHECK_NEAR(v3_norm(v3_sub(got.position, right.position)), 0.0, 1e-6);
        s->point_count = s->triangle_count = 0;
        solid_add_box(s, v3(0, 0, -0.5), v3(3, 3, 0.5), 20);
        def = mesh_def(s);
        def.friction = 0.4;
        got = mesh_slide(&def, (pawl_stepper_kind)stepper);
        CHECK_NEAR(v3_norm(v3_sub(got.position, right.position)), 0.0, 1e-6);
    }
    free(s);
}

// A cup open at the top: bottom and four walls of 0.1 m.
static void mesh_cup(mesh_solid *s)
{
    solid_add_box(s, v3(0, 0, 0.05), v3(0.5, 0.5, 0.05), 1);
    solid_add_box(s, v3(-0.45, 0, 0.35), v3(0.05, 0.5, 0.25), 1);
    solid_add_box(s, v3(0.45, 0, 0.35), v3(0.05, 0.5, 0.25), 1);
    solid_add_box(s, v3(0, -0.45, 0.35), v3(0.4, 0.05, 0.25), 1);
    solid_add_box(s, v3(0, 0.45, 0.35), v3(0.4, 0.05, 0.25), 1);
}

// Closed form: what falls into a cup that stands on a plane rests on its bottom, where its hull would hold it at its
// rim; and the cup stands on the plane.
TEST(a_ball_falls_into_a_cup)
{
    mesh_solid *s = calloc(1, sizeof *s);
    mesh_cup(s);
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    pawl_body_id cup = mechanism_solid(&m, 3.0, v3(0, 0, 0.001), v3(0.3, 0.3, 0.3));
    pawl_body_id ball = mechanism_solid(&m, 1.0, v3(0.1, 0.05, 1.0), v3(0.01, 0.01, 0.01));
    pawl_shape_def shape = mesh_def(s), ground = pawl_shape_def_default();
    ground.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(m.builder, cup, &shape, NULL));
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &ground, NULL));
    shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_SPHERE;
    shape.size.x = 0.15;
    shape.rolling_friction = 0.01;
    CHECK_OK(pawl_builder_add_shape(m.builder, ball, &shape, NULL));
    pawl_settings settings = pawl_settings_default();
    settings.dt = 2e-3;
    mechanism_start(&m, &settings);
    mechanism_run(&m, 1500);
    pawl_pose b = pawl_state_pose(mechanism_state(&m), ball);
    pawl_pose c = pawl_state_pose(mechanism_state(&m), cup);
    CHECK_NEAR(c.position.z, 0.0, 1e-5);
    CHECK_NEAR(b.position.z, 0.1 + 0.15, 1e-5);
    CHECK(fabs(b.position.x) < 0.3 && fabs(b.position.y) < 0.3);
    free(s);
    mechanism_end(&m);
}

// Two angles of triangles: one is fixed, the other hangs on it by its inner corner. Their hulls would overlap.
TEST(one_hook_hangs_on_another)
{
    mesh_solid *s = calloc(1, sizeof *s);
    // a U of 1 m with arms of 0.2 m, open upwards; seen from the middle of its bottom every part is convex
    const double low[4][2] = {{-0.5, 0}, {0.5, 0}, {0.5, 0.2}, {-0.5, 0.2}};
    const double left[4][2] = {{-0.5, 0.2}, {-0.3, 0.2}, {-0.3, 0.6}, {-0.5, 0.6}};
    const double right[4][2] = {{0.3, 0.2}, {0.5, 0.2}, {0.5, 0.6}, {0.3, 0.6}};
    solid_add_prism(s, low, 4, -0.1, 0.1);
    solid_add_prism(s, left, 4, -0.1, 0.1);
    solid_add_prism(s, right, 4, -0.1, 0.1);
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, -9.81, 0));
    pawl_shape_def shape = mesh_def(s);
    shape.friction = 0.5;
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &shape, NULL)); // open upwards
    pawl_body_def def = pawl_body_def_default();
    def.mass = 2.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.2;
    def.com = v3(0, 0.2, 0);
    // upside down and turned about the vertical: its bottom lies on the other's, inside of the other's arms
    def.pose.orientation = quat_mul(quat_exp(v3(0, 1.57079632679489661923, 0)),
                                    quat_exp(v3(0, 0, 3.14159265358979323846)));
    def.pose.position = v3(0, 0.402, 0);
    pawl_body_id hook = mechanism_body(&m, &def);
    CHECK_OK(pawl_builder_add_shape(m.builder, hook, &shape, NULL));
    pawl_settings settings = pawl_settings_default();
    settings.dt = 2e-3;
    mechanism_start(&m, &settings);
    mechanism_run(&m, 1000);
    pawl_pose pose = pawl_state_pose(mechanism_state(&m), hook);
    CHECK_NEAR(pose.position.y, 0.4, 1e-4); // 0.2 m of each bottom
    CHECK(v3_norm(pawl_state_twist(mechanism_state(&m), hook).linear) < 1e-4);
    free(s);
    mechanism_end(&m);
}

// Density gives mass and inertia of a closed mesh as of the box that it is; an open one is refused.
TEST(meshes_have_the_mass_of_what_they_enclose)
{
    mesh_solid *s = calloc(1, sizeof *s);
    solid_add_box(s, v3(0.1, 0.2, 0.3), v3(0.5, 1, 1.5), 2);
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.density = 2.0;
    pawl_body_id body = mechanism_body(&m, &def);
    pawl_shape_def shape = mesh_def(s);
    CHECK_OK(pawl_builder_add_shape(m.builder, body, &shape, NULL));
    mechanism_compile(&m);
    pawl_body_info info = pawl_model_body(m.model, pawl_model_body_at(m.model, 0));
    CHECK_NEAR(info.mass, 12.0, 1e-12);
    CHECK_NEAR(info.com.z, 0.3, 1e-12);
    mechanism_end(&m);
    mechanism_begin(&m);
    body = mechanism_body(&m, &def);
    shape.triangle_count -= 1;
    CHECK_OK(pawl_builder_add_shape(m.builder, body, &shape, NULL));
    CHECK_STATUS(pawl_builder_compile(m.builder, &m.model), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&m.t, "is not closed");
    free(s);
    mechanism_end(&m);
}
