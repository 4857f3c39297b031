// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Changing the state of a simulation between two steps: inputs, poses, joints, and closing the loops again.
#include "base/guard.h"
#include "sim/sim.h"

// The state itself, not a copy: functions that change it mark it as moved, which the next step looks at.
pawl_state *pawl_sim_edit_state(pawl_sim *sim)
{
    return sim != NULL ? sim->state : NULL;
}

// Tables and functions of a caller have no number that a friction factor could be applied to.
static pawl_status edit_check_friction(const pawl_sim *sim)
{
    const pawl_model *m = &sim->live.model;
    for (int i = 0; i < m->wrench_model_count && m->friction_scale != 1.0; ++i) {
        pawl_wrench_kind kind = m->wrench_models[i].kind;
        if (kind == PAWL_WRENCH_TABLE || kind == PAWL_WRENCH_CUSTOM) {
            return PAWL_FAIL(&sim->env, PAWL_UNSUPPORTED,
                             "a friction factor of %g, but contact model %d of '%s' is of kind %s, "
                             "which has no friction to scale; expected 1",
                             m->friction_scale, i, m->name, pawl_wrench_kind_name(kind));
        }
    }
    return PAWL_OK;
}

// Whoever writes poses or twists gives or takes energy. As with a change of gravity that counts as work of applied
// forces: what steps err by afterwards is not to be mixed with it.
static void edit_account(pawl_state *s)
{
    if (s->edited) {
        pawl_energy e = pawl_state_energy(s);
        s->work[WORK_FORCES] += e.balance - s->balance;
        s->edited = false;
    }
}

// Called before each step: gravity, friction factors and the like are inputs in the state, and the live model is
// the model with these.
pawl_status pawl_sim_follow_inputs(pawl_sim *sim)
{
    if (sim->state->moved) { // rows are placed where the bodies were
        sim->context.placed = false;
        sim->state->moved = false;
        edit_account(sim->state);
    }
    PAWL_TRY(pawl_live_follow(&sim->live, sim->state));
    if (!sim->live.changed || (sim->stepper->traits & STEPPER_HAS_TREE) == 0) {
        return PAWL_OK;
    }
    if (sim->state->masses[0] != 0.0) { // these steppers keep numbers made from inertias
        return PAWL_FAIL(&sim->env, PAWL_UNSUPPORTED,
                         "%s does not follow factors of masses; expected none, or another stepper",
                         sim->stepper->name);
    }
    return edit_check_friction(sim);
}

// Closes the joints of the state between steps. If that is not possible the state is unchanged, and the errors are
// still reported.
pawl_status pawl_sim_assemble(pawl_sim *sim, pawl_closure *start, pawl_closure *assembled)
{
    PAWL_NEED(NULL, sim);
    pawl_state *as_given;
    PAWL_TRY(pawl_state_create(&sim->env, sim->model, &as_given));
    pawl_state_copy(as_given, sim->state);
    pawl_status status = pawl_sim_close(sim);
    if (status != PAWL_OK) {
        pawl_state_copy(sim->state, as_given);
    }
    pawl_state_destroy(as_given);
    if (status == PAWL_OK) {
        status = pawl_sim_measure_overlaps(sim);
    }
    if (start != NULL) {
        *start = sim->given;
    }
    if (assembled != NULL) {
        *assembled = sim->assembled;
    }
    sim->state->sleep[0] = 0.0; // bodies may have been moved
    // Contacts and events were those of another place.
    sim->context.out.contact_count = 0;
    sim->context.out.events.count = 0;
    sim->context.placed = false;
    return status;
}
