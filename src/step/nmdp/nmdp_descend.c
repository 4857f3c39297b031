// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Algorithm 1 of NMDP: a projected gradient method in the weights w. At a point on G = 0,
// dtheta/dw = -(dG/dtheta)^-1 dG/dw, and a quadratic program (eq. 8) with the proximal term
// beta |dw|^2/2 proposes a change, which is kept if K does not rise after the projection back onto G = 0.
//
// Differences from the listing: beta = 1/gamma grows after a rejection and shrinks after an acceptance (the listing
// has them reversed, and feet sink deeply); K is compared after the projection; the step is compared with the
// tolerance when it is accepted; rejections of steps that no longer change the coordinates end the descent, too.
#include "base/kernel.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "step/nmdp/nmdp.h"
#include <string.h>

// A part that may be divided is given up after this fraction of the iterations if it still moves so far [m or rad], or
// after so many projections that failed.
enum { DESCEND_PATIENCE = 2, DESCEND_LOST = 4 };
static const double descend_still = 1e-6;
static const double descend_beta_max = 1e12;
static const double descend_beta_begin = 1.0; // what a hard stage has left would hold back the next
static const double descend_factor = 1.5;
static const double descend_largest_factor = 100.0; // of several in turn: by leaps
// Projections on the way end with an error of this fraction of the tolerance; where the next derivative corrects them,
// of this fraction of the change that is tried, if that is more, up to `most` times as much. Corrections that are `far`
// times as long do not trust that derivative.
static const double descend_loose = 0.01, descend_loose_move = 0.01, descend_loose_most = 1e3;
static const double descend_far = 1e4;
// The descent ends where its geometric series has this fraction of the tolerance left, if the last change was below
// `near` tolerances.
static const double descend_left = 0.1, descend_near = 30.0;
// Weights move the motion by forces times h^2, and K's second derivative by them falls like h^2: with short steps,
// proximal weight and tolerance fall, too, or forces would stay where they began. Longer steps than this are as set.
static const double descend_whole_step = 0.02;  // [s]
static const double descend_least_creep = 1e-3; // over a stage, for which K is aimed again [m]
static const double descend_large_gap = 1e-6;   // of K: 1.4 mm/s [m^2/s^2]
static const double descend_least_curve = 0.04; // of the program [m^2/s^2]

// In the infinity norm: coordinates of different units are not added.
static double descend_length(const double *a, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

static double descend_distance(const double *a, const double *b, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

// A link with a point that is in the ground when no contact pushes counts with all its points: corners in
// the air keep a box from tipping. The definition of K must not change between iterates, or K could rise.
static bool descend_choose_points(nmdp *s)
{
    bool all = s->settings->nmdp.energy == PAWL_NMDP_ENERGY_CONTACT;
    for (int i = 0; i < s->points; ++i) {
        s->point[i].counted = all;
    }
    if (s->settings->nmdp.energy != PAWL_NMDP_ENERGY_PENETRATING) {
        return true;
    }
    memset(s->trial_w, 0, (size_t)s->weights * sizeof *s->trial_w);
    memcpy(s->trial, s->theta, (size_t)s->n * sizeof *s->trial);
    if (!pawl_nmdp_project(s, s->trial_w, s->trial)) {
        return false;
    }
    for (int i = 0; i < s->points; ++i) {
        for (int k = 0; k < s->points; ++k) {
            bool touches = s->point[k].touching && s->point[k].link == s->point[i].link;
            s->point[i].counted = s->point[i].counted || touches;
        }
    }
    return true;
}

// What belongs to the iterate besides theta and w: modes of actuators and multipliers of loops.
static void descend_keep(nmdp *s)
{
    memcpy(s->kept_saturated, s->saturated, (size_t)s->model->actuator_count);
    memcpy(s->kept_lambda, s->lambda, (size_t)s->loop_rows * sizeof *s->lambda);
}

static void descend_restore(nmdp *s)
{
    memcpy(s->saturated, s->kept_saturated, (size_t)s->model->actuator_count);
    memcpy(s->lambda, s->kept_lambda, (size_t)s->loop_rows * sizeof *s->lambda);
}

// A point on G = 0 to begin with: with the weights of the last step, or without any.
// The weights of the last step are a good start, but may have no balance at the new place. Without contact forces
// there usually is one.
static bool descend_begin(nmdp *s)
{
    size_t bytes = (size_t)s->n * sizeof *s->trial;
    for (int k = 0; k < s->n; ++k) { // where the first rate leads
        s->trial[k] = s->motion_of[k] >= 0
                          ? pawl_nmdp_prescribed(s, k)
                          : s->stage.place.theta[k] + s->stage.h * s->stage.rate.theta[k];
    }
    s->factored = false;
    bool reached = pawl_nmdp_project(s, s->w, s->trial);
    for (int attempt = 0; attempt < 2 && !reached; ++attempt) { // from where the step began
        if (attempt == 1) {
            memset(s->w, 0, (size_t)s->weights * sizeof *s->w);
        }
        memcpy(s->trial, s->theta, bytes);
        pawl_nmdp_guess_saturation(s, s->trial);
        memset(s->lambda, 0, (size_t)s->loop_rows * sizeof *s->lambda);
        s->factored = false;
        reached = pawl_nmdp_project(s, s->w, s->trial);
    }
    memcpy(s->theta, s->trial, bytes);
    return reached;
}

// g = slopeT gradient, and the lower triangle of Q = slopeT hessian slope, by rows of `slope` and `curve` (n x m).
PAWL_KERNEL static void descend_run_products(const double *slope, const double *hessian,
                                             const double *gradient, int n, int m, double *curve,
                                             double *Q, double *g)
{
    size_t width = (size_t)m;
    memset(curve, 0, (size_t)n * width * sizeof *curve);
    memset(g, 0, width * sizeof *g);
    for (int i = 0; i < n; ++i) {
        double *to = curve + (size_t)i * width;
        const double *row = slope + (size_t)i * width;
        for (int k = 0; k < n; ++k) {
            double entry = hessian[(size_t)i * (size_t)n + (size_t)k];
            if (entry != 0.0) {
                pawl_axpy(entry, slope + (size_t)k * width, to, m);
            }
        }
        pawl_axpy(gradient[i], row, g, m);
    }
    for (int i = 0; i < m; ++i) {
        double *row = Q + (size_t)i * width;
        int j = 0;
        for (; j + 4 <= m && j <= i; j += 4) { // beyond the diagonal, too: that is overwritten
            lanes sum = LANES_ALL(0.0);
            for (int k = 0; k < n; ++k) {
                const double *from = slope + (size_t)k * width + i;
                lanes all = LANES_ALL(*from);
                sum += all * LANES_LOAD(curve + (size_t)k * width + j);
            }
            LANES_STORE(row + j, sum);
        }
        for (; j <= i; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += slope[(size_t)k * width + (size_t)i] * curve[(size_t)k * width + (size_t)j];
            }
            row[j] = sum;
        }
    }
}

// dtheta/dw of the weights in use, and the quadratic program in them: Q, and dK/dw in g. `factor` is that
// of dG/dtheta; B, gradient and hessian are set.
void pawl_nmdp_pose_program(nmdp *s)
{
    int n = s->n, m = s->used_count;
    size_t width = (size_t)m;
    for (size_t k = 0; k < (size_t)n * width; ++k) {
        s->slope[k] = -s->B[k];
    }
    memset(s->slope + (size_t)n * width, 0, (size_t)s->row_count * width * sizeof *s->slope);
    pawl_lu_solve_columns(s->factor, n + s->row_count, s->pivot, s->slope, m);
    descend_run_products(s->slope, s->hessian, s->gradient, n, m, s->curve, s->Q, s->g);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < i; ++j) {
            s->Q[(size_t)j * width + (size_t)i] = s->Q[(size_t)i * width + (size_t)j];
        }
    }
}

static bool descend_derive(nmdp *s)
{
    pawl_nmdp_balance(s, s->theta, s->w, s->G, s->matrix);
    return pawl_nmdp_factor(s);
}

// At theta, w. False where dG/dtheta is singular. The remaining G of a loose projection is removed by the derivative
// that the program needs anyway; if it is more than expected, by another projection.
static bool descend_linearize(nmdp *s, double *energy)
{
    if (!descend_derive(s)) {
        return false;
    }
    if (s->unplaced) {
        pawl_nmdp_newton_direction(s);
        double length = descend_length(s->direction, s->n);
        s->bend = fmax(s->bend, length / (s->last_move * s->last_move));
        if (length > descend_far * s->loose_end) {
            s->loose = s->loose_end;
            if (!pawl_nmdp_project(s, s->w, s->theta) || !descend_derive(s)) {
                return false;
            }
            pawl_nmdp_newton_direction(s);
        }
        pawl_nmdp_newton_step(s, s->theta);
    }
    if (!pawl_nmdp_columns(s)) {
        return false;
    }
    descend_keep(s);
    *energy = pawl_nmdp_energy(s, s->theta, s->gradient, s->hessian);
    pawl_nmdp_pose_program(s);
    return true;
}

// [m or rad], falls with h^2 for short steps, and with their length for the parts of a step.
static double descend_tolerance(const nmdp *s)
{
    double dt = s->settings->dt, share = fmin(dt / descend_whole_step, 1.0);
    return s->settings->nmdp.tolerance * share * share * fmin(s->stage.h / dt, 1.0);
}

// Of the proximal weight: the largest second derivative of the program over that of long steps.
static double descend_scale(const nmdp *s)
{
    double largest = 0.0;
    for (int i = 0; i < s->used_count; ++i) {
        largest = fmax(largest, s->Q[(size_t)i * (size_t)s->used_count + (size_t)i]);
    }
    return largest > 0.0 ? fmin(largest / descend_least_curve, 1.0) : 1.0;
}

// Proposes trial_w. With x = w + dw the program is in terms of x. `move` gets the largest change of a
// coordinate that it foresees.
static bool descend_propose(nmdp *s, double *move)
{
    int m = s->used_count;
    double shift = s->beta * descend_scale(s);
    for (int i = 0; i < m; ++i) {
        s->x[i] = s->w[s->used[i]];
    }
    for (int i = 0; i < m; ++i) {
        const double *row = s->Q + (size_t)i * (size_t)m;
        s->c[i] = s->g[i] - pawl_dot(row, s->x, m) - shift * s->x[i];
    }
    simplex_qp_problem problem = {.n = m,
                                  .group_count = s->group_count,
                                  .group_begin = s->group_begin,
                                  .Q = s->Q,
                                  .c = s->c,
                                  .shift = shift};
    simplex_qp_result result = pawl_simplex_qp_solve(&s->qp, &problem, true, s->x);
    s->counts.qp += result.iterations;
    memcpy(s->trial_w, s->w, (size_t)s->weights * sizeof *s->w);
    for (int i = 0; i < m; ++i) {
        s->trial_w[s->used[i]] = s->x[i];
        s->x[i] -= s->w[s->used[i]];
    }
    *move = 0.0;
    for (int k = 0; k < s->n; ++k) {
        *move = fmax(*move, fabs(pawl_dot(s->slope + (size_t)k * (size_t)m, s->x, m)));
    }
    return result.solved;
}

// Whether the program foresees theta better than a loose projection would leave it: what it misses grows with the square
// of the change, by the factor that was measured last. The next derivative takes that away.
static bool descend_foresees(nmdp *s, double move)
{
    if (!s->unplaced || s->tight || !(s->bend * move * move <= s->loose)) {
        return false;
    }
    bool modes = pawl_nmdp_update_saturation(s, s->trial, false) == 0;
    s->factored = s->factored && modes;
    return modes;
}

// Projects and compares K. `moved` gets the largest change of a coordinate. The projection begins where the program
// foresees theta, with the derivative at hand; if that fails, at theta itself. K may have risen by what a loose
// projection left: it is made tight before that counts.
static bool descend_try(nmdp *s, double energy, double move, double *moved)
{
    double loose = fmin(descend_loose_move * move, descend_loose_most * s->loose_end);
    s->loose = s->unplaced && !s->tight ? fmax(loose, s->loose_end) : s->loose_end;
    ++s->counts.outer;
    int m = s->used_count;
    for (int k = 0; k < s->n; ++k) {
        s->trial[k] = s->theta[k] + pawl_dot(s->slope + (size_t)k * (size_t)m, s->x, m);
    }
    for (int r = 0; r < s->row_count; ++r) {
        s->lambda[s->chosen[r]] += pawl_dot(s->slope + (size_t)(s->n + r) * (size_t)m, s->x, m);
    }
    *moved = INFINITY;
    bool foreseen = descend_foresees(s, move);
    if (foreseen) {
        s->loose = INFINITY;
    } else if (!pawl_nmdp_project(s, s->trial_w, s->trial)) {
        memcpy(s->trial, s->theta, (size_t)s->n * sizeof *s->trial);
        descend_restore(s);
        s->factored = false;
        if (!pawl_nmdp_project(s, s->trial_w, s->trial)) {
            return false;
        }
    }
    s->bend = foreseen ? s->bend : s->first_correction / (move * move);
    s->last_move = move;
    if (s->loose > s->loose_end && pawl_nmdp_energy(s, s->trial, NULL, NULL) > energy) {
        s->loose = s->loose_end;
        if (!pawl_nmdp_project(s, s->trial_w, s->trial)) {
            return false;
        }
    }
    *moved = descend_distance(s->trial, s->theta, s->n);
    return pawl_nmdp_energy(s, s->trial, NULL, NULL) <= energy;
}

// The trial is the new iterate.
static void descend_accept(nmdp *s)
{
    memcpy(s->theta, s->trial, (size_t)s->n * sizeof *s->theta);
    memcpy(s->w, s->trial_w, (size_t)s->weights * sizeof *s->w);
    s->beta = fmax(s->beta / descend_factor, s->settings->nmdp.beta_min);
}

// Left where the last trial was; G and the points belong to theta again.
static void descend_return(nmdp *s)
{
    descend_restore(s);
    pawl_nmdp_balance(s, s->theta, s->w, s->G, NULL);
}

// K less its least, by the program: with r its gradient at the weights w that were taken, no others of the simplices
// have less than K - (r.w - min over corners of r). Half the square of the motion's difference, with K's masses, is no
// more.
static double descend_gap(const nmdp *s)
{
    double gap = 0.0;
    int m = s->used_count;
    for (int g = 0; g < s->group_count; ++g) {
        double least = 0.0; // the empty corner
        for (int i = s->group_begin[g]; i < s->group_begin[g + 1]; ++i) {
            double slope = s->g[i] + pawl_dot(s->Q + (size_t)i * (size_t)m, s->x, m);
            gap += slope * s->w[s->used[i]];
            least = fmin(least, slope);
        }
        gap -= least;
    }
    return fmax(gap, 0.0);
}

// The remaining error at the end of a stage, with theta, w and their G: the change of coordinates that was proposed
// last, and the Newton step that would make G zero, by the factor at hand. Projections on the way were loose; the
// last one is not.
static nmdp_outcome descend_end(nmdp *s, nmdp_outcome outcome, double proposed)
{
    s->loose = 0.0;
    descend_keep(s);
    memcpy(s->trial, s->theta, (size_t)s->n * sizeof *s->trial);
    if (pawl_nmdp_project(s, s->w, s->trial)) {
        memcpy(s->theta, s->trial, (size_t)s->n * sizeof *s->trial);
    } else if (s->divisible) {
        return NMDP_FAILED;
    } else {
        descend_return(s);
    }
    double left = fabs(proposed);
    if (!s->factored) { // K was aimed in its memory, or Newton's method gave it up
        pawl_nmdp_balance(s, s->theta, s->w, s->G, s->matrix);
        left = pawl_nmdp_factor(s) ? left : INFINITY;
    }
    pawl_nmdp_newton_direction(s);
    for (int k = 0; k < s->n; ++k) {
        left = worst_of(left, fabs(s->direction[k]));
    }
    s->counts.left = worst_of(s->counts.left, left);
    for (int k = 0; k < s->n; ++k) {
        s->counts.imbalance = worst_of(s->counts.imbalance, fabs(s->G[k]));
    }
    s->counts.gap = worst_of(s->counts.gap, descend_gap(s));
    return outcome;
}

// How far contacts that could be stopped still move by K's measure, along the vertices that act [m]: at its minimum with
// effective masses nothing is left but for what pawl_nmdp_aim_again() corrects. A vertex counts with no more than its
// whole force would move the contact: one that barely touches can stop nothing. The columns are those of the last
// iterate.
static double descend_creep(nmdp *s)
{
    double creep = 0.0;
    int m = s->used_count, at = 0;
    for (int k = 0; k < s->n; ++k) {
        s->step[k] = s->theta[k] - s->stage.place.theta[k] - s->shift[k];
    }
    for (int i = 0; i < s->points && at < m; ++i) {
        const nmdp_point *p = &s->point[i];
        if (p->first_weight != s->used[at]) {
            continue;
        }
        double sum = 0.0;
        for (int v = 0; v < p->vertex_count; ++v) {
            sum += s->w[p->first_weight + v];
        }
        for (int v = 0; v < p->vertex_count && sum < 1.0 - 1e-6; ++v) {
            const double *f = s->v + p->first_number + v * p->component_count;
            double power = 0.0, most = 0.0;
            double size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
            for (int k = 0; k < s->n && s->w[p->first_weight + v] > 0.0; ++k) {
                power += s->B[k * m + at + v] * s->step[k];
                most += s->B[k * m + at + v] * s->slope[k * m + at + v];
            }
            creep = fmax(creep, size > 0.0 ? fmin(fabs(power), fabs(most)) / size : 0.0);
        }
        at += p->vertex_count;
    }
    return creep;
}

// The sum of the remaining changes after changes that fell from `before` to `moved`, as a geometric series; infinite
// where that says nothing.
static double descend_rest(double before, double moved)
{
    double rate = moved / before;
    return isfinite(before) && rate < 0.5 ? moved * rate / (1.0 - rate) : INFINITY;
}

// K has risen, perhaps only above that of an iterate which is not quite on G = 0: from here on all are.
static bool descend_tighten(nmdp *s)
{
    s->tight = true;
    s->loose = s->loose_end;
    return pawl_nmdp_project(s, s->w, s->theta);
}

// Where contact forces have a fold (more friction, a deeper foot, more friction) G = 0 has no root beyond it, projections
// fail, and the descent creeps towards the fold with the power of vertices still unequal. Shorter steps have no such
// folds, because inertia counts more in them: a part that may be divided gives up here.
static bool descend_gives_up(const nmdp *s, int iterations, double moved, int lost)
{
    bool creeps = iterations > s->settings->nmdp.max_iterations / DESCEND_PATIENCE;
    return s->divisible && ((creeps && moved > descend_still) || lost > DESCEND_LOST);
}

// Descends from theta and w until nothing moves any more; `proposed` gets the change of a coordinate that is left.
static nmdp_outcome descend_pass(nmdp *s, double *proposed)
{
    double tolerance = descend_tolerance(s), before = INFINITY, moved = INFINITY;
    double fall = descend_factor, last_move = INFINITY;
    int lost = 0; // projections that failed
    s->bend = s->last_move = INFINITY;
    s->tight = false;
    *proposed = 0.0;
    for (int k = 0; k < s->settings->nmdp.max_iterations;) {
        double energy, move;
        if (!descend_linearize(s, &energy)) {
            return NMDP_FAILED;
        }
        s->counts.energy_rise = fmax(s->counts.energy_rise, energy - before);
        before = energy;
        if (s->used_count == 0) {
            return NMDP_CONVERGED;
        }
        if (descend_gives_up(s, k, last_move, lost)) {
            return NMDP_FAILED;
        }
        double growth = descend_factor;
        for (bool accepted = false; !accepted; ++k) {
            if (!descend_propose(s, &move)) {
                return NMDP_FAILED;
            }
            *proposed = move;
            if (move < 0.01 * tolerance) {
                memset(s->x, 0, (size_t)s->used_count * sizeof *s->x);
                return NMDP_CONVERGED;
            }
            accepted = descend_try(s, energy, move, &moved);
            *proposed = moved;
            if (accepted) {
                descend_accept(s);
                double rest = descend_rest(last_move, moved);
                if (moved < descend_near * tolerance && rest < descend_left * tolerance) {
                    *proposed = rest;
                    return NMDP_CONVERGED;
                }
                if (moved < tolerance && (s->beta <= descend_beta_begin || !s->divisible)) {
                    return NMDP_CONVERGED;
                }
                last_move = moved;
                // A weight that rejections have raised far above its start would need many short steps to decrease.
                if (s->beta > descend_beta_begin) {
                    s->beta = fmax(s->beta / fall, descend_beta_begin);
                    fall = fmin(fall * fall, descend_largest_factor);
                }
                continue;
            }
            ++s->counts.rejected;
            fall = descend_factor;
            last_move = INFINITY;
            descend_restore(s);
            if (s->unplaced && !s->tight) {
                if (!descend_tighten(s)) {
                    return NMDP_FAILED;
                }
                before = INFINITY;
                break;
            }
            // Without derivatives a projection that fails says that the step is too long.
            if (!isfinite(moved) && s->settings->nmdp.gradient == PAWL_NMDP_ZEROTH) {
                return NMDP_FAILED;
            }
            s->beta *= isfinite(moved) ? growth : 10.0 * growth;
            growth = fmin(growth * growth, descend_largest_factor);
            lost += isfinite(moved) ? 0 : 1;
            if (descend_gives_up(s, k, last_move, lost)) {
                return NMDP_FAILED;
            }
            if (moved < 0.01 * tolerance) {
                memset(s->x, 0, (size_t)s->used_count * sizeof *s->x);
                return NMDP_CONVERGED;
            }
            if (s->beta > descend_beta_max) {
                return NMDP_FAILED;
            }
        }
    }
    return NMDP_LIMIT;
}

// K never rises within a pass; the second one has another K (pawl_nmdp_aim_again).
nmdp_outcome pawl_nmdp_descend(nmdp *s)
{
    double proposed;
    s->beta = fmin(s->beta, descend_beta_begin);
    s->factored = s->free_known = false;
    s->loose = 0.0;
    s->loose_end = descend_loose * descend_tolerance(s);
    pawl_nmdp_aim(s);
    bool derived = s->settings->nmdp.gradient == PAWL_NMDP_FIRST;
    s->unplaced = s->settings->nmdp.energy == PAWL_NMDP_ENERGY_EFFECTIVE && derived;
    s->loose = s->unplaced ? descend_loose_most * s->loose_end : s->loose_end;
    if (!descend_choose_points(s) || !descend_begin(s)) {
        return NMDP_FAILED;
    }
    nmdp_outcome outcome = descend_pass(s, &proposed);
    if (s->unplaced && !s->aim_once && outcome == NMDP_CONVERGED &&
        descend_creep(s) >= descend_least_creep && pawl_nmdp_aim_again(s)) {
        outcome = descend_pass(s, &proposed);
    }
    // Nothing moves any more, but perhaps because beta is so large that nothing can.
    bool short_of_least = s->divisible && descend_gap(s) > descend_large_gap;
    if (outcome == NMDP_FAILED || short_of_least) {
        return NMDP_FAILED;
    }
    return descend_end(s, outcome, proposed);
}
