// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Inputs at run time, which a controller, a game or an optimizer changes between two steps.
///
/// Inputs are part of the state. They are saved, hashed, copied, recorded and resumed with it, and two runs
/// with the same inputs give the same bits. An input acts from the next step on and is constant within a step;
/// it stays until it is set again or cleared. Every stepper supports every input, in both formulations (mdp and nmdp: except factors of masses). The
/// energy balance includes their work: targets and gains in `work_actuators`, wrenches and changes of gravity in
/// `work_forces`.
///
/// A simulation is controlled through pawl_sim_edit_state():
///
///     pawl_state_joint(pawl_sim_state(sim), hinge, &angle, &rate);
///     pawl_state_set_target(pawl_sim_edit_state(sim), motor, -kp * angle - kd * rate);
///     pawl_sim_step(sim, NULL);
///
/// **Threads.** These functions change the state that they are given: one thread at a time for each state.
#pragma once
#include "pawl/state.h"

PAWL_EXTERN_C_BEGIN

/// The target of an actuator from now on, in place of its signal: a force or torque, a position or a velocity,
/// as the actuator's kind says.
PAWL_API pawl_status pawl_state_set_target(pawl_state *state, pawl_actuator_id actuator,
                                           double target);
PAWL_API pawl_status pawl_state_clear_target(pawl_state *state,
                                             pawl_actuator_id actuator); ///< back to its signal
/// The target that the actuator has now: the input, or its signal at the time of the state.
PAWL_API double pawl_state_target(const pawl_state *state, pawl_actuator_id actuator);

/// Gains of an actuator; see pawl_actuator_def.
typedef struct pawl_gains {
    double stiffness; ///< of position actuators; others do not use it
    double damping;   ///< infinite if and only if that of the model is
    double effort;    ///< largest absolute force or torque; infinite likewise
} pawl_gains;
/// Gains from now on, in place of the model's. Infinite gains of the model stay infinite, and finite gains
/// stay finite: the rows of the constraint problem are planned once. Actuators of kind position need a
/// stiffness or a damping above 0, those of kind velocity a damping above 0, in the model and here.
PAWL_API pawl_status pawl_state_set_gains(pawl_state *state, pawl_actuator_id actuator,
                                          const pawl_gains *gains);
PAWL_API pawl_status pawl_state_clear_gains(pawl_state *state,
                                            pawl_actuator_id actuator); ///< back to the model's
PAWL_API pawl_gains pawl_state_gains(const pawl_state *state,
                                     pawl_actuator_id actuator); ///< as they are now

/// A force [N] at the centre of mass of a body and a torque [N m] about it, in world axes, in every step from
/// now on, in addition to all others. Zeros end it.
PAWL_API pawl_status pawl_state_set_wrench(pawl_state *state, pawl_body_id body, pawl_vec3 force,
                                           pawl_vec3 torque);
/// Adds a force at a point of the world, with the lever arm that the point has now.
PAWL_API pawl_status pawl_state_add_force(pawl_state *state, pawl_body_id body, pawl_vec3 force,
                                          pawl_vec3 world_point);
/// The present wrench. Either output may be NULL.
PAWL_API pawl_status pawl_state_wrench(const pawl_state *state, pawl_body_id body, pawl_vec3 *force,
                                       pawl_vec3 *torque);

/// Gravity from now on, in place of the model's [m/s^2]. The resulting change of potential energy is
/// part of `work_forces`.
PAWL_API pawl_status pawl_state_set_gravity(pawl_state *state, pawl_vec3 gravity);
PAWL_API pawl_status pawl_state_clear_gravity(pawl_state *state); ///< back to the model's
PAWL_API pawl_vec3 pawl_state_gravity(const pawl_state *state);   ///< as it is now

/// A factor from 0 on for all friction of shapes (sliding, in impacts, torsional and rolling) and of contact
/// points. Contact models of kind table and custom cannot be scaled: steps of mdp and nmdp then refuse a
/// factor other than 1.
PAWL_API pawl_status pawl_state_set_friction_scale(pawl_state *state, double scale);
/// A factor for one shape, in addition to that for all. Contact points of mdp and nmdp that come from shapes use that
/// of their own shape; the factor of the ground has no effect there.
PAWL_API pawl_status pawl_state_set_shape_friction_scale(pawl_state *state, pawl_shape_id shape,
                                                         double scale);
PAWL_API double pawl_state_friction_scale(const pawl_state *state); ///< that for all; 1 unless set
PAWL_API double pawl_state_shape_friction_scale(const pawl_state *state,
                                                pawl_shape_id shape); ///< its own

/// A factor above 0 for the mass and the inertia of a body; its centre of mass stays. The resulting change of kinetic and potential
/// energy is part of `work_forces`. Steps of mdp and nmdp refuse a factor other than 1.
PAWL_API pawl_status pawl_state_set_mass_scale(pawl_state *state, pawl_body_id body, double scale);
PAWL_API double pawl_state_mass_scale(const pawl_state *state,
                                      pawl_body_id body); ///< 1 unless set

/// All inputs back to what the model has.
PAWL_API pawl_status pawl_state_clear_inputs(pawl_state *state);
/// How many inputs are set: targets, gains, wrenches, gravity, friction and mass factors. 0: the model's own motion.
PAWL_API int pawl_state_input_count(const pawl_state *state);

PAWL_EXTERN_C_END
