// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The time of each part of a step, if the user has set a clock. Its values never enter the state.
#pragma once
#include "pawl/report.h"

typedef struct phase_clock {
    double (*now)(void *user); // NULL: nobody asks
    void *user;
    pawl_phase phase; // under way
    double since;     // when it was entered
    double seconds[PAWL_PHASE_COUNT];
} phase_clock;

// A step begins: nothing spent so far, in PAWL_PHASE_REST.
void pawl_phase_begin(phase_clock *clock);
// The time since the last call went to the phase that was under way.
void pawl_phase_enter(phase_clock *clock, pawl_phase phase);
