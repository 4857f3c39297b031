// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Changes of a contact between sticking, sliding and open within a step of lit.
#pragma once
#include "step/lit_events.h"

// What a piece was cut for, to be told when the next one shows what became of it.
struct lit_change {
    double id;
    pawl_event_kind kind; // PAWL_EVENT_STICK also stands for a reversal until that is known
    double force;         // normal, when it was cut [N]
};
