// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// All steppers: the one place outside its folder that names one. Kinds are stored in files; a test may add a row
// behind the last.
#include "step/stepper_ops.h"

static const pawl_stepper_ops *const stepper_table[] = {
    [PAWL_STEPPER_EULER] = &pawl_euler_ops, [PAWL_STEPPER_MOREAU] = &pawl_moreau_ops,
    [PAWL_STEPPER_LIT] = &pawl_lit_ops,     [PAWL_STEPPER_RATTLE] = &pawl_rattle_ops,
    [PAWL_STEPPER_MDP] = &pawl_mdp_ops,     [PAWL_STEPPER_NMDP] = &pawl_nmdp_ops,
};
_Static_assert(sizeof stepper_table / sizeof stepper_table[0] == PAWL_STEPPER_COUNT, "missing row");

static const pawl_stepper_ops *stepper_extra; // of tests, else NULL

void pawl_stepper_set_extra(const pawl_stepper_ops *ops)
{
    stepper_extra = ops;
}

const pawl_stepper_ops *pawl_stepper_find(int kind)
{
    if (kind == PAWL_STEPPER_COUNT) {
        return stepper_extra;
    }
    return kind >= 0 && kind < PAWL_STEPPER_COUNT ? stepper_table[kind] : NULL;
}

const char *pawl_stepper_name(int kind)
{
    return pawl_stepper_find(kind) != NULL ? pawl_stepper_find(kind)->name : NULL;
}

bool pawl_stepper_has_tree(int kind)
{
    const pawl_stepper_ops *ops = pawl_stepper_find(kind);
    return ops != NULL && (ops->traits & STEPPER_HAS_TREE) != 0;
}

const char *pawl_stepper_summary(int kind)
{
    return pawl_stepper_find(kind) != NULL ? pawl_stepper_find(kind)->summary : NULL;
}
