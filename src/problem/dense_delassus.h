// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The operator of a problem with a dense matrix: a mechanism after the elimination of its joints, or any small
// problem. It has no free rows.
#pragma once
#include "base/carver.h"
#include "problem/dense_space.h"

typedef struct dense_delassus {
    pawl_delassus base;       // first, so that a pawl_delassus * is also one of these
    const pawl_problem *p;    // whose operator it is: its blocks
    int capacity;             // most rows
    double *matrix;           // (n x n) symmetric, n = p->row_count
    double *factor, *inverse; // L D LT of the matrix with its shift
    double *v;                // (n) the matrix times the impulses of the sweep at work
    dense_space space;
} dense_delassus;

dense_delassus pawl_dense_delassus_layout(int capacity, pawl_carver *mem);
// Makes d the operator of p, whose row_count and blocks are set; fill d->matrix as well.
void pawl_dense_delassus_bind(dense_delassus *d, pawl_problem *p);
