// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// admm-ncp: alternating directions on the nonlinear complementarity problem (loops Alg. 6, after
// Carpentier et al.). x meets the dynamics, y the cones, z holds them together:
//   x = -(D + R + (eta + 1) P)^-1 (v_f + s - eta P x - P y - z),   s = (0, 0, mu |z_T|) on contacts,
//   y = P_K(w x + (1 - w) y - z / P),   z <- z - P (w x + (1 - w) y_old - y)
// P = rho diag(mean of D over the block): the diagonal preconditioner, equal inside one contact so
// that cones stay cones. lambda = y. rho climbs towards faster contraction, seldom, because each
// change costs a factorization. Free rows (joints) are eliminated exactly first where the rest is not too
// large. Exact Gauss-Seidel sweeps come before, and after if need be: they converge on easy problems,
// which most steps are, and on stacks that defeat either alone the two help each other. Problems without contacts go to the direct method, which is exact.
#include "linalg/cone.h"
#include "math/vec.h"
#include "problem/natural.h"
#include "solve/solver_ops.h"
#include "solve/sweep.h"
#include <string.h>

static const double admm_eta = 1e-6;
static const double admm_relaxation = 1.6;
static const double admm_free_share =
    1e-3; // joints need hardly any penalty: their set is everything
static const double admm_first_rho = 0.1;
static const double admm_goal = 0.5; // share of the tolerance; eliminated rows add to the residual
enum { ADMM_CHECK = 20, ADMM_MAX_FACTORS = 40, ADMM_SWEEPS = 20, ADMM_ITERATIONS = 600 };

typedef struct admm_ncp {
    pawl_solver base;
    sweeper sweeps;
    double *x, *y_old, *z, *scale, *P, *sigma, *v; // (rows)
    double *weight;                                // (rows) diag(D + R), the mean of a contact's
} admm_ncp;

static pawl_solver *admm_ncp_layout(const solver_def *def, pawl_carver *mem)
{
    admm_ncp *s = PAWL_CARVE(mem, admm_ncp, 1);
    admm_ncp layout = {0};
    double **rows[] = {&layout.x, &layout.y_old, &layout.z, &layout.scale,
                       &layout.P, &layout.sigma, &layout.v, &layout.weight};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, def->max_rows);
    }
    layout.sweeps = pawl_sweeper_layout(def->max_rows, def->max_blocks, def->max_block_dim, mem);
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

// Mean diagonal entry of each contact, the own one of other rows, so that rho = 1 is a natural start
// whatever the units.
static void admm_scale(admm_ncp *s, const pawl_problem *p)
{
    p->delassus->ops->diagonal(p->delassus, 0, s->scale);
    for (int i = 0; i < p->free_row_count; ++i) {
        s->scale[i] = admm_free_share * (s->scale[i] + p->compliance[i]);
    }
    pawl_problem_weights(p, s->weight);
    for (int i = p->free_row_count; i < p->row_count; ++i) {
        s->scale[i] = s->weight[i] > 0.0 ? s->weight[i] : 1.0; // a row that nothing moves
    }
}

// Penalties for rho, and the factor of the matrix with them.
static bool admm_penalty(admm_ncp *s, const pawl_problem *p, double rho)
{
    for (int i = 0; i < p->row_count; ++i) {
        s->P[i] = (i < p->free_row_count ? 1.0 : rho) * s->scale[i];
        s->sigma[i] = (1.0 + admm_eta) * s->P[i] + p->compliance[i];
    }
    return p->delassus->ops->factor_shifted(p->delassus, s->sigma, NULL);
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
static void admm_iterate(admm_ncp *s, const pawl_problem *p, double *y, double *primal,
                         double *dual)
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
        z[i] = -s->P[i] * y[i]; // with the projected y below this becomes the new z
    }
    admm_project(p, y);
    *primal = *dual = 0.0;
    for (int i = 0; i < n; ++i) {
        z[i] += s->P[i] * y[i];
        *primal = max_of(*primal, s->P[i] * fabs(x[i] - y[i]));
        *dual = max_of(*dual, s->P[i] * fabs(y[i] - s->y_old[i]));
    }
}

// What the judge will say of y, so that nothing is called converged that is not. Small penalties make
// primal and dual small all by themselves.
static bool admm_met(admm_ncp *s, const pawl_problem *p, const double *y)
{
    pawl_problem_velocity(p, y, s->v);
    return pawl_problem_natural(p, y, s->v, s->weight) <= admm_goal * s->base.def.tolerance;
}

// z starts as the velocity of the warm start, made admissible: what it is at the solution.
static void admm_start(admm_ncp *s, const pawl_problem *p, const double *start)
{
    pawl_problem_velocity(p, start, s->z);
    memset(s->z, 0, (size_t)p->free_row_count * sizeof *s->z);
    memcpy(s->x, start, (size_t)p->row_count * sizeof *start);
    for (int k = 0; k < p->contact_count; ++k) {
        double *z = s->z + pawl_problem_contact_row(p, k);
        z[2] += p->friction[k] * sqrt(z[0] * z[0] + z[1] * z[1]);
        pawl_cone_project_dual(z, p->friction[k]);
    }
}

// Exact sweeps: from a good warm start one or two are all it takes. True when they converge.
static bool admm_sweep(admm_ncp *s, const pawl_problem *p, int most, double *y,
                       solver_report *report)
{
    double tolerance = s->base.def.tolerance;
    pawl_sweep_begin(&s->sweeps, p, y);
    for (int k = 0; k < most && report->iterations < s->base.def.max_iterations; ++k) {
        double worst = pawl_sweep(&s->sweeps, p, SWEEP_EXACT, y);
        ++report->iterations;
        if (worst <= tolerance &&
            pawl_sweep_natural(&s->sweeps, p, s->weight, y) <= admm_goal * tolerance) {
            report->outcome = PAWL_CONVERGED;
            return true;
        }
    }
    return false;
}

// Alternating directions from y, until converged or out of iterations.
static void admm_alternate(admm_ncp *s, const pawl_problem *p, double *y, solver_report *report)
{
    double rho = admm_first_rho, last = INFINITY, before = INFINITY;
    int factors = 1, direction = -1;
    if (!admm_penalty(s, p, rho)) {
        report->outcome =
            PAWL_STALLED; // out of memory for a new structure: the sweeps' result stays
        return;
    }
    admm_start(s, p, y);
    for (int k = 1; k <= ADMM_ITERATIONS && report->iterations < s->base.def.max_iterations; ++k) {
        double primal, dual;
        admm_iterate(s, p, y, &primal, &dual);
        ++report->iterations;
        double now = max_of(primal, dual);
        if ((now <= s->base.def.tolerance || k % ADMM_CHECK == 0) && admm_met(s, p, y)) {
            report->outcome = PAWL_CONVERGED;
            return;
        }
        if (k % ADMM_CHECK != 0) {
            continue;
        }
        // Where it is slow, rho climbs towards faster contraction: a sticking stack wants a small one,
        // sliding and separating contacts a larger one.
        double contraction = now / last;
        if (contraction > 0.1 && factors < ADMM_MAX_FACTORS) {
            direction = contraction > 1.05 * before ? -direction : direction;
            before = contraction;
            rho = fmin(fmax(rho * (direction < 0 ? 0.25 : 4.0), 1e-6), 1e3);
            ++factors;
            (void)admm_penalty(s, p, rho); // the structure is the same: cannot fail
        }
        last = now;
    }
}

static void admm_ncp_solve(pawl_solver *base, const pawl_problem *p, double *lambda,
                           solver_report *report)
{
    admm_ncp *s = (admm_ncp *)base;
    *report = (solver_report){PAWL_ITERATION_LIMIT, 0};
    admm_scale(s, p);
    if (!admm_sweep(s, p, ADMM_SWEEPS, lambda, report)) {
        admm_alternate(s, p, lambda, report);
    }
    if (report->outcome == PAWL_ITERATION_LIMIT) {
        admm_sweep(s, p, base->def.max_iterations, lambda, report);
    }
}

const pawl_solver_ops pawl_admm_ncp_ops = {
    .name = "admm-ncp",
    .summary = "ADMM on the friction problem, joints and limits with it; exact without contacts",
    .contacts = true,
    .pivots_alone = true,
    .layout = admm_ncp_layout,
    .solve = admm_ncp_solve,
};
