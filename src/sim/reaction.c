// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reactions in a joint after a step: the impulses of its rows divided by the step, as a force and a
// moment on the follower in world axes.
#include "base/guard.h"
#include "rows/measure.h"
#include "sim/sim.h"
#include "step/common/least_reactions.h"

// force [N] and torque [N m] that the joint exerts on its follower, at the joint's anchor, in world axes, as a
// mean over the last step. Zero before the first step. Gears act on coordinates and have no such force.
pawl_status pawl_sim_joint_reaction(const pawl_sim *sim, pawl_joint_id id, pawl_vec3 *force,
                                    pawl_vec3 *torque)
{
    PAWL_NEED(NULL, sim);
    PAWL_NEED(&sim->env, force);
    PAWL_NEED(&sim->env, torque);
    int joint = PAWL_INDEX(&sim->env, &sim->model->ids[ID_JOINT], id);
    if (joint < 0) {
        *force = *torque = v3(NAN, NAN, NAN);
        return PAWL_BAD_ARGUMENT;
    }
    const pawl_model *m = sim->model;
    const model_joint *j = &m->joints[joint];
    *force = *torque = v3(0.0, 0.0, 0.0);
    if (j->kind == PAWL_JOINT_GEAR || sim->state->step == 0) {
        return PAWL_OK;
    }
    // Reactions that the step deferred are not part of the state, so computing them here has no visible side effect.
    pawl_settle_reactions((step_context *)&sim->context, sim->state);
    int first = pawl_impulse_slots(m).joints;
    // Slots of joint rows follow each other in the order of the joints.
    for (int i = 0; i < joint; ++i) {
        first += m->joints[i].row_count;
    }
    const pawl_state *s = sim->state;
    joint_frames f;
    double residual[6], base[6][6], follower[6][6], p[6] = {0};
    pawl_state_joint_frames(s, j, &f);
    pawl_joint_rows(j, &f, 0.0, residual, base, follower);
    for (int r = 0; r < j->row_count; ++r) {
        for (int k = 0; k < 6; ++k) {
            p[k] += sim->context.out.reaction[first + r] * follower[r][k] / sim->settings.dt;
        }
    }
    // The rows give the moment about the centre of mass; the reaction acts at the joint.
    *force = v3(p[0], p[1], p[2]);
    *torque = v3_sub(v3(p[3], p[4], p[5]), v3_cross(f.follower_lever, *force));
    return PAWL_OK;
}
