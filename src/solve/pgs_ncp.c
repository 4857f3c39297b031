// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pgs-ncp: projected Gauss-Seidel (loops Alg. 5). Each block in turn is solved exactly for the
// newest impulses of the others: joints by a small factorization, bounded rows by clamping, contacts
// by one projected step of the NCP.
//
//   v_j = v_f,j + sum over m of D_jm lambda_m,   lambda_j <- P_K(lambda_j - (D_jj + R_jj)^-1 v_j)
//
// Long chains and redundant loops need very many sweeps unless their joints are eliminated first
// (solver.exact_joints).
#include "problem/natural.h"
#include "solve/solver_ops.h"
#include "solve/sweep.h"

typedef struct pgs_ncp {
    pawl_solver base;
    sweeper sweeps;
    double *weight; // (rows)
} pgs_ncp;

static pawl_solver *pgs_ncp_layout(const solver_def *def, pawl_carver *mem)
{
    pgs_ncp *s = PAWL_CARVE(mem, pgs_ncp, 1);
    pgs_ncp layout = {
        .sweeps = pawl_sweeper_layout(def->max_rows, def->max_blocks, def->max_block_dim, mem)};
    layout.weight = PAWL_CARVE(mem, double, def->max_rows);
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

static void pgs_ncp_solve(pawl_solver *base, const pawl_problem *p, double *lambda,
                          solver_report *report)
{
    pgs_ncp *s = (pgs_ncp *)base;
    double tolerance = base->def.tolerance;
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT, .iterations = 0};
    pawl_problem_weights(p, s->weight);
    pawl_sweep_begin(&s->sweeps, p, lambda);
    while (report->outcome != PAWL_CONVERGED && report->iterations < base->def.max_iterations) {
        ++report->iterations;
        double worst = pawl_sweep(&s->sweeps, p, SWEEP_NCP_STEP, lambda);
        if (worst <= tolerance &&
            pawl_sweep_natural(&s->sweeps, p, s->weight, lambda) <= 0.5 * tolerance) {
            report->outcome = PAWL_CONVERGED;
        }
    }
}

const pawl_solver_ops pawl_pgs_ncp_ops = {
    .name = "pgs-ncp",
    .summary = "projected Gauss-Seidel sweeps; joints eliminated exactly unless "
               "solver.exact_joints=off",
    .contacts = true,
    .layout = pgs_ncp_layout,
    .solve = pgs_ncp_solve,
};
