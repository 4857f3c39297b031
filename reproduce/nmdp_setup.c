// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Common parts of the experiments of [pan-hauser-2020]: the five methods of the paper and two of
// pawl, the robots with their motions, and runs with measures (height, tilt, outer iterations,
// divided frames). A step that cannot be taken is a result of an experiment, not an error.
#include "nmdp_setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pawl/io.h"

typedef struct nmdp_setup {
    const char *name, *stepper, *key,
        *value; // one setting that tells it from the stepper's default
    const char *dynamics;
    bool zeroth; // without derivatives of contact models: on softer ground, as in the paper
} nmdp_setup;

static const nmdp_setup nmdp_setups[NMDP_METHOD_COUNT] = {
    [NMDP_NE_MDP] = {"NE-MDP", "mdp", "mdp.pd", "explicit", "ne", false},
    [NMDP_NE_PGM] = {"NE-NMDP-PGM", "nmdp", "nmdp.gradient", "first", "ne", false},
    [NMDP_NE_ZOPGM] = {"NE-NMDP-ZOPGM", "nmdp", "nmdp.gradient", "zeroth", "ne", true},
    [NMDP_PBD_PGM] = {"PBD-NMDP-PGM", "nmdp", "nmdp.gradient", "first", "pbd", false},
    [NMDP_PBD_ZOPGM] = {"PBD-NMDP-ZOPGM", "nmdp", "nmdp.gradient", "zeroth", "pbd", true},
    [NMDP_MDP_STABLE] = {"NE-MDP, stable PD", "mdp", "mdp.pd", "stable", "ne", false},
    [NMDP_NE_ORDER_2] = {"NE-NMDP, order 2", "nmdp", "nmdp.order", "2", "ne", false},
};

typedef struct nmdp_place {
    const char *file, *soft_file, *stiff_file, *motions[NMDP_MOTION_COUNT];
    double ground; // below the torso's origin at the start [m]
} nmdp_place;

static const nmdp_place nmdp_robots[NMDP_ROBOT_COUNT] = {
    [NMDP_ROBOSIMIAN] = {"robosimian-planar.sdf",
                         "robosimian-planar-soft.sdf",
                         "robosimian-planar-stiff.sdf",
                         {"robosimian-walk.motion", "robosimian-jump-linear.motion",
                          "robosimian-jump.motion", "robosimian-walk-slow.motion",
                          "robosimian-walk-low.motion"},
                         0.8},
    [NMDP_SPIDER] = {"spider-planar.sdf",
                     "spider-planar-soft.sdf",
                     NULL,
                     {"spider-walk.motion", "spider-jump-linear.motion", "spider-jump.motion",
                      "spider-walk-slow.motion", "spider-walk-low.motion"},
                     0.43},
};

const char *nmdp_method_name(nmdp_method method)
{
    return nmdp_setups[method].name;
}

const char *nmdp_end_name(nmdp_end end)
{
    static const char *const names[] = {"stands", "falls", "explodes"};
    return names[end];
}

static pawl_status nmdp_settings(const pawl_env *env, nmdp_method method, double dt,
                                 pawl_settings *out)
{
    const nmdp_setup *s = &nmdp_setups[method];
    *out = pawl_settings_default();
    EXPERIMENT_TRY(pawl_settings_set(env, out, "stepper", s->stepper));
    EXPERIMENT_TRY(pawl_settings_set(env, out, "nmdp.dynamics", s->dynamics));
    // As published: a part is divided only where it does not converge.
    EXPERIMENT_TRY(pawl_settings_set(env, out, "nmdp.part_energy", "inf"));
    EXPERIMENT_TRY(pawl_settings_set(env, out, s->key, s->value));
    out->dt = dt;
    return pawl_settings_check(env, out);
}

static pawl_status nmdp_load(const experiment_run *run, const nmdp_task *task, nmdp_method method,
                             pawl_model **out)
{
    enum { SIZE = 4096 };
    char model[SIZE], motion[SIZE];
    const nmdp_place *place = &nmdp_robots[task->robot];
    const char *file = nmdp_setups[method].zeroth ? place->soft_file
                       : task->stiff              ? place->stiff_file
                                                  : place->file;
    *out = NULL;
    if (run->models == NULL) {
        if (run->env->log != NULL) {
            run->env->log(run->env->user, PAWL_LOG_ERROR,
                          "the folder of the models that come with pawl was not found");
        }
        return PAWL_BAD_FILE;
    }
    snprintf(model, sizeof model, "%s/nmdp/%s", run->models, file);
    snprintf(motion, sizeof motion, "%s/nmdp/motions/%s", run->models,
             place->motions[task->motion]);
    pawl_load_options options = pawl_load_options_default();
    options.motion_path = motion;
    return pawl_model_load(run->env, model, &options, out);
}

// --- one run ----------------------------------------------------------------------------------------

// Of the processor alone: other programs may be running.
static double nmdp_clock(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void nmdp_count(int *bins, double at)
{
    int last = NMDP_BINS - 1;
    ++bins[at >= last ? last : at > 0.0 ? (int)at : 0];
}

// Torso x, height above the ground and pitch.
static void nmdp_measure(const pawl_state *state, pawl_joint_id base, double ground, double q[3])
{
    double joint[6];
    pawl_state_joint(state, base, joint, NULL);
    q[0] = joint[0];
    q[1] = joint[1] + ground;
    q[2] = joint[2];
}

// Fills the samples up to the end of a step, straight between its ends.
static void nmdp_sample(nmdp_result *r, double end, const double before[3], double t0,
                        const double after[3], double t1)
{
    for (; r->samples < NMDP_SAMPLES; ++r->samples) {
        double t = end * r->samples / (NMDP_SAMPLES - 1);
        if (t > t1 * (1.0 + 1e-12)) {
            return;
        }
        double x = t1 > t0 ? (t - t0) / (t1 - t0) : 1.0;
        r->time[r->samples] = t;
        r->x[r->samples] = before[0] + x * (after[0] - before[0]);
        r->height[r->samples] = before[1] + x * (after[1] - before[1]);
        r->angle[r->samples] = before[2] + x * (after[2] - before[2]);
    }
}

// A message of a step that cannot be taken is a result here, not news.
static pawl_status nmdp_steps(experiment_run *run, const nmdp_task *task, pawl_sim *sim,
                              nmdp_result *r)
{
    const double high = 5.0, right_angle = 1.5707963267948966;
    double ground = nmdp_robots[task->robot].ground;
    pawl_joint_id base = pawl_model_find_joint(pawl_sim_model(sim), "base");
    int64_t steps = (int64_t)ceil(task->end / r->dt - 1e-6); // the end is reached, or passed
    int64_t iterations = 0;
    double now[3], last[3], time = 0.0;
    nmdp_measure(pawl_sim_state(sim), base, ground, now);
    nmdp_sample(r, task->end, now, 0.0, now, 0.0);
    r->part[0] = r->smallest_part = r->dt;
    r->highest = now[1];
    for (int64_t k = 0; k < steps; ++k) {
        pawl_step_report report;
        double begun = nmdp_clock();
        pawl_status status = experiment_step(run, sim, &report);
        double spent = nmdp_clock() - begun;
        r->seconds += spent;
        if (status == PAWL_NO_MEMORY) {
            return status;
        }
        if (status == PAWL_OK) {
            memcpy(last, now, sizeof last);
            nmdp_measure(pawl_sim_state(sim), base, ground, now);
        }
        if (status != PAWL_OK || now[1] > high) {
            r->end = NMDP_EXPLODES;
            experiment_done(run, (double)(steps - k - 1));
            break;
        }
        double next = pawl_state_time(pawl_sim_state(sim));
        double part = r->dt / (report.substeps > 1 ? report.substeps : 1);
        int sampled = r->samples;
        nmdp_sample(r, task->end, last, time, now, next);
        for (int i = sampled; i < r->samples; ++i) {
            r->part[i] = part;
        }
        r->smallest_part = fmin(r->smallest_part, part);
        time = next;
        ++r->frames;
        iterations += report.iterations;
        nmdp_count(r->by_iterations, (double)report.iterations);
        nmdp_count(r->by_rate, 10.0 * log10(1.0 / fmax(spent, 1e-6)));
        r->iterations_max =
            report.iterations > r->iterations_max ? report.iterations : r->iterations_max;
        r->cut_frames += report.projections > 0;
        r->not_converged += report.outcome != PAWL_CONVERGED;
        r->tilt = fmax(r->tilt, fabs(now[2]));
        r->highest = fmax(r->highest, now[1]);
        r->first_peak = next <= 2.0 + 1e-9 ? r->highest : r->first_peak;
        r->depth = fmax(r->depth, report.penetration);
    }
    r->iterations = r->frames > 0 ? (double)iterations / (double)r->frames : NAN;
    if (r->end == NMDP_STANDS && r->tilt > right_angle) {
        r->end = NMDP_FALLS;
    }
    return PAWL_OK;
}

void nmdp_expect(experiment_run *run, const nmdp_task *task, const double *steps, int count)
{
    for (int k = 0; k < count; ++k) {
        experiment_expect(run, task->end / steps[k]);
    }
}

pawl_status nmdp_open(const experiment_run *run, const nmdp_task *task, nmdp_method method,
                      double dt, pawl_model **model, pawl_sim **sim)
{
    pawl_settings settings;
    *model = NULL;
    *sim = NULL;
    EXPERIMENT_TRY(nmdp_settings(run->env, method, dt, &settings));
    EXPERIMENT_TRY(nmdp_load(run, task, method, model));
    pawl_env quiet = *run->env; // of steps that fail; the sim's own
    quiet.log = NULL;
    return pawl_sim_create(&quiet, *model, &settings, sim);
}

pawl_status nmdp_simulate(experiment_run *run, const nmdp_task *task, nmdp_method method, double dt,
                          nmdp_result *out)
{
    pawl_model *model;
    pawl_sim *sim;
    *out = (nmdp_result){.dt = dt};
    experiment_doing(run, nmdp_method_name(method));
    pawl_status status = nmdp_open(run, task, method, dt, &model, &sim);
    if (status == PAWL_OK) {
        status = nmdp_steps(run, task, sim, out);
    }
    experiment_destroy(run, sim);
    pawl_model_destroy(model);
    return status;
}

pawl_status nmdp_sweep(experiment_run *run, const nmdp_task *task, nmdp_method method,
                       const double *steps, int count, nmdp_result *results)
{
    for (int k = 0; k < count; ++k) {
        EXPERIMENT_TRY(nmdp_simulate(run, task, method, steps[k], &results[k]));
    }
    return PAWL_OK;
}

// --- several runs -----------------------------------------------------------------------------------

const double *nmdp_x_of(const nmdp_result *result)
{
    return result->x;
}

const double *nmdp_height_of(const nmdp_result *result)
{
    return result->height;
}

const double *nmdp_angle_of(const nmdp_result *result)
{
    return result->angle;
}

double nmdp_spread(const nmdp_result *results, int count,
                   const double *(*series)(const nmdp_result *result))
{
    int runs = 0, samples = NMDP_SAMPLES;
    double total = 0.0;
    for (int k = 0; k < count; ++k) {
        runs += results[k].end != NMDP_EXPLODES;
    }
    if (runs < 2) {
        return NAN;
    }
    for (int i = 0; i < samples; ++i) {
        double mean = 0.0, square = 0.0;
        for (int k = 0; k < count; ++k) {
            mean += results[k].end != NMDP_EXPLODES ? series(&results[k])[i] / runs : 0.0;
        }
        for (int k = 0; k < count; ++k) {
            double off = series(&results[k])[i] - mean;
            square += results[k].end != NMDP_EXPLODES ? off * off / runs : 0.0;
        }
        total += sqrt(square) / samples;
    }
    return total;
}

void nmdp_plot(pawl_study *study, const char *title, const char *unit, const nmdp_result *results,
               int count, const nmdp_result *reference,
               const double *(*series)(const nmdp_result *result))
{
    pawl_study_add_plot(study, &(pawl_study_plot){.title = title, .unit = unit});
    int room = PAWL_STUDY_CURVES - (reference != NULL ? 1 : 0);
    for (int k = count > room ? count - room : 0; k < count; ++k) {
        char label[40];
        snprintf(label, sizeof label, "%g ms", 1e3 * results[k].dt);
        pawl_study_add_curve(study, &(pawl_study_curve){.label = label,
                                                        .count = results[k].samples,
                                                        .x = results[k].time,
                                                        .y = series(&results[k])});
    }
    if (reference != NULL) {
        pawl_study_add_curve(study, &(pawl_study_curve){.label = "dt → 0",
                                                        .dashed = true,
                                                        .count = reference->samples,
                                                        .x = reference->time,
                                                        .y = series(reference)});
    }
}

const char *nmdp_steps_text(const double *steps, int count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < count && used < size; ++k) {
        int wrote = snprintf(text + used, size - used, "%s%g", k > 0 ? ", " : "", 1e3 * steps[k]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (used + 4 < size) {
        strcpy(text + used, " ms");
    }
    return text;
}
