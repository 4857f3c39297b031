// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// moreau: Moreau's midpoint rule (loops, end of III-A), one step of step/common/moreau_step.c for each step. Second
// order with project=on, first order without where there are joints.
#include "step/common/moreau_step.h"
#include "step/stepper_ops.h"

const pawl_stepper_ops pawl_moreau_ops = {
    .name = "moreau",
    .summary = "Moreau's midpoint: second order with project=on, first order without",
    .traits = STEPPER_NEEDS_ROWS | STEPPER_DEFERS_REACTIONS | STEPPER_DIFFERENTIABLE |
              STEPPER_SLEEPS | STEPPER_MOVES_ALIKE,
    .advance = pawl_moreau_step,
};
