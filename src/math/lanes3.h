// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Three-vectors, matrices and quaternions of four things at a time (lanes.h), in the order of operations of vec.h and
// rotation.h: each lane has their bits.
#pragma once
#include "math/lanes.h"
#include "math/rotation.h"

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;
typedef struct lanes33 {
    lanes m[3][3]; // row, column
} lanes33;
typedef struct lanes_quat {
    lanes w, x, y, z;
} lanes_quat;

#define LANES3_DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)

PAWL_KERNEL_PART void lanes3_cross(const lanes3 *a, const lanes3 *b, lanes3 *out)
{
    *out =
        (lanes3){a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z, a->x * b->y - a->y * b->x};
}
PAWL_KERNEL_PART void lanes3_add(const lanes3 *a, const lanes3 *b, lanes3 *out)
{
    *out = (lanes3){a->x + b->x, a->y + b->y, a->z + b->z};
}
PAWL_KERNEL_PART void lanes3_sub(const lanes3 *a, const lanes3 *b, lanes3 *out)
{
    *out = (lanes3){a->x - b->x, a->y - b->y, a->z - b->z};
}
PAWL_KERNEL_PART void lanes33_mul(const lanes33 *a, const lanes3 *v, lanes3 *out)
{
    *out = (lanes3){a->m[0][0] * v->x + a->m[0][1] * v->y + a->m[0][2] * v->z,
                    a->m[1][0] * v->x + a->m[1][1] * v->y + a->m[1][2] * v->z,
                    a->m[2][0] * v->x + a->m[2][1] * v->y + a->m[2][2] * v->z};
}
PAWL_KERNEL_PART void lanes33_tmul(const lanes33 *a, const lanes3 *v, lanes3 *out)
{
    *out = (lanes3){a->m[0][0] * v->x + a->m[1][0] * v->y + a->m[2][0] * v->z,
                    a->m[0][1] * v->x + a->m[1][1] * v->y + a->m[2][1] * v->z,
                    a->m[0][2] * v->x + a->m[1][2] * v->y + a->m[2][2] * v->z};
}
PAWL_KERNEL_PART void lanes33_product(const lanes33 *a, const lanes33 *b, lanes33 *out)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out->m[i][j] =
                a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
}

// Of four matrices, and to four.
PAWL_KERNEL_PART void lanes33_load(const pawl_mat3 *const from[4], lanes33 *out)
{
    lanes low[4], high[4], last[4];
    for (int i = 0; i < 4; ++i) {
        const double *p = &from[i]->m[0][0];
        low[i] = LANES_LOAD(p);
        high[i] = LANES_LOAD(p + 4);
        last[i] = LANES_LOAD(p + 5);
    }
    lanes_transpose(low);
    lanes_transpose(high);
    lanes_transpose(last);
    for (int k = 0; k < 4; ++k) {
        out->m[k / 3][k % 3] = low[k];
        out->m[(k + 4) / 3][(k + 4) % 3] = high[k];
    }
    out->m[2][2] = last[3];
}
PAWL_KERNEL_PART void lanes33_store(const lanes33 *from, pawl_mat3 *const to[4])
{
    lanes low[4], high[4], last[4];
    for (int k = 0; k < 4; ++k) {
        low[k] = from->m[k / 3][k % 3];
        high[k] = from->m[(k + 4) / 3][(k + 4) % 3];
        last[k] = from->m[(k + 5) / 3][(k + 5) % 3];
    }
    lanes_transpose(low);
    lanes_transpose(high);
    lanes_transpose(last);
    for (int i = 0; i < 4; ++i) {
        double *p = &to[i]->m[0][0];
        LANES_STORE(p, low[i]);
        LANES_STORE(p + 4, high[i]);
        LANES_STORE(p + 5, last[i]);
    }
}
// Of the four vectors at from[]; the number behind each is read as well.
PAWL_KERNEL_PART void lanes3_load(const double *const from[4], lanes3 *out)
{
    lanes x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = LANES_LOAD(from[i]);
    }
    lanes_transpose(x);
    *out = (lanes3){x[0], x[1], x[2]};
}
PAWL_KERNEL_PART void lanes_quat_load(const pawl_quat *const from[4], lanes_quat *out)
{
    lanes x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = LANES_LOAD(&from[i]->w);
    }
    lanes_transpose(x);
    *out = (lanes_quat){x[0], x[1], x[2], x[3]};
}
PAWL_KERNEL_PART void lanes_quat_store(const lanes_quat *from, pawl_quat *const to[4])
{
    lanes x[4] = {from->w, from->x, from->y, from->z};
    lanes_transpose(x);
    for (int i = 0; i < 4; ++i) {
        LANES_STORE(&to[i]->w, x[i]);
    }
}

PAWL_KERNEL_PART void lanes_quat_matrix(const lanes_quat *q, lanes33 *out)
{
    lanes one = LANES_ALL(1.0), two = LANES_ALL(2.0);
    lanes xx = q->x * q->x, yy = q->y * q->y, zz = q->z * q->z;
    lanes xy = q->x * q->y, xz = q->x * q->z, yz = q->y * q->z;
    lanes wx = q->w * q->x, wy = q->w * q->y, wz = q->w * q->z;
    *out = (lanes33){{{one - two * (yy + zz), two * (xy - wz), two * (xz + wy)},
                      {two * (xy + wz), one - two * (xx + zz), two * (yz - wx)},
                      {two * (xz - wy), two * (yz + wx), one - two * (xx + yy)}}};
}
