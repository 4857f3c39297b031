// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// moreau: Moreau's midpoint rule (loops, end of III-A), one midpoint step (step/common/midpoint_step.c) for each
// step. Second order with project=on, first order without where there are joints.
#include "step/common/midpoint_step.h"
#include "step/stepper_ops.h"

static void moreau_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    double h = c->settings->dt;
    pawl_midpoint_step(c, s, h, s->time, pawl_step_end(s, h), report);
}

const pawl_stepper_ops pawl_moreau_ops = {
    .name = "moreau",
    .summary = "Moreau's midpoint: second order with project=on, first order without",
    .traits = STEPPER_NEEDS_ROWS,
    .advance = moreau_advance,
};
