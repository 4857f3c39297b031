// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Creates a solver of the table and runs it: condenses joints first if the solver or the settings require it, removes
// weak rows of redundant loops from the problem, and replaces a solution that is not finite by zero impulses.
#include "math/vec.h"
#include "problem/natural.h"
#include "problem/weak_space.h"
#include "solve/solver_ops.h"
#include <math.h>
#include <string.h>

enum { SOLVER_MAX_CONDENSED = 360 }; // beyond this the dense matrix costs more than it saves

typedef struct solver_parts { // what every solver has beside its own
    condensed_problem condensed;
    box_pivot box;
} solver_parts;

// Room for a dense matrix of the rows that are left after joints are eliminated. Solvers that always condense need
// room for all of them; others condense only up to SOLVER_MAX_CONDENSED rows.
static solver_parts solver_layout_parts(const solver_def *def, pawl_carver *mem)
{
    int rest = def->max_bounded + def->max_spins + 3 * def->max_contacts;
    int capacity = def->max_rows < SOLVER_MAX_CONDENSED ? def->max_rows : SOLVER_MAX_CONDENSED;
    capacity = capacity > def->max_bounded ? capacity : def->max_bounded;
    capacity = pawl_solver_find((int)def->kind)->condenses ? rest : capacity;
    return (solver_parts){
        .condensed = pawl_condensed_layout(def->max_rows, capacity, mem),
        .box = pawl_box_pivot_layout(def->max_bounded, mem),
    };
}

solver_def pawl_solver_def_of(const pawl_settings *settings)
{
    return (solver_def){.kind = settings->solver.kind,
                        .tolerance = settings->solver.tolerance,
                        .max_iterations = settings->solver.max_iterations,
                        .paper = settings->solver.variant == PAWL_VARIANT_PAPER,
                        .budget = settings->solver.budget,
                        .budget_newton = settings->solver.budget_newton,
                        .exact_joints = settings->solver.exact_joints,
                        .regularization = settings->solver.regularization,
                        .admm = {.rho = settings->admm.rho,
                                 .eta = settings->admm.eta,
                                 .relaxation = settings->admm.relaxation,
                                 .precondition = settings->solver.precondition,
                                 .accelerate = settings->admm.accelerate},
                        .relaxation = settings->solver.relaxation,
                        .relaxation_min = settings->solver.relaxation_min,
                        .relaxation_decay = settings->solver.relaxation_decay,
                        .lemke_sides = settings->lemke.sides,
                        .lemke_rounds = settings->lemke.rounds};
}

// One block for the solver and its parts. The layout of the solver comes first in both passes, so that the block
// begins with pawl_solver.
pawl_status pawl_solver_create(const pawl_env *env, const solver_def *def, pawl_solver **out)
{
    *out = NULL;
    const pawl_solver_ops *ops = pawl_solver_find((int)def->kind);
    if (ops == NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "no solver of kind %d", (int)def->kind);
    }
    if (def->paper && !ops->published) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "solver '%s' has no solver.variant=paper; pgs-ccp, pgs-ncp, nbgs, raisim, "
                         "raisim-ds, raisim-ds-es, admm-ccp and admm-ncp-fp, -la, -sa have one",
                         ops->name);
    }
    pawl_carver need = {0};
    ops->layout(def, &need);
    (void)solver_layout_parts(def, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "solver %s needs %zu bytes", ops->name, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    *out = ops->layout(def, &mem);
    solver_parts parts = solver_layout_parts(def, &mem);
    **out = (pawl_solver){.ops = ops,
                          .env = *env,
                          .def = *def,
                          .bytes = need.used,
                          .condensed = parts.condensed,
                          .box = parts.box};
    return PAWL_OK;
}

void pawl_solver_destroy(pawl_solver *solver)
{
    if (solver != NULL) {
        pawl_env env = solver->env;
        pawl_free(&env, solver, solver->bytes);
    }
}

// Weak rows are left out by elimination alone: with them it is not a matter of choice.
static bool solver_condenses(const pawl_solver *s, const pawl_problem *p, bool pivots)
{
    int rest = p->row_count - p->free_row_count;
    if (s->def.paper) {
        return false;
    }
    return s->ops->condenses || pivots ||
           ((s->def.exact_joints || pawl_is_weak(p)) && p->free_row_count > 0 &&
            rest <= s->condensed.matrix.capacity);
}

// A method that diverges ends with values that are not finite, which must not enter a state: zero impulses are a poor
// solution, but the next step can continue from them.
static void solver_run(pawl_solver *s, const pawl_solver_ops *ops, const pawl_problem *p,
                       solver_goal goal, double *lambda, solver_report *report)
{
    ops->solve(s, p, goal, lambda, report);
    for (int i = 0; i < p->row_count; ++i) {
        if (!isfinite(lambda[i])) {
            memset(lambda, 0, (size_t)p->row_count * sizeof *lambda);
            pawl_problem_admit(p, lambda);
            report->outcome = PAWL_STALLED;
            report->own_residual = INFINITY;
            return;
        }
    }
}

solver_goal pawl_solver_goal(const pawl_solver *s)
{
    return (solver_goal){.tolerance = s->def.tolerance, .iterations = s->def.max_iterations};
}

// Weak rows without elimination: their contradictory part would accumulate in their impulses without bound. With
// impulses lambda that is (1 - Q)(D lambda + v_f), next to nothing of which is lambda's own: it is taken out of v_f,
// and again where the answer to that is too far off.
static void solver_run_weak_rows(pawl_solver *s, const pawl_problem *p, solver_goal goal,
                                 double *lambda, solver_report *report)
{
    enum { ROUNDS = 4 };
    int n = p->free_row_count, iterations = 0;
    eliminator *e = &s->condensed.eliminate; // idle
    double *v_f = e->right, *v = e->product, *weight = e->image;
    pawl_problem consistent = *p;
    consistent.v_f = v_f;
    memcpy(v_f, p->v_f, (size_t)p->row_count * sizeof *v_f);
    pawl_weak_follow(p);
    pawl_weak_impulses(p, lambda);
    pawl_problem_weights(p, weight);
    pawl_problem_velocity(p, lambda, v);
    for (int round = 0; round < ROUNDS; ++round) {
        memcpy(e->step, v, (size_t)n * sizeof *v);
        pawl_weak_velocities(p, e->step);
        for (int i = 0; i < n; ++i) {
            v_f[i] = p->v_f[i] - (v[i] - e->step[i]);
        }
        solver_run(s, s->ops, &consistent, goal, lambda, report);
        report->iterations = iterations += report->iterations;
        pawl_weak_impulses(p, lambda);
        pawl_problem_velocity(p, lambda, v);
        bool relaxed = s->ops->relaxed || s->ops->own_law != NULL; // they know when they are done
        if (report->outcome != PAWL_CONVERGED || relaxed ||
            pawl_problem_natural(p, lambda, v, weight) <= goal.tolerance) {
            break;
        }
    }
}

// The residual of r->lambda as the judge of the whole problem sees it; *v has its velocities and *weight the judge's.
// A contact of a light body attached to heavy ones has their mass in the condensed problem: an impulse that is
// negligible there would move the light body if it were free.
static double solver_whole_natural(const pawl_solver *s, const double *weight, double *v)
{
    const condensed_problem *r = &s->condensed;
    pawl_problem_velocity(&r->problem, r->lambda, v);
    return s->ops->relaxed ? pawl_problem_natural_relaxed(&r->problem, r->lambda, v, weight)
           : s->ops->own_law != NULL
               ? pawl_problem_natural_bounds(&r->problem, r->lambda, v, weight)
               : pawl_problem_natural(&r->problem, r->lambda, v, weight);
}

// One step of that natural map. It removes the remaining impulses of opening contacts, and in the condensed problem,
// with its larger masses, it causes almost no motion. Keeps r->lambda where that does not help.
static double solver_settle(const pawl_solver *s, const double *weight, double natural)
{
    const condensed_problem *r = &s->condensed;
    const pawl_problem *q = &r->problem;
    double *v = r->eliminate.product, *before = r->eliminate.step; // idle
    size_t bytes = (size_t)q->row_count * sizeof *before;
    memcpy(before, r->lambda, bytes);
    for (int i = 0; i < pawl_problem_contact_row(q, 0); ++i) {
        double step = weight[i] > 0.0 ? v[i] / weight[i] : 0.0;
        r->lambda[i] = clamp_to(r->lambda[i] - step, q->lower[i], q->upper[i]);
    }
    for (int k = 0; k < q->contact_count; ++k) {
        int row = pawl_problem_contact_row(q, k);
        double map[3];
        if (weight[row] > 0.0) {
            pawl_natural_contact_map(r->lambda + row, v + row, q->friction[k], weight[row], map);
            for (int c = 0; c < 3; ++c) {
                r->lambda[row + c] -= map[c] / weight[row];
            }
        }
    }
    pawl_problem_admit(q, r->lambda);
    double settled = solver_whole_natural(s, weight, v);
    if (!(settled < natural)) {
        memcpy(r->lambda, before, bytes);
        return natural;
    }
    return settled;
}

// Solves the condensed problem, and again to a smaller tolerance where its answer is not good enough for the whole one.
// Pivoting, whose answer has no tolerance, takes another path from nothing.
static void solver_run_condensed(pawl_solver *s, const pawl_problem *p, bool pivots,
                                 solver_goal goal, solver_report *report)
{
    enum { ROUNDS = 3 };
    const double share = 0.5; // of the tolerance: where the next answer is to be
    condensed_problem *r = &s->condensed;
    const pawl_solver_ops *ops = pivots ? &pawl_direct_ops : s->ops;
    size_t bytes = (size_t)r->problem.row_count * sizeof *r->lambda;
    double *best = r->eliminate.right, *v = r->eliminate.product; // idle
    double *weight = r->eliminate.image;
    bool settles = !s->ops->relaxed && s->ops->own_law == NULL;
    double asked = goal.tolerance, least = INFINITY;
    solver_report whole = {0};
    pawl_problem_bounded_weights(p, weight);
    weight += p->free_row_count;
    for (int round = 0; round < ROUNDS; ++round) {
        solver_run(s, ops, &r->problem, goal, r->lambda, report);
        whole.iterations += report->iterations;
        whole.factorizations += report->factorizations;
        double natural = solver_whole_natural(s, weight, v);
        if (natural > asked && settles) {
            natural = solver_settle(s, weight, natural);
        }
        if (natural < least || round == 0) {
            least = natural;
            memcpy(best, r->lambda, bytes);
        } else {
            memcpy(r->lambda, best, bytes);
        }
        if (least <= asked || s->def.budget > 0 || report->outcome != PAWL_CONVERGED ||
            !isfinite(natural) || round + 1 == ROUNDS) {
            break;
        }
        goal.tolerance *= share * asked / natural;
        if (pivots) {
            memset(r->lambda, 0, bytes);
            pawl_problem_admit(&r->problem, r->lambda);
        }
    }
    report->iterations = whole.iterations;
    report->factorizations = whole.factorizations;
}

// Where rows of joints depend on each other the condensed matrix is known less well than a problem is to be solved, and
// velocities that follow from impulses are not quite the ones it answered with. What is between the two is added to those
// without impulses, and the rest is solved again from where it is, to a stricter tolerance.
static void solver_refine_condensed(pawl_solver *s, const pawl_problem *p, solver_goal goal,
                                    double *lambda, solver_report *report)
{
    enum { ROUNDS = 3 };
    condensed_problem *r = &s->condensed;
    const pawl_problem *q = &r->problem;
    double *v = r->eliminate.product, *own = r->eliminate.image, *weight = r->eliminate.right;
    double *best = r->eliminate.columns, least = INFINITY, tolerance = goal.tolerance;
    size_t bytes = (size_t)p->row_count * sizeof *lambda;
    int n = p->free_row_count;
    for (int round = 0;; ++round) {
        pawl_problem_bounded_weights(p, weight);
        pawl_problem_velocity(p, lambda, v);
        double natural = pawl_problem_natural(p, lambda, v, weight);
        if (!(natural < least)) {
            memcpy(lambda, best, bytes);
            return;
        }
        if (natural <= tolerance || round == ROUNDS) {
            return;
        }
        goal.tolerance *= fmin(0.1, 0.5 * tolerance / natural);
        least = natural;
        memcpy(best, lambda, bytes);
        pawl_problem_velocity(q, r->lambda, own);
        for (int i = 0; i < q->row_count; ++i) {
            r->v_f[i] += v[n + i] - own[i];
        }
        solver_report again = {0};
        solver_run(s, s->ops, q, goal, r->lambda, &again);
        report->iterations += again.iterations;
        report->factorizations += again.factorizations;
        (void)pawl_condensed_recover(r, p, lambda);
    }
}

// Joints are eliminated first where that pays, so that a solver gets only limits and contacts, with the effective
// masses of light bodies under heavy ones. Otherwise the solver gets all rows, with the weak ones projected where
// loops are redundant.
void pawl_solver_solve(pawl_solver *s, const pawl_problem *p, solver_goal goal, double *lambda,
                       solver_report *report)
{
    PAWL_ASSERT(p->row_count <= s->def.max_rows && p->block_count <= s->def.max_blocks);
    bool pivots = s->ops->pivots_alone && p->contact_count == 0;
    if (!solver_condenses(s, p, pivots)) {
        if (p->free_row_count > 0 && pawl_is_weak(p)) {
            solver_run_weak_rows(s, p, goal, lambda, report);
        } else {
            solver_run(s, s->ops, p, goal, lambda, report);
        }
        return;
    }
    *report = (solver_report){.outcome = PAWL_CONVERGED, .method = PAWL_METHOD_DIRECT};
    condensed_problem *r = &s->condensed;
    if (p->row_count > p->free_row_count) {
        pawl_condense(r, p, s->def.regularization, lambda);
        solver_run_condensed(s, p, pivots, goal, report);
    } else {
        pawl_eliminate_factor(p, s->def.regularization);
    }
    int solves = pawl_condensed_recover(r, p, lambda);
    report->iterations = report->iterations > 0 ? report->iterations : solves;
    bool coulomb = !s->ops->relaxed && s->ops->own_law == NULL; // others know when they are done
    if (p->contact_count > 0 && coulomb && p->delassus->maybe_singular && s->def.budget == 0 &&
        report->outcome == PAWL_CONVERGED) {
        solver_refine_condensed(s, p, goal, lambda, report);
    }
}
