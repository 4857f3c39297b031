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
#include "linalg/dense.h"
#include "math/vec.h"
#include "solve/direct.h"
#include "solve/solver_ops.h"
#include "solve/sweep.h"
#include <string.h>

static const double admm_eta = 1e-6;
static const double admm_relaxation = 1.6;
static const double admm_free_share =
    1e-3; // joints need hardly any penalty: their set is everything
static const double admm_first_rho = 0.1;
static const double admm_goal = 0.5; // share of the tolerance; eliminated rows add to the residual
enum {
    ADMM_CHECK = 20,
    ADMM_MAX_FACTORS = 40,
    ADMM_MAX_REDUCED = 360,
    ADMM_SWEEPS = 20,
    ADMM_ITERATIONS = 600
};

typedef struct admm_ncp {
    pawl_solver base;
    direct_part direct;
    sweeper sweeps;
    double *x, *y, *y_old, *z, *scale, *P, *sigma; // (rows)
    double *weight;                                // (rows) diag(D + R), the mean of a contact's
    double *dense, *inverse_d;                     // of the reduced matrix
} admm_ncp;

// The rows that are iterated over: all of them, or those that are left when the free ones have been
// eliminated exactly.
typedef struct admm_rows {
    const pawl_problem *p;
    const double *S; // reduced matrix with R, NULL when the operator is used
    const double *v_f, *lower, *upper;
    int count, free;
} admm_rows;

static int admm_contact_row(const admm_rows *w, int k)
{
    return w->count - 3 * (w->p->contact_count - k);
}

static pawl_solver *admm_ncp_layout(const solver_def *def, pawl_carver *mem)
{
    admm_ncp *s = PAWL_CARVE(mem, admm_ncp, 1);
    solver_def wide = *def; // room for contacts in the reduced matrix
    int most = def->max_rows < ADMM_MAX_REDUCED ? def->max_rows : ADMM_MAX_REDUCED;
    wide.max_bounded = most > def->max_bounded ? most : def->max_bounded;
    admm_ncp layout = {.direct = pawl_direct_layout(&wide, mem)};
    double **rows[] = {&layout.x, &layout.y,     &layout.y_old,     &layout.z,     &layout.scale,
                       &layout.P, &layout.sigma, &layout.inverse_d, &layout.weight};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, def->max_rows);
    }
    layout.sweeps = pawl_sweeper_layout(def->max_rows, def->max_blocks, def->max_block_dim, mem);
    layout.dense = PAWL_CARVE(mem, double, (size_t)wide.max_bounded *(size_t)wide.max_bounded);
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

// Mean diagonal entry of each contact, the own one of other rows, so that rho = 1 is a natural start
// whatever the units.
static void admm_scale(admm_ncp *s, const admm_rows *w)
{
    const pawl_problem *p = w->p;
    if (w->S == NULL) {
        p->delassus->ops->diagonal(p->delassus, 0, s->scale);
    }
    for (int i = 0; i < w->count; ++i) {
        s->scale[i] = w->S != NULL ? w->S[i * (w->count + 1)] : s->scale[i] + p->compliance[i];
        s->scale[i] *= i < w->free ? admm_free_share : 1.0;
        s->scale[i] = s->scale[i] > 0.0 ? s->scale[i] : 1.0; // a row that nothing moves
    }
    for (int k = 0; k < p->contact_count; ++k) {
        double *x = s->scale + admm_contact_row(w, k);
        x[0] = x[1] = x[2] = (x[0] + x[1] + x[2]) / 3.0;
    }
}

// Penalties for rho, and the factor of the matrix with them.
static bool admm_penalty(admm_ncp *s, const admm_rows *w, double rho)
{
    const pawl_problem *p = w->p;
    int n = w->count;
    for (int i = 0; i < n; ++i) {
        s->P[i] = (i < w->free ? 1.0 : rho) * s->scale[i];
        s->sigma[i] = (1.0 + admm_eta) * s->P[i] + (w->S == NULL ? p->compliance[i] : 0.0);
    }
    if (w->S == NULL) {
        return p->delassus->ops->factor_shifted(p->delassus, s->sigma);
    }
    memcpy(s->dense, w->S, (size_t)n * (size_t)n * sizeof *s->dense);
    for (int i = 0; i < n; ++i) {
        s->dense[i * (n + 1)] += s->sigma[i];
    }
    pawl_ldl_factor(s->dense, n, n, 0.0, NULL, s->inverse_d);
    return true;
}

static void admm_project(const admm_rows *w, double *y)
{
    int contacts = admm_contact_row(w, 0);
    for (int i = w->free; i < contacts; ++i) {
        y[i] = y[i] < w->lower[i] ? w->lower[i] : y[i] > w->upper[i] ? w->upper[i] : y[i];
    }
    for (int k = 0; k < w->p->contact_count; ++k) {
        pawl_cone_project(y + admm_contact_row(w, k), w->p->friction[k]);
    }
}

// One iteration; residuals in units of velocity: x against y, and the change of y.
static void admm_iterate(admm_ncp *s, const admm_rows *w, double *primal, double *dual)
{
    const pawl_problem *p = w->p;
    int n = w->count;
    double *x = s->x, *y = s->y, *z = s->z;
    for (int i = 0; i < n; ++i) {
        x[i] = -(w->v_f[i] - s->P[i] * (admm_eta * x[i] + y[i]) - z[i]);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = admm_contact_row(w, k);
        x[i + 2] -= p->friction[k] * sqrt(z[i] * z[i] + z[i + 1] * z[i + 1]);
    }
    if (w->S == NULL) {
        p->delassus->ops->solve_shifted(p->delassus, x);
    } else {
        pawl_ldl_solve(s->dense, n, n, s->inverse_d, x);
    }
    memcpy(s->y_old, y, (size_t)n * sizeof *y);
    for (int i = 0; i < n; ++i) {
        y[i] = admm_relaxation * x[i] + (1.0 - admm_relaxation) * s->y_old[i] - z[i] / s->P[i];
        z[i] = -s->P[i] * y[i]; // with the projected y below this becomes the new z
    }
    admm_project(w, y);
    *primal = *dual = 0.0;
    for (int i = 0; i < n; ++i) {
        z[i] += s->P[i] * y[i];
        *primal = max_of(*primal, s->P[i] * fabs(x[i] - y[i]));
        *dual = max_of(*dual, s->P[i] * fabs(y[i] - s->y_old[i]));
    }
}

static void admm_weigh(admm_ncp *s, const pawl_problem *p)
{
    p->delassus->ops->diagonal(p->delassus, p->free_block_count, s->weight);
    for (int i = p->free_row_count; i < p->row_count; ++i) {
        s->weight[i] += p->compliance[i];
    }
    for (int k = 0; k < p->contact_count; ++k) {
        double *x = s->weight + pawl_problem_contact_row(p, k);
        x[0] = x[1] = x[2] = (x[0] + x[1] + x[2]) / 3.0;
    }
}

// What the judge will say of y, so that nothing is called converged that is not: the natural map with
// impulses in units of velocity. Small penalties make primal and dual small all by themselves.
static double admm_residual(admm_ncp *s, const admm_rows *w)
{
    const pawl_problem *p = w->p;
    int n = w->count, contacts = admm_contact_row(w, 0);
    const double *weight = s->weight + p->row_count - n;
    double *v = s->y_old, worst = 0.0;
    if (w->S == NULL) {
        p->delassus->ops->apply(p->delassus, s->y, v);
    }
    for (int i = 0; i < n; ++i) {
        v[i] = w->v_f[i] +
               (w->S == NULL ? v[i] + p->compliance[i] * s->y[i] : pawl_dot(w->S + i * n, s->y, n));
    }
    for (int i = 0; i < w->free; ++i) {
        worst = max_of(worst, fabs(v[i]));
    }
    for (int i = w->free; i < contacts; ++i) {
        double d = weight[i] > 0.0 ? weight[i] : 1.0, y = s->y[i] - v[i] / d;
        y = y < w->lower[i] ? w->lower[i] : y > w->upper[i] ? w->upper[i] : y;
        worst = max_of(worst, d * fabs(y - s->y[i]));
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = admm_contact_row(w, k);
        double d = weight[i], y[3];
        v[i + 2] += p->friction[k] * sqrt(v[i] * v[i] + v[i + 1] * v[i + 1]);
        for (int r = 0; r < 3; ++r) {
            y[r] = s->y[i + r] - v[i + r] / d;
        }
        pawl_cone_project(y, p->friction[k]);
        for (int r = 0; r < 3; ++r) {
            worst = max_of(worst, d * fabs(y[r] - s->y[i + r]));
        }
    }
    return worst;
}

// z starts as the velocity of the warm start, made admissible: what it is at the solution.
static void admm_start(admm_ncp *s, const admm_rows *w, const double *start)
{
    const pawl_problem *p = w->p;
    int n = w->count;
    if (w->S == NULL) {
        p->delassus->ops->apply(p->delassus, start, s->z);
    }
    for (int i = 0; i < n; ++i) {
        double v =
            w->S == NULL ? s->z[i] + p->compliance[i] * start[i] : pawl_dot(w->S + i * n, start, n);
        s->z[i] = i < w->free ? 0.0 : v + w->v_f[i];
    }
    memcpy(s->x, start, (size_t)n * sizeof *start);
    for (int k = 0; k < p->contact_count; ++k) {
        double *z = s->z + admm_contact_row(w, k);
        z[2] += p->friction[k] * sqrt(z[0] * z[0] + z[1] * z[1]);
        pawl_cone_project_dual(z, p->friction[k]);
    }
}

// Exact sweeps: from a good warm start one or two are all it takes. True when they converge.
static bool admm_sweep(admm_ncp *s, const admm_rows *w, int most, solver_report *report)
{
    double goal = admm_goal * s->base.def.tolerance;
    if (w->S == NULL) {
        pawl_sweep_begin(&s->sweeps, w->p, s->y);
    }
    for (int k = 0; k < most && report->iterations < s->base.def.max_iterations; ++k) {
        double worst = w->S == NULL
                           ? pawl_sweep(&s->sweeps, w->p, SWEEP_EXACT, s->y)
                           : pawl_sweep_reduced(w->S, w->count, w->v_f, w->p, SWEEP_EXACT, s->y);
        ++report->iterations;
        if (worst > s->base.def.tolerance) {
            continue;
        }
        if (admm_residual(s, w) <= goal) {
            report->outcome = PAWL_CONVERGED;
            return true;
        }
        if (w->S == NULL) {
            pawl_sweep_begin(&s->sweeps, w->p, s->y); // the residual used its memory
        }
    }
    return false;
}

// Alternating directions from y, until converged or out of iterations.
static void admm_alternate(admm_ncp *s, const admm_rows *w, solver_report *report)
{
    double rho = admm_first_rho, last = INFINITY, before = INFINITY;
    double goal = admm_goal * s->base.def.tolerance;
    int factors = 1, direction = -1;
    if (!admm_penalty(s, w, rho)) {
        report->outcome =
            PAWL_STALLED; // out of memory for a new structure: the sweeps' result stays
        return;
    }
    admm_start(s, w, s->y);
    for (int k = 1; k <= ADMM_ITERATIONS && report->iterations < s->base.def.max_iterations; ++k) {
        double primal, dual;
        admm_iterate(s, w, &primal, &dual);
        ++report->iterations;
        double now = max_of(primal, dual);
        if ((now <= s->base.def.tolerance || k % ADMM_CHECK == 0) && admm_residual(s, w) <= goal) {
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
            (void)admm_penalty(s, w, rho); // the structure is the same: cannot fail
        }
        last = now;
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
    int n = p->free_row_count, m = p->row_count - n;
    eliminator *e = &s->direct.eliminate;
    bool reduce = n > 0 && m <= e->capacity;
    admm_rows w = {p, NULL, p->v_f, p->lower, p->upper, p->row_count, n};
    memcpy(s->y, lambda + (reduce ? n : 0), (size_t)(reduce ? m : p->row_count) * sizeof *s->y);
    if (reduce) {
        pawl_eliminate_factor(p, base->def.regularization);
        pawl_eliminate_reduce(e, p, lambda);
        w = (admm_rows){p, e->reduced, e->reduced_v, p->lower + n, p->upper + n, m, 0};
    }
    *report = (solver_report){PAWL_ITERATION_LIMIT, 0};
    admm_scale(s, &w);
    admm_weigh(s, p);
    if (!admm_sweep(s, &w, ADMM_SWEEPS, report)) {
        admm_alternate(s, &w, report);
    }
    if (report->outcome == PAWL_ITERATION_LIMIT) {
        admm_sweep(s, &w, base->def.max_iterations, report);
    }
    memcpy(lambda + (reduce ? n : 0), s->y, (size_t)w.count * sizeof *s->y);
    if (reduce) {
        pawl_eliminate_recover(e, p, 1e-12, lambda);
    }
}

const pawl_solver_ops pawl_admm_ncp_ops = {
    .name = "admm-ncp",
    .summary = "ADMM on the friction problem, joints and limits with it; exact without contacts",
    .contacts = true,
    .layout = admm_ncp_layout,
    .solve = admm_ncp_solve,
};
