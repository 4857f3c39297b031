// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Torsional and rolling friction: rows of a contact's relative spin whose bounds follow its normal
// impulse (docs/math.md section 8). With s the spin about the normal, w the one about the tangents:
//   |lambda_s| <= mu_t lambda_N, opposing s;   |lambda_w| <= mu_r lambda_N (a disc), opposing w.
//
// Solvers support only boxes with fixed bounds. Therefore a problem is solved, bounds and boxes are updated from the
// solution, and it is solved again until nothing changes: pawl_spin_rows_aim() before each solve,
// pawl_spin_rows_settle() after it. Only for problems whose model has such friction.
#pragma once
#include "rows/assembly.h"

// Boxes for the next solve, from impulses lambda and twists u (6 x bodies) near the answer. A contact
// that rolls gets its first axis along the friction it needs, and lambda becomes admissible.
void pawl_spin_rows_aim(pawl_assembly *a, double *lambda, const double *u);
// Bounds by the normal impulses in lambda, and axes along the friction found, so that the judge's
// figures of the two rows are those of the disc. Only axes change: lambda is expressed in the new ones.
void pawl_spin_rows_settle(pawl_assembly *a, double *lambda);

// Angular impulse of torsional and rolling friction from a on b of contact k, world axes [N m s].
pawl_vec3 pawl_spin_moment(const pawl_assembly *a, int k, const double *lambda);
void pawl_spin_set_moment(const pawl_assembly *a, int k, pawl_vec3 moment, double *lambda);
