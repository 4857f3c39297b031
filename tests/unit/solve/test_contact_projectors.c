// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The local solvers of one contact against brute force over directions (tests/support), on every kind
// of section of the cone. bench_projectors does the same on a million blocks of each.
#include "linalg/cone.h"
#include "solve/contact_local.h"
#include "solve/contact_nb.h"
#include "support/projector_proof.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>

enum { PROJECTOR_BLOCKS = 20000 };
static const double projector_error = 1e-9;

TEST(the_quartic_and_bisection_find_the_minimum_that_brute_force_finds)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < PROJECTOR_BLOCKS; ++trial) {
        proof_block k = proof_random((proof_family)(trial % PROOF_FAMILIES), &seed);
        double s = trial / PROOF_FAMILIES % 2 == 0 ? 0.0 : k.s, expected[3], x[3];
        proof_nonlinear_block(&k, s, expected);
        pawl_contact_nb(k.D, k.v, s, k.mu, CONTACT_NB_QUARTIC, x);
        CHECK_NEAR(proof_error(&k, x, expected), 0.0, projector_error);
        pawl_contact_nb(k.D, k.v, s, k.mu, CONTACT_NB_BISECTION, x);
        CHECK_NEAR(proof_error(&k, x, expected), 0.0, projector_error);
    }
}

TEST(the_exact_solution_obeys_every_law)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < PROJECTOR_BLOCKS; ++trial) {
        proof_block k = proof_random((proof_family)(trial % PROOF_FAMILIES), &seed);
        double x[3];
        pawl_contact_exact(k.D, k.v, k.mu, x);
        CHECK_NEAR(proof_laws(&k, x), 0.0, projector_error);
    }
}

TEST(the_ccp_step_ends_at_the_nearest_point_of_the_cone)
{
    uint64_t seed = 3;
    for (int trial = 0; trial < PROJECTOR_BLOCKS; ++trial) {
        proof_block k = proof_random((proof_family)(trial % PROOF_FAMILIES), &seed);
        double mean = (k.D[0] + k.D[4] + k.D[8]) / 3.0, x[3], y[3], expected[3];
        // Where the step is 3 / tr D, isotropic blocks, it can be taken apart by hand.
        const double D[9] = {mean, 0, 0, 0, mean, 0, 0, 0, mean};
        for (int r = 0; r < 3; ++r) {
            x[r] = random_in(&seed, -1.0, 1.0) / mean;
            y[r] = x[r] - k.v[r] / mean;
        }
        proof_nearest(y, k.mu, expected);
        pawl_contact_ccp_step(D, k.v, k.mu, x);
        CHECK_NEAR(proof_error(&k, x, expected), 0.0, projector_error);
    }
}

static void projector_velocity(const proof_block *k, const double x[3], double z[3])
{
    for (int r = 0; r < 3; ++r) {
        z[r] = k->v[r] + k->D[3 * r] * x[0] + k->D[3 * r + 1] * x[1] + k->D[3 * r + 2] * x[2];
    }
}

// The convex relaxation of one contact has one solution: v in the dual cone, lambda in the cone,
// orthogonal. Repeated steps get there, whatever the block, and what slips lifts off with mu |v_T|.
TEST(repeated_ccp_steps_solve_the_convex_relaxation)
{
    uint64_t seed = 4;
    int slips = 0;
    for (int trial = 0; trial < 60; ++trial) {
        proof_block k = proof_random((proof_family)(trial % 3), &seed);
        double x[3] = {0}, z[3];
        for (int i = 0; i < 100000; ++i) {
            projector_velocity(&k, x, z);
            pawl_contact_ccp_step(k.D, z, k.mu, x);
        }
        projector_velocity(&k, x, z);
        double speed = hypot(z[0], z[1]), size = 1.0 + k.mu;
        double unit = (k.D[0] + k.D[4] + k.D[8]) / 3.0 * (fabs(x[2]) * size);
        CHECK(z[2] >= k.mu * speed - 1e-9 * size);
        CHECK_NEAR(x[0] * z[0] + x[1] * z[1] + x[2] * z[2], 0.0,
                   1e-9 * size * (fabs(x[0]) + fabs(x[1]) + fabs(x[2])));
        if (x[2] > 0.0 && speed > 1e-6) {
            ++slips;
            CHECK_NEAR(z[2], k.mu * speed, 1e-9 * (size + unit));
        }
    }
    CHECK(slips > 10);
}

// With s = mu |v_T| at the solution itself, the least point of the section is Coulomb's slip; with
// s = 0 it is not, once normal and tangent are coupled.
TEST(de_saxce_correction_makes_the_least_energy_coulombs_slip)
{
    uint64_t seed = 5;
    int slips = 0, off = 0;
    for (int trial = 0; trial < PROJECTOR_BLOCKS; ++trial) {
        proof_block k = proof_random((proof_family)(trial % PROOF_FAMILIES), &seed);
        double exact[3], z[3], x[3];
        pawl_contact_exact(k.D, k.v, k.mu, exact);
        projector_velocity(&k, exact, z);
        double s = k.mu * hypot(z[0], z[1]);
        if (exact[2] == 0.0 || hypot(exact[0], exact[1]) < 0.999999 * k.mu * exact[2] || s < 1e-3) {
            continue;
        }
        ++slips;
        // Rounding of the velocity is multiplied by mu in s, and by the condition of D in x.
        pawl_contact_nb(k.D, k.v, s, k.mu, CONTACT_NB_BISECTION, x);
        CHECK_NEAR(proof_error(&k, x, exact), 0.0, 1e-8);
        pawl_contact_nb(k.D, k.v, 0.0, k.mu, CONTACT_NB_BISECTION, x);
        off += proof_error(&k, x, exact) > 1e-3;
    }
    CHECK(slips > 1000);
    CHECK(off > slips / 2);
}

// Contacts on hinged bodies have blocks of rank one or two, and those that joints hold of rank zero.
TEST(singular_blocks_have_finite_answers_within_the_cone)
{
    uint64_t seed = 6;
    for (int trial = 0; trial < PROJECTOR_BLOCKS; ++trial) {
        double J[6], D[9], v[3], x[3], mu = random_in(&seed, 0.0, 2.0);
        int rank = trial % 3;
        for (int i = 0; i < 6; ++i) {
            J[i] = trial % 5 == 0 ? (double)random_index(&seed, 2) : random_in(&seed, -1.0, 1.0);
        }
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                D[3 * r + c] =
                    (rank > 0 ? J[r] * J[c] : 0.0) + (rank > 1 ? J[3 + r] * J[3 + c] : 0.0);
            }
            v[r] = random_in(&seed, -1.0, 1.0);
        }
        for (int variant = 0; variant < 5; ++variant) {
            x[0] = x[1] = x[2] = 0.0;
            if (variant == 0) {
                pawl_contact_exact(D, v, mu, x);
            } else if (variant < 3) {
                pawl_contact_nb(D, v, variant == 1 ? 0.0 : 0.3, mu, CONTACT_NB_QUARTIC, x);
            } else if (variant == 3) {
                pawl_contact_nb(D, v, 0.3, mu, CONTACT_NB_BISECTION, x);
            } else {
                pawl_contact_ccp_step(D, v, mu, x);
                pawl_contact_ncp_step(D, v, mu, x);
            }
            CHECK(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) && x[2] >= 0.0);
            CHECK(hypot(x[0], x[1]) <= mu * x[2] * (1.0 + 1e-9));
        }
    }
}
