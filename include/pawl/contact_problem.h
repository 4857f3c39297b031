// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Frictional contact problems without a model: build one from a matrix, solve it with any
/// solver that supports contacts, and measure the errors of a solution. Files of FCLib are in pawl/io.h.
///
/// Contact k has three rows, 3k to 3k + 2: two tangents, then the normal. Find impulses r with
///   u = W r + q,   K* contains u + (0, 0, mu |u_T|),   K contains r,   the two are orthogonal,
/// where K = {|r_T| <= mu r_N} and K* is its dual: Signorini's and Coulomb's laws.
///
/// **Threads.** A contact problem belongs to one thread at a time: solving uses its memory. A problem kept by a simulation belongs
/// to the simulation's thread.
#pragma once
#include "pawl/sim.h"

PAWL_EXTERN_C_BEGIN

/// A sparse matrix by its entries, in any order; entries named more than once add up.
typedef struct pawl_triplets {
    int rows, columns, count;
    const int *row, *column; ///< (count) from 0
    const double *value;     ///< (count)
} pawl_triplets;

/// All is copied. W is square, of 3 x contact_count rows; it should be symmetric and positive
/// semidefinite. Its diagonal is not negative, and not all zero in any contact.
typedef struct pawl_contact_problem_def {
    int contact_count;
    pawl_triplets W;        ///< [1/kg]
    const double *q;        ///< (3 x contact_count) velocities without contact impulses [m/s]
    const double *friction; ///< (contact_count) mu
} pawl_contact_problem_def;

typedef struct pawl_contact_problem pawl_contact_problem;
PAWL_API pawl_status pawl_contact_problem_create(const pawl_env *env,
                                                 const pawl_contact_problem_def *def,
                                                 pawl_contact_problem **out);

/// The same with the velocities v of the bodies as unknowns (FCLib's global form):
///   M v = H r + G l + f,   GT v + b = 0,   u = HT v + w.
/// M is positive definite and nearly symmetric; equality constraints (joints) may be redundant.
typedef struct pawl_contact_system_def {
    int velocity_count, equality_count, contact_count;
    pawl_triplets M;        ///< (velocity_count x velocity_count) [kg]
    pawl_triplets H;        ///< (velocity_count x 3 contact_count)
    pawl_triplets G;        ///< (velocity_count x equality_count)
    const double *f;        ///< (velocity_count) momenta without contact impulses [kg m/s]
    const double *w;        ///< (3 x contact_count) [m/s]
    const double *b;        ///< (equality_count) [m/s]; NULL where there are none
    const double *friction; ///< (contact_count) mu
} pawl_contact_system_def;
/// Eliminates v and l: W = HT A H and q = HT A f + ..., with A = M^-1 without equality constraints.
PAWL_API pawl_status pawl_contact_problem_reduce(const pawl_env *env,
                                                 const pawl_contact_system_def *def,
                                                 pawl_contact_problem **out);
PAWL_API void pawl_contact_problem_destroy(pawl_contact_problem *problem);    ///< NULL is fine
PAWL_API int pawl_contact_problem_count(const pawl_contact_problem *problem); ///< contacts
PAWL_API const double *pawl_contact_problem_q(const pawl_contact_problem *problem);
PAWL_API const double *pawl_contact_problem_friction(const pawl_contact_problem *problem);
/// Entries of W that are kept: whole 3 x 3 blocks, so that some may be zero.
PAWL_API int pawl_contact_problem_entry_count(const pawl_contact_problem *problem);
/// All of them, by rows, columns ascending. Arrays have room for that many.
PAWL_API pawl_status pawl_contact_problem_entries(const pawl_contact_problem *problem, int *row,
                                                  int *column, double *value);
/// |W - WT| / |W| in the Frobenius norm.
PAWL_API double pawl_contact_problem_asymmetry(const pawl_contact_problem *problem);
/// u = W r + q, with W as it was given.
PAWL_API pawl_status pawl_contact_problem_velocity(const pawl_contact_problem *problem,
                                                   const double *r, double *u);

/// The errors of r, measured with W as it was given. F = |r - P_K(r - u^)| is the natural map of all
/// contacts in the 2-norm, u^ = u + (0, 0, mu |u_T|). Judge r by
/// the largest of the three: `relative` is small if W is tiny, `absolute` if q is.
typedef struct pawl_contact_errors {
    double relative; ///< A: F / max(|q|, |r|, |u|), as Siconos measures
    double absolute; ///< B: F / max(1, |q|)
    /// S: like `relative` after contact k was brought to unit W_kk: r_k / s_k, s_k u_k, s_k q_k with
    /// s_k = sqrt(3 / trace(W_kk)). It does not depend on the units of mass and length.
    double scaled;
} pawl_contact_errors;
PAWL_API pawl_contact_errors pawl_contact_problem_errors(const pawl_contact_problem *problem,
                                                         const double *r);
PAWL_API double pawl_contact_errors_worst(const pawl_contact_errors *errors);

/// The result of a solver on a problem.
typedef struct pawl_contact_result {
    pawl_outcome outcome;       ///< converged: all three errors are within the tolerance
    int iterations;             ///< of the solver, over all passes
    int factorizations;         ///< of the matrix that an iteration solves with
    int passes;                 ///< times that the solver ran
    pawl_contact_errors errors; ///< of the answer
} pawl_contact_result;

/// Whether a solver supports contacts; false past the last.
PAWL_API bool pawl_solver_takes_contacts(int kind);
/// Whether a solver also has a variant as published (solver.variant=paper); false past the last.
PAWL_API bool pawl_solver_is_published(int kind);

/// Solves with settings->solver.kind and its settings until all three errors are at most
/// settings->solver.tolerance (a plain number here) or settings->solver.max_iterations are done. r is the start, and
/// becomes the best answer found.
///
/// The solver works with symmetric matrices and gets (W + WT) / 2, with contacts scaled to unit size
/// and q to unit root mean square. The antisymmetric part of W, times the last solution, is added
/// to q, and the solver runs again: the result is the solution for W as it was given.
PAWL_API pawl_status pawl_contact_problem_solve(pawl_contact_problem *problem,
                                                const pawl_settings *settings, double *r,
                                                pawl_contact_result *result);

/// From now on every step keeps the contact problem that it assembled. This takes time and memory: use it
/// to examine problems. A step without memory for it fails.
PAWL_API void pawl_sim_keep_problems(pawl_sim *sim, bool keep);
/// The problem of the last step; valid until the next step. Joints are eliminated exactly; limits,
/// friction losses and effort limits, which the problem cannot express, act with the impulses of
/// the step.
typedef struct pawl_kept_problem {
    const pawl_contact_problem *problem; ///< NULL without contacts, or if nothing can move one
    const double *r;                     ///< (3 x contacts) the step's own impulses [N s]
    int fixed_rows;                      ///< rows with fixed impulses
} pawl_kept_problem;
PAWL_API pawl_kept_problem pawl_sim_kept_problem(const pawl_sim *sim);

PAWL_EXTERN_C_END
