// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The work of each kind of element in a velocity or position update.
#pragma once
#include "step/common/step.h"

// Work and reactions of the impulses, w->impulse_fraction times, which lead from u.start to u.next. Energy of slow
// corrections of positions is added to the report.
void pawl_balance_rows(step_context *c, pawl_state *s, const step_weights *w,
                       pawl_step_report *report);
// Of the impulses of pawl_apply_forces(), once u.start and u.next are the twists before and after them.
void pawl_balance_forces(const step_context *c, const step_weights *w, double *work);
// Of kinematic bodies and prescribed motions against impulses lambda of the rows.
void pawl_balance_drives(const step_context *c, const double *lambda, double *work);
