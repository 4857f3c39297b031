// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Section 7.5 of [Potra2006] to the letter, for the block. When a step changes the basis of its
// linear complementarity problem, states between the last two are interpolated, (7.10) and (7.11), and
// from each a whole step is taken in the old basis, (7.15). The root h_TR of what came to rest,
//   F(s) = v~(t_{l-1} + s) + h ((k(t_{l-1} + s) + k(t_l + s))/2 - mu m g),
// tells how long the step from t_l should be (errata: from t_l, not from t_{l-1}). The steps themselves
// are the stepper's. lit.events=all instead cuts where the velocity of the step itself vanishes; both
// are of second order, with other digits.
#include "lit_block_location.h"

#include <math.h>

static const lit_method location_method = {"paper", "1", "none"};

// One step of length h from `state`, which becomes its result. The stepper's grid is the step number
// times h; from states off it, as here, a step is as long as it is told.
static pawl_status location_step(experiment_run *run, const pawl_model *model, double h,
                                 pawl_state *state)
{
    pawl_settings settings;
    pawl_sim *sim = NULL;
    EXPERIMENT_TRY(lit_settings_make(run->env, location_method, h, &settings));
    EXPERIMENT_TRY(pawl_sim_create(run->env, model, &settings, &sim));
    pawl_status status = pawl_sim_set_state(sim, state);
    if (status == PAWL_OK) {
        status = pawl_sim_step(sim, NULL);
    }
    if (status == PAWL_OK) {
        pawl_state_copy(state, pawl_sim_state(sim));
    }
    pawl_sim_destroy(sim);
    return status;
}

// The root of F in (0, h) by bisection; h where there is none.
static double location_root(const lit_block_forces *f, double t, double h, double before,
                            double now)
{
    double low = 0.0, high = h;
    for (int i = 0; i < 100; ++i) {
        double s = 0.5 * (low + high);
        double mean = 0.5 * (f->push(t - h + s) + f->push(t + s));
        double after = ((h - s) * before + s * now) / h + h * (mean - f->friction);
        if (after > 0.0) {
            low = s;
        } else {
            high = s;
        }
    }
    return high;
}

static pawl_status location_run(experiment_run *run, const pawl_model *model,
                                const lit_block_forces *forces, double h, int64_t steps,
                                pawl_sim *sim, pawl_state *start)
{
    double before = 0.0;
    for (int64_t i = 0; i < steps; ++i) {
        pawl_state_copy(start, pawl_sim_state(sim));
        double now = pawl_state_twist(start, 0).linear.x;
        EXPERIMENT_TRY(experiment_step(run, sim, NULL));
        double after = pawl_state_twist(pawl_sim_state(sim), 0).linear.x;
        if (now > 0.0 && after <= 0.0) {
            double cut = location_root(forces, pawl_state_time(start), h, before, now);
            EXPERIMENT_TRY(location_step(run, model, cut, start));
            if (cut < h) {
                EXPERIMENT_TRY(location_step(run, model, h - cut, start));
            }
            EXPERIMENT_TRY(pawl_sim_set_state(sim, start));
        }
        before = now;
    }
    return PAWL_OK;
}

pawl_status lit_block_published(experiment_run *run, const pawl_model *model,
                                const lit_block_forces *forces, double h, double end, double *x)
{
    pawl_settings settings;
    pawl_sim *sim = NULL;
    pawl_state *start = NULL;
    EXPERIMENT_TRY(lit_settings_make(run->env, location_method, h, &settings));
    EXPERIMENT_TRY(pawl_sim_create(run->env, model, &settings, &sim));
    pawl_status status = pawl_state_create(run->env, model, &start);
    if (status == PAWL_OK) {
        status = location_run(run, model, forces, h, (int64_t)llround(end / h), sim, start);
    }
    if (status == PAWL_OK) {
        *x = pawl_state_pose(pawl_sim_state(sim), 0).position.x;
    }
    pawl_state_destroy(start);
    pawl_sim_destroy(sim);
    return status;
}
