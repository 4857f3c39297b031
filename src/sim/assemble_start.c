// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bringing a model's joints together at the start: damped Gauss-Newton in the metric of the
// masses, then velocities that agree with the joints.
#include "assemble/measure.h"
#include "sim/sim.h"

static const double assemble_tolerance = 1e-10; // below this nothing is moved [m or rad]
static const double assemble_refuse = 1e-7;     // above this the model is refused
enum { ASSEMBLE_STEPS = 200 };

static double assemble_worst(pawl_closure c)
{
    return fmax(c.position, c.rotation);
}

// The largest twist component that the constraints would change.
static double assemble_velocity_change(const pawl_sim *sim, const pawl_state *before)
{
    double change = 0.0;
    for (int i = 0; i < sim->model->body_count; ++i) {
        const body_state *a = &before->bodies[i], *b = &sim->state->bodies[i];
        change = fmax(change, v3_max_abs(v3_sub(a->v, b->v)));
        change = fmax(change, v3_max_abs(v3_sub(a->w, b->w)));
    }
    return change;
}

pawl_status pawl_sim_assemble(pawl_sim *sim, pawl_closure *start, pawl_closure *assembled)
{
    pawl_state *s = sim->state;
    const pawl_model *m = sim->model;
    pawl_state_count_turns(s);
    *start = *assembled = pawl_state_closure(s);
    pawl_state_copy(sim->next, s);
    int steps = pawl_project(&sim->context, s, s->time, ASSEMBLE_STEPS, assemble_tolerance);
    pawl_state_count_turns(s);
    *assembled = pawl_state_closure(s);
    // Soft joints may start with a violation.
    if (!(assemble_worst(*assembled) <= assemble_refuse) &&
        !(pawl_closure_error(sim->context.assembly) <= assemble_refuse)) {
        return PAWL_FAIL(&sim->env, PAWL_NOT_ASSEMBLED,
                         "the joints of '%s' do not meet and cannot be brought together: after %d "
                         "steps joint '%s' is still open by %.3g m, %.3g rad",
                         m->name, steps, m->joints[assembled->worst_joint].name,
                         assembled->position, assembled->rotation);
    }
    if (steps > 0) {
        pawl_log(&sim->env, PAWL_LOG_NOTE,
                 "the joints did not meet at the start (joint '%s' was open by %.3g m, %.3g rad); "
                 "assembled in %d steps",
                 m->joints[start->worst_joint].name, start->position, start->rotation, steps);
    }
    double change = assemble_velocity_change(sim, sim->next);
    if (change > 1e-9) {
        pawl_log(&sim->env, PAWL_LOG_NOTE,
                 "the start velocities did not agree with the joints; they were changed by up to "
                 "%.3g",
                 change);
    }
    pawl_energy e = pawl_state_energy(s);
    s->energy_start = pawl_energy_stored(&e);
    return PAWL_OK;
}
