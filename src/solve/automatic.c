// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// auto: stages in the order of their cost, until one converges.
//
// Without contacts the direct method is exact. With contacts all but the last stage work in the velocity space
// (problem/velocity_space.h), where a Newton-like step is one sparse factor over the bodies:
//   0. the impulses of the last step, if they also solve this one;
//   1. Newton's method for Alart and Curnier's map (curnier.c): one step at rest, a few where modes change;
//   2. close to the solution, the proximal point method around 1 (proximal.c), for loads that shift among the corners
//      of a face;
//   3. for few bodies and for mechanisms of few velocities, accelerated gradients (accelerated.c), and the augmented
//      Lagrangian (augmented.c), for one to three bodies before 4, for more after it;
//   4. an interior point (interior_point.c), for moving bodies, and 2 from its last point; then, for mechanisms of
//      few rows, a path of regularized problems (continuation.c), for feet that press against each other;
//   5. for heaps, sweeps (space_sweep.c), which reduce the remaining residual of jammed contacts, and 2; 4 again from
//      other starts, and along its path by arc length (interior_path.c) if the path has turning points; then 5 again;
//      each of 3, 4 and 5 ends with 1, which gives the last digits;
//   6. alternating directions and the smoothing Newton method in turn, for problems that the others do not solve and
//      for operators without a velocity space; of all stages the best iterate is kept.
// All decisions depend only on the problem and its warm start, so that a resumed run has the same bits.
//
// Stages aim at a hundredth of the tolerance and accept half of it (nine tenths for free bodies, whose residual gets
// no further contributions). The error of one step is part of the next one's free motion: a stack at rest, solved
// only to the tolerance, would vibrate and need a solution in each step. A warm start is accepted only if, in
// addition, its residual is not far above the speeds of the bodies (solver_goal.start).
//
// solver.max_iterations limits the factorizations of all stages and the iterations of 6 together; gradients and sweeps,
// which are far cheaper, have limits of their own.
#include "problem/natural.h"
#include "solve/accelerated.h"
#include "solve/augmented.h"
#include "solve/continuation.h"
#include "solve/curnier.h"
#include "solve/interior_path.h"
#include "solve/proximal.h"
#include "solve/solver_ops.h"
#include "solve/space_sweep.h"
#include <math.h>
#include <string.h>

typedef struct automatic {
    pawl_solver base;
    pawl_solver *admm, *newton;
    curnier_part curnier;
    augmented_part augmented;
    accelerated_part accelerated;
    space_sweeper sweeper;
    space_iterate other;
    proximal_part proximal;
    interior_part interior;
    path_part path;
    continuation_part regularized;
    space_iterate iterate;
    double *weight, *v; // (rows)
    double *best; // (rows) impulses with the least natural residual that any attempt ended with
    double least; // that residual [m/s]
    pawl_method method; // who found them
} automatic;

enum {
    AUTOMATIC_FIRST = 10,        // Newton steps from the warm start
    AUTOMATIC_AFTER = 10,        // and after another stage
    AUTOMATIC_CHUNK = 64,        // accelerated gradients between two of these, first of all
    AUTOMATIC_SWEEP_CHUNK = 100, // and sweeps
    AUTOMATIC_INTERIOR = 50,     // steps of the interior point between two of these
    AUTOMATIC_PATH = 200,        // and along its path
    AUTOMATIC_REGULARIZED = 150, // and along that of regularized problems
    AUTOMATIC_FEW = 18,          // velocities up to which the augmented Lagrangian precedes it
    AUTOMATIC_SMALL = 240        // and up to which it is tried after it, and gradients before
};
static const double automatic_beyond = 1e-2;     // of the tolerance: what is strived for
static const double automatic_floor = 1e-11;     // [m/s] but not less
static const double automatic_few_floor = 1e-12; // [m/s] where a factor costs next to nothing
static const double automatic_near = 1e-5;       // [m/s] from where centres are tried first
static const double automatic_goal_share =
    0.5; // of the tolerance: eliminated rows add to the residual
static const double automatic_free_share = 0.9; // where there are none
static const double automatic_moving = 0.5;     // of what is good enough, for what moves
static const double automatic_wild = 20.0;      // residuals that grow so much are not gone on from

static pawl_solver *automatic_layout(const solver_def *def, pawl_carver *mem)
{
    automatic *s = PAWL_CARVE(mem, automatic, 1);
    pawl_solver *admm = pawl_admm_ncp_ops.layout(def, mem);
    pawl_solver *newton = pawl_newton_ops.layout(def, mem);
    curnier_part curnier = pawl_curnier_layout(def, mem);
    interior_part interior = pawl_interior_layout(def, mem);
    path_part path = pawl_path_layout(def, mem);
    continuation_part regularized = pawl_continuation_layout(def, mem);
    augmented_part augmented = pawl_augmented_layout(def, mem);
    accelerated_part accelerated = pawl_accelerated_layout(def, mem);
    space_sweeper sweeper = pawl_space_sweeper_layout(def, mem);
    proximal_part proximal = pawl_proximal_layout(def, mem);
    space_iterate other = pawl_space_iterate_layout(def->max_rows, mem);
    space_iterate iterate = pawl_space_iterate_layout(def->max_rows, mem);
    double *weight = PAWL_CARVE(mem, double, def->max_rows);
    double *v = PAWL_CARVE(mem, double, def->max_rows);
    double *best = PAWL_CARVE(mem, double, def->max_rows);
    if (s == NULL) {
        return NULL;
    }
    s->curnier = curnier;
    s->augmented = augmented;
    s->accelerated = accelerated;
    s->sweeper = sweeper;
    s->proximal = proximal;
    s->other = other;
    s->interior = interior;
    s->path = path;
    s->regularized = regularized;
    s->iterate = iterate;
    s->weight = weight;
    s->v = v;
    s->best = best;
    s->admm = admm;
    s->newton = newton;
    admm->def = newton->def = *def;
    return &s->base;
}

static double automatic_natural(automatic *s, const pawl_problem *p, const double *lambda)
{
    pawl_problem_velocity(p, lambda, s->v);
    return pawl_problem_natural(p, lambda, s->v, s->weight);
}

// Keeps lambda if it is better than what is kept: an attempt that runs out of iterations may end anywhere.
static void automatic_keep(automatic *s, const pawl_problem *p, const double *lambda,
                           pawl_method method)
{
    double natural = automatic_natural(s, p, lambda);
    if (natural < s->least) {
        memcpy(s->best, lambda, (size_t)p->row_count * sizeof *lambda);
        s->least = natural;
        s->method = method;
    }
}

// Lets one of the two continue from lambda.
static void automatic_try(automatic *s, pawl_solver *part, const pawl_solver_ops *ops,
                          solver_goal goal, const pawl_problem *p, double *lambda,
                          solver_report *report)
{
    solver_report own;
    ops->solve(part, p, goal, lambda, &own);
    report->outcome = own.outcome;
    report->method = own.method;
    report->iterations += own.iterations;
    report->factorizations += own.factorizations;
    if (own.outcome != PAWL_CONVERGED) {
        automatic_keep(s, p, lambda, own.method);
    }
}

// At most so many iterations of those that are left.
static solver_goal automatic_goal(solver_goal asked, int most, int done)
{
    int left = asked.iterations - done;
    return (solver_goal){.tolerance = asked.tolerance, .iterations = most < left ? most : left};
}

// Stages in the velocity space, from s->iterate, which keeps the best of them.
typedef struct automatic_stages {
    automatic *s;
    space_problem q;
    double start;   // accepted of the warm start
    double aim;     // strived for by Newton's method
    double content; // and by other stages
    double accept;  // good enough
    int factors;    // at most
    solver_report *report;
} automatic_stages;

// Whether another stage is needed and allowed.
static bool automatic_open(const automatic_stages *a)
{
    return !(a->s->iterate.natural <= a->accept) && a->report->factorizations < a->factors;
}

static int automatic_steps(const automatic_stages *a, int most)
{
    int left = a->factors - a->report->factorizations;
    return most < left ? most : left;
}

// Newton's method from y, until `strive`.
static void automatic_newton_to(automatic_stages *a, double strive, space_iterate *y, int most)
{
    space_iterate *x = &a->s->iterate;
    (void)pawl_curnier_run(&a->s->curnier, &a->q, (curnier_aim){strive, a->content},
                           automatic_steps(a, most), y, a->report);
    if (y != x && y->natural < x->natural) {
        pawl_space_iterate_copy(&a->q, y, x);
    }
}

static void automatic_newton(automatic_stages *a, space_iterate *y, int most)
{
    automatic_newton_to(a, a->aim, y, most);
}

// The augmented Lagrangian with growing penalties. Its path goes on from its own iterates, Newton's from copies.
static void automatic_augmented(automatic_stages *a)
{
    static const double penalties[] = {1e4, 1e5, 1e6, 1e4, 1e5, 1e6};
    automatic *s = a->s;
    space_iterate *x = &s->iterate, *y = &s->other, *z = &s->interior.at;
    pawl_space_iterate_copy(&a->q, x, y);
    for (size_t i = 0; i < sizeof penalties / sizeof penalties[0] && automatic_open(a); ++i) {
        (void)pawl_augmented_step(&s->augmented, &a->q, penalties[i], y, a->report);
        if (!(y->natural < automatic_wild * x->natural)) {
            pawl_space_iterate_copy(&a->q, x, y);
        }
        pawl_space_iterate_copy(&a->q, y, z);
        automatic_newton(a, z, AUTOMATIC_AFTER);
    }
}

// Accelerated gradients or sweeps, `chunk` of them and then twice as many, twice over. The path goes on from its own
// iterates, Newton's from copies.
typedef enum automatic_path { AUTOMATIC_GRADIENTS, AUTOMATIC_SWEEPS } automatic_path;
static void automatic_first_order(automatic_stages *a, automatic_path path, int chunk)
{
    automatic *s = a->s;
    space_iterate *x = &s->iterate, *y = &s->other, *z = &s->interior.at;
    pawl_space_iterate_copy(&a->q, x, y);
    if (path == AUTOMATIC_GRADIENTS) {
        pawl_accelerated_begin(&s->accelerated, &a->q);
    }
    for (int i = 0; i < 3 && automatic_open(a); ++i, chunk *= 2) {
        if (path == AUTOMATIC_GRADIENTS) {
            pawl_accelerated_run(&s->accelerated, &a->q, a->aim, chunk, y, a->report);
        } else {
            pawl_space_sweep(&s->sweeper, &a->q, chunk, y);
            a->report->iterations += chunk;
        }
        if (y->natural < x->natural) {
            pawl_space_iterate_copy(&a->q, y, x);
        }
        pawl_space_iterate_copy(&a->q, y, z);
        automatic_newton(a, z, AUTOMATIC_AFTER);
    }
}

// The interior point to ever smaller residuals, with Newton's method from each.
static void automatic_interior(automatic_stages *a, const interior_manner *manner)
{
    static const double targets[] = {1e-3, 1e-5, 0.0}; // [m/s]
    automatic *s = a->s;
    bool goes = true;
    pawl_interior_begin(&s->interior, &a->q, manner);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0] && goes && automatic_open(a); ++i) {
        goes = pawl_interior_run(&s->interior, &a->q, fmax(targets[i], a->accept),
                                 automatic_steps(a, AUTOMATIC_INTERIOR), &s->iterate, a->report);
        pawl_space_iterate_copy(&a->q, &s->interior.at, &s->other);
        automatic_newton(a, &s->other, AUTOMATIC_AFTER);
    }
}

// Newton's method around moving centres, from y.
static void automatic_proximal(automatic_stages *a, space_iterate *y)
{
    space_iterate *x = &a->s->iterate;
    proximal_goal goal = {a->aim, a->accept, a->factors - a->report->factorizations};
    pawl_proximal_run(&a->s->proximal, &a->s->curnier, &a->q, goal, y, a->report);
    if (y != x && y->natural < x->natural) {
        pawl_space_iterate_copy(&a->q, y, x);
    }
}

// An interior point, and centres from its last point, which differs from that of another start: from the best iterate
// they would only repeat themselves.
static void automatic_interior_and_proximal(automatic_stages *a, const interior_manner *manner)
{
    automatic *s = a->s;
    automatic_interior(a, manner);
    if (automatic_open(a)) {
        automatic_proximal(a, s->other.natural < INFINITY ? &s->other : &s->iterate);
    }
}

// Interior points from other starts, each further from the cones' boundaries than the one before.
static void automatic_restart(automatic_stages *a)
{
    static const interior_manner manners[] = {
        {10.0, 0.9, 0.1, 0}, {100.0, 0.7, 0.3, 0}, {1000.0, 0.9, 0.1, 0}};
    for (size_t i = 0; i < sizeof manners / sizeof manners[0] && automatic_open(a); ++i) {
        automatic_interior_and_proximal(a, &manners[i]);
    }
}

// The path of the interior point, through its turns, from several starts: a path may lead away.
static void automatic_arc(automatic_stages *a)
{
    static const double targets[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 0.0}; // [m/s]
    static const double starts[] = {10.0, 1.0, 100.0};
    automatic *s = a->s;
    enum {
        STARTS = sizeof starts / sizeof starts[0],
        TARGETS = sizeof targets / sizeof targets[0]
    };
    for (int k = 0; k < STARTS && automatic_open(a) && pawl_path_exists(a->q.p); ++k) {
        interior_manner manner = pawl_interior_quick;
        manner.start = starts[k];
        bool goes = true;
        pawl_interior_begin(&s->interior, &a->q, &manner);
        pawl_path_begin(&s->path, &s->interior, &a->q);
        for (int i = 0; i < TARGETS && goes && automatic_open(a); ++i) {
            goes = pawl_path_run(&s->path, &s->interior, &a->q, fmax(targets[i], a->accept),
                                 automatic_steps(a, AUTOMATIC_PATH), &s->iterate, a->report);
            pawl_space_iterate_copy(&a->q, &s->interior.at, &s->other);
            automatic_newton(a, &s->other, AUTOMATIC_AFTER);
        }
    }
}

// The path of regularized problems, for few rows. Standing legs press against each other through their joints: such
// loads cause almost no motion, and the iterates of other stages (3e-8 m/s) are far from the modes of the solution.
static void automatic_regularized(automatic_stages *a)
{
    automatic *s = a->s;
    space_iterate *y = &s->other;
    const pawl_problem *p = a->q.p;
    int steps = 0;
    pawl_space_iterate_copy(&a->q, &s->iterate, y);
    (void)pawl_continuation_run(&s->regularized, p, s->weight, a->accept,
                                automatic_steps(a, AUTOMATIC_REGULARIZED), y->lambda, &steps);
    a->report->iterations += steps;
    a->report->factorizations += steps;
    pawl_space_evaluate(&a->q, y);
    if (y->natural < s->iterate.natural) {
        pawl_space_iterate_copy(&a->q, y, &s->iterate);
    }
}

// Sweeps, which cost next to nothing beside factorizations, and centres from the best iterate.
static void automatic_sweeps_and_proximal(automatic_stages *a)
{
    if (automatic_open(a)) {
        automatic_first_order(a, AUTOMATIC_SWEEPS, AUTOMATIC_SWEEP_CHUNK);
    }
    if (automatic_open(a)) {
        automatic_proximal(a, &a->s->iterate);
    }
}

// Stages for what Newton's method leaves of a heap of free bodies.
static void automatic_heap(automatic_stages *a, bool small)
{
    automatic_interior_and_proximal(a, &pawl_interior_quick);
    automatic_sweeps_and_proximal(a);
    automatic_restart(a);
    automatic_arc(a);
    automatic_sweeps_and_proximal(a);
    if (automatic_open(a) && small) {
        automatic_first_order(a, AUTOMATIC_GRADIENTS, AUTOMATIC_CHUNK);
    }
    if (automatic_open(a) && small) {
        automatic_augmented(a);
    }
}

// And for mechanisms and for few bodies.
static void automatic_mechanism(automatic_stages *a, bool few, bool small)
{
    if (small) {
        automatic_first_order(a, AUTOMATIC_GRADIENTS, AUTOMATIC_CHUNK);
    }
    if (automatic_open(a) && a->s->iterate.natural < automatic_near) {
        automatic_proximal(a, &a->s->iterate);
    }
    if (automatic_open(a) && few) {
        automatic_augmented(a);
    }
    if (automatic_open(a)) {
        automatic_interior_and_proximal(a, &pawl_interior_quick);
    }
    if (automatic_open(a)) {
        automatic_regularized(a);
    }
    automatic_restart(a);
    automatic_arc(a);
    if (automatic_open(a) && small && !few) {
        automatic_augmented(a);
    }
    if (automatic_open(a)) {
        automatic_first_order(a, AUTOMATIC_SWEEPS, AUTOMATIC_SWEEP_CHUNK);
    }
}

// All of them in turn, as far as they are needed. Close to the solution, with bodies at rest, centres come first and
// continue to the aim: a heap with a residual of the size of the tolerance would vibrate and never come to rest.
static void automatic_run_stages(automatic_stages *a)
{
    int velocities = pawl_space_size(a->q.space);
    bool few = velocities <= AUTOMATIC_FEW, small = velocities <= AUTOMATIC_SMALL;
    space_iterate *x = &a->s->iterate;
    if (x->natural > a->start) {
        automatic_newton_to(a, a->start, x, AUTOMATIC_FIRST);
    }
    if (x->natural > a->content && x->natural < automatic_near) {
        automatic_proximal(a, &a->s->iterate);
    }
    if (automatic_open(a) && a->q.space->sparse != NULL && !few) {
        automatic_heap(a, small);
    } else if (automatic_open(a)) {
        automatic_mechanism(a, few, small);
    }
}

static velocity_space *automatic_space(const pawl_problem *p)
{
    const pawl_delassus_ops *ops = p->delassus->ops;
    return ops->space != NULL ? ops->space(p->delassus) : NULL;
}

// The aim [m/s], and the acceptance limit.
static void automatic_aims(const velocity_space *space, double tolerance, automatic_stages *a)
{
    bool few = pawl_space_size(space) <= AUTOMATIC_FEW;
    const pawl_problem *p = a->q.p;
    bool bodies = space->sparse != NULL && p->free_row_count == 0;
    a->accept = (bodies ? automatic_free_share : automatic_goal_share) * tolerance;
    a->content = fmin(a->accept, fmax(automatic_beyond * tolerance, automatic_floor));
    a->aim = few ? fmin(a->content, automatic_few_floor) : a->content;
}

// solver.budget: so many sweeps unless the warm start is good enough, then at most so many Newton steps, and what they
// reach. Costs are bounded by counts, not by a clock, so that the same steps have the same bits. False where there is
// no velocity space.
static bool automatic_within_budget(automatic *s, const pawl_problem *p, solver_goal asked,
                                    double *lambda, solver_report *report)
{
    const solver_def *def = &s->base.def;
    velocity_space *space = automatic_space(p);
    if (space == NULL) {
        return false;
    }
    size_t bytes = (size_t)p->row_count * sizeof *lambda;
    automatic_stages a = {.s = s, .q = {p, space, s->weight}, .report = report};
    a.factors = def->budget_newton;
    space_iterate *x = &s->iterate;
    automatic_aims(space, asked.tolerance, &a);
    if (space->sparse == NULL || p->block_count > p->contact_count || def->budget_newton > 0) {
        pawl_problem_weights(p, s->weight);
    }
    memcpy(x->lambda, lambda, bytes);
    pawl_space_admit(p, x->lambda);
    // A caller may ask for fewer than usual.
    bool fewer = asked.iterations < def->max_iterations && asked.iterations < def->budget;
    report->iterations = pawl_space_sweep_within(&s->sweeper, &a.q, a.aim,
                                                 fewer ? asked.iterations : def->budget, x);
    report->method = PAWL_METHOD_SWEEPS;
    if (!fewer && automatic_open(&a)) {
        report->method = PAWL_METHOD_NEWTON;
        pawl_space_evaluate(&a.q, x);
        automatic_newton(&a, x, def->budget_newton);
    }
    memcpy(lambda, x->lambda, bytes);
    report->outcome = x->natural <= asked.tolerance ? PAWL_CONVERGED : PAWL_ITERATION_LIMIT;
    return true;
}

// Whether the stages in the velocity space are enough. lambda becomes the best of theirs.
static bool automatic_by_bodies(automatic *s, const pawl_problem *p, solver_goal asked,
                                double *lambda, solver_report *report)
{
    velocity_space *space = automatic_space(p);
    if (space == NULL) {
        return false;
    }
    size_t bytes = (size_t)p->row_count * sizeof *lambda;
    space_iterate *x = &s->iterate;
    automatic_stages a = {.s = s, .q = {p, space, s->weight}, .factors = asked.iterations};
    a.report = report;
    automatic_aims(space, asked.tolerance, &a);
    memcpy(x->lambda, lambda, bytes);
    pawl_space_admit(p, x->lambda);
    pawl_space_evaluate(&a.q, x);
    a.start = asked.start > 0.0 ? fmin(asked.start, a.aim) : a.aim;
    // Moving bodies have other impulses in the next step anyway.
    bool moves = x->natural > automatic_near && space->sparse == NULL;
    a.content = moves ? fmax(a.content, automatic_moving * a.accept) : a.content;
    report->method = PAWL_METHOD_NEWTON;
    automatic_run_stages(&a);
    memcpy(lambda, x->lambda, bytes);
    // The velocity space of a condensed problem is a factor of its matrix: where rows nearly repeat each other, as
    // limits that jam a loop, its velocities are not quite those of the problem. That of bodies is exact.
    bool met = x->natural <= a.accept &&
               (space->sparse != NULL || automatic_natural(s, p, lambda) <= a.accept);
    report->outcome = met ? PAWL_CONVERGED : PAWL_ITERATION_LIMIT;
    return report->outcome == PAWL_CONVERGED;
}

// Problems that the stages above do not solve, and problems without a velocity space: other methods in turn.
static void automatic_rest(automatic *s, const pawl_problem *p, solver_goal asked, double *lambda,
                           solver_report *report)
{
    // Measured on dropped linkages, heaps and FCLib's problems (docs/solvers/auto.md).
    enum { FIRST_ADMM = 600, FIRST_NEWTON = 600, LATER = 2000 };
    int admm = FIRST_ADMM, newton = FIRST_NEWTON;
    asked.iterations += report->iterations - report->factorizations; // gradients and sweeps
    while (report->outcome != PAWL_CONVERGED && report->iterations < asked.iterations) {
        automatic_try(s, s->admm, &pawl_admm_ncp_ops,
                      automatic_goal(asked, admm, report->iterations), p, lambda, report);
        if (report->outcome != PAWL_CONVERGED && report->iterations < asked.iterations) {
            automatic_try(s, s->newton, &pawl_newton_ops,
                          automatic_goal(asked, newton, report->iterations), p, lambda, report);
        }
        admm = newton = LATER;
    }
    if (report->outcome != PAWL_CONVERGED && s->least < INFINITY) {
        memcpy(lambda, s->best, (size_t)p->row_count * sizeof *lambda);
        report->method = s->method;
    }
}

static void automatic_solve(pawl_solver *base, const pawl_problem *p, solver_goal asked,
                            double *lambda, solver_report *report)
{
    automatic *s = (automatic *)base;
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT};
    if (s->base.def.budget > 0 && automatic_within_budget(s, p, asked, lambda, report)) {
        return;
    }
    pawl_problem_weights(p, s->weight);
    s->least = INFINITY;
    s->method = PAWL_METHOD_NONE;
    if (!automatic_by_bodies(s, p, asked, lambda, report)) {
        automatic_keep(s, p, lambda, PAWL_METHOD_NEWTON);
        automatic_rest(s, p, asked, lambda, report);
    }
}

const pawl_solver_ops pawl_auto_ops = {
    .name = "auto",
    .summary = "direct without contacts; otherwise Newton over the bodies, then proximal "
               "and interior points",
    .contacts = true,
    .pivots_alone = true,
    .takes_budget = true,
    .layout = automatic_layout,
    .solve = automatic_solve,
};
