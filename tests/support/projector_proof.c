// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Directions are tried by the hundred in double. Each valley is refined in long double, by the zero of
// the derivative, because the flat floor hides half of the digits.
#include "support/projector_proof.h"
#include "support/random.h"

#include <math.h>
#include <stdbool.h>

typedef long double real;
static const real proof_pi = 3.14159265358979323846264338327950288L;
enum { PROOF_SAMPLES = 192 };

const char *proof_family_name(proof_family family)
{
    static const char *const names[PROOF_FAMILIES] = {"elliptic",         "parabolic", "hyperbolic",
                                                      "nearly parabolic", "mu = 100",  "mu = 0"};
    return names[family];
}

// ---- blocks ----------------------------------------------------------------------------------

static double proof_friction(proof_family family, const double D[9], uint64_t *seed)
{
    double parabolic = D[8] / hypot(D[2], D[5]);
    double off = pow(10.0, random_in(seed, -12.0, -3.0));
    switch (family) {
    case PROOF_ELLIPTIC:
        return parabolic * random_in(seed, 0.01, 0.99);
    case PROOF_PARABOLIC:
        return parabolic;
    case PROOF_HYPERBOLIC:
        return parabolic * pow(10.0, random_in(seed, 0.005, 2.0));
    case PROOF_NEAR:
        return parabolic * (random_in(seed, -1.0, 1.0) < 0.0 ? 1.0 - off : 1.0 + off);
    case PROOF_LARGE:
        return 100.0;
    default:
        return 0.0;
    }
}

proof_block proof_random(proof_family family, uint64_t *seed)
{
    proof_block k;
    double A[9], scale = pow(10.0, random_in(seed, -6.0, 6.0));
    double floor = pow(10.0, random_in(seed, -3.0, 0.0));
    for (int i = 0; i < 9; ++i) {
        A[i] = random_in(seed, -1.0, 1.0);
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            double sum = r == c ? floor : 0.0;
            for (int i = 0; i < 3; ++i) {
                sum += A[3 * r + i] * A[3 * c + i];
            }
            k.D[3 * r + c] = scale * sum;
        }
        k.v[r] = random_in(seed, -1.0, 1.0);
    }
    k.v[2] = random_in(seed, -1.0, 0.1) < 0.0 ? -fabs(k.v[2]) : fabs(k.v[2]); // mostly closing
    k.mu = proof_friction(family, k.D, seed);
    double v[2];
    for (int r = 0; r < 2; ++r) {
        v[r] = k.v[r];
        for (int c = 0; c < 3; ++c) {
            v[r] += k.D[3 * r + c] * random_in(seed, -1.0, 1.0) / scale;
        }
    }
    k.s = k.mu * hypot(v[0], v[1]);
    return k;
}

// ---- the nonlinear-block projector -----------------------------------------------------------

// x with D x = -w.
static void proof_free(const double D[9], const real w[3], real x[3])
{
    real d[9], cofactor[9];
    for (int i = 0; i < 9; ++i) {
        d[i] = D[i];
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cofactor[3 * r + c] = d[3 * r1 + c1] * d[3 * r2 + c2] - d[3 * r1 + c2] * d[3 * r2 + c1];
        }
    }
    real det = d[0] * cofactor[0] + d[1] * cofactor[1] + d[2] * cofactor[2];
    for (int r = 0; r < 3; ++r) {
        x[r] = -(cofactor[r] * w[0] + cofactor[3 + r] * w[1] + cofactor[6 + r] * w[2]) / det;
    }
}

// The impulse in direction phi on the cone that leaves no normal velocity, its energy (infinite
// where there is none) and the derivative of that.
static real proof_energy(const proof_block *k, double s, real phi, real x[3], real *slope)
{
    real c = cosl(phi), t = sinl(phi), mu = k->mu;
    real d = k->D[8] + mu * (k->D[6] * c + k->D[7] * t), dd = mu * (k->D[7] * c - k->D[6] * t);
    real n = -k->v[2] / d;
    if (!(d > 0.0L)) {
        return INFINITY;
    }
    const real e[3] = {mu * c, mu * t, 1.0L}, de[3] = {-mu * t, mu * c, 0.0L};
    for (int r = 0; r < 3; ++r) {
        x[r] = n * e[r];
    }
    real energy = 0.0L;
    *slope = 0.0L;
    for (int r = 0; r < 3; ++r) {
        real push = k->D[3 * r] * x[0] + k->D[3 * r + 1] * x[1] + k->D[3 * r + 2] * x[2];
        real w = k->v[r] + (r == 2 ? s : 0.0);
        energy += x[r] * (0.5L * push + w);
        *slope += (push + w) * (n * de[r] - n * dd / d * e[r]);
    }
    return energy;
}

// The same energy in double, for trying.
static double proof_quick(const proof_block *k, double s, double phi)
{
    const double *D = k->D;
    double x = k->mu * cos(phi), y = k->mu * sin(phi), d = D[8] + D[6] * x + D[7] * y;
    double n = -k->v[2] / d;
    double q =
        D[0] * x * x + 2.0 * D[1] * x * y + D[4] * y * y + 2.0 * (D[2] * x + D[5] * y) + D[8];
    return d > 0.0 ? n * (0.5 * n * q + k->v[0] * x + k->v[1] * y + k->v[2] + s) : INFINITY;
}

// Directions in the parameter tau, which stretches both ends of the arc on which impulses exist
// (the whole turn, of an ellipse): near them impulses are large and valleys narrow.
typedef struct proof_arc {
    real centre, half;
} proof_arc;

static proof_arc proof_arc_of(const proof_block *k)
{
    real b = hypotl(k->D[6], k->D[7]), cosine = -(real)k->D[8] / ((real)k->mu * b);
    return (proof_arc){atan2l(k->D[7], k->D[6]), cosine > -1.0L ? acosl(cosine) : proof_pi};
}

static real proof_direction(const proof_arc *arc, real tau)
{
    return arc->centre + arc->half * (2.0L / proof_pi) * atanl(sinhl(tau));
}

static double proof_tau(int i)
{
    return 24.0 * (2.0 * i / PROOF_SAMPLES - 1.0);
}

static double proof_sample(const proof_arc *arc, int i)
{
    static double fraction[PROOF_SAMPLES + 1]; // of the half arc
    if (fraction[0] == 0.0) {
        for (int j = PROOF_SAMPLES; j >= 0; --j) {
            fraction[j] = (double)(2.0L / proof_pi * atanl(sinhl(proof_tau(j))));
        }
    }
    return (double)(arc->centre + arc->half * fraction[i]);
}

// The derivative of the energy by tau, whose sign is that by the direction.
static real proof_slope(const proof_block *k, double s, const proof_arc *arc, real tau, real x[3],
                        real *energy)
{
    real slope = 0.0L;
    *energy = proof_energy(k, s, proof_direction(arc, tau), x, &slope);
    return slope;
}

// The minimum of a valley between two values of tau; returns its energy. A zero of the derivative by
// the Illinois rule: secants, with the value at an end that stays halved.
static real proof_valley(const proof_block *k, double s, const proof_arc *arc, real low, real high,
                         real x[3])
{
    real energy, f = proof_slope(k, s, arc, low, x, &energy);
    real g = proof_slope(k, s, arc, high, x, &energy);
    real last = INFINITY;
    int side = 0;
    for (int i = 0; i < 200; ++i) {
        bool secant = f < 0.0L && g > 0.0L && isfinite(f) && isfinite(g) && i % 8 != 7;
        real tau = secant ? low - f * (high - low) / (g - f) : 0.5L * (low + high);
        real slope = proof_slope(k, s, arc, tau, x, &energy);
        if (slope == 0.0L || fabsl(tau - last) <= 1e-17L) {
            break;
        }
        last = tau;
        if (slope > 0.0L) {
            high = tau;
            g = slope;
            f *= side > 0 ? 0.5L : 1.0L;
            side = 1;
        } else {
            low = tau;
            f = slope;
            g *= side < 0 ? 0.5L : 1.0L;
            side = -1;
        }
    }
    return energy;
}

static void proof_slip(const proof_block *k, double s, double lambda[3])
{
    proof_arc arc = proof_arc_of(k);
    double energy[PROOF_SAMPLES + 3];
    energy[0] = energy[PROOF_SAMPLES + 2] = INFINITY;
    for (int i = 0; i <= PROOF_SAMPLES; ++i) {
        energy[i + 1] = proof_quick(k, s, proof_sample(&arc, i));
    }
    // Towards the ends of an arc energies grow without bound and rounding makes valleys of its own.
    double sampled = INFINITY, unit = k->v[2] * k->v[2] / k->D[8];
    for (int i = 0; i <= PROOF_SAMPLES; ++i) {
        sampled = fmin(sampled, energy[i + 1]);
    }
    double most = sampled + 10.0 * (fabs(sampled) + unit);
    real least = INFINITY;
    for (int i = 0; i <= PROOF_SAMPLES; ++i) {
        if (energy[i + 1] > most || energy[i + 1] > energy[i] || energy[i + 1] > energy[i + 2]) {
            continue;
        }
        real x[3], floor = proof_valley(k, s, &arc, proof_tau(i - 1), proof_tau(i + 1), x);
        if (floor < least) {
            least = floor;
            for (int r = 0; r < 3; ++r) {
                lambda[r] = (double)x[r];
            }
        }
    }
}

static bool proof_inside(const real x[3], double mu)
{
    return x[2] >= 0.0L && hypotl(x[0], x[1]) <= mu * x[2];
}

void proof_nonlinear_block(const proof_block *k, double s, double lambda[3])
{
    lambda[0] = lambda[1] = lambda[2] = 0.0;
    if (k->v[2] >= 0.0) {
        return;
    }
    if (k->mu == 0.0) {
        lambda[2] = -k->v[2] / k->D[8];
        return;
    }
    const real v[3] = {k->v[0], k->v[1], k->v[2]}, w[3] = {v[0], v[1], v[2] + s};
    real stick[3], plane[3];
    proof_free(k->D, v, stick);
    // Least energy where n . (D x + v) = 0: D x + w is along D n, so x differs from -D^-1 w along n.
    proof_free(k->D, w, plane);
    plane[2] = -(k->v[2] + k->D[6] * plane[0] + k->D[7] * plane[1]) / k->D[8];
    const real *inside = proof_inside(stick, k->mu)   ? stick
                         : proof_inside(plane, k->mu) ? plane
                                                      : NULL;
    if (inside == NULL) {
        proof_slip(k, s, lambda);
        return;
    }
    for (int r = 0; r < 3; ++r) {
        lambda[r] = (double)inside[r];
    }
}

// ---- the others ------------------------------------------------------------------------------

// In direction phi of the cone the nearest point is a plain projection onto a ray.
static void proof_ray(const double x[3], double mu, double phi, double y[3])
{
    double e[3] = {mu * cos(phi), mu * sin(phi), 1.0};
    double n = fmax(0.0, (e[0] * x[0] + e[1] * x[1] + x[2]) / (mu * mu + 1.0));
    for (int r = 0; r < 3; ++r) {
        y[r] = n * e[r];
    }
}

void proof_nearest(const double x[3], double mu, double nearest[3])
{
    if (x[2] >= 0.0 && hypot(x[0], x[1]) <= mu * x[2]) {
        nearest[0] = x[0], nearest[1] = x[1], nearest[2] = x[2];
        return;
    }
    double best = 0.0, most = -INFINITY;
    for (int i = 0; i < 64; ++i) { // on which ray of the cone it ends: the one most along x
        double phi = (double)proof_pi * (double)i / 32.0;
        double along = mu * (cos(phi) * x[0] + sin(phi) * x[1]) + x[2];
        if (along > most) {
            most = along;
            best = phi;
        }
    }
    // The distance falls as the direction turns towards x_T: halve on the side of it.
    double low = best - 0.1, high = best + 0.1;
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high);
        if (x[1] * cos(middle) - x[0] * sin(middle) > 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    proof_ray(x, mu, 0.5 * (low + high), nearest);
}

double proof_error(const proof_block *k, const double got[3], const double expected[3])
{
    double speed = fmax(fabs(k->v[0]), fmax(fabs(k->v[1]), fabs(k->v[2])));
    double size = 3.0 * speed / (k->D[0] + k->D[4] + k->D[8]), worst = 0.0;
    for (int r = 0; r < 3; ++r) {
        size = fmax(size, fabs(expected[r]));
    }
    for (int r = 0; r < 3; ++r) {
        double error = fabs(got[r] - expected[r]);
        worst = error <= worst ? worst : error; // keeps NaN
    }
    return worst / size;
}

double proof_laws(const proof_block *k, const double lambda[3])
{
    real u[3], size = 0.0L, x = lambda[0], y = lambda[1], n = lambda[2];
    for (int r = 0; r < 3; ++r) {
        u[r] = k->v[r] + k->D[3 * r] * x + k->D[3 * r + 1] * y + k->D[3 * r + 2] * n;
        size = fmaxl(size, fmaxl(fabsl(k->v[r]), k->D[4 * r] * fabsl((real)lambda[r])));
    }
    real t = hypotl(x, y), mean = (k->D[0] + k->D[4] + k->D[8]) / 3.0;
    real worst = fmaxl(-n * mean, (t - k->mu * n) * mean); // pushes, and stays in the cone
    worst = fmaxl(worst, -u[2]);                           // does not approach
    worst = fmaxl(worst, n > 0.0L ? u[2] : 0.0L);          // does not leave while it pushes
    real speed = hypotl(u[0], u[1]);
    // Slips only with all the friction there is, and against the slip: the smaller of both faults.
    real along = t > 0.0L ? (u[0] * x + u[1] * y) / t : 0.0L;
    real across = t > 0.0L ? fabsl(u[0] * y - u[1] * x) / t : 0.0L;
    real slack = fabsl(k->mu * n - t) * mean;
    real law = k->mu * n > 0.0L ? fmaxl(across, fmaxl(along, 0.0L)) : 0.0L;
    worst = fmaxl(worst, fminl(speed, fmaxl(law, slack)));
    return (double)(isnan(worst) ? INFINITY : worst / size);
}
