// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Quaternions, rotation vectors and frames against Rodrigues' formula, inverses and finite
// differences.
#include "math/rotation.h"
#include "math/trig.h"
#include "support/random.h"
#include "support/test.h"

static const double rotation_pi = 3.14159265358979323846;

static pawl_vec3 rotation_random_axis(uint64_t *seed)
{
    return pawl_quat_rotate(random_quat(seed), v3(1, 0, 0));
}

// Rodrigues: v cos a + (n x v) sin a + n (n.v)(1 - cos a), with the C library's sine and cosine.
TEST(exp_turns_vectors_as_rodrigues_formula_does)
{
    uint64_t seed = 1;
    static const double angles[] = {0.0, 1e-12, 1e-7, 1e-4, 9.9e-4, 1.01e-3, 0.5, 3.0, 6.0, 40.0};
    for (int i = 0; i < 10; ++i) {
        for (int trial = 0; trial < 100; ++trial) {
            pawl_vec3 n = rotation_random_axis(&seed), v = random_vec(&seed, 1.0);
            double a = angles[i];
            pawl_vec3 got = pawl_quat_rotate(quat_exp(v3_scale(a, n)), v);
            pawl_vec3 expected = v3_scale(cos(a), v);
            expected = v3_axpy(expected, sin(a), v3_cross(n, v));
            expected = v3_axpy(expected, (1.0 - cos(a)) * v3_dot(n, v), n);
            CHECK_NEAR3(got, expected, 2e-15 * (1.0 + a));
            CHECK_NEAR(quat_norm2(quat_exp(v3_scale(a, n))), 1.0, 2e-15);
        }
    }
}

// Inverse functions, up to half a turn.
TEST(log_is_the_inverse_of_exp)
{
    uint64_t seed = 2;
    static const double angles[] = {0.0, 1e-15, 1e-8, 1e-5, 0.1, 1.0, 3.0, 3.1415926};
    for (int i = 0; i < 8; ++i) {
        for (int trial = 0; trial < 100; ++trial) {
            pawl_vec3 v = v3_scale(angles[i], rotation_random_axis(&seed));
            pawl_quat q = quat_exp(v);
            CHECK_NEAR3(quat_log(q), v, 4e-15 * (angles[i] + 1e-3));
            pawl_quat other = {-q.w, -q.x, -q.y, -q.z}; // the same rotation
            CHECK_NEAR3(quat_log(other), v, 4e-15 * (angles[i] + 1e-3));
        }
    }
}

TEST(advancing_by_a_step_turns_in_the_world_and_keeps_the_length)
{
    uint64_t seed = 3;
    pawl_quat q = random_quat(&seed);
    for (int i = 0; i < 10000; ++i) {
        pawl_vec3 w = random_vec(&seed, 0.1), v = random_vec(&seed, 1.0);
        pawl_vec3 expected = pawl_quat_rotate(quat_exp(w), pawl_quat_rotate(q, v));
        q = quat_advance(q, w);
        CHECK_NEAR3(pawl_quat_rotate(q, v), expected, 4e-15);
    }
    CHECK_NEAR(quat_norm2(q), 1.0, 1e-15);
}

// Finite differences of log(exp(eps w) exp(rho)), five points: error eps^4 and rounding / eps.
TEST(the_rate_of_a_rotation_vector_matches_finite_differences)
{
    uint64_t seed = 4;
    static const double angles[] = {0.0, 1e-5, 9e-3, 1.1e-2, 0.3, 1.5, 2.8};
    const double eps = 1e-4;
    for (int i = 0; i < 7; ++i) {
        for (int trial = 0; trial < 50; ++trial) {
            pawl_vec3 rho = v3_scale(angles[i], rotation_random_axis(&seed));
            pawl_vec3 w = random_vec(&seed, 1.0), sum = {0};
            static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
            static const double place[4] = {-2.0, -1.0, 1.0, 2.0};
            for (int s = 0; s < 4; ++s) {
                pawl_quat q = quat_mul(quat_exp(v3_scale(place[s] * eps, w)), quat_exp(rho));
                sum = v3_axpy(sum, weight[s] / eps, quat_log(q));
            }
            pawl_mat3 rate = rotation_vector_rate(rho);
            CHECK_NEAR3(m3_mul(&rate, w), sum, 2e-10);
        }
    }
}

// Products of the three elementary rotation matrices, written out.
TEST(roll_pitch_yaw_turns_about_fixed_axes_x_then_y_then_z)
{
    uint64_t seed = 5;
    for (int trial = 0; trial < 100; ++trial) {
        pawl_vec3 a = random_vec(&seed, 3.0), v = random_vec(&seed, 1.0);
        pawl_vec3 x = v3(v.x, cos(a.x) * v.y - sin(a.x) * v.z, sin(a.x) * v.y + cos(a.x) * v.z);
        pawl_vec3 y = v3(cos(a.y) * x.x + sin(a.y) * x.z, x.y, -sin(a.y) * x.x + cos(a.y) * x.z);
        pawl_vec3 z = v3(cos(a.z) * y.x - sin(a.z) * y.y, sin(a.z) * y.x + cos(a.z) * y.y, y.z);
        CHECK_NEAR3(pawl_quat_rotate(pawl_quat_from_rpy(a.x, a.y, a.z), v), z, 4e-15);
    }
}

TEST(an_axis_and_an_angle_need_no_unit_axis)
{
    pawl_quat q = pawl_quat_from_axis_angle(v3(0, 0, 5), rotation_pi / 2.0);
    CHECK_NEAR3(pawl_quat_rotate(q, v3(1, 0, 0)), v3(0, 1, 0), 1e-15);
    q = pawl_quat_from_axis_angle(v3(0, 0, 0), 1.0); // no axis: no turn
    CHECK(q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0);
}

// The definition: x goes onto the axis, y into the half plane of the hint.
TEST(axes_are_turned_onto_the_wanted_ones)
{
    uint64_t seed = 6;
    for (int trial = 0; trial < 500; ++trial) {
        pawl_vec3 axis = random_vec(&seed, 2.0), hint = random_vec(&seed, 2.0);
        if (trial % 5 == 0) {
            hint = v3_scale(trial % 2 == 0 ? 0.0 : 3.0, axis); // none, or a useless one
        }
        if (trial % 7 ==
            0) { // exactly along an axis of the world, where choices must not degenerate
            axis = v3(trial % 3 == 0, trial % 3 == 1, trial % 3 == 2);
            axis = v3_scale(trial % 2 == 0 ? 1.0 : -1.0, axis);
        }
        pawl_quat q = pawl_quat_from_axes(axis, hint);
        pawl_vec3 unit = v3_scale(1.0 / v3_norm(axis), axis);
        CHECK_NEAR3(pawl_quat_rotate(q, v3(1, 0, 0)), unit, 4e-15);
        pawl_vec3 y = pawl_quat_rotate(q, v3(0, 1, 0));
        if (v3_norm(v3_cross(unit, hint)) > 1e-6) {
            CHECK(v3_dot(y, hint) > 0.0);
            CHECK_NEAR(v3_dot(pawl_quat_rotate(q, v3(0, 0, 1)), hint), 0.0, 1e-14);
        }
        CHECK_NEAR(quat_norm2(q), 1.0, 1e-15);
    }
}

TEST(a_frame_after_its_inverse_moves_nothing)
{
    uint64_t seed = 7;
    for (int trial = 0; trial < 100; ++trial) {
        pawl_pose a = random_pose(&seed, 2.0), b = random_pose(&seed, 2.0);
        pawl_vec3 p = random_vec(&seed, 1.0);
        CHECK_NEAR3(pawl_pose_apply(pawl_pose_compose(a, pawl_pose_inverse(a)), p), p, 1e-14);
        CHECK_NEAR3(pawl_pose_apply(pawl_pose_compose(a, b), p),
                    pawl_pose_apply(a, pawl_pose_apply(b, p)), 1e-14);
    }
    CHECK_NEAR3(pawl_pose_apply(pawl_pose_identity(), v3(1, 2, 3)), v3(1, 2, 3), 0.0);
}

// A A^-1 = 1, and R S RT turns like its vectors do.
TEST(small_matrices_invert_and_turn)
{
    uint64_t seed = 8;
    for (int trial = 0; trial < 100; ++trial) {
        double six[6];
        random_inertia(&seed, 2.0, 0.5, six);
        pawl_mat3 a = m3_from_six(six), inverse = m3_inverse(&a);
        pawl_vec3 v = random_vec(&seed, 1.0);
        CHECK_NEAR3(m3_mul(&a, m3_mul(&inverse, v)), v, 1e-13);
        pawl_mat3 r = quat_matrix(random_quat(&seed));
        pawl_mat3 turned = m3_congruence(&r, &a);
        CHECK_NEAR3(m3_mul(&turned, m3_mul(&r, v)), m3_mul(&r, m3_mul(&a, v)), 1e-15);
        CHECK_NEAR3(m3_tmul(&r, m3_mul(&r, v)), v, 1e-15);
        CHECK_NEAR(m3_det(&r), 1.0, 4e-15); // nine entries, each rounded a few times
    }
}
