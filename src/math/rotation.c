// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Unit quaternions, rotation vectors and matrices: exponential map and its inverse, products,
// conversions (Shepperd 1978). Small angles use series, where quotients would lose digits.
#include "math/rotation.h"
#include "math/trig.h"

// sin(|v|/2)/|v| from its series for small angles, where the quotient loses digits.
pawl_quat quat_exp(pawl_vec3 v)
{
    double a2 = v3_dot(v, v);
    double s, c;
    if (a2 < quat_series_angle2) {
        double z = 0.25 * a2;
        QUAT_EXP_SERIES(z, (double), s, c);
    } else {
        double a = sqrt(a2);
        pawl_sincos(0.5 * a, &s, &c);
        s /= a;
    }
    return (pawl_quat){c, s * v.x, s * v.y, s * v.z};
}

pawl_vec3 quat_log(pawl_quat q)
{
    if (q.w < 0.0) {
        q = (pawl_quat){-q.w, -q.x, -q.y, -q.z};
    }
    pawl_vec3 v = v3(q.x, q.y, q.z);
    double n = v3_norm(v);
    // atan2(n, w) / n tends to 1/w as n tends to 0
    double s = n < 1e-8 ? 2.0 / q.w : 2.0 * pawl_atan2(n, q.w) / n;
    return v3_scale(s, v);
}

pawl_quat quat_advance(pawl_quat q, pawl_vec3 v)
{
    return pawl_quat_normalize(quat_mul(quat_exp(v), q));
}

pawl_mat3 rotation_vector_rate(pawl_vec3 rho)
{
    // A = 1 - [rho]x/2 + k [rho]x^2, k = (1 - (a/2) cot(a/2)) / a^2
    double a2 = v3_dot(rho, rho);
    double k;
    if (a2 < 1e-4) {
        k = 1.0 / 12.0 + a2 * (1.0 / 720.0 + a2 * (1.0 / 30240.0));
    } else {
        double a = sqrt(a2), s, c;
        pawl_sincos(0.5 * a, &s, &c);
        k = (1.0 - 0.5 * a * c / s) / a2;
    }
    double x = rho.x, y = rho.y, z = rho.z, d = 1.0 - k * a2;
    return (pawl_mat3){{{d + k * x * x, k * x * y + 0.5 * z, k * x * z - 0.5 * y},
                        {k * x * y - 0.5 * z, d + k * y * y, k * y * z + 0.5 * x},
                        {k * x * z + 0.5 * y, k * y * z - 0.5 * x, d + k * z * z}}};
}

pawl_pose pawl_pose_identity(void)
{
    return (pawl_pose){.orientation = {.w = 1.0}};
}

pawl_vec3 pawl_quat_rotate(pawl_quat q, pawl_vec3 v)
{
    pawl_mat3 r = quat_matrix(q);
    return m3_mul(&r, v);
}

pawl_quat pawl_quat_multiply(pawl_quat a, pawl_quat b)
{
    return quat_mul(a, b);
}

pawl_quat pawl_quat_normalize(pawl_quat q)
{
    double n = sqrt(quat_norm2(q));
    return (pawl_quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

pawl_pose pawl_pose_compose(pawl_pose a, pawl_pose b)
{
    return (pawl_pose){pawl_pose_apply(a, b.position), quat_mul(a.orientation, b.orientation)};
}

pawl_pose pawl_pose_inverse(pawl_pose a)
{
    pawl_quat q = quat_conj(a.orientation);
    return (pawl_pose){v3_scale(-1.0, pawl_quat_rotate(q, a.position)), q};
}

pawl_vec3 pawl_pose_apply(pawl_pose a, pawl_vec3 point)
{
    return v3_add(a.position, pawl_quat_rotate(a.orientation, point));
}

pawl_quat pawl_quat_from_axis_angle(pawl_vec3 axis, double angle)
{
    double n = v3_norm(axis);
    return n > 0.0 ? quat_exp(v3_scale(angle / n, axis)) : (pawl_quat){.w = 1.0};
}

pawl_quat pawl_quat_from_rpy(double roll, double pitch, double yaw)
{
    pawl_quat x = quat_exp(v3(roll, 0.0, 0.0));
    pawl_quat y = quat_exp(v3(0.0, pitch, 0.0));
    pawl_quat z = quat_exp(v3(0.0, 0.0, yaw));
    return quat_mul(z, quat_mul(y, x));
}

// The quaternion of a rotation matrix, from its largest component (Shepperd 1978).
static pawl_quat rotation_quat_of(const pawl_mat3 *r)
{
    double xx = r->m[0][0], yy = r->m[1][1], zz = r->m[2][2];
    double four[4] = {1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz,
                      1.0 - xx - yy + zz};
    int k = 0;
    for (int i = 1; i < 4; ++i) {
        k = four[i] > four[k] ? i : k;
    }
    double a = r->m[2][1] - r->m[1][2], b = r->m[0][2] - r->m[2][0], c = r->m[1][0] - r->m[0][1];
    double d = r->m[1][0] + r->m[0][1], e = r->m[0][2] + r->m[2][0], f = r->m[2][1] + r->m[1][2];
    pawl_quat q = k == 0   ? (pawl_quat){four[0], a, b, c}
                  : k == 1 ? (pawl_quat){a, four[1], d, e}
                  : k == 2 ? (pawl_quat){b, d, four[2], f}
                           : (pawl_quat){c, e, f, four[3]};
    return pawl_quat_normalize(q);
}

pawl_quat pawl_quat_from_axes(pawl_vec3 x_axis, pawl_vec3 y_hint)
{
    pawl_vec3 x = v3_scale(1.0 / v3_norm(x_axis), x_axis);
    double hint = v3_norm(y_hint);
    pawl_vec3 y = v3_axpy(y_hint, -v3_dot(x, y_hint), x);
    if (hint == 0.0 || v3_norm(y) < 1e-9 * hint) {
        // the world axis least along x, z first: an axis y gives the natural triad of a plane
        pawl_vec3 pick = fabs(x.z) < 0.9 ? v3(0.0, 0.0, 1.0) : v3(1.0, 0.0, 0.0);
        y = v3_axpy(pick, -v3_dot(x, pick), x);
    }
    y = v3_scale(1.0 / v3_norm(y), y);
    pawl_vec3 z = v3_cross(x, y);
    pawl_mat3 r = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return rotation_quat_of(&r);
}
