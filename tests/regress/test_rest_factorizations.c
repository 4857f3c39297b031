// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Stacks at rest need next to no factorizations: the impulses of a step are those of the next one. They were a cycle of three
// steps, two of which factored: impulses that are off by a little were accepted until what they add up to had to be
// stopped, by impulses that were off by that.
#include "pawl/io.h"
#include "support/random.h"
#include "support/scene.h"
#include "support/test.h"

enum { REST_STACKS = 24, REST_BEFORE = 300, REST_STEPS = 150 };

// Boxes of random sizes and masses on each other, and their factorizations in so many steps at rest.
static int rest_factorizations(uint64_t seed, double tolerance)
{
    mechanism m;
    scene_floor(&m, 0.6, 0.0, 0.0);
    int count = 2 + random_index(&seed, 10);
    double dt = exp(random_in(&seed, log(1e-3), log(1e-2))), top = 0.0;
    for (int i = 0; i < count; ++i) {
        double mass = exp(random_in(&seed, log(0.3), log(3.0)));
        pawl_vec3 half = {random_in(&seed, 0.1, 0.15), random_in(&seed, 0.1, 0.15),
                          random_in(&seed, 0.05, 0.1)};
        (void)scene_box_at(&m, mass, half, v3(0, 0, top + half.z), 0.6);
        top += 2.0 * half.z;
    }
    pawl_settings settings = pawl_settings_default();
    settings.dt = dt;
    settings.solver.tolerance = tolerance;
    mechanism_start(&m, &settings);
    int factorizations = 0;
    for (int k = 0; k < REST_BEFORE + REST_STEPS; ++k) {
        scene_step(&m);
        factorizations += k >= REST_BEFORE ? m.report.factorizations : 0;
        CHECK(k < REST_BEFORE || m.report.outcome == PAWL_CONVERGED);
    }
    CHECK(scene_top_speed(&m) < tolerance);
    print_message("%d boxes, dt %.2g: %d factorizations in %d steps\n", count, dt, factorizations,
                  REST_STEPS);
    mechanism_end(&m);
    return factorizations;
}

TEST(stacks_at_rest_factor_in_fewer_than_one_of_five_steps)
{
    static const double tolerances[] = {1e-8, 1e-6};
    for (int t = 0; t < 2; ++t) {
        int sum = 0;
        for (uint64_t seed = 1; seed <= REST_STACKS; ++seed) {
            sum += rest_factorizations(seed, tolerances[t]);
        }
        CHECK(5 * sum < REST_STACKS * REST_STEPS);
    }
}

// A nunchuk on the ground has twelve corners for twelve freedoms, and gaps that no motion of its can close all at once. It
// was solved anew in every step.
TEST(more_corners_than_freedoms_come_to_rest)
{
    enum { BEFORE = 1000, STEPS = 200 };
    static const double dts[] = {2e-3, 5e-3, 8e-3};
    for (int i = 0; i < 3; ++i) {
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        pawl_sim *sim;
        CHECK_OK(pawl_model_load(&t.env, "models/primitives/nunchuk.sdf", NULL, &model));
        pawl_settings settings = pawl_settings_default();
        settings.dt = dts[i];
        CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
        int factorizations = 0;
        for (int k = 0; k < BEFORE + STEPS; ++k) {
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(sim, &report));
            factorizations += k >= BEFORE ? report.factorizations : 0;
        }
        print_message("nunchuk, dt %.2g: %d factorizations in %d steps\n", dts[i], factorizations,
                      STEPS);
        CHECK(factorizations < STEPS);
        pawl_sim_destroy(sim);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}
