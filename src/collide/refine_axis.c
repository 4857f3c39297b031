// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The last digits of a contact normal. With h(n) the support function of A - B, the signed distance
// is -min h over unit vectors. Where h is smooth (vertices, rims, ellipsoids) Newton's method on the
// sphere finds the minimum; but minima are often at kinks of h: at the normal of a face, on the circle across an
// edge, where two such circles cross. Each kink near the start is tried, and the best direction is used: every
// direction gives a valid bound, so a wrong guess does no harm.
#include "collide/pair.h"

enum { REFINE_ROUNDS = 40 };

// h(n) and its gradient, which is the support point of the difference.
static double refine_height(const placed_shape *a, const placed_shape *b, pawl_vec3 n, pawl_vec3 *s)
{
    *s = v3_sub(pawl_shape_support(a, n), pawl_shape_support(b, v3_scale(-1.0, n)));
    return v3_dot(n, *s);
}

static double refine_quadratic(const pawl_mat3 *H, pawl_vec3 x, pawl_vec3 y)
{
    return v3_dot(x, m3_mul(H, y));
}

// Newton's method over all directions, or over those across a fixed edge.
// On the sphere the second derivative of h along unit tangents t is tT H t - h: the second term comes from the
// curvature of the sphere. Steps are at most 0.5 rad and halved until h falls, so the direction never gets worse.
static pawl_vec3 refine_newton(const placed_shape *a, const placed_shape *b, pawl_vec3 n,
                               const pawl_vec3 *across)
{
    pawl_vec3 s;
    double h = refine_height(a, b, n, &s);
    for (int round = 0; round < REFINE_ROUNDS; ++round) {
        pawl_mat3 H = {{{0.0}}};
        pawl_shape_add_curvature(a, n, &H);
        pawl_shape_add_curvature(b, v3_scale(-1.0, n), &H);
        pawl_vec3 step;
        if (across != NULL) {
            pawl_vec3 t = v3_cross(*across, n);
            double g = v3_dot(s, t), k = refine_quadratic(&H, t, t) - h;
            step = v3_scale(-g / (k > 0.0 ? k : fabs(g) + fabs(h)), t);
        } else {
            pawl_vec3 t1, t2;
            pawl_tangents(n, &t1, &t2);
            double g1 = v3_dot(s, t1), g2 = v3_dot(s, t2);
            double k11 = refine_quadratic(&H, t1, t1) - h, k22 = refine_quadratic(&H, t2, t2) - h;
            double k12 = refine_quadratic(&H, t1, t2);
            double det = k11 * k22 - k12 * k12;
            if (!(k11 > 0.0 && det > 1e-14 * k11 * k11)) { // not convex here: shift until it is
                double shift = fabs(k11) + fabs(k22) + fabs(k12);
                k11 += shift;
                k22 += shift;
                det = k11 * k22 - k12 * k12;
            }
            if (!(det > 0.0)) {
                return n;
            }
            step = v3_add(v3_scale(-(k22 * g1 - k12 * g2) / det, t1),
                          v3_scale(-(k11 * g2 - k12 * g1) / det, t2));
        }
        double size = v3_norm(step);
        if (size > 0.5) {
            step = v3_scale(0.5 / size, step);
        }
        bool moved = false;
        for (int halving = 0; halving < 12 && !moved; ++halving) {
            pawl_vec3 tried = v3_unit_or(v3_add(n, step), n);
            pawl_vec3 at;
            double lower = refine_height(a, b, tried, &at);
            if (lower < h) {
                n = tried;
                h = lower;
                s = at;
                moved = true;
            } else {
                step = v3_scale(0.5, step);
            }
        }
        if (!moved || size < 1e-15) {
            return n;
        }
    }
    return n;
}

typedef struct refine_search {
    const placed_shape *a, *b;
    double bias; // a later guess must be better by this much
    pawl_vec3 best;
    double gap;
} refine_search;

// Ties go to the direction that was tried first, so that the normal of a body at rest is the same in every step.
static void refine_try(refine_search *r, pawl_vec3 n)
{
    double gap = pair_gap_along(r->a, r->b, n);
    if (gap > r->gap + r->bias) {
        r->gap = gap;
        r->best = n;
    }
}

// `tolerance` [rad] is how far from the start kinks are looked for. Polytopes have their minimum at a kink, so
// that Newton's method is for curved shapes alone.
void pawl_refine_axis(const placed_shape *a, const placed_shape *b, double tolerance,
                      pair_axis *axis)
{
    bool curved = !shape_is_polytope(a) || !shape_is_polytope(b);
    pawl_vec3 n = axis->n;
    shape_kinks ka, kb;
    pawl_shape_kinks(a, n, tolerance, &ka);
    pawl_shape_kinks(b, v3_scale(-1.0, n), tolerance, &kb);
    double scale = pawl_shape_scale(a) + pawl_shape_scale(b);
    refine_search r = {a, b, 1e-13 * scale, n, -INFINITY};
    // The fewer freedoms a guess has, the less its result wanders from step to step: those first.
    for (int i = 0; i < ka.face_count; ++i) {
        refine_try(&r, ka.face[i]);
    }
    for (int i = 0; i < kb.face_count; ++i) {
        refine_try(&r, v3_scale(-1.0, kb.face[i]));
    }
    for (int i = 0; i < ka.edge_count; ++i) {
        for (int j = 0; j < kb.edge_count; ++j) {
            pawl_vec3 c;
            if (pair_across(ka.edge[i], kb.edge[j], &c)) {
                refine_try(&r, v3_dot(c, n) < 0.0 ? v3_scale(-1.0, c) : c);
            }
        }
    }
    if (curved) {
        for (int i = 0; i < ka.edge_count + kb.edge_count; ++i) {
            pawl_vec3 e = i < ka.edge_count ? ka.edge[i] : kb.edge[i - ka.edge_count];
            pawl_vec3 flat = v3_axpy(n, -v3_dot(n, e), e);
            refine_try(&r, refine_newton(a, b, v3_unit_or(flat, n), &e));
        }
        refine_try(&r, refine_newton(a, b, n, NULL));
    }
    refine_try(&r, n);
    axis->n = r.best;
    axis->gap = r.gap;
}
