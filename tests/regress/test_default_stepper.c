// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The default stepper is one that measures well over the suite: with default settings, linkages, stiff machines, tops,
// and what slides and rolls end within a fraction of a millimetre of a converged motion of another stepper, at 1 and
// at 5 ms. euler, the default before, did not. bench_default prints the whole comparison.
#include "support/scene.h"

#include <math.h>

// Where a point of each body is in the end; the mean of all.
static pawl_vec3 default_end(const char *path, const pawl_settings *settings, double time)
{
    mechanism m;
    scene_load(&m, path, settings);
    scene_run(&m, time);
    pawl_vec3 sum = v3(0, 0, 0);
    int bodies = pawl_model_body_count(m.model);
    for (int i = 0; i < bodies; ++i) {
        pawl_pose pose = pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, i));
        pawl_vec3 at = v3_add(pose.position, pawl_quat_rotate(pose.orientation, v3(0.1, 0.1, 0.1)));
        sum = v3_axpy(sum, 1.0 / bodies, at);
    }
    mechanism_end(&m);
    return sum;
}

TEST(default_settings_follow_converged_motions)
{
    static const struct {
        const char *path;
        pawl_stepper_kind other;
        double time, bound; // [s], at 1 ms [m]
    } rows[] = {
        {CLASSIC("A01-pendulum"), PAWL_STEPPER_RATTLE, 1.0, 1e-5},
        {CLASSIC("A05-governor"), PAWL_STEPPER_RATTLE, 0.5, 1e-5},
        {CLASSIC("C2-car-axis"), PAWL_STEPPER_RATTLE, 0.5, 1e-4},
        {CLASSIC("S4-fourbar"), PAWL_STEPPER_RATTLE, 1.0, 1e-4},
        {CLASSIC("D3-furuta"), PAWL_STEPPER_RATTLE, 0.3, 1e-5},
        {"models/quickstart.sdf", PAWL_STEPPER_RATTLE, 0.5, 1e-5},
        {CLASSIC("D4-incline-30"), PAWL_STEPPER_LIT, 0.5, 1e-8},
        {CLASSIC("D5-slide-to-roll"), PAWL_STEPPER_LIT, 0.5, 1e-5},
        {CLASSIC("E1-slide"), PAWL_STEPPER_LIT, 0.8, 1e-5},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        pawl_settings fine = mechanism_settings(1e-4, rows[k].other);
        fine.rattle.order = 4;
        pawl_vec3 exact = default_end(rows[k].path, &fine, rows[k].time);
        double error[2][2];
        for (int i = 0; i < 4; ++i) {
            pawl_settings settings = pawl_settings_default();
            settings.dt = i / 2 == 0 ? 1e-3 : 5e-3;
            settings.stepper = i % 2 == 0 ? settings.stepper : PAWL_STEPPER_EULER;
            pawl_vec3 at = default_end(rows[k].path, &settings, rows[k].time);
            error[i / 2][i % 2] = v3_norm(v3_sub(at, exact));
        }
        print_message("%-36s 1 ms: %.1e m (euler %.1e), 5 ms: %.1e m (euler %.1e)\n", rows[k].path,
                      error[0][0], error[0][1], error[1][0], error[1][1]);
        CHECK(error[0][0] <= rows[k].bound && error[1][0] <= 40.0 * rows[k].bound);
        CHECK(error[0][0] <= 0.2 * error[0][1] && error[1][0] <= 0.5 * error[1][1]);
    }
}
