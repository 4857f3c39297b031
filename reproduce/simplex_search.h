// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Nelder and Mead's simplex search (1965), for functions that jump: what a thrown cube does depends on its
// parameters that way.
#pragma once

enum { SIMPLEX_MAX = 8 };
/// Minimizes f from x (n) with first steps `step` (n), in about `evaluations` calls. x is the best point
/// found. Returns its value.
double simplex_search(double (*f)(const double *x, void *user), void *user, int n, double *x,
                      const double *step, int evaluations);
