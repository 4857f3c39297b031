// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Heaps that fall into a bin and roll: every step is solved to 1e-6 m/s. Interior points that aim at ever smaller gaps
// are stuck where their path turns back, as in one of these steps.
#include "support/mechanism.h"
#include "support/random.h"
#include "support/scene.h"
#include "support/test.h"

enum { HEAP_SIDE = 3, HEAP_COUNT = 30, HEAP_STEPS = 160 };

// Spheres of 0.1 m between four thick walls, layer on layer, nowhere exactly above each other.
static void heap_drop(mechanism *m, uint64_t *seed)
{
    const double pitch = 0.12, half = 0.5 * pitch * HEAP_SIDE, thick = 0.2;
    scene_floor(m, 0.5, 0.0, 0.0);
    for (int side = -1; side <= 1; side += 2) {
        scene_shape(m, PAWL_WORLD, PAWL_SHAPE_BOX, v3(thick, 2.0, 2.0),
                    v3(side * (half + thick), 0, 0), 0.5, 0.0);
        scene_shape(m, PAWL_WORLD, PAWL_SHAPE_BOX, v3(2.0, thick, 2.0),
                    v3(0, side * (half + thick), 0), 0.5, 0.0);
    }
    for (int i = 0; i < HEAP_COUNT; ++i) {
        double x = pitch * (i % HEAP_SIDE + 0.5) - half,
               y = pitch * (i / HEAP_SIDE % HEAP_SIDE + 0.5);
        pawl_vec3 at = {x + random_in(seed, -0.01, 0.01), y - half + random_in(seed, -0.01, 0.01),
                        pitch * (i / (HEAP_SIDE * HEAP_SIDE) + 0.5)};
        (void)scene_sphere(m, 1.0, 0.05, at, v3(0, 0, 0), 0.5, 0.0);
    }
}

static int heap_open(uint64_t seed, int *contacts)
{
    mechanism m;
    int open = 0;
    heap_drop(&m, &seed);
    pawl_settings settings = pawl_settings_default();
    settings.dt = 5e-3;
    settings.solver.tolerance = 1e-6;
    mechanism_start(&m, &settings);
    for (int k = 0; k < HEAP_STEPS; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(m.sim, &report));
        open += report.outcome != PAWL_CONVERGED;
        *contacts = report.contacts > *contacts ? report.contacts : *contacts;
    }
    mechanism_end(&m);
    return open;
}

TEST(heaps_of_rolling_spheres_are_solved_in_every_step)
{
    int open = 0, contacts = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        open += heap_open(seed, &contacts);
    }
    print_message("%d of %d steps not solved\n", open, 4 * HEAP_STEPS);
    CHECK(contacts > 2 * HEAP_COUNT);
    CHECK(open == 0);
}
