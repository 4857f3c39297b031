// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Derivatives of a step (pawl/derivative.h): common parts of its files. A step consists of a position update, a
// velocity update and another position update, each of which solves a set of equations. Each file differentiates one
// kind (docs/derivatives.md).
//
// Letters: n = 6 bodies. A tangent is a matrix (n x columns) of changes of poses (dq: displacement, turn) or twists (du), one
// column for each input.
#pragma once
#include "linalg/lu.h"
#include "pawl/derivative.h"
#include "sim/sim.h"

// What one placement of the rows says at one configuration: for the rows of the step (not those of the placement, which may have
// more or fewer contacts).
typedef struct derive_sample {
    double *row;   // (rows) values of rows
    double *force; // (blocks x BLOCK_MAX_BODIES x 6) JT lambda of each block on each of its bodies
    double *drive; // (actuators x 2 x 6) of force actuators on the two bodies of their joint
    double *own;   // (n) what depends on one body alone
} derive_sample;

// The velocity update as it was solved.
typedef struct derive_velocity {
    bool seen, struck;
    step_weights w;
    body_state *begin; // (bodies) after impacts
    double *next;      // (n) twists after it
    double *lambda;    // (rows)
    double *velocity;  // (rows) v
    double *slope;     // (rows) of the bias by the row's gap; 0: it is taken from the placement
    int *kind;         // (rows) derive_row
    int rows, free_rows, slot_rows, contacts, blocks;
    row_block *block;   // (blocks)
    int *slot;          // (rows)
    double *id;         // (contacts)
    double *friction;   // (contacts)
    double *compliance; // (rows)
} derive_velocity;

enum derive_row { DERIVE_EQUAL, DERIVE_FIXED, DERIVE_SLIP };

struct pawl_derivative {
    pawl_env env;
    const pawl_model *model;
    pawl_sim *sim;
    int bodies, n, columns;
    int first[PAWL_DERIVATIVE_COUNT + 1]; // column of each input
    bool done;
    double margin;
    char *block;
    size_t bytes;
    int max_rows, max_blocks, max_contacts; // that there is room for
    derive_velocity update;
    body_state *start;          // (bodies) where the step began
    body_state *moved;          // (bodies) scratch: perturbed
    double *dq, *du;            // (n x columns) tangents so far
    double *dw;                 // (n x columns)
    double *by_pose, *by_twist; // ((n + rows) x n) derivatives of equations
    double *K, *X;              // ((n + rows)^2), ((n + rows) x columns)
    int *pivot;
    double *turned; // (rows x columns) scratch of a position update, of armatures
    double *x, *y;  // (rows) multipliers of a position update
    double *rate;   // (rows) scratch
    double *change; // (n) scratch
    double *twists; // (5 n) scratch of a position update
    int *color;     // (bodies)
    int colors;
    derive_sample sample[2];
    double *result[PAWL_DERIVATIVE_COUNT]; // (2 n x width)
};

// One more or less of a coordinate, for differences of rows: small against what curves them, large against rounding.
static const double derive_step = 1e-5;

// Poses of `from`, with those of a colour changed along direction k (0 to 5), into d->moved.
void pawl_derive_move(pawl_derivative *d, const body_state *from, int color, int k, double by);

// The velocity update: dq and du before it (at its placement) to du after it.
pawl_status pawl_derive_velocity(pawl_derivative *d, const pawl_state *from);
// A position update over tau from `from` to `to`: dq and du before it to those after it.
pawl_status pawl_derive_position(pawl_derivative *d, const body_state *from, const body_state *to,
                                 double tau, double begin, double end);
// X = K^-1 X, N rows; PAWL_NOT_SOLVED where K is singular.
pawl_status pawl_derive_solve(pawl_derivative *d, int N);
// Sets an input of the columns of a parameter by `by`; the simulation follows. False: it has no such input.
void pawl_derive_parameter(pawl_derivative *d, const pawl_state *from, int column, double by);
