// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Runs one engine on one scene: once to judge the motion after every step, then several times to
// take the time of the steps alone.
#pragma once
#include "motion.h"
#include "options.h"
#include "peer.h"

typedef enum bench_outcome {
    BENCH_DONE = 0,
    BENCH_SKIPPED, ///< more bodies than the engine's variant is given
    BENCH_REFUSED, ///< the engine would not build the scene
    BENCH_EXPLODED ///< the engine gave up, or the motion is not finite or gained the scene's energy
} bench_outcome;

typedef struct bench_result {
    bench_outcome outcome;
    int steps;             ///< judged: up to the end, the budget, or the failure
    double simulated;      ///< the same in simulated time [s]
    bool cut;              ///< the budget ended the run before its time
    double spent;          ///< CPU time of the judged steps [s]
    bench_measure measure; ///< worst figures of the judged run
    bench_effort effort;   ///< of the judged run; zero where the engine does not tell
    int timed_steps;       ///< the steps timed, from the start, in each repetition
    int repeats;
    double seconds[BENCH_MAX_REPEATS]; ///< CPU time per step of each repetition [s]
    double median;                     ///< of them; NaN where nothing was timed [s]
} bench_result;

/// Process CPU time [s]: counts what an engine does in threads of its own, too.
double bench_cpu_time(void);
/// The judged run: `duration` simulated seconds, or less when its steps took `budget` CPU seconds.
bench_result bench_judge(const bench_peer *peer, const bench_scene *scene, double dt,
                         double duration, double budget);
/// One timed repetition from the start over as many of the judged steps as `budget` CPU seconds
/// hold. Does nothing for a result without a finished step.
void bench_time(bench_result *result, const bench_peer *peer, const bench_scene *scene, double dt,
                double budget);
