// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// direct: the free rows exactly by factorization (eliminate.h), the bounded rows exactly by
// pivoting on what is left of them. No warm start of the free rows, so that redundant reactions
// are always those of least norm. For many bounded rows (hundreds) pgs-ncp is cheaper.
#include "solve/direct.h"

typedef struct direct {
    pawl_solver base;
    direct_part part;
} direct;

direct_part pawl_direct_layout(const solver_def *def, pawl_carver *mem)
{
    size_t n = (size_t)def->max_bounded;
    direct_part layout = {.eliminate =
                              pawl_eliminator_layout(def->max_rows, def->max_bounded, mem)};
    layout.box.matrix = PAWL_CARVE(mem, double, n *n);
    layout.box.inverse_d = PAWL_CARVE(mem, double, n);
    layout.box.x = PAWL_CARVE(mem, double, n);
    layout.box.index = PAWL_CARVE(mem, int, n);
    layout.box.side = PAWL_CARVE(mem, signed char, n);
    layout.y = PAWL_CARVE(mem, double, n);
    return layout;
}

static pawl_solver *direct_layout(const solver_def *def, pawl_carver *mem)
{
    direct *s = PAWL_CARVE(mem, direct, 1);
    direct_part part = pawl_direct_layout(def, mem);
    if (s == NULL) {
        return NULL; // measuring pass: only the byte count matters
    }
    s->part = part;
    return &s->base;
}

void pawl_direct_solve(direct_part *s, const solver_def *def, const pawl_problem *p, double *lambda,
                       solver_report *report)
{
    int n = p->free_row_count, m = p->row_count - n;
    *report = (solver_report){PAWL_CONVERGED, 0};
    pawl_eliminate_factor(p, def->regularization);
    if (m > 0) {
        for (int i = 0; i < m; ++i) {
            s->y[i] = lambda[n + i];
        }
        pawl_eliminate_reduce(&s->eliminate, p, lambda);
        // Six are usual; where rows repeat each other, one problem in 10^5 needs 40 m.
        int most = 200 + 40 * m;
        int pivots = pawl_box_pivot(&s->box, s->eliminate.reduced, m, s->eliminate.reduced_v,
                                    p->lower + n, p->upper + n, most, s->y);
        if (pivots < 0) {
            report->outcome = PAWL_ITERATION_LIMIT;
        }
        report->iterations += pivots < 0 ? most : pivots;
        for (int i = 0; i < m; ++i) {
            lambda[n + i] = s->y[i];
        }
    }
    report->iterations += pawl_eliminate_recover(&s->eliminate, p, 1e-12, lambda);
}

static void direct_solve(pawl_solver *base, const pawl_problem *p, double *lambda,
                         solver_report *report)
{
    pawl_direct_solve(&((direct *)base)->part, &base->def, p, lambda, report);
}

const pawl_solver_ops pawl_direct_ops = {
    .name = "direct",
    .summary = "exact factorization of joints and springs, pivoting for limits and friction losses",
    .layout = direct_layout,
    .solve = direct_solve,
};
