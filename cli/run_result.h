// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a run found, and the two forms in which it is given out: the verdict for people and the
// JSON for programs.
#pragma once
#include <jansson.h>
#include <stdio.h>

#include "pawl/sim.h"
#include "timing.h"

typedef enum run_end {
    RUN_DONE = 0,
    RUN_INTERRUPTED, ///< by a signal, between two steps
    RUN_FAILED       ///< a step was refused; the state before it is kept
} run_end;

/// Events that are kept for the JSON; a recording keeps all, the verdict counts all.
enum { RUN_RESULT_EVENTS = 1000 };

typedef struct run_result {
    const pawl_model *model;
    const pawl_check *check;
    const pawl_sim *sim;
    double requested_time;           ///< [s]
    pawl_verdict verdict;            ///< of the whole run, what was resumed included
    int64_t resumed_steps;           ///< of those, done before this command began
    timing steps;                    ///< of this command's steps
    double phases[PAWL_PHASE_COUNT]; ///< and where their time went, summed [s]
    double wall;                     ///< of this command's steps, with recording [s]
    pawl_event *events;              ///< of this command's steps, the first RUN_RESULT_EVENTS
    int event_count;
    run_end end;
    pawl_status failure; ///< why, when RUN_FAILED
    const char *failure_text;
} run_result;

/// Mean time of a phase in a step of this command; NaN without steps [s].
double run_result_phase(const run_result *result, pawl_phase phase);
/// Every step converged, none left a residual above the tolerance, and nothing went through
/// anything.
bool run_result_met(const run_result *result);
/// "world plane", "crate box 'lid'": shapes need not have names.
void run_result_shape_text(const pawl_model *model, int shape, char *text, size_t size);
/// The verdict, aligned plain text; the last line says whether the tolerance was met.
void run_result_print(const run_result *result, FILE *to);
/// As in docs/cli.md, all keys always present. NULL: out of memory.
json_t *run_result_json(const run_result *result);
