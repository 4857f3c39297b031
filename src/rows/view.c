// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Views of a state (pawl/view.h): the addresses of its numbers, and the updates after they were written by the
// caller.
#include "pawl/view.h"
#include "base/guard.h"
#include "model/state.h"

// Bodies stand one after another as structs of 13 numbers: a view of one part of them has that stride.
static pawl_view view_bodies(double *first, int columns, const pawl_state *s)
{
    return (pawl_view){first, s->model->body_count, columns, sizeof(body_state)};
}

pawl_view pawl_state_view(pawl_state *s, pawl_view_kind kind)
{
    if (s == NULL) {
        return (pawl_view){0};
    }
    body_state *b = s->bodies;
    switch (kind) {
    case PAWL_VIEW_POSITION:
        return view_bodies(&b->r.x, 3, s);
    case PAWL_VIEW_ORIENTATION:
        return view_bodies(&b->q.w, 4, s);
    case PAWL_VIEW_VELOCITY:
        return view_bodies(&b->v.x, 3, s);
    case PAWL_VIEW_ANGULAR_VELOCITY:
        return view_bodies(&b->w.x, 3, s);
    case PAWL_VIEW_TARGET: // behind its flag
        return (pawl_view){pawl_state_inputs(s).actuators + 1, s->model->actuator_count, 1,
                           INPUT_ACTUATOR * sizeof(double)};
    case PAWL_VIEW_WORK:
        return (pawl_view){s->work, 1, WORK_COUNT, sizeof s->work};
    case PAWL_VIEW_TIME:
        return (pawl_view){&s->time, 1, 1, sizeof s->time};
    case PAWL_VIEW_COUNT:
        break;
    }
    return (pawl_view){0};
}

pawl_status pawl_state_hold_targets(pawl_state *s)
{
    PAWL_NEED(NULL, s);
    for (int i = 0; i < s->model->actuator_count; ++i) {
        pawl_actuator_id id = pawl_model_actuator_at(s->model, i);
        PAWL_TRY(pawl_state_set_target(s, id, pawl_state_target(s, id)));
    }
    return PAWL_OK;
}

pawl_status pawl_state_accept(pawl_state *s)
{
    PAWL_NEED(NULL, s);
    for (int i = 0; i < s->model->body_count; ++i) {
        const body_state *b = &s->bodies[i];
        double norm2 = quat_norm2(b->q);
        if (!v3_finite(b->r) || !v3_finite(b->v) || !v3_finite(b->w) || !isfinite(norm2) ||
            !(norm2 > 0.0)) {
            return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT,
                             "body '%s' was given a pose or velocity that is not finite, or a "
                             "quaternion of 0",
                             s->model->bodies[i].name);
        }
    }
    for (int i = 0; i < s->model->body_count; ++i) {
        double off = quat_norm2(s->bodies[i].q) - 1.0;
        if (fabs(off) > 1e-14) { // a unit quaternion keeps its bits
            s->bodies[i].q = pawl_quat_normalize(s->bodies[i].q);
        }
    }
    pawl_state_forget(s);
    s->moved = s->edited = true;
    return PAWL_OK;
}

pawl_status pawl_state_joints(const pawl_state *s, double *position, double *rate)
{
    PAWL_NEED(NULL, s);
    for (int i = 0; i < s->model->joint_count; ++i) {
        const model_joint *j = &s->model->joints[i];
        double q[6] = {0}, v[6] = {0};
        if (j->coordinate_count == 0) {
            continue;
        }
        PAWL_TRY(pawl_state_joint(s, model_joint_id(s->model, i), q, v));
        for (int k = 0; k < j->coordinate_count; ++k) {
            if (position != NULL) {
                position[j->first_coordinate + k] = q[k];
            }
            if (rate != NULL) {
                rate[j->first_coordinate + k] = v[k];
            }
        }
    }
    return PAWL_OK;
}

int pawl_model_coordinate_count(const pawl_model *model)
{
    return model != NULL ? model->coordinate_count : 0;
}
