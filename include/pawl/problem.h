// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The residuals by which every solver is judged; see docs/math.md.
///
/// **Threads.** Plain values.
#pragma once
#include "pawl/base.h"

PAWL_EXTERN_C_BEGIN

/// All in the infinity norm, of the frozen constraint problem that the step assembled, for its own
/// velocities v = D lambda + R lambda + v_f, whatever problem the solver itself works on.
typedef struct pawl_residual {
    double primal;          ///< lambda - P_K(lambda): impulses outside their cone or bounds [N s]
    double dual;            ///< velocities outside the dual cone [m/s or rad/s]
    double complementarity; ///< lambda times velocity, per block [J]
    double natural;         ///< lambda - P_K(lambda - v)
    double natural_scaled;  ///< the same with lambda scaled by diag(D): a velocity [m/s or rad/s]
} pawl_residual;

PAWL_EXTERN_C_END
