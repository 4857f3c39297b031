// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// auto: what each of the others is best at, in the order of what it costs.
//
// Without contacts the direct method is exact. With contacts a step that goes on as the last one did
// starts from impulses that one or two exact sweeps settle. Where those do not get there, alternating
// directions do, on most of what is left, at one or a few factorizations; admm-ncp holds both. What defeats
// it (impacts of linkages, degenerate stacks) goes to the smoothing Newton method with its sweeps and
// jumps, and what is left after that to both in turn. All of it follows from the problem and its warm start,
// so that a resumed run does the same; the report tells which method had the last word, and where none gets
// there the best of what they left is taken.
//
// What is nearly solved when it comes is solved further than asked, by a few Newton steps if sweeps do not: the error that one step leaves is the
// next one's free motion, so that a stack at rest to the tolerance alone trembles, and asks to be solved in
// each step. At rest to a thousandth of it, the last step's impulses are nearly the next one's.
#include "problem/natural.h"
#include "solve/solver_ops.h"
#include <math.h>
#include <string.h>

typedef struct automatic {
    pawl_solver base;
    pawl_solver *admm, *newton;
    double *weight, *v; // (rows)
    double *best; // (rows) impulses with the least natural residual that any attempt ended with
    double least; // that residual [m/s]
    pawl_method method; // who found them
} automatic;

enum { AUTOMATIC_SMALL = 360 }; // rows up to which a Newton step costs no more than a few of ADMM's
static const double automatic_near = 1e3;    // of the tolerance: nearly solved
static const double automatic_beyond = 1e-3; // of the tolerance: what is then asked for
static const double automatic_floor = 1e-12; // [m/s] but not less

static pawl_solver *automatic_layout(const solver_def *def, pawl_carver *mem)
{
    automatic *s = PAWL_CARVE(mem, automatic, 1);
    pawl_solver *admm = pawl_admm_ncp_ops.layout(def, mem);
    pawl_solver *newton = pawl_newton_ops.layout(def, mem);
    double *weight = PAWL_CARVE(mem, double, def->max_rows);
    double *v = PAWL_CARVE(mem, double, def->max_rows);
    double *best = PAWL_CARVE(mem, double, def->max_rows);
    if (s == NULL) {
        return NULL;
    }
    s->weight = weight;
    s->v = v;
    s->best = best;
    s->admm = admm;
    s->newton = newton;
    admm->def = newton->def = *def;
    return &s->base;
}

static double automatic_natural(automatic *s, const pawl_problem *p, const double *lambda)
{
    pawl_problem_velocity(p, lambda, s->v);
    return pawl_problem_natural(p, lambda, s->v, s->weight);
}

// Keeps lambda if it is better than what is kept: an attempt that runs out of iterations may end anywhere.
static void automatic_keep(automatic *s, const pawl_problem *p, const double *lambda,
                           pawl_method method)
{
    double natural = automatic_natural(s, p, lambda);
    if (natural < s->least) {
        memcpy(s->best, lambda, (size_t)p->row_count * sizeof *lambda);
        s->least = natural;
        s->method = method;
    }
}

// Lets one of the two continue from lambda.
static void automatic_try(automatic *s, pawl_solver *part, const pawl_solver_ops *ops,
                          solver_goal goal, const pawl_problem *p, double *lambda,
                          solver_report *report)
{
    solver_report own;
    ops->solve(part, p, goal, lambda, &own);
    report->outcome = own.outcome;
    report->method = own.method;
    report->iterations += own.iterations;
    report->factorizations += own.factorizations;
    if (own.outcome != PAWL_CONVERGED) {
        automatic_keep(s, p, lambda, own.method);
    }
}

// At most so many iterations of those that are left.
static solver_goal automatic_goal(double tolerance, int most, int left)
{
    return (solver_goal){tolerance, most < left ? most : left};
}

// A sequence of attempts that each keep what they reached: a problem that starts nearly solved gets a short Newton
// run when it is small; then ADMM and Newton alternate with growing budgets. The best answer so far is kept, so
// running out of iterations never makes it worse.
static void automatic_solve(pawl_solver *base, const pawl_problem *p, solver_goal asked,
                            double *lambda, solver_report *report)
{
    automatic *s = (automatic *)base;
    // Measured on dropped linkages, stacks and FCLib's problems (docs/solvers/auto.md).
    enum { SHORT_NEWTON = 60, FIRST_ADMM = 160, FIRST_NEWTON = 800, LATER = 2000 };
    double tolerance = asked.tolerance, goal = tolerance;
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT};
    pawl_problem_weights(p, s->weight);
    s->least = INFINITY;
    s->method = PAWL_METHOD_NONE;
    if (automatic_natural(s, p, lambda) <= automatic_near * tolerance) {
        goal = fmin(goal, fmax(automatic_beyond * tolerance, automatic_floor));
        if (p->row_count <= AUTOMATIC_SMALL) {
            automatic_try(s, s->newton, &pawl_newton_ops,
                          automatic_goal(goal, SHORT_NEWTON, asked.iterations), p, lambda, report);
        }
    }
    int admm = FIRST_ADMM, newton = FIRST_NEWTON;
    while (report->outcome != PAWL_CONVERGED && report->iterations < asked.iterations) {
        automatic_try(s, s->admm, &pawl_admm_ncp_ops,
                      automatic_goal(goal, admm, asked.iterations - report->iterations), p, lambda,
                      report);
        if (report->outcome != PAWL_CONVERGED && goal < tolerance &&
            automatic_natural(s, p, lambda) <= 0.5 * tolerance) {
            report->outcome = PAWL_CONVERGED; // as far as was asked
        }
        if (report->outcome != PAWL_CONVERGED && report->iterations < asked.iterations) {
            automatic_try(s, s->newton, &pawl_newton_ops,
                          automatic_goal(tolerance, newton, asked.iterations - report->iterations),
                          p, lambda, report);
        }
        goal = tolerance;
        admm = newton = LATER;
    }
    if (report->outcome != PAWL_CONVERGED && s->least < INFINITY) {
        memcpy(lambda, s->best, (size_t)p->row_count * sizeof *lambda);
        report->method = s->method;
    }
}

const pawl_solver_ops pawl_auto_ops = {
    .name = "auto",
    .summary =
        "direct without contacts; otherwise sweeps, then ADMM, then Newton, until one converges",
    .contacts = true,
    .pivots_alone = true,
    .layout = automatic_layout,
    .solve = automatic_solve,
};
