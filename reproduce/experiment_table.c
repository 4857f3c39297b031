// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The experiments that `pawl reproduce` knows, in the order of its list, and their progress.
#include "experiment_film.h"

#include <stddef.h>
#include <string.h>

static const experiment *const experiment_table[] = {
    &experiment_lit_pendulum, &experiment_lit_block_one, &experiment_lit_block_two,
    &experiment_lit_carts,    &experiment_nmdp_tilt,     &experiment_nmdp_height,
    &experiment_nmdp_walk,    &experiment_nmdp_table,    &experiment_nmdp_cost,
    &experiment_nmdp_robots,  &experiment_reality,
};
enum { EXPERIMENT_COUNT = (int)(sizeof experiment_table / sizeof experiment_table[0]) };

const experiment *experiment_at(int index)
{
    return index >= 0 && index < EXPERIMENT_COUNT ? experiment_table[index] : NULL;
}

const experiment *experiment_find(const char *name)
{
    for (int i = 0; i < EXPERIMENT_COUNT; ++i) {
        if (strcmp(experiment_table[i]->name, name) == 0) {
            return experiment_table[i];
        }
    }
    return NULL;
}

void experiment_expect(experiment_run *run, double work)
{
    run->expected += work;
}

void experiment_doing(experiment_run *run, const char *doing)
{
    run->doing = doing;
}

void experiment_done(experiment_run *run, double work)
{
    run->done += work;
    if (run->progress != NULL && run->expected > 0.0) {
        double fraction = run->done / run->expected;
        run->progress(run->user, fraction < 1.0 ? fraction : 1.0,
                      run->doing == NULL ? "" : run->doing);
    }
}

pawl_status experiment_step(experiment_run *run, pawl_sim *sim, pawl_step_report *report)
{
    experiment_film_before(run, sim);
    pawl_status status = pawl_sim_step(sim, report);
    if (status == PAWL_OK) {
        experiment_film_after(run, sim, report);
    }
    experiment_done(run, 1.0);
    return status;
}
