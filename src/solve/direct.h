// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The exact method for problems without contacts, for solvers that build on it.
#pragma once
#include "solve/box_pivot.h"
#include "solve/eliminate.h"
#include "solve/solver_ops.h"

typedef struct direct_part {
    eliminator eliminate;
    box_pivot box;
    double *y; // (bounded)
} direct_part;

direct_part pawl_direct_layout(const solver_def *def, pawl_carver *mem);
void pawl_direct_solve(direct_part *s, const solver_def *def, const pawl_problem *p, double *lambda,
                       solver_report *report);
