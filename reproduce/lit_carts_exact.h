// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The two carts' true motion, for comparison: between events it is a linear differential equation.
#pragma once

enum { LIT_CARTS_CASES = 6, LIT_CARTS_SAMPLES = 33 };
/// Every eighth of a second; a case of 2 s has 17 samples.
#define LIT_CARTS_INTERVAL 0.125

typedef struct lit_carts_exact {
    double gamma, delta;              ///< stiffness of the spring [N/m], of the damper [N s/m]
    double energy_end;                ///< [J]
    double position_end[2];           ///< x1 and x2 [m]
    double energy[LIT_CARTS_SAMPLES]; ///< [J]
} lit_carts_exact;
/// Three with growing delta, then three with growing gamma.
extern const lit_carts_exact lit_carts_exact_cases[LIT_CARTS_CASES];
