// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a run found, and the two forms in which it is given out: text for people and JSON for
// programs.
#pragma once
#include <jansson.h>
#include <stdio.h>

#include "pawl/check.h"
#include "pawl/sim.h"
#include "pawl/verdict.h"
#include "timing.h"

/// Of the JSON: raised when a key changes its meaning or goes; new keys do not raise it.
enum { RUN_RESULT_FORMAT = 1 };

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
    const char *failure_text; ///< the message, when a step or an output failed; else NULL
    pawl_verdict_list list;   ///< the verdict's criteria, judged when the run ended
} run_result;

/// Mean time of a phase in a step of this command; NaN without steps [s].
double run_result_phase(const run_result *result, pawl_phase phase);
/// "world plane", "crate box 'lid'".
void run_result_shape_text(const run_result *result, pawl_shape_id shape, char *text, size_t size);
/// The figures and the verdict, aligned plain text; the last line is the verdict in a sentence.
void run_result_print(const run_result *result, FILE *to);
/// As in docs/cli.md, all keys always present. NULL: out of memory.
json_t *run_result_json(const run_result *result);
