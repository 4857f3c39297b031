// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a stepper is: one file, one row in stepper_table.c. It advances a state by one step and
// decides which problem to pose.
#pragma once
#include "assemble/assembly.h"
#include "pawl/sim.h"
#include "solve/contact_capture.h"
#include "solve/eliminate.h"
#include "solve/solver_ops.h"
#include "step/event_log.h"
#include "step/island_solver.h"
#include "step/phase_clock.h"

// All that a step works with; sized once. Twists are (6 x bodies): linear, angular.
typedef struct step_context {
    const pawl_model *model;
    const pawl_settings *settings;
    pawl_assembly *assembly;
    pawl_solver *solver;
    island_solver *islands;      // NULL where all rows are solved together
    int island_count;            // of the last solve
    contact_finder *finder;      // NULL where nothing can touch
    int contact_count;           // of the last step that was taken
    pawl_contact_info *contacts; // (max contacts) what became of them
    int contact_demand;  // contacts that a step found beyond its capacity (-1: memory is out);
                         // unless 0 it must be done again
    eliminator *closure; // for projections
    double *u_start, *u_free, *u_next;
    double *impulse, *push; // (6 x bodies) of applied forces, and of force actuators as well
    double *lambda;         // (max rows)
    double *reaction;       // (slots) impulses of the last step, those of the drift included
    double *velocity, *rate_before, *rate_after; // (max rows)
    body_state *from;                            // (bodies) where a drift or projection began
    double *effort;                              // (actuators) of the last step [N or N m]
    double damping_time; // implicit share of body damping, part of every placement
    bool kept;           // the assembly is placed at the state already
    const pawl_env *env;
    event_log events;        // of the step
    contact_capture capture; // the problem of the last step, where it is wanted
    pawl_status captured;    // how that went
    phase_clock clock;
} step_context;

typedef struct pawl_stepper_ops {
    const char *name, *summary;
    // Advances s by settings->dt. s is a scratch copy: the caller throws it away on failure.
    void (*advance)(step_context *c, pawl_state *s, pawl_step_report *report);
} pawl_stepper_ops;

const pawl_stepper_ops *pawl_stepper_find(int kind); // NULL if unknown
extern const pawl_stepper_ops pawl_euler_ops;
extern const pawl_stepper_ops pawl_moreau_ops;

// Shared by the steppers of this family. Both leave the assembly placed at s when context.kept says so.
//
// The kick: poses and solves the problem at the poses of s and writes the new twists to s and the
// judge's figures to report.
void pawl_velocity_step(step_context *c, pawl_state *s, const step_weights *w,
                        pawl_step_report *report);
// The drift: moves s along its twists for a time that ends at `end`; with `project`, along the
// constraints (drift.c). Returns the number of Newton iterations.
int pawl_drift(step_context *c, pawl_state *s, double duration, double end);

// Moves poses along twists for a time; kinematic bodies are set to t.
void pawl_advance_poses(const pawl_model *m, const body_state *twists, body_state *bodies,
                        double duration, double t);
// Removes the configuration error of s at time t, then the velocity error, both mass-weighted.
// Returns the number of Gauss-Newton steps; the assembly is left placed at s, posed for closure.
int pawl_project(step_context *c, pawl_state *s, double t, int max_steps, double tolerance);
// The parts of a projection that the drift shares.
double pawl_closure_error(const pawl_assembly *a);
void pawl_closure_solve(step_context *c, double accuracy, double *change);
// Twists of bodies as (6 x bodies), and a change of u_next that the bodies follow.
void pawl_twists_of(const pawl_model *m, const body_state *bodies, double *u);
void pawl_twists_change(step_context *c, const double *change, body_state *bodies);
void pawl_closure_velocities(step_context *c, pawl_state *s, double t);

// Work of kinematic bodies and prescribed motions against impulses lambda of the rows, with the
// twists u_start before and u_next after them.
void pawl_count_driven_work(const step_context *c, const double *lambda, double *work);
// When a step of length dt from s ends: a multiple of dt, so that rounding does not add up, unless s
// comes from a run with another step.
double pawl_step_end(const pawl_state *s, double dt);
// What all steppers share of the weights.
step_weights pawl_step_weights(const step_context *c, const pawl_state *s);
