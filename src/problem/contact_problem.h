// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A contact problem given as a matrix, in its two forms: as given, for the judge, and symmetric and scaled, for
// solvers.
#pragma once
#include "pawl/contact_problem.h"
#include "problem/block_delassus.h"

struct pawl_contact_problem {
    pawl_env env;
    size_t bytes;
    block_matrix W; // as given
    block_matrix D; // s (W + WT)/2 s, of the same pattern: diagonal blocks of trace 3
    double asymmetry;
    double *q, *friction;  // (rows), (contacts)
    double *scale;         // (contacts) s = sqrt(3 / trace of W's own block)
    double *v_f;           // (rows) of `problem`: written by whoever solves
    double *lambda, *best; // (rows) for whoever solves
    pawl_problem problem;  // in scaled quantities: lambda = r / s, v = s u
};
