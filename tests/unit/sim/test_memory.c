// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Memory: none in a step, and none lost when there is not enough.
#include "support/everything.h"
#include "support/mechanism.h"

// Counted: a step of a model with everything asks for no memory, in any configuration.
TEST(a_step_allocates_nothing)
{
    for (int way = 0; way < 16; ++way) {
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        CHECK_OK(everything_build(&t.env, &model));
        pawl_settings settings = mechanism_settings(5e-3, (pawl_stepper_kind)(way % 2));
        settings.solver = way / 2 % 2 == 0 ? PAWL_SOLVER_DIRECT : PAWL_SOLVER_PGS_NCP;
        settings.project = way / 4 % 2 == 0;
        settings.delassus = way / 8 % 2 == 0 ? PAWL_DELASSUS_DENSE : PAWL_DELASSUS_SPARSE;
        pawl_sim *sim;
        CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
        int64_t calls = t.calls, blocks = t.live_blocks;
        pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
        bool active = false;
        for (int i = 0; i < 60; ++i) {
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(sim, &report));
            pawl_verdict_add(&verdict, &report);
            active = active || report.bounded_rows > 0;
        }
        CHECK(active);
        CHECK_INT(t.calls, calls);
        CHECK_INT(t.live_blocks, blocks);
        pawl_sim_destroy(sim);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

static pawl_status memory_make_model(const pawl_env *env, void *argument)
{
    (void)argument;
    pawl_model *model;
    pawl_status status = everything_build(env, &model);
    CHECK((status == PAWL_OK) == (model != NULL));
    pawl_model_destroy(model);
    return status;
}

TEST(building_a_model_survives_each_failing_request)
{
    CHECK(CHECK_SURVIVES_NO_MEMORY(memory_make_model, NULL) > 50);
}

static pawl_status memory_make_state(const pawl_env *env, void *argument)
{
    pawl_state *state;
    pawl_status status = pawl_state_create(env, argument, &state);
    CHECK((status == PAWL_OK) == (state != NULL));
    pawl_state_destroy(state);
    return status;
}

typedef struct memory_plan {
    pawl_model *model;
    pawl_settings settings;
} memory_plan;

static pawl_status memory_make_sim(const pawl_env *env, void *argument)
{
    const memory_plan *plan = argument;
    pawl_sim *sim;
    pawl_status status = pawl_sim_create(env, plan->model, &plan->settings, &sim);
    CHECK((status == PAWL_OK) == (sim != NULL));
    pawl_sim_destroy(sim);
    return status;
}

static pawl_status memory_make_check(const pawl_env *env, void *argument)
{
    pawl_check *check;
    pawl_status status = pawl_check_model(env, argument, &check);
    CHECK((status == PAWL_OK) == (check != NULL));
    pawl_check_destroy(check);
    return status;
}

TEST(states_simulations_and_checks_survive_each_failing_request)
{
    test_env t;
    test_env_init(&t);
    memory_plan plan;
    CHECK_OK(everything_build(&t.env, &plan.model));
    CHECK_INT(CHECK_SURVIVES_NO_MEMORY(memory_make_state, plan.model), 1);
    for (int way = 0; way < 4; ++way) {
        plan.settings = pawl_settings_default();
        plan.settings.delassus = way % 2 == 0 ? PAWL_DELASSUS_DENSE : PAWL_DELASSUS_SPARSE;
        plan.settings.solver = way / 2 == 0 ? PAWL_SOLVER_DIRECT : PAWL_SOLVER_PGS_NCP;
        CHECK(CHECK_SURVIVES_NO_MEMORY(memory_make_sim, &plan) > 5);
    }
    CHECK(CHECK_SURVIVES_NO_MEMORY(memory_make_check, plan.model) > 5);
    pawl_model_destroy(plan.model);
    CHECK_NO_LEAK(&t);
}
