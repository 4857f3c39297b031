// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One large island on bumpy ground: hundreds of pairs of shapes, which several threads look at, and factors
// that they find together. Contacts, their order and the state have the same bits for any number of threads, also of shapes
// that meet the ground in many manifolds.
#include "pawl/wrench.h"
#include "support/mechanism.h"
#include "support/random.h"
#include "support/scene.h"
#include "support/test.h"

#include <math.h>

enum { PAIR_SIDE = 6, PAIR_LAYERS = 5, PAIR_STEPS = 40, PAIR_FEW = 6, PAIR_FIELD = 9 };

static void pair_ground(mechanism *m)
{
    static double heights[PAIR_FIELD * PAIR_FIELD];
    for (int i = 0; i < PAIR_FIELD * PAIR_FIELD; ++i) {
        heights[i] = 0.02 * sin(1.3 * i);
    }
    pawl_heightfield_def def = pawl_heightfield_def_default();
    def.x_count = def.y_count = PAIR_FIELD;
    def.dx = def.dy = 0.2;
    def.heights = heights;
    def.frame.position = v3(-0.8, -0.8, 0.0);
    def.surface.friction = 0.5;
    CHECK_OK(pawl_builder_add_heightfield(m->builder, &def, NULL));
}

typedef struct pair_run {
    uint64_t hash[PAIR_STEPS];
    int contacts[PAIR_STEPS];
} pair_run;

// Boxes and spheres in turn, layer on layer, all of them touching at once.
static pair_run pair_run_make(int threads, int budget, int steps)
{
    mechanism m;
    pair_run run = {0};
    uint64_t seed = 5;
    mechanism_begin(&m);
    pair_ground(&m);
    for (int i = 0; i < PAIR_SIDE * PAIR_SIDE * PAIR_LAYERS; ++i) {
        int layer = i / (PAIR_SIDE * PAIR_SIDE);
        pawl_vec3 at = {0.1 * (i % PAIR_SIDE - 2.5) + random_in(&seed, -4e-3, 4e-3),
                        0.1 * (i / PAIR_SIDE % PAIR_SIDE - 2.5) + random_in(&seed, -4e-3, 4e-3),
                        0.09 + 0.1 * layer};
        if (i % 2 == 0) {
            (void)scene_box_at(&m, 1.0, v3(0.099, 0.099, 0.099), at, 0.5);
        } else {
            (void)scene_sphere(&m, 1.0, 0.05, at, v3(0, 0, 0), 0.5, 0.0);
        }
    }
    pawl_settings settings = scene_settings(2e-3);
    settings.threads = threads;
    settings.solver.budget = budget;
    mechanism_start(&m, &settings);
    for (int k = 0; k < steps; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(m.sim, &report));
        run.contacts[k] = report.contacts;
        run.hash[k] = pawl_state_hash(mechanism_state(&m));
    }
    mechanism_end(&m);
    return run;
}

static void pair_check(int budget, int steps)
{
    pair_run one = pair_run_make(1, budget, steps);
    int most = 0;
    for (int k = 0; k < steps; ++k) {
        most = one.contacts[k] > most ? one.contacts[k] : most;
    }
    print_message("up to %d contacts\n", most);
    CHECK(most > 500); // of one to four for a pair: enough pairs for threads to look at
    for (int threads = 2; threads <= 7; threads += threads == 3 ? 4 : 1) {
        pair_run other = pair_run_make(threads, budget, steps);
        for (int k = 0; k < steps; ++k) {
            CHECK_INT(other.contacts[k], one.contacts[k]);
            CHECK(other.hash[k] == one.hash[k]);
        }
    }
}

TEST(pairs_of_a_large_island_give_the_same_bits_with_threads)
{
    pair_check(4, PAIR_STEPS);
}

TEST(factors_of_a_large_island_give_the_same_bits_with_threads)
{
    pair_check(0, PAIR_FEW);
}
