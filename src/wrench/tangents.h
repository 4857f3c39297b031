// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A tangent frame that is a smooth function of the normal. No choice is smooth for all normals (hairy ball theorem);
// this one, the shortest turn from given axes, is singular at only one.
#pragma once
#include "math/vec.h"

typedef struct tangent_frame {
    pawl_vec3 t[2];
    pawl_mat3 dn[2]; // derivatives with respect to the normal; right for changes across it
} tangent_frame;
// The first two columns of `axes` after the shortest turn that takes the third onto n. At n = -z,
// where there is no shortest one, some frame with derivative 0.
void pawl_tangent_frame(const pawl_mat3 *axes, pawl_vec3 n, tangent_frame *out);
// Derivative of t[a] with respect to a rotation vector that turns the axes and leaves n alone.
pawl_mat3 pawl_tangent_turn(const tangent_frame *frame, int a, pawl_vec3 n);
