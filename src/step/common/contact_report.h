// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Penetration, forces and modes of the contacts of a step.
#pragma once
#include "step/common/step.h"

void pawl_report_penetration(const step_context *c, pawl_step_report *report);
// To the results: impulses over a step of length h are forces.
void pawl_report_contacts(step_context *c, double h);
