// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Undisturbed bodies at rest sleep: steps skip them until an event wakes them (docs/sleep.md).
#pragma once
#include "model/state.h"
#include "pawl/settings.h"
#include "rows/assembly.h"

// Which bodies this step leaves out. What outlasts a step is in the state (pawl_state_sleep()).
typedef struct sleep_memory {
    bool *
        still; // (bodies) asleep, or kinematic and without motion in this step; NULL: none ever sleeps
    bool *bound;    // (bodies) of a mechanism: it sleeps only when all bodies do
    bool *restless; // (bodies) never sleeps: a force on it changes with time
    int *group;     // (bodies) scratch: union-find, the first body of each group
    bool *rests;    // (bodies) scratch, by the first body of a group
    bool all_may;   // nothing else changes with time
    double key;     // of the settings
    double steps;   // at rest, after which a group sleeps
    double speed;   // [m/s]
    int asleep;     // bodies, in the step at work
    size_t bytes;   // of the block that `still` begins
} sleep_memory;

// `key` names the settings; `tree`: coordinates of a spanning tree move the bodies, so that these sleep all or none.
pawl_status pawl_sleep_create(const pawl_env *env, const pawl_model *model,
                              const pawl_settings *settings, double key, bool tree,
                              sleep_memory *out);
void pawl_sleep_destroy(const pawl_env *env, sleep_memory *m);

// Whether a step from s leaves everything as it is: all bodies sleep, and nothing wakes one.
bool pawl_sleep_is_deep(const sleep_memory *m, const pawl_model *model, const pawl_state *s,
                        double end);
// At the beginning of a step from s to `end`: wakes whom changed inputs concern, and sets `still`.
void pawl_sleep_begin(sleep_memory *m, const pawl_model *model, pawl_state *s, double end);
// Wakes the groups that awake bodies touch; how many bodies that are.
int pawl_sleep_touch(sleep_memory *m, pawl_state *s, const pawl_contact *contacts, int count);
// At the end of a step: counts the steps at rest, and lets groups sleep. `settled`: the step was solved. Returns
// whether some fell asleep: their twists are 0 then.
bool pawl_sleep_end(sleep_memory *m, const pawl_model *model, pawl_state *s, const pawl_assembly *a,
                    bool settled);
// Whether a contact of the state's memory is one between bodies that sleep.
bool pawl_sleep_keeps(const sleep_memory *m, const pawl_model *model, double id);
