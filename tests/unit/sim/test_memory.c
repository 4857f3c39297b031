// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Memory: none in a step, and none lost when there is not enough.
#include "pawl/check.h"
#include "support/everything.h"
#include "support/mechanism.h"

// Counted: a step of a model with everything asks for no memory, in any configuration.
TEST(a_step_allocates_nothing)
{
    for (int variant = 0; variant < 8 * PAWL_DELASSUS_COUNT; ++variant) {
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        CHECK_OK(everything_build(&t.env, &model));
        pawl_settings settings = mechanism_settings(5e-3, (pawl_stepper_kind)(variant % 2));
        settings.solver.kind = variant / 2 % 2 == 0 ? PAWL_SOLVER_DIRECT : PAWL_SOLVER_PGS_NCP;
        settings.project = variant / 4 % 2 == 0;
        settings.delassus = (pawl_delassus_kind)(variant / 8);
        if (settings.delassus == PAWL_DELASSUS_MATRIX_FREE) {
            settings.loop.tolerance = 0.0; // it refuses rows that nearly repeat each other
        }
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

// Two balls that bounce between each other and two walls for ever, without friction, on a floor: the
// graph of contacts changes again and again, and is never new after the first rounds.
static void memory_add_bouncers(mechanism *m)
{
    pawl_shape_def ball = pawl_shape_def_default();
    ball.kind = PAWL_SHAPE_SPHERE;
    ball.size = (pawl_vec3){0.1, 0.0, 0.0};
    ball.friction = 0.0;
    ball.restitution = 1.0;
    for (int i = 0; i < 2; ++i) {
        pawl_body_def body = pawl_body_def_default();
        body.mass = 1.0;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.004;
        body.pose.position = (pawl_vec3){i == 0 ? -0.15 : 0.15, 0.0, 0.1};
        body.twist.linear.x = i == 0 ? 2.0 : -2.0;
        CHECK_OK(pawl_builder_add_shape(m->builder, mechanism_body(m, &body), &ball, NULL));
    }
    pawl_shape_def wall = ball;
    wall.kind = PAWL_SHAPE_BOX;
    wall.size = (pawl_vec3){0.1, 1.0, 1.0};
    for (int side = -1; side <= 1; side += 2) {
        wall.frame.position = (pawl_vec3){0.45 * side, 0.0, 0.0};
        CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &wall, NULL));
    }
    pawl_shape_def floor = ball;
    floor.kind = PAWL_SHAPE_PLANE;
    floor.restitution = 0.0;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &floor, NULL));
}

// Counted: with every operator, contacts that come and go ask for no memory once they have been there.
TEST(contacts_that_come_and_go_allocate_nothing)
{
    for (int variant = 0; variant < 2 * PAWL_DELASSUS_COUNT; ++variant) {
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, (pawl_vec3){0.0, 0.0, -9.81});
        memory_add_bouncers(&m);
        pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_EULER);
        settings.solver.kind = variant % 2 == 0 ? PAWL_SOLVER_ADMM_NCP_FP : PAWL_SOLVER_ADMM_NCP;
        settings.delassus = (pawl_delassus_kind)(variant / 2);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 200);
        int64_t calls = m.t.calls;
        int changes = 0, contacts = 0;
        for (int i = 0; i < 400; ++i) {
            mechanism_step(&m);
            changes += m.report.contacts != contacts;
            contacts = m.report.contacts;
        }
        CHECK(changes > 20);
        CHECK_INT(m.t.calls, calls);
        mechanism_end(&m);
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
    for (int variant = 0; variant < 2 * PAWL_DELASSUS_COUNT; ++variant) {
        plan.settings = pawl_settings_default();
        plan.settings.delassus = (pawl_delassus_kind)(variant / 2);
        plan.settings.solver.kind = variant % 2 == 0 ? PAWL_SOLVER_DIRECT : PAWL_SOLVER_PGS_NCP;
        plan.settings.threads = 1 + variant / 3 % 2;
        CHECK(CHECK_SURVIVES_NO_MEMORY(memory_make_sim, &plan) > 5);
    }
    CHECK(CHECK_SURVIVES_NO_MEMORY(memory_make_check, plan.model) > 5);
    pawl_model_destroy(plan.model);
    CHECK_NO_LEAK(&t);
}
