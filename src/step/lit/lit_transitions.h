// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Changes between sticking, sliding and open within a step of lit ([potra-2006] section 7.5): of contacts, and
// of dry friction in joint coordinates.
#pragma once
#include "step/lit/lit_events.h"

// Something that sticks and slides.
typedef struct lit_slider {
    int contact;   // of the piece's active ones; -1: dry friction of a coordinate
    int candidate; // the friction's row, -1 for a contact
    double key;    // names it: the contact's id, or -1 - candidate
} lit_slider;

// What the piece before was cut for, or what is known to have begun with this one.
struct lit_change {
    double key;
    pawl_event_kind
        kind;      // PAWL_EVENT_STICK also stands for a reversal, until the next piece shows it
    bool reported; // to the log
};
