// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Functions of the poses of all links, each a 3 x 4 matrix T = [R r] of the centre of mass's frame: their
// gradients and Hessians by theta. Enough for
//   E = 1/2 sum over links of tr((T - T*) W (T - T*)T),
// whose gradient is pawl_reduced_pose_gradient() of A = (T - T*) W and whose Hessian is
// pawl_reduced_pose_hessian() of the same A plus pawl_reduced_pose_gram() of W.
#pragma once
#include "tree/motion.h"

typedef struct pose_matrix {
    double m[3][4];
} pose_matrix;
typedef struct pose_weight {
    double m[4][4]; // symmetric
} pose_weight;

// T of a link of a placed motion.
pose_matrix pawl_reduced_pose_matrix(const reduced_motion *motion, int link);
// W of a body's mass: with it tr(dT/dt W (dT/dt)T) is twice its kinetic energy.
pose_weight pawl_reduced_mass_weight(const pawl_model *model, int body);

// gradient_k = sum over links of <A, dT/dtheta_k>; A (links). O(nv).
void pawl_reduced_pose_gradient(reduced_motion *motion, const pose_matrix *A, double *gradient);
// hessian (nv x nv) += sum of <A, d2T/dtheta_j dtheta_k>. O(nv depth).
void pawl_reduced_pose_hessian(reduced_motion *motion, const pose_matrix *A, double *hessian);
// hessian += sum of tr(dT/dtheta_j W (dT/dtheta_k)T); W (links). O(nv depth).
void pawl_reduced_pose_gram(reduced_motion *motion, const pose_weight *W, double *hessian);
