// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Unit quaternions and rotation vectors.
#pragma once
#include "math/vec.h"

static inline pawl_quat quat_mul(pawl_quat a, pawl_quat b)
{
    return (pawl_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                       a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                       a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline pawl_quat quat_conj(pawl_quat a)
{
    return (pawl_quat){a.w, -a.x, -a.y, -a.z};
}
static inline double quat_norm2(pawl_quat a)
{
    return a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
}
static inline pawl_mat3 quat_matrix(pawl_quat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (pawl_mat3){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                        {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                        {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}
static inline bool quat_finite(pawl_quat q)
{
    return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
}

// exp: the rotation by angle |v| about v.
pawl_quat quat_exp(pawl_vec3 v);
// log: the rotation vector with angle in [0, pi].
pawl_vec3 quat_log(pawl_quat q);
// One world-frame step: exp(v) q, renormalized.
pawl_quat quat_advance(pawl_quat q, pawl_vec3 v);
// Rate of the rotation vector rho for an angular velocity in the axes rho is given in (the outer,
// fixed ones): rho' = A(rho) w, the inverse left Jacobian of SO(3).
pawl_mat3 rotation_vector_rate(pawl_vec3 rho);
