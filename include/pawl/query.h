// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Questions about a state: mass matrix, bias forces, inverse dynamics, Jacobians, momentum, contact forces.
///
/// **Generalized velocities** v (nv) are those of the spanning tree of the joints, as in reduced coordinates
/// (docs/reduced.md): for each body in the order of the tree the rates of the joint to its parent. pawl_query_column()
/// identifies them. Most are rates of joint coordinates, as in pawl_state_joint(). A ball joint has its
/// angular velocity in the axes of its outer body's joint frame instead; a root body without a joint has the velocity
/// of its centre of mass in world axes and its angular velocity in its own axes. Derivatives of v are accelerations.
///
/// The equations of motion without loops are  M v' + c = tau,  with the bias forces c of velocities and gravity, and tau
/// all forces along the coordinates: actuators, springs, dampers, friction, applied wrenches times their Jacobians.
/// Joints that close loops are not part of M and c; pawl_query_loop_count() is their number.
///
/// Matrices are stored row by row. A query is created once and placed at a state; no other function of it allocates.
///
/// **Threads.** A query belongs to one thread at a time. Different queries may be used at once, of one model, too. The
/// functions of states and sims here only read them.
#pragma once
#include "pawl/sim.h"

PAWL_EXTERN_C_BEGIN

typedef struct pawl_query pawl_query;
/// Allocates all that it will use. `model` must outlive it. A model without a body that moves is refused.
PAWL_API pawl_status pawl_query_create(const pawl_env *env, const pawl_model *model,
                                       pawl_query **out);
PAWL_API void pawl_query_destroy(pawl_query *query); ///< NULL is fine
/// Queries refer to this state from now on, with the gravity of its inputs. Required before all functions that take a query and
/// return a status. Closure errors of joints of the tree are ignored.
PAWL_API pawl_status pawl_query_place(pawl_query *query, const pawl_state *state);

PAWL_API int pawl_query_velocity_count(const pawl_query *query); ///< nv
PAWL_API int pawl_query_loop_count(const pawl_query *query); ///< joints that are not in the tree
/// The meaning of a generalized velocity.
typedef struct pawl_column {
    pawl_body_id body;   ///< the outer body of the joint
    pawl_joint_id joint; ///< none: the body is a root without a joint
    int coordinate; ///< of the joint; -1: a component of an angular velocity, or of a free body
    int part;       ///< which of the body's own velocities it is, from 0
} pawl_column;
PAWL_API pawl_column pawl_query_column(const pawl_query *query, int column); ///< none, and -1
/// The column of a joint's coordinate, or -1: it is in no tree, or is part of a ball.
PAWL_API int pawl_query_find(const pawl_query *query, pawl_joint_id joint, int coordinate);

/// v (nv) of the state.
PAWL_API pawl_status pawl_query_velocities(pawl_query *query, double *v);
/// M (nv x nv), armatures included.
PAWL_API pawl_status pawl_query_mass_matrix(pawl_query *query, double *M);
/// y = M x and x = M^-1 y, without forming M; x and y (nv) may be the same. O(nv) and O(nv depth).
PAWL_API pawl_status pawl_query_mass_multiply(pawl_query *query, const double *x, double *y);
/// PAWL_NOT_SOLVED where M is singular: a gimbal in its lock.
PAWL_API pawl_status pawl_query_mass_solve(pawl_query *query, const double *y, double *x);
/// c (nv): the forces that hold v constant. Gravity enters with minus its generalized force.
PAWL_API pawl_status pawl_query_bias(pawl_query *query, double *c);
/// tau (nv) = M acceleration + c: the forces along the coordinates that cause these accelerations. Of the model's forces
/// only gravity is included. Recursive Newton-Euler, O(nv). In a model with loops tau is not unique, and
/// the one of least 2-norm is returned; accelerations that the loops do not allow are refused with
/// PAWL_BAD_ARGUMENT, and the log names the joint that they would open.
PAWL_API pawl_status pawl_query_inverse_dynamics(pawl_query *query, const double *acceleration,
                                                 double *tau);
/// J (6 x nv) of a point of a body, given in its link frame: J v is the velocity of the point (rows 0 to 2) and the
/// angular velocity of the body (3 to 5), in world axes, less what kinematic bodies contribute.
PAWL_API pawl_status pawl_query_jacobian(pawl_query *query, pawl_body_id body, pawl_vec3 point,
                                         double *J);
/// The same of a frame in the link frame, with velocities in the axes of that frame.
PAWL_API pawl_status pawl_query_frame_jacobian(pawl_query *query, pawl_body_id body,
                                               pawl_pose frame, double *J);

/// J (6 x 6) of a point of a body with respect to the body's own twist (pawl_state_twist()): the velocity of the point and the
/// angular velocity, in world axes.
PAWL_API pawl_status pawl_state_point_jacobian(const pawl_state *state, pawl_body_id body,
                                               pawl_vec3 point, double J[36]);
/// Centre of mass of all bodies that can move, in the world.
PAWL_API pawl_vec3 pawl_state_centre_of_mass(const pawl_state *state);
/// Linear momentum [kg m/s], and angular momentum [kg m^2/s] about a point.
typedef struct pawl_momentum {
    pawl_vec3 linear, angular;
} pawl_momentum;
/// Momentum of all bodies that can move, about a point of the world.
PAWL_API pawl_momentum pawl_state_momentum(const pawl_state *state, pawl_vec3 point);

/// The sum of the contacts of the last step that transmitted a force.
typedef struct pawl_contact_sum {
    int count;
    pawl_vec3 force; ///< mean over the step [N]
    pawl_vec3
        moment; ///< about the centre of mass of the body that it acts on, or the world's origin [N m]
} pawl_contact_sum;
/// The force of all contacts on a body, or on PAWL_WORLD.
PAWL_API pawl_contact_sum pawl_sim_body_contacts(const pawl_sim *sim, pawl_body_id body);
/// The force of body `a` on body `b` by their contacts; either may be PAWL_WORLD.
PAWL_API pawl_contact_sum pawl_sim_pair_contacts(const pawl_sim *sim, pawl_body_id a,
                                                 pawl_body_id b);

PAWL_EXTERN_C_END
