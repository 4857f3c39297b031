// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// GMRES (Saad and Schultz 1986) without restart: Arnoldi's basis by modified Gram-Schmidt, least
// squares by Givens rotations. For Newton systems of contact, which De Saxce's term makes
// unsymmetric.
//
// There is no preconditioner here: the caller's product includes it. At most GMRES_VECTORS products are computed, and
// the iterate reached by then is the result: the outer Newton method needs a good direction rather than an exact one.
#include "linalg/gmres.h"
#include "linalg/dense.h"
#include <math.h>
#include <string.h>

gmres pawl_gmres_layout(int max_rows, pawl_carver *mem)
{
    return (gmres){.basis =
                       PAWL_CARVE(mem, double, (size_t)(GMRES_VECTORS + 1) * (size_t)max_rows)};
}

// The rotation that takes (a, b) to (r, 0); a becomes r.
static void gmres_rotation(double *a, double b, double *c, double *s)
{
    double r = sqrt(*a * *a + b * b);
    *c = r > 0.0 ? *a / r : 1.0;
    *s = r > 0.0 ? b / r : 0.0;
    *a = r;
}

// Applies the rotation (c, s) to the pair (a, b).
static void gmres_rotate(double *a, double *b, double c, double s)
{
    double x = c * *a + s * *b;
    *b = c * *b - s * *a;
    *a = x;
}

// Minimizes |b - A x| over the Krylov space of b, from x = 0. |g[m]| is the residual norm after m
// vectors, known without computing x. Stops at `reduction` times |b|. R (upper triangle) is the
// rotated Hessenberg matrix. Returns the number of products.
int pawl_gmres(gmres *s, int n, gmres_apply *apply, void *user, const double *b, double reduction,
               double *x)
{
    enum { M = GMRES_VECTORS };
    double R[M * M], cosine[M], sine[M], g[M + 1] = {0};
    size_t stride = (size_t)n;
    double norm = sqrt(pawl_dot(b, b, n));
    memset(x, 0, stride * sizeof *x);
    if (!(norm > 0.0)) {
        return 0;
    }
    for (int i = 0; i < n; ++i) {
        s->basis[i] = b[i] / norm;
    }
    g[0] = norm;
    int m = 0;
    while (m < M && fabs(g[m]) > reduction * norm) {
        double *w = s->basis + (size_t)(m + 1) * stride, h[M + 1];
        apply(user, s->basis + (size_t)m * stride, w);
        double before = sqrt(pawl_dot(w, w, n));
        for (int k = 0; k <= m; ++k) { // modified Gram-Schmidt
            const double *v = s->basis + (size_t)k * stride;
            h[k] = pawl_dot(w, v, n);
            for (int i = 0; i < n; ++i) {
                w[i] -= h[k] * v[i];
            }
        }
        double length = sqrt(pawl_dot(w, w, n));
        for (int k = 0; k < m; ++k) {
            gmres_rotate(&h[k], &h[k + 1], cosine[k], sine[k]);
        }
        gmres_rotation(&h[m], length, &cosine[m], &sine[m]);
        g[m + 1] = -sine[m] * g[m];
        g[m] *= cosine[m];
        for (int k = 0; k <= m; ++k) {
            R[k * M + m] = h[k];
        }
        ++m;
        if (!(length > 1e-14 * before)) {
            break; // the space is complete
        }
        for (int i = 0; i < n; ++i) {
            w[i] /= length;
        }
    }
    for (int k = m - 1; k >= 0; --k) {
        for (int j = k + 1; j < m; ++j) {
            g[k] -= R[k * M + j] * g[j];
        }
        g[k] = R[k * M + k] != 0.0 ? g[k] / R[k * M + k] : 0.0;
        const double *v = s->basis + (size_t)k * stride;
        for (int i = 0; i < n; ++i) {
            x[i] += g[k] * v[i];
        }
    }
    return m;
}
