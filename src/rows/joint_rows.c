// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The rows of joints and gears: f(q) = 0, satisfied exactly or, where a joint is soft, by MuJoCo's law.
// Without projection the bias removes a fraction erp of the error a step (loops eq. 86-89).
// Reactions: lambda of a row acts on the follower along the gradient, and on the base with the opposite sign. Hard
// joints do no work; rows of soft ones are counted with dampers.
#include "rows/families.h"
#include "rows/row_build.h"

// The bodies of a joint, the world left out; `count` of them so far in `body`.
static int joint_add_bodies(const model_joint *j, int *body, int count)
{
    const int pair[2] = {j->base, j->follower};
    for (int i = 0; i < 2; ++i) {
        bool known = pair[i] < 0;
        for (int k = 0; k < count; ++k) {
            known = known || body[k] == pair[i];
        }
        if (!known) {
            body[count++] = pair[i];
        }
    }
    return count;
}

int pawl_joint_bodies(const pawl_model *m, int joint, int body[BLOCK_MAX_BODIES])
{
    const model_joint *j = &m->joints[joint];
    if (j->kind != PAWL_JOINT_GEAR) {
        return joint_add_bodies(j, body, 0);
    }
    int count = joint_add_bodies(&m->joints[pawl_joint_index(j->gear.joint)], body, 0);
    return joint_add_bodies(&m->joints[pawl_joint_index(j->gear.source_joint)], body, count);
}

static void joint_plan(row_plan *p, int joint)
{
    const model_joint *j = &p->model->joints[joint];
    bool tree_joint = p->tree_joint != NULL && p->tree_joint[joint];
    for (int r = 0; r < j->row_count && !tree_joint; ++r) {
        pawl_row_plan_row(
            p, (row_info){&pawl_joint_rows_family, joint, r, -1, p->joint_slot + r, 1.0});
    }
    if (p->a != NULL) {
        p->a->joint_rows[joint] = tree_joint ? 0 : j->row_count;
    }
    // Joints of the spanning tree have slots all the same: their reactions are computed from the motion and stored
    // there.
    p->joint_slot += j->row_count;
}

// J u+ = -(erp / h) f: the error f decays by the factor 1 - erp a step (loops eq. 86-89). With projection erp_joint
// is 0, and position updates close joints instead.
static void joint_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                       row_rates rate, bool persistent)
{
    (void)b;
    (void)persistent;
    double own = w->own_erp ? a->model->joints[a->rows[r].owner].erp : 0.0;
    a->bias[r] = pawl_row_erp(own, w->erp_joint) / w->h * a->residual[r];
    if (w->start_weight != 0.0) {
        a->bias[r] += w->start_weight * rate.before;
    }
}

// The impedance is that of the length of the joint's violation, so that it does not depend on its axes.
void pawl_joint_rows_soften(pawl_assembly *a, const row_block *b, const body_state *start,
                            const step_weights *w)
{
    const model_joint *j = &a->model->joints[b->joint];
    const pawl_softness *s = &a->joint_soft[b->joint];
    double square = 0.0;
    for (int r = 0; r < j->row_count; ++r) {
        double value = a->residual[b->rows.first_row + r];
        square += value * value;
    }
    double impedance = pawl_softness_impedance(s, sqrt(square));
    for (int r = 0; r < j->row_count; ++r) {
        pawl_row_soften(a, b, r, s, impedance, w, a->residual[b->rows.first_row + r],
                        pawl_row_rate(a, b, r, start));
    }
}

static int joint_of_row(const pawl_model *m, const row_info *info)
{
    (void)m;
    return info->owner;
}

// A gear's residual has the unit of its driven coordinate.
static bool joint_row_is_angle(const pawl_model *m, const row_info *info)
{
    const model_joint *j = &m->joints[info->owner];
    return j->kind == PAWL_JOINT_GEAR
               ? pawl_joint_kind_is_angle(m->joints[pawl_joint_index(j->gear.joint)].kind,
                                          j->gear.coordinate)
               : pawl_joint_row_is_rotation(j->kind, info->part);
}

static const char *joint_describe(const pawl_model *m, const row_info *info)
{
    return pawl_joint_row_name(m->joints[info->owner].kind, info->part);
}

const row_family pawl_joint_rows_family = {
    .name = "joint",
    .traits = ROW_IS_HARD,
    .work_kind = WORK_DAMPERS, // of soft joints
    .plan_joint = joint_plan,
    .fill = joint_fill,
    .joint = joint_of_row,
    .is_angle = joint_row_is_angle,
    .describe = joint_describe,
};
