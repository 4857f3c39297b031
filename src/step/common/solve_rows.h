// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The solution of the problem that was built, and its figures.
#pragma once
#include "step/common/step.h"

// u.next = u.free with the impulses lambda.
void pawl_apply_rows(step_context *c);
// Whether solver.budget bounds the steps of these rows to one solve of all of them by sweeps: those of free bodies.
bool pawl_sweeps_in_whole(const step_context *c);
// One call of the solver, from where lambda is, which is trusted as far as the twists before the step allow
// (trusted_start.h), or as the solver does where `twists` is NULL. Returns the number of islands that were solved apart.
int pawl_solve_islands(step_context *c, solver_goal goal, const double *twists, double *lambda,
                       solver_report *solved);
// The same from u.lambda, without twists; sets u.next.
void pawl_step_solve_rows(step_context *c, solver_goal goal, solver_report *solved);
// From the impulses that s remembers, in rounds where friction against spinning has to settle.
void pawl_solve_warm(step_context *c, const pawl_state *s, solver_report *solved);
// The same rows with other free velocities, from the impulses of the solve before.
void pawl_solve_again(step_context *c, solver_report *solved);
// The judge's figures into a report, the residual of the problem that the solver was to solve, which may have
// another friction law, and the outcome, which depends only on them and not on the solver's report.
void pawl_step_decide(step_context *c, const solver_report *solved, pawl_step_report *report);
