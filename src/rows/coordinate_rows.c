// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Spring, damper and armature of a joint's coordinate, one implicit row together: for a force
// -k (q - rest) - d q' - m q'' the impulse is lambda = -S q'+ + B, the row q'+ + lambda/S - B/S = 0
// (docs/math.md section 3).
#include "math/rotation.h"
#include "rows/families.h"
#include "rows/joint_kinematics.h"
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

// Second derivative of a span's length while its bodies keep their twists. Its gradient turns with the cord, so that its
// rate changes although no velocity does; that of hinges and sliders does not. By central differences over moves of both
// bodies, which also hold where the cord runs around something.
static double coordinate_bend(const pawl_assembly *a, const model_joint *j)
{
    const double moment = 1e-5; // [s]; scaled below to moves of a millionth of the length
    const int body[2] = {j->base, j->follower};
    model_joint own = *j;
    own.base = j->base >= 0 ? 0 : j->base;
    own.follower = 1;
    double speed = 0.0, rate[2] = {0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        const body_state *s = body[side] >= 0 ? &a->bodies[body[side]] : NULL;
        speed = s != NULL ? max_of(speed, v3_norm(s->v) + v3_norm(s->w)) : speed;
    }
    double dt = moment / max_of(1.0, speed);
    for (int way = 0; way < 2; ++way) {
        body_state moved[2];
        pawl_mat3 rotation[2];
        joint_frames frames;
        double base[6], follower[6];
        for (int side = 0; side < 2; ++side) {
            moved[side] = body[side] >= 0 ? a->bodies[body[side]] : a->bodies[body[1]];
            double h = way == 0 ? -dt : dt;
            moved[side].r = v3_axpy(moved[side].r, h, moved[side].v);
            moved[side].q = quat_mul(quat_exp(v3_scale(h, moved[side].w)), moved[side].q);
            rotation[side] = quat_matrix(moved[side].q);
        }
        pawl_joint_frames(&own, moved, rotation, &frames);
        pawl_joint_coordinate(&own, &frames, 0, base, follower);
        const double *gradient[2] = {base, follower};
        for (int side = j->base >= 0 ? 0 : 1; side < 2; ++side) {
            const double *g = gradient[side];
            const body_state *s = &moved[side];
            rate[way] += g[0] * s->v.x + g[1] * s->v.y + g[2] * s->v.z + g[3] * s->w.x +
                         g[4] * s->w.y + g[5] * s->w.z;
        }
    }
    return (rate[1] - rate[0]) / (2.0 * dt);
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
    const model_joint *j = &a->model->joints[info->owner];
    if (j->kind == PAWL_JOINT_SPAN && law.armature > 0.0) {
        // The armature resists the change of the rate at the end of the step, which is J u+ + h bend: S is 1/compliance.
        a->bias[r] += law.armature * w->h * coordinate_bend(a, j) * a->compliance[r];
    }
}

const row_family pawl_coordinate_rows_family = {
    .name = "coordinate",
    .traits = ROW_STORES_ENERGY,
    .work_kind = WORK_DAMPERS,
    .plan_joint = coordinate_plan,
    .fill = coordinate_fill,
    .law = coordinate_law,
};
