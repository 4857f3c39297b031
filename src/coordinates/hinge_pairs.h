// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Blocks of D = J M^-1 JT between hinges that share a body, four blocks at a time.
#pragma once

// Rows of one hinge times those of another in M^-1 JT, at the body that both have: 5 x 5 numbers, of which each row has
// room for eight.
typedef struct hinge_pair {
    const double *row_side, *column_side; // 6 numbers a row
    int offset;                           // where the block goes
} hinge_pair;

typedef struct hinge_pairs {
    int count; // those behind repeat the last one
    hinge_pair pair[4];
} hinge_pairs;

// values = their products, bit by bit those of pawl_dot6().
void pawl_hinge_pairs_form(const hinge_pairs *group, int count, double *values);
