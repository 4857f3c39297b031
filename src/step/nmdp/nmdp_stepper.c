// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// nmdp: steps in generalized coordinates whose contacts are those of pawl/wrench.h, chosen by the principle of
// maximal dissipation (nmdp.h). This file has its settings, its memory and the figures of a step, which mdp uses,
// too.
#include "step/nmdp/nmdp_stepper.h"
#include <string.h>

// Units: own_residual in m or rad, as the settings' tolerance; the imbalance of forces relative to the weight of
// all bodies; the gap of K as a velocity, sqrt(2 K) for a unit mass. Parts that were cut count as projections.
void pawl_nmdp_report(step_context *c, pawl_step_report *report)
{
    const nmdp *s = c->own.lasting;
    *report = (pawl_step_report){.method = PAWL_METHOD_NEWTON,
                                 .iterations = s->counts.outer,
                                 .factorizations = s->counts.newton,
                                 .projections = s->counts.cuts,
                                 .substeps = s->counts.parts,
                                 .measured = PAWL_MEASURED_RESIDUAL | PAWL_MEASURED_DEPTH |
                                             PAWL_MEASURED_DISSIPATION,
                                 .own_residual = s->counts.left,
                                 .contacts = s->info_count};
    double weight = pawl_nmdp_mass(s) * fmax(v3_norm(s->model->gravity), 1.0);
    report->limit_correction_energy = s->counts.limit_correction;
    report->imbalance = s->counts.imbalance / weight;
    report->dissipation_gap = sqrt(2.0 * s->counts.gap);
    for (int i = 0; i < s->info_count; ++i) {
        report->penetration = worst_of(report->penetration, -s->info[i].gap);
    }
    report->depth_ratio = report->penetration / s->model->size;
    report->outcome = report->own_residual <= s->settings->nmdp.tolerance ? PAWL_CONVERGED
                      : s->counts.limited > 0                             ? PAWL_ITERATION_LIMIT
                                                                          : PAWL_STALLED;
    memcpy(c->out.effort, s->effort, (size_t)s->model->actuator_count * sizeof *c->out.effort);
    c->out.contacts = s->info;
    c->out.contact_count = s->info_count;
    c->placed = false;
}

static double nmdp_limit(const pawl_settings *settings)
{
    return settings->nmdp.tolerance;
}

const stepper_residual pawl_nmdp_residual = {
    .unit = "m or rad",
    .advice = "take smaller steps, or raise nmdp.max_iterations or nmdp.tolerance",
    .limit = nmdp_limit,
};

// What the stepper cannot do (loops, some springs) is refused here, before the first step.
static pawl_status nmdp_create(const pawl_env *env, const pawl_model *model,
                               const pawl_settings *settings, void **lasting)
{
    nmdp *s;
    pawl_status status = pawl_nmdp_create(env, model, settings, &s);
    *lasting = s;
    return status;
}

void pawl_nmdp_forget(void *lasting)
{
    pawl_nmdp_destroy(lasting);
}

// A step that fails however often it is halved leaves c->out.failed; the simulator then keeps the state before it.
static void nmdp_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    c->out.failed = !pawl_nmdp_advance(c->own.lasting, s, pawl_step_end(s, c->settings->dt));
    pawl_nmdp_report(c, report);
}

const pawl_stepper_ops pawl_nmdp_ops = {
    .name = "nmdp",
    .summary = "maximal dissipation, implicit and nonlinear: contact models, large steps",
    .traits = STEPPER_HAS_TREE | STEPPER_SOFT_LIMITS,
    .residual = &pawl_nmdp_residual,
    .create = nmdp_create,
    .destroy = pawl_nmdp_forget,
    .advance = nmdp_advance,
};
