// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reactions of least norm where rows are redundant.
#pragma once
#include "step/common/step.h"

// After a position update whose factor is shifted: makes its impulses in u.lambda, which lead from u.start to u.next,
// those of least norm in the reactions. Adds the difference alone; pawl_position_balance() adds the impulses
// themselves.
void pawl_least_reactions(step_context *c);
// Where the operator drops redundant rows: remembers that `fraction` of the impulses lambda (free rows) acted where the
// rows are placed, at poses `at` and time t, for pawl_settle_reactions().
void pawl_defer_reactions(step_context *c, const body_state *at, double t, double fraction,
                          const double *lambda);
// At once, of all free rows in x, by the factor at hand: for coordinates whose joints get their reactions from x.
void pawl_least_impulses(step_context *c, double *x);
// Makes the reactions those of least norm where the last step, which led to s, left that open. The rows are placed anew
// then.
void pawl_settle_reactions(step_context *c, const pawl_state *s);
// Nothing is deferred any more; `defers`: a stepper begins that lets reactions of a tree wait, too.
void pawl_forget_reactions(step_context *c, bool defers);
