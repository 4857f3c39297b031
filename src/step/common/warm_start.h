// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The start of a solver: the impulses of the last step, matched by the identity of their constraints.
#pragma once
#include "step/common/step.h"

// lambda for the problem that was built, from what s remembers, as the settings solver.warm_start* say.
void pawl_warm_start(step_context *c, const pawl_state *s);
// Impulses of the contacts that were assembled, for the next step.
void pawl_remember_contacts(const step_context *c, pawl_state *s);
