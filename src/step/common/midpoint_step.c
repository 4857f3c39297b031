// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Moreau's midpoint rule (loops, end of III-A). Poses move by u- for half a step, rows are placed there,
// then poses move by u+ for the other half; springs and dampers by the trapezoidal rule.
//
// With `project` each half follows the constraints reversibly (position_update.c), so that the step is
// symmetric in time: second order, no secular error of the energy. Without it only J u+ = 0 at the midpoint
// constrains the joints, which leaves a velocity error of order h at the end of each step: first order, and second
// only where there are no joints.
#include "step/common/midpoint_step.h"
#include "step/common/position_correction.h"
#include "step/common/position_update.h"
#include "step/common/velocity_update.h"

void pawl_midpoint_step(step_context *c, pawl_state *s, double h, double begin, double end,
                        pawl_step_report *report)
{
    step_weights w = pawl_step_weights(c, s);
    double middle = begin + 0.5 * h;
    w.h = h;
    w.begin = begin;
    w.end = end;
    w.theta = 0.5;
    // A spring acts with the mean of its lengths at both ends. They are the length in the middle -+ h/2 u- and u+: the
    // mean has a quarter of h u+ more and of h u- less.
    w.ahead = w.behind = 0.25;
    w.place_time = w.target_time[0] = w.target_time[1] = middle;
    w.before_time = w.after_time = 0.5 * h;
    w.gyroscope_corrections = 4;
    c->u.damping_time = w.theta * w.h;
    c->assembly->body_theta = w.theta;
    c->assembly->bends_theta = true;
    c->position.passes = true;
    int projections = pawl_position_update(c, s, 0.5 * h, middle);
    c->position.passes = false;
    pawl_velocity_update(c, s, &w, report);
    if (c->out.contact_demand != 0) {
        return;
    }
    report->projections = projections + pawl_position_update(c, s, 0.5 * h, end);
    report->projections += pawl_correction_apply(c, s, end, report);
}
