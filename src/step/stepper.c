// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Steppers by their kind, from the table.
#include "step/stepper_ops.h"

const pawl_stepper_ops *pawl_stepper_find(int kind)
{
    return kind >= 0 && kind < pawl_stepper_count ? pawl_steppers[kind] : NULL;
}

const char *pawl_stepper_name(int kind)
{
    const pawl_stepper_ops *ops = pawl_stepper_find(kind);
    return ops != NULL ? ops->name : NULL;
}

const char *pawl_stepper_summary(int kind)
{
    const pawl_stepper_ops *ops = pawl_stepper_find(kind);
    return ops != NULL ? ops->summary : NULL;
}

bool pawl_stepper_has_tree(int kind)
{
    const pawl_stepper_ops *ops = pawl_stepper_find(kind);
    return ops != NULL && (ops->traits & STEPPER_HAS_TREE) != 0;
}
