// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The natural map lambda - P(lambda - v) of every row and contact, scaled by the diagonal of D so
// that it is a velocity; for Coulomb's law with De Saxce's correction v_n + mu |v_T| (docs/math.md,
// section 8). The judge and the solvers' stopping tests use the same code.
#include "problem/natural.h"
#include "linalg/cone.h"
#include "math/vec.h"
#include "problem/weak_space.h"
#include <math.h>

// weight (rows) = diagonal of D + R [1/kg or 1/(kg m^2)]. A contact has one weight, the mean of its
// three rows: the cone is round in one common scale of its rows only. Free rows need no weight.
// Where there are only such rows nothing is written.
static void natural_weights(const pawl_problem *p, int first_block, int first_row, double *weight)
{
    if (p->row_count == p->free_row_count) {
        return;
    }
    p->delassus->ops->diagonal(p->delassus, first_block, weight);
    for (int i = first_row; i < p->row_count; ++i) {
        weight[i] += p->compliance[i];
    }
    for (int k = 0; k < p->contact_count; ++k) {
        double *w = weight + pawl_problem_contact_row(p, k);
        w[0] = w[1] = w[2] = (w[0] + w[1] + w[2]) / 3.0;
    }
}

void pawl_problem_weights(const pawl_problem *p, double *weight)
{
    natural_weights(p, 0, 0, weight);
}

void pawl_problem_bounded_weights(const pawl_problem *p, double *weight)
{
    natural_weights(p, p->free_block_count, p->free_row_count, weight);
}

// Nearest impulses that respect all bounds and cones.
void pawl_problem_admit(const pawl_problem *p, double *lambda)
{
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = p->free_row_count; i < contacts; ++i) {
        lambda[i] = clamp_to(lambda[i], p->lower[i], p->upper[i]);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        pawl_cone_project(lambda + pawl_problem_contact_row(p, k), p->friction[k]);
    }
}

// v = (D + R) lambda + v_f [m/s or rad/s].
void pawl_problem_velocity(const pawl_problem *p, const double *lambda, double *v)
{
    p->delassus->ops->apply(p->delassus, lambda, v);
    for (int i = 0; i < p->row_count; ++i) {
        v[i] += p->v_f[i] + p->compliance[i] * lambda[i];
    }
}

double pawl_natural_bounded(double lambda, double v, double lower, double upper, double weight)
{
    if (!(weight > 0.0)) { // no impulse changes v: it must be at the bound that v pushes it to
        return v == 0.0 || lambda == (v > 0.0 ? lower : upper) ? 0.0 : fabs(v);
    }
    double x = clamp_to(lambda - v / weight, lower, upper);
    return weight * fabs(lambda - x);
}

// The convex relaxation (CCP), without De Saxce's term.
double pawl_natural_relaxed(const double lambda[3], const double v[3], double mu, double weight)
{
    double x[3] = {lambda[0] - v[0] / weight, lambda[1] - v[1] / weight, lambda[2] - v[2] / weight};
    pawl_cone_project(x, mu);
    double worst = worst_of(fabs(lambda[0] - x[0]), fabs(lambda[1] - x[1]));
    return weight * worst_of(worst, fabs(lambda[2] - x[2]));
}

void pawl_natural_contact_map(const double lambda[3], const double v[3], double mu, double weight,
                              double out[3])
{
    double slip = mu * sqrt(v[0] * v[0] + v[1] * v[1]); // De Saxce
    double x[3] = {lambda[0] - v[0] / weight, lambda[1] - v[1] / weight,
                   lambda[2] - (v[2] + slip) / weight};
    pawl_cone_project(x, mu);
    for (int r = 0; r < 3; ++r) {
        out[r] = weight * (lambda[r] - x[r]);
    }
}

double pawl_natural_contact(const double lambda[3], const double v[3], double mu, double weight)
{
    double slip = mu * sqrt(v[0] * v[0] + v[1] * v[1]); // De Saxce
    return pawl_natural_relaxed(lambda, (const double[3]){v[0], v[1], v[2] + slip}, mu, weight);
}

// Free and bounded rows alone. Of free rows the residual is v itself, without its part in the weak
// space.
double pawl_problem_natural_bounds(const pawl_problem *p, const double *lambda, const double *v,
                                   const double *weight)
{
    double apart, worst = pawl_weak_largest(p, v, &apart);
    for (int i = p->free_row_count; i < pawl_problem_contact_row(p, 0); ++i) {
        worst = worst_of(
            worst, pawl_natural_bounded(lambda[i], v[i], p->lower[i], p->upper[i], weight[i]));
    }
    return worst;
}

double pawl_problem_natural(const pawl_problem *p, const double *lambda, const double *v,
                            const double *weight)
{
    double worst = pawl_problem_natural_bounds(p, lambda, v, weight);
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        worst = worst_of(worst, pawl_natural_contact(lambda + i, v + i, p->friction[k], weight[i]));
    }
    return worst;
}

double pawl_problem_natural_relaxed(const pawl_problem *p, const double *lambda, const double *v,
                                    const double *weight)
{
    double worst = pawl_problem_natural_bounds(p, lambda, v, weight);
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        worst = worst_of(worst, pawl_natural_relaxed(lambda + i, v + i, p->friction[k], weight[i]));
    }
    return worst;
}
