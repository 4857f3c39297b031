// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// admm-ncp: alternating directions on the nonlinear complementarity problem (loops Alg. 6, after
// Carpentier et al.). x meets the dynamics, y the cones, z holds them together:
//   x = -(D + R + (eta + 1) P)^-1 (v_f + s - eta P x - P y - z),   s = (0, 0, mu |z_T|) on contacts,
//   y = P_K(w x + (1 - w) y - z / P),   z <- z - P (w x + (1 - w) y_old - y)
// P = rho diag(mean of D over the block): the diagonal preconditioner, equal inside one contact so
// that cones stay cones. lambda = y. rho follows the residuals' ratio, seldom, because each change
// costs a factorization. Problems without contacts go to the direct method, which is exact.
#include "linalg/cone.h"
#include "math/vec.h"
#include "solve/direct.h"
#include "solve/solver_ops.h"
#include <string.h>

static const double admm_eta = 1e-6;
static const double admm_relaxation = 1.6;
static const double admm_free_share = 1e-3; // joints need hardly any penalty: their set is everything
enum { ADMM_CHECK = 10, ADMM_MAX_FACTORS = 12 };

typedef struct admm_ncp {
    pawl_solver base;
    direct_part direct;
    double *x, *y_old, *z, *scale, *P, *sigma; // (rows)
} admm_ncp;

static pawl_solver *admm_ncp_layout(const solver_def *def, pawl_carver *mem)
{
    admm_ncp *s = PAWL_CARVE(mem, admm_ncp, 1);
    admm_ncp layout = {.direct = pawl_direct_layout(def, mem)};
    double **rows[] = {&layout.x, &layout.y_old, &layout.z, &layout.scale, &layout.P, &layout.sigma};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, def->max_rows);
    }
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

// Mean diagonal entry of each block, so that rho = 1 is a natural start whatever the units.
static void admm_scale(admm_ncp *s, const pawl_problem *p)
{
    p->delassus->ops->diagonal(p->delassus, 0, s->scale);
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        bool free = k < p->free_block_count;
        double sum = 0.0;
        for (int r = 0; r < b.dim; ++r) {
            s->scale[b.first_row + r] += p->compliance[b.first_row + r];
            sum += s->scale[b.first_row + r];
        }
        for (int r = 0; r < b.dim; ++r) {
            double *x = &s->scale[b.first_row + r];
            *x = free ? admm_free_share * *x : sum / (double)b.dim;
        }
    }
}

static bool admm_penalty(admm_ncp *s, const pawl_problem *p, double rho)
{
    for (int i = 0; i < p->row_count; ++i) {
        s->P[i] = (i < p->free_row_count ? 1.0 : rho) * s->scale[i];
        s->sigma[i] = p->compliance[i] + (1.0 + admm_eta) * s->P[i];
    }
    return p->delassus->ops->factor_shifted(p->delassus, s->sigma);
}

static void admm_project(const pawl_problem *p, double *y)
{
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = p->free_row_count; i < contacts; ++i) {
        y[i] = y[i] < p->lower[i] ? p->lower[i] : y[i] > p->upper[i] ? p->upper[i] : y[i];
    }
    for (int k = 0; k < p->contact_count; ++k) {
        pawl_cone_project(y + pawl_problem_contact_row(p, k), p->friction[k]);
    }
}

// One iteration; residuals in units of velocity: x against y, and the change of y.
static void admm_iterate(admm_ncp *s, const pawl_problem *p, double *y, double *primal, double *dual)
{
    int n = p->row_count;
    double *x = s->x, *z = s->z;
    for (int i = 0; i < n; ++i) {
        x[i] = -(p->v_f[i] - s->P[i] * (admm_eta * x[i] + y[i]) - z[i]);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        x[i + 2] -= p->friction[k] * sqrt(z[i] * z[i] + z[i + 1] * z[i + 1]);
    }
    p->delassus->ops->solve_shifted(p->delassus, x);
    memcpy(s->y_old, y, (size_t)n * sizeof *y);
    for (int i = 0; i < n; ++i) {
        y[i] = admm_relaxation * x[i] + (1.0 - admm_relaxation) * s->y_old[i] - z[i] / s->P[i];
    }
    // y + z/P is the relaxed x; after the projection it gives the new z
    for (int i = 0; i < n; ++i) {
        z[i] = -s->P[i] * y[i];
    }
    admm_project(p, y);
    *primal = *dual = 0.0;
    for (int i = 0; i < n; ++i) {
        z[i] += s->P[i] * y[i];
        *primal = max_of(*primal, s->P[i] * fabs(x[i] - y[i]));
        *dual = max_of(*dual, s->P[i] * fabs(y[i] - s->y_old[i]));
    }
}

static void admm_ncp_solve(pawl_solver *base, const pawl_problem *p, double *lambda,
                           solver_report *report)
{
    admm_ncp *s = (admm_ncp *)base;
    if (p->contact_count == 0) {
        pawl_direct_solve(&s->direct, &base->def, p, lambda, report);
        return;
    }
    int n = p->row_count, factors = 1;
    double rho = 1.0;
    *report = (solver_report){PAWL_ITERATION_LIMIT, 0};
    admm_scale(s, p);
    if (!admm_penalty(s, p, rho)) {
        report->outcome = PAWL_STALLED; // out of memory for a new structure: the warm start stays
        return;
    }
    // z starts as the velocity of the warm start, which it is at the solution
    memcpy(s->x, lambda, (size_t)n * sizeof *lambda);
    p->delassus->ops->apply(p->delassus, lambda, s->z);
    for (int i = 0; i < n; ++i) {
        s->z[i] = i < p->free_row_count ? 0.0
                                        : s->z[i] + p->v_f[i] + p->compliance[i] * lambda[i];
    }
    for (int k = 0; k < p->contact_count; ++k) {
        double *z = s->z + pawl_problem_contact_row(p, k);
        z[2] += p->friction[k] * sqrt(z[0] * z[0] + z[1] * z[1]);
        pawl_cone_project_dual(z, p->friction[k]);
    }
    while (report->iterations < base->def.max_iterations) {
        double primal, dual;
        admm_iterate(s, p, lambda, &primal, &dual);
        ++report->iterations;
        if (max_of(primal, dual) <= 0.3 * base->def.tolerance) {
            report->outcome = PAWL_CONVERGED;
            break;
        }
        if (report->iterations % ADMM_CHECK == 0 && factors < ADMM_MAX_FACTORS) {
            double ratio = primal / dual, change = ratio > 10.0 ? 2.0 : ratio < 0.1 ? 0.5 : 1.0;
            if (change != 1.0) {
                rho *= change;
                ++factors;
                (void)admm_penalty(s, p, rho); // the structure is the same: cannot fail
            }
        }
    }
}

const pawl_solver_ops pawl_admm_ncp_ops = {
    .name = "admm-ncp",
    .summary = "ADMM on the friction problem, joints and limits with it; exact without contacts",
    .contacts = true,
    .layout = admm_ncp_layout,
    .solve = admm_ncp_solve,
};
