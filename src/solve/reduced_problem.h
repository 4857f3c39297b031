// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A problem without its free rows: these are eliminated exactly, and what is left is a problem of
// limits and contacts alone, with a dense matrix. On closed loops, and where a light body carries a
// heavy one, this is what makes iterations converge.
#pragma once
#include "problem/dense_delassus.h"
#include "solve/eliminate.h"

typedef struct reduced_problem {
    eliminator eliminate;
    dense_delassus matrix;
    problem_block *blocks; // (capacity)
    double *v_f;           // (capacity)
    double *zero;          // (capacity) the compliance is in the matrix
    double *lambda;        // (capacity)
    pawl_problem problem;
} reduced_problem;

// `max_rows` of the whole problem, `capacity` of the reduced one.
reduced_problem pawl_reduced_problem_layout(int max_rows, int capacity, pawl_carver *mem);
// Poses r->problem and r->lambda from p and the warm start lambda, whose free part is scratch.
void pawl_reduced_problem_pose(reduced_problem *r, const pawl_problem *p, double regularization,
                               double *lambda);
// All impulses of p from r->lambda. Returns the number of iterations.
int pawl_reduced_problem_recover(reduced_problem *r, const pawl_problem *p, double *lambda);
