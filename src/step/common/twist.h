// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Twists as six numbers: linear, angular.
#pragma once
#include "math/vec.h"

static inline void twist_put(double *u, pawl_vec3 linear, pawl_vec3 angular)
{
    u[0] = linear.x, u[1] = linear.y, u[2] = linear.z;
    u[3] = angular.x, u[4] = angular.y, u[5] = angular.z;
}

static inline pawl_vec3 twist_linear(const double *u)
{
    return v3(u[0], u[1], u[2]);
}

static inline pawl_vec3 twist_angular(const double *u)
{
    return v3(u[3], u[4], u[5]);
}
