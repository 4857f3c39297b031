// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scalar functions of time and their rates: constants, sinusoids, tables (linear, cubic, smooth;
// periodic or not) and callbacks. Prescribed motions, actuator targets and applied forces use them.
#include "math/trig.h"
#include "model/model.h"

pawl_signal pawl_signal_constant(double value)
{
    return (pawl_signal){.kind = PAWL_SIGNAL_CONSTANT, .value = value};
}

// Slope at a table's knot: none where keyframes come to rest, else from its neighbours (parabola
// through three points; one-sided at ends).
//
// With the slopes of neighbours the cubic interpolation has continuous rates, and passes through
// straight data straight.
static double signal_slope(const pawl_signal *s, int i)
{
    const double *t = s->times, *v = s->values;
    if (s->interpolation == PAWL_SMOOTH) {
        return 0.0;
    }
    if (i == 0) {
        return (v[1] - v[0]) / (t[1] - t[0]);
    }
    if (i == s->count - 1) {
        return (v[i] - v[i - 1]) / (t[i] - t[i - 1]);
    }
    double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    double d0 = (v[i] - v[i - 1]) / h0, d1 = (v[i + 1] - v[i]) / h1;
    return (h1 * d0 + h0 * d1) / (h0 + h1);
}

// Value and rate of a table; constant before it and, unless its end repeats, after it. At a knot the
// rate is that of what follows.
static void signal_table(const pawl_signal *s, double t, double *value, double *rate)
{
    int last = s->count - 1;
    if (s->period > 0.0 && t >= s->times[last]) {
        // fmod is exact, so that all periods are equal to the last bit of t.
        t = s->times[last] - s->period + fmod(t - s->times[last], s->period);
    }
    if (t < s->times[0] || t >= s->times[last]) {
        *value = t < s->times[0] ? s->values[0] : s->values[last];
        *rate = 0.0;
        return;
    }
    int lo = 0, hi = last;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        *(s->times[mid] <= t ? &lo : &hi) = mid;
    }
    double h = s->times[hi] - s->times[lo];
    double x = (t - s->times[lo]) / h;
    double a = s->values[lo], b = s->values[hi];
    if (s->interpolation == PAWL_LINEAR) {
        *value = a + x * (b - a);
        *rate = (b - a) / h;
        return;
    }
    // Without slopes this is a + (b - a) (3 - 2 x) x^2.
    double da = h * signal_slope(s, lo), db = h * signal_slope(s, hi);
    double c2 = 3.0 * (b - a) - 2.0 * da - db, c3 = 2.0 * (a - b) + da + db;
    *value = a + x * (da + x * (c2 + x * c3));
    *rate = (da + x * (2.0 * c2 + x * 3.0 * c3)) / h;
}

double pawl_signal_value(const pawl_signal *signal, double t)
{
    double value = signal->value, rate;
    switch (signal->kind) {
    case PAWL_SIGNAL_CONSTANT:
        break;
    case PAWL_SIGNAL_SINUSOID:
        value += signal->amplitude * pawl_sin(signal->frequency * t + signal->phase);
        break;
    case PAWL_SIGNAL_TABLE:
        signal_table(signal, t, &value, &rate);
        break;
    case PAWL_SIGNAL_CALLBACK:
        value = signal->callback(signal->user, t);
        break;
    }
    return value;
}

// The rate of a table is the exact derivative of its interpolation.
double pawl_signal_rate(const pawl_signal *signal, double t)
{
    double value, rate = 0.0;
    switch (signal->kind) {
    case PAWL_SIGNAL_CONSTANT:
        break;
    case PAWL_SIGNAL_SINUSOID:
        rate =
            signal->amplitude * signal->frequency * pawl_cos(signal->frequency * t + signal->phase);
        break;
    case PAWL_SIGNAL_TABLE:
        signal_table(signal, t, &value, &rate);
        break;
    case PAWL_SIGNAL_CALLBACK: {
        const double step = 1e-5; // central difference: error about 1e-10 of the third derivative
        rate =
            (signal->callback(signal->user, t + step) - signal->callback(signal->user, t - step)) /
            (2.0 * step);
        break;
    }
    }
    return rate;
}

// Six signals: displacement [m] in world axes and a rotation vector [rad], both from the start.
// Returns the pose of the centre of mass.
pawl_pose pawl_kinematic_pose(const model_body *body, double t)
{
    double m[6];
    for (int i = 0; i < 6; ++i) {
        m[i] = pawl_signal_value(&body->motion[i], t);
    }
    // The link frame turns about its own origin, which the displacement moves.
    pawl_quat turn = quat_exp(v3(m[3], m[4], m[5]));
    pawl_vec3 arm = pawl_quat_rotate(body->start_pose.orientation, body->com);
    pawl_vec3 origin = v3_sub(body->start_pose.position, arm);
    pawl_vec3 position = v3_add(v3_add(origin, v3(m[0], m[1], m[2])), pawl_quat_rotate(turn, arm));
    return (pawl_pose){position, pawl_quat_normalize(quat_mul(turn, body->start_pose.orientation))};
}

// The rate of a rotation vector is not the angular velocity: w = T(rho)^-1 rho', with T the matrix
// of rotation_vector_rate().
pawl_twist pawl_kinematic_twist(const model_body *body, double t)
{
    double m[6], rate[6];
    for (int i = 0; i < 6; ++i) {
        m[i] = pawl_signal_value(&body->motion[i], t);
        rate[i] = pawl_signal_rate(&body->motion[i], t);
    }
    pawl_vec3 rho = v3(m[3], m[4], m[5]);
    pawl_mat3 to_rate = rotation_vector_rate(rho);
    pawl_mat3 from_rate = m3_inverse(&to_rate);
    pawl_vec3 w = m3_mul(&from_rate, v3(rate[3], rate[4], rate[5]));
    pawl_vec3 arm = pawl_quat_rotate(body->start_pose.orientation, body->com);
    pawl_vec3 v = v3_cross(w, pawl_quat_rotate(quat_exp(rho), arm));
    return (pawl_twist){v3_add(v3(rate[0], rate[1], rate[2]), v), w};
}
