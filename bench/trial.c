// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Runs one scene in pawl to its end and collects figures: the verdict of the run, the error that
// the benchmark measures itself, and the time by phase.
#include "trial.h"
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double trial_clock(void *user)
{
    (void)user;
    return bench_cpu_time();
}

static void trial_progress(const bench_scene *scene, double time, double duration, int done,
                           int total)
{
    char detail[64];
    snprintf(detail, sizeof detail, "%.2f of %g s", time, duration);
    bench_progress(done, total, scene->name, detail);
}

// What the last tenth of a run is worth: there it should be at rest.
static void trial_settle(bench_trial *trial, int settled, double since, int64_t contacts)
{
    trial->settled_seconds = since / settled;
    trial->settled_contacts = (double)(trial->verdict.contacts_sum - contacts) / settled;
}

bench_trial bench_try(const bench_scene *scene, const pawl_settings *settings, double duration,
                      int done, int total)
{
    bench_trial trial = {
        .bodies = scene->body_count, .dt = settings->dt, .measure = bench_measure_begin(scene)};
    bench_world *world = bench_world_create(scene, settings);
    pawl_pose *poses = calloc((size_t)scene->body_count, sizeof *poses);
    pawl_twist *twists = calloc((size_t)scene->body_count, sizeof *twists);
    trial.failed = world == NULL || poses == NULL || twists == NULL;
    int steps = (int)lround(duration / settings->dt), settled = steps / 10 > 0 ? steps / 10 : 1;
    double spent = 0.0, spent_before = 0.0;
    int64_t contacts_before = 0;
    if (!trial.failed) {
        trial.verdict = pawl_verdict_begin(pawl_sim_state(world->sim));
        pawl_sim_set_clock(world->sim, trial_clock, NULL);
    }
    for (int k = 0; k < steps && !trial.failed; ++k) {
        pawl_step_report report;
        trial_progress(scene, k * settings->dt, duration, done, total);
        if (k == steps - settled) {
            spent_before = spent;
            contacts_before = trial.verdict.contacts_sum;
        }
        double begin = bench_cpu_time();
        trial.failed = pawl_sim_step(world->sim, &report) != PAWL_OK;
        spent += bench_cpu_time() - begin;
        if (trial.failed) {
            break;
        }
        pawl_verdict_add(&trial.verdict, &report);
        for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
            trial.phases[p] += report.seconds[p] / steps;
        }
        bench_world_read(world, poses, twists);
        bench_measure_add(&trial.measure, poses, twists);
        trial.failed = trial.measure.exploded;
    }
    trial.seconds = spent / steps;
    trial_settle(&trial, settled, spent - spent_before, contacts_before);
    free(poses);
    free(twists);
    bench_world_destroy(world);
    return trial;
}

json_t *bench_trial_json(const bench_scene *scene, const bench_trial *trial)
{
    const pawl_verdict *v = &trial->verdict;
    const bench_touch *touch = &trial->measure.touch;
    json_t *phases = json_object();
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        json_object_set_new(phases, pawl_phase_name((pawl_phase)p),
                            bench_number(1e6 * trial->phases[p]));
    }
    double steps = v->steps > 0 ? (double)v->steps : NAN;
    json_t *row = json_pack("{s:s, s:i, s:b, s:f, s:I, s:o, s:o, s:o}",        //
                            "scene", scene->name,                              //
                            "bodies", trial->bodies,                           //
                            "failed", (int)trial->failed,                      //
                            "dt", trial->dt,                                   //
                            "steps", (json_int_t)v->steps,                     //
                            "us_per_step", bench_number(1e6 * trial->seconds), //
                            "us_per_step_settled", bench_number(1e6 * trial->settled_seconds),
                            "phases_us", phases);
    const struct {
        const char *key;
        double value;
    } figures[] = {
        {"contacts_max", v->contacts_max},
        {"contacts_settled", trial->settled_contacts},
        {"iterations_mean", (double)v->iterations_sum / steps},
        {"iterations_max", v->iterations_max},
        {"unsolved_steps", (double)v->not_converged},
        {"residual", v->residual.natural_scaled},
        {"penetration", touch->penetration},
        {"penetration_end", touch->penetration_end},
        {"speed_end", touch->speed_end},
        {"spin_end", touch->spin_end},
        {"moved", touch->moved},
        {"moved_end", touch->moved_end},
        {"energy_start", v->energy_initial},
        {"energy_end", v->energy_final},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; ++i) {
        json_object_set_new(row, figures[i].key, bench_number(figures[i].value));
    }
    return row;
}
