// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// L d = d + a xi x d + b (xi (xi . d) - z d), z = |xi|^2, a = c2(z), b = c3(z) with the Stumpff functions
//   c_k(z) = sum (-z)^n / (2n + k)!,   c_k = 1/k! - z c_{k+2},   c_k' = -(c_{k+1} - k c_{k+2}) / 2,
// smooth at z = 0, where the quotients of sine and cosine lose digits. docs/reduced.md section 2.
//
// xi is a rotation vector [rad], R = exp(xi). L(xi) is the left Jacobian of the exponential: the
// angular velocity in the axes before the turn is L(xi) xi', that in the axes after it is LT(xi)
// xi'. L is singular at |xi| = 2 pi, so that a chart must be recentred before
// (pawl_reduced_recentre).
#include "tree/rotation_chart.h"

// c_k by its series, whose terms shrink from the first for every z that the chart allows.
static double chart_stumpff(double z, int k, double inverse_factorial)
{
    double term = inverse_factorial, sum = term;
    for (int n = 1; n < 60 && fabs(term) > 1e-18 * fabs(sum); ++n) {
        term *= -z / (double)((2 * n + k - 1) * (2 * n + k));
        sum += term;
    }
    return sum;
}

// Only the two highest functions are summed. The recursion downwards multiplies errors by z and
// adds a constant, which keeps full accuracy for small z; upwards it would divide by z. a1, b1 are
// derivatives of a, b by z, a2, b2 the second ones.
rotation_chart pawl_rotation_chart(pawl_vec3 xi)
{
    double z = v3_dot(xi, xi);
    double c7 = chart_stumpff(z, 7, 1.0 / 5040.0), c6 = chart_stumpff(z, 6, 1.0 / 720.0);
    double c5 = 1.0 / 120.0 - z * c7, c4 = 1.0 / 24.0 - z * c6;
    double c3 = 1.0 / 6.0 - z * c5, c2 = 0.5 - z * c4;
    double a1 = -0.5 * (c3 - 2.0 * c4), b1 = -0.5 * (c4 - 3.0 * c5);
    double c4_1 = -0.5 * (c5 - 4.0 * c6), c5_1 = -0.5 * (c6 - 5.0 * c7);
    return (rotation_chart){.xi = xi,
                            .a = c2,
                            .b = c3,
                            .a1 = a1,
                            .b1 = b1,
                            .a2 = -0.5 * (b1 - 2.0 * c4_1),
                            .b2 = -0.5 * (c4_1 - 3.0 * c5_1)};
}

// xi (xi . d) - z d, the square of the cross product
static pawl_vec3 chart_square(pawl_vec3 xi, pawl_vec3 d)
{
    return v3_axpy(v3_scale(v3_dot(xi, d), xi), -v3_dot(xi, xi), d);
}

static pawl_vec3 chart_unit(int j)
{
    return v3(j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0);
}

static double chart_component(pawl_vec3 v, int j)
{
    return j == 0 ? v.x : j == 1 ? v.y : v.z;
}

// L(xi) d
pawl_vec3 pawl_chart_left(const rotation_chart *c, pawl_vec3 d)
{
    return v3_axpy(v3_axpy(d, c->a, v3_cross(c->xi, d)), c->b, chart_square(c->xi, d));
}

pawl_mat3 pawl_chart_left_matrix(const rotation_chart *c)
{
    pawl_vec3 x = pawl_chart_left(c, chart_unit(0)), y = pawl_chart_left(c, chart_unit(1)),
              z = pawl_chart_left(c, chart_unit(2));
    return (pawl_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

// dL(xi)/dxi_j d, with dz/dxi_j = 2 xi_j.
pawl_vec3 pawl_chart_left_derivative(const rotation_chart *c, int j, pawl_vec3 d)
{
    pawl_vec3 xi = c->xi, e = chart_unit(j);
    double xj = chart_component(xi, j), dj = chart_component(d, j);
    pawl_vec3 out = v3_scale(2.0 * c->a1 * xj, v3_cross(xi, d));
    out = v3_axpy(out, c->a, v3_cross(e, d));
    out = v3_axpy(out, 2.0 * c->b1 * xj, chart_square(xi, d));
    out = v3_axpy(out, c->b * v3_dot(xi, d), e);
    out = v3_axpy(out, c->b * dj, xi);
    return v3_axpy(out, -2.0 * c->b * xj, d);
}

// The derivative of (dL/dxi_j d) along d, for constant d: the second-order term in the acceleration
// of a ball.
pawl_vec3 pawl_chart_left_second(const rotation_chart *c, int j, pawl_vec3 d)
{
    pawl_vec3 xi = c->xi, e = chart_unit(j);
    double xj = chart_component(xi, j), dj = chart_component(d, j);
    double s = v3_dot(xi, d), dd = v3_dot(d, d);
    // along d: z' = 2 s, s' = dd; then a_j = 2 a1 xj and b_j = 2 b1 xj change by
    double da = 2.0 * c->a1 * dj + 4.0 * c->a2 * xj * s;
    double db = 2.0 * c->b1 * dj + 4.0 * c->b2 * xj * s;
    pawl_vec3 out = v3_scale(da, v3_cross(xi, d));
    out = v3_axpy(out, 2.0 * c->a1 * s, v3_cross(e, d));
    out = v3_axpy(out, db, chart_square(xi, d));
    out = v3_axpy(out, 2.0 * c->b1 * xj, v3_axpy(v3_scale(dd, xi), -s, d));
    pawl_vec3 inner = v3_axpy(v3_axpy(v3_scale(s, e), dj, xi), -2.0 * xj, d);
    out = v3_axpy(out, 2.0 * c->b1 * s, inner);
    return v3_axpy(out, c->b, v3_axpy(v3_scale(dd, e), -dj, d));
}
