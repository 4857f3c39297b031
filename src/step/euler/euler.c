// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// euler: semi-implicit Euler (loops eq. 10), one step of step/common/euler_step.c for each step. First order, robust.
#include "step/common/euler_step.h"
#include "step/stepper_ops.h"

const pawl_stepper_ops pawl_euler_ops = {
    .name = "euler",
    .summary = "semi-implicit Euler, springs and PD implicit: first order, robust",
    .traits = STEPPER_NEEDS_ROWS | STEPPER_DEFERS_REACTIONS | STEPPER_DIFFERENTIABLE |
              STEPPER_SLEEPS | STEPPER_MOVES_ALIKE,
    .advance = pawl_euler_step,
};
