// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One run of an experiment is recorded, so that its page shows the machine in motion: the first one of sufficient
// length. Its failure is not a failure of the experiment; the page then has no machine.
#include "experiment_film.h"

#include <stdio.h>

enum { FILM_LEAST = 30, FILM_MOST = 20000 }; // steps

static void film_close(experiment_run *run)
{
    bool whole = pawl_recorder_close(run->recorder) == PAWL_OK;
    run->film_done = whole && run->film_steps >= FILM_LEAST;
    run->recorder = NULL;
    run->filmed = NULL;
    if (!run->film_done) {
        (void)remove(run->film_path);
    }
}

void experiment_film_before(experiment_run *run, const pawl_sim *sim)
{
    if (run->film_path == NULL || run->film_done || run->recorder != NULL) {
        return;
    }
    pawl_recorder_options options = pawl_recorder_options_default();
    options.trace = PAWL_TRACE_Q | PAWL_TRACE_CONTACTS;
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    if (pawl_recorder_create(run->env, run->film_path, sim, &options, &run->recorder) != PAWL_OK) {
        run->film_path = NULL;
        return;
    }
    run->filmed = sim;
    run->film_steps = 0;
    (void)pawl_recorder_add(run->recorder, NULL, &verdict);
}

void experiment_film_after(experiment_run *run, const pawl_sim *sim, const pawl_step_report *report)
{
    if (run->recorder != NULL && run->filmed == sim) {
        pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
        pawl_status status = pawl_recorder_add(run->recorder, report, &verdict);
        if (status != PAWL_OK || ++run->film_steps >= FILM_MOST) {
            film_close(run);
        }
    }
}

void experiment_destroy(experiment_run *run, pawl_sim *sim)
{
    if (run->recorder != NULL && run->filmed == sim) {
        film_close(run);
    }
    pawl_sim_destroy(sim);
}
