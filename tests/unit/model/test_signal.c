// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Functions of time and their rates.
#include "model/model.h"
#include "support/random.h"
#include "support/test.h"

static const double signal_times[5] = {-1.0, 0.0, 0.5, 2.0, 3.0};
static const double signal_values[5] = {1.0, 2.0, -1.0, 0.5, 4.0};

static pawl_signal signal_of_table(pawl_interpolation interpolation)
{
    return (pawl_signal){.kind = PAWL_SIGNAL_TABLE,
                         .interpolation = interpolation,
                         .count = 5,
                         .times = signal_times,
                         .values = signal_values};
}

static double signal_wave(void *user, double t)
{
    return *(double *)user * sin(3.0 * t);
}

// By hand, and the C library's sine.
TEST(a_sinusoid_swings_about_its_value)
{
    pawl_signal s = {.kind = PAWL_SIGNAL_SINUSOID,
                     .value = 1.5,
                     .amplitude = 2.0,
                     .frequency = 3.0,
                     .phase = 0.25};
    for (int i = 0; i < 50; ++i) {
        double t = 0.1 * i;
        CHECK_NEAR(pawl_signal_value(&s, t), 1.5 + 2.0 * sin(3.0 * t + 0.25), 2e-15);
        CHECK_NEAR(pawl_signal_rate(&s, t), 6.0 * cos(3.0 * t + 0.25), 4e-15);
    }
    pawl_signal c = pawl_signal_constant(-4.0);
    CHECK_NEAR(pawl_signal_value(&c, 7.0), -4.0, 0.0);
    CHECK_NEAR(pawl_signal_rate(&c, 7.0), 0.0, 0.0);
}

TEST(a_table_goes_through_its_points_and_holds_its_ends)
{
    for (int k = 0; k < 3; ++k) {
        pawl_signal s = signal_of_table((pawl_interpolation)k);
        for (int i = 0; i < 5; ++i) {
            CHECK_NEAR(pawl_signal_value(&s, signal_times[i]), signal_values[i], 1e-15);
        }
        CHECK_NEAR(pawl_signal_value(&s, -50.0), 1.0, 0.0);
        CHECK_NEAR(pawl_signal_value(&s, 50.0), 4.0, 0.0);
        CHECK_NEAR(pawl_signal_rate(&s, -50.0), 0.0, 0.0);
        CHECK_NEAR(pawl_signal_rate(&s, 50.0), 0.0, 0.0);
    }
    pawl_signal s = signal_of_table(PAWL_LINEAR);
    CHECK_NEAR(pawl_signal_value(&s, 0.25), 0.5, 1e-15);
    CHECK_NEAR(pawl_signal_value(&s, 1.25), -0.25, 1e-15);
    // at a point, the rate of what follows: a motion that starts now starts with its rate
    CHECK_NEAR(pawl_signal_rate(&s, -1.0), 1.0, 1e-15);
    CHECK_NEAR(pawl_signal_rate(&s, 0.0), -6.0, 1e-15);
    CHECK_NEAR(pawl_signal_rate(&s, 3.0), 0.0, 0.0);
}

// A cubic with slopes from the parabola through three points reproduces a parabola inside.
TEST(a_cubic_table_of_a_parabola_is_that_parabola)
{
    double values[5];
    for (int i = 0; i < 5; ++i) {
        double t = signal_times[i];
        values[i] = 1.0 - 2.0 * t + 0.75 * t * t;
    }
    pawl_signal s = signal_of_table(PAWL_CUBIC);
    s.values = values;
    for (int i = 0; i <= 20; ++i) { // between the second and the last point but one
        double t = 2.0 * i / 20.0;
        CHECK_NEAR(pawl_signal_value(&s, t), 1.0 - 2.0 * t + 0.75 * t * t, 1e-14);
        CHECK_NEAR(pawl_signal_rate(&s, t), -2.0 + 1.5 * t, 1e-13);
    }
}

// C1: the rates from both sides of an inner point agree.
TEST(a_cubic_table_has_no_kink_at_its_inner_points)
{
    pawl_signal s = signal_of_table(PAWL_CUBIC);
    for (int i = 1; i < 4; ++i) {
        double before = pawl_signal_rate(&s, signal_times[i] - 1e-12);
        double after = pawl_signal_rate(&s, signal_times[i] + 1e-12);
        CHECK_NEAR(before, after, 1e-9); // a second derivative below 1e2 over 2e-12, and rounding
    }
}

// Central finite differences, error of order eps^2 (third derivatives are below 1e3) and
// rounding / eps.
TEST(rates_match_finite_differences)
{
    uint64_t seed = 1;
    double gain = 2.0;
    pawl_signal signals[4] = {
        signal_of_table(PAWL_LINEAR),
        signal_of_table(PAWL_CUBIC),
        {.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 2.0, .frequency = 5.0},
        {.kind = PAWL_SIGNAL_CALLBACK, .callback = signal_wave, .user = &gain},
    };
    const double eps = 1e-5;
    for (int k = 0; k < 4; ++k) {
        for (int trial = 0; trial < 200; ++trial) {
            double t = random_in(&seed, -0.9, 2.9);
            bool near_kink = false;
            for (int i = 0; i < 5; ++i) {
                near_kink = near_kink || fabs(t - signal_times[i]) < 2.0 * eps;
            }
            if (near_kink) {
                continue;
            }
            double ahead = pawl_signal_value(&signals[k], t + eps);
            double behind = pawl_signal_value(&signals[k], t - eps);
            CHECK_NEAR(pawl_signal_rate(&signals[k], t), (ahead - behind) / (2.0 * eps), 2e-8);
        }
    }
    CHECK_NEAR(pawl_signal_value(&signals[3], 0.3), 2.0 * sin(0.9), 1e-15);
}

// Closed form: displacement and rotation vector from the start pose, in world axes, of the link
// frame; the centre of mass rides along.
TEST(a_kinematic_body_is_where_its_signals_say)
{
    model_body body = {.com = v3(0.1, -0.2, 0.3)};
    pawl_pose link = {v3(1, 2, 3), pawl_quat_from_rpy(0.2, 0.3, 0.4)};
    body.start_pose = (pawl_pose){pawl_pose_apply(link, body.com), link.orientation};
    const double m[6] = {0.5, -0.25, 1.0, 0.3, -0.6, 0.9};
    for (int i = 0; i < 6; ++i) {
        body.motion[i] = pawl_signal_constant(m[i]);
    }
    pawl_pose got = pawl_kinematic_pose(&body, 0.0);
    pawl_quat turn = pawl_quat_from_axis_angle(v3(0.3, -0.6, 0.9), v3_norm(v3(0.3, -0.6, 0.9)));
    pawl_pose expected = {v3(1.5, 1.75, 4.0), pawl_quat_multiply(turn, link.orientation)};
    CHECK_NEAR3(got.position, pawl_pose_apply(expected, body.com), 1e-15);
    CHECK_NEAR(got.orientation.w, expected.orientation.w, 1e-15);
    CHECK_NEAR(got.orientation.z, expected.orientation.z, 1e-15);
}

// Finite differences of the pose, central: eps^2 times a third derivative of order 100.
TEST(the_twist_of_a_kinematic_body_is_the_rate_of_its_pose)
{
    uint64_t seed = 2;
    model_body body = {.com = v3(0.1, -0.2, 0.3)};
    body.start_pose = random_pose(&seed, 1.0);
    for (int i = 0; i < 6; ++i) {
        body.motion[i] = (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID,
                                       .amplitude = random_in(&seed, 0.2, 1.0),
                                       .frequency = random_in(&seed, 1.0, 3.0),
                                       .phase = random_in(&seed, -1.0, 1.0)};
    }
    const double eps = 1e-5;
    for (int i = 0; i < 20; ++i) {
        double t = 0.1 * i;
        pawl_pose a = pawl_kinematic_pose(&body, t - eps), b = pawl_kinematic_pose(&body, t + eps);
        pawl_twist got = pawl_kinematic_twist(&body, t);
        pawl_vec3 v = v3_scale(0.5 / eps, v3_sub(b.position, a.position));
        pawl_vec3 w =
            v3_scale(0.5 / eps, quat_log(quat_mul(b.orientation, quat_conj(a.orientation))));
        CHECK_NEAR3(got.linear, v, 1e-8);
        CHECK_NEAR3(got.angular, w, 1e-8);
    }
}

// The cubic from a to b with no rate at either end is a + (b - a) (3 - 2 x) x^2.
TEST(a_smooth_table_is_at_rest_at_its_points_and_has_a_continuous_rate)
{
    pawl_signal s = signal_of_table(PAWL_SMOOTH);
    for (int i = 0; i < 5; ++i) {
        CHECK_NEAR(pawl_signal_rate(&s, signal_times[i]), 0.0, 0.0);
        CHECK_NEAR(pawl_signal_rate(&s, signal_times[i] - 1e-9), 0.0, 1e-6);
    }
    for (int i = 0; i < 4; ++i) {
        double a = signal_values[i], b = signal_values[i + 1];
        double h = signal_times[i + 1] - signal_times[i];
        for (int k = 0; k <= 10; ++k) {
            double x = k / 10.0, t = signal_times[i] + x * h;
            CHECK_NEAR(pawl_signal_value(&s, t), a + (b - a) * (3.0 - 2.0 * x) * x * x, 1e-13);
            double rate = k < 10 ? 6.0 * (b - a) * x * (1.0 - x) / h : 0.0;
            CHECK_NEAR(pawl_signal_rate(&s, t), rate, 1e-12);
        }
    }
}

TEST(a_table_with_a_period_repeats_its_end)
{
    for (int k = 0; k < 3; ++k) {
        pawl_signal s = signal_of_table((pawl_interpolation)k);
        s.period = 2.5; // from 0.5 to 3
        for (int i = 0; i < 40; ++i) {
            double t = 0.5 + i / 16.0;
            CHECK_NEAR(pawl_signal_value(&s, t + 2.5), pawl_signal_value(&s, t), 0.0);
            CHECK_NEAR(pawl_signal_value(&s, t + 250.0), pawl_signal_value(&s, t), 0.0);
            CHECK_NEAR(pawl_signal_rate(&s, t + 5.0), pawl_signal_rate(&s, t), 0.0);
        }
        CHECK_NEAR(pawl_signal_value(&s, -9.0), 1.0, 0.0);
    }
}
