// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Signals from callbacks are the only numbers that enter a model after its compilation. A value that is not finite
// would deactivate rows or clamp a motor at its effort limit without any visible error in the state. Therefore a step
// checks all of them before it starts.
#include "sim/sim.h"

typedef struct input_place {
    const char *what, *name; // e.g. "motion of joint", "hinge"
} input_place;

// Callbacks are tried at the start, the middle and the end of the step.
static pawl_status input_check(const pawl_sim *sim, const pawl_signal *signal, int count,
                               input_place place)
{
    double dt = sim->settings.dt;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k <= 2 && signal[i].kind == PAWL_SIGNAL_CALLBACK; ++k) {
            double t = sim->state->time + 0.5 * k * dt, value = pawl_signal_value(&signal[i], t);
            if (!isfinite(value)) {
                return PAWL_FAIL(&sim->env, PAWL_NOT_FINITE,
                                 "the callback of the %s '%s' returned %g at t = %g s, expected a "
                                 "finite number",
                                 place.what, place.name, value, t);
            }
        }
    }
    return PAWL_OK;
}

pawl_status pawl_sim_check_inputs(const pawl_sim *sim)
{
    const pawl_model *m = &sim->live.model;
    for (int i = 0; i < m->motion_count; ++i) {
        input_place place = {"prescribed motion of joint",
                             m->joints[pawl_joint_index(m->motions[i].joint)].name};
        PAWL_TRY(input_check(sim, &m->motions[i].target, 1, place));
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        input_place place = {"actuator of joint",
                             m->joints[pawl_joint_index(m->actuators[i].joint)].name};
        PAWL_TRY(input_check(sim, &m->actuators[i].target, 1, place));
    }
    for (int i = 0; i < m->force_count; ++i) {
        input_place place = {"force on body", m->bodies[pawl_body_index(m->forces[i].body)].name};
        PAWL_TRY(input_check(sim, m->forces[i].force, 3, place));
        PAWL_TRY(input_check(sim, m->forces[i].torque, 3, place));
    }
    for (int i = 0; i < m->body_count; ++i) {
        if (m->bodies[i].kind == PAWL_BODY_KINEMATIC) {
            input_place place = {"motion of body", m->bodies[i].name};
            PAWL_TRY(input_check(sim, m->bodies[i].motion, 6, place));
        }
    }
    return PAWL_OK;
}
