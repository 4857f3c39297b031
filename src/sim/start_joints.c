// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Joints that start at given coordinates, with loops closed while these joints are fixed.
//
// pawl_state_set_joint() moves the bodies behind a joint and leaves loops open. Closing them by the least change of
// all poses would also move the joint that was set. Therefore its coordinates become prescribed motions of a model
// created for this assembly: they are rows like those of the joints, and the projection satisfies all of them
// together or fails.
#include "base/guard.h"
#include "sim/sim.h"
#include <string.h>

// Joints and coordinates that exist, each joint once, finite numbers.
static pawl_status start_check(const pawl_sim *sim, const pawl_joint_start *starts, int count)
{
    for (int i = 0; i < count; ++i) {
        if (pawl_id_index(&sim->env, "pawl_sim_set_joints", &sim->model->ids[ID_JOINT],
                          starts[i].joint.index1, starts[i].joint.tag) < 0) {
            return PAWL_BAD_ARGUMENT;
        }
        for (int k = 0; k < i; ++k) {
            if (pawl_joint_index(starts[k].joint) == pawl_joint_index(starts[i].joint)) {
                return PAWL_FAIL(&sim->env, PAWL_BAD_ARGUMENT,
                                 "joint '%s' is set twice, expected once",
                                 sim->model->joints[pawl_joint_index(starts[i].joint)].name);
            }
        }
    }
    return PAWL_OK;
}

// A coordinate with a prescribed motion of its own has a row already, and a second one would contradict it.
static bool start_is_driven(const pawl_model *m, int joint, int coordinate)
{
    for (int k = 0; k < m->motion_count; ++k) {
        if (pawl_joint_index(m->motions[k].joint) == joint &&
            m->motions[k].coordinate == coordinate) {
            return true;
        }
    }
    return false;
}

// The model with its motions and those that hold the starts, in `motions`.
// The copy shares all arrays but the motions with m, and lives as long as the sim that closes the loops. Six is
// the most coordinates that a joint has.
static pawl_model start_driven_model(const pawl_model *m, const pawl_joint_start *starts, int count,
                                     pawl_motion_def *motions)
{
    pawl_model driven = *m;
    memcpy(motions, m->motions, (size_t)m->motion_count * sizeof *motions);
    driven.motions = motions;
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < m->joints[pawl_joint_index(starts[i].joint)].coordinate_count; ++c) {
            if (!start_is_driven(m, pawl_joint_index(starts[i].joint), c)) {
                pawl_motion_def *d = &motions[driven.motion_count++];
                *d = pawl_motion_def_default();
                d->joint = starts[i].joint;
                d->coordinate = c;
                d->target = pawl_signal_constant(starts[i].position[c]);
            }
        }
    }
    // Each prescribed motion is one row.
    driven.row_count += driven.motion_count - m->motion_count;
    return driven;
}

// Poses, twists and coordinates only: impulses and work belong to a model with other rows.
static void start_copy_bodies(pawl_state *to, const pawl_state *from)
{
    const pawl_model *m = from->model;
    to->time = from->time;
    memcpy(to->bodies, from->bodies, (size_t)m->body_count * sizeof *to->bodies);
    memcpy(to->coordinates, from->coordinates,
           (size_t)m->coordinate_count * sizeof *to->coordinates);
    to->moved = true;
}

// Closes the loops of sim->state with the joints held where they are.
// The settings are the defaults but for loop.tolerance: solver and stepper of the run have no part in it.
static pawl_status start_close(pawl_sim *sim, const pawl_joint_start *starts, int count)
{
    const pawl_model *m = sim->model;
    size_t bytes = (size_t)(m->motion_count + 6 * count) * sizeof(pawl_motion_def);
    pawl_motion_def *motions = pawl_alloc(&sim->env, bytes);
    if (motions == NULL) {
        return PAWL_FAIL(&sim->env, PAWL_NO_MEMORY, "starts of joints need %zu bytes", bytes);
    }
    pawl_model driven = start_driven_model(m, starts, count, motions);
    pawl_settings settings = pawl_settings_default();
    settings.loop.tolerance = sim->settings.loop.tolerance;
    pawl_sim *closer;
    pawl_status status = pawl_sim_create_raw(&sim->env, &driven, &settings, &closer);
    if (status == PAWL_OK) {
        start_copy_bodies(closer->state, sim->state);
        status = pawl_sim_close(closer);
        if (status == PAWL_OK) {
            start_copy_bodies(sim->state, closer->state);
        }
        pawl_sim_destroy(closer);
    }
    pawl_free(&sim->env, motions, bytes);
    return status;
}

pawl_status pawl_sim_start_joints(pawl_sim *sim, const pawl_joint_start *starts, int count)
{
    PAWL_TRY(start_check(sim, starts, count));
    for (int i = 0; i < count; ++i) {
        PAWL_TRY(pawl_state_set_joint(sim->state, starts[i].joint, starts[i].position, NULL));
    }
    return count > 0 ? start_close(sim, starts, count) : PAWL_OK;
}

// Sets joints of a sim and assembles it again. If that fails the state is unchanged.
pawl_status pawl_sim_set_joints(pawl_sim *sim, const pawl_joint_start *starts, int count)
{
    PAWL_NEED(NULL, sim);
    PAWL_NEED(&sim->env, starts);
    if (count < 0) {
        return PAWL_FAIL(&sim->env, PAWL_BAD_ARGUMENT,
                         "%d joints are to be set, expected 0 or more", count);
    }
    pawl_state *as_given;
    PAWL_TRY(pawl_state_create(&sim->env, sim->model, &as_given));
    pawl_state_copy(as_given, sim->state);
    pawl_status status = pawl_sim_start_joints(sim, starts, count);
    if (status == PAWL_OK) {
        status = pawl_sim_assemble(sim, NULL, NULL);
    }
    if (status != PAWL_OK) {
        pawl_state_copy(sim->state, as_given);
    }
    pawl_state_destroy(as_given);
    return status;
}
