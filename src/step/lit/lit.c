// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "step/common/impact.h"
#include "step/common/report_merge.h"
#include "step/lit/lit_events.h"

static void lit_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    if (c->settings->lit_events != PAWL_LIT_EVENTS_NONE) {
        pawl_lit_advance_events(c, s, report);
        return;
    }
    lit_active *active = &c->lit->active;
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
    .advance = lit_advance,
    .reduces = true,
    .rewinds = true,
};
