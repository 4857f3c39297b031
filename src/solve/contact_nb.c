// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The section of the friction cone with the plane n . (D l + v) = 0, and the least point in it. The derivation is in
// docs/derivations/slip-conic.md. With a = D_NN, b = D_TN, w = v + (0, 0, s):
//
//   On the plane l_N = (c - b . l_T) / a, c = -v_N, and up to a constant
//   f = 1/2 l_T' S l_T + g . l_T,   S = D_TT - b b' / a,   g = w_T - b w_N / a.
//   The section, |l_T| <= mu l_N, is convex, its boundary a conic with its focus at l_T = 0:
//   l_T = mu c u / d(u),   d(u) = a + mu b . u,   u = (cos phi, sin phi)
//   (an ellipse, a parabola or the near branch of a hyperbola; d > 0 on it in all three cases).
//   df/dphi has the sign of  N(u) = (mu c S u + d(u) g) . (a u^ + mu b^),  ^ a quarter turn,
//   a trigonometric polynomial of degree 2, so that (1 + t^2)^2 N is a quartic in t = tan(phi / 2).
#include "solve/contact_nb.h"
#include "math/polynomial.h"
#include "solve/contact_local.h"
#include <math.h>

typedef struct nb_section {
    double S[3]; // xx xy yy
    double g[2], b[2], a, c, mu;
} nb_section;

// S and g are those of the energy over the tangents with the normal eliminated by the plane v_N = 0; s shifts the
// energy, not the plane.
static nb_section nb_make(const double D[9], const double v[3], double s, double mu)
{
    double a = D[8];
    nb_section k = {.g = {v[0] - D[2] * (v[2] + s) / a, v[1] - D[5] * (v[2] + s) / a},
                    .b = {D[2], D[5]},
                    .a = a,
                    .c = -v[2],
                    .mu = mu};
    pawl_contact_tangent(D, k.S);
    return k;
}

// The least point of the whole plane.
static void nb_plane(const nb_section *k, double x[3])
{
    double det = k->S[0] * k->S[2] - k->S[1] * k->S[1];
    x[0] = -(k->S[2] * k->g[0] - k->S[1] * k->g[1]) / det;
    x[1] = -(k->S[0] * k->g[1] - k->S[1] * k->g[0]) / det;
    x[2] = (k->c - k->b[0] * x[0] - k->b[1] * x[1]) / k->a;
}

static bool nb_inside(const double x[3], double mu)
{
    return x[2] >= 0.0 && sqrt(x[0] * x[0] + x[1] * x[1]) <= mu * x[2];
}

// d(u) = D_NN + mu D_NT u: where it vanishes the plane is parallel to the ray of the cone along u, and the conic
// goes to infinity.
static double nb_denominator(const nb_section *k, const double u[2])
{
    return k->a + k->mu * (k->b[0] * u[0] + k->b[1] * u[1]);
}

// The point of the conic in direction u, where d(u) > 0.
static void nb_point(const nb_section *k, const double u[2], double x[3])
{
    x[2] = k->c / nb_denominator(k, u);
    x[0] = k->mu * x[2] * u[0];
    x[1] = k->mu * x[2] * u[1];
}

// N(u), whose sign is that of df/dphi, and dN/dphi.
static double nb_slope(const nb_section *k, const double u[2], double *change)
{
    double d = nb_denominator(k, u), m = k->mu * k->c;
    double dd = k->mu * (k->b[1] * u[0] - k->b[0] * u[1]);
    double x = m * (k->S[0] * u[0] + k->S[1] * u[1]) + d * k->g[0];
    double y = m * (k->S[1] * u[0] + k->S[2] * u[1]) + d * k->g[1];
    double dx = m * (k->S[1] * u[0] - k->S[0] * u[1]) + dd * k->g[0];
    double dy = m * (k->S[2] * u[0] - k->S[1] * u[1]) + dd * k->g[1];
    double tx = k->a * u[0] + k->mu * k->b[0], ty = k->a * u[1] + k->mu * k->b[1];
    *change = dy * tx - dx * ty - k->a * (x * u[0] + y * u[1]);
    return y * tx - x * ty;
}

// ---- by the quartic --------------------------------------------------------------------------

// Half of lambda D lambda plus lambda v on the plane, up to a constant.
static double nb_energy(const nb_section *k, const double x[3])
{
    double sx = k->S[0] * x[0] + k->S[1] * x[1], sy = k->S[1] * x[0] + k->S[2] * x[1];
    return x[0] * (0.5 * sx + k->g[0]) + x[1] * (0.5 * sy + k->g[1]);
}

// Coefficients of (1 + t^2)^2 N, lowest first.
static void nb_quartic(const nb_section *k, double p[5])
{
    const double *S = k->S, *g = k->g, *b = k->b;
    double m = k->mu * k->c, mu = k->mu, a = k->a;
    const double M[4] = {m * S[0] + mu * g[0] * b[0], m * S[1] + mu * g[0] * b[1],
                         m * S[1] + mu * g[1] * b[0], m * S[2] + mu * g[1] * b[1]};
    // N = n0 + c1 cos phi + s1 sin phi + c2 cos 2 phi + s2 sin 2 phi
    double n0 = 1.5 * mu * a * (g[1] * b[0] - g[0] * b[1]);
    double c1 = a * a * g[1] + mu * (M[2] * b[0] - M[0] * b[1]);
    double s1 = -a * a * g[0] + mu * (M[3] * b[0] - M[1] * b[1]);
    double c2 = 0.5 * a * (M[2] + M[1]), s2 = 0.5 * a * (M[3] - M[0]);
    p[0] = n0 + c1 + c2;
    p[1] = 2.0 * s1 + 4.0 * s2;
    p[2] = 2.0 * n0 - 6.0 * c2;
    p[3] = 2.0 * s1 - 4.0 * s2;
    p[4] = n0 - c1 + c2;
}

// The coefficients of the quartic are rounded at the size of the largest; N itself is known better,
// above all where d is small. Newton's steps on it, while they gain.
static void nb_polish(const nb_section *k, double u[2])
{
    double change, slope = nb_slope(k, u, &change);
    for (int i = 0; i < 4 && slope != 0.0; ++i) {
        double turn = -slope / change, size = sqrt(1.0 + turn * turn), next;
        const double w[2] = {(u[0] - turn * u[1]) / size, (u[1] + turn * u[0]) / size};
        double after = nb_slope(k, w, &next);
        if (!(fabs(after) < fabs(slope))) {
            return;
        }
        u[0] = w[0], u[1] = w[1];
        slope = after;
        change = next;
    }
}

// Keeps the better of x and the point of the conic at phi = 2 atan(y / x).
static void nb_try(const nb_section *k, double half_y, double half_x, double *least, double x[3])
{
    double n = half_x * half_x + half_y * half_y, y[3];
    double u[2] = {(half_x * half_x - half_y * half_y) / n, 2.0 * half_x * half_y / n};
    nb_polish(k, u);
    if (!(nb_denominator(k, u) > 0.0)) {
        return;
    }
    nb_point(k, u, y);
    double energy = nb_energy(k, y);
    if (energy < *least) {
        *least = energy;
        x[0] = y[0], x[1] = y[1], x[2] = y[2];
    }
}

// With t = tan(phi / 2) stationary points of the energy on the conic are the roots of a quartic; the best of those
// on the branch d > 0 is taken.
static void nb_by_quartic(const nb_section *k, double x[3])
{
    // Half of the directions have |t| <= 1; 1/t, with the coefficients in reverse, serves the others.
    // The two ranges overlap, so that no root falls between them.
    double p[5], reverse[5], roots[POLYNOMIAL_MAX_DEGREE], least = INFINITY;
    nb_quartic(k, p);
    for (int i = 0; i < 5; ++i) {
        reverse[i] = p[4 - i];
    }
    int count = pawl_polynomial_roots(p, 4, -1.01, 1.01, roots);
    for (int i = 0; i < count; ++i) {
        nb_try(k, roots[i], 1.0, &least, x);
    }
    count = pawl_polynomial_roots(reverse, 4, -1.0, 1.0, roots);
    for (int i = 0; i < count; ++i) {
        nb_try(k, 1.0, roots[i], &least, x);
    }
}

// ---- by bisection ----------------------------------------------------------------------------

// The point seen from the least point of the plane, which lies outside of the section, is where the
// tangent to the conic passes between the two: on the arc of such directions, |x_T| cos > mu x_N,
// stationary points are minima of a convex problem, so there is one. An arc ends where its tangent
// passes through x, or, towards infinity, where d vanishes.
typedef struct nb_arc {
    double low[2], high[2];
    bool whole; // all directions but low = high
} nb_arc;

static void nb_turn(const double u[2], double cosine, double sine, double out[2])
{
    out[0] = cosine * u[0] - sine * u[1];
    out[1] = sine * u[0] + cosine * u[1];
}

static double nb_sine(double cosine)
{
    return sqrt(fmax(0.0, 1.0 - cosine * cosine));
}

static nb_arc nb_visible(const nb_section *k, const double x[3])
{
    nb_arc arc = {.whole = false};
    double t = sqrt(x[0] * x[0] + x[1] * x[1]), n = k->mu * x[2];
    bool all = t <= -n;
    if (!all) {
        const double u[2] = {x[0] / t, x[1] / t};
        nb_turn(u, n / t, -nb_sine(n / t), arc.low);
        nb_turn(u, n / t, nb_sine(n / t), arc.high);
    }
    double size = sqrt(k->b[0] * k->b[0] + k->b[1] * k->b[1]), open = k->a / k->mu;
    if (size >= open) { // not an ellipse: d vanishes in these two directions
        const double u[2] = {k->b[0] / size, k->b[1] / size};
        double cosine = -open / size, sine = nb_sine(cosine);
        if (all || nb_denominator(k, arc.low) <= 0.0) {
            nb_turn(u, cosine, -sine, arc.low);
        }
        if (all || nb_denominator(k, arc.high) <= 0.0) {
            nb_turn(u, cosine, sine, arc.high);
        }
        arc.whole = all && sine == 0.0;
    }
    return arc;
}

// The middle of an arc, counterclockwise from low to high.
static void nb_middle(const nb_arc *arc, double u[2])
{
    double x = arc->low[0] + arc->high[0], y = arc->low[1] + arc->high[1];
    double size = sqrt(x * x + y * y);
    double cross = arc->low[0] * arc->high[1] - arc->low[1] * arc->high[0]; // sine of its angle
    if (arc->whole) {
        u[0] = -arc->low[0], u[1] = -arc->low[1];
    } else if (size < 0.1) { // nearly half a turn: a quarter from low is near the middle
        u[0] = -arc->low[1], u[1] = arc->low[0];
    } else {
        double sign = cross < -1e-12 ? -1.0 : 1.0; // more than half a turn, not less than nothing
        u[0] = sign * x / size, u[1] = sign * y / size;
    }
}

// At most 60 halvings: then the ends are neighbouring directions in double precision.
static void nb_by_bisection(const nb_section *k, const double outside[3], double x[3])
{
    nb_arc arc = nb_visible(k, outside);
    double u[2], change;
    nb_middle(&arc, u);
    for (int i = 0; i < 60; ++i) {
        double *end = nb_slope(k, u, &change) < 0.0 ? arc.low : arc.high;
        if (end[0] == u[0] && end[1] == u[1]) {
            break;
        }
        end[0] = u[0], end[1] = u[1];
        arc.whole = false;
        nb_middle(&arc, u);
    }
    nb_point(k, u, x);
}

// v: velocity without this contact's impulse, s: De Saxce's term added to its normal (0 for the plain law).
// Without friction the impulse is along the normal. Inside the cone the least point of the plane sticks, and s
// has no effect.
void pawl_contact_nb(const double D[9], const double v[3], double s, double mu,
                     contact_nb_search search, double lambda[3])
{
    lambda[0] = lambda[1] = lambda[2] = 0.0;
    if (v[2] >= 0.0 || pawl_contact_is_blocked(D)) {
        return;
    }
    if (mu == 0.0) {
        lambda[2] = -v[2] / D[8];
        return;
    }
    nb_section section = nb_make(D, v, 0.0, mu);
    double outside[3];
    nb_plane(&section, outside);
    if (s > 0.0 && !nb_inside(outside, mu)) {
        section = nb_make(D, v, s, mu);
        nb_plane(&section, outside);
    }
    if (nb_inside(outside, mu)) {
        lambda[0] = outside[0], lambda[1] = outside[1], lambda[2] = outside[2];
    } else if (search == CONTACT_NB_QUARTIC) {
        nb_by_quartic(&section, lambda);
    } else {
        nb_by_bisection(&section, outside, lambda);
    }
}
