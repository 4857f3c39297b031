// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The variants of loops Alg. 6, with the names of the paper; they differ in the rule for rho.
//   admm-ccp      the convex relaxation, rho fixed, no proximal term
//   admm-ncp-fp   Coulomb's law, rho fixed
//   admm-ncp-la   rho times or over 1.5 when the residuals x - y and z are 10 apart (eq. 171)
//   admm-ncp-sa   rho from the spectrum: sqrt(L m) (L / m)^0.2 to begin with, then steps of
//                 (L / m)^0.05 by the same test (eq. 172); L the largest eigenvalue, m = eta
// The rules are applied after each iteration; only a new rho needs a new factorization. (Applying them less often
// saves a few factorizations and costs iterations: docs/solvers/admm-ncp-la.md.) The iteration ends when the natural
// map of the solver's own problem is within the tolerance. Sliding contacts on loops may need all iterations; use
// admm-ncp there.
//
// solver.variant=paper runs them as published: no preconditioner, no momentum, no over-relaxation (the paper names no
// value), rho 1 at first, eta 1e-6, and the three residuals of Algorithm 6 as the test that ends them.
#include "math/vec.h"
#include "solve/admm.h"
#include <math.h>

// Fraction of the tolerance to reach, because eliminated rows add to the residual. An adapted penalty
// leaves more in them, and gets there in a few more iterations; a fixed one may not.
static const double family_goal = 0.5, family_adapted_goal = 0.25;
static const double family_apart = 10.0;
static const double family_linear_step = 1.5;
static const double family_paper_eta = 1e-6;
static const double family_least_rho = 1e-9, family_most_rho = 1e9;
enum { FAMILY_LOOK = 10 }; // iterations between looks at the natural map

typedef enum family_rule { RULE_FIXED, RULE_LINEAR, RULE_SPECTRAL } family_rule;

typedef struct family {
    pawl_solver base;
    admm admm;
} family;

static pawl_solver *family_layout(const solver_def *def, pawl_carver *mem)
{
    family *s = PAWL_CARVE(mem, family, 1);
    family layout = {.admm = pawl_admm_layout(def->max_rows, mem)};
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

// x^(1/5) for x >= 1 by Newton's method from above: the same bits everywhere, which pow() is not.
static double family_fifth_root(double x)
{
    double y = x, next = (4.0 * y + x / (y * y * y * y)) / 5.0;
    while (next < y) {
        y = next;
        next = (4.0 * y + x / (y * y * y * y)) / 5.0;
    }
    return y;
}

// The factor by which rho grows or shrinks; 1 for a fixed one. Sets the first rho.
static double family_first_rho(family *s, const pawl_problem *p, family_rule rule, double *rho)
{
    *rho = s->base.def.paper ? 1.0 : s->base.def.admm.rho;
    if (rule == RULE_SPECTRAL) {
        double m = fmax(s->admm.variant.eta, 1e-12), L = pawl_admm_spectral_radius(&s->admm, p);
        if (L > m) {
            double power = family_fifth_root(L / m); // (L / m)^0.2
            *rho = sqrt(L * m) * power;
            return sqrt(sqrt(power));
        }
        return 1.0; // nothing moves
    }
    return rule == RULE_LINEAR ? family_linear_step : 1.0;
}

// rho up where x and y are far apart, down where z is far from the velocity.
// Compared in the metric of S, where both have one unit.
static double family_next_rho(const admm *a, double step)
{
    double rho = a->rho;
    if (a->primal_own >= family_apart * a->dual_own) {
        rho *= step;
    } else if (a->dual_own >= family_apart * a->primal_own) {
        rho /= step;
    }
    return fmin(fmax(rho, family_least_rho), family_most_rho);
}

// The three tests of Algorithm 6, line 15: its rule without a preconditioner, so that residuals are in their own units.
static bool family_is_done_as_published(const admm *a, double tolerance)
{
    return a->primal_own < tolerance && a->dual_own < tolerance && a->complementarity < tolerance;
}

// lambda is y of the method and so always admissible. The count of factorizations includes the first one.
static void family_solve(pawl_solver *base, const pawl_problem *p, solver_goal asked,
                         double *lambda, solver_report *report)
{
    family *s = (family *)base;
    bool relaxed = base->ops->relaxed;
    family_rule rule = *(const family_rule *)base->ops->variant;
    admm *a = &s->admm;
    const admm_options *o = &base->def.admm;
    bool paper = base->def.paper;
    const admm_variant variant = {.relaxed = relaxed,
                                  .literal = paper,
                                  .precondition = o->precondition && !paper,
                                  .accelerate = o->accelerate && !paper,
                                  .eta = relaxed ? 0.0
                                         : paper ? family_paper_eta
                                                 : o->eta,
                                  .relaxation = paper ? 1.0 : o->relaxation};
    double tolerance = asked.tolerance, rho;
    double goal = (rule == RULE_FIXED ? family_goal : family_adapted_goal) * tolerance;
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT, .method = PAWL_METHOD_ADMM};
    pawl_admm_begin(a, p, &variant, lambda);
    double step = family_first_rho(s, p, rule, &rho);
    bool factored = pawl_admm_set_rho(a, p, rho);
    while (factored && report->iterations < asked.iterations) {
        pawl_admm_iterate(a, p, lambda);
        ++report->iterations;
        // The natural map costs a product with D, so it is computed every few iterations, and whenever ADMM's own
        // residuals indicate that it may be small enough.
        bool look =
            report->iterations % FAMILY_LOOK == 0 || max_of(a->primal, a->dual) <= tolerance;
        if (paper ? family_is_done_as_published(a, tolerance)
                  : look && pawl_admm_natural(a, p, lambda) <= goal) {
            report->outcome = PAWL_CONVERGED;
            break;
        }
        rho = family_next_rho(a, step);
        if (rho != a->rho) {
            factored = pawl_admm_set_rho(a, p, rho);
        }
    }
    report->outcome =
        factored ? report->outcome : PAWL_STALLED; // memory for a new structure is out
    report->factorizations = a->factorizations;
}

static const family_rule family_fixed = RULE_FIXED, family_linear = RULE_LINEAR,
                         family_spectral = RULE_SPECTRAL;

const pawl_solver_ops pawl_admm_ccp_ops = {
    .name = "admm-ccp",
    .published = true,
    .summary = "ADMM on the convex relaxation of friction: sliding contacts separate",
    .contacts = true,
    .relaxed = true,
    .variant = &family_fixed,
    .layout = family_layout,
    .solve = family_solve,
};
const pawl_solver_ops pawl_admm_ncp_fp_ops = {
    .name = "admm-ncp-fp",
    .published = true,
    .summary = "ADMM with a fixed penalty",
    .contacts = true,
    .variant = &family_fixed,
    .layout = family_layout,
    .solve = family_solve,
};
const pawl_solver_ops pawl_admm_ncp_la_ops = {
    .name = "admm-ncp-la",
    .published = true,
    .summary = "ADMM, its penalty balanced by a linear rule",
    .contacts = true,
    .variant = &family_linear,
    .layout = family_layout,
    .solve = family_solve,
};
const pawl_solver_ops pawl_admm_ncp_sa_ops = {
    .name = "admm-ncp-sa",
    .published = true,
    .summary = "ADMM, its penalty chosen from the spectrum of D",
    .contacts = true,
    .variant = &family_spectral,
    .layout = family_layout,
    .solve = family_solve,
};
