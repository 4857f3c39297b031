// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The events of a step, in the order in which they were found. A full log continues to count: the simulator enlarges
// it at the step boundary and repeats the step, so that no event is lost.
#include "step/common/event_log.h"

// Counts what does not fit, so that the simulator knows how much room the step needs.
void pawl_event_add(event_log *log, step_event event)
{
    if (log->count < log->capacity) {
        log->events[log->count] = event;
    }
    ++log->count;
}

// Empties the log; the memory it has is kept where it is large enough.
pawl_status pawl_event_log_reserve(const pawl_env *env, event_log *log, int capacity)
{
    log->count = 0;
    if (capacity <= log->capacity) {
        return PAWL_OK;
    }
    step_event *events = pawl_alloc(env, (size_t)capacity * sizeof *events);
    if (events == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the %d events of a step", capacity);
    }
    pawl_event_log_free(env, log);
    log->events = events;
    log->capacity = capacity;
    return PAWL_OK;
}

void pawl_event_log_free(const pawl_env *env, event_log *log)
{
    pawl_free(env, log->events, (size_t)log->capacity * sizeof *log->events);
    *log = (event_log){0};
}

step_event pawl_event_of_pair(pawl_event_kind kind, double time, int shape_a, int shape_b,
                              double figure)
{
    return (step_event){.time = time,
                        .kind = kind,
                        .shape_a = shape_a,
                        .shape_b = shape_b,
                        .joint = -1,
                        .coordinate = -1,
                        .figure = figure};
}

step_event pawl_event_of_joint(pawl_event_kind kind, double time, int joint, int coordinate,
                               double figure)
{
    return (step_event){.time = time,
                        .kind = kind,
                        .shape_a = -1,
                        .shape_b = -1,
                        .joint = joint,
                        .coordinate = coordinate,
                        .figure = figure};
}
