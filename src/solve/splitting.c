// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The splitting solvers: projected Gauss-Seidel with relaxation (loops Alg. 5, Table I). Each block in
// turn, joints, then limits, then contacts, is solved for the newest impulses of all others,
//
//   v_j = v_f,j + sum over m of D_jm lambda_m,   lambda_j <- (1 - w) lambda_j + w P_j(lambda_j, v_j),
//
// and after a sweep w <- max(w_min, g w). Joints are solved by a small factorization, limits by clamping; the solvers
// differ in the projection of a contact and in the stopping test. They suit light stacks and many contacts at modest
// accuracy. If a light body supports a heavy one they need very many sweeps; so do long chains and loops, unless
// joints are eliminated (solver.exact_joints).
//
// solver.variant=paper runs them as published: sweeps over joints as well, the steps of Algorithms 2 and 3 as printed,
// relaxation without a projection afterwards, and the paper's stopping rules. Two misprints are corrected (the signs
// of Algorithm 5, and max for min in its last line): with them the sweeps do not converge.
#include "math/vec.h"
#include "problem/natural.h"
#include "solve/solver_ops.h"
#include "solve/sweep.h"
#include <float.h>
#include <string.h>

// The stopping test of a solver: the residual of the problem that its fixed points solve.
typedef enum splitting_stop {
    SPLITTING_NCP,    // the judge's natural map
    SPLITTING_CCP,    // that of the convex relaxation
    SPLITTING_OWN,    // its own next change, where its fixed points solve neither
    SPLITTING_ENERGY, // loops (160): the change of the objective
} splitting_stop;

typedef struct splitting_member {
    sweep_local contact;
    splitting_stop stop;
} splitting_member;

typedef struct splitting {
    pawl_solver base;
    sweeper sweeps;
    double *weight; // (rows)
    double *probe;  // (rows) impulses that one more sweep is tried on
} splitting;

static pawl_solver *splitting_layout(const solver_def *def, pawl_carver *mem)
{
    splitting *s = PAWL_CARVE(mem, splitting, 1);
    splitting layout = {
        .sweeps = pawl_sweeper_layout(def->max_rows, def->max_blocks, def->max_block_dim, mem)};
    layout.weight = PAWL_CARVE(mem, double, def->max_rows);
    layout.probe = PAWL_CARVE(mem, double, def->max_rows);
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

// One over the total inertia that scales (160). A problem does not know M; n rows that each move an
// inertia m have tr D = n / m, so that n^2 / tr D stands for the n m of them all. Uses s->weight.
static double splitting_lightness(splitting *s, const pawl_problem *p)
{
    double trace = 0.0, n = p->row_count;
    p->delassus->ops->diagonal(p->delassus, 0, s->weight);
    for (int i = 0; i < p->row_count; ++i) {
        trace += s->weight[i] + p->compliance[i];
    }
    return n > 0.0 ? trace / (n * n) : 0.0;
}

// Whether the last sweep left the energy where it was: by the tolerance, squared because energy over
// inertia is the square of a velocity, or as far as rounding of the impulses lets it be known.
static bool splitting_plateau(const splitting *s, double lightness, double tolerance)
{
    double change = fabs(s->sweeps.descent);
    return change <= 2.0 * DBL_EPSILON * s->sweeps.work ||
           change * lightness <= tolerance * tolerance;
}

// Whether sweeps may end, after one that found `worst` [m/s] wanting.
static bool splitting_converged(splitting *s, const pawl_problem *p, splitting_stop stop,
                                double worst, double lightness, double tolerance,
                                const double *lambda)
{
    static const sweep_measure measures[] = {[SPLITTING_NCP] = SWEEP_NATURAL,
                                             [SPLITTING_CCP] = SWEEP_NATURAL_RELAXED,
                                             [SPLITTING_OWN] = SWEEP_NATURAL_OTHERS};
    double half = 0.5 * tolerance;
    if (stop == SPLITTING_ENERGY) {
        return splitting_plateau(s, lightness, tolerance);
    }
    // A change that is not the residual must be below a fraction of the tolerance: the error of slow sweeps is many
    // times their change.
    return worst <= (stop == SPLITTING_OWN ? 0.1 : 1.0) * tolerance &&
           pawl_sweep_measure(&s->sweeps, p, measures[stop], s->weight, lambda) <= half;
}

// As published: primal, dual and complementarity residuals (loops (156) to (158)), each within the tolerance in its own
// units; (160) for the member that stops by energy. The probe's memory holds velocities.
static bool splitting_converged_as_published(splitting *s, const pawl_problem *p,
                                             splitting_stop stop, double lightness,
                                             double tolerance, const double *lambda)
{
    if (stop == SPLITTING_ENERGY) {
        return fabs(s->sweeps.descent) * lightness <= tolerance;
    }
    pawl_sweep_velocities(p, lambda, s->probe);
    pawl_residual r = pawl_problem_three_residuals(p, lambda, s->probe);
    return r.primal <= tolerance && r.dual <= tolerance && r.complementarity <= tolerance;
}

// What is left of a problem whose contacts follow the law of the member's own projector: the largest velocity error
// that one more sweep, without relaxation, finds at the solution.
static double splitting_own_residual(splitting *s, const pawl_problem *p, sweep_local contact,
                                     const double *lambda)
{
    pawl_problem unseen = *p; // it is no iteration
    unseen.watch = NULL;
    memcpy(s->probe, lambda, (size_t)p->row_count * sizeof *lambda);
    pawl_sweep_begin(&s->sweeps, &unseen, s->probe);
    return pawl_sweep(&s->sweeps, &unseen, contact, s->probe);
}

// Sweeps until the member's own rule stops. The relaxation may decay from sweep to sweep: large steps first, small
// ones where contacts fight each other.
static void splitting_solve(pawl_solver *base, const pawl_problem *p, solver_goal goal,
                            double *lambda, solver_report *report)
{
    splitting *s = (splitting *)base;
    const splitting_member *member = base->ops->variant;
    const solver_def *def = &base->def;
    double lightness = splitting_lightness(s, p), omega = def->relaxation;
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT, .method = PAWL_METHOD_SWEEPS};
    pawl_problem_weights(p, s->weight);
    pawl_sweep_begin(&s->sweeps, p, lambda);
    s->sweeps.literal = def->paper;
    while (report->outcome != PAWL_CONVERGED && report->iterations < goal.iterations) {
        ++report->iterations;
        s->sweeps.relaxation = omega;
        double worst = pawl_sweep(&s->sweeps, p, member->contact, lambda);
        if (def->paper ? splitting_converged_as_published(s, p, member->stop, lightness,
                                                          goal.tolerance, lambda)
                       : splitting_converged(s, p, member->stop, worst, lightness, goal.tolerance,
                                             lambda)) {
            report->outcome = PAWL_CONVERGED;
        }
        omega = max_of(def->relaxation_min, def->relaxation_decay * omega);
    }
    if (base->ops->own_law != NULL) {
        report->own_residual = splitting_own_residual(s, p, member->contact, lambda);
    }
}

// ---- the members -----------------------------------------------------------------------------

const pawl_solver_ops pawl_pgs_ncp_ops = {
    .name = "pgs-ncp",
    .published = true,
    .summary = "Gauss-Seidel sweeps, one projected step per contact",
    .contacts = true,
    .variant = &(const splitting_member){SWEEP_NCP_STEP, SPLITTING_NCP},
    .layout = splitting_layout,
    .solve = splitting_solve,
};

const pawl_solver_ops pawl_pgs_ccp_ops = {
    .name = "pgs-ccp",
    .published = true,
    .summary =
        "Gauss-Seidel sweeps on the convex relaxation of friction: sliding contacts separate",
    .contacts = true,
    .relaxed = true,
    .variant = &(const splitting_member){SWEEP_CCP_STEP, SPLITTING_CCP},
    .layout = splitting_layout,
    .solve = splitting_solve,
};

const pawl_solver_ops pawl_nbgs_ops = {
    .name = "nbgs",
    .published = true,
    .summary = "Gauss-Seidel sweeps, contacts by least energy on the slip conic (quartic)",
    .contacts = true,
    .own_law = "least energy on the slip conic",
    .variant = &(const splitting_member){SWEEP_NB_QUARTIC, SPLITTING_OWN},
    .layout = splitting_layout,
    .solve = splitting_solve,
};

const pawl_solver_ops pawl_raisim_ops = {
    .name = "raisim",
    .published = true,
    .summary = "as nbgs, the least energy found by bisection",
    .contacts = true,
    .own_law = "least energy on the slip conic",
    .variant = &(const splitting_member){SWEEP_NB_BISECTION, SPLITTING_OWN},
    .layout = splitting_layout,
    .solve = splitting_solve,
};

const pawl_solver_ops pawl_raisim_ds_ops = {
    .name = "raisim-ds",
    .published = true,
    .summary = "as raisim, with De Saxce's correction: slip opposes the velocity",
    .contacts = true,
    .variant = &(const splitting_member){SWEEP_NB_DE_SAXCE, SPLITTING_NCP},
    .layout = splitting_layout,
    .solve = splitting_solve,
};

const pawl_solver_ops pawl_raisim_ds_es_ops = {
    .name = "raisim-ds-es",
    .published = true,
    .summary = "as raisim-ds, stopping when a sweep hardly changes the energy",
    .contacts = true,
    .variant = &(const splitting_member){SWEEP_NB_DE_SAXCE, SPLITTING_ENERGY},
    .layout = splitting_layout,
    .solve = splitting_solve,
};

const pawl_solver_ops pawl_prox_ops = {
    .name = "prox",
    .summary = "Gauss-Seidel sweeps of proximal steps, with an adaptive length per contact",
    .contacts = true,
    .variant = &(const splitting_member){SWEEP_PROX, SPLITTING_NCP},
    .layout = splitting_layout,
    .solve = splitting_solve,
};
