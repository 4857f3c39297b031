// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The exact local solution. Slip means that the tangential impulse opposes the tangential velocity:
// lambda_T = -(S + k 1)^-1 c for some k > 0, with the normal eliminated (S and c below) and
// |lambda_T| = mu lambda_N. The function |lambda_T(k)| - mu lambda_N(k) is positive at 0 and negative
// at infinity, so a bracketed Newton iteration finds its root; no conic sections have to be distinguished.
#include "solve/contact_local.h"
#include "linalg/cone.h"

// Relative to the trace: below it an entry of D is rounding.
static const double contact_noise = 1e-14;

// D (3 x 3) in the order tangent, tangent, normal. A contact that no impulse along its normal can move gets none.
bool pawl_contact_is_blocked(const double D[9])
{
    return D[8] <= contact_noise * (D[0] + D[4]);
}

// S (xx, xy, yy): D over the tangents with the normal eliminated. It may be singular where a body can only move in
// a plane; the shift keeps (S + k)^-1 finite at k = 0.
void pawl_contact_tangent(const double D[9], double S[3])
{
    double trace = D[0] + D[4] + D[8];
    S[0] = D[0] - D[2] * D[2] / D[8];
    S[1] = D[1] - D[2] * D[5] / D[8];
    S[2] = D[4] - D[5] * D[5] / D[8];
    if (S[0] * S[2] - S[1] * S[1] <= contact_noise * trace * (fabs(S[0]) + fabs(S[2]))) {
        S[0] += contact_noise * trace;
        S[2] += contact_noise * trace;
    }
}

typedef struct contact_slip {
    double S[3]; // xx xy yy of D_TT - D_TN D_NT / D_NN
    double c[2]; // v_T - D_TN v_N / D_NN
    double dn[2], dnn, vn, mu;
} contact_slip;

// lambda for k; returns |lambda_T| - mu lambda_N and its derivative.
static double contact_slip_at(const contact_slip *s, double k, double lambda[3], double *slope)
{
    double a = s->S[0] + k, b = s->S[1], d = s->S[2] + k;
    double det = a * d - b * b;
    double x = -(d * s->c[0] - b * s->c[1]) / det, y = -(a * s->c[1] - b * s->c[0]) / det;
    // d lambda_T / dk = -(S + k 1)^-1 lambda_T
    double dx = -(d * x - b * y) / det, dy = -(a * y - b * x) / det;
    double norm = sqrt(x * x + y * y);
    lambda[0] = x;
    lambda[1] = y;
    lambda[2] = -(s->vn + s->dn[0] * x + s->dn[1] * y) / s->dnn;
    double dnormal = -(s->dn[0] * dx + s->dn[1] * dy) / s->dnn;
    *slope = (norm > 0.0 ? (x * dx + y * dy) / norm : 0.0) - s->mu * dnormal;
    return norm - s->mu * lambda[2];
}

// Three cases: separating (no impulse), sticking (the impulse that stops the point is inside the cone), sliding (a root of
// the function of k above, which is positive at 0 and negative at infinity: the bracket closes whatever Newton does).
// v: velocity of the contact without its own impulse [m/s]; lambda: the impulse that obeys Signorini's and
// Coulomb's laws for D and v [N s].
void pawl_contact_exact(const double D[9], const double v[3], double mu, double lambda[3])
{
    lambda[0] = lambda[1] = lambda[2] = 0.0;
    if (v[2] >= 0.0) {
        return;
    }
    if (pawl_contact_is_blocked(D)) {
        return;
    }
    double dnn = D[8];
    if (mu == 0.0) {
        lambda[2] = -v[2] / dnn;
        return;
    }
    contact_slip s = {.c = {v[0] - D[2] * v[2] / dnn, v[1] - D[5] * v[2] / dnn},
                      .dn = {D[2], D[5]},
                      .dnn = dnn,
                      .vn = v[2],
                      .mu = mu};
    pawl_contact_tangent(D, s.S);
    double slope, f = contact_slip_at(&s, 0.0, lambda, &slope);
    if (f <= 0.0) {
        return; // sticks
    }
    // Grow the bracket from the size of S, then Newton with bisection as its guard.
    double low = 0.0, high = s.S[0] + s.S[2];
    for (int i = 0; i < 200 && contact_slip_at(&s, high, lambda, &slope) > 0.0; ++i) {
        low = high;
        high *= 4.0;
    }
    double k = 0.5 * (low + high);
    for (int i = 0; i < 100; ++i) {
        f = contact_slip_at(&s, k, lambda, &slope);
        if (f > 0.0) {
            low = k;
        } else {
            high = k;
        }
        if (fabs(f) <= 1e-15 * mu * fabs(lambda[2]) || high - low <= 1e-16 * high) {
            break;
        }
        double next = slope < 0.0 ? k - f / slope : low;
        k = next > low && next < high ? next : 0.5 * (low + high);
    }
    lambda[2] = lambda[2] > 0.0 ? lambda[2] : 0.0;
}

// z: velocity with the impulse lambda. A projected gradient step; 3 / trace is the step of [tsounis-loops], and
// 1.5 over a bound of the largest eigenvalue keeps it below 2 over that eigenvalue, where the step would diverge.
void pawl_contact_ccp_step(const double D[9], const double z[3], double mu, double lambda[3])
{
    double trace = D[0] + D[4] + D[8], bound = 0.0; // on the largest eigenvalue
    for (int k = 0; k < 3; ++k) {
        double row = fabs(D[3 * k]) + fabs(D[3 * k + 1]) + fabs(D[3 * k + 2]);
        bound = row > bound ? row : bound;
    }
    double step = trace > 0.0 ? fmin(3.0 / trace, 1.5 / bound) : 0.0;
    for (int k = 0; k < 3; ++k) {
        lambda[k] -= step * z[k];
    }
    pawl_cone_project(lambda, mu);
}

// r: step lengths of tangents and normal. The normal first, then the tangents on the disk that belongs to it: not
// the projection on the cone, which would follow the relaxed law.
void pawl_contact_prox_step(const double r[2], const double z[3], double mu, double lambda[3])
{
    double n = lambda[2] - r[1] * z[2];
    lambda[2] = n > 0.0 ? n : 0.0;
    lambda[0] -= r[0] * z[0];
    lambda[1] -= r[0] * z[1];
    double t = sqrt(lambda[0] * lambda[0] + lambda[1] * lambda[1]), most = mu * lambda[2];
    if (t > most) {
        lambda[0] *= most / t;
        lambda[1] *= most / t;
    }
}

void pawl_contact_ncp_lengths(const double D[9], double r[2])
{
    // loops has the smaller diagonal entry of D_TT here, a longer step that fails to settle more often
    double mean = 0.5 * (D[0] + D[4]), half = 0.5 * (D[0] - D[4]);
    double largest = mean + sqrt(half * half + D[1] * D[1]);
    r[0] = largest > 0.0 ? 1.0 / largest : 0.0;
    r[1] = D[8] > 0.0 ? 1.0 / D[8] : 0.0;
}

void pawl_contact_ncp_step(const double D[9], const double z[3], double mu, double lambda[3])
{
    double r[2];
    pawl_contact_ncp_lengths(D, r);
    pawl_contact_prox_step(r, z, mu, lambda);
}
