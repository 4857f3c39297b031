// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl/solve.h: a solver of the table with its memory, for contact problems that come as matrices.
#include "base/guard.h"
#include "pawl/solve.h"
#include "problem/natural.h"
#include "solve/contact_solve.h"
#include <math.h>
#include <string.h>

struct pawl_contact_solver {
    pawl_env env;
    pawl_contact_solver_def def;
    pawl_solver *solver;
    double *velocity, *weight; // (3 x max_contacts)
    size_t bytes;              // of these
};

pawl_contact_solver_def pawl_contact_solver_def_default(void)
{
    return (pawl_contact_solver_def){.kind = PAWL_SOLVER_AUTO,
                                     .max_contacts = 1,
                                     .tolerance = 1e-8,
                                     .max_iterations = 10000,
                                     .stamp = PAWL_STAMP_CONTACT_SOLVER};
}

int pawl_solver_find_kind(const char *name)
{
    for (int i = 0; name != NULL && i < PAWL_SOLVER_COUNT; ++i) {
        if (strcmp(name, pawl_solver_find(i)->name) == 0) {
            return i;
        }
    }
    return -1;
}

static pawl_status solver_check_def(const pawl_env *env, const pawl_contact_solver_def *def)
{
    PAWL_NEED_STAMP(env, def, PAWL_STAMP_CONTACT_SOLVER, "pawl_contact_solver_def_default");
    if (!pawl_solver_takes_contacts((int)def->kind)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "solver %d does not solve contacts",
                         (int)def->kind);
    }
    const int most = 10000000;
    if (def->max_contacts < 1 || def->max_contacts > most || !(def->tolerance > 0.0) ||
        isinf(def->tolerance) || def->max_iterations < 1) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "a solver for %d contacts with tolerance %g and %d iterations; expected 1 "
                         "to %d contacts and positive numbers",
                         def->max_contacts, def->tolerance, def->max_iterations, most);
    }
    if (def->settings != NULL) {
        PAWL_TRY(pawl_settings_check(env, def->settings));
    }
    return PAWL_OK;
}

// A problem of contacts alone: no free and no bounded rows.
static pawl_status solver_create_parts(pawl_contact_solver *s)
{
    int n = s->def.max_contacts;
    pawl_settings settings = s->def.settings != NULL ? *s->def.settings : pawl_settings_default();
    settings.solver.kind = s->def.kind;
    solver_def def = pawl_solver_def_of(&settings);
    def.max_rows = 3 * n;
    def.max_contacts = n;
    def.max_block_dim = 3;
    def.max_blocks = n;
    PAWL_TRY(pawl_solver_create(&s->env, &def, &s->solver));
    s->bytes = (size_t)(6 * n) * sizeof(double);
    s->velocity = pawl_alloc(&s->env, s->bytes);
    if (s->velocity == NULL) {
        return PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "a solver needs %zu bytes", s->bytes);
    }
    s->weight = s->velocity + 3 * n;
    s->def.settings = NULL; // the caller's may go
    return PAWL_OK;
}

pawl_status pawl_contact_solver_create(const pawl_env *env, const pawl_contact_solver_def *def,
                                       pawl_contact_solver **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, def);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_TRY(solver_check_def(env, def));
    pawl_contact_solver *s = pawl_alloc(env, sizeof *s);
    if (s == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a solver");
    }
    *s = (pawl_contact_solver){.env = *env, .def = *def};
    pawl_status status = solver_create_parts(s);
    if (status != PAWL_OK) {
        pawl_contact_solver_destroy(s);
        return status;
    }
    *out = s;
    return PAWL_OK;
}

void pawl_contact_solver_destroy(pawl_contact_solver *s)
{
    if (s == NULL) {
        return;
    }
    pawl_env env = s->env;
    pawl_solver_destroy(s->solver);
    pawl_free(&env, s->velocity, s->bytes);
    pawl_free(&env, s, sizeof *s);
}

// What the answer leaves of the solver's own problem. `reported`: by a solver with a law of its own.
static double solver_own_residual(pawl_contact_solver *s, pawl_contact_problem *p, const double *r,
                                  double reported)
{
    if (!pawl_contact_scale(p, r)) {
        return 0.0;
    }
    if (s->solver->ops->own_law != NULL) {
        return reported;
    }
    pawl_problem_velocity(&p->problem, p->lambda, s->velocity);
    pawl_problem_weights(&p->problem, s->weight);
    return s->solver->ops->relaxed
               ? pawl_problem_natural_relaxed(&p->problem, p->lambda, s->velocity, s->weight)
               : pawl_problem_natural(&p->problem, p->lambda, s->velocity, s->weight);
}

// r (3 x contacts): the start on entry, the answer on return. report.result has the errors of the problem as
// given; own_outcome is by the solver's own law. A solver that says it converged and misses its tolerance by the
// judge has stalled.
pawl_status pawl_contact_solver_solve(pawl_contact_solver *s, pawl_contact_problem *problem,
                                      double *r, pawl_contact_solver_report *out)
{
    PAWL_NEED(NULL, s);
    PAWL_NEED(&s->env, problem);
    PAWL_NEED(&s->env, r);
    if (problem->problem.contact_count > s->def.max_contacts) {
        return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT,
                         "a problem of %d contacts, expected at most the solver's %d",
                         problem->problem.contact_count, s->def.max_contacts);
    }
    pawl_contact_solver_report report = {.own_residual = 0.0};
    double own = NAN;
    solver_goal goal = {.tolerance = s->def.tolerance, .iterations = s->def.max_iterations};
    PAWL_TRY(pawl_contact_solve_with(s->solver, goal, problem, r, &report.result, &own));
    report.own_residual = solver_own_residual(s, problem, r, own);
    report.own_outcome = report.own_residual <= s->def.tolerance   ? PAWL_CONVERGED
                         : report.result.outcome == PAWL_CONVERGED ? PAWL_STALLED
                                                                   : report.result.outcome;
    if (out != NULL) {
        *out = report;
    }
    return PAWL_OK;
}
