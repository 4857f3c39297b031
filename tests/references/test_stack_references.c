// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Stacks, against statics: D12 of tests/references/data.
#include "support/reference_data.h"
#include "support/scene.h"

#include <math.h>

// Forces at 1e-8 of the weight are 1e-10 m/s in a step of 1 ms; errors of interfaces add up.
static pawl_settings stack_settings(double dt)
{
    pawl_settings settings = scene_settings(dt);
    settings.solver.tolerance = 1e-11;
    return settings;
}

TEST(d12_stacks_stand_still_whatever_the_masses)
{
    json_t *data = reference_data_load("D12_stacks_mass_ratio.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "two_boxes"), index, row)
    {
        double ratio = reference_data_number(row, "ratio", -1);
        double between = reference_data_number(row, "N_between", -1);
        double ground = reference_data_number(row, "N_ground", -1);
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        pawl_body_id lower = scene_box(&m, 1.0, v3(1, 1, 1), 0.5);
        pawl_vec3 at = v3(0, 0, 1.5);
        pawl_body_id upper =
            scene_box_at(&m, reference_data_number(row, "m_top", -1), v3(1, 1, 1), at, 0.5);
        pawl_settings settings = stack_settings(1e-3);
        mechanism_start(&m, &settings);
        scene_run(&m, 10.0);
        double got_between = scene_force(&m, lower, upper).z;
        double got_ground = scene_force(&m, PAWL_WORLD, lower).z;
        double drift = v3_norm(v3_sub(scene_position(&m, upper), at));
        print_message("D12 ratio %5g: drift %.1e m, speed %.1e m/s, penetration %.1e m, forces off "
                      "by %.1e, %.1e; %d of 10000 steps not converged, worst residual %.1e\n",
                      ratio, drift, scene_speed(&m, upper), m.verdict.penetration,
                      got_between / between - 1.0, got_ground / ground - 1.0,
                      (int)m.verdict.not_converged, m.verdict.residual.natural_scaled);
        CHECK(drift < 1e-6);
        CHECK(scene_speed(&m, upper) < 1e-8);
        CHECK(m.verdict.penetration <= 1e-5);
        CHECK_NEAR(got_between / between, 1.0, 1e-8);
        CHECK_NEAR(got_ground / ground, 1.0, 1e-8);
        mechanism_end(&m);
    }
    mechanism m;
    pawl_settings settings = stack_settings(2e-3);
    scene_load(&m, CLASSIC("D12-stack-10"), &settings);
    scene_run(&m, 10.0);
    double speed = 0.0, drift = 0.0;
    for (int k = 0; k < 10; ++k) {
        speed = fmax(speed, scene_speed(&m, pawl_model_body_at(m.model, k)));
        drift = fmax(drift, v3_norm(v3_sub(scene_position(&m, pawl_model_body_at(m.model, k)),
                                           v3(0, 0, 0.5 + k))));
    }
    print_message("D12 ten boxes: drift %.1e m, speed %.1e m/s; %d of 5000 steps not converged\n",
                  drift, speed, (int)m.verdict.not_converged);
    CHECK(drift < 1e-6);
    CHECK(speed < 1e-8);
    json_array_foreach(reference_data_rows(data, "ten_boxes"), index, row)
    {
        int k = (int)reference_data_number(row, "k", -1);
        double expected = reference_data_number(row, "N", -1);
        CHECK_NEAR(scene_force(&m, k == 0 ? PAWL_WORLD : pawl_model_body_at(m.model, k - 1),
                               pawl_model_body_at(m.model, k))
                           .z /
                       expected,
                   1.0, 1e-8);
    }
    mechanism_end(&m);
    json_decref(data);
}

// The model file of the heaviest load, at the settings' own tolerance.
TEST(d12_a_thousand_kilograms_stand_on_one)
{
    mechanism m;
    pawl_settings settings = scene_settings(1e-3);
    scene_load(&m, CLASSIC("D12-stack-1000"), &settings);
    scene_run(&m, 10.0);
    CHECK(m.verdict.penetration <= 1e-5);
    CHECK(v3_norm(v3_sub(scene_position(&m, pawl_model_body_at(m.model, 1)), v3(0, 0, 1.5))) <
          1e-6);
    CHECK_NEAR(scene_force(&m, pawl_model_body_at(m.model, 0), pawl_model_body_at(m.model, 1)).z /
                   (1000.0 * SCENE_G),
               1.0, 1e-6);
    CHECK_INT(m.verdict.not_converged, 0);
    mechanism_end(&m);
}
