// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// (D + s)^-1 over all rows, s diagonal but for 3 x 3 blocks on contacts, through a matrix of the size of the bodies:
//   (J M^-1 JT + s)^-1 = s^-1 - s^-1 J H^-1 JT s^-1,   H = M + JT s^-1 J   (Woodbury)
// Stacks have many more contact rows than bodies have velocities. H is sparse over the pairs of bodies
// that share a row; its order and fill are computed again only when those pairs change, in memory that only grows:
// changing contacts cause no allocation if as many have existed before.
#pragma once
#include "linalg/block_lu.h"
#include "rows/row_set.h"

// The order and fill of a set's pairs of bodies, which whoever poses sets in turn keeps for each.
typedef struct shifted_structure {
    block_ldl *ldl;
    uint64_t topology; // hash of the pairs that ldl was made for; 0 for none
    block_lu *lu;      // of the same pairs, for the velocity space
} shifted_structure;

typedef struct shifted_factor shifted_factor;
// Of all rows of `a`.
pawl_status pawl_shifted_factor_create(const pawl_env *env, const pawl_assembly *a,
                                       shifted_factor **out);
void pawl_shifted_factor_destroy(shifted_factor *f);
// Goes on with another set of rows of `a` and with what `at` knows of it; both must stay.
void pawl_shifted_factor_bind(shifted_factor *f, const row_set *rows, shifted_structure *at);
// s = diag(sigma), on contacts `contacts` (9 each) where it is not NULL. False when memory for a new
// structure is out.
bool pawl_shifted_factor_update(shifted_factor *f, const double *sigma, const double *contacts);
void pawl_shifted_factor_solve(shifted_factor *f, double *x);
