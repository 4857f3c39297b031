// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The chart of rotations about a reference, R = R_ref exp(xi), with the derivatives that second-order
// formulas need. With L the left Jacobian of exp, the angular velocity is R_ref L(xi) xi', and in the
// axes of the turned body it is LT(xi) xi'. Regular for |xi| < 2 pi.
#pragma once
#include "math/rotation.h"

typedef struct rotation_chart {
    pawl_vec3 xi;
    double a, b;   // L = 1 + a [xi]x + b [xi]x^2
    double a1, b1; // their derivatives by |xi|^2
    double a2, b2; // and second ones
} rotation_chart;

rotation_chart pawl_rotation_chart(pawl_vec3 xi);
// L d
pawl_vec3 pawl_chart_left(const rotation_chart *c, pawl_vec3 d);
// The derivative of L(xi) d by component j of xi, d fixed.
pawl_vec3 pawl_chart_left_derivative(const rotation_chart *c, int j, pawl_vec3 d);
// The derivative of that along d: d_l d_k times the second derivative by j and l of column k.
pawl_vec3 pawl_chart_left_second(const rotation_chart *c, int j, pawl_vec3 d);
// The matrix L; its transpose is the right Jacobian.
pawl_mat3 pawl_chart_left_matrix(const rotation_chart *c);
