// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// moreau: Moreau's midpoint rule (loops, end of III-A). Drift by u- for half a step, rows there,
// then drift by u+ for the other half; springs and dampers by the trapezoidal rule. Second order
// without hard constraints (it is symmetric in time); with them first order, because J u+ = 0 at the
// midpoint leaves a velocity error of order h at the end of the step.
#include "step/stepper_ops.h"
#include <string.h>

static void moreau_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    step_weights w = pawl_step_weights(c, s);
    double middle = w.begin + 0.5 * w.h;
    w.theta = 0.5;
    w.ahead = w.behind = 0.25;
    w.remaining = 0.5;
    w.target_time = middle;
    memcpy(c->place, s->bodies, (size_t)c->model->body_count * sizeof *c->place);
    pawl_advance_poses(c->model, s->bodies, c->place, 0.5 * w.h, middle);
    pawl_velocity_step(c, c->place, s, &w, report);
    for (int i = 0; i < c->model->body_count; ++i) {
        s->bodies[i].r = c->place[i].r;
        s->bodies[i].q = c->place[i].q;
    }
    pawl_advance_poses(c->model, s->bodies, s->bodies, 0.5 * w.h, w.end);
}

const pawl_stepper_ops pawl_moreau_ops = {
    .name = "moreau",
    .summary = "Moreau's midpoint: second order without constraints, first order with them",
    .advance = moreau_advance,
};
