// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Steps of the augmented Lagrangian (the proximal-point method on impulses) in the velocity space: robust where
// Newton's method cycles between modes.
#pragma once
#include "solve/space_law.h"

typedef struct augmented_part {
    space_law law;
    space_iterate at;
    double *offset;         // (rows) velocities with De Saxce's term, which is frozen within a step
    double *z, *dz, *image; // (rows)
} augmented_part;

augmented_part pawl_augmented_layout(const solver_def *def, pawl_carver *mem);
// One step with penalty E / w from x, which becomes its end whether better or not. Returns whether the inner problem
// was solved.
bool pawl_augmented_step(augmented_part *s, const space_problem *q, double E, space_iterate *x,
                         solver_report *report);
