// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The built-in models given by formulas: Coulomb, anisotropic, patch. They differ only in constants.
#pragma once
#include "pawl/wrench.h"

// A vertex has the force K (n + a t_1 + b t_2) and the moment K m n, besides that of the force about
// the frame's origin; K(d) = k (d^p + zeta) is the largest normal force at depth d.
typedef struct polytope_vertex {
    double a, b, m;
} polytope_vertex;

int pawl_friction_vertex_count(const pawl_wrench_model_def *def);
void pawl_friction_vertices(const pawl_wrench_model_def *def, polytope_vertex *out);
// Their derivatives with respect to friction, friction2 or torsion; false: it has no such number.
bool pawl_friction_vertex_rates(const pawl_wrench_model_def *def, pawl_wrench_number number,
                                polytope_vertex *out);
// `normal` is 1, or 0 to leave n itself out (derivatives by a constant). `dv` may be NULL.
void pawl_friction_evaluate(const pawl_wrench_model_def *def, const polytope_vertex *vertices,
                            double normal, const pawl_wrench_query *query, double *v, double *dv);
// The same; false where no vertex can push at this depth, and v and dv are then left as they are.
bool pawl_friction_push(const pawl_wrench_model_def *def, const polytope_vertex *vertices,
                        double normal, const pawl_wrench_query *query, double *v, double *dv);

// d^p for p a multiple of 1/2, and its derivative; 0 for d <= 0. The same bits everywhere.
double pawl_depth_power(double d, double p, double *slope);
