// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Rigid parts as one body.
#pragma once
#include "math/vec.h"
#include "pawl/base.h"

typedef struct lumped_mass {
    double mass;
    pawl_vec3 com;
    double inertia[6]; // xx yy zz xy xz yz about com
} lumped_mass;
lumped_mass lumped_mass_add(lumped_mass a, lumped_mass b); // both in one frame
// As seen from a frame in which its own frame has that pose.
lumped_mass lumped_mass_moved(lumped_mass a, pawl_pose pose);
void lumped_mass_six(const pawl_mat3 *a, double out[6]);
