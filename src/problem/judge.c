// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The one piece of code that computes residuals, for every solver and stepper, outside of them.
#include "math/vec.h"
#include "problem/problem.h"
#include <math.h>

static double judge_project(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

pawl_residual pawl_problem_judge(const pawl_problem *p, const double *lambda, const double *v,
                                 double *diagonal)
{
    pawl_residual r = {0};
    for (int i = 0; i < p->free_row_count; ++i) { // lambda is anything, v must be zero
        r.natural = max_of(r.natural, fabs(v[i]));
    }
    r.dual = r.natural_scaled = r.natural;
    if (p->row_count > p->free_row_count) {
        p->delassus->ops->diagonal(p->delassus, p->free_block_count, diagonal);
    }
    for (int i = p->free_row_count; i < p->row_count; ++i) {
        double lo = p->lower[i], up = p->upper[i], x = lambda[i];
        double d = diagonal[i] + p->compliance[i];
        double inside = judge_project(x, lo, up);
        r.primal = fmax(r.primal, fabs(x - inside));
        // Room that the velocity asks for. Against a bound at infinity a velocity is an error of
        // its own; against a finite one it is weighed by the room left.
        double room = v[i] > 0.0 ? inside - lo : up - inside;
        r.dual = fmax(r.dual, isinf(room) ? fabs(v[i]) : 0.0);
        r.complementarity = fmax(r.complementarity, isinf(room) ? 0.0 : fabs(v[i]) * room);
        r.natural = fmax(r.natural, fabs(x - judge_project(x - v[i], lo, up)));
        double scaled = d > 0.0 ? d * fabs(x - judge_project(x - v[i] / d, lo, up)) : fabs(v[i]);
        r.natural_scaled = fmax(r.natural_scaled, scaled);
    }
    return r;
}
