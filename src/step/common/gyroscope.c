// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The implicit midpoint rule for the spin of a free body, I (W+ - W) = h (t - Wm x I Wm), by Newton's method in the
// body's own axes. An explicit torque would gain energy at any step length; this rule conserves it.
#include "step/common/gyroscope.h"

// Newton's method; false when it does not settle.
static bool gyroscope_implicit(const pawl_mat3 *I, pawl_vec3 W, pawl_vec3 torque, double h,
                               pawl_vec3 *out)
{
    pawl_vec3 next = W;
    double scale = v3_norm(m3_mul(I, W)) + h * v3_norm(torque);
    for (int k = 0; k < 12; ++k) {
        pawl_vec3 mean = v3_scale(0.5, v3_add(W, next));
        pawl_vec3 L = m3_mul(I, mean);
        pawl_vec3 rate = v3_sub(torque, v3_cross(mean, L));
        pawl_vec3 F = v3_axpy(m3_mul(I, v3_sub(next, W)), -h, rate);
        if (v3_norm(F) <= 1e-15 * scale) {
            *out = next;
            return true;
        }
        // dF/dW+ = I + h/2 ([Wm]x I - [I Wm]x)
        pawl_mat3 J = *I;
        for (int c = 0; c < 3; ++c) {
            pawl_vec3 e = v3(c == 0, c == 1, c == 2);
            pawl_vec3 d = v3_sub(v3_cross(mean, m3_column(I, c)), v3_cross(L, e));
            J.m[0][c] += 0.5 * h * d.x;
            J.m[1][c] += 0.5 * h * d.y;
            J.m[2][c] += 0.5 * h * d.z;
        }
        pawl_mat3 inverse = m3_inverse(&J);
        pawl_vec3 step = m3_mul(&inverse, F);
        next = v3_sub(next, step);
        if (k > 2 && v3_norm(step) <= 1e-15 * v3_norm(next)) {
            *out = next;
            return true;
        }
    }
    return false;
}

pawl_vec3 pawl_gyroscope_step(const model_body *body, pawl_vec3 W, pawl_vec3 torque, double h)
{
    if (body->isotropic) {
        return v3_axpy(W, h, m3_mul(&body->inverse_inertia, torque));
    }
    // Newton converges while a step turns the body by less than about half a radian.
    double turn = fabs(h) * v3_norm(W);
    int parts = turn > 0.5 ? (int)fmin(ceil(2.0 * turn), 1000.0) : 1;
    double part = h / (double)parts;
    for (int i = 0; i < parts; ++i) {
        if (!gyroscope_implicit(&body->inertia, W, torque, part, &W)) {
            // leaving the gyroscopic torque out gains no energy either
            W = v3_axpy(W, part, m3_mul(&body->inverse_inertia, torque));
        }
    }
    return W;
}
