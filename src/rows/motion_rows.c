// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Prescribed coordinates: q = s(t), by the mean rate of s over the step or, in a stage, by its rate there.
// Sign: the residual is coordinate minus target. Motion rows are hard and free, and do work: that of the drive needed
// to follow the signal (docs/math.md section 1).
#include "rows/families.h"
#include "rows/row_build.h"

// Slots of motions lie behind those of all joints' own rows, whose number is row_count less that of the motions.
static void motion_plan(row_plan *p, int joint)
{
    const pawl_model *m = p->model;
    int slot = p->slots.joints + m->row_count - m->motion_count;
    for (int k = 0; k < m->motion_count; ++k) {
        const pawl_motion_def *d = &m->motions[k];
        if (pawl_joint_index(d->joint) == joint) {
            int flat = m->joints[joint].first_coordinate + d->coordinate;
            pawl_row_plan_row(
                p, (row_info){&pawl_motion_rows_family, k, d->coordinate, flat, slot + k, 1.0});
        }
    }
}

void pawl_motion_rows_place(pawl_assembly *a, double t)
{
    const pawl_model *m = a->model;
    if (m->motion_count == 0) {
        return;
    }
    for (int r = 0; r < a->free_rows; ++r) {
        const row_info *info = &a->rows[r];
        if (info->family == &pawl_motion_rows_family) {
            a->residual[r] = a->coordinates[info->coordinate].value -
                             pawl_signal_value(&m->motions[info->owner].target, t);
        }
    }
}

// The coordinate has to change by exactly what the signal changes in the step, so its mean rate is the difference
// quotient, not the derivative: otherwise the coordinate would lag the signal by the error of the quadrature, which
// erp would then have to remove. A stage of a Runge-Kutta method prescribes the rate at its own time.
static void motion_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                        row_rates rate, bool persistent)
{
    (void)b;
    (void)persistent;
    const pawl_signal *f = &a->model->motions[a->rows[r].owner].target;
    double step = pawl_signal_value(f, w->end) - pawl_signal_value(f, w->begin);
    double mean = w->at_end ? pawl_signal_rate(f, w->place_time) : step / w->h;
    a->bias[r] = w->erp_joint / w->h * a->residual[r] - mean;
    if (w->start_weight != 0.0) {
        a->bias[r] += w->start_weight * (rate.before - mean);
    }
}

int pawl_row_motion(const row_info *info)
{
    return info->family == &pawl_motion_rows_family ? info->owner : -1;
}

static int motion_joint(const pawl_model *m, const row_info *info)
{
    return pawl_joint_index(m->motions[info->owner].joint);
}

static bool motion_is_angle(const pawl_model *m, const row_info *info)
{
    return pawl_joint_kind_is_angle(m->joints[motion_joint(m, info)].kind, info->part);
}

// The rate that the row must have at time t [m/s or rad/s].
static double motion_rate(const pawl_model *m, const row_info *info, double t)
{
    return pawl_signal_rate(&m->motions[info->owner].target, t);
}

static const char *motion_describe(const pawl_model *m, const row_info *info)
{
    (void)m;
    (void)info;
    return "prescribed motion";
}

const row_family pawl_motion_rows_family = {
    .name = "motion",
    .traits = ROW_IS_HARD,
    .work_kind = WORK_MOTION,
    .plan_joint = motion_plan,
    .fill = motion_fill,
    .joint = motion_joint,
    .is_angle = motion_is_angle,
    .rate = motion_rate,
    .describe = motion_describe,
};
