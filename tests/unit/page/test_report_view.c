// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// How a drawing looks at a scene: by definition, never at a floor from below, and at a flat cloud
// without a floor along its normal.
#include "page/report_floor.h"
#include "page/report_view.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>

enum { VIEW_POINTS = 40 };

// A slab of random size, `thin` as thick as it is wide, turned.
static void view_cloud(uint64_t *seed, double thin, pawl_quat turn, pawl_vec3 *points)
{
    for (int i = 0; i < VIEW_POINTS; ++i) {
        pawl_vec3 p = random_vec(seed, 1.0);
        points[i] = pawl_quat_rotate(turn, v3(p.x, 0.7 * p.y, thin * p.z));
    }
}

static void view_check_frame(const report_view *view)
{
    CHECK_NEAR(v3_norm(view->toward), 1.0, 1e-12);
    CHECK_NEAR(v3_norm(view->right), 1.0, 1e-12);
    CHECK_NEAR3(v3_cross(view->right, view->up), view->toward, 1e-12);
}

TEST(a_floor_is_seen_from_above_or_from_the_side)
{
    uint64_t seed = 5;
    pawl_vec3 points[VIEW_POINTS];
    const pawl_vec3 gravity = v3(0, 0, -9.81);
    for (int trial = 0; trial < 300; ++trial) {
        view_cloud(&seed, trial % 3 == 0 ? 1.0 : 0.01, random_quat(&seed), points);
        // Slopes of up to 40 degrees.
        double slope = trial % 2 == 0 ? 0.0 : random_in(&seed, 0.0, 0.7);
        double yaw = random_in(&seed, 0.0, 6.28);
        pawl_vec3 floor = v3(sin(slope) * cos(yaw), sin(slope) * sin(yaw), cos(slope));
        report_view view = report_view_choose(points, VIEW_POINTS, gravity, &floor);
        view_check_frame(&view);
        CHECK(v3_dot(view.toward, floor) > -0.08); // below that it is drawn as a line
        CHECK(v3_dot(view.up, v3(0, 0, 1)) > 0.1 || fabs(v3_dot(view.toward, floor)) > 0.9);
    }
}

TEST(a_flat_scene_is_seen_along_its_normal)
{
    uint64_t seed = 6;
    pawl_vec3 points[VIEW_POINTS];
    for (int trial = 0; trial < 100; ++trial) {
        pawl_quat turn = random_quat(&seed);
        view_cloud(&seed, 1e-6, turn, points);
        report_view view = report_view_choose(points, VIEW_POINTS, v3(0, 0, -9.81), NULL);
        view_check_frame(&view);
        // Normals close to an axis are made that axis.
        CHECK(fabs(v3_dot(view.toward, pawl_quat_rotate(turn, v3(0, 0, 1)))) > 0.989);
    }
}

// By hand: points over [0, 2] x [0, 1] up to a height of 1; the rim is 12 % of the largest, 2 m.
TEST(a_floor_is_as_large_as_what_is_over_it)
{
    pawl_shape_info plane = {.body = PAWL_WORLD, .def = pawl_shape_def_default()};
    plane.def.kind = PAWL_SHAPE_PLANE;
    plane.def.frame.position = v3(0, 0, 0.5);
    pawl_pose world = pawl_pose_identity();
    report_floor floor = report_floor_begin(&plane);
    report_floor_grow(&floor, world, v3(0, 1, 0.5));
    report_floor_grow(&floor, world, v3(2, 0, 1.5));
    CHECK(report_floor_end(&floor));
    CHECK_NEAR(floor.u0, -0.24, 1e-15);
    CHECK_NEAR(floor.u1, 2.24, 1e-15);
    CHECK_NEAR(floor.v0, -0.24, 1e-15);
    CHECK_NEAR(floor.v1, 1.24, 1e-15);
    // Nothing over it, a mere point, and a scene far above: not drawn.
    floor = report_floor_begin(&plane);
    CHECK(!report_floor_end(&floor));
    report_floor_grow(&floor, world, v3(0, 0, 0.5));
    CHECK(!report_floor_end(&floor));
    floor = report_floor_begin(&plane);
    report_floor_grow(&floor, world, v3(0, 0, 9));
    report_floor_grow(&floor, world, v3(1, 1, 10));
    CHECK(!report_floor_end(&floor));
}
