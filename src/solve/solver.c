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
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "solver %s needs %zu bytes", ops->name, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    *out = ops->layout(def, &mem);
    **out = (pawl_solver){.ops = ops, .env = *env, .def = *def, .bytes = need.used};
    return PAWL_OK;
}

void pawl_solver_destroy(pawl_solver *solver)
{
    if (solver != NULL) {
        pawl_env env = solver->env;
        pawl_free(&env, solver, solver->bytes);
    }
}

void pawl_solver_solve(pawl_solver *solver, const pawl_problem *p, double *lambda,
                       solver_report *report)
{
    PAWL_ASSERT(p->row_count <= solver->def.max_rows && p->block_count <= solver->def.max_blocks);
    solver->ops->solve(solver, p, lambda, report);
}
