// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Motions with closed forms for the steppers of maximal dissipation: bodies that roll, slide, spin, topple and run
// against stops.
#pragma once
#include "pawl/pawl.h"

typedef struct nmdp_case {
    const char *name;
    const char *measured; ///< what the error is, and its unit
    /// Runs one with these settings and returns the error; NAN where a step failed. `deepest` gets the largest depth [m].
    double (*run)(const pawl_settings *settings, double *deepest);
} nmdp_case;

extern const nmdp_case nmdp_cases[];
extern const int nmdp_case_count;
