// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random mechanisms with springs, dampers, friction losses, limits and body damping: stiffnesses from 1e-3 to 1e15 N/m,
// damping to 1e12 N s/m, masses from 1e-6 to 1e6 kg, steps from 1e-6 to 1 s. What dissipates never gives.
#pragma once
#include "pawl/verdict.h"
#include "support/scene.h"

#include <math.h>

enum { DISSIPATION_RUNS = 160, DISSIPATION_KINDS = PAWL_DISSIPATOR_LIMITS + 1 };

// Of many runs; untrue: they passed with an energy that is wrong by a tenth of what was turned over.
typedef struct dissipation_count {
    int passed, stopped, untrue;
    double worst[DISSIPATION_KINDS]; // rise by pawl_dissipator
} dissipation_count;

extern const pawl_stepper_kind dissipation_steppers[4];
double dissipation_power(uint64_t *seed, double low, double high);
// A pendulum of hinges with everything that dissipates.
void dissipation_hinges(mechanism *m, uint64_t *seed, int count);
// Largest rise of an account above its lowest value, beside what was turned over.
double dissipation_rise(const pawl_verdict *v, pawl_dissipator kind);
// DISSIPATION_RUNS mechanisms, of all steppers.
void dissipation_run(dissipation_count *count, uint64_t seed);
void dissipation_check(const dissipation_count *count);
