// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What stands, tips or comes to rest, against statics that pawl did not compute: E2 and E3 of
// tests/references/data, the scenes S2 and S3 of the comparison with other engines, and a loop of
// four bars dropped on the ground.
#include "support/reference.h"
#include "support/reference_data.h"
#include "support/scene.h"

#include <math.h>

// --- E2, E3: standing, tipping, sliding ----------------------------------------------------------

TEST(e2_a_table_stands_on_four_legs)
{
    json_t *data = reference_data_load("E2_four_leg_table.json");
    static const double leg[4][2] = {{0.5, 0.3}, {0.5, -0.3}, {-0.5, 0.3}, {-0.5, -0.3}};
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double cx = reference_data_number(row, "com_xy", 0);
        double cy = reference_data_number(row, "com_xy", 1);
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        pawl_body_id table = mechanism_solid(&m, 20.0, v3(cx, cy, 0.5), v3(1, 2, 2.5));
        for (int k = 0; k < 4; ++k) {
            scene_shape(&m, table, PAWL_SHAPE_SPHERE, v3(0.02, 0, 0),
                        v3(leg[k][0] - cx, leg[k][1] - cy, 0.02 - 0.5), 0.5, 0.0);
        }
        pawl_settings settings = scene_settings(1e-3);
        settings.solver.tolerance = 1e-10; // 1e-10 m/s of 20 kg in 1 ms are 2e-6 N
        mechanism_start(&m, &settings);
        scene_run(&m, 2.0);
        double sum = 0.0, mx = 0.0, my = 0.0, split = 0.0;
        CHECK_INT(pawl_sim_contact_count(m.sim), 4);
        for (int k = 0; k < 4; ++k) {
            pawl_contact_info c = pawl_sim_contact(m.sim, k);
            CHECK(c.force.z >= 0.0);
            sum += c.force.z;
            mx += c.force.z * c.position.x;
            my += c.force.z * c.position.y;
            for (int i = 0; i < 4; ++i) {
                if (fabs(c.position.x - leg[i][0]) + fabs(c.position.y - leg[i][1]) < 0.1) {
                    double even = reference_data_number(row, "least_norm_N", i);
                    split = fmax(split, fabs(c.force.z - even));
                }
            }
        }
        print_message("E2 centre (%g, %g): least-norm split missed by %.1e N of %g N\n", cx, cy,
                      split, sum);
        CHECK_NEAR(sum, reference_data_number(row, "sum", -1), 1e-5);
        CHECK_NEAR(mx, reference_data_number(row, "moment_about_origin", 0), 1e-5);
        CHECK_NEAR(my, reference_data_number(row, "moment_about_origin", 1), 1e-5);
        CHECK_NEAR3(scene_position(&m, table), v3(cx, cy, 0.5), 1e-9);
        CHECK(scene_speed(&m, table) < 1e-9);
        mechanism_end(&m);
    }
    json_decref(data);
}

TEST(e3_a_box_on_a_slope_stands_slides_or_topples)
{
    json_t *data = reference_data_load("E3_topple_or_slide.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double angle = reference_data_number(row, "angle_deg", -1) * SCENE_DEGREE;
        double friction = reference_data_number(row, "mu", -1);
        double w = reference_data_number(row, "w", -1), h = reference_data_number(row, "h", -1);
        mechanism m;
        scene_floor(&m, friction, angle, 0.0);
        pawl_body_id box = scene_box(&m, 1.0, v3(w, 0.2, h), friction);
        pawl_settings settings = scene_rest_settings(1e-3);
        mechanism_start(&m, &settings);
        scene_run(&m, 0.3);
        pawl_vec3 up =
            pawl_quat_rotate(pawl_state_pose(mechanism_state(&m), box).orientation, v3(0, 0, 1));
        double tilt = acos(fmin(up.z, 1.0)), speed = scene_velocity(&m, box).x;
        if (json_is_true(json_object_get(row, "rest"))) {
            CHECK_NEAR3(scene_position(&m, box), v3(0, 0, 0.5 * h), 1e-6);
            CHECK(scene_speed(&m, box) < 1e-8);
        } else if (json_is_true(json_object_get(row, "slides"))) {
            double a = SCENE_G * (sin(angle) - friction * cos(angle));
            CHECK_NEAR(speed, 0.3 * a, 1e-6 * a);
            CHECK(tilt < 1e-6);
        } else {
            CHECK(json_is_true(json_object_get(row, "topples")));
            CHECK(tilt > 0.5 * SCENE_DEGREE);
            // It turns about its lower edge, which stays where it is.
            pawl_vec3 edge = pawl_pose_apply(pawl_state_pose(mechanism_state(&m), box),
                                             v3(0.5 * w, 0, -0.5 * h));
            CHECK_NEAR3(edge, v3(0.5 * w, 0, 0), 1e-4);
        }
        mechanism_end(&m);
    }
    json_decref(data);
    mechanism m;
    pawl_settings settings = scene_rest_settings(1e-3);
    scene_load(&m, CLASSIC("E3-topple"), &settings);
    scene_run(&m, 3.0);
    pawl_vec3 up = pawl_quat_rotate(
        pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).orientation,
        v3(0, 0, 1));
    CHECK(up.x > 0.5); // it lies on its side, downhill
    mechanism_end(&m);
}

// --- S2, S3: joints and contacts together --------------------------------------------------------

TEST(s2_a_thousand_kilograms_stand_on_one_by_a_fixed_joint)
{
    mechanism m;
    pawl_settings settings = scene_rest_settings(1e-3);
    scene_load(&m, PRIMITIVE("boxes-fixed"), &settings);
    CHECK_INT(pawl_model_body_count(m.model), 2);
    CHECK_INT(pawl_model_joint_count(m.model), 1);
    CHECK_INT(pawl_model_row_count(m.model), 6);
    scene_run(&m, 5.0);
    print_message("S2: joint error %.1e m %.1e rad, speed %.1e m/s, penetration %.1e m\n",
                  m.verdict.closure.position, m.verdict.closure.rotation,
                  scene_speed(&m, pawl_model_body_at(m.model, 1)), m.verdict.penetration);
    CHECK(m.verdict.closure.position <= 1e-9);
    CHECK(scene_speed(&m, pawl_model_body_at(m.model, 1)) < 1e-8);
    CHECK(m.verdict.penetration <= 1e-6);
    CHECK_NEAR(scene_force(&m, PAWL_WORLD, pawl_model_body_at(m.model, 0)).z / (1001.0 * SCENE_G),
               1.0, 1e-6);
    mechanism_end(&m);
}

TEST(s3_a_nunchuk_falls_and_comes_to_rest)
{
    mechanism m;
    pawl_settings settings = scene_rest_settings(1e-3);
    scene_load(&m, PRIMITIVE("nunchuk"), &settings);
    CHECK_INT(pawl_model_body_count(m.model), 3);
    CHECK_INT(pawl_model_joint_count(m.model), 2);
    CHECK_INT(pawl_model_row_count(m.model), 6);
    scene_run(&m, 5.0);
    double speed = 0.0;
    for (int k = 0; k < 3; ++k) {
        speed = fmax(speed, scene_speed(&m, pawl_model_body_at(m.model, k)));
    }
    print_message("S3: joint error %.1e m, penetration %.1e m, speed %.1e after 5 s, %d steps not "
                  "converged, worst residual %.1e m/s\n",
                  m.verdict.closure.position, m.verdict.penetration, speed,
                  (int)m.verdict.not_converged, m.verdict.residual.natural_scaled);
    CHECK(m.verdict.closure.position <= 1e-9);
    CHECK(speed < 1e-8);
    mechanism_end(&m);
}

TEST(a_dropped_four_bar_comes_to_rest)
{
    mechanism m;
    pawl_settings settings = pawl_settings_default();
    scene_load(&m, PRIMITIVE("fourbar-dropped"), &settings);
    scene_run(&m, 4.0);
    double speed = 0.0;
    for (int k = 0; k < 4; ++k) {
        speed = fmax(speed, scene_speed(&m, pawl_model_body_at(m.model, k)));
    }
    print_message("dropped four-bar: joint error %.1e m, penetration %.1e m, speed %.1e after 4 s, "
                  "%d steps not converged, worst residual %.1e m/s\n",
                  m.verdict.closure.position, m.verdict.penetration, speed,
                  (int)m.verdict.not_converged, m.verdict.residual.natural_scaled);
    CHECK_INT(m.verdict.not_converged, 0);
    CHECK(m.verdict.closure.position <= 1e-9);
    CHECK(speed < 1e-9);
    mechanism_end(&m);
}
