// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the comparisons with other engines share: the list of engines, and the running of a case with
// all of them.
#pragma once
#include "options.h"
#include "runner.h"

enum { BENCH_MAX_PEERS = 24 };

typedef struct bench_list {
    const bench_peer *peer[BENCH_MAX_PEERS];
    int count;
    int reference; ///< MuJoCo's defaults; -1 when it is not installed
} bench_list;

/// The rows that the options ask for, with pawl's first.
bench_list bench_collect_mechanisms(const bench_options *options);
bench_list bench_collect_contacts(const bench_options *options);
bench_list bench_collect_work(const bench_options *options); ///< default and expert settings
const char *bench_mujoco_name(void); ///< its version, or that it is not installed
const char *bench_ode_name(void);
const char *bench_bullet_name(void);

typedef struct bench_case {
    bench_scene *scene;
    double dt;       ///< [s]
    double duration; ///< [s]
    double patience; ///< times the options' budget for a judged run
    bool whole;      ///< a run that took over a second is its own timing
    bench_result result[BENCH_MAX_PEERS];
    bool present[BENCH_MAX_PEERS]; ///< the variant says something new on this scene
} bench_case;

/// Judges and times every engine on the case. `done` of `total` is for the progress line.
void bench_run_case(bench_case *run, const bench_list *list, const bench_options *options,
                    int *done, int total);
/// How many units of progress a case is worth.
int bench_case_work(const bench_list *list, const bench_options *options);

/// The engine's time over MuJoCo's; NaN without MuJoCo.
double bench_ratio(const bench_case *run, const bench_list *list, int i);
bool bench_is_pawl(const bench_peer *peer);
const char *bench_outcome_name(bench_outcome outcome);
json_t *bench_seconds(const bench_result *result); ///< the repetitions [us]
