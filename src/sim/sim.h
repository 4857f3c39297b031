// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A simulation: the model's assembly, a solver, and two states, one of which is being written.
#pragma once
#include "assemble/delassus.h"
#include "assemble/reduced_delassus.h"
#include "assemble/weak_search.h"
#include "model/live_model.h"
#include "step/stepper_ops.h"
#include <stdatomic.h>

struct pawl_sim {
    pawl_env env;
    const pawl_model *model;
    live_model live; // the model with the inputs of the state: what all parts below read
    pawl_settings settings;
    const pawl_stepper_ops *stepper;
    reduced_tree *tree; // of reduced coordinates; else NULL
    reduced_form *form;
    pawl_assembly *assembly;
    pawl_delassus *delassus;
    weak_space *weak;   // of the rows; NULL where none is weak
    bool weak_is_exact; // but for rounding: every row is met all the same
    pawl_solver *solver;
    island_solver *islands;
    contact_finder *finder;
    eliminator closure;
    pawl_state *state, *next;
    atomic_bool busy; // a thread is in pawl_sim_step()
    step_context context;
    char *scratch;
    size_t scratch_bytes;
};

// Brings the joints of sim->state together and its velocities into line with them.
pawl_status pawl_sim_close(pawl_sim *sim, pawl_closure *start, pawl_closure *assembled);
// Sets joints of sim->state and closes its loops around them, in the coordinates of bodies. pawl_sim_close() follows.
pawl_status pawl_sim_start_joints(pawl_sim *sim, const pawl_joint_start *starts, int count);
// All but the assembly of the start, for those who do that themselves.
pawl_status pawl_sim_create_raw(const pawl_env *env, const pawl_model *model,
                                const pawl_settings *settings, pawl_sim **out);

// PAWL_NOT_FINITE, and which, where a callback of the model returns what is no number around this step.
pawl_status pawl_sim_check_inputs(const pawl_sim *sim);
// Takes over the inputs of the state; refuses those that the stepper cannot obey.
pawl_status pawl_sim_follow_inputs(pawl_sim *sim);
