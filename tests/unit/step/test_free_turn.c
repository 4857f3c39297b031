// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Free rotation that keeps angular momentum: closed forms, conservation, reversal, order.
#include "step/common/free_turn.h"
#include "support/random.h"
#include "support/test.h"

static model_body turn_body(const double inertia[6])
{
    model_body b = {.kind = PAWL_BODY_RIGID, .inertia = m3_from_six(inertia)};
    b.inverse_inertia = m3_inverse(&b.inertia);
    b.principal = pawl_principal_axes(&b.inertia);
    return b;
}

static pawl_vec3 turn_momentum(const model_body *b, pawl_quat q, pawl_vec3 w)
{
    pawl_mat3 r = quat_matrix(q);
    return m3_mul(&r, m3_mul(&b->inertia, m3_tmul(&r, w)));
}

static double turn_energy(const model_body *b, pawl_quat q, pawl_vec3 w)
{
    return 0.5 * v3_dot(w, turn_momentum(b, q, w));
}

TEST(momentum_stays_in_the_world_and_time_can_run_back)
{
    uint64_t seed = 3;
    for (int n = 0; n < 200; ++n) {
        double inertia[6];
        random_inertia(&seed, 1.0, 0.3, inertia);
        model_body b = turn_body(inertia);
        pawl_quat q0 = random_quat(&seed), q = q0;
        pawl_vec3 w0 = random_vec(&seed, 10.0), w = w0;
        pawl_vec3 L = turn_momentum(&b, q, w);
        double energy = turn_energy(&b, q, w), worst = 0.0;
        for (int k = 0; k < 1000; ++k) {
            pawl_free_turn(&b, 5e-3, &q, &w);
            worst = fmax(worst, fabs(turn_energy(&b, q, w) - energy));
        }
        // 1000 steps of some twenty roundings
        CHECK_NEAR3(turn_momentum(&b, q, w), L, 5e-12 * v3_norm(L));
        CHECK(worst <= 0.02 * energy); // it swings with (h w)^2 and does not drift
        for (int k = 0; k < 1000; ++k) {
            pawl_free_turn(&b, -5e-3, &q, &w);
        }
        // chaotic it is not, but errors of rounding grow with the number of turns
        CHECK_NEAR(fabs(q.w * q0.w + q.x * q0.x + q.y * q0.y + q.z * q0.z), 1.0, 1e-10);
        CHECK_NEAR3(w, w0, 1e-9 * v3_norm(w0));
    }
}

// Closed form: the axis of a symmetric body precesses about L at |L| / I1 while the body turns about
// that axis at (1/I3 - 1/I1) L3. One long step is exact.
TEST(a_body_of_revolution_turns_exactly_however_long_the_step)
{
    uint64_t seed = 5;
    for (int n = 0; n < 100; ++n) {
        double across = random_in(&seed, 0.1, 1.0), along = random_in(&seed, 0.1, 1.9) * across;
        const double inertia[6] = {across, across, along, 0, 0, 0};
        model_body b = turn_body(inertia);
        pawl_quat q = random_quat(&seed), start = q;
        pawl_vec3 w = random_vec(&seed, 5.0);
        pawl_vec3 L = turn_momentum(&b, q, w);
        pawl_mat3 r = quat_matrix(q);
        double axial = v3_dot(L, m3_column(&r, 2)), t = random_in(&seed, -2.0, 2.0);
        pawl_quat expected =
            quat_mul(quat_exp(v3_scale(t / across, L)),
                     quat_mul(start, quat_exp(v3(0, 0, t * (1.0 / along - 1.0 / across) * axial))));
        pawl_free_turn(&b, t, &q, &w);
        double cosine = q.w * expected.w + q.x * expected.x + q.y * expected.y + q.z * expected.z;
        CHECK_NEAR(fabs(cosine), 1.0, 1e-13);
    }
}

// Against many short steps: the error falls to a quarter when the step is halved.
TEST(other_bodies_turn_with_order_two)
{
    uint64_t seed = 11;
    for (int n = 0; n < 20; ++n) {
        double inertia[6];
        random_inertia(&seed, 1.0, 0.3, inertia);
        model_body b = turn_body(inertia);
        pawl_quat start = random_quat(&seed), end[3];
        pawl_vec3 spin = random_vec(&seed, 3.0);
        const int steps[3] = {100, 200, 6400};
        for (int k = 0; k < 3; ++k) {
            pawl_vec3 w = spin;
            end[k] = start;
            for (int i = 0; i < steps[k]; ++i) {
                pawl_free_turn(&b, 1.0 / steps[k], &end[k], &w);
            }
        }
        double error[2];
        for (int k = 0; k < 2; ++k) {
            error[k] = v3_norm(quat_log(quat_mul(end[k], quat_conj(end[2]))));
        }
        CHECK(error[0] <= 1e-3);
        CHECK_NEAR(error[0] / error[1], 4.0, 0.05);
    }
}
