// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A small problem with an operator of the test's own, and the contract that every row of the solver
// table keeps on it: called once, judged by the judge, seen not to allocate, and excused only where
// a table says so with its reason.
#pragma once
#include "problem/dense_space.h"
#include "solve/solver_ops.h"

enum { CASE_ROWS = 48, CASE_SPEEDS = 40, CASE_BLOCKS = 24 };

// D = J W JT, W diagonal: the waist's view of any mechanism.
typedef struct contract_case {
    pawl_delassus delassus; // first, so that the operator's functions can get back to the case
    pawl_problem problem;
    const char *scene; // by which exceptions are found
    int rows, free_rows, speeds;
    int max_iterations; // 0: as many as it takes
    double relaxation;  // held for all sweeps; 0: the default
    problem_block blocks[CASE_BLOCKS];
    double J[CASE_ROWS * CASE_SPEEDS], W[CASE_SPEEDS];
    double D[CASE_ROWS * CASE_ROWS], A[CASE_ROWS * CASE_ROWS]; // A = D + R
    double v_f[CASE_ROWS], lower[CASE_ROWS], upper[CASE_ROWS], compliance[CASE_ROWS];
    double factor[CASE_ROWS * CASE_ROWS], inverse_d[CASE_ROWS], x[CASE_ROWS];
    double shifted[CASE_ROWS * CASE_ROWS], shifted_d[CASE_ROWS];
    dense_space space;
    double space_memory[5 * CASE_ROWS * CASE_ROWS];
    double friction[CASE_BLOCKS], u_free[CASE_SPEEDS], bias[CASE_ROWS]; // of cases with contacts
} contract_case;

// D and A from J, W and compliance; the problem from all that the case holds.
void contract_pose(contract_case *c, bool redundant);
// v = A lambda + v_f
void contract_velocity(const contract_case *c, const double *lambda, double *v);

// A solver in one of its ways to run.
typedef struct contract_variant {
    pawl_solver_kind kind;
    const pawl_solver_ops *ops;
    bool exact_joints;
} contract_variant;
enum { CONTRACT_MAX_VARIANTS = 2 * PAWL_SOLVER_COUNT };
// Every solver of the table in each of its ways; with `contacts`, those that know contacts.
int contract_variants(bool contacts, contract_variant variants[CONTRACT_MAX_VARIANTS]);

extern const double contract_tolerance;
// Solves from lambda. Converged within the tolerance of the judge (of the convex relaxation where
// that is what the solver solves), or listed as excused; returns false in the latter case.
bool contract_run(contract_case *c, contract_variant variant, double *lambda, double *v,
                  int *iterations);
// Fails the test where an excuse was listed for a scene that was tried and never needed.
void contract_check_exceptions(void);
