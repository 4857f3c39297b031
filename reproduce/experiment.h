// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Published tables and figures, made again: each experiment is one file and one row of the table in
// experiment_table.c. It uses the public headers alone, runs what the paper ran, and puts ours
// beside theirs into a study; the command prints it.
#pragma once
#include "pawl/io.h"
#include "pawl/sim.h"
#include "pawl/study.h"

/// What an experiment is given. It reports its progress by experiment_step() and the others below.
typedef struct experiment_run {
    const pawl_env *env;
    bool quick;         ///< leave out what takes more than a few seconds
    const char *models; ///< folder of the models that come with pawl; NULL when it was not found
    void (*progress)(void *user, double fraction, const char *doing); ///< may be NULL
    void *user;
    double expected, done; ///< work, in steps or whatever the experiment counts
    const char *doing;
    const char
        *film_path; ///< the first run of some length is recorded there, for the page; NULL: none
    pawl_recorder *recorder;
    const pawl_sim *filmed; ///< by the recorder
    int64_t film_steps;
    bool film_done;
} experiment_run;

typedef struct experiment {
    const char *name;    ///< as typed: "lit-10.1"
    const char *summary; ///< one line for lists, and the study's title
    const char *source;  ///< paper, table, figure
    /// Fills the study. A status other than PAWL_OK means that it could not be run at all; what came
    /// out different from the paper is a claim that is not met.
    pawl_status (*run)(experiment_run *run, pawl_study *study);
} experiment;

extern const experiment experiment_lit_pendulum, experiment_lit_block_one, experiment_lit_block_two,
    experiment_lit_carts, experiment_nmdp_tilt, experiment_nmdp_height, experiment_nmdp_walk,
    experiment_nmdp_table, experiment_nmdp_cost, experiment_nmdp_robots, experiment_reality;

const experiment *experiment_at(int index);          ///< NULL past the last
const experiment *experiment_find(const char *name); ///< NULL: none

/// Says how much work there is in all, before it begins; more can be added later.
void experiment_expect(experiment_run *run, double work);
/// What is going on, for the progress bar; the text must stay until the next call.
void experiment_doing(experiment_run *run, const char *doing);
void experiment_done(experiment_run *run, double work);
/// pawl_sim_step(), counted as 1.
pawl_status experiment_step(experiment_run *run, pawl_sim *sim, pawl_step_report *report);

/// pawl_sim_destroy(), after the film of this simulation is closed.
void experiment_destroy(experiment_run *run, pawl_sim *sim);

/// Hands a failure upward.
#define EXPERIMENT_TRY(call)                                                                       \
    do {                                                                                           \
        pawl_status experiment_status_ = (call);                                                   \
        if (experiment_status_ != PAWL_OK) {                                                       \
            return experiment_status_;                                                             \
        }                                                                                          \
    } while (0)
