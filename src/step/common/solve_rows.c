// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Solves the assembled problem and judges the solution: by islands if there are several, in rounds if torsional
// friction is bounded by the contacts' normal impulses. The solver's own figures are not used: those of a step are
// computed from v = J u+ + bias + R lambda, from the new twists (docs/math.md section 2).
#include "step/common/solve_rows.h"
#include "problem/natural.h"
#include "rows/spin_rows.h"
#include "step/common/trusted_start.h"
#include "step/common/warm_start.h"
#include <math.h>
#include <string.h>

// An impulse, by the momenta of all bodies. Levers and toggles have impulses of some 100 times them.
static const double solve_wedged = 1e6;
static const double solve_wedged_unsolved = 1e3;

// u.next with impulses lambda.
void pawl_apply_rows(step_context *c)
{
    memcpy(c->u.next, c->u.free, (size_t)(6 * c->model->body_count) * sizeof *c->u.next);
    pawl_assembly_add_impulses(c->assembly, c->u.lambda, c->u.next);
}

// Sweeps of free bodies do not couple separate groups, so splitting them would have a cost but no effect.
bool pawl_sweeps_in_whole(const step_context *c)
{
    return c->solver->ops->takes_budget && c->solver->def.budget > 0 &&
           c->assembly->problem.free_row_count == 0 && !c->coordinates->ops->has_tree_joints;
}

// One call of the solver from where lambda is, for the problem that was built. Returns the number of islands.
int pawl_solve_islands(step_context *c, solver_goal goal, const double *twists, double *lambda,
                       solver_report *report)
{
    int islands = c->islands == NULL || pawl_sweeps_in_whole(c)
                      ? 1
                      : pawl_island_solver_solve(c->islands, goal, twists, lambda, report);
    if (islands < 2) {
        row_set all = pawl_row_set_all(c->assembly);
        goal.start = twists != NULL ? pawl_trusted_start(&all, twists) : 0.0;
        pawl_solver_solve(c->solver, &c->assembly->problem, goal, lambda, report);
    }
    return islands;
}

// The same for lambda of the step; sets u.next.
static void solve_rows_from(step_context *c, solver_goal goal, const double *twists,
                            solver_report *report)
{
    pawl_assembly *a = c->assembly;
    int factorizations = report->factorizations;
    if (a->problem.row_count > 0) {
        c->out.island_count = pawl_solve_islands(c, goal, twists, c->u.lambda, report);
        report->factorizations += factorizations; // of all solves of a step
    }
    pawl_apply_rows(c);
}

void pawl_step_solve_rows(step_context *c, solver_goal goal, solver_report *report)
{
    solve_rows_from(c, goal, NULL, report);
}

// The same with the rows' weights, which the judge finds on the way.
static pawl_residual solve_judge(step_context *c, double *weight)
{
    const pawl_assembly *a = c->assembly;
    pawl_assembly_row_velocity(a, c->u.next, c->u.rate);
    for (int r = 0; r < a->problem.row_count; ++r) {
        c->u.velocity[r] = c->u.rate[r] + a->bias[r] + a->compliance[r] * c->u.lambda[r];
    }
    return pawl_problem_judge(&a->problem, c->u.lambda, c->u.velocity, weight);
}

// The judge's figures of lambda and u.next; sets u.rate and u.velocity.
static pawl_residual solve_rows_judge(step_context *c)
{
    size_t mark = pawl_arena_mark(&c->scratch);
    pawl_residual residual = solve_judge(c, pawl_take_rows(c));
    pawl_arena_release(&c->scratch, mark);
    return residual;
}

// The judge measures Coulomb's law for every solver. Solvers of another law are judged by the residual of their own
// problem, which is computed here: a step has converged if it is below the tolerance, independent of the solver's
// report.
void pawl_step_decide(step_context *c, const solver_report *solved, pawl_step_report *report)
{
    const pawl_problem *p = &c->assembly->problem;
    const pawl_solver_ops *ops = c->solver->ops;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *weight = pawl_take_rows(c);
    report->residual = solve_judge(c, weight);
    report->own_residual = report->residual.natural_scaled;
    if (p->contact_count > 0 && ops->relaxed) {
        report->own_residual = pawl_problem_natural_relaxed(p, c->u.lambda, c->u.velocity, weight);
    } else if (p->contact_count > 0 && ops->own_law != NULL) {
        report->own_residual =
            worst_of(solved->own_residual,
                     pawl_problem_natural_bounds(p, c->u.lambda, c->u.velocity, weight));
    }
    pawl_arena_release(&c->scratch, mark);
    report->outcome = report->own_residual <= c->settings->solver.tolerance ? PAWL_CONVERGED
                      : solved->outcome == PAWL_CONVERGED                   ? PAWL_STALLED
                                                                            : solved->outcome;
    report->measured |= PAWL_MEASURED_RESIDUAL;
    report->measured |= p->contact_count > 0 ? (unsigned)PAWL_MEASURED_COULOMB : 0u;
}

// The normal impulses bound torsional and rolling friction: solves again, from the last solution, until the bounds
// agree with the solution. Most rounds are short, because exact answers to bounds that still move are wasted; where
// it is the solver that lags behind, it gets its full number of iterations. The judge measures any remaining error.
static void solve_spin_friction(step_context *c, const double *twists, solver_report *report)
{
    enum { SHORT = 20, PATIENCE = 10 };
    solver_goal goal = pawl_solver_goal(c->solver);
    int most = goal.iterations, iterations = 0, patience = PATIENCE;
    double tolerance = c->settings->solver.tolerance, best = INFINITY, last = INFINITY;
    // The first aim uses the twists before the step, later ones the last answer.
    const double *near = c->u.start;
    bool in_full = false;
    do {
        pawl_spin_rows_aim(c->assembly, c->u.lambda, near);
        near = c->u.next;
        goal.iterations = in_full || most < SHORT ? most : SHORT;
        solve_rows_from(c, goal, twists, report);
        twists = NULL; // later rounds start from answers
        iterations += report->iterations;
        double solved = solve_rows_judge(c).natural_scaled;
        pawl_spin_rows_settle(c->assembly, c->u.lambda);
        double settled = solve_rows_judge(c).natural_scaled;
        if (settled <= tolerance) {
            report->outcome = PAWL_CONVERGED;
            break;
        }
        if (in_full) {
            best = INFINITY; // it may have moved far
        }
        in_full = report->outcome != PAWL_CONVERGED && settled <= 2.0 * solved &&
                  settled > 0.9 * last && 2 * iterations <= most;
        last = settled;
        patience = settled < 0.9 * best ? PATIENCE : patience - 1;
        best = fmin(best, settled);
        report->outcome = patience > 0 ? PAWL_ITERATION_LIMIT : PAWL_STALLED;
    } while (patience > 0 && iterations < 2 * most);
    report->iterations = iterations;
}

// There are spin rows where slots end before contacts begin.
static void solve_once(step_context *c, const double *twists, solver_report *report)
{
    const pawl_assembly *a = c->assembly;
    if (a->slot_rows < pawl_problem_contact_row(&a->problem, 0)) {
        solve_spin_friction(c, twists, report);
    } else {
        solve_rows_from(c, pawl_solver_goal(c->solver), twists, report);
    }
}

// A contact that is a few nm too deep requires the rate that opens it within the step (pawl_row_gap_bias()). A body
// that is wedged between such contacts, or between one and its own joints, has no motion with these rates: impulses
// then grow until rounding lets them have it. Whether row r asks for such a rate.
static bool solve_asks_to_open(const pawl_assembly *a, int r)
{
    return a->want[r] > 0.0 && a->bias[r] < 0.0 && !a->contacts[a->rows[r].owner].persistent;
}

// Whether a contact that asks to open has an impulse far beyond the momenta of all bodies, with those that the rate asked
// for would give them: bodies at rest without weight have no others.
static bool solve_is_wedged(const step_context *c, const solver_report *report)
{
    const pawl_assembly *a = c->assembly;
    double momentum = 0.0, largest = -1.0, rate = 0.0;
    for (int k = 0; k < a->problem.contact_count; ++k) {
        int normal = pawl_problem_contact_row(&a->problem, k) + 2;
        if (solve_asks_to_open(a, normal)) {
            largest = fmax(largest, c->u.lambda[normal]);
            rate = fmax(rate, -a->bias[normal]);
        }
    }
    if (largest < 0.0) {
        return false;
    }
    for (int i = 0; i < c->model->body_count; ++i) {
        const double *v = c->u.free + 6 * i;
        double mass = c->model->bodies[i].mass;
        momentum += isfinite(mass) ? mass * (fabs(v[0]) + fabs(v[1]) + fabs(v[2]) + rate) : 0.0;
    }
    bool solved = report->outcome == PAWL_CONVERGED;
    return largest > (solved ? solve_wedged : solve_wedged_unsolved) * momentum;
}

// These contacts keep their depth, and impulses begin at 0: those at hand may be of any size.
static void solve_keep_depths(step_context *c)
{
    pawl_assembly *a = c->assembly;
    for (int k = 0; k < a->problem.contact_count; ++k) {
        int normal = pawl_problem_contact_row(&a->problem, k) + 2;
        if (solve_asks_to_open(a, normal)) {
            a->v_f[normal] -= a->bias[normal];
            a->bias[normal] = 0.0;
        }
    }
    memset(c->u.lambda, 0, (size_t)a->problem.row_count * sizeof *c->u.lambda);
}

// From the impulses at hand.
static void solve_from_impulses(step_context *c, const double *twists, solver_report *report)
{
    int iterations = report->iterations;
    solve_once(c, twists, report);
    if (solve_is_wedged(c, report)) {
        solve_keep_depths(c);
        solve_once(c, NULL, report);
    }
    report->iterations = report->iterations > iterations ? report->iterations : iterations;
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
}

// Solves the problem that was built from the last step's impulses and sets u.next.
void pawl_solve_warm(step_context *c, const pawl_state *s, solver_report *report)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    pawl_warm_start(c, s);
    solve_from_impulses(c, c->u.start, report);
}

// After a change of v_f or of the rows.
void pawl_solve_again(step_context *c, solver_report *report)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    solve_from_impulses(c, NULL, report);
}
