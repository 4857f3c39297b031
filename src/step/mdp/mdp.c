// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// mdp: maximal dissipation with linearized dynamics (linear_step.c), one quadratic program a step. Coordinates, contact
// models and memory are those of nmdp.
#include "step/mdp/linear_step.h"
#include "step/nmdp/nmdp_stepper.h"

static pawl_status mdp_create(const pawl_env *env, const pawl_model *model,
                              const pawl_settings *settings, void **lasting)
{
    nmdp *s = NULL;
    *lasting = NULL;
    if (model->motion_count > 0) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "stepper mdp does not support prescribed motions of joints, but '%s' has "
                         "%d; use nmdp, or position actuators",
                         model->name, model->motion_count);
    }
    pawl_status status = pawl_nmdp_create(env, model, settings, &s);
    if (status == PAWL_OK) {
        s->early_joints = settings->mdp.pd == PAWL_MDP_EXPLICIT;
    }
    *lasting = s;
    return status;
}

static void mdp_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    c->out.failed = !pawl_linear_step(c->own.lasting, s, pawl_step_end(s, c->settings->dt));
    pawl_nmdp_report(c, report);
}

const pawl_stepper_ops pawl_mdp_ops = {
    .name = "mdp",
    .summary = "maximal dissipation, linearized: contact models, one quadratic program a step",
    .traits = STEPPER_HAS_TREE | STEPPER_SOFT_LIMITS,
    .residual = &pawl_nmdp_residual,
    .create = mdp_create,
    .destroy = pawl_nmdp_forget,
    .advance = mdp_advance,
};
