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
#include "linalg/dense.h"
#include "math/vec.h"
#include "solve/box_pivot.h"
#include "solve/contact_local.h"
#include "solve/eliminate.h"
#include "solve/solver_ops.h"
#include <string.h>

enum { PGS_MAX_REDUCED = 360 }; // beyond this the dense reduced matrix costs more than it saves

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
    int reduced = def->max_rows < PGS_MAX_REDUCED ? def->max_rows : PGS_MAX_REDUCED;
    reduced = reduced > def->max_bounded ? reduced : def->max_bounded;
    pgs_ncp layout = {.eliminate = pawl_eliminator_layout(def->max_rows, reduced, mem)};
    layout.y = PAWL_CARVE(mem, double, reduced);
    layout.factors = PAWL_CARVE(mem, double, dim *dim *(size_t)def->max_blocks);
    layout.inverse_d = PAWL_CARVE(mem, double, def->max_rows);
    layout.change = PAWL_CARVE(mem, double, def->max_block_dim);
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

static bool pgs_ncp_is_contact(const pawl_problem *p, int block)
{
    return block >= p->block_count - p->contact_count;
}

// Factors of the diagonal blocks; of contacts the block itself.
static void pgs_ncp_prepare_blocks(pgs_ncp *s, const pawl_problem *p)
{
    int dim = s->base.def.max_block_dim;
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        double *f = s->factors + k * dim * dim;
        p->delassus->ops->block(p->delassus, k, f);
        for (int r = 0; r < b.dim; ++r) {
            f[r * b.dim + r] += p->compliance[b.first_row + r];
        }
        if (!pgs_ncp_is_contact(p, k)) {
            pawl_ldl_factor(f, b.dim, b.dim, 1e-12, NULL, s->inverse_d + b.first_row);
        }
    }
}

// The change of a contact's impulse x for its velocity v; returns it in units of velocity.
static double pgs_ncp_contact(const double D[9], const double v[3], double mu, const double x[3],
                              double dx[3])
{
    double fresh[3] = {x[0], x[1], x[2]}, worst = 0.0;
    pawl_contact_ncp_step(D, v, mu, fresh);
    for (int r = 0; r < 3; ++r) {
        dx[r] = fresh[r] - x[r];
        worst = max_of(worst, D[4 * r] * fabs(dx[r]));
    }
    return worst;
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
            dx[r] += p->compliance[row] * x[r] + p->v_f[row];
        }
        if (pgs_ncp_is_contact(p, k)) {
            int contact = k - (p->block_count - p->contact_count);
            double v[3] = {dx[0], dx[1], dx[2]};
            worst = max_of(worst, pgs_ncp_contact(f, v, p->friction[contact], x, dx));
        } else if (k < p->free_block_count) {
            for (int r = 0; r < b.dim; ++r) {
                worst = max_of(worst, fabs(dx[r]));
                dx[r] = -dx[r];
            }
            pawl_ldl_solve(f, b.dim, b.dim, inverse_d, dx);
        } else {
            double wanted = x[0] - dx[0] * inverse_d[0];
            wanted = fmin(fmax(wanted, p->lower[b.first_row]), p->upper[b.first_row]);
            dx[0] = wanted - x[0];
            worst = max_of(worst, inverse_d[0] > 0.0 ? fabs(dx[0]) / inverse_d[0] : 0.0);
        }
        for (int r = 0; r < b.dim; ++r) {
            x[r] += dx[r];
        }
        d->ops->sweep_add(d, k, dx);
    }
    return worst;
}

// The same over the rows that are left when the free ones are eliminated: bounded, then contacts.
static double pgs_ncp_reduced_sweep(const double *S, int m, const double *q, const pawl_problem *p,
                                    double *y)
{
    int n = p->free_row_count, bounded = m - 3 * p->contact_count;
    double worst = pawl_box_sweep(S, m, bounded, q, p->lower + n, p->upper + n, y);
    for (int k = 0; k < p->contact_count; ++k) {
        int i = bounded + 3 * k;
        double D[9], v[3], dx[3];
        for (int r = 0; r < 3; ++r) {
            const double *row = S + (i + r) * m;
            v[r] = q[i + r] + pawl_dot(row, y, m);
            for (int c = 0; c < 3; ++c) {
                D[3 * r + c] = row[i + c];
            }
        }
        worst = max_of(worst, pgs_ncp_contact(D, v, p->friction[k], y + i, dx));
        for (int r = 0; r < 3; ++r) {
            y[i + r] += dx[r];
        }
    }
    return worst;
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
        pgs_ncp_prepare_blocks(s, p);
        p->delassus->ops->sweep_begin(p->delassus, lambda);
    }
    while (report->outcome != PAWL_CONVERGED && report->iterations < def->max_iterations) {
        ++report->iterations;
        double worst =
            reduce ? pgs_ncp_reduced_sweep(s->eliminate.reduced, m, s->eliminate.reduced_v, p, x)
                   : pgs_ncp_sweep(s, p, x);
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
