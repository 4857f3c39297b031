// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Figures of a step with several parts: sub-steps between events, stages.
#pragma once
#include "pawl/report.h"

// The worse of both, figure by figure.
void pawl_residual_worsen(pawl_residual *whole, const pawl_residual *part);
// The figures of a part that follows another into those of the whole: counts and work are summed, of residuals and
// sizes the largest is kept.
void pawl_report_merge(pawl_step_report *whole, const pawl_step_report *part);
