// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl sweep: simulates a model at every point of a grid of parameters, on all cores and, under mpirun, on all ranks.
// Free processes take points one after another; each point is appended to a journal when it is done, and the last
// process merges the journals into one file. The file depends only on the points, not on the processes.
#define _POSIX_C_SOURCE 200809L
#include "sweep_plan.h"

#include "interrupt.h"
#include "models_folder.h"
#include "output.h"
#include "pawl/columns.h"
#include "pawl/pawl.h"
#include "pawl/study.h"
#include "progress.h"
#include "ranks.h"
#include "setting_args.h"
#include "timing.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct sweep_work {
    console *con;
    sweep_request request;
    char *model_path;
    pawl_model *model;
    ranks ranks;
    sweep_journal journal;
    int64_t points;
    int width;
    double *results;      ///< (points x width)
    bool *done;           ///< (points) before this run, and in this process
    pthread_mutex_t lock; ///< of all that follows, and of the ranks
    int64_t next;         ///< of one process
    int64_t finished;     ///< by this process
    int64_t left;         ///< points that were not done when it began
    double longest;       ///< of a point [s]
    bool failed;
    progress bar;
} sweep_work;

// ---- points -----------------------------------------------------------------------------------------

// The next point that is not done yet, or -1.
static int64_t sweep_claim(sweep_work *w)
{
    int64_t point;
    pthread_mutex_lock(&w->lock);
    do {
        point = w->failed ? w->points : ranks_next(&w->ranks, &w->next);
    } while (point < w->points && w->done[point]);
    pthread_mutex_unlock(&w->lock);
    return point < w->points ? point : -1;
}

static void sweep_finish(sweep_work *w, int64_t point, const double *result, double seconds)
{
    pthread_mutex_lock(&w->lock);
    memcpy(w->results + point * w->width, result, (size_t)w->width * sizeof *result);
    if (sweep_journal_add(&w->journal, point, result)) {
        w->done[point] = true;
    } else if (!w->failed) {
        w->failed = true;
        console_error(w->con, "%s: the journal cannot be written", w->request.output);
    }
    ++w->finished;
    w->longest = fmax(w->longest, seconds);
    int64_t all = w->finished * w->ranks.count;
    char text[64];
    snprintf(text, sizeof text, "%lld of %lld points", (long long)(all < w->left ? all : w->left),
             (long long)w->left);
    progress_update_work(&w->bar, timing_now(), all < w->left ? all : w->left, text);
    pthread_mutex_unlock(&w->lock);
}

static void *sweep_worker(void *argument)
{
    sweep_work *w = argument;
    pawl_env env = pawl_env_default(); // a point that fails is a result: its messages are not shown
    double *result = malloc((size_t)w->width * sizeof *result);
    int64_t point;
    while (result != NULL && (point = sweep_claim(w)) >= 0) {
        double begun = timing_now();
        if (!sweep_simulate(&env, &w->request, w->model, point, result)) {
            break;
        }
        sweep_finish(w, point, result, timing_now() - begun);
    }
    free(result);
    return NULL;
}

static void sweep_run_threads(sweep_work *w)
{
    enum { MOST = 256 };
    pthread_t threads[MOST];
    int count = w->request.threads < MOST ? w->request.threads : MOST, started = 0;
    while (started + 1 < count && pthread_create(&threads[started], NULL, sweep_worker, w) == 0) {
        ++started;
    }
    sweep_worker(w);
    for (int i = 0; i < started; ++i) {
        pthread_join(threads[i], NULL);
    }
}

// Rank 0 waits for the points of the others. Those that do not come, because a rank was lost, it computes itself. Returns whether any were lost.
static bool sweep_gather(sweep_work *w)
{
    double *result = malloc((size_t)w->width * sizeof *result);
    int64_t before = -1;
    double changed = timing_now();
    bool lost = false;
    for (;;) {
        int64_t count = sweep_journal_read(&w->journal, w->points, w->results, w->done);
        if (count == w->points || interrupt_signal() != 0 || result == NULL || w->failed) {
            break;
        }
        changed = count != before ? timing_now() : changed;
        before = count;
        if (timing_now() - changed > 3.0 + 5.0 * w->longest) {
            lost = true;
            console_note(w->con,
                         "%lld points are missing: a rank was lost; they are computed again",
                         (long long)(w->points - count));
            pawl_env env = pawl_env_default();
            for (int64_t p = 0; p < w->points && interrupt_signal() == 0; ++p) {
                if (!w->done[p] && sweep_simulate(&env, &w->request, w->model, p, result)) {
                    sweep_finish(w, p, result, 0.0);
                }
            }
            continue;
        }
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
    free(result);
    return lost;
}

// ---- files ------------------------------------------------------------------------------------------

static double *sweep_parameters(const sweep_work *w)
{
    const sweep_request *r = &w->request;
    double *values = malloc((size_t)w->points * (size_t)r->axis_count * sizeof *values);
    for (int64_t p = 0; p < w->points && values != NULL; ++p) {
        int place[SWEEP_MAX_AXES];
        sweep_point_places(r, p, place);
        for (int i = 0; i < r->axis_count; ++i) {
            values[p * r->axis_count + i] = r->axis[i].values[place[i]];
        }
    }
    return values;
}

// Model, time and axes; of axes with words what their numbers stand for. Settings that differ from the defaults.
static void sweep_about(const sweep_work *w, char *text, size_t size)
{
    const sweep_request *r = &w->request;
    pawl_settings defaults = pawl_settings_default();
    int at = snprintf(text, size, "model=%s\nhash=%016llx\ntime=%.17g\n", pawl_model_name(w->model),
                      (unsigned long long)pawl_model_hash(w->model), r->time);
    for (int i = 0; i < r->axis_count && (size_t)at < size; ++i) {
        at += snprintf(text + at, size - (size_t)at, "vary=%s\n", r->axis[i].text);
    }
    for (int i = 0; i < pawl_setting_count() && (size_t)at < size; ++i) {
        char mine[128] = "", usual[128] = "";
        (void)pawl_settings_get(&r->settings, i, mine, sizeof mine);
        (void)pawl_settings_get(&defaults, i, usual, sizeof usual);
        if (strcmp(mine, usual) != 0) {
            at += snprintf(text + at, size - (size_t)at, "%s=%s\n", pawl_setting(i).key, mine);
        }
    }
}

static bool sweep_write(sweep_work *w, char **names)
{
    const sweep_request *r = &w->request;
    double *parameters = sweep_parameters(w);
    const char *keys[SWEEP_MAX_AXES];
    for (int i = 0; i < r->axis_count; ++i) {
        keys[i] = r->axis[i].key;
    }
    char about[16384];
    sweep_about(w, about, sizeof about);
    int errors = w->con->error_count;
    pawl_status status = PAWL_NO_MEMORY;
    if (parameters != NULL) {
        const pawl_columns tables[2] = {
            {"parameter", w->points, r->axis_count, keys, parameters},
            {"result", w->points, w->width, (const char *const *)names, w->results}};
        status = pawl_columns_write(&w->con->env, r->output, tables, 2, about);
    }
    free(parameters);
    if (status != PAWL_OK) {
        console_explain(w->con, errors, status, r->output);
    }
    return status == PAWL_OK;
}

// One plot for each result along the first axis; curves for values of the second, others at their first value.
static void sweep_plot(const sweep_work *w, pawl_study *study, const char *name, int column)
{
    const sweep_request *r = &w->request;
    const sweep_axis *x = &r->axis[0], *curve = r->axis_count > 1 ? &r->axis[1] : NULL;
    pawl_study_plot plot = {
        .title = name, .x_name = x->key, .x_unit = "", .unit = "", .dots = true};
    double *y = malloc((size_t)x->count * sizeof *y);
    int64_t stride = w->points / x->count, step = curve != NULL ? stride / curve->count : 1;
    int curves = curve != NULL ? curve->count : 1;
    int shown = curves < PAWL_STUDY_CURVES ? curves : PAWL_STUDY_CURVES;
    pawl_study_add_plot(study, &plot);
    for (int c = 0; c < shown && y != NULL; ++c) {
        int which = shown > 1 ? (int)((int64_t)c * (curves - 1) / (shown - 1)) : 0;
        for (int i = 0; i < x->count; ++i) {
            y[i] = w->results[(i * stride + which * step) * w->width + column];
        }
        char label[400];
        snprintf(label, sizeof label, "%s%s%s", curve != NULL ? curve->key : name,
                 curve != NULL ? " = " : "", curve != NULL ? curve->words[which] : "");
        pawl_study_curve line = {.label = label, .count = x->count, .x = x->values, .y = y};
        pawl_study_add_curve(study, &line);
    }
    free(y);
}

static bool sweep_write_page(sweep_work *w, char **names)
{
    enum { MOST_PLOTS = 40 };
    pawl_study *study;
    int errors = w->con->error_count;
    pawl_status status =
        pawl_study_create(&w->con->env, "sweep", pawl_model_name(w->model), "pawl sweep", &study);
    if (status == PAWL_OK) {
        char text[400];
        int64_t passed = 0;
        for (int64_t p = 0; p < w->points; ++p) {
            passed += w->results[p * w->width] == 1.0;
        }
        snprintf(text, sizeof text,
                 "%lld points, of which %lld passed every criterion. %s holds all numbers.",
                 (long long)w->points, (long long)passed, w->request.output);
        pawl_study_add_paragraph(study, text);
        for (int c = 0; c < w->width && c < MOST_PLOTS; ++c) {
            sweep_plot(w, study, names[c], c);
        }
        status = pawl_study_status(study);
    }
    if (status == PAWL_OK) {
        status = pawl_study_write_html(&w->con->env, study, NULL, w->request.page);
    }
    pawl_study_destroy(study);
    if (status != PAWL_OK) {
        console_explain(w->con, errors, status, w->request.page);
    }
    return status == PAWL_OK;
}

// ---- the command ------------------------------------------------------------------------------------

static bool sweep_take_time(const args_use *use)
{
    return setting_args_number(use, use->field) &&
           (*(double *)use->field > 0.0 ||
            args_refuse(use, "%s %s, expected more than 0 s", use->option->name, use->value));
}

static bool sweep_take_threads(const args_use *use)
{
    return setting_args_count(use, "threads", use->field);
}

#define SWEEP_FIELD(member) offsetof(sweep_request, member)
static const args_option sweep_options[] = {
    {"--vary", 0, "KEY=A:B:N",
     "N values from A to B, or KEY=V1,V2,...; may be repeated, for a grid. KEY is\n"
     "a setting (words, too), contact.friction, friction (factor),\n"
     "body.mass[BODY], mass[BODY] (factor), gravity.x|y|z, target[ACTUATOR],\n"
     "stiffness[ACTUATOR], damping[ACTUATOR] or start[JOINT]",
     sweep_take_axis, 0, NULL},
    {"--output", 'o', "FILE", "the results (HDF5); needed", args_take_text, SWEEP_FIELD(output),
     NULL},
    {"--html", 0, "FILE", "a page with a plot of each result", args_take_text, SWEEP_FIELD(page),
     NULL},
    {"--time", 0, "SECONDS", "how long to simulate each point (1)", sweep_take_time,
     SWEEP_FIELD(time), NULL},
    {"--stepper", 0, "NAME", "how time advances; see pawl list steppers", setting_args_take_stepper,
     SWEEP_FIELD(settings), setting_args_stepper},
    {"--set", 0, "KEY=VALUE", "any setting of pawl list settings; may be repeated",
     setting_args_take_set, SWEEP_FIELD(settings), setting_args_key},
    {"--threads", 0, "N", "points at a time (all processors; under mpirun 1 for each rank)",
     sweep_take_threads, SWEEP_FIELD(threads), NULL},
    {"--resume", 0, NULL, "continue a sweep that was interrupted", args_take_flag,
     SWEEP_FIELD(resume), NULL},
    START_ARGS_OPTION(SWEEP_FIELD(starts)),
    PLACE_ARGS_GROUND(SWEEP_FIELD(place)),
    PLACE_ARGS_PLACE(SWEEP_FIELD(place)),
    PLACE_ARGS_FIXED(SWEEP_FIELD(place)),
    LOAD_ARGS_PATH(SWEEP_FIELD(load.search_path)),
    {"--lenient", 0, NULL, "warn of elements of the model file that are not supported",
     args_take_flag, SWEEP_FIELD(lenient), NULL},
    {"--quiet", 'q', NULL, "no progress bar and no notes", args_take_quiet, 0, NULL},
};

static bool sweep_load(sweep_work *w)
{
    sweep_request *r = &w->request;
    w->model_path = models_find(w->con, r->model_path);
    if (w->model_path == NULL) {
        return false;
    }
    pawl_load_options options = pawl_load_options_default();
    options.lenient = r->lenient;
    start_args_apply(&r->starts, &options);
    place_args_apply(&r->place, &options);
    load_args_apply(&r->load, &options);
    options.mjcf_soft = r->settings.mjcf.soft;
    int errors = w->con->error_count;
    w->con->muted = w->ranks.rank > 0;
    pawl_status status = pawl_model_load(&w->con->env, w->model_path, &options, &w->model);
    w->con->muted = false;
    if (status != PAWL_OK) {
        console_explain(w->con, errors, status, w->model_path);
        return false;
    }
    return sweep_bind(w->con, r, w->model);
}

// What was done before, if that is asked for.
static bool sweep_prepare(sweep_work *w)
{
    w->points = sweep_point_count(&w->request);
    w->width = sweep_result_count(w->model);
    w->results = malloc((size_t)w->points * (size_t)w->width * sizeof *w->results);
    w->done = calloc((size_t)w->points, sizeof *w->done);
    w->journal =
        (sweep_journal){w->request.output, sweep_stamp(&w->request, w->model), w->width, -1};
    if (w->results == NULL || w->done == NULL) {
        console_error(w->con, "no memory for %lld points", (long long)w->points);
        return false;
    }
    if (!w->request.resume && w->ranks.rank == 0) {
        sweep_journal_remove(&w->journal);
    }
    ranks_count_begin(&w->ranks); // waits: journals of another sweep are gone now
    int64_t before = 0;
    if (w->request.resume) {
        before = sweep_journal_read(&w->journal, w->points, w->results, w->done);
        if (w->ranks.rank == 0) {
            console_note(w->con, "%lld of %lld points are done", (long long)before,
                         (long long)w->points);
        }
    }
    w->left = w->points - before;
    return sweep_journal_open(w->con, &w->journal, w->ranks.rank);
}

static int sweep_end(sweep_work *w, bool *lost)
{
    if (w->ranks.rank > 0) {
        return w->failed ? EXIT_BAD_INPUT : EXIT_DONE;
    }
    *lost = sweep_gather(w);
    sweep_journal_close(&w->journal);
    if (interrupt_signal() != 0) {
        console_note(w->con, "continue with the same command and --resume");
        return EXIT_BY_SIGNAL + interrupt_signal();
    }
    char **names = sweep_result_names(w->model);
    bool written = !w->failed && names != NULL && sweep_write(w, names) &&
                   (w->request.page == NULL || sweep_write_page(w, names));
    sweep_free_columns(names, w->width);
    if (!written) {
        return EXIT_BAD_INPUT;
    }
    sweep_journal_remove(&w->journal);
    int64_t passed = 0;
    for (int64_t p = 0; p < w->points; ++p) {
        passed += w->results[p * w->width] == 1.0;
    }
    printf("%lld points in %s; %lld passed every criterion\n", (long long)w->points,
           w->request.output, (long long)passed);
    return passed == w->points ? EXIT_DONE : EXIT_NOT_MET;
}

static int sweep_run(sweep_work *w)
{
    w->ranks = ranks_begin();
    int code = EXIT_BAD_INPUT;
    bool lost = false;
    w->con->quiet = w->con->quiet || w->ranks.rank > 0;
    if (sweep_load(w) && sweep_prepare(w)) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        if (w->request.threads == 0) {
            w->request.threads = w->ranks.count > 1 || processors < 1 ? 1 : (int)processors;
        }
        interrupt_catch();
        w->bar = progress_begin(w->con, 0, w->left, 0.0);
        sweep_run_threads(w);
        progress_end(&w->bar);
        code = sweep_end(w, &lost);
    }
    if (!lost) { // else there is somebody who never comes
        ranks_count_end(&w->ranks);
        ranks_end(&w->ranks);
    }
    return code;
}

int cmd_sweep(console *con, int argc, char **argv);
int cmd_sweep(console *con, int argc, char **argv)
{
    sweep_work *w = calloc(1, sizeof *w);
    if (w == NULL) {
        console_error(con, "out of memory");
        return EXIT_BAD_INPUT;
    }
    w->con = con;
    w->journal.file = -1;
    w->request.settings = pawl_settings_default();
    w->request.time = 1.0;
    pthread_mutex_init(&w->lock, NULL);
    int code = args_read(con, &args_sweep, argc, argv, (args_request *)&w->request);
    if (code == ARGS_READ) {
        const sweep_request *r = &w->request;
        if (r->model_path == NULL) {
            code = args_fail(con, &args_sweep, "no model was given");
        } else if (r->axis_count == 0) {
            code = args_fail(con, &args_sweep, "nothing is varied: --vary KEY=from:to:count");
        } else if (r->output == NULL) {
            code = args_fail(con, &args_sweep, "-o FILE is needed for the results");
        } else if (!output_check(con, "-o", r->output) || !output_check(con, "--html", r->page)) {
            code = EXIT_BAD_INPUT;
        } else {
            code = sweep_run(w);
        }
    }
    sweep_journal_close(&w->journal);
    sweep_free_axes(&w->request);
    pawl_model_destroy(w->model);
    pthread_mutex_destroy(&w->lock);
    free(w->model_path);
    free(w->results);
    free(w->done);
    free(w);
    return code;
}

const args_command args_sweep = {
    .name = "sweep",
    .arguments = "MODEL --vary KEY=A:B:N ... -o FILE [options]",
    .noun = "model",
    .names = models_name,
    .summary = "simulate a model at every point of a grid of parameters, on all cores",
    .details =
        "  pawl sweep quadruped --vary contact.friction=0.1:1:20 --vary mass[trunk]=1,2 -o f.h5\n"
        "  mpirun -n 8 pawl sweep ...     the same on 8 ranks of MPI, with the same file\n"
        "\n"
        "Each point is kept when it is done: after an interruption, add --resume.\n"
        "\n"
        "Exit codes: 0 all points passed their verdict; 1 some did not; 2 bad usage or input.\n",
    .options = sweep_options,
    .option_count = (int)(sizeof sweep_options / sizeof sweep_options[0]),
    .run = cmd_sweep,
};
