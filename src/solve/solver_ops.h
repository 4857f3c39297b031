// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The interface of a solver: one file, one row in solver_table.c. Its only input is the problem.
#pragma once
#include "base/carver.h"
#include "pawl/report.h"
#include "pawl/settings.h"
#include "problem/condense.h"
#include "problem/problem.h"
#include "solve/box_pivot.h"

typedef struct admm_options { // of the admm family; pawl_settings says what they are
    double rho, eta, relaxation;
    bool precondition, accelerate;
} admm_options;

typedef struct solver_def {
    pawl_solver_kind kind;
    int max_rows, max_block_dim, max_blocks; // capacities
    int max_contacts;
    int max_bounded;  // bounded rows without contacts
    int max_spins;    // those that come with contacts beside their three rows
    double tolerance; // the usual goal: on the scaled natural map [m/s]
    int max_iterations;
    bool paper;        // as published; for solvers that are
    int budget;        // sweeps of auto instead of its stages; 0 for none
    int budget_newton; // Newton steps after them
    bool exact_joints;
    double regularization; // relative shift of the factor where rows may depend on each other
    admm_options admm;
    double relaxation, relaxation_min, relaxation_decay; // omega of sweeps, see splitting.c
    int lemke_sides;  // corners of the polygon that stands in for the friction disk, even
    int lemke_rounds; // how often it is turned against the slip, the first time included
} solver_def;

// The goal of one solve. Callers that solve in rounds, or need only a rough solution, set weaker goals than the def;
// the def itself never changes.
typedef struct solver_goal {
    double tolerance; // on the scaled natural map [m/s]
    int iterations;   // at most
    // What the residual of lambda before the solve may be for lambda to be the answer, beside what the solver asks for
    // [m/s]; 0: that alone. Solvers that converge to rounding heed it.
    double start;
} solver_goal;

typedef struct solver_report {
    pawl_outcome outcome;
    pawl_method method; // that had the last word
    int iterations;
    int factorizations; // of the matrix that an iteration solves with
    double
        own_residual; // of solvers with a law of their own: what is left of the problem with that,
                      // measured on the answer; the judge takes it for contacts [m/s]
} solver_report;

typedef struct pawl_solver pawl_solver;
typedef struct pawl_solver_ops {
    const char *name;    // one spelling, for the command line, the docs and the logs
    const char *summary; // one line
    bool contacts;       // whether it solves contacts
    bool pivots_alone;   // without contacts the direct method solves instead
    bool condenses;      // free rows must be eliminated before; else as def.exact_joints says
    bool takes_budget;   // solver.budget bounds its sweeps
    bool published;      // has a variant as published (loops Table I)
    bool relaxed;        // solves the convex relaxation (CCP): sliding contacts separate
    const void *variant; // what tells solvers of one file apart
    const char
        *own_law; // the friction law that answers follow, where it is neither Coulomb's nor its
                  // relaxation; its solver fills report.own_residual. Else NULL
    pawl_solver *(*layout)(const solver_def *def, pawl_carver *mem);
    // lambda (rows): warm start in, answer out. Never allocates.
    void (*solve)(pawl_solver *s, const pawl_problem *p, solver_goal goal, double *lambda,
                  solver_report *report);
} pawl_solver_ops;

struct pawl_solver { // every solver embeds this as its first member
    const pawl_solver_ops *ops;
    pawl_env env;
    solver_def def;
    size_t bytes;
    condensed_problem condensed;
    box_pivot box;
};

const pawl_solver_ops *pawl_solver_find(int kind); // NULL if unknown
// The table, by kind.
extern const pawl_solver_ops *const pawl_solvers[];
extern const int pawl_solver_count;
extern const pawl_solver_ops pawl_direct_ops;
extern const pawl_solver_ops pawl_pgs_ncp_ops;
extern const pawl_solver_ops pawl_pgs_ccp_ops;
extern const pawl_solver_ops pawl_nbgs_ops;
extern const pawl_solver_ops pawl_raisim_ops;
extern const pawl_solver_ops pawl_raisim_ds_ops;
extern const pawl_solver_ops pawl_raisim_ds_es_ops;
extern const pawl_solver_ops pawl_prox_ops;
extern const pawl_solver_ops pawl_auto_ops;
extern const pawl_solver_ops pawl_admm_ncp_ops;
extern const pawl_solver_ops pawl_nsgs_ops;
extern const pawl_solver_ops pawl_newton_ops;
extern const pawl_solver_ops pawl_admm_ccp_ops;
extern const pawl_solver_ops pawl_admm_ncp_fp_ops;
extern const pawl_solver_ops pawl_admm_ncp_la_ops;
extern const pawl_solver_ops pawl_admm_ncp_sa_ops;
extern const pawl_solver_ops pawl_lemke_ops;

// A def from the settings; capacities are the caller's.
solver_def pawl_solver_def_of(const pawl_settings *settings);
pawl_status pawl_solver_create(const pawl_env *env, const solver_def *def, pawl_solver **out);
void pawl_solver_destroy(pawl_solver *solver);
// Eliminates the free rows first where that is asked for and the rest is small enough, so that a
// solver's `solve` has one way to go: over the rows of the problem it is given.
void pawl_solver_solve(pawl_solver *solver, const pawl_problem *p, solver_goal goal, double *lambda,
                       solver_report *report);
// The goal of the def.
solver_goal pawl_solver_goal(const pawl_solver *solver);
