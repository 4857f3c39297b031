// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The interface of a stepper: one folder, one row in stepper_table.c. It advances a state by one step and decides
// which problems to assemble. The simulator uses it only through this table: its requirements, the settings that it
// refuses, its memory.
#pragma once
#include "step/common/step.h"

enum { // stepper_ops.traits
    // Works with the rows of the constraint problem, a solver, contacts of shapes and impacts. Without it none
    // of these is made beyond what bringing the start together and measuring takes.
    STEPPER_NEEDS_ROWS = 1u << 0,
    // Has generalized coordinates of its own: `formulation` does not apply.
    STEPPER_HAS_TREE = 1u << 1,
    // Its limits and contacts are springs, which return the energy that they store.
    STEPPER_SOFT_LIMITS = 1u << 2,
    // Makes at most DEFERRED_REACTIONS position updates a step and takes none back: reactions of least norm are
    // computed on request (least_reactions.c).
    STEPPER_DEFERS_REACTIONS = 1u << 3,
    // A step is one velocity update between position updates of the lengths that its weights say (derivative.c).
    STEPPER_DIFFERENTIABLE = 1u << 4,
    // Finds contacts in its velocity update alone, so that bodies may sleep (sleep.h).
    STEPPER_SLEEPS = 1u << 5,
    // The same step in every kind of coordinates, so that formulation=auto may choose.
    STEPPER_MOVES_ALIKE = 1u << 6,
};

// The residual of steppers that solve another problem than the rows.
typedef struct stepper_residual {
    const char *unit, *advice;
    double (*limit)(const pawl_settings *settings);
} stepper_residual;

typedef struct pawl_stepper_ops {
    const char *name, *summary;
    unsigned traits;                  // STEPPER_*
    const stepper_residual *residual; // NULL: that of the rows, in m/s, up to solver.tolerance
    // Any but `advance` may be NULL: nothing is refused, kept, or to be forgotten.
    //
    // Refuses settings, and their combination with a model; model is NULL where the settings alone are checked.
    pawl_status (*check)(const pawl_env *env, const pawl_model *model,
                         const pawl_settings *settings);
    // Private memory that lasts as long as the simulation; env, model and settings outlive it.
    pawl_status (*create)(const pawl_env *env, const pawl_model *model,
                          const pawl_settings *settings, void **lasting);
    void (*destroy)(void *lasting); // NULL is fine
    // Private memory that depends on the room for contacts; called anew, on new memory, when that grows.
    void *(*size)(const pawl_model *model, const pawl_assembly *a, pawl_carver *mem);
    // Discards data of the previous step: the state was set from outside.
    void (*reset)(step_context *c);
    // Advances s by settings->dt. s is a scratch copy: the caller throws it away on failure.
    void (*advance)(step_context *c, pawl_state *s, pawl_step_report *report);
} pawl_stepper_ops;

const pawl_stepper_ops *pawl_stepper_find(int kind); // NULL if unknown
// The table, by kind.
extern const pawl_stepper_ops *const pawl_steppers[];
extern const int pawl_stepper_count;
extern const pawl_stepper_ops pawl_euler_ops;
extern const pawl_stepper_ops pawl_moreau_ops;
extern const pawl_stepper_ops pawl_lit_ops;
extern const pawl_stepper_ops pawl_rattle_ops;
extern const pawl_stepper_ops pawl_mdp_ops;
extern const pawl_stepper_ops pawl_nmdp_ops;
