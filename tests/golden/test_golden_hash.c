// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The same bits, always: hashes of the state after a short run of a model with everything. They are
// the same for every compiler and machine that the tests run on. A change of the engine that moves
// a last digit changes them; it then brings the new hashes, and its reason, in the same commit.
#include "pawl/io.h"
#include "support/everything.h"
#include "support/mechanism.h"

#include <inttypes.h>

typedef struct golden_row {
    pawl_stepper_kind stepper;
    pawl_solver_kind solver;
    pawl_delassus_kind delassus;
    bool project;
    uint64_t hash;
} golden_row;

static const golden_row golden_rows[] = {
    {PAWL_STEPPER_EULER, PAWL_SOLVER_DIRECT, PAWL_DELASSUS_SPARSE, true,
     UINT64_C(0x8b03651563adc7f4)},
    {PAWL_STEPPER_EULER, PAWL_SOLVER_PGS_NCP, PAWL_DELASSUS_DENSE, false,
     UINT64_C(0x21b5b8324a12b215)},
    {PAWL_STEPPER_MOREAU, PAWL_SOLVER_DIRECT, PAWL_DELASSUS_DENSE, true,
     UINT64_C(0x6a9f126362ef9c7e)},
    {PAWL_STEPPER_MOREAU, PAWL_SOLVER_PGS_NCP, PAWL_DELASSUS_SPARSE, false,
     UINT64_C(0x04ecd18a9be94198)},
};

// Runs the model, which it destroys, for 200 steps; the hash of the state then.
static uint64_t golden_run(test_env *t, pawl_model *model, const pawl_settings *settings)
{
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t->env, model, settings, &sim));
    for (int k = 0; k < 200; ++k) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    uint64_t hash = pawl_state_hash(pawl_sim_state(sim));
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(t);
    return hash;
}

// 1 if it is not the recorded one, after a message.
static int golden_compare(size_t row, uint64_t hash, uint64_t recorded)
{
    if (hash != recorded) {
        print_error("row %zu: the hash is 0x%016" PRIx64 ", recorded is 0x%016" PRIx64 "\n", row,
                    hash, recorded);
    }
    return hash != recorded;
}

TEST(a_short_run_ends_in_the_recorded_bits)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof golden_rows / sizeof golden_rows[0]; ++i) {
        const golden_row *row = &golden_rows[i];
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        CHECK_OK(everything_build(&t.env, &model));
        pawl_settings settings = mechanism_settings(5e-3, row->stepper);
        settings.solver.kind = row->solver;
        settings.delassus = row->delassus;
        settings.project = row->project;
        wrong += golden_compare(i, golden_run(&t, model, &settings), row->hash);
    }
    CHECK_INT(wrong, 0);
}

// The same of what touches: joints and contacts, sliding, rolling and standing bodies.
TEST(a_short_run_with_contacts_ends_in_the_recorded_bits)
{
    static const struct {
        const char *model;
        pawl_stepper_kind stepper;
        pawl_solver_kind solver;
        uint64_t hash;
    } rows[] = {
        {"models/primitives/nunchuk.sdf", PAWL_STEPPER_EULER, PAWL_SOLVER_ADMM_NCP,
         UINT64_C(0xbc8b95b4a8a5b2bc)},
        {"models/primitives/nunchuk.sdf", PAWL_STEPPER_MOREAU, PAWL_SOLVER_PGS_NCP,
         UINT64_C(0x763e97f66f39bf0b)},
        {"models/classics/S10-spinning-box.sdf", PAWL_STEPPER_MOREAU, PAWL_SOLVER_ADMM_NCP,
         UINT64_C(0x5e6a7a4284f27611)},
        {"models/classics/E3-topple.sdf", PAWL_STEPPER_EULER, PAWL_SOLVER_PGS_NCP,
         UINT64_C(0xfdba4d42c6d16028)},
        {"models/classics/D12-stack-1000.sdf", PAWL_STEPPER_EULER, PAWL_SOLVER_ADMM_NCP,
         UINT64_C(0x59e6869fc0d7bb89)},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        test_env t;
        test_env_init(&t);
        pawl_load_options options = pawl_load_options_default();
        pawl_model *model;
        CHECK_OK(pawl_model_load(&t.env, rows[i].model, &options, &model));
        pawl_settings settings = mechanism_settings(5e-3, rows[i].stepper);
        settings.solver.kind = rows[i].solver;
        wrong += golden_compare(i, golden_run(&t, model, &settings), rows[i].hash);
    }
    CHECK_INT(wrong, 0);
}

// Reversible steps, located events, contacts of which some are left out, coordinates of joints, and contact
// models with maximal dissipation.
TEST(a_short_run_in_another_way_ends_in_the_recorded_bits)
{
    static const struct {
        const char *model, *settings[2][2];
        uint64_t hash;
    } rows[] = {
        {"models/lit/fourbar-passive.sdf",
         {{"stepper", "rattle"}, {"rattle.order", "2"}},
         UINT64_C(0x9949a0c6b5ff8713)},
        {"models/quickstart.sdf",
         {{"stepper", "rattle"}, {"rattle.order", "4"}},
         UINT64_C(0x60d2f25b5cb57c08)},
        {"models/classics/C2-car-axis.sdf",
         {{"stepper", "rattle"}, {"rattle.order", "4"}},
         UINT64_C(0x159a56d7e8381e2e)},
        {"models/primitives/boxes-fixed.sdf",
         {{"contact.reduce", "hull"}, {"contact.reduce_max", "3"}},
         UINT64_C(0xe8622b278083dcff)},
        {"models/lit/pawl-in-slot.sdf",
         {{"stepper", "lit"}, {"solver", "auto"}},
         UINT64_C(0x6ce83a11eb938bb7)},
        {"models/primitives/nunchuk.sdf",
         {{"stepper", "moreau"}, {"formulation", "reduced"}},
         UINT64_C(0x231e8f9d6d731b2e)},
        {"models/nmdp/robosimian-planar.sdf",
         {{"stepper", "nmdp"}, {"nmdp.order", "2"}},
         UINT64_C(0xba1a64a328297dea)},
        {"models/nmdp/robosimian-spatial.sdf",
         {{"stepper", "nmdp"}, {"nmdp.dynamics", "pbd"}},
         UINT64_C(0x533b0db87925a48b)},
        {"models/wrench/four-feet.sdf",
         {{"stepper", "mdp"}, {"mdp.pd", "stable"}},
         UINT64_C(0x4109b0f9a41d0cab)},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        CHECK_OK(pawl_model_load(&t.env, rows[i].model, NULL, &model));
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        for (int k = 0; k < 2; ++k) {
            CHECK_OK(pawl_settings_set(&t.env, &settings, rows[i].settings[k][0],
                                       rows[i].settings[k][1]));
        }
        wrong += golden_compare(i, golden_run(&t, model, &settings), rows[i].hash);
    }
    CHECK_INT(wrong, 0);
}
