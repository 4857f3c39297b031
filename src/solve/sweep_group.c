// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A contact computes v = Y w + v_f + R lambda, is solved exactly for Signorini's and Coulomb's laws with the others
// constant, and adds YT dlambda to w. The local solution is that of contact_local.c, written for four contacts at
// once without branches: slip is lambda_T = -(S + kappa 1)^-1 c with |lambda_T| = mu lambda_N, of which Newton's
// method takes a few steps in each sweep, from the kappa of the sweep before.
#include "solve/sweep_group.h"
#include "base/kernel.h"
#include "math/lanes.h"
#include "math/vec.h"
#include "solve/contact_local.h"
#include <math.h>

enum { LANES = SWEEP_LANES, WIDTH = SWEEP_WIDTH, SWEEP_NEWTON = 2 };
#define EACH_LANE(l) for (int l = 0; l < LANES; ++l)

// A kernel with all that it calls inside.
#define SWEEP_WIDE PAWL_KERNEL __attribute__((flatten))

// Velocities of the lanes' bodies, which begin at first[l] in w: entry e of all lanes in out[e]. Entries 2 to 5 are
// the second vector of four, so that both lie within the body.
static inline void sweep_read_bodies(const int *first, const double *w, lanes out[WIDTH])
{
    lanes tail[LANES];
    EACH_LANE(l)
    {
        out[l] = LANES_LOAD(w + first[l]);
        tail[l] = LANES_LOAD(w + first[l] + 2);
    }
    lanes_transpose(out);
    lanes_transpose(tail);
    out[4] = tail[2];
    out[5] = tail[3];
}

// w += YT d of the lanes' bodies. Bodies of one colour are different ones, but for nobody, whose Y is 0.
static inline void sweep_add_bodies(const double *Y, const lanes d[3], const int *first, double *w)
{
    lanes sum[8];
    for (int e = 0; e < WIDTH; ++e) {
        sum[e] = LANES_LOAD(Y + LANES * e) * d[0] + LANES_LOAD(Y + LANES * (WIDTH + e)) * d[1] +
                 LANES_LOAD(Y + LANES * (2 * WIDTH + e)) * d[2];
    }
    sum[6] = sum[4];
    sum[7] = sum[5];
    lanes_transpose(sum);
    lanes_transpose(sum + LANES);
    EACH_LANE(l)
    {
        double *x = w + first[l];
        LANES_STORE(x, LANES_LOAD(x) + sum[l]);
        *(lanes_pair_at *)(x + 4) += __builtin_shufflevector(sum[LANES + l], sum[LANES + l], 0, 1);
    }
}

// v = Y w + v_f + R lambda
static inline void sweep_group_velocity(const sweep_group *g, const double *w, lanes v[3])
{
    lanes a[WIDTH], b[WIDTH];
    sweep_read_bodies(g->a, w, a);
    sweep_read_bodies(g->b, w, b);
    for (int r = 0; r < 3; ++r) {
        v[r] = LANES_LOAD(g->v_f[r]) + LANES_LOAD(g->R[r]) * LANES_LOAD(g->lambda[r]);
        for (int e = 0; e < WIDTH; ++e) {
            v[r] +=
                LANES_LOAD(g->Ya[WIDTH * r + e]) * a[e] + LANES_LOAD(g->Yb[WIDTH * r + e]) * b[e];
        }
    }
}

// A slip lambda_T = -(S + kappa 1)^-1 c with its normal impulse n and its size |lambda_T|.
typedef struct sweep_slip {
    lanes t0, t1, n, size;
} sweep_slip;

// What a contact is solved with: the velocity u2 of its normal and c of its tangents without its own impulse, and
// with the normal eliminated.
typedef struct sweep_local {
    lanes u2, c0, c1;
} sweep_local;

// The slip for kappa, and the next kappa of Newton's method for f = |lambda_T| - mu n = 0.
static inline void sweep_slip_at(const sweep_group *g, const sweep_local *at, const lanes *kappa,
                                 sweep_slip *out, lanes *f, lanes *next)
{
    const lanes zero = {0}, one = zero + 1.0;
    lanes b = LANES_LOAD(g->S[1]), p = LANES_LOAD(g->S[0]) + *kappa,
          q = LANES_LOAD(g->S[2]) + *kappa;
    lanes dxn = LANES_LOAD(g->D[3]), dyn = LANES_LOAD(g->D[4]), inverse = LANES_LOAD(g->inverse),
          mu = LANES_LOAD(g->mu);
    lanes det = one / (p * q - b * b);
    lanes t0 = (b * at->c1 - q * at->c0) * det, t1 = (b * at->c0 - p * at->c1) * det;
    lanes square = t0 * t0 + t1 * t1, size;
    EACH_LANE(l)
    {
        size[l] = sqrt(square[l]);
    }
    out->t0 = t0;
    out->t1 = t1;
    out->size = size;
    out->n = -(at->u2 + dxn * t0 + dyn * t1) * inverse;
    *f = size - mu * out->n;
    lanes e0 = (b * t1 - q * t0) * det, e1 = (b * t0 - p * t1) * det;
    lanes slope = t0 * e0 + t1 * e1 + mu * (dxn * e0 + dyn * e1) * inverse * size; // times the size
    *next = *kappa - *f * size / LANES_SELECT(slope < zero, slope, -one);
}

// New impulses that obey both laws, for velocities v with the old ones; d gets the changes. Open: u2 >= 0, the contact
// separates without its impulse. Stick: kappa = 0 is inside the cone. Slip: kappa by Newton's method from that of the
// sweep before, then the tangent is scaled onto the cone, because the root is not exact after so few steps. All lanes
// compute all of it and masks choose; a case that no lane is in is left out, which changes no lane's bits.
static inline void sweep_group_laws(sweep_group *g, const lanes v[3], lanes d[3])
{
    const lanes zero = {0}, one = zero + 1.0;
    lanes x0 = LANES_LOAD(g->lambda[0]), x1 = LANES_LOAD(g->lambda[1]),
          x2 = LANES_LOAD(g->lambda[2]);
    lanes dxn = LANES_LOAD(g->D[3]), dyn = LANES_LOAD(g->D[4]), inverse = LANES_LOAD(g->inverse),
          mu = LANES_LOAD(g->mu);
    lanes u0 = v[0] - (LANES_LOAD(g->D[0]) * x0 + LANES_LOAD(g->D[1]) * x1 + dxn * x2);
    lanes u1 = v[1] - (LANES_LOAD(g->D[1]) * x0 + LANES_LOAD(g->D[2]) * x1 + dyn * x2);
    sweep_local at = {.u2 = v[2] - (dxn * x0 + dyn * x1 + LANES_LOAD(g->D[5]) * x2)};
    at.c0 = u0 - dxn * at.u2 * inverse;
    at.c1 = u1 - dyn * at.u2 * inverse;
    lanes_mask closed = at.u2 < zero;
    lanes kappa = zero, before = LANES_LOAD(g->kappa), f, next;
    sweep_slip now;
    sweep_slip_at(g, &at, &kappa, &now, &f, &next);
    lanes_mask slips = closed & (f > zero);
    if (LANES_ANY(slips)) {
        next = LANES_SELECT(before > next, before, next);
        for (int k = 0; k < SWEEP_NEWTON; ++k) {
            kappa = LANES_SELECT(slips & (next > zero), next, zero);
            sweep_slip_at(g, &at, &kappa, &now, &f, &next);
        }
        kappa = LANES_SELECT(slips & (next > zero), next, zero);
    }
    lanes n = LANES_SELECT(closed & (now.n > zero), now.n, zero), most = mu * n;
    lanes scale =
        LANES_SELECT(now.size > most, most / LANES_SELECT(now.size > zero, now.size, one), one);
    lanes t0 = LANES_SELECT(closed, scale * now.t0, zero),
          t1 = LANES_SELECT(closed, scale * now.t1, zero);
    d[0] = t0 - x0;
    d[1] = t1 - x1;
    d[2] = n - x2;
    LANES_STORE(g->lambda[0], t0);
    LANES_STORE(g->lambda[1], t1);
    LANES_STORE(g->lambda[2], n);
    LANES_STORE(g->kappa, kappa);
}

static inline void sweep_group_solve(sweep_group *g, double *w)
{
    lanes v[3], d[3];
    sweep_group_velocity(g, w, v);
    sweep_group_laws(g, v, d);
    sweep_add_bodies(g->Ya[0], d, g->a, w);
    sweep_add_bodies(g->Yb[0], d, g->b, w);
}

// ---- filling ---------------------------------------------------------------------------------------

// Y of one side, lanes and entries exchanged: 18 entries are four vectors and a half.
static inline void sweep_fill_side(const double *const from[LANES], double (*Y)[LANES])
{
    static const double none[3 * WIDTH] = {0};
    const double *row[LANES];
    EACH_LANE(l)
    {
        row[l] = from[l] != NULL ? from[l] : none;
    }
    for (int e = 0; e < 4 * LANES; e += LANES) {
        lanes x[LANES];
        EACH_LANE(l)
        {
            x[l] = LANES_LOAD(row[l] + e);
        }
        lanes_transpose(x);
        EACH_LANE(k)
        {
            LANES_STORE(Y[e + k], x[k]);
        }
    }
    for (int e = 4 * LANES; e < 3 * WIDTH; ++e) {
        EACH_LANE(l)
        {
            Y[e][l] = row[l][e];
        }
    }
}

// Rows r and c of Ya YaT + Yb YbT.
static inline void sweep_fill_entry(const sweep_group *g, int r, int c, lanes *out)
{
    lanes a = LANES_LOAD(g->Ya[WIDTH * r]) * LANES_LOAD(g->Ya[WIDTH * c]);
    lanes b = LANES_LOAD(g->Yb[WIDTH * r]) * LANES_LOAD(g->Yb[WIDTH * c]);
    for (int e = 1; e < WIDTH; ++e) {
        a += LANES_LOAD(g->Ya[WIDTH * r + e]) * LANES_LOAD(g->Ya[WIDTH * c + e]);
        b += LANES_LOAD(g->Yb[WIDTH * r + e]) * LANES_LOAD(g->Yb[WIDTH * c + e]);
    }
    *out = a + b;
}

SWEEP_WIDE static void sweep_fill(sweep_group *g, const sweep_source *from)
{
    static const int row[6] = {0, 0, 1, 0, 1, 2}, column[6] = {0, 1, 1, 2, 2, 2};
    sweep_fill_side(from->Ya, g->Ya);
    sweep_fill_side(from->Yb, g->Yb);
    for (int e = 0; e < 6; ++e) {
        lanes d;
        sweep_fill_entry(g, row[e], column[e], &d);
        if (row[e] == column[e]) {
            d += LANES_LOAD(g->R[row[e]]);
        }
        LANES_STORE(g->D[e], d);
    }
}

// Nobody's lane: it opens, and moves nothing.
static void sweep_empty(sweep_group *g, int l, int nobody)
{
    static const double D[6] = {1.0, 0.0, 1.0, 0.0, 0.0, 1.0};
    for (int e = 0; e < 3 * WIDTH; ++e) {
        g->Ya[e][l] = g->Yb[e][l] = 0.0;
    }
    for (int e = 0; e < 6; ++e) {
        g->D[e][l] = D[e];
    }
    for (int r = 0; r < 3; ++r) {
        g->R[r][l] = g->lambda[r][l] = g->v_f[r][l] = 0.0;
    }
    g->v_f[2][l] = 1.0;
    g->mu[l] = g->kappa[l] = 0.0;
    g->a[l] = g->b[l] = nobody;
    g->contact[l] = -1;
}

// D (3 x 3 per contact) = Y YT + R: Y are the rows of the contact over the bodies' velocities in the metric of their
// masses.
void pawl_sweep_group_fill(sweep_group *g, const sweep_source *from, int nobody)
{
    sweep_fill(g, from);
    EACH_LANE(l)
    {
        double D[9] = {g->D[0][l], g->D[1][l], g->D[3][l], g->D[1][l], g->D[2][l],
                       g->D[4][l], g->D[3][l], g->D[4][l], g->D[5][l]};
        double S[3] = {1.0, 0.0, 1.0};
        if (g->contact[l] < 0 || pawl_contact_is_blocked(D)) {
            sweep_empty(g, l, nobody);
        } else {
            pawl_contact_tangent(D, S);
        }
        g->S[0][l] = S[0];
        g->S[1][l] = S[1];
        g->S[2][l] = S[2];
        g->inverse[l] = 1.0 / g->D[5][l];
    }
}

// ---- all groups ------------------------------------------------------------------------------------

SWEEP_WIDE static void sweep_push(const sweep_group *groups, int count, double *w)
{
    for (const sweep_group *g = groups; g < groups + count; ++g) {
        const lanes x[3] = {LANES_LOAD(g->lambda[0]), LANES_LOAD(g->lambda[1]),
                            LANES_LOAD(g->lambda[2])};
        sweep_add_bodies(g->Ya[0], x, g->a, w);
        sweep_add_bodies(g->Yb[0], x, g->b, w);
    }
}

void pawl_sweep_groups_push(const sweep_group *groups, int count, double *w)
{
    sweep_push(groups, count, w);
}

// The lanes' largest entries of weight (lambda - P(lambda - v/weight)), v with De Saxce's term, as
// pawl_natural_contact_map() has them one by one: the weight is the mean of D's diagonal, P the projection on the cone.
static inline void sweep_natural_of(const sweep_group *g, const double *w, lanes *out)
{
    const lanes zero = {0}, one = zero + 1.0;
    lanes v[3], x[3], mu = LANES_LOAD(g->mu), slip, t;
    sweep_group_velocity(g, w, v);
    lanes weight = (LANES_LOAD(g->D[0]) + LANES_LOAD(g->D[2]) + LANES_LOAD(g->D[5])) / 3.0,
          square = v[0] * v[0] + v[1] * v[1];
    EACH_LANE(l)
    {
        slip[l] = sqrt(square[l]);
    }
    v[2] += mu * slip;
    for (int r = 0; r < 3; ++r) {
        x[r] = LANES_LOAD(g->lambda[r]) - v[r] / weight;
    }
    square = x[0] * x[0] + x[1] * x[1];
    EACH_LANE(l)
    {
        t[l] = sqrt(square[l]);
    }
    lanes_mask inside = (x[2] >= zero) & (t <= mu * x[2]), polar = mu * t <= -x[2];
    lanes normal = (mu * t + x[2]) / (mu * mu + one);
    lanes scale = mu * normal / LANES_SELECT(t > zero, t, one);
    scale = LANES_SELECT(inside, one, LANES_SELECT(polar, zero, scale));
    normal = LANES_SELECT(inside, x[2], LANES_SELECT(polar, zero, normal));
    x[0] *= scale;
    x[1] *= scale;
    x[2] = normal;
    lanes worst = zero;
    for (int r = 0; r < 3; ++r) {
        lanes f = weight * (LANES_LOAD(g->lambda[r]) - x[r]);
        f = LANES_SELECT(f < zero, -f, f);
        worst = LANES_SELECT((f > worst) | (f != f), f, worst);
    }
    *out = worst;
}

SWEEP_WIDE static void sweep_natural(const sweep_group *groups, int count, const double *w,
                                     double out[LANES])
{
    lanes worst = {0};
    for (int g = 0; g < count; ++g) {
        lanes f;
        sweep_natural_of(&groups[g], w, &f);
        worst = LANES_SELECT((f > worst) | (f != f), f, worst); // what is no number is the worst
    }
    LANES_STORE(out, worst);
}

double pawl_sweep_groups_natural(const sweep_group *groups, int count, const double *w)
{
    double lane[LANES], worst = 0.0;
    sweep_natural(groups, count, w, lane);
    EACH_LANE(l)
    {
        worst = worst_of(worst, lane[l]);
    }
    return worst;
}

SWEEP_WIDE static void sweep_solve(sweep_group *groups, int count, double *w)
{
    for (int g = 0; g < count; ++g) {
        sweep_group_solve(&groups[g], w);
    }
}

void pawl_sweep_groups_solve(sweep_group *groups, int count, double *w)
{
    sweep_solve(groups, count, w);
}
