// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sine, cosine and arc tangent: those of the C library differ between versions and machines in the last bit, and the
// same input must give the same bits. The error is about 1 unit in the last place.
#pragma once

#define PAWL_PI 0x1.921fb54442d18p+1
#define PAWL_HALF_PI 0x1.921fb54442d18p+0

// Arc tangents of 0, 1/8, ... 1.
extern const double pawl_atan_eighths[9];

void pawl_sincos(double x, double *sine, double *cosine);
double pawl_sin(double x);
double pawl_cos(double x);
double pawl_atan2(double y, double x);
// The angle nearest to `last` that differs from `raw` by full turns.
double pawl_unwrap(double raw, double last);
