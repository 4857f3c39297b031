// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// euler: semi-implicit Euler (loops eq. 10). Rows at the start of the step,
//   M (u+ - u-) = h f + JT lambda,   r+ = r + h v+,   q+ = exp(h w+) q,
// springs, dampers and PD actuators at its end. First order. With `project` the motion follows the
// constraints as RATTLE does (drift.c), and no energy leaks through them.
#include "step/push_out.h"

static void euler_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    step_weights w = pawl_step_weights(c, s);
    w.theta = 1.0;
    w.ahead = 1.0;
    w.behind = 0.0;
    w.place_time = w.begin;
    w.gyroscope_corrections = 2;
    w.target_time[0] = w.target_time[1] = w.end;
    c->damping_time = w.theta * w.h;
    c->assembly->body_theta = w.theta;
    pawl_velocity_step(c, s, &w, report);
    if (c->contact_demand != 0) {
        return;
    }
    report->projections = pawl_drift(c, s, w.h, w.end);
    report->projections += pawl_push_out_apply(c, s, w.end, report);
}

const pawl_stepper_ops pawl_euler_ops = {
    .name = "euler",
    .summary = "semi-implicit Euler, springs and PD implicit: first order, robust",
    .advance = euler_advance,
    .reduces = true,
    .late_reactions = true,
};
