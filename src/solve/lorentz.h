// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Lorentz's cone in three dimensions, L = {a: a0 >= |(a1, a2)|}, and the scaling of Nesterov and Todd for a pair of
// its interior points [nesterov-todd-1997].
#pragma once
#include <math.h>
#include <stdbool.h>

static inline double cone_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double cone_norm(const double *a) // a0^2 - |a1|^2, as a product that does not cancel
{
    double t = sqrt(a[1] * a[1] + a[2] * a[2]);
    return (a[0] - t) * (a[0] + t);
}

// Jordan's product of the cone: a o b = (a . b, a0 b1 + b0 a1). Its unit is e = (1, 0, 0).
static inline void cone_product(const double *a, const double *b, double *out)
{
    out[0] = cone_dot(a, b);
    out[1] = a[0] * b[1] + b[0] * a[1];
    out[2] = a[0] * b[2] + b[0] * a[2];
}

// out = a \ b: a o out = b
static inline void cone_divide(const double *a, const double *b, double *out)
{
    double rho = cone_norm(a), nu = a[1] * b[1] + a[2] * b[2];
    double f = (nu / a[0] - b[0]) / rho;
    out[0] = (a[0] * b[0] - nu) / rho;
    out[1] = f * a[1] + b[1] / a[0];
    out[2] = f * a[2] + b[2] / a[0];
}

// The largest step along d, at most `most`, that keeps a in the cone.
// The root of the quadratic is taken in the form that does not cancel. A root counts only where the first component is
// not negative: the other one belongs to the mirrored cone.
static inline double cone_step(const double *a, const double *d, double most)
{
    // |a1 + t d1| = a0 + t d0: (d1.d1 - d0^2) t^2 + 2 (a1.d1 - a0 d0) t - norm(a) = 0
    double A = d[1] * d[1] + d[2] * d[2] - d[0] * d[0];
    double B = a[1] * d[1] + a[2] * d[2] - a[0] * d[0], C = -cone_norm(a);
    double root = B * B - A * C;
    if (root >= 0.0) {
        double h = -(B + copysign(sqrt(root), B));
        double t[2] = {A != 0.0 ? h / A : -1.0, h != 0.0 ? C / h : -1.0};
        for (int i = 0; i < 2; ++i) {
            most = t[i] > 0.0 && t[i] < most && a[0] + t[i] * d[0] >= 0.0 ? t[i] : most;
        }
    }
    return a[0] + most * d[0] < 0.0 ? -a[0] / d[0] : most;
}

// The scaling of a contact: W = eta [w0, w1T; w1, 1 + w1 w1T / (1 + w0)], W^2 X = Y.
// gamma^2 = (1 + a . b) / 2 with a, b the normalized X and Y. `scaled` gets l = W X, which is W^-1 Y as well.
static inline void cone_scale(const double *X, const double *Y, double *W, double *scaled)
{
    double x = sqrt(cone_norm(X)), y = sqrt(cone_norm(Y));
    double a[3] = {X[0] / x, X[1] / x, X[2] / x}, b[3] = {Y[0] / y, Y[1] / y, Y[2] / y};
    double gamma = sqrt(0.5 * (1.0 + cone_dot(a, b)));
    W[0] = sqrt(y / x);
    W[1] = 0.5 * (b[0] + a[0]) / gamma;
    W[2] = 0.5 * (b[1] - a[1]) / gamma;
    W[3] = 0.5 * (b[2] - a[2]) / gamma;
    double wx = W[2] * X[1] + W[3] * X[2], f = X[0] + wx / (1.0 + W[1]);
    scaled[0] = W[0] * (W[1] * X[0] + wx);
    scaled[1] = W[0] * (X[1] + f * W[2]);
    scaled[2] = W[0] * (X[2] + f * W[3]);
}

// out = W x, or W^-1 x
// W^-1 is W with 1 / eta and -w1, which is why no inverse is stored.
static inline void cone_apply(const double *W, bool inverse, const double *x, double *out)
{
    double sign = inverse ? -1.0 : 1.0, eta = inverse ? 1.0 / W[0] : W[0];
    double w1 = sign * W[2], w2 = sign * W[3], wx = w1 * x[1] + w2 * x[2];
    double f = x[0] + wx / (1.0 + W[1]);
    out[0] = eta * (W[1] * x[0] + wx);
    out[1] = eta * (x[1] + f * w1);
    out[2] = eta * (x[2] + f * w2);
}
