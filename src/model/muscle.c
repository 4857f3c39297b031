// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The force of a muscle, with MuJoCo's curves, so that a model has the same force in both engines. The curves consist
// of parabolas; the active one is 1 at the length L0 and zero at the shortest and longest length.
#include "model/muscle.h"
#include <math.h>

static double muscle_square(double x)
{
    return x * x;
}

// FL: halves of parabolas that meet midway between an end and the middle, 1.
static double muscle_active(const pawl_muscle *m, double L)
{
    if (!(L > m->shortest) || !(L < m->longest)) {
        return 0.0;
    }
    double end = L <= 1.0 ? m->shortest : m->longest, midway = 0.5 * (end + 1.0);
    double to_end = (L - end) / (midway - end), to_middle = (L - 1.0) / (midway - 1.0);
    return to_end <= 1.0 ? 0.5 * muscle_square(to_end) : 1.0 - 0.5 * muscle_square(to_middle);
}

// FV, of the rate by the rate of shortening without force.
static double muscle_rate(const pawl_muscle *m, double V)
{
    double most = m->stretching - 1.0;
    if (V <= 0.0) {
        return V <= -1.0 ? 0.0 : muscle_square(V + 1.0);
    }
    return V <= most ? m->stretching - muscle_square(most - V) / most : m->stretching;
}

// FP: a parabola, then its tangent.
static double muscle_passive(const pawl_muscle *m, double L)
{
    double half = 0.5 * (m->longest - 1.0), x = (L - 1.0) / half;
    return x <= 0.0 ? 0.0 : m->passive * (x <= 1.0 ? 0.5 * x * x : x - 0.5);
}

double pawl_muscle_force(const pawl_muscle *m, double q, double rate, double activation)
{
    if (m == NULL || !(m->peak > 0.0)) {
        return NAN;
    }
    double unit = (m->length[1] - m->length[0]) / (m->range[1] - m->range[0]);
    double L = m->range[0] + (m->gear * q + m->offset - m->length[0]) / unit;
    double V = m->gear * rate / (unit * m->rate);
    return -m->gear * m->peak *
           (activation * muscle_active(m, L) * muscle_rate(m, V) + muscle_passive(m, L));
}

void pawl_muscle_numbers(const pawl_muscle *m, double out[MUSCLE_NUMBERS])
{
    const double all[MUSCLE_NUMBERS] = {m->peak,      m->gear,     m->offset,   m->length[0],
                                        m->length[1], m->range[0], m->range[1], m->shortest,
                                        m->longest,   m->rate,     m->passive,  m->stretching};
    for (int i = 0; i < MUSCLE_NUMBERS; ++i) {
        out[i] = all[i];
    }
}

const char *pawl_muscle_fault(const pawl_actuator_def *a)
{
    const pawl_muscle *m = &a->muscle;
    double all[MUSCLE_NUMBERS];
    if (m->peak == 0.0) {
        return NULL;
    }
    pawl_muscle_numbers(m, all);
    for (int i = 0; i < MUSCLE_NUMBERS; ++i) {
        if (!isfinite(all[i])) {
            return "finite numbers";
        }
    }
    return a->kind != PAWL_ACTUATOR_FORCE ? "an actuator of kind force"
           : !(m->peak > 0.0)             ? "a peak of 0 or more"
           : !(m->length[1] > m->length[0] && m->range[1] > m->range[0]) ? "ranges that rise"
           : !(m->shortest < 1.0 && m->longest > 1.0)
               ? "a shortest length below 1 and a longest above"
           : !(m->rate > 0.0 && m->passive >= 0.0 && m->stretching >= 1.0)
               ? "a rate above 0, a passive force of 0 or more, stretching of 1 or more"
               : NULL;
}
