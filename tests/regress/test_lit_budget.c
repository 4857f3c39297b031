// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A step of lit is bounded, however hard its problems are. Stacks of masses from 1e-1 to 1e8 kg, whose
// problems do not converge, took 55 times solver.max_iterations a step: each search for a change between
// sticking and sliding solved up to the limit again and again. The bound is counted in iterations.
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

// Three boxes on each other, a little apart, the heaviest on top.
static void budget_stack(mechanism *m, uint64_t *seed, double friction)
{
    scene_floor(m, friction, 0.0, 0.0);
    double z = 0.0, mass = random_in(seed, 0.1, 10.0);
    for (int k = 0; k < 3; ++k) {
        z += random_in(seed, 1e-5, 3e-4);
        scene_box_at(m, mass, v3(1, 1, 1), v3(0, 0, z + 0.5), friction);
        z += 1.0;
        mass *= pow(10.0, random_in(seed, 1.0, 7.0));
    }
}

TEST(a_step_of_lit_takes_a_bounded_number_of_iterations)
{
    uint64_t seed = 21;
    int most = 0;
    int64_t unresolved = 0;
    for (int trial = 0; trial < 8; ++trial) {
        mechanism m;
        budget_stack(&m, &seed, trial % 2 == 0 ? 5.0 : 0.7);
        pawl_settings settings = scene_settings(1e-3);
        settings.stepper = PAWL_STEPPER_LIT;
        settings.solver.max_iterations = 500;
        settings.formulation = trial % 4 < 2 ? PAWL_FORMULATION_REDUCED : PAWL_FORMULATION_MAXIMAL;
        mechanism_start(&m, &settings);
        while (mechanism_time(&m) < 0.04) {
            scene_step(&m);
            most = m.report.iterations > most ? m.report.iterations : most;
            for (int k = 0; k < pawl_sim_event_count(m.sim); ++k) {
                unresolved += pawl_sim_event(m.sim, k).kind == PAWL_EVENT_UNRESOLVED;
            }
        }
        mechanism_end(&m);
    }
    CHECK(most <= 16 * 500);
    CHECK(unresolved > 0); // and says where it stopped looking
}
