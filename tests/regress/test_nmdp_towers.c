// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Slender towers that fall over an edge or a corner with steps of 10 to 50 ms. Contacts dissipate, so that no tower may
// have more energy than it began with, and no work may be left that nothing explains: some ended with three times what
// they began with, spinning about their long axis, though K was at a minimum in every part of every step.
#include "pawl/verdict.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>

static const double tower_mass = 0.55;
static const pawl_vec3 tower_size = {0.04, 0.046, 0.27};

// A turn of the direction that points down, over a corner, an edge or nearly a side, a little above the floor.
static void tower_begin(mechanism *m, uint64_t *seed)
{
    scene_floor(m, 0.5, 0.0, 0.0);
    pawl_body_def def = pawl_body_def_default();
    def.mass = tower_mass;
    def.inertia[0] = def.inertia[1] = 0.004;
    def.inertia[2] = 5e-5;
    def.com = v3(0.004, 0.0, 0.035);
    double azimuth = random_in(seed, 0.0, 6.28), lean = random_in(seed, 0.2, 0.6);
    pawl_vec3 turn = v3_scale(lean, v3(cos(azimuth), sin(azimuth), 0.0));
    def.pose.orientation = quat_exp(turn);
    def.pose.position = v3(0.0, 0.0, 0.17);
    pawl_body_id tower = mechanism_body(m, &def);
    scene_shape(m, tower, PAWL_SHAPE_BOX, v3_scale(0.5, tower_size), v3(0, 0, 0), 0.5, 0.0);
}

TEST(towers_that_fall_gain_no_energy)
{
    const double dts[] = {0.01, 0.02, 0.03, 0.05};
    uint64_t seed = 7001;
    for (int n = 0; n < 40; ++n) {
        double dt = dts[n % 4];
        mechanism m;
        tower_begin(&m, &seed);
        pawl_settings settings = mechanism_settings(dt, PAWL_STEPPER_NMDP);
        mechanism_start(&m, &settings);
        double before = scene_stored(&m), most = 0.0, unexplained = 0.0, given = 0.0;
        while (pawl_state_time(mechanism_state(&m)) < 1.5) {
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(m.sim, &report));
            most = fmax(most, scene_stored(&m) - before);
            unexplained = fmax(unexplained, fabs(report.energy.balance));
            given = fmax(given, report.energy.work_contacts);
        }
        double fall = tower_mass * 9.81 * 0.17; // [J]
        if (!(most < 0.01 * fall && unexplained < 0.03 * fall && given < 0.01 * fall)) {
            printf("tower %d at %g s: gained %g, unexplained %g, by contacts %g of %g J\n", n, dt,
                   most, unexplained, given, fall);
        }
        CHECK(most < 0.01 * fall);
        CHECK(unexplained < 0.03 * fall);
        CHECK(given < 0.01 * fall);
        mechanism_end(&m);
    }
}

// Balls of no size at the corners of a box, as files have them for engines without contacts of boxes: the floor carries
// them at a depth of a millimetre, which is no hole in it.
TEST(balls_that_soft_ground_carries_did_not_pass_through_it)
{
    mechanism m;
    scene_floor(&m, 0.5, 0.0, 0.0);
    pawl_body_id box = scene_box_at(&m, 0.12, v3(0.06, 0.06, 0.2), v3(0.0, 0.0, 0.1), 0.5);
    for (int k = 0; k < 8; ++k) {
        pawl_vec3 corner = v3(k & 1 ? 0.03 : -0.03, k & 2 ? 0.03 : -0.03, k & 4 ? 0.1 : -0.1);
        scene_shape(&m, box, PAWL_SHAPE_SPHERE, v3(1e-7, 0.0, 0.0), corner, 0.5, 0.0);
    }
    for (int deep = 0; deep < 2; ++deep) {
        // The verdict's depth is 0.1 of the size: what sinks by more is judged as before.
        pawl_settings settings = mechanism_settings(0.02, PAWL_STEPPER_NMDP);
        settings.nmdp.stiffness = deep == 0 ? 1e8 : 1e3;
        mechanism_restart(&m, &settings);
        int through = 0;
        for (int k = 0; k < 100; ++k) {
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(m.sim, &report));
            through += report.tunnelled;
        }
        CHECK(deep == 0 ? through == 0 : through > 0);
    }
    mechanism_end(&m);
}
