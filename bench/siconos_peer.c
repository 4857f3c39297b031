// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Runs Siconos' solvers on a contact problem of pawl, so that both are compared on the same
// numbers. Siconos orders the rows of a contact normal first, pawl normal last.
#include "siconos_peer.h"
#include <stdlib.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

const char *siconos_method_name(int method)
{
    static const char *const names[SICONOS_METHODS] = {"Siconos NSGS", "Siconos NSN_AC",
                                                       "Siconos ADMM rho 1", "Siconos ADMM rho tr"};
    return method >= 0 && method < SICONOS_METHODS ? names[method] : NULL;
}

// Their row of ours: the normal comes first there.
static int siconos_row(int row)
{
    return row % 3 == 2 ? row - 2 : row + 1;
}

// W as a sparse matrix, in their order.
static NumericsMatrix *siconos_matrix(const pawl_contact_problem *problem, double *trace)
{
    int count = pawl_contact_problem_entry_count(problem);
    int rows = 3 * pawl_contact_problem_count(problem);
    int *row = malloc(2 * (size_t)count * sizeof *row), *column = row + count;
    double *value = malloc((size_t)count * sizeof *value);
    NumericsMatrix *W = NM_create(NM_SPARSE, rows, rows);
    NM_triplet_alloc(W, count);
    W->matrix2->origin = NSM_TRIPLET;
    pawl_contact_problem_entries(problem, row, column, value);
    *trace = 0.0;
    for (int e = 0; e < count; ++e) {
        if (value[e] != 0.0) {
            NM_entry(W, siconos_row(row[e]), siconos_row(column[e]), value[e]);
        }
        *trace += row[e] == column[e] ? value[e] : 0.0;
    }
    free(row);
    free(value);
    return W;
}

// Gauss-Seidel walks along blocks.
static NumericsMatrix *siconos_blocks(NumericsMatrix *W)
{
    SparseBlockStructuredMatrix *blocks = SBM_new();
    SBM_from_csparse(3, NM_csc(W), blocks);
    return NM_new_SBM(W->size0, W->size1, blocks);
}

static SolverOptions *siconos_options(siconos_method method, double tolerance, double mean)
{
    static const int ids[SICONOS_METHODS] = {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_NSN_AC,
                                             SICONOS_FRICTION_3D_ADMM, SICONOS_FRICTION_3D_ADMM};
    SolverOptions *options = solver_options_create(ids[method]);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000000;
    if (method == SICONOS_ADMM_ONE || method == SICONOS_ADMM_TRACE) {
        options->dparam[SICONOS_FRICTION_3D_ADMM_RHO] = method == SICONOS_ADMM_ONE ? 1.0 : mean;
    }
    return options;
}

int siconos_solve(const pawl_contact_problem *problem, siconos_method method, double tolerance,
                  double *r)
{
    int contacts = pawl_contact_problem_count(problem), rows = 3 * contacts;
    double trace, *memory = calloc((size_t)(3 * rows + contacts), sizeof *memory);
    double *q = memory, *reaction = q + rows, *velocity = reaction + rows, *mu = velocity + rows;
    for (int i = 0; i < rows; ++i) {
        q[siconos_row(i)] = pawl_contact_problem_q(problem)[i];
    }
    for (int k = 0; k < contacts; ++k) {
        mu[k] = pawl_contact_problem_friction(problem)[k];
    }
    numerics_set_verbose(0);
    NumericsMatrix *W = siconos_matrix(problem, &trace);
    NumericsMatrix *used = method == SICONOS_NSGS ? siconos_blocks(W) : W;
    FrictionContactProblem *theirs = frictionContactProblem_new_with_data(3, contacts, used, q, mu);
    SolverOptions *options = siconos_options(method, tolerance, trace / rows);
    (void)fc3d_driver(theirs, reaction, velocity, options);
    int iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    for (int i = 0; i < rows; ++i) {
        r[i] = reaction[siconos_row(i)];
    }
    return iterations; // the process that asked ends now and gives all memory back
}
