// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl alone on one scene, to its end: what the run's own verdict says, what the judge of all engines
// makes of the motion, and where the time went.
#pragma once
#include "motion.h"
#include "options.h"
#include "pawl_world.h"

typedef struct bench_trial {
    bool failed; ///< refused, or a step could not be taken
    int bodies;
    double dt;                       ///< [s]
    pawl_verdict verdict;            ///< pawl's own
    bench_measure measure;           ///< from poses and twists
    double seconds;                  ///< CPU time of the mean step [s]
    double settled_seconds;          ///< the same of the last tenth of the run [s]
    double settled_contacts;         ///< in a step of it
    double phases[PAWL_PHASE_COUNT]; ///< where it went in the mean step [s]
} bench_trial;

/// Steps until `duration`. `done` of `total` runs are behind: for the progress line.
bench_trial bench_try(const bench_scene *scene, const pawl_settings *settings, double duration,
                      int done, int total);
json_t *bench_trial_json(const bench_scene *scene, const bench_trial *trial);
