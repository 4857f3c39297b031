// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The position update along the constraints, as in RATTLE (Andersen 1983): from poses q with rows J,
//   q+ = q (+) tau (u + M^-1 J(q)T x)   with x such that f(q+) = 0,
//   u+ = u + M^-1 J(q)T x + M^-1 J(q+)T y   with y such that J(q+) u+ = 0.
// Both impulses act along the rows at an end of the update. That makes it reversible and conserves energy, while a
// plain projection of the poses loses a fraction (tau w)^2 of it each time. One factor serves the y of this update,
// the next velocity update and the x of the next position update. Signs: f is the closure error [m or rad] and v_f =
// f/tau the velocity that rows have to remove. c->u.lambda are impulses of the free rows, `total` their sum over
// Newton's iterations.
#include "step/common/position_update.h"
#include "problem/weak_space.h"
#include "rows/body_lanes.h"
#include "step/common/energy_balance.h"
#include "step/common/free_turn.h"
#include "step/common/least_reactions.h"
#include <string.h>

static const double position_tolerance = 1e-12;  // [m or rad]
static const double position_accuracy = 1.0;     // one solve; the next iteration makes up for it
static const double position_refined = 1e-8;     // where it does not
static const double position_start_error = 1e-9; // beyond it corrections would change the motion
static const double position_contraction = 0.5;  // slower is no convergence
static const double position_lost = 1e3;         // rise of the error that no better solve explains
static const double position_nearly = 1e-3;      // fraction of the error that a projection may take
static const double position_most_stretch = 1e3; // of a correction
static const double position_exact = 1e-16;      // of those that continue while it helps
static const double position_close =
    2e-10; // of the first one: a correction leaves less than the tolerance
static const double position_small = 1e-13; // what the last correction leaves
enum { POSITION_MAX_ITERATIONS = 25, POSITION_PROJECT_STEPS = 30, POSITION_MOST_PARTS = 64 };
enum { POSITION_AT_ONCE = 4 }; // iterations: what they find has not turned by much

// Adds the impulses of hard rows to the reactions. Rows of a joint have their slots one after the other.
static void position_add_reactions(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        int first = b->rows.first_row, own = b->joint >= 0 ? a->joint_rows[b->joint] : 0;
        for (int r = 0; r < own && a->hard[first]; ++r) {
            c->out.reaction[a->rows[first].slot + r] += c->u.lambda[first + r];
        }
        for (int r = first + own; r < first + b->rows.dim; ++r) {
            if (a->hard[r]) {
                pawl_add_reaction(c, r, c->u.lambda[r]);
            }
        }
    }
}

// Impulses of a position update are reactions, too, and prescribed motions do work with them. In an exact update
// (rattle) both are taken at the twists that satisfy the rows.
void pawl_position_balance(step_context *c, pawl_state *s, const body_state *at, double t,
                           const double *consistent)
{
    pawl_defer_reactions(c, at, t, 1.0, c->u.lambda);
    position_add_reactions(c);
    if (c->position.exact) {
        size_t twists = (size_t)(6 * c->model->body_count) * sizeof *consistent;
        memmove(c->u.start, consistent, twists);
        memmove(c->u.next, consistent, twists);
    }
    pawl_balance_drives(c, c->u.lambda, s->work);
}

// Poses along the twists: exact free rotation for rattle, one rotation by tau w for the others.
static void position_freely(const step_context *c, pawl_state *s, double tau, double end)
{
    if (c->position.exact) {
        pawl_advance_freely(c->model, s->bodies, tau, end);
    } else {
        pawl_advance_poses(c->model, s->bodies, s->bodies, tau, end);
    }
}

// Adds `sign` times the correction, impulses in lambda and twists in `change`, to the sum of impulses and to the
// twists; the change has that sign then.
static void position_correct(step_context *c, pawl_state *s, double sign, double *change,
                             double *total)
{
    for (int r = 0; r < c->assembly->free_rows; ++r) {
        total[r] += sign * c->u.lambda[r];
    }
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        change[i] *= sign;
    }
    pawl_twists_change(c, change, s->bodies);
}

// Moves from where the update began by the twists at hand, u.next. Twists of s are kept; only poses go back to where the
// update began.
static void position_move(const step_context *c, pawl_state *s, double tau, double end)
{
    const body_state *from = c->position.from;
    bool lanes = !c->position.exact && !c->assembly->has_drives;
    if (lanes) {
        pawl_bodies_move(c->model, from, c->u.next, tau, s->bodies);
    }
    for (int i = 0; i < c->model->body_count; ++i) {
        body_state *x = &s->bodies[i];
        bool still = v3_max_abs(x->v) == 0.0 && v3_max_abs(x->w) == 0.0;
        if (!lanes || still) { // to the last bit: it may sleep
            x->r = from[i].r;
            x->q = from[i].q;
        }
    }
    if (!lanes) {
        position_freely(c, s, tau, end);
    }
}

// Moves so, and returns the closure error at the end.
static double position_try(step_context *c, pawl_state *s, double tau, double end,
                           const double *total)
{
    position_move(c, s, tau, end);
    pawl_assembly_measure_closure(c->assembly, s->bodies, s->coordinates, end);
    double error = pawl_closure_error(c->assembly);
    return worst_of(error, tau * pawl_rotors_lag(c, tau, total, c->assembly->v_f));
}

// Close to a singular position a row's derivative changes by much within a step, sign included, and Newton's
// method with the factor at its beginning goes too far, or not far enough, along that one direction. The best
// multiple of the last correction, by what it did to the rows, makes up for it (a secant):
//   f = -r0 (r1 - r0) / |r1 - r0|^2,   r0 = before, r1 the rows before and after it.
// Returns the closure error then. For rows that are weak: others keep their path.
static double position_stretch(step_context *c, pawl_state *s, double tau, double end, double error,
                               const double *before, double *total, double *change)
{
    const double *after = c->assembly->problem.delassus->weak.scratch;
    double along = 0.0, size = 0.0;
    for (int r = 0; r < c->assembly->free_rows; ++r) {
        double difference = after[r] - before[r];
        along -= before[r] * difference;
        size += difference * difference;
    }
    double fraction = along / size;
    if (!(size > 0.0 && fabs(fraction) <= position_most_stretch)) {
        return error;
    }
    int rows = c->assembly->free_rows, twists = 6 * c->model->body_count;
    for (int r = 0; r < rows; ++r) {
        total[r] += (fraction - 1.0) * c->u.lambda[r];
        c->u.lambda[r] *= fraction;
    }
    for (int i = 0; i < twists; ++i) {
        change[i] *= fraction - 1.0;
    }
    pawl_twists_change(c, change, s->bodies);
    for (int i = 0; i < twists && fraction != 1.0; ++i) {
        change[i] *= fraction / (fraction - 1.0); // all of the correction, should it be taken back
    }
    return position_try(c, s, tau, end, total);
}

typedef enum position_end {
    POSITION_OPEN,
    POSITION_FAILED,
    POSITION_NEARLY,
    POSITION_UNSEEN, // done, unless the placement that follows finds otherwise
    POSITION_DONE
} position_end;

static double position_kinetic(const pawl_model *m, const body_state *bodies)
{
    double sum = 0.0;
    for (int i = 0; i < m->body_count; ++i) {
        pawl_vec3 w = pawl_quat_rotate(quat_conj(bodies[i].q), bodies[i].w), v = bodies[i].v;
        sum += m->bodies[i].mass * v3_dot(v, v) + v3_dot(w, m3_mul(&m->bodies[i].inertia, w));
    }
    return sum;
}

// A secant may end in another solution, far away. Impulses of smooth motion are at right angles to it and add the square of
// the angle that it turns by; a solution with the impulses of a collision is rejected. Newton's method without a
// secant converges if a motion reverses within the step, as at a dead centre.
static bool position_is_near(const step_context *c, const pawl_state *s, bool stretched)
{
    double rise = stretched ? pawl_position_rise : pawl_position_most_rise;
    return position_kinetic(c->model, s->bodies) <=
           rise * position_kinetic(c->model, c->position.from);
}

// Whether the error after a correction of that error, following one of `last` unless it is the first, is so small
// that it need not be checked. The first error is that of the turns of the update, of order (tau w)^2, and a
// correction by the factor of its beginning leaves a fraction of order tau w of it.
static bool position_is_last(const step_context *c, int k, double error, double last)
{
    const pawl_problem *p = &c->assembly->problem;
    return !c->position.exact && !c->assembly->has_armatures && pawl_eliminate_is_exact(p) &&
           (k == 0 ? error <= position_close : error * error <= position_small * last);
}

static position_end position_arrive(step_context *c, pawl_state *s, double t, const double *total,
                                    position_end as)
{
    memcpy(c->u.lambda, total, (size_t)c->assembly->free_rows * sizeof *total);
    pawl_least_reactions(c);
    pawl_position_balance(c, s, c->position.from, t, c->position.consistent);
    pawl_rotors_end(c, total);
    return as;
}

// The x of the update, by Newton's method with the factor at its beginning. Where it fails s is as it
// was. Nearly redundant rows, as those of a linkage that passes through its flat position, let it stall
// with next to nothing left of the error. An exact update continues below the tolerance while that helps:
// what is left counts 1 / tau times in the velocities.
static position_end position_newton(step_context *c, pawl_state *s, double tau, double end,
                                    double *total, double *before, double *change, int *iterations)
{
    const pawl_model *m = c->model;
    pawl_assembly *a = c->assembly;
    memset(total, 0, (size_t)a->free_rows * sizeof *total);
    pawl_twists_of(m, s->bodies, c->u.start);
    memcpy(c->u.next, c->u.start, (size_t)(6 * m->body_count) * sizeof *c->u.next);
    double last = INFINITY, first = 0.0, accuracy = position_accuracy;
    bool stretched = false;
    for (int k = 0; k < POSITION_MAX_ITERATIONS; ++k) {
        double error = position_try(c, s, tau, end, total);
        bool helps = error <= position_contraction * last;
        if (!helps && last > position_nearly * first && k > 0 && pawl_is_weak(&a->problem) &&
            error > position_tolerance) {
            error = position_stretch(c, s, tau, end, error, before, total, change);
            stretched = true;
            helps = error <= position_contraction * last;
        }
        // A shifted factor hardly includes the effect of bodies many millions of times lighter than others: then
        // solves are refined before the update is divided.
        if (!helps && k > 0 && c->position.light_bodies && accuracy == position_accuracy &&
            !pawl_is_weak(&a->problem) && !a->problem.delassus->dropped &&
            !pawl_eliminate_is_exact(&a->problem)) {
            accuracy = position_refined;
            helps = error <= position_lost * last;
        }
        bool done =
            error <= position_tolerance && !(c->position.exact && helps && error > position_exact);
        first = k == 0 ? error : first;
        bool nearly = !done && !helps && last <= position_nearly * first &&
                      !a->problem.delassus->dropped; // a shifted factor may do better
        if (nearly && error > last) {                // the one before was better
            position_correct(c, s, -1.0, change, total);
            position_try(c, s, tau, end, total);
        }
        if ((done || nearly) && (stretched || k >= POSITION_AT_ONCE) &&
            !position_is_near(c, s, stretched)) {
            break;
        }
        if (done || nearly) {
            return position_arrive(c, s, end - tau, total, done ? POSITION_DONE : POSITION_NEARLY);
        }
        if (!helps) {
            break;
        }
        bool final = position_is_last(c, k, error, last);
        last = error;
        if (pawl_is_weak(&a->problem)) {
            memcpy(before, a->problem.delassus->weak.scratch,
                   (size_t)a->free_rows * sizeof *before);
        }
        pawl_closure_errors(a, a->v_f);
        for (int r = 0; r < a->free_rows; ++r) {
            a->v_f[r] /= tau;
        }
        pawl_rotors_lag(c, tau, total, a->v_f);
        pawl_closure_solve(c, accuracy, change);
        ++*iterations;
        position_correct(c, s, 1.0, change, total);
        if (final && k >= POSITION_AT_ONCE && !position_is_near(c, s, stretched)) {
            break;
        }
        if (final) {
            position_move(c, s, tau, end);
            return position_arrive(c, s, end - tau, total, POSITION_UNSEEN);
        }
    }
    memcpy(s->bodies, c->position.from, (size_t)m->body_count * sizeof *s->bodies);
    return POSITION_FAILED;
}

static position_end position_along(step_context *c, pawl_state *s, double tau, double end,
                                   int *iterations)
{
    size_t mark = pawl_arena_mark(&c->scratch);
    double *total = pawl_take_rows(c), *before = pawl_take_rows(c), *change = pawl_take_twists(c);
    position_end result = position_newton(c, s, tau, end, total, before, change, iterations);
    pawl_arena_release(&c->scratch, mark);
    return result;
}

// Again with a shifted factor. Rows that repeat others where the update begins contradict them by second order terms
// on the way: those that were dropped are then left open, where a shift meets all of them in the least-squares sense.
static position_end position_with_shift(step_context *c, pawl_state *s, double tau, double end,
                                        int *iterations)
{
    pawl_problem *p = &c->assembly->problem;
    p->delassus->drops_redundant = false;
    p->delassus->factored = 0;
    pawl_eliminate_factor(p, c->settings->solver.regularization);
    position_end result = position_along(c, s, tau, end, iterations);
    p->delassus->drops_redundant = true;
    p->delassus->factored = 0;
    return result;
}

// Twists in world axes are constant over `duration`. Kinematic bodies are where their function has them at time t.
// Point masses do not rotate, and bodies without a twist keep their bits, because they may sleep.
void pawl_advance_poses(const pawl_model *m, const body_state *twists, body_state *bodies,
                        double duration, double t)
{
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        body_state *x = &bodies[i];
        if (b->kind == PAWL_BODY_KINEMATIC) {
            pawl_pose pose = pawl_kinematic_pose(b, t);
            x->r = pose.position;
            x->q = pose.orientation;
            continue;
        }
        if (v3_max_abs(twists[i].v) == 0.0 && v3_max_abs(twists[i].w) == 0.0) {
            continue;
        }
        x->r = v3_axpy(x->r, duration, twists[i].v);
        if (b->kind == PAWL_BODY_RIGID) {
            x->q = quat_advance(x->q, v3_scale(duration, twists[i].w));
        }
    }
}

// A start that is open by more is projected first: impulses that close it would add velocities of order f/tau.
double pawl_position_start_limit(const pawl_assembly *a)
{
    const weak_space *weak = a->problem.delassus->weak.space;
    return weak == NULL ? position_start_error
                        : fmax(position_start_error, weak->tolerance * weak->length);
}

// A direction that counts again, after a passage through a singular position, finds joints apart by more than
// the numbers of the file explain. Closed by impulses within one update that would be a velocity: poses are
// moved instead. What the weak space turns by in a step is far less.
void pawl_position_settle(step_context *c, pawl_state *s, double start, int *iterations)
{
    const weak_space *weak = c->assembly->problem.delassus->weak.space;
    if (weak == NULL) {
        return;
    }
    pawl_weak_follow(&c->assembly->problem);
    if (pawl_closure_error(c->assembly) > weak->apart) {
        *iterations += pawl_project(c, s, start, POSITION_PROJECT_STEPS, position_tolerance);
        pawl_position_balance(c, s, s->bodies, start, c->u.next);
        for (int i = 0; i < c->model->body_count; ++i) { // pawl_project() keeps where it began
            pawl_vec3 displacement = v3_sub(s->bodies[i].r, c->position.from[i].r);
            c->out.settled = fmax(c->out.settled, v3_norm(displacement));
        }
    }
}

// Places rows where the update begins and finds the poses along the constraints. POSITION_OPEN: joints are too far
// apart there for that.
static position_end position_begin(step_context *c, pawl_state *s, double tau, double end,
                                   int *iterations)
{
    pawl_assembly *a = c->assembly;
    if (!c->placed) {
        pawl_assembly_place(a, s->bodies, s->coordinates, end - tau, c->u.damping_time);
    }
    pawl_assembly_build_closure(a);
    pawl_position_settle(c, s, end - tau, iterations);
    memcpy(c->position.from, s->bodies, (size_t)c->model->body_count * sizeof *c->position.from);
    pawl_rotors_begin(c, s);
    if (!(pawl_closure_error(a) <= pawl_position_start_limit(a))) {
        return POSITION_OPEN;
    }
    pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
    position_end along = position_along(c, s, tau, end, iterations);
    if (along == POSITION_FAILED && a->problem.delassus->dropped) {
        along = position_with_shift(c, s, tau, end, iterations);
    }
    return along;
}

// Rows placed and factored at the new poses, where the next velocity update begins; with a projection back onto the
// constraints where the update did not follow them, after which twists are in the tangents. Returns whether it did.
static bool position_finish(step_context *c, pawl_state *s, double tau, double end,
                            position_end along, int *iterations)
{
    pawl_assembly *a = c->assembly;
    bool done = along == POSITION_DONE || along == POSITION_UNSEEN;
    if (done) {
        pawl_assembly_place(a, s->bodies, s->coordinates, end, c->u.damping_time);
        pawl_assembly_build_closure(a);
        done = along == POSITION_DONE || pawl_closure_error(a) <= position_tolerance;
    }
    if (done) {
        pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
    } else {
        if (along != POSITION_NEARLY && along != POSITION_UNSEEN) {
            // Too far for one Newton basin: move freely, then project. Loses energy, never gains it.
            position_freely(c, s, tau, end);
        }
        *iterations += pawl_project(c, s, end, POSITION_PROJECT_STEPS, position_tolerance);
        pawl_position_balance(c, s, s->bodies, end, c->u.next);
    }
    c->placed = true;
    return done;
}

bool pawl_position_poses(step_context *c, pawl_state *s, double tau, double end, int *iterations)
{
    position_end along = position_begin(c, s, tau, end, iterations);
    return position_finish(c, s, tau, end, along, iterations);
}

// The y of the update: twists back into the tangents at the new poses, where the assembly must be placed and
// factored.
void pawl_position_velocities(step_context *c, pawl_state *s, double end)
{
    pawl_closure_velocities(c, s, end);
    pawl_position_balance(c, s, s->bodies, end, c->u.next);
}

// A part of the update in maximal coordinates. False where Newton's method fails and a shorter part may do better.
static bool position_part(step_context *c, pawl_state *s, double tau, double end, bool last,
                          int *iterations)
{
    position_end along = position_begin(c, s, tau, end, iterations);
    if (along == POSITION_FAILED && !last) {
        return false;
    }
    if (position_finish(c, s, tau, end, along, iterations)) {
        pawl_position_velocities(c, s, end);
    }
    return true;
}

// Without `project` poses move freely, and the next velocity update finds joints as they are. Rotors are turned by
// their new rows all the same, which twists in the tangents do.
static void position_unbound(step_context *c, pawl_state *s, double tau, double end)
{
    pawl_assembly *a = c->assembly;
    if (!a->has_armatures) {
        position_freely(c, s, tau, end);
        c->placed = false;
        return;
    }
    if (!c->placed) {
        pawl_assembly_place(a, s->bodies, s->coordinates, end - tau, c->u.damping_time);
    }
    position_freely(c, s, tau, end);
    pawl_rotors_turn(c, s, end);
}

// Newton's method fails where rows change by much on the way, as they do next to a singular position. Bodies that
// moved freely there and were projected back would lose most of the energy across it; the same motion in shorter parts
// keeps it. Where the shortest part fails as well there is no such path for these numbers, and the rest of
// the way is taken at once. Returns the number of Newton iterations and projections, for the report.
int pawl_position_update(step_context *c, pawl_state *s, double tau, double end)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
    bool tree = c->coordinates->ops->has_tree_joints, last = false;
    if (!tree && (!c->settings->project || c->assembly->free_rows == 0)) {
        position_unbound(c, s, tau, end);
        return 0;
    }
    int iterations = 0, parts = 1, left = 1; // of the same length each
    while (left > 0) {
        int take = last ? left : 1;
        double length = tau * take / parts,
               at = left > take ? end - tau * (left - take) / parts : end;
        if ((tree ? pawl_reduced_position_part : position_part)(c, s, length, at, last,
                                                                &iterations)) {
            left -= take;
            continue;
        }
        c->placed = false; // only the start is, and rows were measured elsewhere
        last = parts == POSITION_MOST_PARTS;
        parts *= last ? 1 : 2;
        left *= last ? 1 : 2;
    }
    return iterations;
}
