// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The events of one step. A step never allocates: events that do not fit are counted, the log grows at the step
// boundary and the step is repeated, as for contacts.
#pragma once
#include "base/env.h"
#include "pawl/event.h"

// An event with indices, as the engine names things; pawl_sim_event() makes ids of them.
typedef struct step_event {
    double time; // [s]
    pawl_event_kind kind;
    int shape_a, shape_b;  // -1 where it is about a joint or the whole
    int joint, coordinate; // -1 where it is not about one
    double figure;
} step_event;

typedef struct event_log {
    step_event *events; // (capacity)
    int capacity;
    int count; // that the step had; above capacity: the log is too small
} event_log;

void pawl_event_add(event_log *log, step_event event);
// Room for `capacity` events at least; the events in it are dropped.
pawl_status pawl_event_log_reserve(const pawl_env *env, event_log *log, int capacity);
void pawl_event_log_free(const pawl_env *env, event_log *log);
// An event about a pair of shapes, a joint coordinate, or the whole.
step_event pawl_event_of_pair(pawl_event_kind kind, double time, int shape_a, int shape_b,
                              double figure);
step_event pawl_event_of_joint(pawl_event_kind kind, double time, int joint, int coordinate,
                               double figure);
