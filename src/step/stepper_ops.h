// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a stepper is: one file, one row in stepper_table.c. It advances a state by one step and
// decides which problem to pose.
#pragma once
#include "assemble/reduced_form.h"
#include "nmdp/nmdp.h"
#include "pawl/sim.h"
#include "solve/contact_capture.h"
#include "solve/eliminate.h"
#include "solve/solver_ops.h"
#include "step/event_log.h"
#include "step/island_solver.h"
#include "step/phase_clock.h"

typedef struct lit_memory lit_memory; // of the stepper lit
typedef struct lit_event_memory lit_event_memory;
typedef struct impact_memory impact_memory; // impact.h

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
    double *u_met;          // twists that meet the rows where an exact drift begins
    double *u_own;          // of bodies without any joint: u_free, but in reduced coordinates
    double *impulse, *push; // (6 x bodies) of applied forces, and of force actuators as well
    double *lambda;         // (max rows)
    double *reaction;       // (slots) impulses of the last step, those of the drift included
    double *velocity, *rate_before, *rate_after; // (max rows)
    body_state *from;                            // (bodies) where a drift or projection began
    double *effort;                              // (actuators) of the last step [N or N m]
    double
        damper_work; // of the last kick, by the mean rates; and what dampers take at the rates that
    double damper_loss;  // they act on, h d rate^2 [J]
    double damping_time; // implicit share of body damping, part of every placement
    double share;        // length of the sub-step in steps; states keep impulses of whole steps
    struct push_out {
        double *twist;      // (6 x bodies) at which poses are corrected
        double *lambda;     // (max rows)
        double *compliance; // (max rows)
        double *friction;   // (max contacts) none
        double time;        // for how long; 0: nothing is to be corrected
        double of_contacts; // their share in it
    } push_out;             // see push_out.h
    bool shares_reactions;  // rows are redundant, and every one is met
    bool exact_drift;       // drifts keep angular momentum and iterate to the last digit (rattle)
    struct {
        int64_t step;
        int reason, before; // of this step and the one before it; 0: none
    } fallback;             // of rattle, so that it is told of once
    bool kept;              // the assembly is placed at the state already
    const pawl_env *env;
    nmdp *nmdp;              // of steppers that need a tree, else NULL
    bool failed;             // the step has no solution: the state before it is kept
    int position_failures;   // of this step: position updates that left joints open
    event_log events;        // of the step
    contact_capture capture; // the problem of the last step, where it is wanted
    pawl_status captured;    // how that went
    phase_clock clock;
    impact_memory *impact; // of steppers that know contacts of shapes, else NULL
    lit_memory *lit;       // NULL for other steppers, and so is the next
    lit_event_memory *lit_events;
    pawl_state *spare; // a state to come back to, of steppers that rewind
} step_context;

typedef struct pawl_stepper_ops {
    const char *name, *summary;
    bool needs_tree; // steps in generalized coordinates with contact models
    // Advances s by settings->dt. s is a scratch copy: the caller throws it away on failure.
    void (*advance)(step_context *c, pawl_state *s, pawl_step_report *report);
    bool reduces; // runs in reduced coordinates, too
    bool rewinds; // may begin a step again: context.spare is there to come back to
} pawl_stepper_ops;

const pawl_stepper_ops *pawl_stepper_find(int kind); // NULL if unknown
extern const pawl_stepper_ops pawl_euler_ops;
extern const pawl_stepper_ops pawl_moreau_ops;
extern const pawl_stepper_ops pawl_lit_ops;
extern const pawl_stepper_ops pawl_rattle_ops;
extern const pawl_stepper_ops pawl_mdp_ops;
extern const pawl_stepper_ops pawl_nmdp_ops;

// A step of moreau of length h from `begin` to `end`, whatever settings->dt is. It is symmetric in time, and h may be
// negative where only conservative forces and joints act.
void pawl_moreau_part(step_context *c, pawl_state *s, double h, double begin, double end,
                      pawl_step_report *report);

// Shared by the steppers of this family. Both leave the assembly placed at s when context.kept says so.
//
// The kick: poses and solves the problem at the poses of s and writes the new twists to s and the
// judge's figures to report.
void pawl_velocity_step(step_context *c, pawl_state *s, const step_weights *w,
                        pawl_step_report *report);
// Its parts, for steppers that have more to say in between. Impulses of forces, the free motion and the
// problem, from the assembly as it is placed and the contacts as they are set; its solution, from the
// impulses that s remembers; the judge's figures and all that s and the context keep; and work and
// reactions of the impulses, w->tally times, which lead from u_start to u_next.
void pawl_step_pose(step_context *c, const pawl_state *s, const step_weights *w);
void pawl_step_solve(step_context *c, const pawl_state *s, const step_weights *w,
                     solver_report *solved);
void pawl_step_finish(step_context *c, pawl_state *s, const step_weights *w,
                      const solver_report *solved, pawl_step_report *report);
void pawl_step_tally(step_context *c, pawl_state *s, const step_weights *w);
// What a predicted gyroscopic torque missed of the one that belongs to u_next, added to u_next: for steps
// whose twists are projected afterwards.
void pawl_step_correct_spins(step_context *c, const step_weights *w);
// Half of what forces that are not rows do to the twists of s in the step, to u_free: (6 x bodies).
void pawl_step_half_forces(step_context *c, const pawl_state *s, const step_weights *w);
// One call of the solver on the problem as it is posed, from where lambda is: u_next is u_free with its
// impulses. And the judge's figures of the two.
void pawl_step_solve_rows(step_context *c, solver_report *solved);
pawl_residual pawl_step_judge(step_context *c);
// Those figures into a report, the residual of the problem that the solver was to solve, which may have
// another friction law, and the outcome: they alone decide it, not what the solver said.
void pawl_step_decide(step_context *c, const solver_report *solved, pawl_step_report *report);
// The drift: moves s along its twists for a time that ends at `end`; with `project`, along the
// constraints (drift.c). Returns the number of Newton iterations.
int pawl_drift(step_context *c, pawl_state *s, double duration, double end);
// What may be open where a drift begins [m or rad]. Weak directions turn within a step, so that what was left
// open along them, up to the tolerance times a length, is not quite along them any more.
double pawl_drift_start_limit(const pawl_assembly *a);
// Its two halves, for models with free rows: the poses, after which the assembly is placed and factored
// at the end, then the velocities there. False: it had to project, velocities included.
bool pawl_drift_poses(step_context *c, pawl_state *s, double duration, double end, int *iterations);
void pawl_drift_velocities(step_context *c, pawl_state *s, double end);

// Impulses over w->h of applied forces (context.impulse) and of these with force actuators
// (context.push), at the poses where the rows are placed; and their work, once u_start and u_next are the
// twists before and after them.
void pawl_push(step_context *c, const step_weights *w);
void pawl_count_push_work(const step_context *c, const step_weights *w, double *work);
int pawl_reduced_drift(step_context *c, pawl_state *s, double duration, double end);
// Adds a closure impulse in c->lambda to the reactions, and its work where something drives it. Of an
// exact drift that is the work at the twists `met` that meet the rows, which makes the books as
// accurate as the step; otherwise that at the mean of the twists before and after.
void pawl_drift_account(step_context *c, pawl_state *s, const double *met);

// Moves poses along twists for a time; kinematic bodies are set to t.
void pawl_advance_poses(const pawl_model *m, const body_state *twists, body_state *bodies,
                        double duration, double t);
// Removes the configuration error of s at time t, then the velocity error, both mass-weighted.
// Returns the number of Gauss-Newton steps; the assembly is left placed at s, posed for closure.
int pawl_project(step_context *c, pawl_state *s, double t, int max_steps, double tolerance);
// The parts of a projection that the drift shares.
double pawl_closure_error(const pawl_assembly *a);
// Errors of the hard free rows that a correction of poses is to take out; 0 for the others.
void pawl_closure_errors(const pawl_assembly *a, double *errors);
void pawl_closure_solve(step_context *c, double accuracy, double *change);
// Twists of bodies as (6 x bodies), and a change of u_next that the bodies follow.
void pawl_twists_of(const pawl_model *m, const body_state *bodies, double *u);
void pawl_twists_change(step_context *c, const double *change, body_state *bodies);
void pawl_closure_velocities(step_context *c, pawl_state *s, double t);
// u_next from s, and v_f of all rows: their rates, less those of prescribed motions at t; 0 for soft rows.
void pawl_closure_rates(step_context *c, const pawl_state *s, double t);
// Poses of s moved by d (6 x bodies), or by a share of it that turns nothing by more than a radian; t is their
// time.
void pawl_project_move(const step_context *c, pawl_state *s, const double *d, double t);

// In reduced coordinates: the poses of s, near the tree, to those of their coordinates at time t.
void pawl_close_tree(const step_context *c, pawl_state *s, double t);

// Work of kinematic bodies and prescribed motions against impulses lambda of the rows, with the
// twists u_start before and u_next after them.
void pawl_count_driven_work(const step_context *c, const double *lambda, double *work);
// When a step of length dt from s ends: a multiple of dt, so that rounding does not add up, unless s
// comes from a run with another step.
double pawl_step_end(const pawl_state *s, double dt);
// What all steppers share of the weights.
step_weights pawl_step_weights(const step_context *c, const pawl_state *s);
