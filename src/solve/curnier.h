// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Newton's method for Alart and Curnier's map [alart-curnier-1991] in the velocity space.
#pragma once
#include "solve/space_law.h"

typedef struct curnier_part {
    space_law law;
    space_iterate at, trial;
} curnier_part;

// Of the natural map [m/s]. Once the result is accepted, the aim needs no new factor: the last one gives a correction
// whose error is rounding.
typedef struct curnier_aim {
    double strive, content;
} curnier_aim;

curnier_part pawl_curnier_layout(const solver_def *def, pawl_carver *mem);
// From x, which becomes the best iterate. At most `most` steps; whether one is content with its natural map.
bool pawl_curnier_run(curnier_part *s, const space_problem *q, curnier_aim aim, int most,
                      space_iterate *x, solver_report *report);
// How much of the changes dlambda and dv can be added to x until a contact or bounded row changes its mode, at most `most`.
double pawl_curnier_ratio(const space_problem *q, const space_iterate *x, const double *dlambda,
                          const double *dv, double most);
