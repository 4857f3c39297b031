// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// lemke: friction as a linear complementarity problem, solved by pivoting (linalg/lemke.h), in the
// impulses of a step (Stewart and Trinkle 1996, Anitescu and Potra 1997). The disk of tangential
// impulses becomes a regular polygon inscribed in it, with k corners mu lambda_N d_i:
//   lambda_T = sum of beta_i d_i, and with the slip speed gamma
//   0 <= lambda_N  orthogonal to  v_N >= 0
//   0 <= beta_i    orthogonal to  d_i . v_T + gamma >= 0
//   0 <= gamma     orthogonal to  mu lambda_N - sum of beta_i >= 0
// A bounded row is lambda = lower + y, and the velocity below which its upper bound takes over is an
// unknown of its own:
//   0 <= y orthogonal to v + b >= 0,   0 <= b orthogonal to upper - lower - y >= 0
// With a polygon friction is too small by up to 1 - cos(pi / k), and the slip direction is attracted to its corners.
// Further rounds correct this: the polygon of a sliding contact is turned so that a corner, where polygon and disk
// agree, opposes the slip just found, and the problem is solved again.
#include "linalg/dense.h"
#include "linalg/lemke.h"
#include "math/trig.h"
#include "math/vec.h"
#include "problem/natural.h"
#include "solve/solver_ops.h"
#include <string.h>

// One unknown that is an impulse: along c[0] times a row, c[1] times the row after it. Its multiplier
// acts on it with `up`, and it on the multiplier's inequality with `down`.
typedef struct lemke_unknown {
    int row, dim;
    double c[2];
    int multiplier; // -1 for none
    double up, down;
} lemke_unknown;

typedef struct lemke_solver {
    pawl_solver base;
    lemke pivots;
    lemke_unknown *unknowns; // (capacity)
    int unknown_count;       // impulses, the first ones of z
    int multiplier_count;    // those behind them
    double *M, *q, *z;       // (capacity x capacity), (capacity)
    double *room;            // (capacity) of each multiplier: its inequality at z = 0
    double *offset;          // (rows) lambda at z = 0
    double *v, *weight;      // (rows)
    double *best;            // (rows)
    double *turn;            // (2 x contacts) direction of corner 0
    double *corner;          // (2 x sides) corners of a polygon that is not turned
} lemke_solver;

// A bounded row needs two unknowns (a difference of two where there is no bound, or the impulse and the multiplier
// of its upper bound), a contact the normal, the corners of the polygon and the slip speed.
static pawl_solver *lemke_solver_layout(const solver_def *def, pawl_carver *mem)
{
    size_t n = 2 * (size_t)(def->max_bounded + def->max_spins) +
               ((size_t)def->lemke_sides + 2) * (size_t)def->max_contacts;
    lemke_solver *s = PAWL_CARVE(mem, lemke_solver, 1);
    lemke_solver layout = {.pivots = pawl_lemke_layout((int)n, mem),
                           .unknowns = PAWL_CARVE(mem, lemke_unknown, n),
                           .M = PAWL_CARVE(mem, double, n *n),
                           .q = PAWL_CARVE(mem, double, n),
                           .z = PAWL_CARVE(mem, double, n),
                           .room = PAWL_CARVE(mem, double, n),
                           .turn = PAWL_CARVE(mem, double, 2 * def->max_contacts),
                           .corner = PAWL_CARVE(mem, double, 2 * def->lemke_sides)};
    double **rows[] = {&layout.offset, &layout.v, &layout.weight, &layout.best};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, def->max_rows);
    }
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

static void lemke_solver_add(lemke_solver *s, lemke_unknown unknown)
{
    s->unknowns[s->unknown_count++] = unknown;
}

// Unknowns of one bounded row; `size` scales them so that the diagonal of M is near 1.
// lambda = offset + c y with y >= 0. With a lower bound y counts up from it, with an upper bound alone it counts
// down from that.
static void lemke_solver_bounded(lemke_solver *s, int row, double lower, double upper, double size)
{
    bool from_lower = isfinite(lower);
    lemke_unknown y = {.row = row, .dim = 1, .c = {1.0 / size}, .multiplier = -1};
    if (!from_lower) {
        y.c[0] = -y.c[0]; // counted down from the upper bound
    }
    s->offset[row] = from_lower ? lower : isfinite(upper) ? upper : 0.0;
    if (from_lower && isfinite(upper)) {
        y.multiplier = s->multiplier_count++;
        s->room[y.multiplier] = (upper - lower) * size;
        y.up = 1.0;
        y.down = -1.0;
    }
    lemke_solver_add(s, y);
    if (!from_lower && !isfinite(upper)) { // no bound at all: the difference of two
        y.c[0] = -y.c[0];
        lemke_solver_add(s, y);
    }
}

// The inequality of a contact is divided by mu where that is large, so that any mu will do.
// The columns: the normal impulse enters the friction inequality with +mu, each corner with -1; the slip speed
// enters the velocity of each corner with +1, and that of the normal not at all. So M is not symmetric: that is
// where Coulomb's law differs from a minimum.
static void lemke_solver_contact(lemke_solver *s, int row, double mu, const double *turn,
                                 double size)
{
    int slip = s->multiplier_count++;
    s->room[slip] = 0.0;
    s->offset[row] = s->offset[row + 1] = s->offset[row + 2] = 0.0;
    lemke_solver_add(s, (lemke_unknown){.row = row + 2,
                                        .dim = 1,
                                        .c = {1.0 / size},
                                        .multiplier = slip,
                                        .down = mu > 1.0 ? 1.0 : mu});
    for (int i = 0; i < s->base.def.lemke_sides; ++i) {
        const double *d = s->corner + 2 * i;
        lemke_solver_add(s, (lemke_unknown){.row = row,
                                            .dim = 2,
                                            .c = {(d[0] * turn[0] - d[1] * turn[1]) / size,
                                                  (d[1] * turn[0] + d[0] * turn[1]) / size},
                                            .multiplier = slip,
                                            .up = 1.0,
                                            .down = mu > 1.0 ? -1.0 / mu : -1.0});
    }
}

static void lemke_solver_unknowns(lemke_solver *s, const pawl_problem *p)
{
    s->unknown_count = s->multiplier_count = 0;
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = 0; i < p->row_count; i += i < contacts ? 1 : 3) {
        double size = s->weight[i] > 0.0 ? sqrt(s->weight[i]) : 1.0; // else nothing moves the row
        if (i < contacts) {
            lemke_solver_bounded(s, i, p->lower[i], p->upper[i], size);
        } else {
            int k = (i - contacts) / 3;
            lemke_solver_contact(s, i, p->friction[k], s->turn + 2 * k, size);
        }
    }
}

// M and q of the unknowns, multipliers behind the impulses.
static void lemke_solver_matrix(lemke_solver *s, const pawl_problem *p)
{
    const double *S = p->delassus->ops->matrix(p->delassus); // see ops.condenses
    size_t rows = (size_t)p->row_count, count = (size_t)s->unknown_count;
    size_t n = count + (size_t)s->multiplier_count;
    memset(s->M, 0, n * n * sizeof *s->M);
    memcpy(s->q + count, s->room, (n - count) * sizeof *s->q);
    for (size_t a = 0; a < count; ++a) {
        const lemke_unknown *x = &s->unknowns[a];
        s->q[a] = 0.0;
        for (int r = 0; r < x->dim; ++r) {
            const double *row = S + (size_t)(x->row + r) * rows;
            s->q[a] += x->c[r] * (p->v_f[x->row + r] + pawl_dot(row, s->offset, p->row_count));
            for (size_t b = 0; b < count; ++b) {
                const lemke_unknown *y = &s->unknowns[b];
                double sum = y->c[0] * row[y->row];
                sum += y->dim > 1 ? y->c[1] * row[y->row + 1] : 0.0;
                s->M[a * n + b] += x->c[r] * sum;
            }
        }
        if (x->multiplier >= 0) {
            size_t m = count + (size_t)x->multiplier;
            s->M[a * n + m] = x->up;
            s->M[m * n + a] = x->down;
        }
    }
}

// lambda of z, inside its bounds and cones to the last bit.
// Rounding of the pivots may leave lambda outside by a few bits, which the judge would report.
static void lemke_solver_impulses(const lemke_solver *s, const pawl_problem *p, double *lambda)
{
    memcpy(lambda, s->offset, (size_t)p->row_count * sizeof *lambda);
    for (int a = 0; a < s->unknown_count; ++a) {
        const lemke_unknown *x = &s->unknowns[a];
        for (int r = 0; r < x->dim; ++r) {
            lambda[x->row + r] += x->c[r] * s->z[a];
        }
    }
    for (int i = 0; i < pawl_problem_contact_row(p, 0); ++i) {
        lambda[i] = fmin(fmax(lambda[i], p->lower[i]), p->upper[i]);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        double *x = lambda + pawl_problem_contact_row(p, k);
        double size = sqrt(x[0] * x[0] + x[1] * x[1]), most = p->friction[k] * x[2];
        if (size > most) {
            x[0] *= most / size;
            x[1] *= most / size;
        }
    }
}

// Corner 0 of each contact that slides against its slip.
static void lemke_solver_turn(lemke_solver *s, const pawl_problem *p, double tolerance)
{
    for (int k = 0; k < p->contact_count; ++k) {
        const double *v = s->v + pawl_problem_contact_row(p, k);
        double speed = sqrt(v[0] * v[0] + v[1] * v[1]);
        if (speed > tolerance) {
            s->turn[2 * k] = -v[0] / speed;
            s->turn[2 * k + 1] = -v[1] / speed;
        }
    }
}

// Polygons start with corner 0 along the first tangent.
static void lemke_solver_begin(lemke_solver *s, const pawl_problem *p)
{
    int sides = s->base.def.lemke_sides;
    for (int i = 0; i < sides; ++i) {
        pawl_sincos(2.0 * 3.14159265358979323846 * i / sides, &s->corner[2 * i + 1],
                    &s->corner[2 * i]);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        s->turn[2 * k] = 1.0;
        s->turn[2 * k + 1] = 0.0;
    }
    pawl_problem_weights(p, s->weight);
}

// What is left of the complementarity problem with the polygon, all as velocities: of unknown a, an
// impulse along some direction, min(w_a, M_aa z_a); of a multiplier, a velocity itself, the smaller of
// it and the room w that is left in its bound, which the direction's own weight makes a velocity.
static double lemke_solver_own_residual(const lemke_solver *s)
{
    size_t count = (size_t)s->unknown_count, n = count + (size_t)s->multiplier_count;
    double worst = 0.0, weight = 0.0;
    for (size_t i = 0; i < count; ++i) {
        weight = max_of(weight, s->M[i * n + i]);
    }
    for (size_t i = 0; i < n; ++i) {
        double w = s->q[i] + pawl_dot(s->M + i * n, s->z, (int)n);
        double left = i < count ? fmin(w, s->M[i * n + i] * s->z[i]) : fmin(weight * w, s->z[i]);
        worst = worst_of(worst, fabs(left));
    }
    return worst;
}

// A pyramid instead of the cone is exact only where friction points along one of its edges: each round turns the
// pyramids so that they do, which converges in a few rounds. The best round is kept.
static void lemke_solver_solve(pawl_solver *base, const pawl_problem *p, solver_goal goal,
                               double *lambda, solver_report *report)
{
    static const pawl_outcome outcome[] = {[LEMKE_SOLVED] = PAWL_CONVERGED,
                                           [LEMKE_RAY] = PAWL_STALLED,
                                           [LEMKE_LIMIT] = PAWL_ITERATION_LIMIT};
    lemke_solver *s = (lemke_solver *)base;
    double least = INFINITY;
    *report = (solver_report){.outcome = PAWL_STALLED};
    lemke_solver_begin(s, p);
    for (int round = 0; round < base->def.lemke_rounds; ++round) {
        lemke_solver_unknowns(s, p);
        lemke_solver_matrix(s, p);
        int n = s->unknown_count + s->multiplier_count;
        // Some n are usual; where contacts repeat each other, a few times that.
        lemke_result r = pawl_lemke(&s->pivots, s->M, s->q, n, 100 + 10 * n, s->z);
        report->iterations += r.pivots;
        lemke_solver_impulses(s, p, lambda);
        pawl_problem_velocity(p, lambda, s->v);
        double natural = pawl_problem_natural(p, lambda, s->v, s->weight);
        if (natural < least || round == 0) { // of the best round, that is what is kept
            least = natural;
            report->outcome = outcome[r.outcome];
            report->own_residual = lemke_solver_own_residual(s);
            memcpy(s->best, lambda, (size_t)p->row_count * sizeof *lambda);
        }
        if (natural <= goal.tolerance) {
            break;
        }
        lemke_solver_turn(s, p, goal.tolerance);
    }
    memcpy(lambda, s->best, (size_t)p->row_count * sizeof *lambda);
}

const pawl_solver_ops pawl_lemke_ops = {
    .name = "lemke",
    .summary = "Lemke's pivoting: exact limits, friction disk as a polygon of lemke.sides",
    .contacts = true,
    .condenses = true,
    .own_law = "friction with a polygon for the disk",
    .layout = lemke_solver_layout,
    .solve = lemke_solver_solve,
};
