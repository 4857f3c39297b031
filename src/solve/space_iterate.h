// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// An iterate of the solvers that work in the velocity space (problem/velocity_space.h): impulses, their velocities,
// and the natural map of both.
#pragma once
#include "problem/natural.h"
#include "problem/velocity_space.h"

typedef struct space_problem {
    const pawl_problem *p;
    velocity_space *space;
    const double *weight; // (rows) pawl_problem_weights()
} space_problem;

typedef struct space_iterate {
    double *lambda, *v; // (rows)
    double natural;     // the largest entry of the scaled natural map [m/s]
    double merit;       // its 2-norm
} space_iterate;

space_iterate pawl_space_iterate_layout(int max_rows, pawl_carver *mem);
void pawl_space_iterate_copy(const space_problem *q, const space_iterate *from, space_iterate *to);
// v and the residuals from lambda. Uses the first vector of the space for w = YT lambda.
void pawl_space_evaluate(const space_problem *q, space_iterate *x);
// lambda into its bounds: normal impulses that do not pull, friction at most mu times them. Unlike the nearest point
// of the cone this leaves a normal impulse as it is.
void pawl_space_admit(const pawl_problem *p, double *lambda);
