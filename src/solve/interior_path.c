// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The interior point's system is not monotone: De Saxce's term makes the path of
//   X o Y = t gap e,   Y = (v_N + mu |v_T|, mu v_T) + t rho,   t from 1 to 0
// have turning points, where t must increase before it decreases again. Newton-like steps that always reduce t end
// there with vanishing step lengths. The path itself continues and is followed by arc length: with
//   z0  the Newton step at this t,  z1 = dz/dt,
// both from one factor, the next point is
//   z + z0 + (dt_c + dt) z1,   t + dt_c + dt,
// dt_c such that the correction is orthogonal to the path, and dt with the sign that continues in the direction of
// the last tangent, even if t increases. gap (of each contact) and rho are chosen such that the start is on the path.
// Lengths are measured in the scaling of each cone, in which the distance to the boundary is 1.
//
// Paths of this kind reach a solution from almost every start as long as they stay bounded [chow-mallet-paret-yorke-1978].
#include "solve/interior_path.h"
#include "solve/lorentz.h"
#include <math.h>
#include <string.h>

static const double path_equation = 1e7; // E of free rows, as in curnier.c
static const double path_first_reach = 0.5, path_most_reach = 0.9, path_least_reach = 1e-3;
static const double path_longer = 1.5, path_shorter = 0.5; // of the reach, from step to step
static const double path_centred = 0.1; // least eigenvalue of X o Y, of what the path has there
static const double path_end = 1e-16;   // t
static const double path_away = 100.0;  // t of a path that leads away

path_part pawl_path_layout(const solver_def *def, pawl_carver *mem)
{
    size_t cones = 3 * (size_t)def->max_contacts, rows = (size_t)def->max_rows;
    return (path_part){.rho = PAWL_CARVE(mem, double, cones),
                       .rho_row = PAWL_CARVE(mem, double, rows),
                       .gap = PAWL_CARVE(mem, double, def->max_contacts),
                       .tX = PAWL_CARVE(mem, double, cones),
                       .tY = PAWL_CARVE(mem, double, cones),
                       .t_lambda = PAWL_CARVE(mem, double, rows),
                       .lastX = PAWL_CARVE(mem, double, cones),
                       .lastY = PAWL_CARVE(mem, double, cones),
                       .tryX = PAWL_CARVE(mem, double, cones),
                       .tryY = PAWL_CARVE(mem, double, cones)};
}

bool pawl_path_exists(const pawl_problem *p)
{
    return p->contact_count > 0 && pawl_problem_contact_row(p, 0) == p->free_row_count;
}

// Y of velocities v, and the slope of its first entry along them.
static void path_image(const double *v, double mu, double Y[3], double slope[2])
{
    double speed = sqrt(v[0] * v[0] + v[1] * v[1]), scale = speed > 0.0 ? mu / speed : 0.0;
    slope[0] = scale * v[0];
    slope[1] = scale * v[1];
    Y[0] = v[2] + mu * speed;
    Y[1] = mu * v[0];
    Y[2] = mu * v[1];
}

void pawl_path_begin(path_part *s, interior_part *at, const space_problem *q)
{
    const pawl_problem *p = q->p;
    for (int k = 0; k < p->contact_count; ++k) {
        double Y[3], slope[2];
        path_image(at->at.v + pawl_problem_contact_row(p, k), pawl_interior_friction(p, k), Y,
                   slope);
        for (int i = 0; i < 3; ++i) {
            s->rho[3 * k + i] = at->Y[3 * k + i] - Y[i];
        }
        s->gap[k] = cone_dot(at->X + 3 * k, at->Y + 3 * k);
    }
    memcpy(s->rho_row, at->at.v, (size_t)p->free_row_count * sizeof *s->rho_row);
    s->t = 1.0;
    s->reach = path_first_reach;
    s->moved = false;
}

// ---- one step ----------------------------------------------------------------------------------------

// dlambda = b - S dv of all rows: what lacks is change t-wise r - rho, and `own` times the velocities there are. With
// (t, 1) this is the Newton step, with (1, 0) the derivative by t.
static void path_laws(const path_part *s, interior_part *at, const space_problem *q, double by_t,
                      double own)
{
    const pawl_problem *p = q->p;
    for (int i = 0; i < p->free_row_count; ++i) {
        double stiff = q->weight[i] > 0.0 ? path_equation / q->weight[i] : 0.0;
        at->law.s[i] = stiff;
        at->law.b[i] = stiff * (by_t * s->rho_row[i] - own * at->at.v[i]);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        double *S = at->law.S + 9 * k, *b = at->law.b + i, mu = pawl_interior_friction(p, k);
        const double *rho = s->rho + 3 * k;
        if (!(mu > 0.0)) {
            double x = at->X[3 * k], y = at->Y[3 * k];
            memset(S, 0, 9 * sizeof *S);
            S[8] = x / y;
            b[0] = b[1] = 0.0;
            b[2] = (by_t * (s->gap[k] / x - rho[0]) - own * at->at.v[i + 2]) * x / y;
            continue;
        }
        double image[3], t[2], unit[3] = {s->gap[k], 0.0, 0.0}, y[3], r[3], G[9];
        path_image(at->at.v + i, mu, image, t);
        cone_divide(at->scaled + 3 * k, unit, y);
        cone_apply(at->W + 4 * k, false, y, r);
        pawl_interior_inverse(at->W + 4 * k, mu, G);
        double c[3] = {(by_t * (r[1] - rho[1]) - own * image[1]) / mu,
                       (by_t * (r[2] - rho[2]) - own * image[2]) / mu,
                       by_t * (r[0] - rho[0]) - own * image[0]};
        for (int row = 0; row < 3; ++row) {
            double n = G[3 * row + 2];
            b[row] = G[3 * row] * c[0] + G[3 * row + 1] * c[1] + n * c[2];
            S[3 * row] = G[3 * row] + n * t[0];
            S[3 * row + 1] = G[3 * row + 1] + n * t[1];
            S[3 * row + 2] = n;
        }
    }
    pawl_space_law_soften(p, &at->law);
}

// Changes of the cone variables for those of impulses and velocities that were solved for.
static void path_changes(const path_part *s, const interior_part *at, const pawl_problem *p,
                         double by_t, double own, double *dX, double *dY)
{
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        const double *x = at->law.lambda + i, *dv = at->law.v + i, *Y = at->Y + 3 * k;
        double mu = pawl_interior_friction(p, k), image[3], t[2];
        const double *rho = s->rho + 3 * k;
        path_image(at->at.v + i, mu, image, t);
        dX[3 * k] = (mu > 0.0 ? mu : 1.0) * x[2];
        dX[3 * k + 1] = mu > 0.0 ? x[0] : 0.0;
        dX[3 * k + 2] = mu > 0.0 ? x[1] : 0.0;
        dY[3 * k] = own * (image[0] - Y[0]) + dv[2] + t[0] * dv[0] + t[1] * dv[1] + by_t * rho[0];
        dY[3 * k + 1] = own * (image[1] - Y[1]) + mu * dv[0] + by_t * rho[1];
        dY[3 * k + 2] = own * (image[2] - Y[2]) + mu * dv[1] + by_t * rho[2];
    }
}

// The product of two changes of contact k, in its scaling.
static double path_product(const path_part *s, const interior_part *at, int k, const double *aX,
                           const double *aY, const double *bX, const double *bY)
{
    const double *W = at->W + 4 * k;
    double a[3], b[3], sum;
    cone_apply(W, false, aX + 3 * k, a);
    cone_apply(W, false, bX + 3 * k, b);
    sum = cone_dot(a, b);
    cone_apply(W, true, aY + 3 * k, a);
    cone_apply(W, true, bY + 3 * k, b);
    return (sum + cone_dot(a, b)) / (s->gap[k] * s->t);
}

// Whether the trial is within the cones and near the path of t: eigenvalues of X o Y near t gap.
static bool path_near(const path_part *s, const pawl_problem *p, double t)
{
    for (int k = 0; k < p->contact_count; ++k) {
        const double *X = s->tryX + 3 * k, *Y = s->tryY + 3 * k;
        double x = cone_norm(X), y = cone_norm(Y), dot = cone_dot(X, Y), g = s->gap[k] * t;
        if (!(X[0] > 0.0 && Y[0] > 0.0 && x > 0.0 && y > 0.0 && g > 0.0)) {
            return false;
        }
        double spread = sqrt(fmax(dot * dot - x * y, 0.0));
        if (!(dot - spread >= path_centred * g && dot + spread <= g / path_centred)) {
            return false;
        }
    }
    return true;
}

// X, Y and t with `newton` times the Newton step and dt along the tangent.
static bool path_try(path_part *s, const interior_part *at, const pawl_problem *p, double newton,
                     double dt)
{
    for (int i = 0; i < 3 * p->contact_count; ++i) {
        s->tryX[i] = at->X[i] + newton * at->dX[i] + dt * s->tX[i];
        s->tryY[i] = at->Y[i] + newton * at->dY[i] + dt * s->tY[i];
    }
    return path_near(s, p, s->t + dt);
}

// Both directions: z0 in at->dX, dY, law.lambda, z1 in s->tX, tY, t_lambda.
static bool path_directions(path_part *s, interior_part *at, const space_problem *q)
{
    const pawl_problem *p = q->p;
    for (int k = 0; k < p->contact_count; ++k) {
        cone_scale(at->X + 3 * k, at->Y + 3 * k, at->W + 4 * k, at->scaled + 3 * k);
    }
    path_laws(s, at, q, 1.0, 0.0);
    if (!pawl_space_law_factor(q, &at->law, false)) {
        return false;
    }
    pawl_space_law_solve(q, &at->law);
    path_changes(s, at, p, 1.0, 0.0, s->tX, s->tY);
    memcpy(s->t_lambda, at->law.lambda, (size_t)p->row_count * sizeof *s->t_lambda);
    path_laws(s, at, q, s->t, 1.0);
    pawl_space_law_solve(q, &at->law);
    path_changes(s, at, p, s->t, 1.0, at->dX, at->dY);
    return true;
}

static bool path_step(path_part *s, interior_part *at, const space_problem *q)
{
    const pawl_problem *p = q->p;
    if (!path_directions(s, at, q)) {
        return false;
    }
    double own = 1.0 / (s->t * s->t), both = 0.0, along = s->moved ? s->last_t * own : -1.0;
    double largest = own;
    for (int k = 0; k < p->contact_count; ++k) {
        double n = path_product(s, at, k, s->tX, s->tY, s->tX, s->tY);
        own += n;
        largest = fmax(largest, n);
        both += path_product(s, at, k, s->tX, s->tY, at->dX, at->dY);
        along += s->moved ? path_product(s, at, k, s->tX, s->tY, s->lastX, s->lastY) : 0.0;
    }
    double correct = -both / own, sign = along >= 0.0 ? 1.0 : -1.0, newton = 1.0;
    double length = sign / sqrt(largest); // |length z1| reaches the first boundary
    if (!isfinite(correct) || !isfinite(length)) {
        return false;
    }
    double reach = s->reach, dt = correct + reach * length;
    bool first = true;
    while (!path_try(s, at, p, newton, dt)) {
        first = false;
        reach *= path_shorter;
        if (reach < path_least_reach) { // the correction itself is too long
            newton *= path_shorter;
            if (newton < path_least_reach) {
                return false;
            }
            reach = 0.0;
        }
        dt = newton * correct + reach * length;
    }
    s->reach = fmin(fmax(first ? path_longer * reach : reach, path_least_reach), path_most_reach);
    memcpy(at->X, s->tryX, 3 * (size_t)p->contact_count * sizeof *at->X);
    memcpy(at->Y, s->tryY, 3 * (size_t)p->contact_count * sizeof *at->Y);
    s->t += dt;
    for (int i = 0; i < p->row_count; ++i) {
        at->at.lambda[i] += newton * at->law.lambda[i] + dt * s->t_lambda[i];
    }
    double unit = sign / sqrt(own);
    s->last_t = unit;
    for (int i = 0; i < 3 * p->contact_count; ++i) {
        s->lastX[i] = unit * s->tX[i];
        s->lastY[i] = unit * s->tY[i];
    }
    s->moved = true;
    pawl_interior_impulses(at, p);
    pawl_space_evaluate(q, &at->at);
    return isfinite(at->at.merit) && s->t > path_end && s->t < path_away;
}

bool pawl_path_run(path_part *s, interior_part *at, const space_problem *q, double target, int most,
                   space_iterate *x, solver_report *report)
{
    for (int k = 0; k < most && at->at.natural > target; ++k) {
        ++report->iterations;
        ++report->factorizations;
        bool goes = path_step(s, at, q);
        pawl_problem_show(q->p, at->at.lambda);
        if (!goes) {
            return false;
        }
        if (at->at.natural < x->natural) {
            pawl_space_iterate_copy(q, &at->at, x);
        }
    }
    return at->at.natural <= target;
}
