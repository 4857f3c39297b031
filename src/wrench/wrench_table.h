// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Wrenches of a foot between the centres of a table, by radial basis functions.
#pragma once
#include "base/carver.h"
#include "pawl/wrench.h"

typedef struct wrench_interpolant {
    const pawl_wrench_model_def *def;
    double *mean;    // of wrench/depth^p over the centres (6 vertex_count)
    double *weights; // [vertex][component][centre]
} wrench_interpolant;

void pawl_wrench_interpolant_layout(const pawl_wrench_model_def *def, pawl_carver *mem,
                                    wrench_interpolant *out); // out may be NULL: only counts
// Needs memory for a moment. Refused: centres so close that rounding does not separate them.
pawl_status pawl_wrench_interpolant_fit(const pawl_env *env, wrench_interpolant *table);
void pawl_wrench_interpolant_evaluate(const wrench_interpolant *table,
                                      const pawl_wrench_query *query, double *v, double *dv);
