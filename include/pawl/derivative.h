// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Derivatives of a step of the steppers `euler` and `moreau` with respect to the state before it, inputs and parameters, with closed
/// loops and hard contact: the implicit function theorem through the equations that the step has solved, with the contacts
/// and bounds that are active in it. pawl/sensitivity.h has those of `nmdp`. docs/derivatives.md has the equations.
///
/// They are those of the smooth piece of the motion that contains the step. Where a contact opens, closes, or changes between sticking and sliding, or
/// a limit or an effort limit is reached, a step has two one-sided derivatives, and this is the one on the side of the step;
/// pawl_derivative_margin() returns the distance to such a change.
///
/// **Threads.** A derivative belongs to one thread at a time; different ones, of one model, too, may run at once.
#pragma once
#include "pawl/sim.h"

PAWL_EXTERN_C_BEGIN

/// Variables of the derivatives. Changes of a body's pose are its centre of mass's displacement [m] and a small turn [rad], those of its twist
/// the velocity of the centre of mass and the angular velocity, all in world axes.
typedef enum pawl_derivative_input {
    PAWL_DERIVATIVE_POSE = 0, ///< (6 x bodies) before the step
    PAWL_DERIVATIVE_TWIST,    ///< (6 x bodies) before the step
    PAWL_DERIVATIVE_TARGET,   ///< (actuators)
    PAWL_DERIVATIVE_WRENCH,   ///< (6 x bodies) as pawl_state_set_wrench() sets it
    PAWL_DERIVATIVE_GRAVITY,  ///< (3)
    PAWL_DERIVATIVE_FRICTION, ///< (1) the factor of all friction
    PAWL_DERIVATIVE_MASS,     ///< (bodies) factors of mass and inertia
    PAWL_DERIVATIVE_COUNT
} pawl_derivative_input;

typedef struct pawl_derivative pawl_derivative;
/// Settings: stepper euler or moreau, formulation maximal. `model` must outlive it.
PAWL_API pawl_status pawl_derivative_create(const pawl_env *env, const pawl_model *model,
                                            const pawl_settings *settings, pawl_derivative **out);
PAWL_API void pawl_derivative_destroy(pawl_derivative *derivative); ///< NULL is fine
/// Columns of the matrix of an input; 0 for none.
PAWL_API int pawl_derivative_width(const pawl_derivative *derivative, pawl_derivative_input input);
/// Takes the step from `from`, as pawl_sim_step() does (but for rounding), and differentiates it. PAWL_UNSUPPORTED: the step contains a part that cannot be
/// differentiated (an impact, a correction of overlaps, torsional friction, soft contacts, loops that the numbers of the file do not
/// close, a divided position update); the log names it. PAWL_NOT_SOLVED: the solver missed its tolerance.
PAWL_API pawl_status pawl_derivative_compute(pawl_derivative *derivative, const pawl_state *from);
/// After compute(): (12 x bodies) rows, changes of all poses and then of all twists at the end, by pawl_derivative_width() columns, row by row.
/// Columns of poses and twists are meant for changes that the joints allow; derivatives of steps one after the other may be multiplied.
PAWL_API const double *pawl_derivative_matrix(const pawl_derivative *derivative,
                                              pawl_derivative_input input);
/// After compute(): the state at the end of the step.
PAWL_API const pawl_state *pawl_derivative_state(const pawl_derivative *derivative);
/// After compute(): how near the step is to a change of a contact mode or bound, from 0 (at one) to 1: the least of |lambda_n|, of the distance to the friction cone
/// and of the speed of opening or sliding contacts, relative to the largest of their kind; 1 without contacts and bounds.
PAWL_API double pawl_derivative_margin(const pawl_derivative *derivative);

PAWL_EXTERN_C_END
