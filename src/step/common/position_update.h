// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The position update: bodies move along their twists, with `project` along the constraints; and projection onto
// the constraints, of poses and of twists.
#pragma once
#include "step/common/step.h"

// Kinetic energy by the impulses of a position update, over that before it: more is a collision.
static const double pawl_position_rise = 1.004;
// Without a secant: impulses along the rows of the beginning turn a motion by an angle a, and add tan(a)^2. More than
// half a radian is made in shorter parts.
static const double pawl_position_most_rise = 1.25;

// Moves s along its twists for a time that ends at `end`. Returns the number of Newton iterations.
int pawl_position_update(step_context *c, pawl_state *s, double duration, double end);
// A part of it in reduced coordinates. False, with s as it was: Newton's method fails, which is said unless this is
// the `last` attempt. Adds to the number of iterations.
bool pawl_reduced_position_part(step_context *c, pawl_state *s, double duration, double end,
                                bool last, int *iterations);
// What may be open where it begins [m or rad]. Weak directions turn within a step, so that the misfit along them, up
// to the tolerance times a length, is no longer exactly along them.
double pawl_position_start_limit(const pawl_assembly *a);
// Closes loops that are open where an update begins, after a singular position, by moving poses.
void pawl_position_settle(step_context *c, pawl_state *s, double start, int *iterations);
// Its two halves, for models with free rows: the poses, after which the assembly is placed and factored
// at the end, then the velocities there. False: it had to project, velocities included.
bool pawl_position_poses(step_context *c, pawl_state *s, double duration, double end,
                         int *iterations);
void pawl_position_velocities(step_context *c, pawl_state *s, double end);
// Adds the closure impulse in u.lambda to the reactions, and its work where something drives it. Of an
// exact update that is the work at the twists `consistent` that satisfy the rows, which makes the energy balance as
// accurate as the step; otherwise that at the mean of the twists before and after. `at` and t: where the rows are
// placed.
void pawl_position_balance(step_context *c, pawl_state *s, const body_state *at, double t,
                           const double *consistent);
// Moves poses along twists for a time; kinematic bodies are set to t.
void pawl_advance_poses(const pawl_model *m, const body_state *twists, body_state *bodies,
                        double duration, double t);

// Removes the configuration error of s at time t, then the velocity error, both mass-weighted.
// Returns the number of Gauss-Newton steps; the assembly is left placed at s, built for closure.
int pawl_project(step_context *c, pawl_state *s, double t, int max_steps, double tolerance);
// The parts of a projection that the position update shares.
double pawl_closure_error(const pawl_assembly *a);
// Errors of the hard free rows that a correction of poses is to take out; 0 for the others.
void pawl_closure_errors(const pawl_assembly *a, double *errors);
void pawl_closure_solve(step_context *c, double accuracy, double *change);
// Twists of bodies as (6 x bodies), and a change of u.next that the bodies follow.
void pawl_twists_of(const pawl_model *m, const body_state *bodies, double *u);
void pawl_twists_change(step_context *c, const double *change, body_state *bodies);
void pawl_closure_velocities(step_context *c, pawl_state *s, double t);
// Rotors of armatures (rotors.c). They begin to turn where rows are placed, at the twists of s; the next projection of
// velocities takes them along.
void pawl_rotors_begin(step_context *c, const pawl_state *s);
// The mean rates of coordinates in a move of tau, to where the assembly was measured last, less those of their rotors,
// which got impulses `total`. Writes rows of armatures alone; returns the largest.
double pawl_rotors_lag(const step_context *c, double tau, const double *total, double *lag);
// Rotors of the rows as placed before a move that did not follow the joints, at the end of that move, where rows are
// placed and twists brought into the tangents.
void pawl_rotors_turn(step_context *c, pawl_state *s, double end);
// Rotors at the end of a move in which they got impulses `total`.
void pawl_rotors_end(step_context *c, const double *total);
// u.next from s, and v_f of all rows: their rates, less those of prescribed motions at t, for armatures
// less the rates of their rotors; 0 for other soft rows.
void pawl_closure_rates(step_context *c, const pawl_state *s, double t);
// Poses of s moved by d (6 x bodies), or by a fraction of it that turns nothing by more than a radian; t is their
// time.
void pawl_project_move(const step_context *c, pawl_state *s, const double *d, double t);
// In reduced coordinates: the poses of s, near the tree, to those of their coordinates at time t.
void pawl_close_tree(const step_context *c, pawl_state *s, double t);
