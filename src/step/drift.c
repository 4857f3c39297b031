// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Drift along the constraints, as in RATTLE (Andersen 1983): from poses q with rows J,
//   q+ = q (+) tau (u + M^-1 J(q)T x)   with x such that f(q+) = 0,
//   u+ = u + M^-1 J(q)T x + M^-1 J(q+)T y   with y such that J(q+) u+ = 0.
// Both impulses act along the rows at an end of the drift. That makes it reversible, and so keeps
// the energy, where a plain projection of the poses loses a share (tau w)^2 of it each time. One
// factor serves the y of this drift, the next kick and the x of the next drift.
#include "step/stepper_ops.h"
#include <string.h>

static const double drift_tolerance = 1e-12;  // [m or rad]
static const double drift_accuracy = 1.0;     // one solve; the next iteration makes up for it
static const double drift_start_error = 1e-9; // beyond it corrections would be kicks
static const double drift_contraction = 0.5;  // slower is no convergence
enum { DRIFT_MAX_ITERATIONS = 25, DRIFT_PROJECT_STEPS = 30 };

// Adds a closure impulse in c->lambda to the reactions, and its work where something drives it.
static void drift_account(step_context *c, pawl_state *s)
{
    const pawl_assembly *a = c->assembly;
    for (int r = 0; r < a->free_rows; ++r) {
        if (pawl_assembly_is_hard(a, r)) {
            c->reaction[a->rows[r].slot] += c->lambda[r];
        }
    }
    pawl_count_driven_work(c, c->lambda, s->work);
}

// The x of the drift, by Newton's method with the factor at its beginning. False when that does not
// converge: s is then as it was.
static bool drift_along(step_context *c, pawl_state *s, double tau, double end, int *iterations)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    double *total = c->rate_before; // (rows) sum of the impulses
    memset(total, 0, (size_t)a->free_rows * sizeof *total);
    pawl_twists_of(m, s->bodies, c->u_start);
    memcpy(c->u_next, c->u_start, (size_t)(6 * m->body_count) * sizeof *c->u_next);
    double last = INFINITY;
    for (int k = 0; k < DRIFT_MAX_ITERATIONS; ++k) {
        for (int i = 0; i < m->body_count; ++i) {
            s->bodies[i].r = c->from[i].r;
            s->bodies[i].q = c->from[i].q;
        }
        pawl_advance_poses(m, s->bodies, s->bodies, tau, end);
        pawl_assembly_place_residuals(a, s->bodies, s->coordinates, end);
        double error = pawl_closure_error(a);
        if (error <= drift_tolerance) {
            memcpy(c->lambda, total, (size_t)a->free_rows * sizeof *total);
            drift_account(c, s);
            return true;
        }
        if (!(error <= drift_contraction * last)) {
            break;
        }
        last = error;
        for (int r = 0; r < a->free_rows; ++r) {
            a->v_f[r] = pawl_assembly_is_hard(a, r) ? a->residual[r] / tau : 0.0;
        }
        pawl_closure_solve(c, drift_accuracy, c->u_free);
        ++*iterations;
        for (int r = 0; r < a->free_rows; ++r) {
            total[r] += c->lambda[r];
        }
        pawl_twists_change(c, c->u_free, s->bodies);
    }
    memcpy(s->bodies, c->from, (size_t)m->body_count * sizeof *s->bodies);
    return false;
}

int pawl_drift(step_context *c, pawl_state *s, double tau, double end)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    if (!c->settings->project || a->free_rows == 0) {
        pawl_advance_poses(m, s->bodies, s->bodies, tau, end);
        c->kept = false;
        return 0;
    }
    if (!c->kept) {
        pawl_assembly_place(a, s->bodies, s->coordinates, end - tau, c->damping_time);
    }
    pawl_assembly_pose_closure(a);
    memcpy(c->from, s->bodies, (size_t)m->body_count * sizeof *c->from);
    int iterations = 0;
    bool along = false;
    if (pawl_closure_error(a) <= drift_start_error) {
        pawl_eliminate_factor(&a->problem, c->settings->regularization);
        along = drift_along(c, s, tau, end, &iterations);
    }
    if (along) {
        pawl_assembly_place(a, s->bodies, s->coordinates, end, c->damping_time);
        pawl_assembly_pose_closure(a);
        pawl_eliminate_factor(&a->problem, c->settings->regularization);
        pawl_closure_velocities(c, s, end);
    } else {
        // Too far for one Newton basin: move freely, then project. Loses energy, never gains it.
        pawl_advance_poses(m, s->bodies, s->bodies, tau, end);
        iterations += pawl_project(c, s, end, DRIFT_PROJECT_STEPS, drift_tolerance);
    }
    drift_account(c, s);
    c->kept = true;
    return iterations;
}
