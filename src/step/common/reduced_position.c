// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The position update of position_update.c in reduced coordinates. Bodies move by twists d from poses of the tree to
// others, r+ = r + tau d, q+ = exp(tau d) q; the coordinates' rates q' of that displacement, and impulses x of the
// remaining rows, are such that only the joints of the tree contribute to the difference from the twists u before it,
//   XT (M (d - u) - JT x) = 0,   f(q+) = 0,
// with X, M and J at the beginning. Then the twists d are projected onto the tree (and rows) at the end. It is the
// same motion as in maximal coordinates, but the joints of the tree are always closed. position_rate (columns) are
// the rates q', position_change (columns) their change in an iteration, total (free rows) the impulses x. In the end
// c->u.next has the displacement d as twists (6 x bodies).
#include "coordinates/reduced_coordinates.h"
#include "linalg/dense.h"
#include "step/common/least_reactions.h"
#include "step/common/position_update.h"
#include <string.h>

static const double reduced_position_tolerance = 1e-13; // of the coordinates [m or rad]
static const double reduced_position_closed = 1e-12;    // of the rows that are left [m or rad]
static const double reduced_position_contraction = 0.5; // slower is no convergence
enum {
    REDUCED_POSITION_ITERATIONS = 40,
    REDUCED_POSITION_SECANTS = 15,
    REDUCED_POSITION_AT_ONCE = 4, // what they find has not turned by much
    REDUCED_POSITION_PROJECT = 30
};

// Poses of the coordinates that the rates lead to.
static void reduced_position_place(step_context *c, pawl_state *s, double tau, double end)
{
    reduced_form *f = pawl_reduced_form_of(c->coordinates);
    pawl_reduced_config_copy(f->tree, &f->config, &f->target);
    for (int k = 0; k < f->tree->column_count; ++k) {
        f->target.theta[k] += tau * f->position_rate[k];
    }
    pawl_reduced_place_poses(f->ahead, &f->target, end);
    pawl_reduced_write_bodies(f->ahead, false, s->bodies);
}

// A floating link moves by constant twists, which the rates give without the rounding of poses.
static void reduced_position_floating(const reduced_form *f, int link, double *d)
{
    const reduced_link *l = &f->tree->links[link];
    memset(d, 0, 6 * sizeof *d);
    for (int k = l->first_column; k < l->first_column + l->column_count; ++k) {
        pawl_twist u = pawl_reduced_column_at(f->motion, k, f->motion->position[link]);
        double x[6] = {u.linear.x, u.linear.y, u.linear.z, u.angular.x, u.angular.y, u.angular.z};
        for (int i = 0; i < 6; ++i) {
            d[i] += f->position_rate[k] * x[i];
        }
    }
}

// d (6 x bodies): the constant twists that lead from c->position.from to s.
static void reduced_position_displacement(const step_context *c, const pawl_state *s, double tau,
                                          double *d)
{
    const reduced_form *f = pawl_reduced_form_of(c->coordinates);
    for (int i = 0; i < c->model->body_count; ++i, d += 6) {
        const body_state *to = &s->bodies[i], *from = &c->position.from[i];
        int link = f->tree->link_of_body[i];
        if (f->tree->base != REDUCED_BASE_EULER && f->tree->links[link].joint < 0 &&
            !f->tree->links[link].driven) {
            reduced_position_floating(f, link, d);
            continue;
        }
        pawl_vec3 v = v3_scale(1.0 / tau, v3_sub(to->r, from->r));
        pawl_vec3 w = v3_scale(1.0 / tau, quat_log(quat_mul(to->q, quat_conj(from->q))));
        d[0] = v.x, d[1] = v.y, d[2] = v.z, d[3] = w.x, d[4] = w.y, d[5] = w.z;
    }
}

// The error of the rates if bodies move by c->u.next and the rows have the impulses `total`. H^-1 XT (M (d - u)) is
// what the bodies changed by, H^-1 XT JT x what the impulses gave; the rates lack the difference.
static void reduced_position_momentum(step_context *c, bool closes, const double *total,
                                      double *change)
{
    reduced_form *f = pawl_reduced_form_of(c->coordinates);
    int n = 6 * c->model->body_count;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *jump = pawl_take_twists(c);
    for (int i = 0; i < n; ++i) {
        jump[i] = c->u.next[i] - c->u.start[i];
    }
    pawl_reduced_form_momenta(f, jump, jump);
    pawl_reduced_form_answer(f, jump, change);
    if (closes) {
        memset(jump, 0, (size_t)n * sizeof *jump);
        pawl_reduced_form_add_impulses(f, c->assembly, total, jump);
    }
    pawl_arena_release(&c->scratch, mark);
    for (int k = 0; k < f->tree->column_count; ++k) {
        // the rates that the impulses gave were left there
        change[k] = (closes ? f->start[k] : 0.0) - change[k];
    }
}

// Adds what the rows need to close, to impulses and to the change of the rates.
static void reduced_position_close(step_context *c, double tau, double *total, double *change)
{
    pawl_assembly *a = c->assembly;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *twists = pawl_take_twists(c);
    memset(twists, 0, (size_t)(6 * c->model->body_count) * sizeof *twists);
    pawl_reduced_form_add_twists(pawl_reduced_form_of(c->coordinates), change, twists);
    pawl_assembly_row_velocity(a, twists, a->v_f);
    double *errors = pawl_take_rows(c);
    pawl_closure_errors(a, errors);
    pawl_rotors_lag(c, tau, total, errors);
    for (int r = 0; r < a->free_rows; ++r) {
        if (pawl_assembly_is_hard(a, r)) {
            a->v_f[r] += errors[r] / tau;
        } else {
            a->v_f[r] = pawl_assembly_armature(a, r) > 0.0 ? a->v_f[r] + errors[r] : 0.0;
        }
    }
    // The solve leaves the rates of its impulses in f->start, as every product with impulses in these coordinates
    // does.
    pawl_closure_solve(c, 1.0, twists);
    pawl_arena_release(&c->scratch, mark);
    for (int r = 0; r < a->free_rows; ++r) {
        total[r] += c->u.lambda[r];
    }
    for (int k = 0; k < pawl_reduced_form_of(c->coordinates)->tree->column_count; ++k) {
        change[k] += pawl_reduced_form_of(c->coordinates)->start[k];
    }
}

// What the last iteration of the Newton's method below found and did, rates and impulses.
typedef struct reduced_secant {
    double *change, *moved;   // (columns)
    double *impulse, *pushed; // (free rows)
    bool known, on;
} reduced_secant;

static reduced_secant reduced_secant_take(step_context *c)
{
    return (reduced_secant){.change = pawl_take_twists(c), // room for all columns
                            .moved = pawl_take_twists(c),
                            .impulse = pawl_take_rows(c),
                            .pushed = pawl_take_rows(c)};
}

// Close to a singular position the matrices of the beginning are wrong along one direction by the end, and the
// iteration z <- z + g(z) goes too far along it, or not far enough. The best multiple of the last change of g, by what
// it did (a secant; Anderson's method of depth 1), makes up for it:
//   z <- z + g - f ((z - z') + (g - g')),   f = g (g - g') / |g - g'|^2,   ' the iteration before.
// `change` and `total` have g already where it is not on.
static void reduced_secant_step(reduced_secant *s, int columns, int rows, const double *lambda,
                                double *change, double *total)
{
    double along = 0.0, size = 0.0;
    for (int k = 0; k < columns && s->on; ++k) {
        double difference = change[k] - s->change[k];
        along += change[k] * difference;
        size += difference * difference;
    }
    double fraction = size > 0.0 ? along / size : 0.0;
    for (int k = 0; k < columns; ++k) {
        double own = change[k];
        change[k] -= fraction == 0.0 ? 0.0 : fraction * (s->moved[k] + own - s->change[k]);
        s->change[k] = own;
        s->moved[k] = change[k];
    }
    for (int r = 0; r < rows; ++r) {
        double own = lambda[r];
        double back = fraction == 0.0 ? 0.0 : fraction * (s->pushed[r] + own - s->impulse[r]);
        total[r] -= back;
        s->impulse[r] = own;
        s->pushed[r] = own - back;
    }
    s->known = true;
}

// Twice the kinetic energy of the bodies at twists u.
// uT M u with the masses where the tree is placed.
static double reduced_position_energy(step_context *c, const double *u)
{
    size_t mark = pawl_arena_mark(&c->scratch);
    double *momenta = pawl_take_twists(c);
    pawl_reduced_form_momenta(pawl_reduced_form_of(c->coordinates), u, momenta);
    double energy = pawl_dot(u, momenta, 6 * c->model->body_count);
    pawl_arena_release(&c->scratch, mark);
    return energy;
}

// A secant may converge to another, distant solution: one with the impulses of a collision is rejected. So may
// Newton's method where a motion turns back within the step.
static bool reduced_position_is_near(step_context *c, bool secant)
{
    double rise = secant ? pawl_position_rise : pawl_position_most_rise;
    return reduced_position_energy(c, c->u.next) <= rise * reduced_position_energy(c, c->u.start);
}

// Newton's method with the matrices of the beginning. False when it does not converge.
static bool reduced_position_newton(step_context *c, pawl_state *s, double tau, double end,
                                    bool closes, double *total, int *iterations)
{
    pawl_assembly *a = c->assembly;
    reduced_form *f = pawl_reduced_form_of(c->coordinates);
    double *change = f->position_change, last = INFINITY;
    reduced_secant secant = reduced_secant_take(c);
    memset(total, 0, (size_t)a->free_rows * sizeof *total);
    for (int k = 0; k < REDUCED_POSITION_ITERATIONS; ++k) {
        reduced_position_place(c, s, tau, end);
        reduced_position_displacement(c, s, tau, c->u.next);
        reduced_position_momentum(c, closes, total, change);
        double open = 0.0;
        if (closes) {
            pawl_assembly_place_residuals(a, s->bodies, s->coordinates, end);
            open = pawl_closure_error(a);
            reduced_position_close(c, tau, total, change);
        }
        double error = 0.0;
        for (int i = 0; i < f->tree->column_count; ++i) {
            error = max_of(error, fabs(tau * change[i]));
        }
        bool stalls = !(error <= reduced_position_contraction * last); // by rounding, too
        // What the change leaves is less than it by as much as it is less than the last one.
        double left = k > 0 && !stalls && !secant.on ? error / last : 1.0;
        bool done = left * error <= (stalls ? 1e3 : 1.0) * reduced_position_tolerance;
        secant.on = secant.on || (stalls && !done);
        bool lost = k >= REDUCED_POSITION_SECANTS || !(closes && secant.known && isfinite(error));
        if (secant.on && lost) {
            return false;
        }
        last = error;
        ++*iterations;
        if (closes) {
            reduced_secant_step(&secant, f->tree->column_count, a->free_rows, c->u.lambda, change,
                                total);
        }
        for (int i = 0; i < f->tree->column_count; ++i) {
            f->position_rate[i] += change[i];
        }
        if (done && left * open <= reduced_position_closed) {
            // with the last change as well: left out it would be an error of one sign in every step
            reduced_position_place(c, s, tau, end);
            reduced_position_displacement(c, s, tau, c->u.next);
            if ((secant.on || (closes && k >= REDUCED_POSITION_AT_ONCE)) &&
                !reduced_position_is_near(c, secant.on)) {
                return false;
            }
            if (closes) {
                pawl_least_impulses(c, total);
            }
            memcpy(c->u.lambda, total, (size_t)a->free_rows * sizeof *total);
            if (closes) {
                pawl_rotors_end(c, total);
            }
            return true;
        }
    }
    return false;
}

// Takes its scratch and gives it back, whatever the result.
static bool reduced_position_along(step_context *c, pawl_state *s, double tau, double end,
                                   bool closes, int *iterations)
{
    size_t mark = pawl_arena_mark(&c->scratch);
    bool found = reduced_position_newton(c, s, tau, end, closes, pawl_take_rows(c), iterations);
    pawl_arena_release(&c->scratch, mark);
    return found;
}

// Again with a shifted factor: see position_with_shift() of position_update.c.
static bool reduced_position_with_shift(step_context *c, pawl_state *s, double tau, double end,
                                        int *iterations)
{
    pawl_problem *p = &c->assembly->problem;
    reduced_form *f = pawl_reduced_form_of(c->coordinates);
    memcpy(s->bodies, c->position.from, (size_t)c->model->body_count * sizeof *s->bodies);
    pawl_reduced_rate_from(f->motion, s->bodies, f->position_rate);
    p->delassus->drops_redundant = false;
    p->delassus->factored = 0;
    pawl_eliminate_factor(p, c->settings->solver.regularization);
    bool found = reduced_position_along(c, s, tau, end, true, iterations);
    p->delassus->drops_redundant = true;
    p->delassus->factored = 0;
    return found;
}

// Kinematic bodies keep the twists that they are given.
static void reduced_position_set_twists(const step_context *c, const double *u, body_state *bodies)
{
    for (int i = 0; i < c->model->body_count; ++i, u += 6) {
        if (c->model->bodies[i].kind != PAWL_BODY_KINEMATIC) {
            bodies[i].v = v3(u[0], u[1], u[2]);
            bodies[i].w = v3(u[3], u[4], u[5]);
        }
    }
}

// Impulses of all joints that lead from twists `from` to `to`: those of the rows are in lambda.
// They act at the poses `at` of time t.
static void reduced_position_balance(step_context *c, pawl_state *s, const body_state *at, double t,
                                     const double *from, const double *to)
{
    pawl_position_balance(c, s, at, t, to);
    s->work[WORK_MOTION] += pawl_coordinates_reactions(c->coordinates, c->u.lambda, from, to, from,
                                                       to, c->u.applied, c->out.reaction);
}

// Twists of s, at its poses, to those that the tree allows, with `closes` those that all rows allow. `known`: the
// coordinates of the poses are those that the update arrived at.
static void reduced_position_velocities(step_context *c, pawl_state *s, double t, bool closes,
                                        bool known)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    if (known) {
        pawl_reduced_form_arrive(pawl_reduced_form_of(c->coordinates));
    }
    pawl_assembly_place(a, s->bodies, s->coordinates, t, c->u.damping_time);
    pawl_assembly_build_closure(a);
    pawl_twists_of(m, s->bodies, c->u.own);
    if (closes) {
        pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
        pawl_closure_velocities(c, s, t);
    } else {
        memcpy(c->u.next, c->u.own, (size_t)(6 * m->body_count) * sizeof *c->u.next);
        pawl_reduced_form_constrain(pawl_reduced_form_of(c->coordinates), c->u.next);
        memset(c->u.lambda, 0, (size_t)a->free_rows * sizeof *c->u.lambda);
        reduced_position_set_twists(c, c->u.next, s->bodies);
    }
    // all impulses, those of the tree included, act between these two
    memcpy(c->u.start, c->u.own, (size_t)(6 * m->body_count) * sizeof *c->u.start);
    reduced_position_balance(c, s, s->bodies, t, c->u.own, c->u.next);
}

// Whether some row is to be closed, or resists a change of rates: rows of springs and drives take no part.
static bool reduced_position_has_rows(const step_context *c)
{
    const pawl_assembly *a = c->assembly;
    bool any = false;
    for (int r = 0; r < a->free_rows && !any; ++r) {
        any = pawl_assembly_is_hard(a, r) || pawl_assembly_armature(a, r) > 0.0;
    }
    return any && c->settings->project;
}

// The coordinates alone at constant rates. Their inertia changes on the way; energy is not to grow by that.
static void reduced_position_anyway(step_context *c, pawl_state *s, double tau, double end)
{
    reduced_form *f = pawl_reduced_form_of(c->coordinates);
    pawl_reduced_rate_from(f->motion, c->position.from, f->position_rate);
    pawl_reduced_place(f->ahead, &f->config, end - tau);
    pawl_reduced_move(f->ahead, f->position_rate);
    double before = pawl_reduced_kinetic_energy(f->ahead);
    reduced_position_place(c, s, tau, end);
    pawl_reduced_place(f->ahead, &f->target, end);
    pawl_reduced_move(f->ahead, f->position_rate);
    double after = pawl_reduced_kinetic_energy(f->ahead);
    if (after > before) {
        for (int k = 0; k < f->tree->column_count; ++k) {
            f->position_rate[k] *= sqrt(before / after);
        }
        pawl_reduced_move(f->ahead, f->position_rate);
    }
    pawl_reduced_write_bodies(f->ahead, true, s->bodies);
}

// With the coordinates of the tree as unknowns: tree joints stay closed whatever happens, and loops are closed by
// Newton steps on the rates.
bool pawl_reduced_position_part(step_context *c, pawl_state *s, double tau, double end, bool last,
                                int *iterations)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    reduced_form *f = pawl_reduced_form_of(c->coordinates);
    if (!c->placed) {
        pawl_assembly_place(a, s->bodies, s->coordinates, end - tau, c->u.damping_time);
    }
    pawl_assembly_build_closure(a);
    bool closes = reduced_position_has_rows(c);
    if (closes) {
        pawl_position_settle(c, s, end - tau, iterations);
    }
    bool near = !closes || pawl_closure_error(a) <= pawl_position_start_limit(a);
    if (closes && near) {
        pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
    }
    memcpy(c->position.from, s->bodies, (size_t)m->body_count * sizeof *c->position.from);
    pawl_twists_of(m, s->bodies, c->u.start);
    pawl_reduced_rate_from(f->motion, s->bodies, f->position_rate);
    if (closes) {
        pawl_rotors_begin(c, s);
    }
    bool along = near && reduced_position_along(c, s, tau, end, closes, iterations);
    if (near && !along && closes && a->problem.delassus->dropped) {
        along = reduced_position_with_shift(c, s, tau, end, iterations);
    }
    if (along) {
        reduced_position_balance(c, s, c->position.from, end - tau, c->u.start, c->u.next);
        reduced_position_set_twists(c, c->u.next, s->bodies);
    } else if (near && !last) {
        memcpy(s->bodies, c->position.from, (size_t)m->body_count * sizeof *s->bodies);
        return false;
    } else {
        reduced_position_anyway(c, s, tau, end);
        if (closes) {
            *iterations +=
                pawl_project(c, s, end, REDUCED_POSITION_PROJECT, reduced_position_closed);
        }
    }
    reduced_position_velocities(c, s, end, closes, along && c->position.passes);
    c->placed = true;
    return true;
}
