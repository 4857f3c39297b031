// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Accelerated projected gradients (APGD) with restarts, for Coulomb's law by De Saxce's term: with v = D y + v_f at the
// extrapolated point y,
//   x+ = P_K(y - (v + mu |v_T| n) / (L w)),   y+ = x+ + beta (x+ - x),
// w the weight of a contact, which scales all three of its rows equally and so preserves its cone, and L the largest
// eigenvalue of w^-1/2 D w^-1/2. De Saxce's term is updated in each iteration. The objective changes with it, so
// momentum is dropped whenever it points uphill. With a term frozen for a whole run the iteration would cycle. The
// method suits few bodies with many contacts, for which the contact modes mislead Newton's method.
//
// Method: [nesterov-1983]; for contacts [mazhar-2015], for the restart [odonoghue-candes-2015].
#include "solve/accelerated.h"
#include "linalg/cone.h"
#include "math/lanes.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

enum { ACCELERATED_POWER = 12 };              // power iterations for L
static const double accelerated_margin = 1.1; // they come from below

accelerated_part pawl_accelerated_layout(const solver_def *def, pawl_carver *mem)
{
    return (accelerated_part){.at = pawl_space_iterate_layout(def->max_rows, mem),
                              .next = PAWL_CARVE(mem, double, def->max_rows),
                              .previous = PAWL_CARVE(mem, double, def->max_rows),
                              .step = PAWL_CARVE(mem, double, def->max_rows)};
}

// v = Y YT x + R x
static void accelerated_product(const space_problem *q, const double *x, double *v)
{
    const pawl_problem *p = q->p;
    double *w = pawl_space_vector(q->space, 0);
    pawl_space_gather(q->space, p, x, w);
    pawl_space_scatter(q->space, p, w, v);
    for (int i = 0; i < p->row_count; ++i) {
        v[i] += p->compliance[i] * x[i];
    }
}

static double accelerated_scale(const space_problem *q, int i)
{
    return q->weight[i] > 0.0 ? 1.0 / q->weight[i] : 0.0;
}

// L by power iterations on w^-1 D, from a start that no symmetry of a scene is orthogonal to.
static void accelerated_find_largest(accelerated_part *s, const space_problem *q)
{
    int n = q->p->row_count;
    double *x = s->next, *v = s->previous;
    for (int i = 0; i < n; ++i) {
        x[i] = accelerated_scale(q, i) * (1.0 + 0.5 * (double)(i % 7) - 0.25 * (double)(i % 5));
    }
    s->largest = 1.0;
    for (int k = 0; k < ACCELERATED_POWER; ++k) {
        accelerated_product(q, x, v);
        double up = 0.0, down = 0.0; // v . w^-1 v and x . w x
        for (int i = 0; i < n; ++i) {
            double scale = accelerated_scale(q, i);
            up += scale * v[i] * v[i];
            down += scale > 0.0 ? x[i] * x[i] / scale : 0.0;
        }
        if (!(down > 0.0 && up > 0.0)) {
            return;
        }
        s->largest = sqrt(up / down);
        double size = 1.0 / sqrt(up);
        for (int i = 0; i < n; ++i) {
            x[i] = size * accelerated_scale(q, i) * v[i];
        }
    }
    s->largest *= accelerated_margin;
}

void pawl_accelerated_begin(accelerated_part *s, const space_problem *q)
{
    accelerated_find_largest(s, q);
    for (int i = 0; i < q->p->row_count; ++i) {
        s->step[i] = accelerated_scale(q, i) / s->largest;
    }
}

// s->next = P(y - (v + mu |v_T| n) / (L w)). Returns the largest entry of L w (y - next) [m/s]: the natural map of y for
// another weight, which vanishes where that does.
static double accelerated_project(accelerated_part *s, const space_problem *q)
{
    const pawl_problem *p = q->p;
    int contacts = pawl_problem_contact_row(p, 0);
    const double *y = s->at.lambda, *v = s->at.v;
    double *x = s->next, worst = 0.0;
    for (int i = 0; i < contacts; ++i) {
        x[i] = y[i] - s->step[i] * v[i];
        x[i] = i < p->free_row_count ? x[i] : clamp_to(x[i], p->lower[i], p->upper[i]);
        worst = max_of(worst, s->largest * q->weight[i] * fabs(y[i] - x[i]));
    }
    for (int k = 0, i = contacts; k < p->contact_count; ++k, i += 3) {
        double mu = p->friction[k], step = s->step[i];
        double slip = mu > 0.0 && isfinite(mu) ? mu * sqrt(v[i] * v[i] + v[i + 1] * v[i + 1]) : 0.0;
        x[i] = y[i] - step * v[i];
        x[i + 1] = y[i + 1] - step * v[i + 1];
        x[i + 2] = y[i + 2] - step * (v[i + 2] + slip);
        pawl_cone_project(x + i, mu);
        double off =
            max_of(fabs(y[i] - x[i]), max_of(fabs(y[i + 1] - x[i + 1]), fabs(y[i + 2] - x[i + 2])));
        worst = max_of(worst, s->largest * q->weight[i] * off);
    }
    return worst;
}

// (y - next) . w (next - previous)
PAWL_KERNEL static double accelerated_uphill(int n, const double *weight, const double *y,
                                             const double *next, const double *previous)
{
    lanes sum = LANES_ALL(0.0);
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        lanes x = LANES_LOAD(next + i);
        sum += LANES_LOAD(weight + i) * (LANES_LOAD(y + i) - x) * (x - LANES_LOAD(previous + i));
    }
    double last = 0.0;
    for (; i < n; ++i) {
        last += weight[i] * (y[i] - next[i]) * (next[i] - previous[i]);
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + last;
}

// y = next + beta (next - previous), and previous = next.
PAWL_KERNEL static void accelerated_move(int n, double beta, const double *restrict next,
                                         double *restrict previous, double *restrict y)
{
    for (int i = 0; i < n; ++i) {
        y[i] = next[i] + beta * (next[i] - previous[i]);
        previous[i] = next[i];
    }
}

// The next extrapolated point. Returns the new theta of Nesterov's sequence, 1 after a restart: momentum that points
// against the step just made is dropped.
static double accelerated_extrapolate(accelerated_part *s, const space_problem *q, double theta)
{
    int n = q->p->row_count;
    double after = 0.5 * theta * (sqrt(theta * theta + 4.0) - theta), beta = 0.0;
    if (accelerated_uphill(n, q->weight, s->at.lambda, s->next, s->previous) > 0.0) {
        after = 1.0;
    } else {
        beta = theta * (1.0 - theta) / (theta * theta + after);
    }
    accelerated_move(n, beta, s->next, s->previous, s->at.lambda);
    return after;
}

void pawl_accelerated_run(accelerated_part *s, const space_problem *q, double target,
                          int iterations, space_iterate *x, solver_report *report)
{
    const pawl_problem *p = q->p;
    size_t bytes = (size_t)p->row_count * sizeof *x->lambda;
    memcpy(s->at.lambda, x->lambda, bytes);
    memcpy(s->previous, x->lambda, bytes);
    double theta = 1.0, left = INFINITY;
    for (int k = 0; k < iterations && left > target; ++k) {
        accelerated_product(q, s->at.lambda, s->at.v);
        for (int i = 0; i < p->row_count; ++i) {
            s->at.v[i] += p->v_f[i];
        }
        left = accelerated_project(s, q);
        theta = accelerated_extrapolate(s, q, theta);
        ++report->iterations;
        pawl_problem_show(p, s->previous);
    }
    memcpy(x->lambda, s->previous, bytes);
    pawl_space_evaluate(q, x);
}
