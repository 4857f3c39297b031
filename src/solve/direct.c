// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// direct: the free rows exactly by factorization (eliminate.h), the bounded rows exactly by
// pivoting on what is left of them. No warm start of the free rows, so that redundant reactions
// are always those of least norm. Other solvers hand it the problems without contacts.
#include "problem/dense_delassus.h"
#include "solve/solver_ops.h"

typedef struct direct {
    pawl_solver base;
} direct;

static pawl_solver *direct_layout(const solver_def *def, pawl_carver *mem)
{
    (void)def;
    direct *s = PAWL_CARVE(mem, direct, 1);
    return s == NULL ? NULL : &s->base; // NULL in the measuring pass
}

static void direct_solve(pawl_solver *base, const pawl_problem *p, double *lambda,
                         solver_report *report)
{
    int m = p->row_count;
    const double *S = ((const dense_delassus *)p->delassus)->matrix; // see ops.reduces
    // Six are usual; where rows repeat each other, one problem in 10^5 needs 40 m.
    int most = 200 + 40 * m;
    int pivots = pawl_box_pivot(&base->box, S, m, p->v_f, p->lower, p->upper, most, lambda);
    *report = (solver_report){.method = PAWL_METHOD_DIRECT,
                              .outcome = pivots < 0 ? PAWL_ITERATION_LIMIT : PAWL_CONVERGED,
                              .iterations = pivots < 0 ? most : pivots};
}

const pawl_solver_ops pawl_direct_ops = {
    .name = "direct",
    .summary = "exact factorization of joints and springs, pivoting for limits and friction losses",
    .reduces = true,
    .layout = direct_layout,
    .solve = direct_solve,
};
