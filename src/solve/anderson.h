// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Anderson's acceleration of a fixed-point iteration x <- g(x): the combination of the last few steps whose change
// g(x) - x would be smallest if g were affine.
#pragma once
#include "base/carver.h"

enum { ANDERSON_DEPTH = 8 };

typedef struct anderson {
    int count, next; // columns in use, and the one to be written
    bool started;    // whether the last change is known
    double *changes; // (depth x n) differences of g(x) - x
    double *images;  // (depth x n) differences of g(x)
    double *f, *g;   // (n) of the last step
    double gram[ANDERSON_DEPTH * ANDERSON_DEPTH];
} anderson;

anderson pawl_anderson_layout(int max_rows, pawl_carver *mem);
void pawl_anderson_begin(anderson *a);
// x is the point, g its image, weight the metric (n, positive; an entry of 0 counts as 1). Writes the
// point to go on from to x. Returns false when there was nothing to combine: x is then g.
bool pawl_anderson_step(anderson *a, int n, const double *weight, double *x, const double *g);
