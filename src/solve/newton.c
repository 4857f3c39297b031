// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// newton: with X = sqrt(w) (lambda_T / mu, lambda_N) and Y = (mu u_T, u_N) / sqrt(w), both in the
// Lorentz cone, u the velocity with De Saxce's term and w the mean of D over the contact, the problem is
//   X - P(X - Y) = 0.
// P is smoothed: its eigenvalue function max(0, s) becomes p(s) = (s + sqrt(s^2 + 4 tau^2)) / 2 (Chen and
// Mangasarian; Fukushima, Luo and Tseng for cones). One Newton step for given tau is
//   (D + R + G) dlambda = -B^-1 (X - P(X - Y)),   B = P' T (1 + Gamma') / sqrt(w),
//   G = w (1 + Gamma')^-1 T^-1 P'^-1 (1 - P') T^-1,   T = diag(mu, mu, 1),
// with Gamma' the derivative of the De Saxce term, which alone makes G unsymmetric. The system is solved
// by minimal residuals (gmres.h), preconditioned with the same matrix without Gamma': symmetric, positive
// definite, and factored over the bodies (loops section V; docs/solvers/newton.md). tau decreases with the residual.
// Stacks have many contacts at the boundary of two modes, where small tau makes Newton steps useless; hence restarts
// at several tau, with sweeps in between (the `newton` solver below).
#include "linalg/cone.h"
#include "linalg/dense.h"
#include "linalg/gmres.h"
#include "math/vec.h"
#include "problem/natural.h"
#include "solve/continuation.h"
#include "solve/nsgs.h"
#include "solve/solver_ops.h"
#include <string.h>

static const double newton_least = 1e-11;       // of P' and 1 - P': G stays within 1e11 of w
static const double newton_frictionless = 1e-8; // below, tangents take no part
static const double newton_reduction = 1e-6;    // of the linear residual
static const double newton_shrink = 0.8;        // of tau
static const double newton_proximal = 0.1;      // of tau, relative to D
static const double newton_proximal_shrink = 0.3,
                    newton_proximal_grow = 8.0; // of the proximal term
static const double newton_fastest = 0.01;
static const double newton_beyond = 1e-4; // of the goal: the last digits are cheap, see below
static const double newton_centred = 0.1; // tau may shrink when the residual is this far below it
static const double newton_goal =
    0.5; // share of the tolerance; eliminated rows add to the residual
enum { NEWTON_HALVINGS = 10 };

typedef struct newton_part {
    gmres krylov;
    double *v, *image;            // (rows) velocities, and the matrix times the step
    double *trial, *trial_v;      // (rows)
    double *right, *step, *sigma; // (rows)
    double *G, *metric;           // (9 x contacts) of the system, and symmetric
    double *diagonal;             // (rows) of the rows that are not contacts
    double *point;                // (rows) where the iteration is
    double *soft;                 // (rows) compliance, with what holds impulses where they are
} newton_part;

static newton_part newton_part_layout(const solver_def *def, pawl_carver *mem)
{
    newton_part s = {.krylov = pawl_gmres_layout(def->max_rows, mem)};
    double **rows[] = {&s.v,    &s.image, &s.trial,    &s.trial_v, &s.right,
                       &s.step, &s.sigma, &s.diagonal, &s.point,   &s.soft};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, def->max_rows);
    }
    s.G = PAWL_CARVE(mem, double, 3 * def->max_rows);
    s.metric = PAWL_CARVE(mem, double, 3 * def->max_rows);
    return s;
}

// p(s) and its slope.
static double newton_plus(double s, double tau, double *slope)
{
    double root = sqrt(s * s + 4.0 * tau * tau);
    // s + root cancels for s < 0
    double p = s > 0.0 ? 0.5 * (s + root) : root > 0.0 ? 2.0 * tau * tau / (root - s) : 0.0;
    double half = root > 0.0 ? 0.5 * (1.0 + s / root) : 0.5;
    *slope = fmin(fmax(half, newton_least), 1.0 - newton_least);
    return p;
}

// One contact in its Lorentz variables, seen in the axes along z_T (a), across (b), and the normal (n).
typedef struct newton_contact {
    double phi[3];              // X - P(X - Y) in world tangents and normal
    double along[2];            // unit z_T
    double same, cross, across; // P' = [same 0 cross; 0 across 0; cross 0 same] in (a, b, n)
    double slide[2];            // Gamma': mu v_T / |v_T|, smoothed
} newton_contact;

static void newton_contact_at(const double lambda[3], const double v[3], double mu, double w,
                              double tau, newton_contact *c)
{
    double root = sqrt(w), edge = tau * root;
    double speed = sqrt(v[0] * v[0] + v[1] * v[1] + edge * edge);
    c->slide[0] = speed > 0.0 ? mu * v[0] / speed : 0.0;
    c->slide[1] = speed > 0.0 ? mu * v[1] / speed : 0.0;
    double X[3] = {root * lambda[0] / mu, root * lambda[1] / mu, root * lambda[2]};
    double Y[3] = {mu * v[0] / root, mu * v[1] / root, (v[2] + mu * (speed - edge)) / root};
    double z[3] = {X[0] - Y[0], X[1] - Y[1], X[2] - Y[2]};
    double t = sqrt(z[0] * z[0] + z[1] * z[1]), up, down;
    double high = newton_plus(z[2] + t, tau, &up), low = newton_plus(z[2] - t, tau, &down);
    c->along[0] = t > 0.0 ? z[0] / t : 1.0;
    c->along[1] = t > 0.0 ? z[1] / t : 0.0;
    c->same = 0.5 * (up + down);
    c->cross = 0.5 * (up - down);
    c->across = t > 1e-14 * (fabs(z[2]) + tau) ? (high - low) / (2.0 * t) : c->same;
    c->across = fmin(fmax(c->across, newton_least), 1.0 - newton_least);
    double radial = 0.5 * (high - low);
    c->phi[0] = X[0] - radial * c->along[0];
    c->phi[1] = X[1] - radial * c->along[1];
    c->phi[2] = X[2] - 0.5 * (high + low);
}

// y = f(P') x, with f given by its values on the three eigenvectors: (a + n), (a - n), b.
// Eigenvectors of the projection on a cone of slope 1, and of its smoothed form: along the slip plus or minus the
// normal, and across both. Functions of the derivative (its inverse, its inverse minus 1) act on the three
// eigenvalues alone.
static void newton_spectral(const newton_contact *c, double plus, double minus, double across,
                            const double x[3], double y[3])
{
    double a = c->along[0] * x[0] + c->along[1] * x[1];
    double b = c->along[0] * x[1] - c->along[1] * x[0];
    double p = 0.5 * plus * (a + x[2]), m = 0.5 * minus * (a - x[2]);
    double ya = p + m, yb = across * b;
    y[0] = c->along[0] * ya - c->along[1] * yb;
    y[1] = c->along[1] * ya + c->along[0] * yb;
    y[2] = p - m;
}

// G, its symmetric part without Gamma', and the right side of one contact.
// Newton's equation of a contact is divided by P' so that D keeps the coefficient 1: (D + R + G) dlambda = right.
// `metric` is the symmetric positive part that goes into the factor, G = (1 + Gamma')^-1 metric with the
// derivative of De Saxce's term is what the Krylov iteration applies.
static void newton_contact_system(const newton_contact *c, double mu, double w, double G[9],
                                  double metric[9], double right[3])
{
    double plus = c->same + c->cross, minus = c->same - c->cross, root = sqrt(w);
    double y[3];
    newton_spectral(c, 1.0 / plus, 1.0 / minus, 1.0 / c->across, c->phi, y);
    right[0] = -root * y[0] / mu;
    right[1] = -root * y[1] / mu;
    right[2] = -root * y[2];
    const double scale[3] = {1.0 / mu, 1.0 / mu, 1.0};
    for (int k = 0; k < 3; ++k) {
        double e[3] = {0};
        e[k] = scale[k];
        newton_spectral(c, 1.0 / plus - 1.0, 1.0 / minus - 1.0, 1.0 / c->across - 1.0, e, y);
        for (int r = 0; r < 3; ++r) {
            metric[3 * r + k] = w * scale[r] * y[r];
        }
    }
    memcpy(G, metric, 9 * sizeof *G);
    for (int k = 0; k < 3; ++k) { // (1 + Gamma')^-1 from the left
        G[6 + k] -= c->slide[0] * metric[k] + c->slide[1] * metric[3 + k];
    }
    right[2] -= c->slide[0] * right[0] + c->slide[1] * right[1];
}

// Tangents get the stiffness w / newton_least, which keeps their impulses at zero without another structure of the
// factor.
static void newton_frictionless_system(double slope, double phi, double w, double G[9],
                                       double metric[9], double right[3])
{
    memset(metric, 0, 9 * sizeof *metric);
    metric[0] = metric[4] = w / newton_least;
    metric[8] = w * (1.0 - slope) / slope;
    memcpy(G, metric, 9 * sizeof *G);
    right[0] = right[1] = 0.0;
    right[2] = -sqrt(w) * phi / slope;
}

// The smoothed map of a bounded row, and its slope.
// z = sqrt(w) lambda - v / sqrt(w) is the argument of the clamp in units of sqrt(energy). With both bounds the
// smoothed clamp is the difference of two smoothed half lines. The slope stays off 0 and 1, because the system
// divides by it and by 1 minus it.
static double newton_bounded(const pawl_problem *p, int i, double x, double v, double w, double tau,
                             double *slope)
{
    double root = sqrt(w), z = root * x - v / root, inside = z;
    *slope = 1.0;
    if (isfinite(p->lower[i])) {
        inside = root * p->lower[i] + newton_plus(z - root * p->lower[i], tau, slope);
    }
    if (isfinite(p->upper[i])) {
        double above;
        inside -= newton_plus(z - root * p->upper[i], tau, &above);
        *slope -= above;
    }
    *slope = fmin(fmax(*slope, newton_least), 1.0 - newton_least);
    return root * x - inside;
}

// |Phi|^2 at lambda with velocities v; the system for a step with it where `s` is given.
// The maps of all rows together. With s = NULL only the merit is computed, as the line search asks for it.
static double newton_map(newton_part *s, const pawl_problem *p, const double *weight, double tau,
                         const double *lambda, const double *v)
{
    double merit = 0.0;
    for (int i = 0; i < p->free_row_count; ++i) {
        double w = weight[i];
        merit += v[i] * v[i] / w;
        if (s != NULL) {
            s->diagonal[i] = 0.0;
            s->sigma[i] = s->soft[i] + newton_least * w;
            s->right[i] = -v[i];
        }
    }
    for (int i = p->free_row_count; i < pawl_problem_contact_row(p, 0); ++i) {
        double w = weight[i] > 0.0 ? weight[i] : 1.0, slope;
        double phi = newton_bounded(p, i, lambda[i], v[i], w, tau, &slope);
        merit += phi * phi;
        if (s != NULL) {
            s->diagonal[i] = w * (1.0 - slope) / slope;
            s->sigma[i] = s->soft[i] + s->diagonal[i];
            s->right[i] = -sqrt(w) * phi / slope;
        }
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        double mu = p->friction[k], w = weight[i];
        double *G = s != NULL ? s->G + 9 * k : NULL, *metric = s != NULL ? s->metric + 9 * k : NULL;
        if (mu < newton_frictionless) {
            double slope, x = sqrt(w) * lambda[i + 2];
            double phi = x - newton_plus(x - v[i + 2] / sqrt(w), tau, &slope);
            merit += phi * phi;
            if (s != NULL) {
                newton_frictionless_system(slope, phi, w, G, metric, s->right + i);
            }
            continue;
        }
        newton_contact c;
        newton_contact_at(lambda + i, v + i, mu, w, tau, &c);
        merit += c.phi[0] * c.phi[0] + c.phi[1] * c.phi[1] + c.phi[2] * c.phi[2];
        if (s != NULL) {
            newton_contact_system(&c, mu, w, G, metric, s->right + i);
        }
    }
    return merit;
}

typedef struct newton_system {
    newton_part *s;
    const pawl_problem *p;
} newton_system;

// y = (D + R + metric)^-1 (D + R + G) x
// The operator of GMRES, preconditioned from the left by the symmetric part. Without tangential velocities G is
// `metric` and this is nearly the identity, so that one iteration is enough.
static void newton_apply(void *user, const double *x, double *y)
{
    newton_system *n = user;
    const pawl_problem *p = n->p;
    p->delassus->ops->apply(p->delassus, x, y);
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = 0; i < p->row_count; ++i) {
        y[i] += (n->s->soft[i] + (i < contacts ? n->s->diagonal[i] : 0.0)) * x[i];
    }
    for (int k = 0; k < p->contact_count; ++k) {
        const double *G = n->s->G + 9 * k, *in = x + contacts + 3 * k;
        for (int r = 0; r < 3; ++r) {
            y[contacts + 3 * k + r] +=
                G[3 * r] * in[0] + G[3 * r + 1] * in[1] + G[3 * r + 2] * in[2];
        }
    }
    p->delassus->ops->solve_shifted(p->delassus, y);
}

// The step for the system at hand; false when memory for a new structure is out.
static bool newton_step(newton_part *s, const pawl_problem *p)
{
    int contacts = pawl_problem_contact_row(p, 0);
    for (int k = 0; k < p->contact_count; ++k) {
        for (int r = 0; r < 3; ++r) { // compliance of contacts goes into their blocks
            s->metric[9 * k + 4 * r] += s->soft[contacts + 3 * k + r];
        }
    }
    if (!p->delassus->ops->factor_shifted(p->delassus, s->sigma, s->metric)) {
        return false;
    }
    newton_system system = {s, p};
    p->delassus->ops->solve_shifted(p->delassus, s->right);
    pawl_gmres(&s->krylov, p->row_count, newton_apply, &system, s->right, newton_reduction,
               s->step);
    return true;
}

// The natural map at lambda made admissible, in `trial`; its velocities in `trial_v`.
static double newton_natural(newton_part *s, const pawl_problem *p, const double *weight,
                             const double *lambda)
{
    memcpy(s->trial, lambda, (size_t)p->row_count * sizeof *lambda);
    pawl_problem_admit(p, s->trial);
    pawl_problem_velocity(p, s->trial, s->trial_v);
    return pawl_problem_natural(p, s->trial, s->trial_v, weight);
}

// Largest of 1, 1/2, 1/4 ... along the step that lowers the merit enough; 0 when none does.
// Velocities along the step are v + length * image, so that no product with D is needed.
static double newton_search(newton_part *s, const pawl_problem *p, const double *weight, double tau,
                            double merit, const double *lambda)
{
    double length = 1.0;
    for (int k = 0; k < NEWTON_HALVINGS; ++k, length *= 0.5) {
        for (int i = 0; i < p->row_count; ++i) {
            s->trial[i] = lambda[i] + length * s->step[i];
            s->trial_v[i] = s->v[i] + length * s->image[i];
        }
        if (newton_map(NULL, p, weight, tau, s->trial, s->trial_v) <=
            (1.0 - 0.02 * length) * merit) {
            return length;
        }
    }
    return 0.0;
}

// Holds impulses near where they are by so much of D, which gives it the rank that it lacks.
static void newton_add_proximal(newton_part *s, const pawl_problem *p, const double *weight,
                                double proximal)
{
    for (int i = 0; i < p->row_count; ++i) {
        s->soft[i] = p->compliance[i] + proximal * weight[i];
    }
}

// Path following: tau is the smoothing in units of the root mean square of v_f / sqrt(w), and falls when the
// equations at this tau are met to newton_centred of it. The iterate s->point may leave the cones; lambda is the
// best admissible point that was seen. `goal` [m/s] is of the natural map. Returns whether lambda meets it; false
// also where memory is out.
static bool newton_run(newton_part *s, const pawl_problem *p, const double *weight, double tau,
                       double goal, int most, double *lambda, int *iterations)
{
    int n = p->row_count;
    size_t bytes = (size_t)n * sizeof *lambda;
    double size = 0.0;
    for (int i = p->free_row_count; i < n; ++i) {
        size += weight[i] > 0.0 ? p->v_f[i] * p->v_f[i] / weight[i] : 0.0;
    }
    double unit = sqrt(size / (double)(n > 0 ? n : 1)), smooth = tau * unit;
    double best = newton_natural(s, p, weight, lambda);
    memcpy(s->point, lambda, bytes); // where the iteration is; lambda keeps the best
    memcpy(lambda, s->trial, bytes);
    double proximal = newton_proximal * tau;
    pawl_problem_velocity(p, s->point, s->v);
    double shrink = newton_shrink, aim = newton_beyond * goal;
    int steps = 0; // at this tau
    for (int k = 0; k < most && best > aim; ++k) {
        newton_add_proximal(s, p, weight, proximal);
        double merit = newton_map(s, p, weight, smooth, s->point, s->v);
        if (!newton_step(s, p)) {
            return false;
        }
        ++*iterations;
        p->delassus->ops->apply(p->delassus, s->step, s->image);
        for (int i = 0; i < n; ++i) {
            s->image[i] += p->compliance[i] * s->step[i];
        }
        double length = newton_search(s, p, weight, smooth, merit, s->point);
        // A step that must be shortened is too long in directions that D does not determine: the proximal weight is
        // increased, and reduced after a full step.
        proximal = length == 1.0  ? fmax(proximal * newton_proximal_shrink, 1e-10)
                   : length < 0.3 ? proximal * newton_proximal_grow
                                  : proximal;
        if (length == 0.0) {
            pawl_problem_show(p, lambda);
            if (proximal > 1e3) {
                break;
            }
            continue;
        }
        for (int i = 0; i < n; ++i) {
            s->point[i] += length * s->step[i];
        }
        pawl_problem_velocity(p, s->point, s->v);
        double natural = newton_natural(s, p, weight, s->point);
        pawl_problem_show(p, s->trial);
        if (natural < best) {
            best = natural;
            memcpy(lambda, s->trial, bytes);
        }
        double left = sqrt(newton_map(NULL, p, weight, smooth, s->point, s->v) / (double)n);
        ++steps;
        if (left < newton_centred * smooth) {
            // One full step was enough: the path is straight here, and tau may fall faster and faster.
            shrink =
                steps == 1 && length == 1.0 ? fmax(shrink * shrink, newton_fastest) : newton_shrink;
            steps = 0;
            smooth = fmax(shrink * smooth, 1e-14 * unit);
        }
    }
    return best <= goal;
}

typedef struct newton {
    pawl_solver base;
    nsgs_part sweeps;
    continuation_part path;
    newton_part part;
} newton;

static pawl_solver *newton_layout(const solver_def *def, pawl_carver *mem)
{
    newton *s = PAWL_CARVE(mem, newton, 1);
    nsgs_part sweeps = pawl_nsgs_layout(def, mem);
    continuation_part path = pawl_continuation_layout(def, mem);
    newton_part part = newton_part_layout(def, mem);
    if (s == NULL) {
        return NULL;
    }
    s->sweeps = sweeps;
    s->path = path;
    s->part = part;
    return &s->base;
}

static bool newton_sweeps(newton *s, const pawl_problem *p, solver_goal goal, int most,
                          double *lambda, solver_report *report)
{
    int left = goal.iterations - report->iterations;
    report->method = PAWL_METHOD_SWEEPS;
    return pawl_nsgs_run(&s->sweeps, p, newton_goal * goal.tolerance, most < left ? most : left,
                         lambda, &report->iterations);
}

// Every step of Newton's method is a factorization.
static bool newton_steps(newton *s, const pawl_problem *p, solver_goal goal, double tau, int most,
                         double *lambda, solver_report *report)
{
    int before = report->iterations, left = goal.iterations - before;
    report->method = PAWL_METHOD_NEWTON;
    bool converged = newton_run(&s->part, p, s->sweeps.weight, tau, newton_goal * goal.tolerance,
                                most < left ? most : left, lambda, &report->iterations);
    report->factorizations += report->iterations - before;
    return converged;
}

// Small problems along a path of regularized ones.
static bool newton_path(newton *s, const pawl_problem *p, solver_goal goal, double *lambda,
                        solver_report *report)
{
    int before = report->iterations, left = goal.iterations - before;
    bool converged =
        pawl_continuation_run(&s->path, p, s->sweeps.weight, newton_goal * goal.tolerance, left,
                              lambda, &report->iterations);
    report->factorizations += report->iterations - before;
    report->method = converged ? PAWL_METHOD_NEWTON : report->method;
    return converged;
}

// A few sweeps; the path where the problem is small; then Newton from several smoothings with sweeps in
// between.
static void newton_solve(pawl_solver *base, const pawl_problem *p, solver_goal goal, double *lambda,
                         solver_report *report)
{
    static const double smoothings[] = {3e-3, 3e-2, 1e-3, 0.3, 1e-2};
    enum { FIRST = 20, BETWEEN = 1000, STEPS = 100, SMOOTHINGS = 5 };
    newton *s = (newton *)base;
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT};
    pawl_problem_weights(p, s->sweeps.weight);
    bool converged =
        newton_sweeps(s, p, goal, FIRST, lambda, report) || newton_path(s, p, goal, lambda, report);
    for (int k = 0; !converged && report->iterations < goal.iterations; ++k) {
        converged = newton_steps(s, p, goal, smoothings[k % SMOOTHINGS], STEPS, lambda, report) ||
                    newton_sweeps(s, p, goal, BETWEEN, lambda, report);
    }
    report->outcome = converged ? PAWL_CONVERGED : PAWL_ITERATION_LIMIT;
}

const pawl_solver_ops pawl_newton_ops = {
    .name = "newton",
    .summary = "smoothing Newton method started by sweeps: high accuracy on hard problems",
    .contacts = true,
    .pivots_alone = true,
    .layout = newton_layout,
    .solve = newton_solve,
};
