// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// mdp and nmdp: steppers in generalized coordinates whose contacts are those of pawl/wrench.h, chosen by
// the principle of maximal dissipation. src/nmdp does the work; here its figures become a step's.
#include "step/stepper_ops.h"
#include <string.h>

static void nmdp_steps_report(step_context *c, pawl_step_report *report)
{
    const nmdp *s = c->nmdp;
    *report = (pawl_step_report){.method = PAWL_METHOD_NEWTON,
                                 .iterations = s->counts.outer,
                                 .factorizations = s->counts.newton,
                                 .projections = s->counts.cuts,
                                 .substeps = s->counts.parts,
                                 .measured = PAWL_MEASURED_RESIDUAL | PAWL_MEASURED_DEPTH,
                                 .own_residual = s->counts.left,
                                 .worst_shape_a = -1,
                                 .worst_shape_b = -1,
                                 .share_shape_a = -1,
                                 .share_shape_b = -1,
                                 .contacts = s->info_count};
    for (int i = 0; i < s->info_count; ++i) {
        report->penetration = worst_of(report->penetration, -s->info[i].gap);
    }
    report->depth_share = report->penetration / s->model->size;
    report->outcome = report->own_residual <= s->settings->nmdp_tolerance ? PAWL_CONVERGED
                      : s->counts.limited > 0                             ? PAWL_ITERATION_LIMIT
                                                                          : PAWL_STALLED;
    memcpy(c->effort, s->effort, (size_t)s->model->actuator_count * sizeof *c->effort);
    c->contacts = s->info;
    c->contact_count = s->info_count;
    c->kept = false;
}

static void nmdp_steps_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    c->failed = !pawl_nmdp_advance(c->nmdp, s, pawl_step_end(s, c->settings->dt));
    nmdp_steps_report(c, report);
}

static void mdp_steps_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    c->failed = !pawl_linear_step(c->nmdp, s, pawl_step_end(s, c->settings->dt));
    nmdp_steps_report(c, report);
}

const pawl_stepper_ops pawl_mdp_ops = {
    .name = "mdp",
    .summary = "maximal dissipation, linearized: contact models, one quadratic program a step",
    .needs_tree = true,
    .advance = mdp_steps_advance,
};

const pawl_stepper_ops pawl_nmdp_ops = {
    .name = "nmdp",
    .summary = "maximal dissipation, implicit and nonlinear: contact models, large steps",
    .needs_tree = true,
    .advance = nmdp_steps_advance,
};
