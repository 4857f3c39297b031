// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Proximal ADMM (Algorithm 6 of [tsounis-loops], after Carpentier and others) as a state and one
// iteration; admm.h has the equations. Each iteration is one solve with D + R + (eta + rho) S and
// one projection on cones and bounds; a new rho costs a factorization.
#include "solve/admm.h"
#include "linalg/cone.h"
#include "math/vec.h"
#include "problem/natural.h"
#include <string.h>

// Joints need hardly any penalty: the set of their impulses is everything.
static const double admm_free_fraction = 1e-3;
static const double admm_progress = 0.999; // an accelerated iteration must be shorter than this
enum { ADMM_POWER_ITERATIONS = 20, ADMM_CHUNK = 192 }; // rows, a multiple of 3

// All arrays are (max_rows). The order here is the order in memory, and the two passes of the carver must agree.
admm pawl_admm_layout(int max_rows, pawl_carver *mem)
{
    admm s = {0};
    double **rows[] = {&s.x,     &s.z, &s.y_from, &s.z_from, &s.y_last, &s.z_last,
                       &s.scale, &s.P, &s.sigma,  &s.weight, &s.v};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, max_rows);
    }
    return s;
}

// weight (rows): the diagonal of D + R [1/kg for a translation], the same number for the three rows of a contact. S
// must be a multiple of 1 within a contact, because only then is the projection in the metric of S the plain one.
static void admm_scale(admm *s, const pawl_problem *p)
{
    p->delassus->ops->diagonal(p->delassus, 0, s->weight);
    for (int i = 0; i < p->free_row_count; ++i) {
        s->weight[i] += p->compliance[i];
    }
    pawl_problem_weights(p, s->weight);
    for (int i = 0; i < p->row_count; ++i) { // a row that nothing moves has no scale of its own
        s->scale[i] = s->variant.precondition && s->weight[i] > 0.0 ? s->weight[i] : 1.0;
    }
}

// Starts over from y and z, without momentum.
static void admm_restart(admm *s, const double *y, int n)
{
    s->momentum = 1.0;
    if (s->variant.accelerate) {
        memcpy(s->y_from, y, (size_t)n * sizeof *y);
        memcpy(s->z_from, s->z, (size_t)n * sizeof *y);
    }
}

// z starts as the velocity of the warm start, made admissible, which is its value at the solution.
void pawl_admm_begin(admm *s, const pawl_problem *p, const admm_variant *variant, const double *y)
{
    int n = p->row_count;
    s->variant = *variant;
    s->factorizations = 0;
    s->last_moved = INFINITY;
    admm_scale(s, p);
    pawl_problem_velocity(p, y, s->z);
    memset(s->z, 0, (size_t)p->free_row_count * sizeof *s->z);
    memcpy(s->x, y, (size_t)n * sizeof *y);
    for (int k = 0; k < p->contact_count; ++k) {
        double *z = s->z + pawl_problem_contact_row(p, k);
        z[2] += variant->relaxed ? 0.0 : p->friction[k] * sqrt(z[0] * z[0] + z[1] * z[1]);
        pawl_cone_project_dual(z, p->friction[k]);
    }
    admm_restart(s, y, n);
    memcpy(s->y_last, y, (size_t)n * sizeof *y);
    memcpy(s->z_last, s->z, (size_t)n * sizeof *y);
}

// The metric changes with rho: momentum and lengths of the old one mean nothing.
// The shift of row i is P_i + eta S_i + R_i, so that the factor is that of D + R + (eta + rho) S. Joints keep the
// small penalty of their own whatever rho is, but only when preconditioned: without S they have no scale to take a
// part of.
bool pawl_admm_set_rho(admm *s, const pawl_problem *p, double rho)
{
    s->rho = rho;
    ++s->factorizations;
    s->momentum = 1.0;
    s->last_moved = INFINITY;
    for (int i = 0; i < p->row_count; ++i) {
        bool joint = i < p->free_row_count && s->variant.precondition;
        s->P[i] = (joint ? admm_free_fraction : rho) * s->scale[i];
        s->sigma[i] = s->P[i] + s->variant.eta * s->scale[i] + p->compliance[i];
    }
    return p->delassus->ops->factor_shifted(p->delassus, s->sigma, NULL);
}

// x for y and z of the start; the last x stays in v.
// The first equation of admm.h. De Saxce's term s is taken at z of the start, not at the velocity of
// the x that is sought, so that the system stays linear.
static void admm_dynamics(admm *s, const pawl_problem *p, const double *y, const double *z)
{
    double eta = s->variant.eta, *x = s->x;
    for (int i = 0; i < p->row_count; ++i) {
        s->v[i] = x[i];
        x[i] = eta * s->scale[i] * x[i] + s->P[i] * y[i] + z[i] - p->v_f[i];
    }
    for (int k = 0; k < p->contact_count && !s->variant.relaxed; ++k) {
        int i = pawl_problem_contact_row(p, k);
        x[i + 2] -= p->friction[k] * sqrt(z[i] * z[i] + z[i + 1] * z[i + 1]);
    }
    p->delassus->ops->solve_shifted(p->delassus, x);
}

// Free rows have no set to be projected on. A contact is (tangent, tangent, normal), and `first` is always at the
// beginning of one, which pawl_admm_iterate sees to.
static void admm_project(const pawl_problem *p, int first, int end, double *y)
{
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = first > p->free_row_count ? first : p->free_row_count; i < end && i < contacts;
         ++i) {
        y[i] = clamp_to(y[i], p->lower[i], p->upper[i]);
    }
    for (int i = first; i < end && i >= contacts; i += 3) {
        pawl_cone_project(y + i, p->friction[(i - contacts) / 3]);
    }
}

// The residuals of the rows first .. end: x against y, and D x + v_f + s - z, which is
// P ((w - 1) (x - y_from) + y_from - y) - eta S dx. y_from is of these rows alone.
static void admm_measure(admm *s, int first, int end, const double *y_from, const double *y)
{
    double eta = s->variant.eta, ahead = s->variant.relaxation - 1.0;
    double primal = s->primal, dual = s->dual, length = s->length;
    double primal_own = s->primal_own, dual_own = s->dual_own;
    for (int i = first; i < end; ++i) {
        double P = s->P[i], S = s->scale[i], x = s->x[i], from = y_from[i - first];
        double apart = fabs(x - y[i]), moved = P * (y[i] - from), lag = eta * S * (x - s->v[i]);
        // The rules that adapt rho compare r_p = |x - y| of the relaxed x ([tsounis-loops], Alg. 6, lines 7 and 12):
        // the unrelaxed one stays small while y runs ahead, and rho would hardly adapt.
        double ahead_apart = fabs(x + ahead * (x - from) - y[i]);
        primal = max_of(primal, s->weight[i] * apart);
        dual = max_of(dual, fabs(P * ahead * (x - from) - moved - lag));
        primal_own = max_of(primal_own, S * ahead_apart * ahead_apart);
        dual_own = max_of(dual_own, (moved + lag) * (moved + lag) / S);
        length = max_of(length, max_of(P * apart, fabs(moved)));
    }
    s->primal = primal;
    s->dual = dual;
    s->primal_own = primal_own;
    s->dual_own = dual_own;
    s->length = length;
}

// Line 14 of Algorithm 6: x . z of every limit and contact, with the relaxed x. y_from as above.
static void admm_complement(admm *s, const pawl_problem *p, int first, int end,
                            const double *y_from)
{
    int contacts = pawl_problem_contact_row(p, 0);
    double w = s->variant.relaxation, worst = s->complementarity;
    for (int i = first, dim; i < end; i += dim) {
        double sum = 0.0;
        dim = i < contacts ? 1 : 3;
        for (int r = i; r < i + dim && i >= p->free_row_count; ++r) {
            sum += (w * s->x[r] + (1.0 - w) * y_from[r - first]) * s->z[r];
        }
        worst = max_of(worst, fabs(sum));
    }
    s->complementarity = worst;
}

// How far an accelerated iteration moved the rows first .. end: squared, in the metric of P.
static double admm_moved(const admm *s, int first, int end, const double *y)
{
    double sum = 0.0;
    for (int i = first; i < end; ++i) {
        double dy = y[i] - s->y_from[i], dz = s->z[i] - s->z_from[i];
        sum += s->P[i] * dy * dy + dz * dz / s->P[i];
    }
    return sum;
}

// y and z of the rows first .. end, for x. So few rows at a time that they stay in the cache.
// With u = w x + (1 - w) y - z / P the update is y+ = P_K(u) and z+ = z - P (x - y+) = P (y+ - u): the new z is what
// the projection added, so it is in the dual cone and orthogonal to y+ without a computation of its own.
static void admm_update(admm *s, const pawl_problem *p, int first, int end, const double *y_start,
                        const double *z_start, double *y)
{
    double w = s->variant.relaxation, y_from[ADMM_CHUNK], before[ADMM_CHUNK];
    PAWL_ASSERT(end - first <= ADMM_CHUNK);
    for (int i = first; i < end; ++i) {
        double from = y_start[i];
        y_from[i - first] = from;
        before[i - first] = y[i] = w * s->x[i] + (1.0 - w) * from - z_start[i] / s->P[i];
    }
    admm_project(p, first, end, y);
    for (int i = first; i < end; ++i) {
        s->z[i] = s->P[i] * (y[i] - before[i - first]);
    }
    admm_measure(s, first, end, y_from, y);
    if (s->variant.literal) {
        admm_complement(s, p, first, end, y_from);
    }
    s->moved += s->variant.accelerate ? admm_moved(s, first, end, y) : 0.0;
}

// The next start: ahead of y and z with momentum, unless this iteration was no shorter than the one
// before. After such a one it is y and z themselves, from where the next iteration cannot be longer: its
// map does not expand.
// The factors t+ = (1 + sqrt(1 + 4 t^2)) / 2 and (t - 1) / t+ are Nesterov's.
static void admm_extrapolate(admm *s, const pawl_problem *p, const double *y)
{
    int n = p->row_count;
    if (s->moved < admm_progress * s->last_moved) {
        double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * s->momentum * s->momentum));
        double ahead = (s->momentum - 1.0) / next;
        for (int i = 0; i < n; ++i) {
            s->y_from[i] = y[i] + ahead * (y[i] - s->y_last[i]);
            s->z_from[i] = s->z[i] + ahead * (s->z[i] - s->z_last[i]);
            s->y_last[i] = y[i];
            s->z_last[i] = s->z[i];
        }
        s->momentum = next;
        s->last_moved = s->moved;
    } else {
        admm_restart(s, y, n);
        memcpy(s->y_last, y, (size_t)n * sizeof *y);
        memcpy(s->z_last, s->z, (size_t)n * sizeof *y);
        s->last_moved = s->moved / admm_progress;
    }
}

void pawl_admm_iterate(admm *s, const pawl_problem *p, double *y)
{
    const double *y_start = s->variant.accelerate ? s->y_from : y;
    const double *z_start = s->variant.accelerate ? s->z_from : s->z;
    int contacts = pawl_problem_contact_row(p, 0);
    admm_dynamics(s, p, y_start, z_start);
    s->primal = s->dual = s->primal_own = s->dual_own = s->length = s->moved = 0.0;
    s->complementarity = 0.0;
    for (int first = 0, end; first < p->row_count; first = end) {
        int last = first < contacts ? contacts : p->row_count; // a contact is never cut
        end = last - first > ADMM_CHUNK ? first + ADMM_CHUNK : last;
        admm_update(s, p, first, end, y_start, z_start, y);
    }
    s->primal_own = sqrt(s->primal_own);
    s->dual_own = sqrt(s->dual_own);
    if (s->variant.accelerate) {
        admm_extrapolate(s, p, y);
    }
    pawl_problem_show(p, y);
}

double pawl_admm_natural(admm *s, const pawl_problem *p, const double *y)
{
    pawl_problem_velocity(p, y, s->v);
    return s->variant.relaxed ? pawl_problem_natural_relaxed(p, y, s->v, s->weight)
                              : pawl_problem_natural(p, y, s->v, s->weight);
}

// Power iteration from a fixed vector, with the quotient of the last round as the answer. It is a lower bound of the
// eigenvalue, which is enough to choose a penalty.
double pawl_admm_spectral_radius(admm *s, const pawl_problem *p)
{
    int n = p->row_count;
    double *x = s->sigma, *Dx = s->v, radius = 0.0; // sigma is not in use before rho is known
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0 + 0.1 * (double)(i % 7); // along no symmetry
    }
    for (int k = 0; k < ADMM_POWER_ITERATIONS; ++k) {
        double norm = 0.0;
        for (int i = 0; i < n; ++i) {
            norm += x[i] * x[i];
        }
        norm = sqrt(norm);
        for (int i = 0; i < n; ++i) {
            x[i] /= norm * sqrt(s->scale[i]);
        }
        p->delassus->ops->apply(p->delassus, x, Dx);
        radius = 0.0;
        for (int i = 0; i < n; ++i) {
            double root = sqrt(s->scale[i]), Ax = (Dx[i] + p->compliance[i] * x[i]) / root;
            radius += x[i] * root * Ax; // Rayleigh's quotient: the last x had length one
            x[i] = Ax;
        }
    }
    return radius;
}
