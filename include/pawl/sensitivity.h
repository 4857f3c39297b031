// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Derivatives of a step of the stepper `nmdp` with respect to the state before it, forces and
/// targets at its joints, and the parameters of its contact models: exact derivatives of the step as it
/// is computed, contacts included, by the implicit function theorem.
///
/// **Threads.** A sensitivity belongs to one thread at a time; different ones, of one model, too, may run at once.
#pragma once
#include "pawl/sim.h"

PAWL_EXTERN_C_BEGIN

/// Variables of the derivatives.
typedef enum pawl_sensitivity_input {
    PAWL_BY_POSITION =
        0,           ///< the coordinates before the step; of a ball a small turn in its own axes
    PAWL_BY_RATE,    ///< their rates; of a ball the angular velocity in its own axes
    PAWL_BY_FORCE,   ///< a force or torque on each coordinate [N or N m]
    PAWL_BY_TARGET,  ///< the target of each actuator
    PAWL_BY_CONTACT, ///< the parameters of each contact point, PAWL_WRENCH_NUMBER_COUNT each
    PAWL_BY_GROUND, ///< a displacement of the whole ground: x, y, z [m], then a turn about the world's axes [rad]
    PAWL_SENSITIVITY_INPUT_COUNT
} pawl_sensitivity_input;

typedef struct pawl_sensitivity pawl_sensitivity;
/// Allocates all that is needed. Settings: stepper nmdp, nmdp.order 1, nmdp.gradient first, contact models
/// with derivatives; nmdp.tolerance should be 1e-9 or less. `model` must outlive it.
PAWL_API pawl_status pawl_sensitivity_create(const pawl_env *env, const pawl_model *model,
                                             const pawl_settings *settings, pawl_sensitivity **out);
PAWL_API void pawl_sensitivity_destroy(pawl_sensitivity *sensitivity); ///< NULL is fine
PAWL_API int pawl_sensitivity_coordinate_count(const pawl_sensitivity *sensitivity);
PAWL_API int pawl_sensitivity_input_count(const pawl_sensitivity *sensitivity,
                                          pawl_sensitivity_input input);
/// Coordinates of the tree in its own order: the joint of the model that each belongs to (none: a floating
/// body) and which of the joint's coordinates it is (of a floating body 0 .. 5).
PAWL_API pawl_status pawl_sensitivity_coordinate(const pawl_sensitivity *sensitivity,
                                                 int coordinate, pawl_body_id *body,
                                                 pawl_joint_id *joint, int *part);
/// Takes the step from `from` and differentiates it. The memory of earlier steps besides poses and twists is
/// ignored, so that the result is a function of these. Derivatives are valid while the contact modes do not
/// change. PAWL_NOT_SOLVED: the step would have to be divided. Never allocates.
PAWL_API pawl_status pawl_sensitivity_compute(pawl_sensitivity *sensitivity,
                                              const pawl_state *from);
/// After compute(): position and rate of each coordinate at the end (of a ball: the turn from the start
/// and the angular velocity, in its own axes).
PAWL_API pawl_status pawl_sensitivity_end(const pawl_sensitivity *sensitivity, double *position,
                                          double *rate);
/// After compute(): (2 x coordinates) rows, positions then rates at the end (balls as for the inputs, so
/// that derivatives of steps one after the other may be multiplied), by input_count() columns, row-major.
PAWL_API const double *pawl_sensitivity_matrix(const pawl_sensitivity *sensitivity,
                                               pawl_sensitivity_input input);

PAWL_EXTERN_C_END
