// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Preconditioned conjugate gradients (Hestenes and Stiefel 1952) for A x = b with A symmetric
// positive definite, known by its products. Used where a factor would take too much memory.
#include "linalg/conjugate.h"
#include "linalg/dense.h"
#include <string.h>

// x holds the start and becomes the answer; scratch (4 x n). `accuracy` is relative to b in the
// norm of the preconditioner, r . P^-1 r <= accuracy^2 b . P^-1 b, which needs no product of its
// own. A direction of no positive curvature means that rounding is all that is left, or that A is
// not positive definite; x is kept as it is. Returns the number of iterations.
int pawl_conjugate_gradients(const conjugate_system *system, int n, const double *b,
                             double accuracy, int max_iterations, double *x, double *scratch)
{
    double *r = scratch, *z = r + n, *d = z + n, *Ad = d + n;
    system->precondition(system->user, b, z);
    double goal = accuracy * accuracy * pawl_dot(b, z, n);
    system->product(system->user, x, r);
    for (int i = 0; i < n; ++i) {
        r[i] = b[i] - r[i];
    }
    system->precondition(system->user, r, z);
    memcpy(d, z, (size_t)n * sizeof *d);
    double size = pawl_dot(r, z, n);
    int iterations = 0;
    while (size > goal && iterations < max_iterations) {
        system->product(system->user, d, Ad);
        double curvature = pawl_dot(d, Ad, n);
        if (!(curvature > 0.0)) {
            break; // rounding has the last word
        }
        double length = size / curvature;
        for (int i = 0; i < n; ++i) {
            x[i] += length * d[i];
            r[i] -= length * Ad[i];
        }
        system->precondition(system->user, r, z);
        double next = pawl_dot(r, z, n), keep = next / size;
        size = next;
        for (int i = 0; i < n; ++i) {
            d[i] = z[i] + keep * d[i];
        }
        ++iterations;
    }
    return iterations;
}
