// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Three-vectors and 3 x 3 matrices as values. Pure inline functions.
#pragma once
#include "pawl/base.h"
#include <math.h>

typedef struct pawl_mat3 {
    double m[3][3]; // row, column
} pawl_mat3;

static inline pawl_vec3 v3(double x, double y, double z)
{
    return (pawl_vec3){x, y, z};
}
// fmax without its care for NaN, which costs a call; a NaN here shows in the state's own check.
static inline double max_of(double a, double b)
{
    return a > b ? a : b;
}

// The larger one, and of NaN and a number NaN: for figures that judge, where nothing may hide it.
static inline double worst_of(double a, double b)
{
    return a >= b || a != a ? a : b;
}

// The nearest of the numbers from lower to upper, either of which may be infinite.
static inline double clamp_to(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

static inline pawl_vec3 v3_add(pawl_vec3 a, pawl_vec3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline pawl_vec3 v3_sub(pawl_vec3 a, pawl_vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline pawl_vec3 v3_scale(double s, pawl_vec3 a)
{
    return v3(s * a.x, s * a.y, s * a.z);
}
// a + s b
static inline pawl_vec3 v3_axpy(pawl_vec3 a, double s, pawl_vec3 b)
{
    return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double v3_dot(pawl_vec3 a, pawl_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline pawl_vec3 v3_cross(pawl_vec3 a, pawl_vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double v3_norm(pawl_vec3 a)
{
    return sqrt(v3_dot(a, a));
}
// Component 0, 1 or 2. The address of one component reaches no other: compilers make use of that.
static inline double v3_get(pawl_vec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}
static inline void v3_set(pawl_vec3 *a, int k, double value)
{
    *(k == 0 ? &a->x : k == 1 ? &a->y : &a->z) = value;
}
static inline double v3_max_abs(pawl_vec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}
static inline bool v3_finite(pawl_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline pawl_vec3 m3_column(const pawl_mat3 *a, int j)
{
    return v3(a->m[0][j], a->m[1][j], a->m[2][j]);
}
static inline pawl_vec3 m3_mul(const pawl_mat3 *a, pawl_vec3 v)
{
    return v3(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
              a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
              a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}
static inline pawl_vec3 m3_tmul(const pawl_mat3 *a, pawl_vec3 v)
{
    return v3(a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
              a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
              a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z);
}
static inline pawl_mat3 m3_product(const pawl_mat3 *a, const pawl_mat3 *b)
{
    pawl_mat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}
// a bT
static inline pawl_mat3 m3_product_transposed(const pawl_mat3 *a, const pawl_mat3 *b)
{
    pawl_mat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a->m[i][0] * b->m[j][0] + a->m[i][1] * b->m[j][1] + a->m[i][2] * b->m[j][2];
        }
    }
    return c;
}
// Twice the axis of the antisymmetric part: of a rotation, the axis times twice the sine of the angle.
static inline pawl_vec3 m3_axis(const pawl_mat3 *a)
{
    return v3(a->m[2][1] - a->m[1][2], a->m[0][2] - a->m[2][0], a->m[1][0] - a->m[0][1]);
}
// r s rT for a symmetric s: turns a tensor from the axes of r to the axes r maps to.
static inline pawl_mat3 m3_congruence(const pawl_mat3 *r, const pawl_mat3 *s)
{
    pawl_mat3 rs = m3_product(r, s);
    pawl_mat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            c.m[i][j] = rs.m[i][0] * r->m[j][0] + rs.m[i][1] * r->m[j][1] + rs.m[i][2] * r->m[j][2];
            c.m[j][i] = c.m[i][j];
        }
    }
    return c;
}
static inline double m3_det(const pawl_mat3 *a)
{
    return v3_dot(m3_column(a, 0), v3_cross(m3_column(a, 1), m3_column(a, 2)));
}
// The caller knows that det is not zero.
static inline pawl_mat3 m3_inverse(const pawl_mat3 *a)
{
    pawl_vec3 x = m3_column(a, 0), y = m3_column(a, 1), z = m3_column(a, 2);
    pawl_vec3 yz = v3_cross(y, z), zx = v3_cross(z, x), xy = v3_cross(x, y);
    double s = 1.0 / v3_dot(x, yz);
    return (pawl_mat3){{{s * yz.x, s * yz.y, s * yz.z},
                        {s * zx.x, s * zx.y, s * zx.z},
                        {s * xy.x, s * xy.y, s * xy.z}}};
}
static inline pawl_mat3 m3_from_six(const double s[6]) // xx yy zz xy xz yz
{
    return (pawl_mat3){{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
}
