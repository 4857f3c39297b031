// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random contact problems with known matrices: bodies of three or more velocities each, contacts
// between pairs of them, and everything also as dense arrays.
#pragma once
#include "pawl/contact_problem.h"
#include "support/random.h"

enum {
    RANDOM_CONTACTS = 10,
    RANDOM_ROWS = 3 * RANDOM_CONTACTS,
    RANDOM_VELOCITIES = 30,
    RANDOM_EQUALITIES = 8
};

typedef struct random_contacts {
    int contacts, rows, velocities, equalities;
    double
        M[RANDOM_VELOCITIES * RANDOM_VELOCITIES]; // (velocities x velocities), skew part included
    double H[RANDOM_VELOCITIES * RANDOM_ROWS];    // (velocities x rows)
    double G[RANDOM_VELOCITIES * RANDOM_EQUALITIES]; // (velocities x equalities)
    double f[RANDOM_VELOCITIES], w[RANDOM_ROWS], b[RANDOM_EQUALITIES];
    double W[RANDOM_ROWS * RANDOM_ROWS], q[RANDOM_ROWS], friction[RANDOM_CONTACTS];
} random_contacts;

// `skew`: how far M, and W with it, are from symmetric. Without equalities where `redundant` is
// negative; else their last `redundant` ones repeat the first (skew must then be zero).
void random_contacts_make(random_contacts *c, uint64_t *seed, double skew, int redundant);

// Entries of a dense matrix; zeros stay out. Arrays have room for rows x columns.
typedef struct random_entries {
    int row[RANDOM_VELOCITIES * RANDOM_VELOCITIES + RANDOM_ROWS * RANDOM_ROWS];
    int column[RANDOM_VELOCITIES * RANDOM_VELOCITIES + RANDOM_ROWS * RANDOM_ROWS];
    double value[RANDOM_VELOCITIES * RANDOM_VELOCITIES + RANDOM_ROWS * RANDOM_ROWS];
} random_entries;
pawl_triplets random_entries_of(random_entries *e, const double *A, int rows, int columns);
