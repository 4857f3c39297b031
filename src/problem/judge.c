// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The only code that computes residuals, for all solvers and steppers and independent of them.
//
// All residuals are maxima over the rows, so that many good rows do not hide a wrong one. The caller computes v from
// the new twists. worst_of() keeps NaN: a solution with NaN never has a small residual. docs/math.md sections 2 and 8
// define each residual.
#include "linalg/cone.h"
#include "math/vec.h"
#include "problem/natural.h"
#include "problem/weak_space.h"
#include <math.h>

static double judge_distance(const double a[3], const double b[3])
{
    return worst_of(fabs(a[0] - b[0]), worst_of(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

// x: impulse (two tangents, normal) [N s], v: velocity [m/s]. u has De Saxce's term on the normal. All but the natural
// map.
static void judge_cones(pawl_residual *r, const double *x, const double *v, double mu)
{
    double u[3] = {v[0], v[1], v[2] + mu * sqrt(v[0] * v[0] + v[1] * v[1])};
    double y[3] = {x[0], x[1], x[2]}, w[3] = {u[0], u[1], u[2]};
    pawl_cone_project(y, mu);
    pawl_cone_project_dual(w, mu);
    r->primal = worst_of(r->primal, judge_distance(x, y));
    r->dual = worst_of(r->dual, judge_distance(u, w));
    r->complementarity =
        worst_of(r->complementarity, fabs(x[0] * u[0] + x[1] * u[1] + x[2] * u[2]));
}

// The same of a bounded row.
static void judge_bounds(pawl_residual *r, double x, double v, double lo, double up)
{
    double inside = clamp_to(x, lo, up);
    r->primal = worst_of(r->primal, fabs(x - inside));
    // Room that the velocity asks for. Against a bound at infinity a velocity is an error of
    // its own; against a finite one it is weighed by the room left.
    double room = v > 0.0 ? inside - lo : up - inside;
    r->dual = worst_of(r->dual, isinf(room) ? fabs(v) : 0.0);
    r->complementarity = worst_of(r->complementarity, isinf(room) ? 0.0 : fabs(v) * room);
}

pawl_residual pawl_problem_three_residuals(const pawl_problem *p, const double *lambda,
                                           const double *v)
{
    pawl_residual r = {0};
    double apart;
    r.dual = pawl_weak_largest(p, v, &apart);
    for (int i = p->free_row_count; i < pawl_problem_contact_row(p, 0); ++i) {
        judge_bounds(&r, lambda[i], v[i], p->lower[i], p->upper[i]);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        judge_cones(&r, lambda + i, v + i, p->friction[k]);
    }
    return r;
}

pawl_residual pawl_problem_judge(const pawl_problem *p, const double *lambda, const double *v,
                                 double *weight)
{
    pawl_residual r = {0};
    double apart; // lambda is anything, v must be zero but for what is weak
    r.dual = r.natural = pawl_weak_largest(p, v, &apart);
    pawl_problem_bounded_weights(p, weight);
    r.natural_scaled = pawl_problem_natural(p, lambda, v, weight);
    for (int i = p->free_row_count; i < pawl_problem_contact_row(p, 0); ++i) {
        double lo = p->lower[i], up = p->upper[i], x = lambda[i];
        judge_bounds(&r, x, v[i], lo, up);
        r.natural = worst_of(r.natural, fabs(x - clamp_to(x - v[i], lo, up)));
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        judge_cones(&r, lambda + i, v + i, p->friction[k]);
        r.natural =
            worst_of(r.natural, pawl_natural_contact(lambda + i, v + i, p->friction[k], 1.0));
    }
    return r;
}
