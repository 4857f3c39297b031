// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Signals that ask a run to stop.
#pragma once

void interrupt_catch(void);
/// The signal that asked to stop, or 0.
int interrupt_signal(void);
