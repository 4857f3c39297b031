// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The contact problem within a problem, as a matrix: free rows eliminated exactly, so that W is the
// Schur complement, and bounded rows (limits, friction losses, effort limits) fixed at their impulses, because the
// format does not support them. Impulses of contacts that solve the whole problem solve this one.
#pragma once
#include "pawl/contact_problem.h"
#include "problem/problem.h"

typedef struct contact_capture {
    bool wanted;
    pawl_contact_problem *problem; // NULL where there were no contacts
    double *r;                     // (3 x contacts) the impulses of the step
    size_t r_bytes;
    int fixed_rows; // bounded rows that were held
} contact_capture;

// Takes the place of what was captured before. On failure nothing is captured.
pawl_status pawl_contact_capture_take(const pawl_env *env, contact_capture *capture,
                                      const pawl_problem *p, double regularization,
                                      const double *lambda);
void pawl_contact_capture_drop(const pawl_env *env, contact_capture *capture);
