// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Ideal sensors. An inertial unit compares the states at the beginning and at the end of the last step, so that
// impacts and all other changes of the velocity are included. A force-torque sensor adds up the impulses of all rows
// of its joint.
#include "pawl/sensor.h"
#include "base/guard.h"
#include "pawl/input.h"
#include "rows/measure.h"
#include "sim/sim.h"
#include "step/common/least_reactions.h"

// Whether sim->next is the state that the last step began with: not at the start, not after a step that failed, and
// not after the state was changed from outside.
static bool sensor_has_step(const pawl_sim *sim)
{
    return !sim->state->moved && sim->state->step > 0 && sim->next->step == sim->state->step - 1 &&
           sim->next->time < sim->state->time;
}

// Of a point of the link frame, in world axes.
static pawl_vec3 sensor_velocity(const pawl_state *s, pawl_body_id body, pawl_vec3 point)
{
    pawl_twist u = pawl_state_twist(s, body);
    pawl_vec3 arm = pawl_quat_rotate(pawl_state_pose(s, body).orientation, point);
    return v3_add(u.linear, v3_cross(u.angular, arm));
}

pawl_status pawl_sim_imu(const pawl_sim *sim, pawl_body_id id, pawl_pose frame, pawl_imu *out)
{
    PAWL_NEED(NULL, sim);
    PAWL_NEED(&sim->env, out);
    int body = PAWL_INDEX(&sim->env, &sim->model->ids[ID_BODY], id);
    if (body < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    double length2 = quat_norm2(frame.orientation);
    if (!v3_finite(frame.position) || !isfinite(length2) || length2 == 0.0) {
        return PAWL_FAIL(&sim->env, PAWL_BAD_ARGUMENT,
                         "a sensor's frame with the quaternion (%g %g %g %g) at (%g %g %g), "
                         "expected finite numbers that make a rotation",
                         frame.orientation.w, frame.orientation.x, frame.orientation.y,
                         frame.orientation.z, frame.position.x, frame.position.y, frame.position.z);
    }
    const pawl_state *s = sim->state;
    pawl_quat turn = pawl_quat_normalize(frame.orientation);
    turn = quat_mul(pawl_state_pose(s, id).orientation, turn);
    pawl_vec3 force = v3_scale(-sim->model->bodies[body].gravity_scale, pawl_state_gravity(s));
    bool stepped = sensor_has_step(sim);
    if (stepped) {
        pawl_vec3 change = v3_sub(sensor_velocity(s, id, frame.position),
                                  sensor_velocity(sim->next, id, frame.position));
        force = v3_axpy(force, 1.0 / (s->time - sim->next->time), change);
    }
    pawl_quat back = quat_conj(turn);
    *out = (pawl_imu){.orientation = turn,
                      .angular_velocity = pawl_quat_rotate(back, s->bodies[body].w),
                      .specific_force = pawl_quat_rotate(back, force),
                      .stepped = stepped};
    return PAWL_OK;
}

// The impulse along each coordinate of a joint: of its spring and damper, its friction, its limits and its actuators.
static double sensor_coordinate_impulse(const pawl_sim *sim, int joint, int coordinate)
{
    const pawl_model *m = sim->model;
    const double *x = sim->context.out.reaction;
    impulse_slots slots = pawl_impulse_slots(m);
    int flat = m->joints[joint].first_coordinate + coordinate;
    double sum = x[slots.softs + flat] + x[slots.frictions + flat] + x[slots.lowers + flat] -
                 x[slots.uppers + flat];
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *d = &m->actuators[i];
        if (pawl_joint_index(d->joint) == joint && d->coordinate == coordinate &&
            d->kind != PAWL_ACTUATOR_ADHESION) {
            sum += sim->context.out.effort[i] * sim->settings.dt;
        }
    }
    return sum;
}

pawl_status pawl_sim_force_torque(const pawl_sim *sim, pawl_joint_id id, pawl_vec3 *force,
                                  pawl_vec3 *torque)
{
    PAWL_NEED(NULL, sim);
    PAWL_NEED(&sim->env, force);
    PAWL_NEED(&sim->env, torque);
    PAWL_TRY(pawl_sim_joint_reaction(sim, id, force, torque));
    int joint = pawl_joint_index(id);
    const model_joint *j = &sim->model->joints[joint];
    if (j->kind == PAWL_JOINT_GEAR) {
        return PAWL_FAIL(&sim->env, PAWL_BAD_ARGUMENT,
                         "'%s' is a gear, which transmits no force of its own; expected a joint "
                         "between two bodies",
                         j->name);
    }
    joint_frames f;
    pawl_state_joint_frames(sim->state, j, &f);
    for (int c = 0; c < j->coordinate_count && sim->state->step > 0; ++c) {
        double base[6], follower[6];
        pawl_joint_coordinate(j, &f, c, base, follower);
        double x = sensor_coordinate_impulse(sim, joint, c) / sim->settings.dt;
        pawl_vec3 push = v3(follower[0], follower[1], follower[2]);
        pawl_vec3 turn = v3(follower[3], follower[4], follower[5]);
        // gradients are about the centre of mass, the sensor is at the joint
        *force = v3_axpy(*force, x, push);
        *torque = v3_axpy(*torque, x, v3_sub(turn, v3_cross(f.follower_lever, push)));
    }
    *force = m3_tmul(&f.follower_axes, *force);
    *torque = m3_tmul(&f.follower_axes, *torque);
    return PAWL_OK;
}
