// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a stepper is: one file, one row in stepper_table.c. It advances a state by one step and
// decides which problem to pose.
#pragma once
#include "assemble/assembly.h"
#include "pawl/sim.h"
#include "solve/eliminate.h"
#include "solve/solver_ops.h"

// All that a step works with; sized once. Twists are (6 x bodies): linear, angular.
typedef struct step_context {
    const pawl_model *model;
    const pawl_settings *settings;
    pawl_assembly *assembly;
    pawl_solver *solver;
    eliminator *closure;     // for projections
    double *u_start, *u_free, *u_next;
    double *impulse;         // (6 x bodies) applied impulses, for their work
    double *lambda;          // (max rows)
    double *velocity, *rate_before, *rate_after; // (max rows)
    body_state *place;       // (bodies) where the rows are placed, if not at the state
    double *effort;          // (actuators) of the last step [N or N m]
    bool kept;               // the assembly is placed at the state already
} step_context;

typedef struct pawl_stepper_ops {
    const char *name, *summary;
    // Advances s by settings->dt. s is a scratch copy: the caller throws it away on failure.
    void (*advance)(step_context *c, pawl_state *s, pawl_step_report *report);
} pawl_stepper_ops;

const pawl_stepper_ops *pawl_stepper_find(int kind); // NULL if unknown
extern const pawl_stepper_ops pawl_euler_ops;
extern const pawl_stepper_ops pawl_moreau_ops;

// Shared by the steppers of this family: places the rows at `place`, poses and solves the problem,
// writes the new twists to s and the judge's figures to report. Positions stay.
void pawl_velocity_step(step_context *c, const body_state *place, pawl_state *s,
                        const step_weights *w, pawl_step_report *report);
// Moves poses of bodies along the twists in s->bodies for a time; kinematic bodies are set to t.
void pawl_advance_poses(const pawl_model *m, const body_state *twists, body_state *bodies,
                        double duration, double t);
// Removes the configuration error of s, then the velocity error, both mass-weighted. Returns the
// number of Gauss-Newton steps; the assembly is left placed at s, and posed for closure.
int pawl_project(step_context *c, pawl_state *s, int max_steps, double tolerance);
// What both ends of a step need of a stepper with these weights.
step_weights pawl_step_weights(const step_context *c, const pawl_state *s);
