// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Newton's method for Alart and Curnier's map [alart-curnier-1991]. With z = lambda - v / w (w the weight of a contact) each contact has a
// mode, and its linearized law is dlambda = b - S dv:
//   open   z_N <= 0              lambda+ = 0
//   stick  |z_T| <= mu z_N       v+ + eps dlambda = 0
//   slip   t = z_T / |z_T|       v_N+ + eps dlambda_N = 0,   lambda_T+ . t = mu lambda_N+,
//                                across t, with beta = mu z_N / |z_T|:  lambda+ = beta (dlambda - dv / w)
// A step solves 1 + YT S Y over the bodies' velocities: Cholesky if no contact slips, otherwise LU on the same
// pattern. eps = w / E gives dependent rows (four corners of a face) full rank; it is a proximal term, which does not
// change the solution.
//
// Near the solution of the last step the modes are right and one step is enough. Elsewhere a step must reduce the
// residual: the full step, or its part up to the first contact that changes its mode (a ratio test), or a step with a
// smaller E, which is shorter in directions that D does not determine. After several steps with little progress the
// method stops: other methods are better far from the solution.
#include "solve/curnier.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

static const double curnier_most = 1e7, curnier_least = 10.0; // E
static const double curnier_change = 100.0;                   // of E from step to step
static const double curnier_good = 0.5; // a step that leaves more of the residual is a weak one
enum { CURNIER_PATIENCE = 4 };

typedef enum curnier_mode { CURNIER_OPEN, CURNIER_STICK, CURNIER_SLIP } curnier_mode;

curnier_part pawl_curnier_layout(const solver_def *def, pawl_carver *mem)
{
    return (curnier_part){.law = pawl_space_law_layout(def, mem),
                          .at = pawl_space_iterate_layout(def->max_rows, mem),
                          .trial = pawl_space_iterate_layout(def->max_rows, mem)};
}

// A contact without friction that is closed counts as slipping, since its tangents are not held.
static curnier_mode curnier_mode_of(const double z[3], double mu)
{
    double most = mu * z[2];
    return !(z[2] > 0.0)                                          ? CURNIER_OPEN
           : mu > 0.0 && z[0] * z[0] + z[1] * z[1] <= most * most ? CURNIER_STICK
                                                                  : CURNIER_SLIP;
}

// The law of a contact that slips along t.
static void curnier_slip(const double x[3], const double v[3], const double z[3], double mu,
                         double weight, double E, double S[9], double b[3])
{
    double size = sqrt(z[0] * z[0] + z[1] * z[1]);
    double t[2] = {size > 0.0 ? z[0] / size : 1.0, size > 0.0 ? z[1] / size : 0.0};
    double beta = size > 0.0 ? mu * z[2] / size : 0.0;
    double stiff = E / weight, left = 1.0 / (1.0 - beta + 1.0 / E);
    double along = x[0] * t[0] + x[1] * t[1], across = x[1] * t[0] - x[0] * t[1];
    double soft = beta * left / weight;
    // rows: tangents, then the normal
    S[0] = soft * t[1] * t[1];
    S[1] = S[3] = -soft * t[0] * t[1];
    S[4] = soft * t[0] * t[0];
    S[2] = mu * stiff * t[0];
    S[5] = mu * stiff * t[1];
    S[6] = S[7] = 0.0;
    S[8] = stiff;
    b[2] = -v[2] * stiff;
    double move = mu * (x[2] + b[2]) - along, aside = -across * left;
    b[0] = move * t[0] - aside * t[1];
    b[1] = move * t[1] + aside * t[0];
}

// Linearizes contact k; true where it slips, so that S is not symmetric.
static bool curnier_contact(curnier_part *c, const space_problem *q, int k, double E)
{
    const pawl_problem *p = q->p;
    int i = pawl_problem_contact_row(p, k);
    const double *x = c->at.lambda + i, *v = c->at.v + i;
    double *S = c->law.S + 9 * k, *b = c->law.b + i, w = q->weight[i], mu = p->friction[k];
    double z[3] = {x[0] - v[0] / w, x[1] - v[1] / w, x[2] - v[2] / w};
    curnier_mode mode = curnier_mode_of(z, mu);
    memset(S, 0, 9 * sizeof *S);
    if (mode == CURNIER_OPEN) {
        b[0] = -x[0], b[1] = -x[1], b[2] = -x[2];
        return false;
    }
    if (mode == CURNIER_STICK) {
        double stiff = E / w;
        S[0] = S[4] = S[8] = stiff;
        b[0] = -v[0] * stiff, b[1] = -v[1] * stiff, b[2] = -v[2] * stiff;
    } else {
        curnier_slip(x, v, z, mu, w, E, S, b);
    }
    return mode == CURNIER_SLIP && mu > 0.0;
}

// Row i, free or between bounds.
static void curnier_row(curnier_part *c, const space_problem *q, int i, double E)
{
    const pawl_problem *p = q->p;
    double x = c->at.lambda[i], v = c->at.v[i], w = q->weight[i];
    double target = NAN;
    if (i >= p->free_row_count) {
        double z = w > 0.0 ? x - v / w : v > 0.0 ? -INFINITY : v < 0.0 ? INFINITY : x;
        target = z <= p->lower[i] ? p->lower[i] : z >= p->upper[i] ? p->upper[i] : NAN;
    }
    if (!isnan(target) || !(w > 0.0)) {
        c->law.s[i] = 0.0;
        c->law.b[i] = isfinite(target) ? target - x : 0.0;
        return;
    }
    c->law.s[i] = E / w;
    c->law.b[i] = -v * E / w;
}

// The step from c->at, with a new factor or the last one. False where the factor breaks down.
// S is symmetric unless a contact with friction slips, and Cholesky is half the work of LU.
static bool curnier_step(curnier_part *c, const space_problem *q, double E, bool anew)
{
    const pawl_problem *p = q->p;
    bool slips = false;
    for (int i = 0; i < pawl_problem_contact_row(p, 0); ++i) {
        curnier_row(c, q, i, E);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        slips = curnier_contact(c, q, k, E) || slips;
    }
    pawl_space_law_soften(p, &c->law);
    if (anew && !pawl_space_law_factor(q, &c->law, !slips)) {
        return false;
    }
    pawl_space_law_solve(q, &c->law);
    return true;
}

// The trial is made admissible before it is judged: its residual is that of an answer.
static void curnier_try(curnier_part *c, const space_problem *q, double length)
{
    for (int i = 0; i < q->p->row_count; ++i) {
        c->trial.lambda[i] = c->at.lambda[i] + length * c->law.lambda[i];
    }
    pawl_space_admit(q->p, c->trial.lambda);
    pawl_space_evaluate(q, &c->trial);
}

// The least positive root of a x^2 + 2 b x + c below `most`, else `most`.
static double curnier_root(double a, double b, double c, double most)
{
    double d = b * b - a * c;
    if (!(d >= 0.0)) {
        return most;
    }
    double h = -(b + copysign(sqrt(d), b));
    double roots[2] = {a != 0.0 ? h / a : -1.0, h != 0.0 ? c / h : -1.0};
    for (int i = 0; i < 2; ++i) {
        most = roots[i] > 0.0 && roots[i] < most ? roots[i] : most;
    }
    return most;
}

double pawl_curnier_ratio(const space_problem *q, const space_iterate *x, const double *dlambda,
                          const double *dv, double most)
{
    const pawl_problem *p = q->p;
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = p->free_row_count; i < contacts; ++i) {
        double w = q->weight[i];
        double z = x->lambda[i] - x->v[i] / w, dz = dlambda[i] - dv[i] / w;
        const double bound[2] = {p->lower[i], p->upper[i]};
        for (int side = 0; side < 2 && w > 0.0; ++side) {
            double at = (bound[side] - z) / dz;
            most = at > 1e-12 && at < most ? at : most;
        }
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = contacts + 3 * k;
        double w = q->weight[i], mu = p->friction[k], z[3], dz[3];
        for (int r = 0; r < 3; ++r) {
            z[r] = x->lambda[i + r] - x->v[i + r] / w;
            dz[r] = dlambda[i + r] - dv[i + r] / w;
        }
        double open = -z[2] / dz[2];
        most = open > 1e-12 && open < most ? open : most;
        if (z[2] > 0.0 && mu > 0.0 && isfinite(mu)) {
            most = curnier_root(dz[0] * dz[0] + dz[1] * dz[1] - mu * mu * dz[2] * dz[2],
                                z[0] * dz[0] + z[1] * dz[1] - mu * mu * z[2] * dz[2],
                                z[0] * z[0] + z[1] * z[1] - mu * mu * z[2] * z[2], most);
        }
    }
    return most;
}

// One more step with the factor of the last one, whose modes are still right: it removes the error of the proximal
// term and of rounding for the cost of a solve. The next step at rest then starts from a solution.
static void curnier_polish(curnier_part *c, const space_problem *q, double E, space_iterate *x)
{
    (void)curnier_step(c, q, E, false);
    curnier_try(c, q, 1.0);
    if (c->trial.natural < x->natural) {
        pawl_space_iterate_copy(q, &c->trial, x);
    }
}

// x is the start and gets the best iterate; `most` is the number of steps. E falls by curnier_change after a step that
// does not lower the merit to curnier_good of it, and rises again after one that does: where the ratio test cuts a step
// to next to nothing, the next one is made with a term that moves less. Returns whether x is what one is content with.
bool pawl_curnier_run(curnier_part *c, const space_problem *q, curnier_aim aim, int most,
                      space_iterate *x, solver_report *report)
{
    double E = curnier_most, used = E;
    int weak = 0;
    pawl_space_iterate_copy(q, x, &c->at);
    bool content = false;
    for (int k = 0; k < most && x->natural > aim.strive && weak < CURNIER_PATIENCE && !content;
         ++k) {
        bool solved = curnier_step(c, q, E, true);
        ++report->iterations;
        ++report->factorizations;
        double left = INFINITY;
        if (solved) {
            curnier_try(c, q, 1.0);
            left = c->trial.merit / c->at.merit;
            if (!(left < 1.0)) {
                double ratio = pawl_curnier_ratio(q, &c->at, c->law.lambda, c->law.v, 1.0);
                curnier_try(c, q, (1.0 + 1e-9) * ratio);
                left = c->trial.merit / c->at.merit;
            }
        }
        weak += !(left < curnier_good);
        if (!(left < 1.0)) {
            pawl_problem_show(q->p, c->at.lambda);
            if (E <= curnier_least || x->natural <= aim.content) {
                break;
            }
            E = fmax(E / curnier_change, curnier_least);
            continue;
        }
        used = E;
        E = left < curnier_good ? fmin(E * curnier_change, curnier_most)
                                : fmax(E / curnier_change, curnier_least);
        space_iterate kept = c->at;
        c->at = c->trial;
        c->trial = kept;
        if (c->at.natural < x->natural) {
            pawl_space_iterate_copy(q, &c->at, x);
        }
        if (x->natural <= aim.content && x->natural == c->at.natural) {
            curnier_polish(c, q, used, x);
            content = true;
        }
        pawl_problem_show(q->p, content ? x->lambda : c->at.lambda);
    }
    return x->natural <= aim.content;
}
