// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The largest error of matched impulses that are accepted as the solution of a step.
#pragma once
#include "rows/row_set.h"

// From the twists before the step (6 x bodies of the model): the residual that the start of a solve may have [m/s].
double pawl_trusted_start(const row_set *rows, const double *twists);
