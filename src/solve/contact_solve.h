// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A contact problem given as a matrix, solved by an existing solver.
#pragma once
#include "problem/contact_problem.h"
#include "solve/solver_ops.h"

// Asks for `goal` with the solver's capacities. r is checked to be finite. The solver's own numbers are as they were
// afterwards. `own`: what a solver with a law of its own reported of the answer; else NaN.
pawl_status pawl_contact_solve_with(pawl_solver *solver, solver_goal goal, pawl_contact_problem *p,
                                    double *r, pawl_contact_result *result, double *own);
// Impulses and velocities in scaled quantities, over the root mean square of the scaled q, into p->lambda and
// p->v_f: what the problem of solvers is for this r. False where nothing moves.
bool pawl_contact_scale(pawl_contact_problem *p, const double *r);
