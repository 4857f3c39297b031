// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A stepper is a file and a table row: symplectic Euler for free bodies, written here in about forty lines, runs by the
// same simulator, settings and verdict as those of the library, which know nothing of it: this program is linked with a
// table of its own. Every row of the table
// keeps the contract: nothing is allocated in a step, and a state that is set again leads to the same bits.
#include "sim/sim.h"
#include "step/common/position_update.h"
#include "step/stepper_ops.h"
#include "support/mechanism.h"

// ---- the stepper: v+ = v + h (g + damping), x+ = x + h v+; no joints, no contacts -----------------

typedef struct plain_memory {
    int steps; // since the state was set
} plain_memory;

static pawl_status plain_check(const pawl_env *env, const pawl_model *model,
                               const pawl_settings *settings)
{
    (void)settings;
    if (model != NULL && model->joint_count > 0) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED, "stepper plain does not know joints");
    }
    return PAWL_OK;
}

static void *plain_size(const pawl_model *model, const pawl_assembly *a, pawl_carver *mem)
{
    (void)model, (void)a;
    return PAWL_CARVE(mem, plain_memory, 1);
}

static void plain_reset(step_context *c)
{
    ((plain_memory *)c->own.sized)->steps = 0;
}

static void plain_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    double h = c->settings->dt;
    *report = (pawl_step_report){.outcome = PAWL_CONVERGED};
    for (int i = 0; i < c->model->body_count; ++i) {
        const model_body *b = &c->model->bodies[i];
        s->bodies[i].v = v3_axpy(s->bodies[i].v, h * b->gravity_scale, c->model->gravity);
    }
    pawl_advance_poses(c->model, s->bodies, s->bodies, h, pawl_step_end(s, h));
    ++((plain_memory *)c->own.sized)->steps;
    c->placed = false;
}

static const pawl_stepper_ops plain_ops = {
    .name = "plain",
    .summary = "symplectic Euler of free bodies",
    .check = plain_check,
    .size = plain_size,
    .reset = plain_reset,
    .advance = plain_advance,
};

// ---- the table that this program is linked with ------------------------------------------------------

const pawl_stepper_ops *const pawl_steppers[] = {
    [PAWL_STEPPER_EULER] = &pawl_euler_ops, [PAWL_STEPPER_MOREAU] = &pawl_moreau_ops,
    [PAWL_STEPPER_LIT] = &pawl_lit_ops,     [PAWL_STEPPER_RATTLE] = &pawl_rattle_ops,
    [PAWL_STEPPER_MDP] = &pawl_mdp_ops,     [PAWL_STEPPER_NMDP] = &pawl_nmdp_ops,
    [PAWL_STEPPER_COUNT] = &plain_ops,
};
const int pawl_stepper_count = (int)(sizeof pawl_steppers / sizeof pawl_steppers[0]);

// ---- the contract --------------------------------------------------------------------------------

// Closed form: symplectic Euler falls by g t (t + h) / 2, as euler does.
TEST(a_stepper_of_one_file_and_one_row_runs)
{
    mechanism m;
    mechanism_throw(&m);
    double h = 1e-2;
    pawl_settings settings = mechanism_settings(h, PAWL_STEPPER_EULER);
    CHECK_OK(pawl_settings_set(&m.t.env, &settings, "stepper", "plain"));
    mechanism_start(&m, &settings);
    mechanism_run(&m, 100);
    double t = mechanism_time(&m), g = 0.5 * 9.81;
    double z = 5.0 * t - 0.5 * g * t * (t + h);
    CHECK_NEAR3(pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position,
                v3(t, 0, z), 1e-12);
    CHECK_NEAR(mechanism_energy(&m).balance, -3.0 * g * 0.5 * g * h * t, 1e-11);
    const plain_memory *memory = m.sim->context.own.sized;
    CHECK_INT(memory->steps, 100);
    CHECK_OK(pawl_sim_set_state(m.sim, mechanism_state(&m)));
    CHECK_INT(memory->steps, 0);
    mechanism_end(&m);
}

TEST(a_stepper_refuses_what_it_does_not_know)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(1, 0, 0), v3(1, 1, 1));
    mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 0), v3(0, 1, 0));
    pawl_settings settings = mechanism_settings(1e-2, (pawl_stepper_kind)PAWL_STEPPER_COUNT);
    mechanism_compile(&m);
    CHECK_STATUS(pawl_sim_create(&m.t.env, m.model, &settings, &m.sim), PAWL_UNSUPPORTED);
    mechanism_end(&m);
}

// A state that is set again is all that shapes the steps after it, whatever a stepper keeps for itself.
TEST(every_stepper_repeats_its_steps_from_a_state)
{
    enum { STEPS = 20 };
    for (int kind = 0; kind < PAWL_STEPPER_COUNT; ++kind) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id body = mechanism_solid(&m, 1.0, v3(1, 0, 0), v3(0.1, 0.2, 0.3));
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 0), v3(0, 1, 0));
        pawl_settings settings = mechanism_settings(1e-2, (pawl_stepper_kind)kind);
        mechanism_start(&m, &settings);
        mechanism_run(&m, STEPS);
        pawl_state *start = NULL;
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &start));
        CHECK_OK(pawl_state_copy(start, mechanism_state(&m)));
        int64_t calls = m.t.calls;
        mechanism_run(&m, STEPS);
        CHECK_INT(m.t.calls, calls);
        uint64_t hash = pawl_state_hash(mechanism_state(&m));
        CHECK_OK(pawl_sim_set_state(m.sim, start));
        mechanism_run(&m, STEPS);
        CHECK(pawl_state_hash(mechanism_state(&m)) == hash);
        pawl_state_destroy(start);
        mechanism_end(&m);
    }
}
