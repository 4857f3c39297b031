// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The central path of the interior point (interior_point.h) followed by arc length, past its turning points.
#pragma once
#include "solve/interior_point.h"

// Works on the variables of an interior_part, which has no path of its own while this is followed.
typedef struct path_part {
    double *rho, *rho_row; // (3 x contacts), (rows) what Y and the free rows lack at t = 1
    double *gap;           // (contacts) X . Y at t = 1
    double *tX, *tY;       // (3 x contacts) derivatives by t
    double *t_lambda;      // (rows) likewise
    double *lastX, *lastY; // (3 x contacts) unit tangent of the step before
    double *tryX, *tryY;   // (3 x contacts)
    double t, last_t;      // 1 at the start, 0 at the solution; and of the tangent
    double reach;          // length of a step, of the distance to the cones' boundaries
    bool moved;
} path_part;

path_part pawl_path_layout(const solver_def *def, pawl_carver *mem);
// Whether there is a path: problems of contacts and free rows alone.
bool pawl_path_exists(const pawl_problem *p);
// A start of pawl_interior_begin() is the point t = 1 of a path.
void pawl_path_begin(path_part *s, interior_part *at, const space_problem *q);
// As pawl_interior_run().
bool pawl_path_run(path_part *s, interior_part *at, const space_problem *q, double target, int most,
                   space_iterate *x, solver_report *report);
