// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Siconos' solvers on a contact problem.
#pragma once
#include "pawl/contact_problem.h"

typedef enum siconos_method {
    SICONOS_NSGS = 0,
    SICONOS_NSN_AC,
    SICONOS_ADMM_ONE,   ///< rho = 1
    SICONOS_ADMM_TRACE, ///< rho = trace(W) / rows
    SICONOS_METHODS
} siconos_method;

const char *siconos_method_name(int method); ///< NULL past the last
/// Solves from zero until Siconos' own error is at most `tolerance`; r is in pawl's order. Returns the
/// iterations. Its own time limit is none: the caller's process has one.
int siconos_solve(const pawl_contact_problem *problem, siconos_method method, double tolerance,
                  double *r);
