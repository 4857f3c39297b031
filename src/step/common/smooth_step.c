// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The midpoint step (midpoint_step.c) of motions with only joints and gravity. The impulses of such a step act along
// three sets of rows: those of the start, the middle and the end. The midpoint step computes several impulses in the
// middle one after the other (projection of the twists, the velocity update, the position update of the second half).
// They act along the same rows and are one impulse mu:
//   u1 = u + M^-1 J0T nu,                qm = q0 (+) h/2 u1   with nu such that f(qm) = 0,
//   u2 = u1 + h g + M^-1 JmT mu,         q1 = qm (+) h/2 u2   with mu such that f(q1) = 0,
//   u+ = u2 + M^-1 J1T z                                      with z such that J1 u+ = 0.
// The motion is that of the midpoint step except for rounding, but one factor is enough for a step: that of the rows
// at its start, which were placed at the end of the previous step. It solves for z exactly, and is the matrix of a
// Newton iteration for nu and mu, which contracts the error by h w for rotations at the rate w. In loops of light
// bodies it is a poor matrix for mu, which belongs to other rows: there the rows in the middle get a factor of their
// own. The iteration starts from impulses extrapolated from the last steps, with an error of fifth order in h, so
// that one correction is enough in a smooth motion.
//
// Gyroscopic torques of the midpoint step depend on twists that are never formed here. If there are such torques, or
// if contacts, limits, springs or other forces may act, pawl_smooth_step() returns without a step, and the midpoint
// step is used.
#include "step/common/smooth_step.h"
#include "coordinates/free_factor.h"
#include "linalg/by_size.h"
#include "math/lanes.h"
#include "math/numbers.h"
#include "problem/weak_space.h"
#include "rows/body_lanes.h"
#include "rows/row_set.h"
#include "step/common/least_reactions.h"
#include "step/common/position_update.h"
#include "step/common/twist.h"

static const double smooth_tolerance = 1e-12; // of closure [m or rad], of models of a metre or less
static const double smooth_exact = 1e-14;     // needs no correction
static const double smooth_close = 2e-11;     // one more correction leaves less than the tolerance
static const double smooth_small = 0.1;       // of the tolerance: what corrections leave
static const double smooth_contraction = 0.5; // slower is no convergence
static const double smooth_slow = 0.3;        // slower than that is worth a factor
static const double smooth_gyroscope = 1e-13; // change of a spin by gyroscopic torques, of the spin
static const double smooth_wait = 16.0;       // steps until one factor is tried again
static const double smooth_regular = 1e-4;    // pivots below are close to a singular position
enum { SMOOTH_ITERATIONS = 25 };

typedef struct smooth_step {
    double h, middle, end;
    double *twist;    // (6 x bodies) u1, u2, u+
    double *force;    // (6 x bodies) scratch
    double *first;    // (rows) nu
    double *second;   // (rows) mu
    body_state *from; // (bodies) qm
    double tolerance; // of closure
    double twice;     // for how many steps yet the rows of the middle have a factor of their own
    int iterations;
} smooth_step;

// Whether all free rows are joints that are satisfied exactly, and nothing else acts but gravity.
static bool smooth_rows(const step_context *c)
{
    const pawl_assembly *a = c->assembly;
    return a->has_joints_alone && !a->has_damping && !a->has_rows_by_value &&
           a->candidate_count == 0;
}

// Whether gyroscopic torques do next to nothing at the start.
static bool smooth_spins(const step_context *c, const pawl_state *s, double h)
{
    pawl_bodies_rotate(c->model, s->bodies, c->assembly->rotation);
    return pawl_bodies_spin_freely(c->model, s->bodies, c->assembly->rotation, h, smooth_gyroscope);
}

// A state with a trend comes from such a step, which looked at its spins.
static bool smooth_applies(const step_context *c, const pawl_state *s, double h)
{
    const pawl_model *m = c->model;
    return c->settings->project && c->finder == NULL && m->force_count == 0 &&
           m->actuator_count == 0 && !c->coordinates->ops->has_tree_joints &&
           c->assembly->problem.delassus->weak.space == NULL && smooth_rows(c) &&
           (pawl_state_trend_levels(s) > 0 || smooth_spins(c, s, h));
}

// The closure problem at the poses where the assembly is placed, with its factor. False: no exact one, or one close
// to a singular position, where the remaining closure errors correspond to much larger displacements.
static bool smooth_factor(step_context *c)
{
    pawl_assembly *a = c->assembly;
    pawl_problem *p = &a->problem;
    bool built = p->factor_key == 2 * a->placements && p->row_count == a->free_rows;
    if (!built) {
        pawl_assembly_build_closure(a);
    }
    pawl_eliminate_factor(p, c->settings->solver.regularization);
    return pawl_eliminate_is_exact(p) &&
           pawl_free_factor_least_pivot(pawl_delassus_free_factor(p->delassus)) > smooth_regular;
}

// Sums of backward differences (levels x count), the next value of what they are of, and `share` of `last` to guess
// (count).
PAWL_KERNEL_PART void smooth_add_levels(const double *restrict level, int levels, int count,
                                        double share, const double *restrict last,
                                        double *restrict guess)
{
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        lanes total = levels > 0 ? LANES_LOAD(level + i) : LANES_ALL(0.0);
        PAWL_UNROLL
        for (int k = 1; k < levels; ++k) {
            total += LANES_LOAD(level + k * count + i);
        }
        LANES_STORE(guess + i, LANES_ALL(share) * LANES_LOAD(last + i) + total);
    }
    for (; i < count; ++i) {
        double total = levels > 0 ? level[i] : 0.0;
        PAWL_UNROLL
        for (int k = 1; k < levels; ++k) {
            total += level[k * count + i];
        }
        guess[i] = share * last[i] + total;
    }
}

PAWL_KERNEL static void smooth_extrapolate(const double *level, int levels, int count, double share,
                                           const double *last, double *guess){
    PAWL_BY_SIZE(levels, smooth_add_levels(level, N, count, share, last, guess))}

// Backward differences (levels x count) with one more value x (count).
PAWL_KERNEL_PART
    void smooth_put_value(double *restrict level, int levels, int count, const double *restrict x)
{
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        lanes value = LANES_LOAD(x + i);
        PAWL_UNROLL
        for (int k = 0; k < levels; ++k) {
            lanes last = LANES_LOAD(level + k * count + i);
            LANES_STORE(level + k * count + i, value);
            value -= last;
        }
    }
    for (; i < count; ++i) {
        double value = x[i];
        PAWL_UNROLL
        for (int k = 0; k < levels; ++k) {
            double last = level[k * count + i];
            level[k * count + i] = value;
            value -= last;
        }
    }
}

PAWL_KERNEL static void smooth_difference(double *level, int levels, int count, const double *x)
{
    PAWL_BY_SIZE(levels, smooth_put_value(level, N, count, x))
}

static void smooth_begin(const step_context *c, const pawl_state *s, smooth_step *step)
{
    state_trend trend = pawl_state_trend(s);
    int levels = pawl_state_trend_levels(s), rows = c->assembly->free_rows;
    step->twice = levels > 0 ? clamp_to(*trend.twice, 0.0, smooth_wait) : 0.0;
    pawl_twists_of(c->model, s->bodies, step->twist);
    smooth_extrapolate(trend.first, levels, rows, 0.25, s->impulses, step->first);
    smooth_extrapolate(trend.second, levels, rows, levels > 0 ? 0.0 : 0.5, s->impulses,
                       step->second);
}

// u += M^-1 JT x
static void smooth_push(const step_context *c, const smooth_step *step, const double *x)
{
    pawl_assembly_push(c->assembly, x, step->force, step->twist);
}

// Poses after half a step from `from` along the twists at hand.
static void smooth_move(const step_context *c, const smooth_step *step, const body_state *from,
                        body_state *to)
{
    pawl_bodies_move(c->model, from, step->twist, 0.5 * step->h, to);
}

// lambda = -f / tau, the error that the rows must remove. Returns the largest error.
static double smooth_errors(const step_context *c, const smooth_step *step)
{
    const pawl_assembly *a = c->assembly;
    return pawl_numbers_scale(a->residual, a->free_rows, -2.0 / step->h, c->u.lambda);
}

// Half a step: adds impulses along the rows at hand, x as a first guess and then what closes the joints at the end, to
// the twists. False: Newton's method does not converge. A last correction is not checked where it leaves next to
// nothing, by what the one before it left: the placement that follows shows it. The first one is the last with a factor
// of the rows at hand, if the guess is close. How much one of other rows leaves grows with the length of chains and around
// loops: there the last correction is that which leaves little enough at the slowest convergence allowed. Solves of
// long mechanisms are not exact: only for a small error is the last correction not checked.
static bool smooth_half(step_context *c, pawl_state *s, smooth_step *step, bool middle, double *x)
{
    pawl_assembly *a = c->assembly;
    pawl_delassus *d = a->problem.delassus;
    const body_state *from = middle ? step->from : c->position.from;
    double last = INFINITY, end = middle ? step->end : step->middle;
    bool own = !middle || step->twice > 0.0;
    double slowest = own ? smooth_contraction : smooth_slow;
    double close = smooth_small * step->tolerance;
    smooth_push(c, step, x);
    for (int k = 0; k < SMOOTH_ITERATIONS; ++k) {
        smooth_move(c, step, from, s->bodies);
        pawl_assembly_measure_closure(a, s->bodies, s->coordinates, end);
        double error = smooth_errors(c, step);
        if (error <= (k == 0 ? smooth_exact : close)) {
            return true;
        }
        if (!(error <= slowest * last)) { // of large mechanisms rounding alone may leave as much
            return error <= step->tolerance;
        }
        bool final = own ? error <= smooth_close && (k == 0 || error * error <= close * last)
                         : slowest * error <= close;
        last = error;
        d->ops->solve(d, c->u.lambda);
        ++step->iterations;
        smooth_push(c, step, c->u.lambda);
        pawl_numbers_add(x, c->u.lambda, 1.0, (size_t)a->free_rows);
        if (final) {
            smooth_move(c, step, from, s->bodies);
            return true;
        }
    }
    return false;
}

static void smooth_gravity(const step_context *c, const smooth_step *step)
{
    const pawl_model *m = c->model;
    for (int i = 0; i < m->body_count; ++i) {
        double *u = step->twist + 6 * i, time = step->h * m->bodies[i].gravity_scale;
        u[0] += time * m->gravity.x;
        u[1] += time * m->gravity.y;
        u[2] += time * m->gravity.z;
    }
}

// The second half, whose rows are placed. If the factor of the rows at the start does not converge, it is repeated
// with a factor of its own rows, which the next steps then use at once.
static bool smooth_second_half(step_context *c, pawl_state *s, smooth_step *step)
{
    pawl_assembly *a = c->assembly;
    size_t twists = (size_t)(6 * c->model->body_count), rows = (size_t)a->free_rows;
    if (!(step->twice > 0.0)) {
        pawl_numbers_copy(c->u.driven, step->twist, twists);
        pawl_numbers_copy(c->u.velocity, step->second, rows);
        if (smooth_half(c, s, step, true, step->second)) {
            return true;
        }
        pawl_numbers_copy(step->twist, c->u.driven, twists);
        pawl_numbers_copy(step->second, c->u.velocity, rows);
        step->twice = smooth_wait;
        pawl_assembly_place_joints(a, step->from, c->u.damping_time, true);
    }
    return smooth_factor(c) && smooth_half(c, s, step, true, step->second);
}

// From the start to the placement at the end. False: see pawl_smooth_step().
static bool smooth_advance(step_context *c, pawl_state *s, smooth_step *step)
{
    pawl_assembly *a = c->assembly;
    if (!c->placed) {
        pawl_assembly_place(a, s->bodies, s->coordinates, s->time, c->u.damping_time);
    }
    if (!smooth_factor(c)) {
        return false;
    }
    smooth_begin(c, s, step);
    if (!smooth_half(c, s, step, false, step->first)) {
        return false;
    }
    pawl_defer_reactions(c, c->position.from, s->time, 1.0, step->first);
    pawl_bodies_copy(step->from, s->bodies, c->model->body_count);
    pawl_assembly_place_joints(a, step->from, c->u.damping_time, step->twice > 0.0);
    if (!(smooth_errors(c, step) <= step->tolerance)) {
        return false;
    }
    smooth_gravity(c, step);
    if (!smooth_second_half(c, s, step)) {
        return false;
    }
    pawl_defer_reactions(c, step->from, step->middle, 1.0, step->second);
    pawl_assembly_place(a, s->bodies, s->coordinates, step->end, c->u.damping_time);
    return smooth_errors(c, step) <= step->tolerance && smooth_factor(c);
}

// z, and with it the twists at the end, where the assembly is placed and factored. False: gyroscopic torques act.
static bool smooth_arrive(step_context *c, pawl_state *s, const smooth_step *step)
{
    const pawl_assembly *a = c->assembly;
    pawl_delassus *d = a->problem.delassus;
    double *z = c->u.lambda;
    pawl_assembly_joint_velocity(a, step->twist, c->u.velocity);
    (void)pawl_numbers_scale(c->u.velocity, a->free_rows, -1.0, z);
    d->ops->solve(d, z);
    smooth_push(c, step, z);
    for (int i = 0; i < c->model->body_count; ++i) {
        s->bodies[i].v = twist_linear(step->twist + 6 * i);
        s->bodies[i].w = twist_angular(step->twist + 6 * i);
    }
    return pawl_bodies_spin_freely(c->model, s->bodies, a->rotation, step->h, smooth_gyroscope);
}

// The impulses of a step: to reactions, and to what the next one begins with.
PAWL_KERNEL static void smooth_account(int rows, double *restrict first,
                                       const double *restrict second, const double *restrict z,
                                       double *restrict impulses, double *restrict reaction)
{
    const lanes quarter = LANES_ALL(0.25), four = LANES_ALL(4.0);
    int r = 0;
    for (; r + 4 <= rows; r += 4) {
        lanes start = LANES_LOAD(first + r), end = LANES_LOAD(z + r);
        LANES_STORE(reaction + r,
                    LANES_LOAD(reaction + r) + (start + LANES_LOAD(second + r) + end));
        LANES_STORE(first + r, start - quarter * LANES_LOAD(impulses + r));
        LANES_STORE(impulses + r, four * end);
    }
    for (; r < rows; ++r) {
        reaction[r] += first[r] + second[r] + z[r];
        first[r] -= 0.25 * impulses[r];
        impulses[r] = 4.0 * z[r];
    }
}

// Reactions, and what the next step begins with. A quarter of a step's impulse acts at its start, as much at the end of
// the step before: what these two differ by is small and changes little from step to step.
static void smooth_remember(step_context *c, pawl_state *s, const smooth_step *step)
{
    const double *z = c->u.lambda;
    state_trend trend = pawl_state_trend(s);
    int known = pawl_state_trend_levels(s), rows = c->assembly->free_rows;
    int levels = known < STATE_TREND_LEVELS ? known + 1 : STATE_TREND_LEVELS;
    pawl_defer_reactions(c, s->bodies, step->end, 1.0, z);
    smooth_account(rows, step->first, step->second, z, s->impulses, c->out.reaction);
    smooth_difference(trend.first, levels, rows, step->first);
    smooth_difference(trend.second, levels, rows, step->second);
    *trend.step = (double)(s->step + 1);
    *trend.twice = step->twice > 0.0 ? step->twice - 1.0 : 0.0;
    *trend.count = (double)levels;
}

// No solver ran: the residual is that of the twists at the end across the rows there.
static void smooth_report(step_context *c, const smooth_step *step, pawl_step_report *report)
{
    const pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    pawl_phase_enter(&c->clock, PAWL_PHASE_REST);
    c->out.contact_count = 0;
    if (c->out.capture.wanted) {
        pawl_contact_capture_drop(c->env, &c->out.capture);
        c->out.captured = PAWL_OK;
    }
    free_factor *factor = pawl_delassus_free_factor(p->delassus);
    c->out.island_count = c->islands == NULL ? 1 : pawl_free_factor_part_count(factor);
    *report = (pawl_step_report){.outcome = PAWL_CONVERGED,
                                 .method = PAWL_METHOD_DIRECT,
                                 .iterations = 1,
                                 .projections = step->iterations,
                                 .islands = c->out.island_count,
                                 .rows = p->row_count,
                                 .measured = PAWL_MEASURED_RESIDUAL};
    pawl_assembly_joint_velocity(a, step->twist, c->u.velocity);
    report->residual = pawl_problem_judge(p, c->u.lambda, c->u.velocity, c->u.rate);
    report->own_residual = report->residual.natural_scaled;
    if (!(report->own_residual <= c->settings->solver.tolerance)) {
        report->outcome = PAWL_STALLED;
    }
}

bool pawl_smooth_step(step_context *c, pawl_state *s, double h, double end,
                      pawl_step_report *report)
{
    if (c->probe != NULL || !smooth_applies(c, s, h)) { // derivatives need the parts of the step
        return false;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
    c->u.damping_time = 0.5 * h; // as the midpoint step places bodies
    c->assembly->body_theta = 0.5;
    c->assembly->bends_theta = true;
    pawl_bodies_copy(c->position.from, s->bodies, c->model->body_count);
    size_t mark = pawl_arena_mark(&c->scratch);
    smooth_step step = {.h = h,
                        .middle = s->time + 0.5 * h,
                        .end = end,
                        .twist = c->u.next,
                        .force = c->u.start,
                        .first = pawl_take_rows(c),
                        .second = pawl_take_rows(c),
                        .from = PAWL_TAKE(&c->scratch, body_state, c->model->body_count),
                        .tolerance = smooth_tolerance * fmax(1.0, c->model->size)};
    bool good = smooth_advance(c, s, &step) && smooth_arrive(c, s, &step);
    if (good) {
        smooth_remember(c, s, &step);
        smooth_report(c, &step, report);
    } else {
        pawl_bodies_copy(s->bodies, c->position.from, c->model->body_count);
        c->position.deferred.count = 0;
    }
    c->placed = good;
    pawl_arena_release(&c->scratch, mark);
    return good;
}
