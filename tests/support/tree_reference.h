// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the reduced dynamics are judged by: random trees, and d'Alembert's principle over homogeneous
// matrices multiplied out column by column, in complex numbers, so that a step along the imaginary axis
// gives derivatives without cancellation. Slow, and shares no formula with the library but the order of
// the columns.
#pragma once
#include "support/mechanism.h"
#include "tree/articulated.h"

#include <complex.h>

typedef double complex reference_number;

typedef struct tree_reference {
    const reduced_tree *tree;
    const reduced_config *config; // references of the balls
    double time;
} tree_reference;

// Poses of all links as 4 x 4 matrices for coordinates theta + t rate + t^2/2 acceleration: their value and
// two derivatives by t at 0. out[3 * link + order].
typedef struct reference_matrix {
    reference_number m[4][4];
} reference_matrix;
void tree_reference_poses(const tree_reference *r, const reference_number *theta,
                          const reference_number *rate, const reference_number *acceleration,
                          reference_matrix *out);
// The forces of inverse dynamics, with gravity.
void tree_reference_dynamics(const tree_reference *r, const reference_number *theta,
                             const reference_number *rate, const reference_number *acceleration,
                             reference_number *tau);

// A tree under test with a state of it.
typedef struct tree_case {
    mechanism m;
    reduced_tree *tree;
    reduced_motion *motion;
    reduced_config config;
    double *rate, *acceleration; // (nv)
    void *block;
    size_t bytes;
} tree_case;
// A forest of bodies with joints of all kinds that a tree can have, either way round, and some that
// float; coordinates, rates and accelerations are random. `floating`: only the first floats.
void tree_case_make(tree_case *c, int bodies, bool floating, reduced_base base, uint64_t seed);
void tree_case_end(tree_case *c);
double *tree_case_numbers(tree_case *c, int count); // freed at the end
