// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Spring, damper and armature of a joint's coordinate, one implicit row together: for a force
// -k (q - rest) - d q' - m q'' the impulse is lambda = -S q'+ + B, the row q'+ + lambda/S - B/S = 0
// (docs/math.md section 3).
#include "rows/families.h"
#include "rows/row_build.h"

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
    return (row_law){d->stiffness, d->damping, d->armature, d->rest};
}

static void coordinate_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                            row_rates rate, bool persistent)
{
    (void)b;
    (void)persistent;
    const row_info *info = &a->rows[r];
    row_law law = coordinate_law(a->model, info, 0.0);
    double value = a->coordinates[info->coordinate].value;
    pawl_row_spring(a, r, w, value - law.rest, rate, &law);
}

const row_family pawl_coordinate_rows_family = {
    .name = "coordinate",
    .traits = ROW_STORES_ENERGY,
    .work_kind = WORK_DAMPERS,
    .plan_joint = coordinate_plan,
    .fill = coordinate_fill,
    .law = coordinate_law,
};
