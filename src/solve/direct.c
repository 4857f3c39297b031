// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// direct: the free rows exactly by factorization (eliminate.h), the bounded rows exactly by pivoting on their Schur
// complement. Free rows have no warm start, so that redundant reactions are always those of least norm. Other solvers
// use it for problems without contacts.
#include "linalg/dense.h"
#include "math/vec.h"
#include "problem/dense_delassus.h"
#include "solve/solver_ops.h"
#include <math.h>

static const double direct_nothing = 1e-4; // of the tolerance: rates that nobody can tell from 0

typedef struct direct {
    pawl_solver base;
} direct;

static pawl_solver *direct_layout(const solver_def *def, pawl_carver *mem)
{
    (void)def;
    direct *s = PAWL_CARVE(mem, direct, 1);
    return s == NULL ? NULL : &s->base; // NULL in the measuring pass
}

// Where rows repeat each other, as limits on both sides of a closed loop do, pivoting may go round in circles, and where
// it is left is anywhere. Gauss-Seidel from nothing only ever lowers what is to be minimized.
static void direct_sweep(const pawl_problem *p, const double *S, double *y)
{
    enum { SWEEPS = 1000 };
    const double still = 1e-12;
    int n = p->row_count;
    for (int i = 0; i < n; ++i) {
        y[i] = clamp_to(0.0, p->lower[i], p->upper[i]);
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double moved = 0.0, size = 0.0;
        for (int i = 0; i < n; ++i) {
            double d = S[i * n + i], before = y[i];
            if (d > 0.0) {
                double w = p->v_f[i] + pawl_dot(S + i * n, y, n);
                y[i] = clamp_to(y[i] - w / d, p->lower[i], p->upper[i]);
            }
            moved = fmax(moved, d * fabs(y[i] - before));
            size = fmax(size, fabs(p->v_f[i]));
        }
        if (moved <= still * size) {
            return;
        }
    }
}

// p has bounded rows alone and a dense matrix, because solver.c condenses it first. lambda is the guess of which
// bounds are active, and the answer.
static void direct_solve(pawl_solver *base, const pawl_problem *p, solver_goal goal, double *lambda,
                         solver_report *report)
{
    (void)goal; // pivoting is exact, and its bound follows from the rows
    int m = p->row_count;
    const double *S = p->delassus->ops->matrix(p->delassus); // see ops.condenses
    // Six are usual; where rows repeat each other, one problem in 10^5 needs 40 m.
    int most = 200 + 40 * m;
    double nothing = direct_nothing * base->def.tolerance;
    int pivots =
        pawl_box_pivot(&base->box, S, m, p->v_f, p->lower, p->upper, nothing, most, lambda);
    if (pivots < 0) {
        direct_sweep(p, S, lambda);
    }
    *report = (solver_report){.method = PAWL_METHOD_DIRECT,
                              .outcome = pivots < 0 ? PAWL_ITERATION_LIMIT : PAWL_CONVERGED,
                              .iterations = pivots < 0 ? most : pivots};
}

const pawl_solver_ops pawl_direct_ops = {
    .name = "direct",
    .summary =
        "factorization of joints and springs, pivoting for limits and friction losses; no contacts",
    .condenses = true,
    .layout = direct_layout,
    .solve = direct_solve,
};
