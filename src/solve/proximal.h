// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The proximal point method around Newton's method for Alart and Curnier's map.
#pragma once
#include "solve/curnier.h"

// Newton's method solves regularized problems; who watches sees its iterates as those of the problem itself.
typedef struct proximal_watch {
    problem_watch base; // first, so that a problem_watch * is also one of these
    const pawl_problem *of;
} proximal_watch;

typedef struct proximal_part {
    double *compliance, *v_f; // (rows) of the regularized problem
    space_iterate centre, at;
} proximal_part;

// What is asked of it: it goes on for `aim` while it gains; an answer within `accept` [m/s] is given less patience.
typedef struct proximal_goal {
    double aim, accept;
    int factors; // at most
} proximal_goal;

proximal_part pawl_proximal_layout(const solver_def *def, pawl_carver *mem);
// From x, which gets the best iterate.
void pawl_proximal_run(proximal_part *s, curnier_part *newton, const space_problem *q,
                       proximal_goal goal, space_iterate *x, solver_report *report);
