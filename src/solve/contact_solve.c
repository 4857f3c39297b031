// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Any solver on a contact problem that came as a matrix.
//
// In scaled quantities (lambda = r / s, v = s u, D = s (W + WT)/2 s) the diagonal blocks have trace 3
// and q can be brought to unit root mean square, so that a solver's tolerance, which is on the largest
// entry of the scaled natural map, bounds the error S whatever the units: |F| <= sqrt(3 n) tolerance
// = tolerance |q|. The errors A and B can be larger; then the tolerance is made smaller by as much.
// Where W is not symmetric, each pass solves for D with s (W r + q) - D lambda, of the last answer,
// in place of s q: when the solution no longer changes, it is that of W.
#include "solve/contact_solve.h"
#include "base/guard.h"
#include "math/vec.h"
#include <string.h>

bool pawl_solver_takes_contacts(int kind)
{
    const pawl_solver_ops *ops = pawl_solver_find(kind);
    return ops != NULL && ops->contacts;
}

bool pawl_solver_is_published(int kind)
{
    const pawl_solver_ops *ops = pawl_solver_find(kind);
    return ops != NULL && ops->published;
}

static const double contact_first = 30.0; // the first pass, which finds the size of the answer

typedef struct contact_pass {
    double tolerance; // of the solver
    double best;      // worst of the three errors of the best answer
    int idle;         // passes that did not halve it
    double own;       // what a solver with a law of its own said of that answer
} contact_pass;

// Velocities for D that give the caller's own at lambda, over `unit`.
static void contact_velocities(pawl_contact_problem *p, const double *r, double unit)
{
    pawl_delassus *d = p->problem.delassus;
    pawl_contact_problem_velocity(p, r, p->v_f);
    d->ops->sweep_begin(d, p->lambda);
    for (int k = 0; k < p->W.contact_count; ++k) {
        double own[3];
        d->ops->sweep_velocity(d, k, own);
        for (int i = 3 * k, c = 0; c < 3; ++c) {
            p->v_f[i + c] = p->scale[k] * p->v_f[i + c] / unit - own[c];
        }
    }
}

// `unit` divides velocities and impulses alike, so that the law does not change.
static void contact_to_scaled(pawl_contact_problem *p, const double *r, double unit)
{
    for (int i = 0; i < p->problem.row_count; ++i) {
        p->lambda[i] = r[i] / (p->scale[i / 3] * unit);
    }
}

static void contact_from_scaled(const pawl_contact_problem *p, double unit, double *r)
{
    for (int i = 0; i < p->problem.row_count; ++i) {
        r[i] = p->lambda[i] * p->scale[i / 3] * unit;
    }
}

// Root mean square of s q; 0: nothing moves, and r = 0 is the answer.
static double contact_unit(const pawl_contact_problem *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->problem.row_count; ++i) {
        double x = p->scale[i / 3] * p->q[i];
        sum += x * x;
    }
    return sqrt(sum / p->problem.row_count);
}

// What S is measured by, over |q|: 1 or more. Where impulses are large next to velocities (a press, a
// wedge), rounding in q would prevent a solver from reaching an accuracy that is not required.
static double contact_slack(const pawl_contact_problem *p)
{
    double r = 0.0, u = 0.0;
    pawl_delassus *d = p->problem.delassus;
    d->ops->sweep_begin(d, p->lambda);
    for (int k = 0; k < p->W.contact_count; ++k) {
        double v[3];
        d->ops->sweep_velocity(d, k, v);
        for (int i = 3 * k, c = 0; c < 3; ++c) {
            r += p->lambda[i + c] * p->lambda[i + c];
            u += (v[c] + p->v_f[i + c]) * (v[c] + p->v_f[i + c]);
        }
    }
    return sqrt(max_of(1.0, max_of(r, u) / p->problem.row_count));
}

// The tolerance of the next pass, from the errors that this one left.
static double contact_next_tolerance(const pawl_contact_errors *e, double tolerance, double asked,
                                     double slack)
{
    if (e->scaled <= asked) { // A or B are the stricter ones here
        return 0.5 * tolerance * asked / max_of(e->relative, e->absolute);
    }
    double next = slack * max_of(0.1 * e->scaled, 0.9 * asked);
    return next < tolerance ? next : 0.5 * tolerance;
}

// Files are judged by errors in their own units, solvers by velocities in scaled ones: the tolerance of a pass is
// guessed from the last pass, and passes end when the file's errors are small enough or three in a row have not
// halved them.
static double contact_passes(pawl_contact_problem *p, pawl_solver *solver, solver_goal whole,
                             double unit, double *r, pawl_contact_result *result)
{
    enum { MAX_PASSES = 40, MAX_IDLE = 3 };
    const double smallest = 1e-15;
    double asked = whole.tolerance;
    int most = whole.iterations;
    size_t bytes = (size_t)p->problem.row_count * sizeof *r;
    contact_pass pass = {.tolerance = max_of(contact_first * asked, 0.1 * p->asymmetry),
                         .best = pawl_contact_errors_worst(&result->errors),
                         .own = NAN};
    memcpy(p->best, r, bytes);
    while (pass.best > asked && result->passes < MAX_PASSES && pass.idle < MAX_IDLE &&
           result->iterations < most && pass.tolerance >= smallest) {
        solver_report report = {0};
        contact_to_scaled(p, r, unit);
        contact_velocities(p, r, unit);
        solver_goal goal = {.tolerance = pass.tolerance, .iterations = most - result->iterations};
        pawl_solver_solve(solver, &p->problem, goal, p->lambda, &report);
        contact_from_scaled(p, unit, r);
        ++result->passes;
        result->iterations += report.iterations;
        result->factorizations += report.factorizations;
        pawl_contact_errors errors = pawl_contact_problem_errors(p, r);
        double worst = pawl_contact_errors_worst(&errors);
        pass.idle = worst <= 0.5 * pass.best ? 0 : pass.idle + 1;
        if (worst < pass.best) {
            pass.best = worst;
            result->errors = errors;
            pass.own = report.own_residual;
            memcpy(p->best, r, bytes);
        }
        if (!isfinite(worst)) {
            break;
        }
        pass.tolerance = contact_next_tolerance(&errors, pass.tolerance, asked, contact_slack(p));
    }
    memcpy(r, p->best, bytes);
    result->outcome = pass.best <= asked           ? PAWL_CONVERGED
                      : result->iterations >= most ? PAWL_ITERATION_LIMIT
                                                   : PAWL_STALLED;
    return pass.own;
}

// Puts r and its velocities into p->lambda and p->v_f, scaled, for the judge. False where nothing moves.
bool pawl_contact_scale(pawl_contact_problem *p, const double *r)
{
    double unit = contact_unit(p);
    if (unit == 0.0) {
        return false;
    }
    contact_to_scaled(p, r, unit);
    contact_velocities(p, r, unit);
    return true;
}

// r (3 x contacts) in the order and units of the caller. *own is the residual that a solver with a law of its own
// reports for the best pass, NaN where there was no pass.
pawl_status pawl_contact_solve_with(pawl_solver *solver, solver_goal goal, pawl_contact_problem *p,
                                    double *r, pawl_contact_result *result, double *own)
{
    int rows = p->problem.row_count;
    for (int i = 0; i < rows; ++i) {
        if (!isfinite(r[i])) {
            return PAWL_FAIL(&p->env, PAWL_BAD_ARGUMENT, "the start at row %d is %g", i, r[i]);
        }
    }
    double unit = contact_unit(p);
    if (unit == 0.0) {
        memset(r, 0, (size_t)rows * sizeof *r);
    }
    *result = (pawl_contact_result){.errors = pawl_contact_problem_errors(p, r)};
    *own = contact_passes(p, solver, goal, unit, r, result);
    return PAWL_OK;
}

pawl_status pawl_contact_problem_solve(pawl_contact_problem *p, const pawl_settings *settings,
                                       double *r, pawl_contact_result *result)
{
    PAWL_NEED(NULL, p);
    PAWL_NEED(&p->env, settings);
    PAWL_NEED(&p->env, r);
    PAWL_NEED(&p->env, result);
    PAWL_NEED_STAMP(&p->env, settings, PAWL_STAMP_SETTINGS, "pawl_settings_default");
    const pawl_env *env = &p->env;
    int rows = p->problem.row_count;
    if (!pawl_solver_takes_contacts((int)settings->solver.kind)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "solver %d does not solve contacts",
                         (int)settings->solver.kind);
    }
    if (!(settings->solver.tolerance > 0.0) || settings->solver.max_iterations < 1) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "got tolerance %g and %d iterations, expected positive ones",
                         settings->solver.tolerance, settings->solver.max_iterations);
    }
    solver_def def = pawl_solver_def_of(settings);
    def.max_rows = rows;
    def.max_contacts = rows / 3;
    def.max_block_dim = 3;
    def.max_blocks = p->problem.block_count;
    pawl_solver *solver;
    PAWL_TRY(pawl_solver_create(env, &def, &solver));
    double own;
    pawl_status status =
        pawl_contact_solve_with(solver, pawl_solver_goal(solver), p, r, result, &own);
    pawl_solver_destroy(solver);
    return status;
}
