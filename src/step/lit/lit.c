// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// lit: the linearly implicit trapezoidal method ([potra-2006]). A step is one move (lit_move.c), or with lit.events a
// sequence of sub-steps between located events (lit_events.c). docs/steppers/lit.md has the derivation.
#include "step/common/euler_step.h"
#include "step/common/impact.h"
#include "step/common/report_merge.h"
#include "step/common/stiff_springs.h"
#include "step/lit/lit_events.h"
#include "step/stepper_ops.h"

static pawl_status lit_check(const pawl_env *env, const pawl_model *model,
                             const pawl_settings *settings)
{
    (void)model;
    if (pawl_coordinates_have_tree_joints((int)settings->formulation) &&
        settings->lit.variant != PAWL_LIT_MIDPOINT) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "formulation=reduced supports lit only with lit.variant=midpoint");
    }
    return PAWL_OK;
}

// The state at the start of a sub-step: a sub-step that an event ends is done again from there.
static pawl_status lit_create(const pawl_env *env, const pawl_model *model,
                              const pawl_settings *settings, void **lasting)
{
    (void)settings;
    pawl_state *spare;
    pawl_status status = pawl_state_create(env, model, &spare);
    *lasting = spare;
    return status;
}

static void lit_destroy(void *lasting)
{
    pawl_state_destroy(lasting);
}

// Memory that depends on the room for contacts; made again when that grows.
static void *lit_size(const pawl_model *model, const pawl_assembly *a, pawl_carver *mem)
{
    lit_memory *m = pawl_lit_layout(model, a, mem);
    lit_event_memory *events = pawl_lit_event_layout(model, a, mem);
    if (m != NULL) {
        m->events = events;
    }
    return m;
}

static void lit_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    if (c->settings->lit.variant == PAWL_LIT_MIDPOINT &&
        pawl_stiff_springs_outrun(c, s, c->settings->dt)) {
        pawl_euler_step_instead(c, s, report);
        return;
    }
    if (c->settings->lit.events != PAWL_LIT_EVENTS_NONE) {
        pawl_lit_advance_events(c, s, report);
        return;
    }
    // Without events a step is one phase. Gaps that close in it are caught at its end (catch_all), and impacts happen
    // at its start: first order in time at collisions, as any time-stepping method.
    lit_active *active = &lit_of(c)->active;
    lit_phase phase = {.begin = s->time,
                       .h = c->settings->dt,
                       .end = pawl_step_end(s, c->settings->dt),
                       .active = active,
                       .catch_all = true};
    pawl_step_report impact = {0};
    if (pawl_impact_ahead(c, s, phase.h, &impact) && pawl_lit_active(c, s, phase.h, active)) {
        pawl_lit_move(c, s, &phase, report);
        pawl_report_merge(report, &impact);
    }
}

const pawl_stepper_ops pawl_lit_ops = {
    .name = "lit",
    .summary = "linearly implicit trapezoidal rule: second order, stiffly stable",
    .traits = STEPPER_NEEDS_ROWS,
    .check = lit_check,
    .create = lit_create,
    .destroy = lit_destroy,
    .size = lit_size,
    .advance = lit_advance,
};
