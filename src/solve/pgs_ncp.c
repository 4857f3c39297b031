// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pgs-ncp: projected Gauss-Seidel (loops Alg. 5). Each block in turn is solved exactly for the
// newest impulses of the others: joints by a small factorization, bounded rows by clamping, contacts
// by one projected step of the NCP.
//
//   v_j = v_f,j + sum over m of D_jm lambda_m,   lambda_j <- P_K(lambda_j - (D_jj + R_jj)^-1 v_j)
//
// With exact_joints (the default) the free rows are eliminated first and sweeps run over the
// bounded rows alone: on closed loops this is what makes sweeps converge. Without it every sweep
// costs O(rows), and long chains or redundant loops need very many.
#include "solve/eliminate.h"
#include "solve/solver_ops.h"
#include "solve/sweep.h"
#include <string.h>

enum { PGS_MAX_REDUCED = 360 }; // beyond this the dense reduced matrix costs more than it saves

typedef struct pgs_ncp {
    pawl_solver base;
    eliminator eliminate;
    double *y; // (bounded)
    sweeper sweeps;
} pgs_ncp;

static pawl_solver *pgs_ncp_layout(const solver_def *def, pawl_carver *mem)
{
    pgs_ncp *s = PAWL_CARVE(mem, pgs_ncp, 1);
    int reduced = def->max_rows < PGS_MAX_REDUCED ? def->max_rows : PGS_MAX_REDUCED;
    reduced = reduced > def->max_bounded ? reduced : def->max_bounded;
    pgs_ncp layout = {.eliminate = pawl_eliminator_layout(def->max_rows, reduced, mem)};
    layout.y = PAWL_CARVE(mem, double, reduced);
    layout.sweeps = pawl_sweeper_layout(def->max_rows, def->max_blocks, def->max_block_dim, mem);
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
    int n = p->free_row_count, m = p->row_count - n;
    const solver_def *def = &base->def;
    bool reduce = def->exact_joints && n > 0 && m <= s->eliminate.capacity;
    *report = (solver_report){m > 0 || !reduce ? PAWL_ITERATION_LIMIT : PAWL_CONVERGED, 0};
    double *x = lambda;
    if (reduce) {
        pawl_eliminate_factor(p, def->regularization);
        x = s->y;
        memcpy(x, lambda + n, (size_t)m * sizeof *x);
        if (m > 0) {
            pawl_eliminate_reduce(&s->eliminate, p, lambda);
        }
    } else {
        pawl_sweep_begin(&s->sweeps, p, lambda);
    }
    while (report->outcome != PAWL_CONVERGED && report->iterations < def->max_iterations) {
        ++report->iterations;
        double worst = reduce ? pawl_sweep_reduced(s->eliminate.reduced, m, s->eliminate.reduced_v,
                                                   p, SWEEP_NCP_STEP, x)
                              : pawl_sweep(&s->sweeps, p, SWEEP_NCP_STEP, x);
        if (worst <= 0.3 * def->tolerance) {
            report->outcome = PAWL_CONVERGED;
        }
    }
    if (reduce) {
        memcpy(lambda + n, x, (size_t)m * sizeof *x);
        int solves = pawl_eliminate_recover(&s->eliminate, p, 1e-12, lambda);
        report->iterations = report->iterations > 0 ? report->iterations : solves;
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
