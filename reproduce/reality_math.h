// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The little vector algebra that tosses need, on the public types.
#pragma once
#include "pawl/base.h"
#include <math.h>

static inline pawl_vec3 reality_vec(double x, double y, double z)
{
    return (pawl_vec3){x, y, z};
}
static inline pawl_vec3 reality_axpy(pawl_vec3 a, double s, pawl_vec3 b) // a + s b
{
    return (pawl_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline pawl_vec3 reality_cross(pawl_vec3 a, pawl_vec3 b)
{
    return (pawl_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double reality_norm(pawl_vec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}
static inline pawl_quat reality_conj(pawl_quat a)
{
    return (pawl_quat){a.w, -a.x, -a.y, -a.z};
}
// The rotation vector, with an angle up to pi.
static inline pawl_vec3 reality_log(pawl_quat q)
{
    double sign = q.w < 0.0 ? -1.0 : 1.0, s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    double scale = s > 1e-12 ? 2.0 * atan2(s, sign * q.w) / s : 2.0;
    return reality_vec(sign * scale * q.x, sign * scale * q.y, sign * scale * q.z);
}
// exp(v) q: turned by a rotation vector of world axes.
static inline pawl_quat reality_turn(pawl_quat q, pawl_vec3 v)
{
    double angle = reality_norm(v);
    return angle > 1e-12 ? pawl_quat_multiply(pawl_quat_from_axis_angle(v, angle), q) : q;
}
// Heights of the body's axes: the last row of its rotation matrix.
static inline pawl_vec3 reality_heights(pawl_quat q)
{
    return pawl_quat_rotate(reality_conj(q), reality_vec(0.0, 0.0, 1.0));
}
