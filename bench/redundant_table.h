// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Overconstrained mechanisms of the textbooks, written with few digits or with one flaw.
#pragma once
#include "options.h"
#include "pawl/sim.h"

/// Prints a row for each, with the figures of the prototype that REDUNDANT's method was tried with, and
/// adds to *bad where one stands still, is refused or explodes. `settings` apart from step and stepper.
json_t *redundant_table(const bench_options *options, const pawl_settings *settings, int *bad);
