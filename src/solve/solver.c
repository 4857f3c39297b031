// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "solve/solver_ops.h"

pawl_status pawl_solver_create(const pawl_env *env, const solver_def *def, pawl_solver **out)
{
    *out = NULL;
    const pawl_solver_ops *ops = pawl_solver_find((int)def->kind);
    if (ops == NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "no solver of kind %d", (int)def->kind);
    }
    pawl_carver need = {0};
    ops->layout(def, &need);
    (void)PAWL_CARVE(&need, double, 2 * def->max_rows);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "solver %s needs %zu bytes", ops->name, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    *out = ops->layout(def, &mem);
    double *check = PAWL_CARVE(&mem, double, 2 * def->max_rows);
    **out = (pawl_solver){.ops = ops, .env = *env, .def = *def, .bytes = need.used, .check = check};
    return PAWL_OK;
}

void pawl_solver_destroy(pawl_solver *solver)
{
    if (solver != NULL) {
        pawl_env env = solver->env;
        pawl_free(&env, solver, solver->bytes);
    }
}

static bool solver_met(pawl_solver *s, const pawl_problem *p, const double *lambda)
{
    double *v = s->check;
    p->delassus->ops->apply(p->delassus, lambda, v);
    for (int i = 0; i < p->row_count; ++i) {
        v[i] += p->v_f[i] + p->compliance[i] * lambda[i];
    }
    pawl_residual r = pawl_problem_judge(p, lambda, v, v + s->def.max_rows);
    return r.natural_scaled <= s->def.tolerance;
}

void pawl_solver_solve(pawl_solver *solver, const pawl_problem *p, double *lambda,
                       solver_report *report)
{
    PAWL_ASSERT(p->row_count <= solver->def.max_rows && p->block_count <= solver->def.max_blocks);
    solver->ops->solve(solver, p, lambda, report);
    if (p->contact_count == 0) {
        return;
    }
    enum { TIMES = 3 };
    double asked = solver->def.tolerance, goal = asked;
    int iterations = report->iterations;
    for (int k = 0; k < TIMES && report->outcome == PAWL_CONVERGED; ++k) {
        if (solver_met(solver, p, lambda)) {
            break;
        }
        goal *= 0.03;
        solver->def.tolerance = goal;
        solver->ops->solve(solver, p, lambda, report);
        solver->def.tolerance = asked;
        iterations += report->iterations;
    }
    report->iterations = iterations;
}
