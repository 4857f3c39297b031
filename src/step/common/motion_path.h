// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The motion within a step of the trapezoidal rule, from its two ends. With
// q+ = q o exp(h (u + u+) / 2) the Hermite cubic of [potra-2006] section 7.2 is a quadratic:
//   q(tau) = q o exp(tau u + tau^2 (u+ - u) / (2 h)),   u(tau) = u + tau (u+ - u) / h,
// with u = (velocity in world axes, spin in body axes). A displacement of the end by a projection is added with the
// factor (tau / h)^2, so that both ends are exact.
#pragma once
#include "model/state.h"

typedef struct motion_path {
    const pawl_model *model;
    const body_state *from, *to; // (body_count)
    double begin, h;             // [s]
} motion_path;

// Pose and twist of one body at begin + tau; kinematic bodies follow their own law.
body_state pawl_motion_body(const motion_path *p, int body, double tau);
// Of all bodies, (body_count).
void pawl_motion_at(const motion_path *p, double tau, body_state *bodies);
