// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// moreau: Moreau's midpoint rule (loops, end of III-A). Drift by u- for half a step, rows there,
// then drift by u+ for the other half; springs and dampers by the trapezoidal rule.
//
// With `project` each half drift follows the constraints reversibly (drift.c), so that the step is
// symmetric in time: second order, no secular energy drift. Without it J u+ = 0 at the midpoint is
// all that holds the joints, which leaves a velocity error of order h at the end of each step:
// first order, and second only where there are no joints.
#include "step/push_out.h"

void pawl_moreau_part(step_context *c, pawl_state *s, double h, double begin, double end,
                      pawl_step_report *report)
{
    step_weights w = pawl_step_weights(c, s);
    double middle = begin + 0.5 * h;
    w.h = h;
    w.begin = begin;
    w.end = end;
    w.theta = 0.5;
    w.ahead = w.behind = 0.25;
    w.place_time = w.target_time[0] = w.target_time[1] = middle;
    w.gyroscope_corrections = 4;
    c->damping_time = w.theta * w.h;
    c->assembly->body_theta = w.theta;
    c->assembly->bends_theta = true;
    int projections = pawl_drift(c, s, 0.5 * h, middle);
    pawl_velocity_step(c, s, &w, report);
    if (c->contact_demand != 0) {
        return;
    }
    report->projections = projections + pawl_drift(c, s, 0.5 * h, end);
    report->projections += pawl_push_out_apply(c, s, end, report);
}

static void moreau_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    double h = c->settings->dt;
    pawl_moreau_part(c, s, h, s->time, pawl_step_end(s, h), report);
}

const pawl_stepper_ops pawl_moreau_ops = {
    .name = "moreau",
    .summary = "Moreau's midpoint: second order with project=on, first order without",
    .advance = moreau_advance,
    .reduces = true,
    .late_reactions = true,
};
