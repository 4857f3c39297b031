// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Linearized laws of all rows and the step that satisfies them: dlambda = b - S dv at every row and contact, with
// dv = D dlambda + R dlambda. In the velocity space this is (1 + YT S Y) dw = YT b: the Newton-like methods here
// differ only in S and b.
#pragma once
#include "solve/solver_ops.h"
#include "solve/space_iterate.h"

typedef struct space_law {
    double *S; // (9 x contacts)
    double *s; // (rows) of other rows
    double *b; // (rows)
    // the step
    double *lambda, *v; // (rows) changes of impulses and velocities
} space_law;

space_law pawl_space_law_layout(const solver_def *def, pawl_carver *mem);
// Takes compliance out of S and b: v has R lambda in it, so that dlambda = (1 + S R)^-1 (b - S Y dw).
void pawl_space_law_soften(const pawl_problem *p, space_law *law);
// The matrix of S and s; false where it breaks down.
bool pawl_space_law_factor(const space_problem *q, const space_law *law, bool symmetric);
// The step for b, with the last matrix. Uses the second vector of the space, which holds dw then.
void pawl_space_law_solve(const space_problem *q, space_law *law);
