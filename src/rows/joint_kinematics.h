// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Geometry of one joint in one configuration: constraint residuals, joint coordinates and the
// exact gradients of both with respect to the twists (linear, angular; world axes) of the two
// bodies. Letters: B base, F follower, p the joint origins, e the joint axes, t = pF - pB.
#pragma once
#include "math/trig.h"
#include "model/state.h"

typedef struct joint_frames {
    pawl_vec3 t;                          // pF - pB
    pawl_vec3 base_lever, follower_lever; // from the centres of mass to pF
    pawl_mat3 base_axes, follower_axes;   // columns: joint axes in world axes
    pawl_quat turn;                       // follower's joint frame seen from the base's
} joint_frames;

// Rotation matrices of all bodies are given, because many joints share a body.
void pawl_joint_frames(const model_joint *j, const body_state *bodies, const pawl_mat3 *rotation,
                       joint_frames *out);

// Rows of kind j: residual (row_count), gradients row_count x 6 (both NULL: residuals alone). Not
// for gears. `angle` is the
// joint's first coordinate with its turns counted; only a screw needs it.
void pawl_joint_rows(const model_joint *j, const joint_frames *f, double angle, double *residual,
                     double base[][6], double follower[][6]);
// The residuals alone, at least cost. Not for gears and screws.
void pawl_joint_residuals(const model_joint *j, const body_state *bodies, const pawl_mat3 *rotation,
                          double *residual);
// Whether row r of the kind is a rotation (rad) rather than a translation (m).
bool pawl_joint_row_is_rotation(pawl_joint_kind kind, int row);
const char *pawl_joint_row_name(pawl_joint_kind kind, int row); // e.g. "force y"

// The stretch of a spring with play whose end is x beyond its rest position [m or rad].
static inline double pawl_spring_stretch(double x, double slack)
{
    double beyond = x - slack;
    return x <= 0.0 ? x : beyond > 0.0 ? beyond : 0.0;
}

// The relative spin about axis k of the base's joint frame.
void pawl_joint_spin(const joint_frames *f, int k, double base[6], double follower[6]);
// Value of coordinate c, an angle in (-pi, pi], and its gradient. Gradients may be NULL.
double pawl_joint_coordinate(const model_joint *j, const joint_frames *f, int c, double base[6],
                             double follower[6]);
