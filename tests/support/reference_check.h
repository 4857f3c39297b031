// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Asserts that a stepper comes closer to a trusted answer at its order when its step is halved.
#pragma once
#include "support/reference.h"

enum { REFERENCE_STEPS = 3 }; // each half of the one before

// What is expected of a stepper on a reference, at the finest of the three steps.
typedef struct reference_expectation {
    const char *name;   // of the reference case
    const char *series; // NULL: the only one
    double order;       // of convergence; 0: at least one, whatever it is
    double error;       // bound at the finest step; the measured error with some slack
} reference_expectation;

// Projected, all else as it comes.
pawl_settings reference_settings(pawl_stepper_kind stepper, double dt);
// Fails the test where there is none; the first of that name where series is NULL.
const reference_case *reference_find(const char *name, const char *series);
// From steps `coarser` times as long as the case's, with the other settings of `base`.
void reference_check_at(const pawl_settings *base, double coarser,
                        const reference_expectation *expected);
void reference_check(pawl_stepper_kind stepper, const reference_expectation *expected);
