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

// Below this square of an angle s = sin(a/2)/a and c = cos(a/2) come from their series in z = (a/2)^2, whose terms
// left out are below 1e-19. A macro, because numbers and lanes of numbers (lanes3.h) use it.
static const double quat_series_angle2 = 1e-2;
#define QUAT_EXP_SERIES(z, number, s, c)                                                           \
    (s) = number(0.5) *                                                                            \
          (number(1.0) -                                                                           \
           (z) * (number(1.0 / 6.0) -                                                              \
                  (z) * (number(1.0 / 120.0) -                                                     \
                         (z) * (number(1.0 / 5040.0) -                                             \
                                (z) * (number(1.0 / 362880.0) - (z)*number(1.0 / 39916800.0)))))); \
    (c) = number(1.0) -                                                                            \
          (z) * (number(0.5) -                                                                     \
                 (z) * (number(1.0 / 24.0) -                                                       \
                        (z) * (number(1.0 / 720.0) -                                               \
                               (z) * (number(1.0 / 40320.0) - (z)*number(1.0 / 3628800.0)))))

// exp: the rotation by angle |v| about v.
pawl_quat quat_exp(pawl_vec3 v);
// log: the rotation vector with angle in [0, pi].
pawl_vec3 quat_log(pawl_quat q);
// One world-frame step: exp(v) q, renormalized.
pawl_quat quat_advance(pawl_quat q, pawl_vec3 v);
// Rate of the rotation vector rho for an angular velocity in the axes rho is given in (the outer,
// fixed ones): rho' = A(rho) w, the inverse left Jacobian of SO(3).
pawl_mat3 rotation_vector_rate(pawl_vec3 rho);
