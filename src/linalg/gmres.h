// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Generalized minimal residuals (Saad and Schultz 1986) for x with A x = b, A not symmetric. Meant for
// an A that is close to the identity after preconditioning: a few vectors, no restart.
#pragma once
#include "base/carver.h"

enum { GMRES_VECTORS = 30 };

typedef struct gmres {
    double *basis; // ((GMRES_VECTORS + 1) x n)
} gmres;

// y = A x; `user` is handed through.
typedef void gmres_apply(void *user, const double *x, double *y);

gmres pawl_gmres_layout(int max_rows, pawl_carver *mem);
// x gets the answer. Ends when the residual is `reduction` times what it was. Returns the
// number of products.
int pawl_gmres(gmres *s, int n, gmres_apply *apply, void *user, const double *b, double reduction,
               double *x);
