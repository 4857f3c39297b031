// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Gauss-Seidel sweeps in the velocity space, for steps whose cost must be bounded (solver.budget).
//
// Contacts get colours such that two of one colour have no common body; they are independent, so four of them are
// solved at a time, one per lane. Colours depend only on the order of the contacts, and sums run lane by lane in the
// same order, so the bits do not depend on the compiler.
#pragma once
#include "solve/solver_ops.h"
#include "solve/space_iterate.h"
#include "solve/sweep_group.h"

typedef struct space_sweeper {
    sweep_group *groups; // (max contacts)
    int group_count;
    int *color; // (max contacts)
    int *order; // (max contacts)
} space_sweeper;

space_sweeper pawl_space_sweeper_layout(const solver_def *def, pawl_carver *mem);
// `sweeps` sweeps from x, whose velocities and residuals are then those of its end.
void pawl_space_sweep(space_sweeper *s, const space_problem *q, int sweeps, space_iterate *x);

// None where x solves it to `aim` already, otherwise so many; returns which. Of x only lambda and natural are set.
// q->weight has to be known where there are rows beside contacts, or no bodies (space->sparse is NULL).
int pawl_space_sweep_within(space_sweeper *s, const space_problem *q, double aim, int sweeps,
                            space_iterate *x);
