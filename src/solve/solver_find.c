// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Solvers by their kind, from the table.
#include "solve/solver_ops.h"

const pawl_solver_ops *pawl_solver_find(int kind)
{
    return kind >= 0 && kind < pawl_solver_count ? pawl_solvers[kind] : NULL;
}

const char *pawl_solver_name(int kind)
{
    return pawl_solver_find(kind) != NULL ? pawl_solver_find(kind)->name : NULL;
}

const char *pawl_solver_other_law(int kind)
{
    const pawl_solver_ops *ops = pawl_solver_find(kind);
    return ops == NULL ? NULL : ops->relaxed ? "the convex relaxation of friction" : ops->own_law;
}

const char *pawl_solver_summary(int kind)
{
    return pawl_solver_find(kind) != NULL ? pawl_solver_find(kind)->summary : NULL;
}
