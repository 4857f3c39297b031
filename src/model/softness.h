// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Soft constraints (loops V-D, after MuJoCo): impedance, and its effect on a row.
#pragma once
#include "pawl/base.h"
#include "pawl/model.h"

bool pawl_softness_is_good(const pawl_softness *s); // every number in its range
// `own`, or `all` where own says nothing.
const pawl_softness *pawl_softness_choose(const pawl_softness *own, const pawl_softness *all);
// Of a pair: the mean of two soft ones, else the one that is soft.
pawl_softness pawl_softness_mix(const pawl_softness *a, const pawl_softness *b);

static inline bool pawl_is_soft(const pawl_softness *s)
{
    return s->time_constant > 0.0;
}

// d(r) for a violation r.
double pawl_softness_impedance(const pawl_softness *s, double r);
// Compliance and bias of a row with violation r, rate r', impedance d and D_jj, for a step h.
typedef struct soft_row {
    double compliance, bias;
} soft_row;
soft_row pawl_softness_row(const pawl_softness *s, double impedance, double h, double D, double r,
                           double rate);
