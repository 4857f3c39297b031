// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Actuators that press a body against the bodies that it touches.
#pragma once
#include "step/common/step.h"

// At how many contact points actuator i, of kind adhesion, acts; each has an equal part of its force.
int pawl_adhesion_points(const step_context *c, int i);
// Impulses on the two bodies of a contact point; a body that is the world has none.
typedef struct adhesion_pull {
    int body[2];
    double p[2][6];
} adhesion_pull;
// What the next of these points does, with an impulse of that size along its normal; *k, 0 at first, counts contacts.
// False: there are no more.
bool pawl_adhesion_next(const step_context *c, int i, double size, int *k, adhesion_pull *out);
