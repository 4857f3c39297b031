// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The step of lit as a sequence of sub-steps ([potra-2006] section 8): each keeps the active contacts and limits, and
// ends at a collision, where a contact sticks, slips or opens, or at the grid. See docs/steppers/lit-events.md.
#pragma once
#include "step/lit/lit.h"

typedef struct lit_change lit_change;

struct lit_event_memory { // what the search for events works with; sized once
    double *reaction;     // (slots) of the step up to the piece
    double *effort;       // (actuators) likewise
    double limit_correction_energy, contact_correction_energy; // of the report, likewise
    double *known;       // (max contacts) ids of contacts that the piece holds
    body_state *bodies;  // (bodies)
    lit_change *changes; // (max contacts + candidates) see lit_transitions.c
    int change_count;
    int found;   // contacts that the finder found where the piece ends
    bool looked; // it did
};
lit_event_memory *pawl_lit_event_layout(const pawl_model *model, const pawl_assembly *a,
                                        pawl_carver *mem);

// One piece of a step as it is being found.
typedef struct lit_substep {
    step_context *c;
    pawl_state *s;            // where it ends; lit_substep_start() has where it begins
    pawl_step_report *report; // of the step so far
    lit_active *active;
    double begin, end; // from where the step continues, and the grid [s]
    bool after_impact;
    double moved; // how far it was moved last [s]
    bool
        follows; // it is a whole step, and so was the one before it, whose beginning the state knows
    int cuts;    // of the step, for transitions
    int tried;   // pieces that searches for transitions tried, of the step
} lit_substep;

// A whole step from within the step before: from `tau` after its beginning. For section 7.5 to the letter.
// The piece is then anywhere.
bool pawl_lit_substep_shift(lit_substep *p, double tau);
// The piece again from its beginning with length h; `last` where it ends on the grid. False: no room.
bool pawl_lit_substep_move(lit_substep *p, double h, bool last);

// Whether the step has taken so many iterations that it looks for no more events.
bool pawl_lit_substep_is_used_up(const lit_substep *p);

// Looks for what changed between sticking, sliding and open in a piece that was moved by h, and logs what
// began with it. True: it was moved again, by less, to where that happened; *h says how far.
bool pawl_lit_find_transition(lit_substep *p, double *h);
// Forgets what the piece before was cut for: at an impact, and when a step begins.
void pawl_lit_forget_transitions(step_context *c);

void pawl_lit_advance_events(step_context *c, pawl_state *s, pawl_step_report *report);
