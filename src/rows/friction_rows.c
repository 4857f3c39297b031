// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Dry friction of a joint's coordinate: an impulse between -h f and h f that opposes the rate.
#include "rows/families.h"
#include "rows/row_build.h"

static void friction_plan(row_plan *p)
{
    const pawl_model *m = p->model;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        for (int q = 0; q < j->coordinate_count; ++q) {
            int flat = j->first_coordinate + q;
            if (j->coordinate[q].friction > 0.0) {
                pawl_row_plan_candidate(p, (row_info){&pawl_friction_rows_family, i, q, flat,
                                                      p->slots.frictions + flat, 1.0});
            }
        }
    }
}

// Coulomb's law of one coordinate as bounds: inside them the rate is 0 (it sticks), at a bound it slides against the
// impulse. Sign and magnitude come out of the complementarity, with no velocity threshold.
static void friction_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                          row_rates rate, bool persistent)
{
    (void)b;
    (void)persistent;
    const row_info *info = &a->rows[r];
    double loss = w->h * a->model->joints[info->owner].coordinate[info->part].friction;
    a->lower[r] = -loss;
    a->upper[r] = loss;
    a->bias[r] = w->start_weight != 0.0 ? w->start_weight * rate.before : 0.0;
}

const row_family pawl_friction_rows_family = {
    .name = "friction",
    .traits = ROW_RESISTS_MOTION | ROW_IS_DRY,
    .work_kind = WORK_FRICTION,
    .plan_bounded = friction_plan,
    .fill = friction_fill,
};
