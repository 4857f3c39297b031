// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Coordinates within limits that make an error vanish, and among these the ones nearest to a rest pose: the common
// part of inverse kinematics of one limb and of several together.
#pragma once
#include "base/carver.h"
#include <stdbool.h>

// What is missing at q. `e` (rows) and, unless NULL, `J` (rows x count, column by column): minus de/dq.
typedef void reach_errors(void *user, const double *q, double *e, double *J);

typedef struct reach_space {
    int count, rows;
    const double *lower, *upper; // (count)
    reach_errors *errors;
    void *user;
    double *J, *A, *inverse_d;              // (rows x count), (rows x rows), (rows)
    double *e, *y, *left;                   // (rows)
    double *move, *fresh, *trial, *nearest; // (count)
    bool *held;                             // (count)
} reach_space;

// All but `errors` and `user`; called twice, as layouts are.
void pawl_reach_layout(reach_space *s, pawl_carver *mem, int count, int rows, const double *lower,
                       const double *upper);
// Moves q, from where it is, to coordinates with |e| below `reached`, near `rest`. Returns |e|.
double pawl_reach(reach_space *s, double reached, const double *rest, double *q);
