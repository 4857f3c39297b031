// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Newton's method for Alart and Curnier's map [alart-curnier] in the velocity space.
#pragma once
#include "solve/solver_ops.h"
#include "solve/space_iterate.h"

typedef struct curnier_part {
    double *S;                // (9 x contacts) of the linearized laws dlambda = b - S dv
    double *s;                // (rows) of other rows
    double *b;                // (rows)
    double *step, *dv;        // (rows)
    space_iterate at, trial;
} curnier_part;

curnier_part pawl_curnier_layout(const solver_def *def, pawl_carver *mem);
// From x, which becomes the best iterate. At most `most` steps; whether its natural map is within `aim`.
bool pawl_curnier_run(curnier_part *s, const space_problem *q, double aim, int most,
                      space_iterate *x, solver_report *report);
