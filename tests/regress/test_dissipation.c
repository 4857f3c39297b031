// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What dissipates never gives: dampers of three bodies on stiff springs did work of +3.6e12 J in a run that was said to
// be fine. Random springs, dampers, friction losses, limits and body damping, stiffnesses from 1e-3 to 1e15 N/m,
// damping to 1e12 N s/m, masses from 1e-6 to 1e6 kg, steps from 1e-6 to 1 s: the accounts of dampers, friction and
// limits never rise by more than rounding, and where springs are too stiff for the step to keep
// their energy the verdict says so. Friction that stopped a hinge within a step, or a limit that lifted one by a slow
// correction, rose by up to 2e-4 in runs that passed.
#include "support/dissipation.h"

#include <math.h>

static const uint64_t dissipation_seeds[] = {3, 6, 7, 8, 9, 10};

TEST(dampers_friction_and_limits_never_give)
{
    enum { SEEDS = sizeof dissipation_seeds / sizeof *dissipation_seeds };
    dissipation_count count = {0};
    for (int i = 0; i < SEEDS; ++i) {
        dissipation_run(&count, dissipation_seeds[i]);
    }
    dissipation_check(&count);
    CHECK(count.passed > SEEDS * DISSIPATION_RUNS / 4);
}

TEST(limits_do_not_give_what_lit_took_back)
{
    double worst = 0.0;
    int pushed = 0;
    for (int k = 0; k < 120; ++k) {
        uint64_t seed = 7919u * (uint64_t)k + 1u;
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
        dissipation_hinges(&m, &seed, 1 + k % 3);
        pawl_settings settings =
            mechanism_settings(dissipation_power(&seed, -6.0, 0.0), PAWL_STEPPER_LIT);
        mechanism_start(&m, &settings);
        double sum = 0.0;
        for (int i = 0; i < 60; ++i) {
            CHECK_OK(pawl_sim_step(m.sim, &m.report));
            pawl_verdict_add(&m.verdict, &m.report);
            sum += fabs(m.report.limit_correction_energy);
        }
        double rise = dissipation_rise(&m.verdict, PAWL_DISSIPATOR_LIMITS);
        worst = fmax(worst, rise);
        CHECK(rise < 1e-4);
        pushed += sum > 0.0;
        mechanism_end(&m);
    }
    print_message("%d of 120 with corrections; largest rise %.1e\n", pushed, worst);
    CHECK(pushed > 20);
}

// A body that meets a floor or a limit while a damper holds it as if it were welded: it stops, within a few
// steps, whatever the damping.
TEST(a_damper_of_any_size_brings_to_rest)
{
    for (int k = 0; k < 13; ++k) {
        for (int s = 0; s < 2; ++s) {
            mechanism m;
            mechanism_begin(&m);
            pawl_body_def body = pawl_body_def_default();
            body.mass = 2.0;
            body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
            body.linear_damping = pow(10.0, k);
            body.twist.linear = v3(3, 0, -4);
            mechanism_body(&m, &body);
            pawl_settings settings = mechanism_settings(1e-2, dissipation_steppers[s]);
            mechanism_start(&m, &settings);
            double x = settings.dt * body.linear_damping / body.mass, kinetic = 25.0;
            for (int i = 0; i < 200; ++i) {
                mechanism_step(&m);
                CHECK(mechanism_energy(&m).kinetic <= kinetic);
                kinetic = mechanism_energy(&m).kinetic;
            }
            CHECK(kinetic < 25.0 * exp(-fmin(200.0 * x, 20.0)) * 1.5);
            CHECK(fabs(mechanism_energy(&m).balance) < 1e-9);
            mechanism_end(&m);
        }
    }
}
