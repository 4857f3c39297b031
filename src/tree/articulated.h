// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Dynamics of a tree, H theta'' + C(theta, theta') = tau, with gravity in C:
//   inverse dynamics (recursive Newton-Euler), O(nv);
//   the inertia H (composite bodies) and its factor without fill, O(nv depth) numbers;
//   the inverse of H by articulated bodies, O(nv).
// The motion must have been placed and moved.
#pragma once
#include "tree/motion.h"

// tau (nv) that makes theta'' = acceleration. Gravity acts, with each body's share. Leaves A and p' as
// pawl_reduced_accelerate does.
void pawl_reduced_inverse_dynamics(reduced_motion *motion, const double *acceleration, double *tau);

// H by rows along the way to the root: row k begins at factor_row[k] and has the column at depth d on that
// way at place d, the diagonal last. Needs a placed motion only.
void pawl_reduced_inertia(reduced_motion *motion, double *H);
// The same as a full symmetric matrix (nv x nv).
void pawl_reduced_inertia_dense(reduced_motion *motion, double *H);
// In place H = LT D L with the pattern of H: columns are eliminated from the leaves. Diagonals may be added
// to before it. False where a pivot is not positive.
bool pawl_reduced_factor(const reduced_tree *tree, double *H);
void pawl_reduced_solve(const reduced_tree *tree, const double *factor, double *x);

// The same inverse by articulated bodies, in O(nv): H^-1 = B D^-1 BT with D diagonal.
typedef struct articulated_factor {
    spatial *U; // (nv) what the links below a column resist its motion with
    double
        *inverse; // (nv) D^-1, 0 where a column has no inertia of its own, as a gimbal in its lock
    double *root; // (nv) D^-1/2
} articulated_factor;
articulated_factor pawl_articulated_factor_carve(const reduced_tree *tree, pawl_carver *mem);
// Of a placed motion, with `added` (nv; NULL: nothing) on the diagonal of H.
void pawl_reduced_articulate(reduced_motion *motion, const double *added,
                             const articulated_factor *out);
// x (nv) = BT tau for the generalized forces tau (NULL: none) and those of wrenches (links, about their
// origins; they are lost).
void pawl_reduced_articulated_forces(const reduced_motion *motion, const articulated_factor *f,
                                     const double *tau, spatial *wrench, double *x);
// The rates B y (nv) and the velocities of the links that go with them. `y` may be the rates.
void pawl_reduced_articulated_rates(const reduced_motion *motion, const articulated_factor *f,
                                    const double *y, double *rate, spatial *V);

double pawl_reduced_kinetic_energy(const reduced_motion *motion);
// The force of gravity on a link's centre of mass.
static inline pawl_vec3 pawl_reduced_weight(const reduced_motion *m, int link)
{
    const model_body *b = &m->tree->model->bodies[m->tree->links[link].body];
    return v3_scale(b->mass * b->gravity_scale, m->tree->model->gravity);
}
