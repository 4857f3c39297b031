// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random contacts, one at a time, and what a projector of such a contact should have answered, found
// without the engine's formulas: by trying directions. For the unit test and for bench_projectors.
#pragma once
#include <stdint.h>

// Which kind of section the plane of zero normal velocity cuts out of the friction cone.
typedef enum proof_family {
    PROOF_ELLIPTIC,
    PROOF_PARABOLIC,  // mu |D_NT| = D_NN, to rounding
    PROOF_HYPERBOLIC, // D_NN + mu (D_Nt cos + D_No sin) changes its sign
    PROOF_NEAR,       // mu |D_NT| = D_NN times 1 +- 1e-3 .. 1e-12
    PROOF_LARGE,      // mu = 100
    PROOF_NONE,       // mu = 0
    PROOF_FAMILIES
} proof_family;

typedef struct proof_block {
    double D[9], v[3], mu;
    double s; // De Saxce's correction for the velocity at some impulse of the right size
} proof_block;

const char *proof_family_name(proof_family family);
// D is positive definite with a condition up to some 1e4, and a scale from 1e-6 to 1e6.
proof_block proof_random(proof_family family, uint64_t *seed);

// The answer of the nonlinear-block projector with s (0 or block->s).
void proof_nonlinear_block(const proof_block *block, double s, double lambda[3]);
// The nearest point of the friction cone.
void proof_nearest(const double x[3], double mu, double nearest[3]);
// |met - expected| relative to the size of the impulses that the block deals in.
double proof_error(const proof_block *block, const double got[3], const double expected[3]);
// How far lambda is from Signorini's and Coulomb's laws, one by one as a textbook has them, as a
// share of the velocities that the block deals in.
double proof_laws(const proof_block *block, const double lambda[3]);
