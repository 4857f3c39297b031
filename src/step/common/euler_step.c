// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Semi-implicit Euler (loops eq. 10). Rows at the start of the step,
//   M (u+ - u-) = h f + JT lambda,   r+ = r + h v+,   q+ = exp(h w+) q,
// springs, dampers and PD actuators at its end. First order. With `project` the motion follows the constraints as in
// RATTLE (position_update.c), and the constraints do not lose energy.
#include "step/common/euler_step.h"
#include "step/common/position_correction.h"
#include "step/common/position_update.h"
#include "step/common/velocity_update.h"

void pawl_euler_step(step_context *c, pawl_state *s, pawl_step_report *report)
{
    step_weights w = pawl_step_weights(c, s);
    w.theta = 1.0;
    w.ahead = 1.0;
    w.behind = 0.0;
    w.place_time = w.begin;
    w.after_time = w.h;
    w.gyroscope_corrections = 2;
    w.target_time[0] = w.target_time[1] = w.end;
    c->u.damping_time = w.theta * w.h;
    c->assembly->body_theta = w.theta;
    pawl_velocity_update(c, s, &w, report);
    if (c->out.contact_demand != 0) {
        return;
    }
    report->projections = pawl_position_update(c, s, w.h, w.end);
    report->projections += pawl_correction_apply(c, s, w.end, report);
}

void pawl_euler_step_instead(step_context *c, pawl_state *s, pawl_step_report *report)
{
    c->placed = false; // placed for another damping
    c->u.fraction = 1.0;
    pawl_euler_step(c, s, report);
    c->placed = false;
    c->u.damping_time = 0.5 * c->settings->dt;
    c->assembly->body_theta = 0.5;
}
