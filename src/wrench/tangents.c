// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// With n = (x, y, z) in the given axes and a = 1/(1 + z), the shortest turn from the third axis to n
// takes the first two to (1 - x^2 a, -x y a, -x) and (-x y a, 1 - y^2 a, -y).
#include "wrench/tangents.h"

static const double tangents_least = 1e-9; // of 1 + z: n is -z to half the digits

// axes: columns are the axes against which the frame is turned. out->t are unit tangents across n, out->dn (3 x 3
// each) their derivatives by n. At n = -z the turn is not unique and the derivative infinite: a fixed frame
// without derivatives is returned there, which is the lower side of an overhanging surface.
void pawl_tangent_frame(const pawl_mat3 *axes, pawl_vec3 n, tangent_frame *out)
{
    pawl_vec3 m = m3_tmul(axes, n);
    double x = m.x, y = m.y;
    if (!(1.0 + m.z > tangents_least)) {
        *out = (tangent_frame){.t = {m3_column(axes, 0), v3_scale(-1.0, m3_column(axes, 1))}};
        return;
    }
    double a = 1.0 / (1.0 + m.z), aa = a * a;
    out->t[0] = m3_mul(axes, v3(1.0 - x * x * a, -x * y * a, -x));
    out->t[1] = m3_mul(axes, v3(-x * y * a, 1.0 - y * y * a, -y));
    const pawl_mat3 local[2] = {
        {{{-2.0 * x * a, 0.0, x * x * aa}, {-y * a, -x * a, x * y * aa}, {-1.0, 0.0, 0.0}}},
        {{{-y * a, -x * a, x * y * aa}, {0.0, -2.0 * y * a, y * y * aa}, {0.0, -1.0, 0.0}}}};
    for (int k = 0; k < 2; ++k) {
        pawl_mat3 left = m3_product(axes, &local[k]);
        for (int i = 0; i < 3; ++i) {
            pawl_vec3 row =
                m3_mul(axes, v3(left.m[i][0], left.m[i][1], left.m[i][2])); // (left axesT) row i
            out->dn[k].m[i][0] = row.x;
            out->dn[k].m[i][1] = row.y;
            out->dn[k].m[i][2] = row.z;
        }
    }
}

// Turning axes and normal together turns the frame: dt/dxi + dt/dn [xi]x n = [xi]x t.
pawl_mat3 pawl_tangent_turn(const tangent_frame *frame, int a, pawl_vec3 n)
{
    pawl_mat3 out;
    for (int j = 0; j < 3; ++j) {
        pawl_vec3 xi = v3(j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0);
        pawl_vec3 rate = v3_sub(v3_cross(xi, frame->t[a]), m3_mul(&frame->dn[a], v3_cross(xi, n)));
        out.m[0][j] = rate.x;
        out.m[1][j] = rate.y;
        out.m[2][j] = rate.z;
    }
    return out;
}
