// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pgs-ncp: projected Gauss-Seidel (loops Alg. 5). Each block in turn is solved exactly for the
// newest impulses of the others: joints by a small factorization, bounded rows by clamping.
//
//   v_j = v_f,j + sum over m of D_jm lambda_m,   lambda_j <- P_K(lambda_j - (D_jj + R_jj)^-1 v_j)
//
// With exact_joints (the default) the free rows are eliminated first and sweeps run over the
// bounded rows alone: on closed loops this is what makes sweeps converge. Without it every sweep
// costs O(rows), and long chains or redundant loops need very many.
#include "linalg/dense.h"
#include "solve/box_pivot.h"
#include "solve/eliminate.h"
#include "solve/solver_ops.h"
#include <math.h>

typedef struct pgs_ncp {
    pawl_solver base;
    eliminator eliminate;
    double *y;         // (bounded)
    double *factors;   // one dim x dim factor a block, of capacity max_block_dim^2 each
    double *inverse_d; // (rows) pivots of the factors
    double *change;    // (max_block_dim)
} pgs_ncp;

static pawl_solver *pgs_ncp_layout(const solver_def *def, pawl_carver *mem)
{
    size_t dim = (size_t)def->max_block_dim;
    pgs_ncp *s = PAWL_CARVE(mem, pgs_ncp, 1);
    pgs_ncp layout = {.eliminate = pawl_eliminator_layout(def->max_rows, def->free_rows, mem)};
    layout.y = PAWL_CARVE(mem, double, def->max_rows - def->free_rows);
    layout.factors = PAWL_CARVE(mem, double, dim *dim *(size_t)def->max_blocks);
    layout.inverse_d = PAWL_CARVE(mem, double, def->max_rows);
    layout.change = PAWL_CARVE(mem, double, def->max_block_dim);
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

static void pgs_ncp_factor_blocks(pgs_ncp *s, const pawl_problem *p)
{
    int dim = s->base.def.max_block_dim;
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        double *f = s->factors + k * dim * dim;
        p->delassus->ops->block(p->delassus, k, f);
        for (int r = 0; r < b.dim; ++r) {
            f[r * b.dim + r] += p->compliance[b.first_row + r];
        }
        pawl_ldl_factor(f, b.dim, b.dim, 1e-12, NULL, s->inverse_d + b.first_row);
    }
}

// One sweep over all blocks; returns the largest velocity found wanting.
static double pgs_ncp_sweep(pgs_ncp *s, const pawl_problem *p, double *lambda)
{
    int dim = s->base.def.max_block_dim;
    pawl_delassus *d = p->delassus;
    double worst = 0.0;
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        double *x = lambda + b.first_row, *dx = s->change;
        const double *f = s->factors + k * dim * dim;
        const double *inverse_d = s->inverse_d + b.first_row;
        d->ops->sweep_velocity(d, k, dx);
        for (int r = 0; r < b.dim; ++r) {
            int row = b.first_row + r;
            dx[r] = -(dx[r] + p->compliance[row] * x[r] + p->v_f[row]);
        }
        if (k < p->free_block_count) {
            for (int r = 0; r < b.dim; ++r) {
                worst = fmax(worst, fabs(dx[r]));
            }
            pawl_ldl_solve(f, b.dim, b.dim, inverse_d, dx);
        } else {
            double wanted = x[0] + dx[0] * inverse_d[0];
            wanted = fmin(fmax(wanted, p->lower[b.first_row]), p->upper[b.first_row]);
            dx[0] = wanted - x[0];
            worst = fmax(worst, inverse_d[0] > 0.0 ? fabs(dx[0]) / inverse_d[0] : 0.0);
        }
        for (int r = 0; r < b.dim; ++r) {
            x[r] += dx[r];
        }
        d->ops->sweep_add(d, k, dx);
    }
    return worst;
}

static void pgs_ncp_solve(pawl_solver *base, const pawl_problem *p, double *lambda,
                          solver_report *report)
{
    pgs_ncp *s = (pgs_ncp *)base;
    int n = p->free_row_count, m = p->row_count - n;
    const solver_def *def = &base->def;
    *report = (solver_report){PAWL_CONVERGED, 0};
    if (!def->exact_joints) {
        pgs_ncp_factor_blocks(s, p);
        p->delassus->ops->sweep_begin(p->delassus, lambda);
        report->outcome = PAWL_ITERATION_LIMIT;
        while (report->iterations < def->max_iterations) {
            ++report->iterations;
            if (pgs_ncp_sweep(s, p, lambda) <= 0.5 * def->tolerance) {
                report->outcome = PAWL_CONVERGED;
                break;
            }
        }
        return;
    }
    pawl_eliminate_factor(p, def->regularization);
    if (m > 0) {
        for (int i = 0; i < m; ++i) {
            s->y[i] = lambda[n + i];
        }
        pawl_eliminate_reduce(&s->eliminate, p, lambda);
        report->outcome = PAWL_ITERATION_LIMIT;
        while (report->iterations < def->max_iterations) {
            ++report->iterations;
            double change = pawl_box_sweep(s->eliminate.reduced, m, s->eliminate.reduced_v,
                                           p->lower + n, p->upper + n, s->y);
            if (change <= 0.5 * def->tolerance) {
                report->outcome = PAWL_CONVERGED;
                break;
            }
        }
        for (int i = 0; i < m; ++i) {
            lambda[n + i] = s->y[i];
        }
    }
    int solves = pawl_eliminate_recover(&s->eliminate, p, 1e-12, lambda);
    report->iterations = report->iterations > 0 ? report->iterations : solves;
}

const pawl_solver_ops pawl_pgs_ncp_ops = {
    .name = "pgs-ncp",
    .summary = "projected Gauss-Seidel sweeps; joints eliminated exactly unless "
               "solver.exact_joints=off",
    .layout = pgs_ncp_layout,
    .solve = pgs_ncp_solve,
};
