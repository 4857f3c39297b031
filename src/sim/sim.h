// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A simulation: the model's assembly, a solver, and two states, one of which is being written.
#pragma once
#include "coordinates/coordinates_choice.h"
#include "coordinates/weak_search.h"
#include "model/live_model.h"
#include "step/stepper_ops.h"
#include <stdatomic.h>

struct pawl_sim {
    pawl_env env;
    const pawl_model *model;
    live_model live; // the model with the inputs of the state: what all parts below read
    pawl_settings settings;
    const pawl_stepper_ops *stepper;
    thread_pool *team; // settings.threads of them; NULL for one
    coordinates *coordinates;
    pawl_assembly *assembly;         // their rows
    pawl_delassus *delassus;         // and operator
    weak_space *weak;                // of the rows; NULL where none is weak
    char choice[COORDINATES_REASON]; // what formulation=auto found; empty: it was not asked
    bool weak_is_exact;              // but for rounding: every row is met all the same
    pawl_solver *solver;
    island_solver *islands;
    contact_finder *finder;
    eliminator closure;
    pawl_state *state, *next;
    pawl_closure given,
        assembled;    // of the start: as the model states it, and as it was brought together
    atomic_bool busy; // a thread is in pawl_sim_step()
    step_context context;
    char *scratch;
    size_t scratch_bytes;
    pawl_step_report asleep; // of a step in which all bodies sleep
    bool dozes;              // the last step was one: `next` is the state, and `asleep` its report
    int impact_units; // contacts and limits of one impact that there is room for; 0: the least
};

// Brings the joints of sim->state together and its velocities into line with them; fills sim->given and
// sim->assembled, even where the joints cannot be brought together.
pawl_status pawl_sim_close(pawl_sim *sim);
// Sets joints of sim->state and closes its loops around them, in the coordinates of bodies. pawl_sim_close() follows.
pawl_status pawl_sim_start_joints(pawl_sim *sim, const pawl_joint_start *starts, int count);
// The start of the model: its joints set as it says, and brought together.
pawl_status pawl_sim_begin(pawl_sim *sim);
// Lets the operator drop redundant rows where these repeat others exactly and the stepper can wait for reactions.
void pawl_sim_drop_redundant(pawl_sim *sim);
// All but the assembly of the start, for those who do that themselves.
pawl_status pawl_sim_create_raw(const pawl_env *env, const pawl_model *model,
                                const pawl_settings *settings, pawl_sim **out);

// From now on the sim steps this state of its model, in place, instead of the one that it had; whoever lends it takes it back by
// lending the sim's own again. The sim's data of the last step belongs to the other state and is discarded.
void pawl_sim_lend(pawl_sim *sim, pawl_state *state);

// Overlaps that a run begins with, to the state: the verdict judges what is deeper.
pawl_status pawl_sim_measure_overlaps(pawl_sim *sim);
// PAWL_NOT_FINITE, and the callback, if a callback of the model returns a value that is not finite around this step.
pawl_status pawl_sim_check_inputs(const pawl_sim *sim);
// Names settings that determine the motion: a number above 0 (settings.c).
double pawl_settings_key(const pawl_settings *settings);
// Takes over the inputs of the state; refuses those that the stepper cannot obey.
pawl_status pawl_sim_follow_inputs(pawl_sim *sim);
