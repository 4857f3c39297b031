// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// All steppers: the only place outside its own folder that names a stepper. Kinds are stored in files. A program may
// be linked with a different table.
#include "step/stepper_ops.h"

const pawl_stepper_ops *const pawl_steppers[] = {
    [PAWL_STEPPER_EULER] = &pawl_euler_ops, [PAWL_STEPPER_MOREAU] = &pawl_moreau_ops,
    [PAWL_STEPPER_LIT] = &pawl_lit_ops,     [PAWL_STEPPER_RATTLE] = &pawl_rattle_ops,
    [PAWL_STEPPER_MDP] = &pawl_mdp_ops,     [PAWL_STEPPER_NMDP] = &pawl_nmdp_ops,
};
const int pawl_stepper_count = (int)(sizeof pawl_steppers / sizeof pawl_steppers[0]);
_Static_assert(sizeof pawl_steppers / sizeof pawl_steppers[0] == PAWL_STEPPER_COUNT, "missing row");
