// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Arrays of a state in its own memory, without a copy: for bindings (NumPy), batches and plots.
///
/// A view is a table of doubles with constant strides. It is valid as long as its state. The address of the state of a simulation or of a
/// batch is constant: a view taken once always shows the numbers of the last step.
///
/// **Threads.** A view is the state itself: no thread may step or change it while others read.
#pragma once
#include "pawl/state.h"

PAWL_EXTERN_C_BEGIN

/// The quantities of views. Poses and velocities are those of the centres of mass, as in steps;
/// pawl_state_pose() and pawl_state_twist() return those of the link frame.
typedef enum pawl_view_kind {
    PAWL_VIEW_POSITION = 0,     ///< (bodies x 3) of the centres of mass [m]
    PAWL_VIEW_ORIENTATION,      ///< (bodies x 4) quaternions, scalar first
    PAWL_VIEW_VELOCITY,         ///< (bodies x 3) of the centres of mass, world axes [m/s]
    PAWL_VIEW_ANGULAR_VELOCITY, ///< (bodies x 3) world axes [rad/s]
    PAWL_VIEW_TARGET, ///< (actuators x 1) that pawl_state_set_target() set; see pawl_state_hold_targets()
    PAWL_VIEW_WORK, ///< (1 x 7) of pawl_energy, work_actuators first [J]
    PAWL_VIEW_TIME, ///< (1 x 1) [s]
    PAWL_VIEW_COUNT
} pawl_view_kind;

/// A table of numbers in the memory of a state; data NULL: none.
typedef struct pawl_view {
    double *data;
    int rows, columns;
    size_t row_stride; ///< bytes from a row to the next; columns stand side by side
} pawl_view;
/// All may be read. Targets may be written after pawl_state_hold_targets(), the first four kinds if pawl_state_accept()
/// follows. What else is written makes steps wrong.
PAWL_API pawl_view pawl_state_view(pawl_state *state, pawl_view_kind kind);
/// Makes the present target of every actuator an input (pawl_state_set_target()), so that the view of targets may be
/// written. A step refuses targets that are not finite. clear_target() and clear_inputs() end it.
PAWL_API pawl_status pawl_state_hold_targets(pawl_state *state);
/// After positions, orientations or velocities were written through views: makes the quaternions unit ones and tells the next
/// step. Numbers that are not finite, or quaternions of 0: PAWL_BAD_ARGUMENT. Joints must meet, or pawl_sim_assemble().
PAWL_API pawl_status pawl_state_accept(pawl_state *state);

/// Coordinates and rates of all joints, one joint after another (pawl_model_coordinate_count() of each; either may be NULL),
/// as pawl_state_joint() has them.
PAWL_API pawl_status pawl_state_joints(const pawl_state *state, double *position, double *rate);
/// Of all joints together.
PAWL_API int pawl_model_coordinate_count(const pawl_model *model);

PAWL_EXTERN_C_END
