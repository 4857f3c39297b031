// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Position and velocity actuators as implicit rows: any gain at any step. With an effort limit the impulse is
// bounded; without one the row is free. Force actuators are applied forces (step/), not rows.
// Signs: a positive target force or impulse increases the coordinate. The compliant row of docs/math.md section 3
// makes the controller implicit: it acts on the position and rate at the end of the step, so that no gain makes a
// step unstable.
#include "rows/families.h"
#include "rows/row_build.h"

// Without gains there is no force, and a row with S = 0 would have an infinite compliance.
static bool actuator_has_row(const pawl_actuator_def *a)
{
    return (a->kind == PAWL_ACTUATOR_POSITION && (a->stiffness > 0.0 || a->damping > 0.0)) ||
           (a->kind == PAWL_ACTUATOR_VELOCITY && a->damping > 0.0);
}

static row_info actuator_row(const row_plan *p, int k)
{
    const pawl_actuator_def *d = &p->model->actuators[k];
    int flat = p->model->joints[pawl_joint_index(d->joint)].first_coordinate + d->coordinate;
    return (row_info){&pawl_actuator_rows_family, k,  d->coordinate, flat,
                      p->slots.actuators + k,     1.0};
}

// Actuators without an effort limit are free rows of their joint's block; the others are bounded rows.
static void actuator_plan_joint(row_plan *p, int joint)
{
    for (int k = 0; k < p->model->actuator_count; ++k) {
        const pawl_actuator_def *d = &p->model->actuators[k];
        if (pawl_joint_index(d->joint) == joint && isinf(d->effort) && actuator_has_row(d)) {
            pawl_row_plan_row(p, actuator_row(p, k));
        }
    }
}

static void actuator_plan_bounded(row_plan *p)
{
    for (int k = 0; k < p->model->actuator_count; ++k) {
        const pawl_actuator_def *d = &p->model->actuators[k];
        if (isfinite(d->effort) && actuator_has_row(d)) {
            pawl_row_plan_candidate(p, actuator_row(p, k));
        }
    }
}

// Position: a spring about the target. Velocity: force d (target - q'), theta-weighted, as an impulse -S q'+ + B with
// S = h theta d; with an infinite gain the row is hard and prescribes the rate. Efforts bound impulses, so they are
// multiplied by h.
static void actuator_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                          row_rates rate, bool persistent)
{
    (void)b;
    (void)persistent;
    const row_info *info = &a->rows[r];
    const pawl_actuator_def *d = &a->model->actuators[info->owner];
    double target = pawl_row_target(&d->target, w);
    if (d->kind == PAWL_ACTUATOR_POSITION) {
        row_law law = {.stiffness = d->stiffness, .damping = d->damping, .rest = target};
        pawl_row_spring(a, r, w, a->coordinates[info->coordinate].value - target, rate, &law);
    } else if (isinf(d->damping)) {
        a->bias[r] = -target;
    } else {
        double S = w->h * w->theta * d->damping;
        pawl_row_soft(a, r, S, w->h * d->damping * (target - (1.0 - w->theta) * rate.before));
    }
    a->lower[r] = -w->h * d->effort;
    a->upper[r] = w->h * d->effort;
}

// As others see it: an actuator of velocity is a damper about its target. An infinite one is a constraint
// and has no law.
static row_law actuator_law(const pawl_model *m, const row_info *info, double t)
{
    const pawl_actuator_def *d = &m->actuators[info->owner];
    if (d->kind != PAWL_ACTUATOR_POSITION) {
        return (row_law){.damping = isinf(d->damping) ? 0.0 : d->damping};
    }
    return (row_law){
        .stiffness = d->stiffness, .damping = d->damping, .rest = pawl_signal_value(&d->target, t)};
}

static int actuator_joint(const pawl_model *m, const row_info *info)
{
    return pawl_joint_index(m->actuators[info->owner].joint);
}

const row_family pawl_actuator_rows_family = {
    .name = "actuator",
    .traits = ROW_RESISTS_MOTION,
    .work_kind = WORK_ACTUATORS,
    .plan_joint = actuator_plan_joint,
    .plan_bounded = actuator_plan_bounded,
    .fill = actuator_fill,
    .law = actuator_law,
    .joint = actuator_joint,
};
