// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Times of a step by phase. The clock here shows how often it was read, so that sums are exact and
// nothing depends on how fast the machine is.
#include "math/vec.h"
#include "support/everything.h"
#include "support/mechanism.h"

static double phases_tick(void *user)
{
    return (double)++*(int *)user;
}

static double phases_sum(const pawl_step_report *report)
{
    double sum = 0.0;
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        CHECK(report->seconds[p] >= 0.0);
        sum += report->seconds[p];
    }
    return sum;
}

// Each reading ends an interval that began with the one before: n readings, n - 1 seconds.
TEST(the_phases_of_a_step_add_up_to_the_step)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        pawl_sim *sim;
        CHECK_OK(everything_build(&t.env, &model));
        pawl_settings settings = mechanism_settings(5e-3, (pawl_stepper_kind)s);
        CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
        int ticks = 0;
        pawl_sim_set_clock(sim, phases_tick, &ticks);
        for (int k = 0; k < 20; ++k) {
            pawl_step_report report;
            int before = ticks;
            CHECK_OK(pawl_sim_step(sim, &report));
            CHECK_NEAR(phases_sum(&report), (double)(ticks - before - 1), 0.0);
            CHECK(report.seconds[PAWL_PHASE_ASSEMBLE] > 0.0);
            CHECK(report.seconds[PAWL_PHASE_SOLVE] > 0.0);
            CHECK(report.seconds[PAWL_PHASE_MOVE] > 0.0);
        }
        pawl_sim_set_clock(sim, NULL, NULL);
        int before = ticks;
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
        CHECK_INT(ticks, before);
        CHECK_NEAR(phases_sum(&report), 0.0, 0.0);
        pawl_sim_destroy(sim);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

TEST(finding_contacts_takes_time_only_where_something_can_touch)
{
    for (int touching = 0; touching < 2; ++touching) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id ball = mechanism_solid(&m, 1.0, v3(0, 0, 0.5), v3(0.1, 0.1, 0.1));
        pawl_shape_def def = pawl_shape_def_default();
        def.kind = PAWL_SHAPE_SPHERE;
        def.size = v3(0.5, 0.5, 0.5);
        CHECK_OK(pawl_builder_add_shape(m.builder, ball, &def, NULL));
        if (touching) {
            def.kind = PAWL_SHAPE_PLANE;
            CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &def, NULL));
        }
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        mechanism_start(&m, &settings);
        int ticks = 0;
        pawl_sim_set_clock(m.sim, phases_tick, &ticks);
        mechanism_step(&m);
        CHECK((m.report.seconds[PAWL_PHASE_COLLIDE] > 0.0) == (touching == 1));
        mechanism_end(&m);
    }
}

TEST(a_clock_does_not_change_the_bits)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model;
    CHECK_OK(everything_build(&t.env, &model));
    uint64_t hash[2];
    for (int timed = 0; timed < 2; ++timed) {
        pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_EULER);
        pawl_sim *sim;
        int ticks = 0;
        CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
        if (timed) {
            pawl_sim_set_clock(sim, phases_tick, &ticks);
        }
        for (int k = 0; k < 50; ++k) {
            CHECK_OK(pawl_sim_step(sim, NULL));
        }
        hash[timed] = pawl_state_hash(pawl_sim_state(sim));
        pawl_sim_destroy(sim);
    }
    CHECK(hash[0] == hash[1]);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

TEST(every_phase_has_a_name)
{
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        CHECK(pawl_phase_name((pawl_phase)p) != NULL);
    }
    CHECK(pawl_phase_name(PAWL_PHASE_COUNT) == NULL);
}
