// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Time by phases of a step, measured with a clock of the user; without one no clock is read.
#include "step/common/phase_clock.h"
#include <string.h>

_Static_assert((int)PAWL_PHASE_COUNT <= (int)PAWL_MAX_PHASES, "no room in reports");

const char *pawl_phase_name(pawl_phase phase)
{
    static const char *const names[PAWL_PHASE_COUNT] = {"collide", "assemble", "solve", "move",
                                                        "rest"};
    return phase >= 0 && phase < PAWL_PHASE_COUNT ? names[phase] : NULL;
}

void pawl_phase_begin(phase_clock *clock)
{
    memset(clock->seconds, 0, sizeof clock->seconds);
    clock->phase = PAWL_PHASE_REST;
    if (clock->now != NULL) {
        clock->since = clock->now(clock->user);
    }
}

void pawl_phase_enter(phase_clock *clock, pawl_phase phase)
{
    if (clock->now != NULL) {
        double time = clock->now(clock->user);
        clock->seconds[clock->phase] += time - clock->since;
        clock->since = time;
    }
    clock->phase = phase;
}
