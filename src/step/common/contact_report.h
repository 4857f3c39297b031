// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Forces and modes of the contacts of a step.
#pragma once
#include "step/common/step.h"

// To the results: impulses over a step of length h are forces.
void pawl_report_contacts(step_context *c, double h);
