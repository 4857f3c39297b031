// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Drift along the constraints, as in RATTLE (Andersen 1983): from poses q with rows J,
//   q+ = q (+) tau (u + M^-1 J(q)T x)   with x such that f(q+) = 0,
//   u+ = u + M^-1 J(q)T x + M^-1 J(q+)T y   with y such that J(q+) u+ = 0.
// Both impulses act along the rows at an end of the drift. That makes it reversible, and so keeps
// the energy, where a plain projection of the poses loses a share (tau w)^2 of it each time. One
// factor serves the y of this drift, the next kick and the x of the next drift.
#include "problem/weak_space.h"
#include "step/free_turn.h"
#include "step/stepper_ops.h"
#include <string.h>

static const double drift_tolerance = 1e-12;  // [m or rad]
static const double drift_accuracy = 1.0;     // one solve; the next iteration makes up for it
static const double drift_start_error = 1e-9; // beyond it corrections would be kicks
static const double drift_contraction = 0.5;  // slower is no convergence
static const double drift_nearly = 1e-3;      // share of the error that a projection may take
static const double drift_most_stretch = 1e3; // of a correction
static const double drift_exact = 1e-16;      // of those that go on while it helps
enum { DRIFT_MAX_ITERATIONS = 25, DRIFT_PROJECT_STEPS = 30 };

void pawl_drift_account(step_context *c, pawl_state *s, const double *met)
{
    const pawl_assembly *a = c->assembly;
    for (int r = 0; r < a->free_rows; ++r) {
        if (pawl_assembly_is_hard(a, r)) {
            c->reaction[a->rows[r].slot] += c->lambda[r];
        }
    }
    if (c->exact_drift) {
        size_t twists = (size_t)(6 * c->model->body_count) * sizeof *met;
        memmove(c->u_start, met, twists);
        memmove(c->u_next, met, twists);
    }
    pawl_count_driven_work(c, c->lambda, s->work);
}

static void drift_freely(const step_context *c, pawl_state *s, double tau, double end)
{
    if (c->exact_drift) {
        pawl_advance_freely(c->model, s->bodies, tau, end);
    } else {
        pawl_advance_poses(c->model, s->bodies, s->bodies, tau, end);
    }
}

// Adds `share` of the correction in lambda and u_free to the sum of impulses and to the twists.
static void drift_correct(step_context *c, pawl_state *s, double share, double *total)
{
    for (int r = 0; r < c->assembly->free_rows; ++r) {
        total[r] += share * c->lambda[r];
    }
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        c->u_free[i] *= share;
    }
    pawl_twists_change(c, c->u_free, s->bodies);
}

// Moves from where the drift began by the twists at hand. Returns the closure error at the end.
static double drift_try(step_context *c, pawl_state *s, double tau, double end)
{
    for (int i = 0; i < c->model->body_count; ++i) {
        s->bodies[i].r = c->from[i].r;
        s->bodies[i].q = c->from[i].q;
    }
    drift_freely(c, s, tau, end);
    pawl_assembly_place_residuals(c->assembly, s->bodies, s->coordinates, end);
    return pawl_closure_error(c->assembly);
}

// Close to a singular position a row's derivative changes by much within a step, sign included, and Newton's
// method with the factor at its beginning goes too far, or not far enough, along that one direction. The best
// multiple of the last correction, by what it did to the rows, makes up for it (a secant):
//   a = -r0 (r1 - r0) / |r1 - r0|^2,   r0, r1 the rows before and after it.
// Returns the closure error then. For rows that are weak: others keep their path.
static double drift_stretch(step_context *c, pawl_state *s, double tau, double end, double error,
                            double *total)
{
    const double *before = c->velocity, *after = c->assembly->problem.delassus->weak.scratch;
    double along = 0.0, size = 0.0;
    for (int r = 0; r < c->assembly->free_rows; ++r) {
        double change = after[r] - before[r];
        along -= before[r] * change;
        size += change * change;
    }
    double share = along / size;
    if (!(size > 0.0 && fabs(share) <= drift_most_stretch)) {
        return error;
    }
    int rows = c->assembly->free_rows, twists = 6 * c->model->body_count;
    for (int r = 0; r < rows; ++r) {
        total[r] += (share - 1.0) * c->lambda[r];
        c->lambda[r] *= share;
    }
    for (int i = 0; i < twists; ++i) {
        c->u_free[i] *= share - 1.0;
    }
    pawl_twists_change(c, c->u_free, s->bodies);
    for (int i = 0; i < twists && share != 1.0; ++i) {
        c->u_free[i] *= share / (share - 1.0); // all of the correction, should it be taken back
    }
    return drift_try(c, s, tau, end);
}

typedef enum drift_end { DRIFT_FAILED, DRIFT_NEARLY, DRIFT_DONE } drift_end;

// Single solves leave in lambda the null-space part of what they were given, 1 / eps times. It moves nothing,
// but reactions are to be those of least norm: P^-1 A lambda has none of it, and A lambda = J (u+ - u) is what
// the impulses did. Where rows are weak, elimination has seen to it already.
static void drift_share_reactions(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    if (!c->shares_reactions) {
        return;
    }
    double *least = c->velocity;
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        c->u_free[i] = c->u_next[i] - c->u_start[i];
    }
    pawl_assembly_row_velocity(a, c->u_free, least);
    for (int r = 0; r < a->free_rows; ++r) {
        least[r] = pawl_assembly_is_hard(a, r) ? least[r] : 0.0;
    }
    a->problem.delassus->ops->solve(a->problem.delassus, least);
    for (int r = 0; r < a->free_rows; ++r) {
        if (pawl_assembly_is_hard(a, r)) { // pawl_drift_account() adds lambda
            c->reaction[a->rows[r].slot] += least[r] - c->lambda[r];
        }
    }
}

// The x of the drift, by Newton's method with the factor at its beginning. Where it fails s is as it
// was. Nearly redundant rows, as those of a linkage that passes through its flat position, let it stall
// with next to nothing left of the error. An exact drift goes on below the tolerance while that helps:
// what is left counts 1 / tau times in the velocities.
static drift_end drift_along(step_context *c, pawl_state *s, double tau, double end,
                             int *iterations)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    double *total = c->rate_before; // (rows) sum of the impulses
    memset(total, 0, (size_t)a->free_rows * sizeof *total);
    pawl_twists_of(m, s->bodies, c->u_start);
    memcpy(c->u_next, c->u_start, (size_t)(6 * m->body_count) * sizeof *c->u_next);
    double last = INFINITY, first = 0.0;
    for (int k = 0; k < DRIFT_MAX_ITERATIONS; ++k) {
        double error = drift_try(c, s, tau, end);
        bool helps = error <= drift_contraction * last;
        if (!helps && k > 0 && pawl_is_weak(&a->problem) && error > drift_tolerance) {
            error = drift_stretch(c, s, tau, end, error, total);
            helps = error <= drift_contraction * last;
        }
        bool done = error <= drift_tolerance && !(c->exact_drift && helps && error > drift_exact);
        first = k == 0 ? error : first;
        bool nearly = !done && !helps && last <= drift_nearly * first;
        if (nearly && error > last) { // the one before was better
            drift_correct(c, s, -1.0, total);
            drift_try(c, s, tau, end);
        }
        if (done || nearly) {
            memcpy(c->lambda, total, (size_t)a->free_rows * sizeof *total);
            drift_share_reactions(c);
            pawl_drift_account(c, s, c->u_met);
            return done ? DRIFT_DONE : DRIFT_NEARLY;
        }
        if (!helps) {
            break;
        }
        last = error;
        if (pawl_is_weak(&a->problem)) {
            memcpy(c->velocity, a->problem.delassus->weak.scratch,
                   (size_t)a->free_rows * sizeof *c->velocity);
        }
        pawl_closure_errors(a, a->v_f);
        for (int r = 0; r < a->free_rows; ++r) {
            a->v_f[r] /= tau;
        }
        pawl_closure_solve(c, drift_accuracy, c->u_free);
        ++*iterations;
        drift_correct(c, s, 1.0, total);
    }
    memcpy(s->bodies, c->from, (size_t)m->body_count * sizeof *s->bodies);
    return DRIFT_FAILED;
}

double pawl_drift_start_limit(const pawl_assembly *a)
{
    const weak_space *weak = a->problem.delassus->weak.space;
    return weak == NULL ? drift_start_error
                        : fmax(drift_start_error, weak->tolerance * weak->length);
}

// A direction that counts again, after a passage through a singular position, finds joints apart by more than
// the numbers of the file explain. Closed by impulses within one drift that would be a velocity: poses are
// moved instead. What the weak space turns by in a step is far less.
static void drift_settle(step_context *c, pawl_state *s, double start, int *iterations)
{
    const weak_space *weak = c->assembly->problem.delassus->weak.space;
    if (weak == NULL) {
        return;
    }
    pawl_weak_follow(&c->assembly->problem);
    if (pawl_closure_error(c->assembly) > weak->apart) {
        *iterations += pawl_project(c, s, start, DRIFT_PROJECT_STEPS, drift_tolerance);
        pawl_drift_account(c, s, c->u_next);
    }
}

bool pawl_drift_poses(step_context *c, pawl_state *s, double tau, double end, int *iterations)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    if (!c->kept) {
        pawl_assembly_place(a, s->bodies, s->coordinates, end - tau, c->damping_time);
    }
    pawl_assembly_pose_closure(a);
    drift_settle(c, s, end - tau, iterations);
    memcpy(c->from, s->bodies, (size_t)m->body_count * sizeof *c->from);
    drift_end along = DRIFT_FAILED;
    if (pawl_closure_error(a) <= pawl_drift_start_limit(a)) {
        pawl_eliminate_factor(&a->problem, c->settings->regularization);
        along = drift_along(c, s, tau, end, iterations);
    }
    if (along == DRIFT_DONE) {
        pawl_assembly_place(a, s->bodies, s->coordinates, end, c->damping_time);
        pawl_assembly_pose_closure(a);
        pawl_eliminate_factor(&a->problem, c->settings->regularization);
    } else {
        if (along == DRIFT_FAILED) {
            // Too far for one Newton basin: move freely, then project. Loses energy, never gains it.
            drift_freely(c, s, tau, end);
        }
        *iterations += pawl_project(c, s, end, DRIFT_PROJECT_STEPS, drift_tolerance);
        pawl_drift_account(c, s, c->u_next);
    }
    c->kept = true;
    return along == DRIFT_DONE;
}

void pawl_drift_velocities(step_context *c, pawl_state *s, double end)
{
    pawl_closure_velocities(c, s, end);
    pawl_drift_account(c, s, c->u_next);
}

int pawl_drift(step_context *c, pawl_state *s, double tau, double end)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
    if (c->assembly->form != NULL) {
        return pawl_reduced_drift(c, s, tau, end);
    }
    if (!c->settings->project || c->assembly->free_rows == 0) {
        drift_freely(c, s, tau, end);
        c->kept = false;
        return 0;
    }
    int iterations = 0;
    if (pawl_drift_poses(c, s, tau, end, &iterations)) {
        pawl_drift_velocities(c, s, end);
    }
    return iterations;
}
