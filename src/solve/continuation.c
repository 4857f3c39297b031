// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// continuation: for a robot that stands on stiff legs, some impulses cause almost no motion (its feet against each
// other). D is singular there except for rounding, and a required velocity of 1e-8 m/s needs an internal force of the
// order of the weight: sweeps and ADMM, which are based on velocities, approach it by a fraction of 1e-7 per
// iteration. With D + eps 1 in place of D (all rows scaled to a unit diagonal) eps = 0.1 is easy for Newton's method,
// and the solution for eps is close to that for eps / 10. At a few eps the modes change and some more steps are
// needed. The equations are those of Alart and Curnier (1991), exact Coulomb friction without smoothing: with a = x -
// rho y,
//   bounded rows   x = clamp(a),     normals  x_N = max(0, a_N),
//   tangents       x_T = the point nearest to a_T in the disk of radius mu max(0, a_N).
// It uses dense matrices and is only for few rows: smoothing and sweeps solve a stack of 120 rows three times faster.
// A walker on six feet of four corners has 72, and no other solver finds the modes of some of its steps.
#include "solve/continuation.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "math/vec.h"
#include "problem/natural.h"
#include <string.h>

enum { CONTINUATION_ROWS = 96, CONTINUATION_STEPS = 40, CONTINUATION_HALVINGS = 10 };
static const double continuation_first = 0.1, continuation_last = 1e-13; // eps
static const double continuation_factor = 0.1,
                    continuation_least = 0.7;      // of eps, from level to level
static const double continuation_residual = 1e-12; // of the scaled equations
static const double continuation_descent = 1e-4;
static const double continuation_beyond = 1e-3; // of the goal: the last digits are cheap

continuation_part pawl_continuation_layout(const solver_def *def, pawl_carver *mem)
{
    size_t n = (size_t)(def->max_rows < CONTINUATION_ROWS ? def->max_rows : CONTINUATION_ROWS);
    continuation_part s = {.capacity = (int)n,
                           .D = PAWL_CARVE(mem, double, n *n),
                           .J = PAWL_CARVE(mem, double, n *n),
                           .pivot = PAWL_CARVE(mem, int, n)};
    double **rows[] = {&s.scale, &s.q,    &s.lower, &s.upper, &s.x,       &s.y,
                       &s.f,     &s.step, &s.last,  &s.trial, &s.impulse, &s.velocity};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, n);
    }
    return s;
}

// lambda = scale x and y = velocity / velocity's scale, so that D has a diagonal near 1 and the
// largest free velocity is 1. False when no row asks for an impulse.
static bool continuation_scale(continuation_part *s, const pawl_problem *p, const double *weight)
{
    int n = p->row_count;
    double fastest = 0.0;
    for (int i = 0; i < n; ++i) {
        s->scale[i] = weight[i] > 0.0 ? 1.0 / sqrt(weight[i]) : 0.0;
        fastest = max_of(fastest, s->scale[i] * fabs(p->v_f[i]));
    }
    if (!(fastest > 0.0)) {
        return false;
    }
    for (int j = 0; j < n; ++j) {
        memset(s->impulse, 0, (size_t)n * sizeof *s->impulse);
        s->impulse[j] = s->scale[j];
        p->delassus->ops->apply(p->delassus, s->impulse, s->velocity);
        s->velocity[j] += p->compliance[j] * s->impulse[j];
        for (int i = 0; i < n; ++i) {
            s->D[i * n + j] = s->scale[i] * s->velocity[i];
        }
    }
    for (int i = 0; i < n; ++i) {
        s->q[i] = s->scale[i] * p->v_f[i] / fastest;
        s->scale[i] *= fastest;
        double bound = s->scale[i] > 0.0 ? s->scale[i] : 1.0;
        s->lower[i] = i < pawl_problem_contact_row(p, 0) ? p->lower[i] / bound : 0.0;
        s->upper[i] = i < pawl_problem_contact_row(p, 0) ? p->upper[i] / bound : INFINITY;
    }
    return true;
}

// y = (D + eps) x + q
static void continuation_velocity(const continuation_part *s, int n, double eps, const double *x,
                                  double *y)
{
    for (int i = 0; i < n; ++i) {
        y[i] = pawl_dot(s->D + i * n, x, n) + eps * x[i] + s->q[i];
    }
}

// Row i of Newton's matrix: of[j] entries of the identity, and by[j] rows of D + eps, over rows
// first .. first + 2 of a contact or the row alone.
static void continuation_row(continuation_part *s, int n, double eps, int i, int first, int count,
                             const double *of, const double *by)
{
    double *row = s->J + i * n;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int k = 0; k < count; ++k) {
        const double *d = s->D + (first + k) * n;
        for (int j = 0; j < n && by[k] != 0.0; ++j) {
            row[j] += by[k] * d[j];
        }
        row[first + k] += of[k] + by[k] * eps;
    }
}

// The equation of a free or bounded row is x - clamp(x - rho y) = 0. At a bound its derivative is 1 by x, between
// the bounds it is rho (D + eps). Rows that nothing moves (scale 0) stay fixed, since their row of D is zero.
static double continuation_bounded(continuation_part *s, int n, double eps, double rho, int i,
                                   bool matrix)
{
    double a = s->trial[i] - rho * s->y[i], x = clamp_to(a, s->lower[i], s->upper[i]);
    bool fixed = x != a || s->scale[i] == 0.0;
    if (matrix) {
        continuation_row(s, n, eps, i, i, 1, &(double){fixed ? 1.0 : 0.0},
                         &(double){fixed ? 0.0 : rho});
    }
    return s->trial[i] - x;
}

// Rows first, first + 1 (tangents) and first + 2 (normal).
// The three cases of Alart and Curnier's map: open where a_N <= 0 (f = x), sticking where a_T is inside the disk
// of radius mu a_N (f = rho y), sliding elsewhere. of[r][k] and by[r][k] are the derivatives of f_r by x_k and by
// y_k. The radius depends on a_N, hence the entries in column 2: they make the matrix unsymmetric, and it is
// solved by LU.
static void continuation_contact(continuation_part *s, int n, double eps, double rho, double mu,
                                 int first, bool matrix, double f[3])
{
    const double *x = s->trial + first, *y = s->y + first;
    double a[3] = {x[0] - rho * y[0], x[1] - rho * y[1], x[2] - rho * y[2]};
    double of[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, by[3][3] = {{0}};
    memcpy(f, x, 3 * sizeof *f);
    if (a[2] > 0.0) {
        double size = sqrt(a[0] * a[0] + a[1] * a[1]), radius = mu * a[2];
        f[2] = rho * y[2];
        of[2][2] = 0.0;
        by[2][2] = rho;
        bool sticks = size <= radius;
        double d[2] = {sticks ? 0.0 : a[0] / size, sticks ? 0.0 : a[1] / size};
        double fraction = sticks ? 1.0 : radius / size; // of a_T that is left
        for (int r = 0; r < 2; ++r) {
            f[r] = sticks ? rho * y[r] : x[r] - radius * d[r];
            for (int k = 0; k < 2; ++k) {
                double P = fraction * ((r == k ? 1.0 : 0.0) - d[r] * d[k]);
                of[r][k] -= P;
                by[r][k] = rho * P;
            }
            of[r][2] = sticks ? 0.0 : -mu * d[r];
            by[r][2] = sticks ? 0.0 : rho * mu * d[r];
        }
    }
    for (int r = 0; r < 3 && matrix; ++r) {
        continuation_row(s, n, eps, first + r, first, 3, of[r], by[r]);
    }
}

// The equations at s->trial, and with `matrix` Newton's matrix; returns the square of their size.
// rho is the inverse of the scaled diagonal 1 + eps, with which a single row is solved by one step.
static double continuation_map(continuation_part *s, const pawl_problem *p, double eps, bool matrix)
{
    int n = p->row_count, contacts = pawl_problem_contact_row(p, 0);
    double rho = 1.0 / (1.0 + eps);
    continuation_velocity(s, n, eps, s->trial, s->y);
    for (int i = 0; i < contacts; ++i) {
        s->f[i] = continuation_bounded(s, n, eps, rho, i, matrix);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        continuation_contact(s, n, eps, rho, p->friction[k], i, matrix, s->f + i);
    }
    return pawl_dot(s->f, s->f, n);
}

// s->impulse is what s->x is in the problem's units, made admissible.
static void continuation_impulses(continuation_part *s, const pawl_problem *p)
{
    for (int i = 0; i < p->row_count; ++i) {
        s->impulse[i] = s->scale[i] * s->x[i];
    }
    pawl_problem_admit(p, s->impulse);
}

// Newton's method for one eps, from s->x. False when it does not get there.
// After CONTINUATION_HALVINGS the last, shortest step is taken although it does not lower the merit: the map has
// kinks, and staying in place would never cross one.
static bool continuation_level(continuation_part *s, const pawl_problem *p, double eps, int most,
                               int *iterations)
{
    int n = p->row_count;
    size_t bytes = (size_t)n * sizeof *s->x;
    double enough = continuation_residual * continuation_residual;
    for (int k = 0; k < most; ++k) {
        memcpy(s->trial, s->x, bytes);
        double merit = continuation_map(s, p, eps, true);
        if (merit <= enough) {
            return true;
        }
        memcpy(s->step, s->f, bytes);
        if (!pawl_lu_factor(s->J, n, s->pivot)) {
            return false;
        }
        pawl_lu_solve(s->J, n, s->pivot, s->step);
        ++*iterations;
        double length = 1.0;
        for (int half = 0; half < CONTINUATION_HALVINGS; ++half, length *= 0.5) {
            for (int i = 0; i < n; ++i) {
                s->trial[i] = s->x[i] - length * s->step[i];
            }
            if (continuation_map(s, p, eps, false) <=
                (1.0 - continuation_descent * length) * merit) {
                break;
            }
        }
        memcpy(s->x, s->trial, bytes);
        if (p->watch != NULL) {
            continuation_impulses(s, p);
            pawl_problem_show(p, s->impulse);
        }
    }
    return false;
}

// lambda takes what s->x is where that is better. Returns the better natural map.
static double continuation_keep(continuation_part *s, const pawl_problem *p, const double *weight,
                                double best, double *lambda)
{
    continuation_impulses(s, p);
    pawl_problem_velocity(p, s->impulse, s->velocity);
    double natural = pawl_problem_natural(p, s->impulse, s->velocity, weight);
    if (natural < best) {
        memcpy(lambda, s->impulse, (size_t)p->row_count * sizeof *lambda);
        return natural;
    }
    return best;
}

// From eps = 0.1 downwards. A level that converges lets the next one go further (factor squared, at least 0.1);
// one that does not is tried again from the last converged point with the square root of the factor. The answers
// of all levels are judged by the natural map of the problem itself, without eps. lambda is replaced only by
// something better. Returns whether the goal [m/s] is met.
bool pawl_continuation_run(continuation_part *s, const pawl_problem *p, const double *weight,
                           double goal, int most, double *lambda, int *iterations)
{
    int n = p->row_count, end = *iterations + most;
    if (n > s->capacity || !continuation_scale(s, p, weight)) {
        return false;
    }
    size_t bytes = (size_t)n * sizeof *lambda;
    memset(s->x, 0, bytes);
    memset(s->last, 0, bytes);
    pawl_problem_velocity(p, lambda, s->velocity);
    double best = pawl_problem_natural(p, lambda, s->velocity, weight);
    double from = continuation_first / continuation_factor, factor = continuation_factor;
    while (from > continuation_last && *iterations < end && best > continuation_beyond * goal) {
        int left = end - *iterations;
        bool converged = continuation_level(
            s, p, factor * from, left < CONTINUATION_STEPS ? left : CONTINUATION_STEPS, iterations);
        best = continuation_keep(s, p, weight, best, lambda);
        if (converged) {
            from *= factor;
            factor = max_of(factor * factor, continuation_factor);
            memcpy(s->last, s->x, bytes);
        } else if (factor < continuation_least) { // again, less far
            factor = sqrt(factor);
            memcpy(s->x, s->last, bytes);
        } else {
            break;
        }
    }
    return best <= goal;
}
