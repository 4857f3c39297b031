// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The position at which a contact point touches the ground, with its derivatives with respect to the pose of the
// point's frame.
#pragma once
#include "pawl/wrench.h"

// Columns of derivatives: 0 to 2 by the frame's position, 3 to 5 by a rotation vector, world axes.
typedef struct contact_site {
    pawl_distance distance; // of the ground where it is touched, before the ball's radius
    double depth;           // below 0: a gap [m]
    pawl_vec3 normal;
    pawl_vec3 lever; // from the frame's origin to where the force acts [m]
    bool turns;      // it matters how the frame is turned
    double depth_slope[6];
    double normal_slope[3][6];
    double lever_slope[3][6];
} contact_site;

// With `slopes` false the derivatives are left as they are.
void pawl_contact_site(const pawl_wrench_query *query, bool slopes, contact_site *out);
