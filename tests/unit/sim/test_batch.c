// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Batches, views and factors of masses. What a batch must give is what single simulations give; a model with a factor must move
// as a model that was built with that mass.
#include "math/vec.h"
#include "pawl/batch.h"
#include "pawl/io.h"
#include "pawl/query.h"
#include "support/everything.h"
#include "support/mechanism.h"
#include <stdlib.h>
#include <string.h>

enum { COPIES = 5, STEPS = 12 };

// A robot that falls on the ground, each copy with other inputs.
static pawl_model *batch_robot(test_env *t)
{
    pawl_load_options options = pawl_load_options_default();
    pawl_model *model;
    CHECK_OK(pawl_model_load(&t->env, "models/suite/quadruped.sdf", &options, &model));
    return model;
}

static void batch_vary(pawl_state *s, int copy)
{
    const pawl_model *m = pawl_state_model(s);
    CHECK_OK(pawl_state_set_friction_scale(s, 0.5 + 0.1 * copy));
    CHECK_OK(pawl_state_set_gravity(s, v3(0.1 * copy, 0, -9.81)));
    CHECK_OK(pawl_state_set_mass_scale(s, pawl_model_body_at(m, 0), 1.0 + 0.2 * copy));
    for (int i = 0; i < pawl_model_actuator_count(m); ++i) {
        CHECK_OK(pawl_state_set_target(s, pawl_model_actuator_at(m, i), 0.02 * copy * (i % 3)));
    }
}

// Single simulations are the expected answer.
static void batch_expect(test_env *t, const pawl_model *model, const pawl_settings *settings,
                         uint64_t hash[COPIES])
{
    for (int i = 0; i < COPIES; ++i) {
        pawl_sim *sim;
        CHECK_OK(pawl_sim_create(&t->env, model, settings, &sim));
        batch_vary(pawl_sim_edit_state(sim), i);
        for (int k = 0; k < STEPS; ++k) {
            CHECK_OK(pawl_sim_step(sim, NULL));
        }
        hash[i] = pawl_state_hash(pawl_sim_state(sim));
        pawl_sim_destroy(sim);
    }
}

TEST(a_batch_has_the_bits_of_single_simulations_for_any_number_of_threads)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model = batch_robot(&t);
    for (int stepper = 0; stepper < 2; ++stepper) {
        pawl_settings settings =
            mechanism_settings(2e-3, stepper == 0 ? PAWL_STEPPER_MOREAU : PAWL_STEPPER_EULER);
        uint64_t expected[COPIES];
        batch_expect(&t, model, &settings, expected);
        for (int threads = 1; threads <= 3; ++threads) {
            pawl_batch *b;
            CHECK_OK(pawl_batch_create(&t.env, model, &settings, COPIES, threads, &b));
            CHECK_INT(pawl_batch_thread_count(b), threads);
            for (int i = 0; i < COPIES; ++i) {
                batch_vary(pawl_batch_edit_state(b, i), i);
            }
            // In portions: a copy comes back to another simulation in between.
            CHECK_OK(pawl_batch_step(b, 5, NULL));
            CHECK_OK(pawl_batch_step(b, 1, NULL));
            CHECK_OK(pawl_batch_step(b, STEPS - 6, NULL));
            for (int i = 0; i < COPIES; ++i) {
                CHECK(pawl_state_hash(pawl_batch_state(b, i)) == expected[i]);
                CHECK(pawl_batch_report(b, i)->contacts > 0);
                CHECK_INT((int)pawl_batch_verdict(b, i)->steps, STEPS);
            }
            pawl_batch_destroy(b);
        }
    }
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

// Only the chosen copies move; a copy that is reset repeats its run.
TEST(copies_are_reset_one_by_one)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model = batch_robot(&t);
    pawl_settings settings = mechanism_settings(2e-3, PAWL_STEPPER_MOREAU);
    pawl_batch *b;
    CHECK_OK(pawl_batch_create(&t.env, model, &settings, 3, 2, &b));
    uint64_t start = pawl_state_hash(pawl_batch_state(b, 1));
    for (int i = 0; i < 3; ++i) {
        batch_vary(pawl_batch_edit_state(b, i), i);
    }
    CHECK_OK(pawl_batch_step(b, 4, NULL));
    uint64_t first = pawl_state_hash(pawl_batch_state(b, 1));
    const unsigned char one[3] = {0, 1, 0};
    CHECK_OK(pawl_batch_step(b, 3, one));
    CHECK_INT((int)pawl_state_step(pawl_batch_state(b, 0)), 4);
    CHECK_INT((int)pawl_state_step(pawl_batch_state(b, 1)), 7);
    CHECK_OK(pawl_batch_reset(b, one, NULL, true)); // inputs stay, and so does the motion
    CHECK_INT((int)pawl_state_step(pawl_batch_state(b, 0)), 4);
    CHECK_OK(pawl_batch_step(b, 4, one));
    // The energy at the start is counted with the inputs now; all else is the same.
    CHECK_NEAR(pawl_state_energy(pawl_batch_state(b, 1)).balance, 0.0, 1e-3);
    CHECK_OK(pawl_batch_reset(b, one, NULL, false));
    CHECK(pawl_state_hash(pawl_batch_state(b, 1)) == start);
    batch_vary(pawl_batch_edit_state(b, 1), 1);
    CHECK_OK(pawl_batch_step(b, 4, one));
    CHECK(pawl_state_hash(pawl_batch_state(b, 1)) == first);
    CHECK(pawl_state_hash(pawl_batch_state(b, 0)) != first);
    pawl_batch_destroy(b);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

// A callback that returns no number refuses the step of the copies that reach its time; the others are stepped.
static double batch_bad_signal(void *user, double t)
{
    (void)user;
    return t > 0.05 ? NAN : 0.0;
}

TEST(a_copy_that_fails_stays_where_it_was_and_the_others_step)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
    pawl_force_def def = pawl_force_def_default();
    def.body = body;
    def.force[0] = (pawl_signal){.kind = PAWL_SIGNAL_CALLBACK, .callback = batch_bad_signal};
    mechanism_force(&m, &def);
    mechanism_compile(&m);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_MOREAU);
    pawl_batch *b;
    CHECK_OK(pawl_batch_create(&m.t.env, m.model, &settings, 3, 2, &b));
    const unsigned char last[3] = {0, 0, 1};
    CHECK_OK(pawl_batch_step(b, 4, last));
    CHECK_STATUS(pawl_batch_step(b, 3, NULL), PAWL_NOT_FINITE);
    CHECK_STATUS(pawl_batch_status(b, 0), PAWL_OK);
    CHECK_STATUS(pawl_batch_status(b, 2), PAWL_NOT_FINITE);
    CHECK_INT((int)pawl_state_step(pawl_batch_state(b, 1)), 3);
    CHECK_INT((int)pawl_state_step(pawl_batch_state(b, 2)), 5);
    pawl_batch_destroy(b);
    mechanism_end(&m);
}

TEST(steady_steps_of_a_batch_allocate_nothing_and_views_stay)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model = batch_robot(&t);
    pawl_settings settings = mechanism_settings(2e-3, PAWL_STEPPER_MOREAU);
    pawl_batch *b;
    CHECK_OK(pawl_batch_create(&t.env, model, &settings, 4, 1, &b));
    CHECK_OK(pawl_batch_hold_targets(b));
    pawl_batch_table p = pawl_batch_view(b, PAWL_VIEW_POSITION);
    pawl_batch_table u = pawl_batch_view(b, PAWL_VIEW_TARGET);
    CHECK_OK(pawl_batch_step(b, 60, NULL));
    int64_t requests = t.calls;
    *(double *)((char *)u.first.data + 2 * u.copy_stride) = 0.125; // target 0 of copy 2
    CHECK_OK(pawl_batch_step(b, 5, NULL));
    CHECK(t.calls == requests);
    pawl_actuator_id motor = pawl_model_actuator_at(model, 0);
    CHECK_NEAR(pawl_state_target(pawl_batch_state(b, 2), motor), 0.125, 0.0);
    for (int i = 0; i < 4; ++i) {
        const double *z = (const double *)((const char *)p.first.data + (size_t)i * p.copy_stride);
        pawl_pose pose = pawl_state_pose(pawl_batch_state(b, i), pawl_model_body_at(model, 0));
        pawl_vec3 com =
            pawl_pose_apply(pose, pawl_model_body(model, pawl_model_body_at(model, 0)).com);
        CHECK_NEAR3(v3(z[0], z[1], z[2]), com, 1e-12);
        const double *q = pawl_batch_results(b, PAWL_BATCH_COORDINATE).first.data +
                          i * pawl_model_coordinate_count(model);
        double expected[64];
        CHECK_OK(pawl_state_joints(pawl_batch_state(b, i), expected, NULL));
        CHECK(memcmp(q, expected, (size_t)pawl_model_coordinate_count(model) * sizeof *q) == 0);
    }
    *u.first.data = NAN;
    CHECK_STATUS(pawl_batch_step(b, 1, NULL), PAWL_NOT_FINITE);
    pawl_batch_destroy(b);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

TEST(the_state_of_a_simulation_stays_in_its_place)
{
    mechanism m;
    mechanism_throw(&m);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    pawl_state *s = pawl_sim_edit_state(m.sim);
    pawl_view r = pawl_state_view(s, PAWL_VIEW_POSITION), t = pawl_state_view(s, PAWL_VIEW_TIME);
    for (int i = 0; i < 3; ++i) {
        mechanism_step(&m);
        CHECK(pawl_sim_state(m.sim) == s);
        CHECK_NEAR(*t.data, 0.01 * (i + 1), 1e-15);
        CHECK_NEAR(r.data[0] - pawl_state_centre_of_mass(s).x, 0.0, 1e-14);
    }
    // Written through views: a body that is put elsewhere falls from there.
    pawl_view v = pawl_state_view(s, PAWL_VIEW_VELOCITY);
    r.data[2] = 7.0;
    v.data[0] = v.data[1] = v.data[2] = 0.0;
    CHECK_OK(pawl_state_accept(s));
    mechanism_step(&m);
    CHECK_NEAR(r.data[2], 7.0 - 0.5 * 9.81 / 2 * 1e-4, 1e-9);
    r.data[2] = INFINITY;
    CHECK_STATUS(pawl_state_accept(s), PAWL_BAD_ARGUMENT);
    r.data[2] = 7.0;
    mechanism_end(&m);
}

// A pendulum of two rods, built with a factor on the masses or given it as an input: the same bits.
static pawl_model *mass_pendulum(test_env *t, double factor)
{
    pawl_builder *builder;
    pawl_model *model;
    CHECK_OK(pawl_builder_create(&t->env, "pendulum", &builder));
    pawl_body_id rods[2];
    for (int i = 0; i < 2; ++i) {
        pawl_body_def def = pawl_body_def_default();
        double f = i == 1 ? factor : 1.0;
        def.mass = 2.0 * f;
        def.pose.position = v3(0.5 + i, 0, 0);
        memcpy(def.inertia, (double[6]){0.02 * f, 0.1 * f, 0.15 * f, 0.01 * f, 0, 0},
               sizeof def.inertia);
        CHECK_OK(pawl_builder_add_body(builder, &def, &rods[i]));
        CHECK_OK(pawl_builder_connect(builder, NULL, PAWL_JOINT_SPHERICAL,
                                      i == 0 ? PAWL_WORLD : rods[0], rods[i], v3(i, 0, 0),
                                      v3(0, 1, 0), NULL));
    }
    CHECK_OK(pawl_builder_compile(builder, &model));
    pawl_builder_destroy(builder);
    return model;
}

TEST(a_factor_of_a_mass_moves_as_a_model_built_with_it)
{
    test_env t;
    test_env_init(&t);
    pawl_model *built = mass_pendulum(&t, 1.75), *plain = mass_pendulum(&t, 1.0);
    for (int form = 0; form < 2; ++form) {
        for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
            pawl_settings settings = mechanism_settings(2e-3, (pawl_stepper_kind)stepper);
            settings.formulation = (pawl_formulation)form;
            if (form == 1 && stepper == PAWL_STEPPER_RATTLE) {
                continue; // in maximal coordinates alone
            }
            pawl_sim *a, *b;
            CHECK_OK(pawl_sim_create(&t.env, built, &settings, &a));
            CHECK_OK(pawl_sim_create(&t.env, plain, &settings, &b));
            pawl_body_id rod = pawl_model_body_at(plain, 1);
            CHECK_OK(pawl_state_set_mass_scale(pawl_sim_edit_state(b), rod, 1.75));
            CHECK_NEAR(pawl_state_mass_scale(pawl_sim_state(b), rod), 1.75, 0.0);
            pawl_step_report x, y;
            for (int k = 0; k < 50; ++k) {
                CHECK_OK(pawl_sim_step(a, &x));
                CHECK_OK(pawl_sim_step(b, &y));
            }
            pawl_view p = pawl_state_view(pawl_sim_edit_state(a), PAWL_VIEW_POSITION);
            pawl_view q = pawl_state_view(pawl_sim_edit_state(b), PAWL_VIEW_POSITION);
            for (int i = 0; i < 3; ++i) {
                CHECK_NEAR(p.data[13 + i], q.data[13 + i], 1e-13);
            }
            CHECK_NEAR(x.energy.kinetic, y.energy.kinetic, 1e-11);
            CHECK_NEAR(y.energy.balance, x.energy.balance, 1e-10);
            CHECK_NEAR(pawl_state_momentum(pawl_sim_state(a), v3(0, 0, 0)).linear.z,
                       pawl_state_momentum(pawl_sim_state(b), v3(0, 0, 0)).linear.z, 1e-11);
            pawl_sim_destroy(a);
            pawl_sim_destroy(b);
        }
    }
    pawl_model_destroy(built);
    pawl_model_destroy(plain);
    CHECK_NO_LEAK(&t);
}

// Saved and loaded with the state; 1 is none; cleared with all inputs; the balance goes on.
TEST(factors_of_masses_are_inputs)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model = mass_pendulum(&t, 1.0);
    pawl_state *s, *loaded;
    CHECK_OK(pawl_state_create(&t.env, model, &s));
    CHECK_OK(pawl_state_create(&t.env, model, &loaded));
    uint64_t hash = pawl_state_hash(s);
    double balance = pawl_state_energy(s).balance;
    pawl_body_id rod = pawl_model_body_at(model, 0);
    CHECK_OK(pawl_state_set_twist(s, rod, (pawl_twist){{1, 2, 3}, {4, 5, 6}}));
    CHECK_OK(pawl_state_set_twist(s, rod, (pawl_twist){{0, 0, 0}, {0, 0, 0}}));
    CHECK(pawl_state_hash(s) == hash);
    CHECK_OK(pawl_state_set_mass_scale(s, rod, 3.0));
    CHECK_INT(pawl_state_input_count(s), 1);
    CHECK_NEAR(pawl_state_energy(s).balance, balance, 1e-12);
    CHECK(pawl_state_hash(s) != hash);
    char *bytes = calloc(1, pawl_state_size(s));
    CHECK_OK(pawl_state_save(s, bytes));
    CHECK_OK(pawl_state_load(&t.env, loaded, bytes, pawl_state_size(s)));
    CHECK(pawl_state_hash(loaded) == pawl_state_hash(s));
    CHECK_NEAR(pawl_state_mass_scale(loaded, rod), 3.0, 0.0);
    CHECK_OK(pawl_state_set_mass_scale(s, rod, 1.0));
    CHECK_INT(pawl_state_input_count(s), 0);
    CHECK_OK(pawl_state_clear_inputs(loaded));
    CHECK_INT(pawl_state_input_count(loaded), 0);
    free(bytes);
    pawl_state_destroy(s);
    pawl_state_destroy(loaded);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

static pawl_status batch_make(const pawl_env *env, void *argument)
{
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    pawl_batch *b;
    pawl_status status = pawl_batch_create(env, argument, &settings, 2, 1, &b);
    pawl_batch_destroy(b);
    return status;
}

TEST(a_batch_survives_no_memory)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model = mass_pendulum(&t, 1.0);
    CHECK_SURVIVES_NO_MEMORY(batch_make, model);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
