// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "step/lit_transitions.h"

bool pawl_lit_find_transition(lit_piece *p, double *h)
{
    (void)p;
    (void)h;
    return false;
}

void pawl_lit_forget_transitions(step_context *c)
{
    (void)c;
}
