// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Mechanisms with redundant loops that touch something. Their contacts are solved with all joints held together, by a
// matrix that is known less well than the problem is to be solved, and with weights of the mechanism where the judge has
// those of single bodies: solvers said that they were done, and the judge found up to 3.4e-8 m/s (tolerance 1e-8).
#include "support/scene.h"

static int accuracy_missed(const char *path, pawl_stepper_kind stepper, double dt, double tolerance,
                           double time)
{
    mechanism m;
    pawl_settings settings = scene_settings(dt);
    settings.stepper = stepper;
    settings.solver.tolerance = tolerance;
    scene_load(&m, path, &settings);
    int missed = 0;
    for (int k = 0; k * dt < time; ++k) {
        scene_step(&m);
        missed += m.report.own_residual <= tolerance ? 0 : 1;
    }
    mechanism_end(&m);
    return missed;
}

// The judge's residual of each step, which no solver computes.
TEST(a_walker_of_many_loops_is_solved_in_every_step)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_MOREAU, PAWL_STEPPER_LIT,
                                                 PAWL_STEPPER_EULER};
    const char *walker = CLASSIC("jansen-walker");
    for (size_t k = 0; k < sizeof steppers / sizeof *steppers; ++k) {
        CHECK_INT(accuracy_missed(walker, steppers[k], 2e-3, 1e-8, 0.05), 0);
    }
    CHECK_INT(accuracy_missed(walker, PAWL_STEPPER_MOREAU, 1e-3, 1e-8, 0.05), 0);
    CHECK_INT(accuracy_missed(walker, PAWL_STEPPER_LIT, 1e-3, 1e-8, 0.54), 0);
}
