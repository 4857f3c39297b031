// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Interior point with the scaling of Nesterov and Todd and Mehrotra's predictor and corrector, for the cone problem
//   X in L, Y in L, X . Y = 0,   X = (mu lambda_N, lambda_T),  Y = (v_N + mu |v_T|, mu v_T),   v = D lambda + v_f,
// with L Lorentz's cone. Without mu |v_T| (De Saxce's term) it is convex; the full derivative of this term is part of
// the system. With a term frozen within a step the method would be a fixed-point iteration that cycles on heaps.
// However, the full system is not monotone, and its path may have turning points: if a step is too short, it is
// replaced by a step with the frozen term, which always makes progress. A few of these pass the turning point; many
// would cycle. With W the scaling, W X = W^-1 Y = l, a step solves W^2 dX + dY = W (l \ (sigma gap e - l o l - dX~ o
// dY~)), that is dlambda = b - S dv at every contact: one LU over the bodies a step (space_law.h). Bounded rows are
// half lines or intervals of the same method, free rows equations.
//
// Scaling and corrector: [nesterov-todd-1997], [mehrotra-1992].
#include "solve/interior_point.h"
#include "math/vec.h"
#include "solve/lorentz.h"
#include <math.h>
#include <string.h>

static const double interior_equation = 1e7; // E of free rows, as in curnier.c
static const double interior_most_friction = 1e4;
static const double interior_short = 0.02; // so many steps in a row that are shorter: it is stuck
static const double interior_turn = 0.2;   // shorter steps are made with De Saxce's term frozen
enum { INTERIOR_PATIENCE = 6 };
const interior_manner pawl_interior_quick = {1.0, 0.99, 1e-6, 8};

// X, Y and their changes are (contacts x 3) in the order of the cone: the normal first, unlike rows, where it is
// last. W is (contacts x 4): eta, w0 and the two entries of w1. low, high (rows) are distances to the bounds, *_v
// their multipliers.
interior_part pawl_interior_layout(const solver_def *def, pawl_carver *mem)
{
    size_t cones = 3 * (size_t)def->max_contacts, rows = (size_t)def->max_rows;
    return (interior_part){.law = pawl_space_law_layout(def, mem),
                           .at = pawl_space_iterate_layout(def->max_rows, mem),
                           .X = PAWL_CARVE(mem, double, cones),
                           .Y = PAWL_CARVE(mem, double, cones),
                           .dX = PAWL_CARVE(mem, double, cones),
                           .dY = PAWL_CARVE(mem, double, cones),
                           .scaled = PAWL_CARVE(mem, double, cones),
                           .W = PAWL_CARVE(mem, double, 4 * def->max_contacts),
                           .low = PAWL_CARVE(mem, double, rows),
                           .low_v = PAWL_CARVE(mem, double, rows),
                           .high = PAWL_CARVE(mem, double, rows),
                           .high_v = PAWL_CARVE(mem, double, rows),
                           .dlow_v = PAWL_CARVE(mem, double, rows),
                           .dhigh_v = PAWL_CARVE(mem, double, rows),
                           .dx = PAWL_CARVE(mem, double, rows)};
}

// Infinite friction has no cone of this form, so that it is capped.
double pawl_interior_friction(const pawl_problem *p, int k)
{
    return fmin(p->friction[k], interior_most_friction);
}

// ---- the laws --------------------------------------------------------------------------------------

// G^-1 of a contact in the order of its rows (tangents, normal): mu B^-1 W^-2 B^-1, B = diag(1, 1, mu).
// W^-2 is eta^-2 (2 w w^T - J) with w = (w0, -w1) and J = diag(1, -1, -1).
void pawl_interior_inverse(const double *W, double mu, double G[9])
{
    const double w[3] = {W[1], -W[2], -W[3]}, scale[3] = {1.0, 1.0, 1.0 / mu};
    static const int order[3] = {1, 2, 0}; // of a row in the cone
    double f = mu / (W[0] * W[0]);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            int i = order[r], j = order[c];
            double own = i != j ? 0.0 : i == 0 ? -1.0 : 1.0;
            G[3 * r + c] = f * scale[r] * scale[c] * (2.0 * w[i] * w[j] + own);
        }
    }
}

// What a contact's cone asks for: right (cone) = W (l \ (sigma gap e - l o l - dX~ o dY~)), or -Y for the predictor.
static void interior_right(const interior_part *s, int k, double sigma_gap, bool corrects,
                           double right[3])
{
    const double *Y = s->Y + 3 * k, *W = s->W + 4 * k, *l = s->scaled + 3 * k;
    if (!corrects) {
        right[0] = -Y[0], right[1] = -Y[1], right[2] = -Y[2];
        return;
    }
    double x[3], y[3], d[3], own[3], v[3];
    cone_apply(W, false, s->dX + 3 * k, x);
    cone_apply(W, true, s->dY + 3 * k, y);
    cone_product(x, y, d);
    cone_product(l, l, own);
    for (int i = 0; i < 3; ++i) {
        d[i] = (i == 0 ? sigma_gap : 0.0) - own[i] - d[i];
    }
    cone_divide(l, d, v);
    cone_apply(W, false, v, right);
}

// mu |v_T| of contact k, and its derivative mu t, which is 0 where the term is frozen.
static double interior_slip(const interior_part *s, double mu, const double *v, double slope[2])
{
    double speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    double scale = speed > 0.0 && !s->frozen ? mu / speed : 0.0;
    slope[0] = scale * v[0];
    slope[1] = scale * v[1];
    return mu * speed;
}

// dlambda = b - S dv of contact k. S is G^-1 (1 + n mu t^T) with t the direction of slip: the derivative of De
// Saxce's term makes it unsymmetric, so the system over the bodies is solved by LU.
static void interior_law_cone(interior_part *s, const space_problem *q, int k, double sigma_gap,
                              bool corrects)
{
    int i = pawl_problem_contact_row(q->p, k);
    double mu = pawl_interior_friction(q->p, k), *S = s->law.S + 9 * k, *b = s->law.b + i;
    const double *v = s->at.v + i, *Y = s->Y + 3 * k;
    double right[3], G[9], t[2], slip = interior_slip(s, mu, v, t);
    interior_right(s, k, sigma_gap, corrects, right);
    pawl_interior_inverse(s->W + 4 * k, mu, G);
    // velocities that the cone variable lacks: v + mu |v_T| n - B'^-1 Y
    double c[3] = {(right[1] + Y[1]) / mu - v[0], (right[2] + Y[2]) / mu - v[1],
                   right[0] + Y[0] - v[2] - slip};
    for (int r = 0; r < 3; ++r) {
        double n = G[3 * r + 2];
        b[r] = G[3 * r] * c[0] + G[3 * r + 1] * c[1] + n * c[2];
        S[3 * r] = G[3 * r] + n * t[0];
        S[3 * r + 1] = G[3 * r + 1] + n * t[1];
        S[3 * r + 2] = n;
    }
}

// A contact without friction: the half line of its normal.
static void interior_law_normal(interior_part *s, const space_problem *q, int k, double sigma_gap,
                                bool corrects)
{
    int i = pawl_problem_contact_row(q->p, k);
    double *S = s->law.S + 9 * k, *b = s->law.b + i, x = s->X[3 * k], y = s->Y[3 * k];
    double cross = corrects ? s->dX[3 * k] * s->dY[3 * k] : 0.0;
    double right = (corrects ? sigma_gap : 0.0) / x - cross / x;
    memset(S, 0, 9 * sizeof *S);
    S[8] = x / y;
    b[0] = -s->at.lambda[i];
    b[1] = -s->at.lambda[i + 1];
    b[2] = (right - s->at.v[i + 2]) * x / y;
}

// Free rows, rows that nothing moves and rows with equal bounds come first; the latter two get no change. For the
// others, g is the sum of multiplier over distance of both bounds.
static void interior_law_row(interior_part *s, const space_problem *q, int i, double sigma_gap,
                             bool corrects)
{
    const pawl_problem *p = q->p;
    double v = s->at.v[i], w = q->weight[i];
    if (i < p->free_row_count || !(w > 0.0) || !(p->lower[i] < p->upper[i])) {
        bool moves = w > 0.0 && i < p->free_row_count;
        s->law.s[i] = moves ? interior_equation / w : 0.0;
        s->law.b[i] = moves ? -v * interior_equation / w : 0.0;
        return;
    }
    double g = 0.0, right = 0.0, rest = v;
    double target = corrects ? sigma_gap : 0.0;
    if (isfinite(p->lower[i])) {
        double cross = corrects ? s->dx[i] * s->dlow_v[i] : 0.0;
        g += s->low_v[i] / s->low[i];
        right += (target - cross) / s->low[i];
    }
    if (isfinite(p->upper[i])) {
        double cross = corrects ? -s->dx[i] * s->dhigh_v[i] : 0.0;
        g += s->high_v[i] / s->high[i];
        right -= (target - cross) / s->high[i];
    }
    s->law.s[i] = 1.0 / g;
    s->law.b[i] = (right - rest) / g;
}

// All laws of one step. The predictor has corrects = false and aims at a gap of 0; the corrector aims at sigma times
// the gap and subtracts the product of the predictor's changes.
static void interior_laws(interior_part *s, const space_problem *q, double sigma_gap, bool corrects)
{
    const pawl_problem *p = q->p;
    for (int i = 0; i < pawl_problem_contact_row(p, 0); ++i) {
        interior_law_row(s, q, i, sigma_gap, corrects);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        if (p->friction[k] > 0.0) {
            interior_law_cone(s, q, k, sigma_gap, corrects);
        } else {
            interior_law_normal(s, q, k, sigma_gap, corrects);
        }
    }
    pawl_space_law_soften(p, &s->law);
}

// ---- steps -----------------------------------------------------------------------------------------

// Changes of the cone variables from those of impulses, and how far both may go, at most 1 over the cut.
// The corrector reads the predictor's dX, dY, dx before it writes its own: they are the second-order term of Mehrotra.
static double interior_changes(interior_part *s, const space_problem *q, double sigma_gap,
                               bool corrects)
{
    const pawl_problem *p = q->p;
    int contacts = pawl_problem_contact_row(p, 0);
    double most = 1.0 / s->manner.cut;
    for (int i = p->free_row_count; i < contacts; ++i) {
        double dx = s->law.lambda[i], target = corrects ? sigma_gap : 0.0;
        if (!(q->weight[i] > 0.0) || !(p->lower[i] < p->upper[i])) {
            continue;
        }
        if (isfinite(p->lower[i])) {
            double cross = corrects ? s->dx[i] * s->dlow_v[i] : 0.0;
            s->dlow_v[i] = (target - cross - s->low_v[i] * dx) / s->low[i] - s->low_v[i];
            most = dx < 0.0 ? fmin(most, -s->low[i] / dx) : most;
            most = s->dlow_v[i] < 0.0 ? fmin(most, -s->low_v[i] / s->dlow_v[i]) : most;
        }
        if (isfinite(p->upper[i])) {
            double cross = corrects ? -s->dx[i] * s->dhigh_v[i] : 0.0;
            s->dhigh_v[i] = (target - cross + s->high_v[i] * dx) / s->high[i] - s->high_v[i];
            most = dx > 0.0 ? fmin(most, s->high[i] / dx) : most;
            most = s->dhigh_v[i] < 0.0 ? fmin(most, -s->high_v[i] / s->dhigh_v[i]) : most;
        }
        s->dx[i] = dx;
    }
    for (int k = 0; k < p->contact_count; ++k) {
        const double *x = s->law.lambda + contacts + 3 * k;
        double *dX = s->dX + 3 * k, *dY = s->dY + 3 * k;
        double mu = pawl_interior_friction(p, k);
        if (!(mu > 0.0)) {
            double X = s->X[3 * k], Y = s->Y[3 * k];
            double cross = corrects ? dX[0] * dY[0] : 0.0;
            dX[0] = x[2];
            dY[0] = ((corrects ? sigma_gap : 0.0) - cross - Y * dX[0]) / X - Y;
            most = dX[0] < 0.0 ? fmin(most, -X / dX[0]) : most;
            most = dY[0] < 0.0 ? fmin(most, -Y / dY[0]) : most;
            continue;
        }
        // dY from the velocities, not as right - W^2 dX, which cancels where W is large
        const double *v = s->at.v + contacts + 3 * k, *dv = s->law.v + contacts + 3 * k;
        double t[2], slip = interior_slip(s, mu, v, t);
        dX[0] = mu * x[2], dX[1] = x[0], dX[2] = x[1];
        dY[0] = v[2] + slip + dv[2] + t[0] * dv[0] + t[1] * dv[1] - s->Y[3 * k];
        dY[1] = mu * (v[0] + dv[0]) - s->Y[3 * k + 1];
        dY[2] = mu * (v[1] + dv[1]) - s->Y[3 * k + 2];
        most = cone_step(s->X + 3 * k, dX, most);
        most = cone_step(s->Y + 3 * k, dY, most);
    }
    return most;
}

// Mean of X . Y over cones and bounds [J]: the complementarity that is left.
static double interior_gap(const interior_part *s, const pawl_problem *p, const double *weight)
{
    double sum = 0.0;
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = p->free_row_count; i < contacts; ++i) {
        if (weight[i] > 0.0 && p->lower[i] < p->upper[i]) {
            sum += isfinite(p->lower[i]) ? s->low[i] * s->low_v[i] : 0.0;
            sum += isfinite(p->upper[i]) ? s->high[i] * s->high_v[i] : 0.0;
        }
    }
    for (int k = 0; k < p->contact_count; ++k) {
        sum +=
            p->friction[k] > 0.0 ? cone_dot(s->X + 3 * k, s->Y + 3 * k) : s->X[3 * k] * s->Y[3 * k];
    }
    return s->cones > 0 ? sum / s->cones : 0.0;
}

// lambda of the cone variables.
void pawl_interior_impulses(interior_part *s, const pawl_problem *p)
{
    for (int k = 0; k < p->contact_count; ++k) {
        double *x = s->at.lambda + pawl_problem_contact_row(p, k),
               mu = pawl_interior_friction(p, k);
        const double *X = s->X + 3 * k;
        if (mu > 0.0) {
            x[0] = X[1], x[1] = X[2], x[2] = X[0] / mu;
        } else {
            x[2] = X[0];
        }
    }
}

static void interior_move(interior_part *s, const space_problem *q, double length)
{
    const pawl_problem *p = q->p;
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = 0; i < contacts; ++i) {
        s->at.lambda[i] += length * s->law.lambda[i];
        if (i >= p->free_row_count) {
            s->low[i] += length * s->law.lambda[i];
            s->high[i] -= length * s->law.lambda[i];
            s->low_v[i] += length * s->dlow_v[i];
            s->high_v[i] += length * s->dhigh_v[i];
        }
    }
    for (int i = 0; i < 3 * p->contact_count; ++i) {
        s->X[i] += length * s->dX[i];
        s->Y[i] += length * s->dY[i];
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = contacts + 3 * k;
        s->at.lambda[i] += p->friction[k] > 0.0 ? 0.0 : length * s->law.lambda[i];
        s->at.lambda[i + 1] += p->friction[k] > 0.0 ? 0.0 : length * s->law.lambda[i + 1];
    }
    pawl_interior_impulses(s, p);
    pawl_space_evaluate(q, &s->at);
    s->gap = interior_gap(s, p, q->weight);
}

// A cold start well inside of all cones: v_f gives the unit of velocity, the weights that of impulses. Warm starts
// are on the boundary, from which an interior point can hardly move.
void pawl_interior_begin(interior_part *s, const space_problem *q, const interior_manner *manner)
{
    s->manner = *manner;
    const pawl_problem *p = q->p;
    int contacts = pawl_problem_contact_row(p, 0);
    double sum = 0.0;
    for (int i = 0; i < p->row_count; ++i) {
        sum += p->v_f[i] * p->v_f[i];
    }
    double unit = manner->start * fmax(sqrt(sum / (p->row_count > 0 ? p->row_count : 1)), 1e-9);
    memset(s->at.lambda, 0, (size_t)p->row_count * sizeof *s->at.lambda);
    s->cones = p->contact_count;
    for (int i = p->free_row_count; i < contacts; ++i) {
        double lower = p->lower[i], upper = p->upper[i], w = q->weight[i];
        double size = w > 0.0 ? unit / w : 1.0;
        double x = isfinite(lower) && isfinite(upper) ? 0.5 * (lower + upper)
                   : isfinite(lower)                  ? lower + size
                                                      : upper - size;
        s->at.lambda[i] = x;
        s->low[i] = isfinite(lower) ? x - lower : 1.0;
        s->high[i] = isfinite(upper) ? upper - x : 1.0;
        s->low_v[i] = s->high_v[i] = unit;
        s->dlow_v[i] = s->dhigh_v[i] = s->dx[i] = 0.0;
        s->cones += isfinite(lower) + isfinite(upper);
    }
    memset(s->dX, 0, 3 * (size_t)p->contact_count * sizeof *s->dX);
    memset(s->dY, 0, 3 * (size_t)p->contact_count * sizeof *s->dY);
    for (int k = 0; k < p->contact_count; ++k) {
        double mu = pawl_interior_friction(p, k), w = q->weight[contacts + 3 * k];
        double *X = s->X + 3 * k, *Y = s->Y + 3 * k;
        X[0] = (mu > 0.0 ? mu : 1.0) * unit / w;
        Y[0] = unit;
        X[1] = X[2] = Y[1] = Y[2] = 0.0;
    }
    pawl_interior_impulses(s, p);
    pawl_space_evaluate(q, &s->at);
    s->gap = interior_gap(s, p, q->weight);
    s->frozen_steps = 0;
    s->stalled = 0;
}

// The direction of a step in s->law, dX and dY, with De Saxce's term frozen or not. Returns how far it goes, at most 1,
// and 0 where the factor breaks down. Predictor, then corrector with the same factor. sigma = (1 - length)^3 is
// Mehrotra's rule: the further the predictor could go, the less centring is needed.
static double interior_direction(interior_part *s, const space_problem *q, bool frozen)
{
    s->frozen = frozen;
    interior_laws(s, q, 0.0, false);
    if (!pawl_space_law_factor(q, &s->law, frozen)) {
        return 0.0;
    }
    pawl_space_law_solve(q, &s->law);
    double length = fmin(s->manner.cut * interior_changes(s, q, 0.0, false), 1.0);
    double sigma = fmax((1.0 - length) * (1.0 - length) * (1.0 - length), s->manner.centring);
    interior_laws(s, q, sigma * s->gap, true);
    pawl_space_law_solve(q, &s->law);
    return fmin(s->manner.cut * interior_changes(s, q, sigma * s->gap, true), 1.0);
}

// One step; false when it breaks down.
static bool interior_step(interior_part *s, const space_problem *q)
{
    const pawl_problem *p = q->p;
    for (int k = 0; k < p->contact_count; ++k) {
        if (p->friction[k] > 0.0) {
            cone_scale(s->X + 3 * k, s->Y + 3 * k, s->W + 4 * k, s->scaled + 3 * k);
        }
    }
    double length = interior_direction(s, q, false);
    if (length < interior_turn && s->frozen_steps < s->manner.frozen) {
        ++s->frozen_steps;
        length = interior_direction(s, q, true);
    }
    if (!(length > 1e-8)) {
        return false;
    }
    interior_move(s, q, length);
    s->stalled = length < interior_short ? s->stalled + 1 : 0;
    return isfinite(s->at.merit) && s->stalled < INTERIOR_PATIENCE;
}

// Until the natural map is at most `target` [m/s]; x gets every iterate that is better than itself. False where
// the method broke down, is stuck, or ran out of steps.
bool pawl_interior_run(interior_part *s, const space_problem *q, double target, int most,
                       space_iterate *x, solver_report *report)
{
    for (int k = 0; k < most && s->at.natural > target; ++k) {
        ++report->iterations;
        ++report->factorizations;
        bool goes = interior_step(s, q);
        pawl_problem_show(q->p, s->at.lambda);
        if (!goes) {
            return false;
        }
        if (s->at.natural < x->natural) {
            pawl_space_iterate_copy(q, &s->at, x);
        }
    }
    return s->at.natural <= target;
}
