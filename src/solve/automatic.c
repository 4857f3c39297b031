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
// so that a resumed run does the same; the report tells which method had the last word.
#include "solve/solver_ops.h"

typedef struct automatic {
    pawl_solver base;
    pawl_solver *admm, *newton;
} automatic;

static pawl_solver *automatic_layout(const solver_def *def, pawl_carver *mem)
{
    automatic *s = PAWL_CARVE(mem, automatic, 1);
    pawl_solver *admm = pawl_admm_ncp_ops.layout(def, mem);
    pawl_solver *newton = pawl_newton_ops.layout(def, mem);
    if (s == NULL) {
        return NULL;
    }
    s->admm = admm;
    s->newton = newton;
    return &s->base;
}

// Lets one of the two go on from lambda for at most so many iterations.
static void automatic_try(automatic *s, pawl_solver *part, const pawl_solver_ops *ops, int most,
                          const pawl_problem *p, double *lambda, solver_report *report)
{
    int left = s->base.def.max_iterations - report->iterations;
    part->def = s->base.def;
    part->def.max_iterations = most < left ? most : left;
    solver_report own;
    ops->solve(part, p, lambda, &own);
    report->outcome = own.outcome;
    report->method = own.method;
    report->iterations += own.iterations;
    report->factorizations += own.factorizations;
}

static void automatic_solve(pawl_solver *base, const pawl_problem *p, double *lambda,
                            solver_report *report)
{
    automatic *s = (automatic *)base;
    // Measured on dropped linkages, stacks and FCLib's problems (docs/solvers/auto.md).
    enum { FIRST_ADMM = 160, FIRST_NEWTON = 400, LATER = 2000 };
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT};
    int admm = FIRST_ADMM, newton = FIRST_NEWTON;
    while (report->outcome != PAWL_CONVERGED && report->iterations < base->def.max_iterations) {
        automatic_try(s, s->admm, &pawl_admm_ncp_ops, admm, p, lambda, report);
        if (report->outcome != PAWL_CONVERGED && report->iterations < base->def.max_iterations) {
            automatic_try(s, s->newton, &pawl_newton_ops, newton, p, lambda, report);
        }
        admm = newton = LATER;
    }
}

const pawl_solver_ops pawl_auto_ops = {
    .name = "auto",
    .summary = "direct without contacts; else sweeps, then ADMM, then Newton, as far as needed",
    .contacts = true,
    .pivots_alone = true,
    .layout = automatic_layout,
    .solve = automatic_solve,
};
