// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The augmented Lagrangian. With De Saxce's term s = mu |v_T| frozen the problem is convex: impulses minimize a
// quadratic over the cones K. A proximal step from lambda0 with penalty rho = E / w has the dual
//   phi(w) = |w|^2 / 2 + sum |P_K(z)|^2 / (2 rho),   z = lambda0 - rho (Y w + v_f + s),
// convex and smooth, over the bodies' velocities: w = YT P_K(z) where its gradient vanishes. Newton's method with the
// matrix 1 + YT rho P' Y and an exact line search always converges to it; then lambda = P_K(z).
#include "solve/augmented.h"
#include "linalg/cone.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

enum { AUGMENTED_STEPS = 20, AUGMENTED_SEARCH = 30 };
static const double augmented_accuracy = 1e-9; // of the gradient, to what it was

augmented_part pawl_augmented_layout(const solver_def *def, pawl_carver *mem)
{
    return (augmented_part){.law = pawl_space_law_layout(def, mem),
                            .at = pawl_space_iterate_layout(def->max_rows, mem),
                            .offset = PAWL_CARVE(mem, double, def->max_rows),
                            .z = PAWL_CARVE(mem, double, def->max_rows),
                            .dz = PAWL_CARVE(mem, double, def->max_rows),
                            .image = PAWL_CARVE(mem, double, def->max_rows)};
}

// rho of row i, with compliance: lambda = P(z - rho R lambda) is P(z / (1 + rho R)) for a cone.
static double augmented_penalty(const space_problem *q, int i, double E, double *divide)
{
    double rho = q->weight[i] > 0.0 ? E / q->weight[i] : 0.0;
    *divide = 1.0 / (1.0 + rho * q->p->compliance[i]);
    return rho * *divide;
}

// P_K of row i or the contact that begins there, in place; S (9, or 1) gets its derivative where it is not NULL.
// The derivative on the cone's surface, with d = z_T / |z_T| and f = 1 / (1 + mu^2): f (mu d, 1)(mu d, 1)^T along
// the ray, and the ratio of the projected to the old |z_T| in the direction across it. Inside the cone it is 1, in
// the polar cone 0. With mu infinite the cone is all space above the plane: tangents pass, the normal is cut.
static void augmented_project(const pawl_problem *p, int i, double *z, double *S)
{
    int contacts = pawl_problem_contact_row(p, 0);
    if (i < contacts) {
        bool between = i < p->free_row_count || (z[0] > p->lower[i] && z[0] < p->upper[i]);
        if (S != NULL) {
            S[0] = between ? 1.0 : 0.0;
        }
        z[0] = i < p->free_row_count ? z[0] : clamp_to(z[0], p->lower[i], p->upper[i]);
        return;
    }
    double mu = p->friction[(i - contacts) / 3], t = sqrt(z[0] * z[0] + z[1] * z[1]), n = z[2];
    double before[2] = {z[0], z[1]};
    pawl_cone_project(z, mu);
    if (S == NULL) {
        return;
    }
    memset(S, 0, 9 * sizeof *S);
    if (n >= 0.0 && t <= mu * n) {
        S[0] = S[4] = S[8] = 1.0;
    } else if (mu * t > -n && isinf(mu)) {
        S[0] = S[4] = 1.0;
    } else if (mu * t > -n) { // on the cone: along its edge, and across it
        double f = 1.0 / (1.0 + mu * mu),
               d[2] = {t > 0.0 ? before[0] / t : 1.0, t > 0.0 ? before[1] / t : 0.0};
        double across = t > 0.0 ? mu * (mu * t + n) * f / t : 0.0;
        S[0] = mu * mu * f * d[0] * d[0] + across * d[1] * d[1];
        S[1] = S[3] = (mu * mu * f - across) * d[0] * d[1];
        S[4] = mu * mu * f * d[1] * d[1] + across * d[0] * d[0];
        S[2] = S[6] = mu * f * d[0];
        S[5] = S[7] = mu * f * d[1];
        S[8] = f;
    }
}

// P_K(z + length dz) over all rows, in s->at.lambda; with `laws` its derivative times rho.
// law.s (rows that are no contacts) and law.S (contacts x 9) are what space_law.h factors as 1 + YT S Y.
static void augmented_impulses(augmented_part *s, const space_problem *q, double E, double length,
                               bool laws)
{
    const pawl_problem *p = q->p;
    int contacts = pawl_problem_contact_row(p, 0);
    double *x = s->at.lambda, divide;
    for (int i = 0; i < contacts; ++i) {
        x[i] = s->z[i] + length * s->dz[i];
        augmented_project(p, i, x + i, laws ? s->law.s + i : NULL);
        if (laws) {
            s->law.s[i] *= augmented_penalty(q, i, E, &divide);
        }
    }
    for (int k = 0, i = contacts; k < p->contact_count; ++k, i += 3) {
        for (int r = 0; r < 3; ++r) {
            x[i + r] = s->z[i + r] + length * s->dz[i + r];
        }
        double *S = laws ? s->law.S + 9 * k : NULL;
        augmented_project(p, i, x + i, S);
        double rho = laws ? augmented_penalty(q, i, E, &divide) : 0.0;
        for (int r = 0; r < 9 && laws; ++r) {
            S[r] *= rho;
        }
    }
}

// d phi / d length along d, of which image = Y d; w . d and d . d are known.
// phi is convex, so its slope only rises along d; a root of it is the minimum of the line.
static double augmented_slope(augmented_part *s, const space_problem *q, double length, double wd,
                              double dd)
{
    augmented_impulses(s, q, 0.0, length, false);
    double sum = wd + length * dd;
    for (int i = 0; i < q->p->row_count; ++i) {
        sum -= s->image[i] * s->at.lambda[i];
    }
    return sum;
}

// Where the slope vanishes, by a bracket and regula falsi of Illinois.
// The bracket grows by doubling, at most eight times: a direction can be far too short where most contacts are open at
// its start and closed at its end. The halving of the value that stays (Illinois) keeps plain regula falsi from
// converging with one end fixed.
static double augmented_search(augmented_part *s, const space_problem *q, double wd, double dd)
{
    double low = 0.0, high = 1.0;
    double at_low = augmented_slope(s, q, low, wd, dd),
           at_high = augmented_slope(s, q, high, wd, dd);
    if (!(at_low < 0.0)) {
        return 1.0; // as far down as rounding lets it
    }
    for (int k = 0; k < 8 && at_high < 0.0; ++k) {
        low = high, at_low = at_high;
        high *= 2.0;
        at_high = augmented_slope(s, q, high, wd, dd);
    }
    double first = fabs(at_low), x = high;
    if (fabs(at_high) <= 0.1 * first) {
        return high;
    }
    for (int k = 0; k < AUGMENTED_SEARCH; ++k) {
        x = (low * at_high - high * at_low) / (at_high - at_low);
        double at = augmented_slope(s, q, x, wd, dd);
        if (fabs(at) <= 1e-2 * first) {
            break;
        }
        if (at < 0.0) {
            low = x, at_low = at, at_high *= 0.5;
        } else {
            high = x, at_high = at, at_low *= 0.5;
        }
    }
    return x;
}

// z of the velocities w.
static void augmented_place(augmented_part *s, const space_problem *q, double E,
                            const double *lambda0, const double *w)
{
    const pawl_problem *p = q->p;
    double divide;
    pawl_space_scatter(q->space, p, w, s->z);
    for (int i = 0; i < p->row_count; ++i) {
        double rho = augmented_penalty(q, i, E, &divide);
        s->z[i] = divide * lambda0[i] - rho * (s->z[i] + s->offset[i]);
    }
}

// One proximal step from x with penalty E, by at most AUGMENTED_STEPS of Newton's method. x gets the new impulses and
// what follows from them, even if not `solved`. De Saxce's term is frozen at the velocities that x has on entry: the
// caller repeats the step until that fixed point holds. Contacts without friction, or with infinite friction, have no
// such term (mu |v_T| is 0, since v_T is 0 for the latter).
bool pawl_augmented_step(augmented_part *s, const space_problem *q, double E, space_iterate *x,
                         solver_report *report)
{
    const pawl_problem *p = q->p;
    int n = pawl_space_size(q->space), contacts = pawl_problem_contact_row(p, 0);
    double *w = pawl_space_vector(q->space, 2), *d = pawl_space_vector(q->space, 3), divide;
    memcpy(s->offset, p->v_f, (size_t)p->row_count * sizeof *s->offset);
    for (int k = 0, i = contacts; k < p->contact_count; ++k, i += 3) {
        s->offset[i + 2] +=
            p->friction[k] > 0.0 && isfinite(p->friction[k])
                ? p->friction[k] * sqrt(x->v[i] * x->v[i] + x->v[i + 1] * x->v[i + 1])
                : 0.0;
    }
    pawl_space_gather(q->space, p, x->lambda, w);
    double first = 0.0, left = 0.0;
    bool solved = false;
    for (int k = 0; k < AUGMENTED_STEPS && !solved; ++k) {
        augmented_place(s, q, E, x->lambda, w);
        memset(s->dz, 0, (size_t)p->row_count * sizeof *s->dz);
        augmented_impulses(s, q, E, 0.0, true);
        pawl_space_gather(q->space, p, s->at.lambda, d);
        left = 0.0;
        for (int i = 0; i < n; ++i) { // minus the gradient
            d[i] -= w[i];
            left += d[i] * d[i];
        }
        first = k == 0 ? left : first;
        solved = left <= augmented_accuracy * augmented_accuracy * first || left < 1e-28;
        if (solved || !pawl_space_law_factor(q, &s->law, true)) {
            break;
        }
        ++report->iterations;
        ++report->factorizations;
        pawl_space_solve(q->space, d);
        double wd = 0.0, dd = 0.0;
        for (int i = 0; i < n; ++i) {
            wd += w[i] * d[i];
            dd += d[i] * d[i];
        }
        pawl_space_scatter(q->space, p, d, s->image);
        for (int i = 0; i < p->row_count; ++i) {
            s->dz[i] = -augmented_penalty(q, i, E, &divide) * s->image[i];
        }
        double length = augmented_search(s, q, wd, dd);
        pawl_problem_show(p, s->at.lambda);
        for (int i = 0; i < n; ++i) {
            w[i] += length * d[i];
        }
    }
    memcpy(x->lambda, s->at.lambda, (size_t)p->row_count * sizeof *x->lambda);
    pawl_space_evaluate(q, x);
    return solved;
}
