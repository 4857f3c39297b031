// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// A solver as an object: created once for a number of contacts, then used for any number of problems.
///
/// Solvers, their laws and the meaning of the errors are those of pawl/contact_problem.h and of simulations; every solver
/// that supports contacts is available here (`pawl list solvers`).
///
///     pawl_contact_solver_def def = pawl_contact_solver_def_default();
///     def.kind = PAWL_SOLVER_NSGS;
///     def.max_contacts = 100;
///     pawl_contact_solver_create(&env, &def, &solver);
///     pawl_contact_solver_solve(solver, problem, r, &report);   // again and again
///
/// **Threads.** A solver belongs to one thread at a time, and so does a problem, whose memory a solve uses. Different
/// solvers on different problems may run at once.
#pragma once
#include "pawl/contact_problem.h"

PAWL_EXTERN_C_BEGIN

/// Start from pawl_contact_solver_def_default() and change what you need.
typedef struct pawl_contact_solver_def {
    pawl_solver_kind kind; ///< auto
    int max_contacts;      ///< capacity, fixed for the life of the solver; 1 or more
    double tolerance;      ///< on all three errors of the answer (1e-8) [-]
    int max_iterations;    ///< of one solve, over all passes (10000)
    const pawl_settings
        *settings;  ///< NULL, or the source of the kind's parameters (admm.*, solver.relaxation,
                    ///< lemke.*, ...); copied
    uint32_t stamp; ///< set by the default function; shows that it was called
} pawl_contact_solver_def;
/// The values in parentheses above, for one contact.
PAWL_API pawl_contact_solver_def pawl_contact_solver_def_default(void);
/// The kind of this name ("nsgs"), or -1.
PAWL_API int pawl_solver_find_kind(const char *name);

/// The report of a solve. Two figures judge the solution: that of Coulomb's law, for every solver, and that of the solver's
/// own law, which differs for the convex relaxation and for friction polygons.
typedef struct pawl_contact_solver_report {
    pawl_contact_result result; ///< of Coulomb's law: outcome, iterations, the three errors
    double
        own_residual; ///< largest entry of the scaled natural map of the solver's own law, over the root
                      ///< mean square of the scaled q [-]
    pawl_outcome own_outcome; ///< converged: own_residual is within the tolerance
} pawl_contact_solver_report;

typedef struct pawl_contact_solver pawl_contact_solver;
/// Allocates all that the solver will ever use. Refuses kinds that do not take contacts.
PAWL_API pawl_status pawl_contact_solver_create(const pawl_env *env,
                                                const pawl_contact_solver_def *def,
                                                pawl_contact_solver **out);
PAWL_API void pawl_contact_solver_destroy(pawl_contact_solver *solver); ///< NULL is fine
/// r (3 x contacts, two tangents and the normal of each): start in, best answer out. A problem with more contacts than
/// the capacity is refused. Running out of iterations is an outcome, not an error. `report` may be NULL. Does not
/// allocate, except for data that a problem keeps after its first solve by a kind that factors a matrix.
PAWL_API pawl_status pawl_contact_solver_solve(pawl_contact_solver *solver,
                                               pawl_contact_problem *problem, double *r,
                                               pawl_contact_solver_report *report);

PAWL_EXTERN_C_END
