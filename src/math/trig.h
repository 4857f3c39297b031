// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Our own sine, cosine and arc tangent: the C library's differ between versions and machines in
// the last bit, and same input must give same bits. Good to about 1 unit in the last place.
#pragma once

void pawl_sincos(double x, double *sine, double *cosine);
double pawl_sin(double x);
double pawl_cos(double x);
double pawl_atan2(double y, double x);
// The angle nearest to `last` that differs from `raw` by full turns.
double pawl_unwrap(double raw, double last);
