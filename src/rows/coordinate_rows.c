// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Spring, damper and armature of a joint's coordinate, one implicit row together: for a force
// -k (q - rest) - d q' - m q'' the impulse is lambda = -S q'+ + B, the row q'+ + lambda/S - B/S = 0
// (docs/math.md section 3).
#include "rows/families.h"
#include "rows/row_build.h"
#include <math.h>

// A row for a coordinate that has at least one of the three: S would be 0 otherwise.
static void coordinate_plan(row_plan *p, int joint)
{
    const model_joint *j = &p->model->joints[joint];
    for (int q = 0; q < j->coordinate_count; ++q) {
        const pawl_coordinate_def *d = &j->coordinate[q];
        if (d->stiffness > 0.0 || d->damping > 0.0 || d->armature > 0.0) {
            int flat = j->first_coordinate + q;
            pawl_row_plan_row(p, (row_info){&pawl_coordinate_rows_family, joint, q, flat,
                                            p->slots.softs + flat, 1.0});
        }
    }
}

static row_law coordinate_law(const pawl_model *m, const row_info *info, double t)
{
    (void)t;
    const pawl_coordinate_def *d = &m->joints[info->owner].coordinate[info->part];
    return (row_law){d->stiffness, d->damping, d->armature, d->rest, d->slack};
}

// Integral of the stretch: the energy that the spring stores, by its stiffness.
static double coordinate_stored(double x, double slack)
{
    double stretch = pawl_spring_stretch(x, slack);
    return 0.5 * stretch * stretch;
}

// A spring with play, x = value - rest where the rows are placed: linear where the step stays on one side, about nothing
// where it stays within the play. Where the step goes in or out, the force is the mean over the way, the discrete gradient
// of the stored energy (Gonzalez 1996, for one coordinate), by the rate before the step; it stays implicit by that part of the
// way on which the spring is not slack.
static double coordinate_play(const step_weights *w, row_law *law, double x, double rate)
{
    const double least = 1e-9; // part of the stiffness, because a row without any has no compliance
    double from = x - (w->place_time - w->begin) * rate, to = x + (w->end - w->place_time) * rate;
    double stretch = pawl_spring_stretch(x, law->slack);
    bool begins = from < 0.0 || from > law->slack, ends = to < 0.0 || to > law->slack;
    bool one_side = (from < 0.0) == (to < 0.0) && (from > law->slack) == (to > law->slack);
    if (one_side && begins) {
        return stretch;
    }
    if (!begins && !ends) {
        law->stiffness *= least;
        return 0.0;
    }
    double mean =
        (coordinate_stored(to, law->slack) - coordinate_stored(from, law->slack)) / (to - from);
    double taut = fabs(pawl_spring_stretch(to, law->slack) - pawl_spring_stretch(from, law->slack));
    double part = max_of(taut / fabs(to - from), least);
    law->stiffness *= part;
    return mean / part - w->h * (w->ahead - w->behind) * rate;
}

static void coordinate_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                            row_rates rate, bool persistent)
{
    (void)b;
    (void)persistent;
    const row_info *info = &a->rows[r];
    row_law law = coordinate_law(a->model, info, 0.0);
    double value = a->coordinates[info->coordinate].value;
    double stretch = value - law.rest;
    if (law.slack > 0.0 && law.stiffness > 0.0) {
        stretch = coordinate_play(w, &law, stretch, rate.before);
    }
    pawl_row_spring(a, r, w, stretch, rate, &law);
}

const row_family pawl_coordinate_rows_family = {
    .name = "coordinate",
    .traits = ROW_STORES_ENERGY,
    .work_kind = WORK_DAMPERS,
    .plan_joint = coordinate_plan,
    .fill = coordinate_fill,
    .law = coordinate_law,
};
