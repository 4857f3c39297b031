// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Prescribed motions that cannot be followed: they lead beyond the limits of their joint, or they prescribe
// coordinates that the joints and other motions already determine, and contradict them.
//
// A motion that is determined twice has a component in a left null vector x of the rows (xT J = 0, the weak space of
// the start). The rows have a solution if xT s' = 0, with the rates s' of the motions. This is tested at several
// times with the Jacobian of the start: a motion that cannot be followed there cannot be followed at all.
#include "problem/weak_space.h"
#include "sim/warnings.h"

static const double motions_beyond = 1e-6;   // of a limit [m or rad]
static const double motions_part = 1e-4;     // of a null vector's largest entry: less is rounding
static const double motions_disagree = 1e-3; // of the rates that would have to cancel
enum { MOTIONS_POINTS = 8, MOTIONS_TIMES = 16 };

// ---- limits ----------------------------------------------------------------------------------------

// Of a signal, as far as it is known beforehand.
typedef struct motions_range {
    double lowest, highest;
} motions_range;

static void motions_include(motions_range *range, double value)
{
    range->lowest = fmin(range->lowest, value);
    range->highest = fmax(range->highest, value);
}

// False for callbacks. Cubic tables may go beyond their knots, so they are looked at between them as well.
static bool motions_find_range(const pawl_signal *s, motions_range *range)
{
    *range = (motions_range){INFINITY, -INFINITY};
    switch (s->kind) {
    case PAWL_SIGNAL_CONSTANT:
        motions_include(range, s->value);
        return true;
    case PAWL_SIGNAL_SINUSOID:
        if (s->frequency == 0.0) {
            motions_include(range, pawl_signal_value(s, 0.0));
        } else {
            motions_include(range, s->value + s->amplitude);
            motions_include(range, s->value - s->amplitude);
        }
        return true;
    case PAWL_SIGNAL_TABLE:
        motions_include(range, s->values[0]);
        for (int i = 1; i < s->count; ++i) {
            motions_include(range, s->values[i]);
            double step = (s->times[i] - s->times[i - 1]) / MOTIONS_POINTS;
            for (int k = 1; k < MOTIONS_POINTS && s->interpolation == PAWL_CUBIC; ++k) {
                motions_include(range, pawl_signal_value(s, s->times[i - 1] + k * step));
            }
        }
        return true;
    case PAWL_SIGNAL_CALLBACK:
        break;
    }
    return false;
}

pawl_status pawl_warn_motion_limits(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    for (int i = 0; i < m->motion_count; ++i) {
        const pawl_motion_def *d = &m->motions[i];
        int joint = pawl_joint_index(d->joint);
        const pawl_coordinate_def *c = &m->joints[joint].coordinate[d->coordinate];
        motions_range range;
        if (motions_find_range(&d->target, &range) && (range.lowest < c->lower - motions_beyond ||
                                                       range.highest > c->upper + motions_beyond)) {
            PAWL_TRY(pawl_warning_add(
                list, PAWL_WARNING_MOTION, pawl_warning_joint(m, joint).text,
                "widen the limits, or keep the motion within them: no force does both",
                "its prescribed motion goes from %g to %g, its limits are %g and %g", range.lowest,
                range.highest, c->lower, c->upper));
        }
    }
    return PAWL_OK;
}

// ---- motions that are determined twice ----------------------------------------------------------------

// xT s' and the sum of the magnitudes that it is made of, at time t.
typedef struct motions_sum {
    double total, magnitude;
} motions_sum;

static motions_sum motions_add(const pawl_sim *sim, const weak_cluster *c, const double *x,
                               double t)
{
    motions_sum sum = {0};
    for (int r = 0; r < c->n; ++r) {
        int motion = pawl_row_motion(&sim->assembly->rows[c->rows[r]]);
        if (motion >= 0) {
            double rate = pawl_signal_rate(&sim->model->motions[motion].target, t);
            sum.total += c->scale[r] * x[r] * rate;
            sum.magnitude += fabs(c->scale[r] * x[r] * rate);
        }
    }
    return sum;
}

// The motion that has most of a null vector, or -1 where none has a part in it.
static int motions_leading(const pawl_sim *sim, const weak_cluster *c, const double *x)
{
    int leading = -1;
    double most = 0.0, all = 0.0;
    for (int r = 0; r < c->n; ++r) {
        int motion = pawl_row_motion(&sim->assembly->rows[c->rows[r]]);
        double part = fabs(x[r]);
        all = fmax(all, part);
        if (motion >= 0 && part > most) {
            most = part;
            leading = motion;
        }
    }
    return most > motions_part * all ? leading : -1;
}

static bool motions_any_kinematic(const pawl_model *m)
{
    bool any = false;
    for (int i = 0; i < m->body_count; ++i) {
        any = any || m->bodies[i].kind == PAWL_BODY_KINEMATIC;
    }
    return any;
}

pawl_status pawl_warn_motion_conflict(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    const weak_space *weak = sim->weak;
    if (weak == NULL || m->motion_count == 0 || motions_any_kinematic(m)) {
        return PAWL_OK; // rates of kinematic bodies belong to xT s', too
    }
    for (int i = 0; i < weak->cluster_count; ++i) {
        const weak_cluster *c = &weak->clusters[i];
        for (int k = 0; k < c->base; ++k) {
            const double *x = c->u + (size_t)k * (size_t)c->n;
            int leading = motions_leading(sim, c, x);
            for (int j = 0; j < MOTIONS_TIMES && leading >= 0; ++j) {
                double t = 0.618 * j;
                motions_sum sum = motions_add(sim, c, x, t);
                if (fabs(sum.total) > motions_disagree * sum.magnitude) {
                    int joint = pawl_joint_index(m->motions[leading].joint);
                    PAWL_TRY(pawl_warning_add(
                        list, PAWL_WARNING_MOTION, pawl_warning_joint(m, joint).text,
                        "leave one of the motions out, or make them agree",
                        "its prescribed motion cannot be followed at the start position: the "
                        "joints and the other motions determine its rate as well, and differ at "
                        "%g s",
                        t));
                    leading = -1; // once a vector is enough
                }
            }
        }
    }
    return PAWL_OK;
}
