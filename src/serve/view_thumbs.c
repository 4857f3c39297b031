// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A thumbnail is a short recording of a model, as a document for the player. Its cost is bounded: two and a half
// seconds of simulated time or 0.7 s of processor time, whichever ends first, so that a model of a thousand bodies
// does not delay the others.
#define _POSIX_C_SOURCE 200809L
#include "serve/view_thumbs.h"
#include "base/env.h"
#include "pawl/sim.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const double thumb_time = 2.5, thumb_cpu = 0.7, thumb_interval = 0.05; // [s]

typedef struct thumb {
    view_thumb_state state;
    int64_t asked; // the last that was asked for is made first: it is what the reader looks at
    pawl_string document;
} thumb;

struct view_thumbs {
    const pawl_env *caller;
    pawl_env env; // without a log: a model that cannot be run has no thumbnail
    const pawl_viewer_options *options;
    pthread_t thread;
    bool started, quit;
    pthread_mutex_t lock;
    pthread_cond_t asked;
    int64_t order;
    int count;
    thumb thumbs[]; // (count)
};

static double thumb_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static pawl_status thumb_steps(const pawl_env *env, pawl_sim *sim, const char *path)
{
    pawl_recorder_options options = pawl_recorder_options_default();
    options.trace = PAWL_TRACE_Q;
    options.interval = thumb_interval;
    pawl_recorder *recorder = NULL;
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    PAWL_TRY(pawl_recorder_create(env, path, sim, &options, &recorder));
    pawl_status status = pawl_recorder_add(recorder, NULL, &verdict);
    double begun = thumb_clock();
    while (status == PAWL_OK && pawl_state_time(pawl_sim_state(sim)) < thumb_time &&
           thumb_clock() - begun < thumb_cpu) {
        pawl_step_report report;
        if (pawl_sim_step(sim, &report) != PAWL_OK) {
            break; // what came before is worth seeing
        }
        status = pawl_recorder_add(recorder, &report, &verdict);
    }
    pawl_status closed = pawl_recorder_close(recorder);
    return status == PAWL_OK ? closed : status;
}

static pawl_status thumb_run(const view_thumbs *t, const char *model_path, const char *path,
                             pawl_string *out)
{
    pawl_model *model = NULL;
    pawl_sim *sim = NULL;
    PAWL_TRY(pawl_model_load(&t->env, model_path, t->options->load, &model));
    pawl_status status = pawl_sim_create(&t->env, model, &t->options->settings, &sim);
    if (status == PAWL_OK) {
        status = thumb_steps(&t->env, sim, path);
    }
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    return status == PAWL_OK ? pawl_motion_json(&t->env, path, out) : status;
}

static pawl_status thumb_make(const view_thumbs *t, int index, pawl_string *out)
{
    char model_path[4096], folder[] = "/tmp/pawl-thumb-XXXXXX", path[64];
    (void)snprintf(model_path, sizeof model_path, "%s/%s", t->options->gallery_folder,
                   t->options->gallery[index]);
    if (mkdtemp(folder) == NULL) {
        return PAWL_IO_ERROR;
    }
    (void)snprintf(path, sizeof path, "%s/run.h5", folder);
    pawl_status status = thumb_run(t, model_path, path, out);
    (void)unlink(path);
    (void)rmdir(folder);
    return status;
}

// The one that was asked for last, or -1.
static int thumb_next(const view_thumbs *t)
{
    int next = -1;
    for (int i = 0; i < t->count; ++i) {
        if (t->thumbs[i].state == VIEW_THUMB_ASKED &&
            (next < 0 || t->thumbs[i].asked > t->thumbs[next].asked)) {
            next = i;
        }
    }
    return next;
}

static void *thumb_main(void *user)
{
    view_thumbs *t = user;
    (void)pthread_mutex_lock(&t->lock);
    while (!t->quit) {
        int next = thumb_next(t);
        if (next < 0) {
            (void)pthread_cond_wait(&t->asked, &t->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&t->lock);
        pawl_string document = {0};
        pawl_status status = thumb_make(t, next, &document);
        (void)pthread_mutex_lock(&t->lock);
        t->thumbs[next].document = document;
        t->thumbs[next].state = status == PAWL_OK ? VIEW_THUMB_READY : VIEW_THUMB_FAILED;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return NULL;
}

pawl_status view_thumbs_create(const pawl_env *env, const pawl_viewer_options *options,
                               view_thumbs **out)
{
    *out = NULL;
    int count = options->gallery_count;
    view_thumbs *t = pawl_alloc(env, sizeof *t + (size_t)count * sizeof t->thumbs[0]);
    if (t == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the gallery");
    }
    t->caller = env;
    t->env = *env;
    t->env.log = NULL;
    t->options = options;
    t->count = count;
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_cond_init(&t->asked, NULL);
    t->started = pthread_create(&t->thread, NULL, thumb_main, t) == 0;
    if (!t->started) {
        view_thumbs_destroy(t);
        return PAWL_FAIL(env, PAWL_IO_ERROR, "no thread for the gallery");
    }
    *out = t;
    return PAWL_OK;
}

void view_thumbs_destroy(view_thumbs *t)
{
    if (t == NULL) {
        return;
    }
    if (t->started) {
        (void)pthread_mutex_lock(&t->lock);
        t->quit = true;
        (void)pthread_cond_signal(&t->asked);
        (void)pthread_mutex_unlock(&t->lock);
        (void)pthread_join(t->thread, NULL);
    }
    for (int i = 0; i < t->count; ++i) {
        pawl_string_free(&t->env, &t->thumbs[i].document);
    }
    (void)pthread_mutex_destroy(&t->lock);
    (void)pthread_cond_destroy(&t->asked);
    pawl_free(t->caller, t, sizeof *t + (size_t)t->count * sizeof t->thumbs[0]);
}

view_thumb_state view_thumbs_get(view_thumbs *t, int index, pawl_string *out)
{
    *out = (pawl_string){0};
    if (t == NULL || index < 0 || index >= t->count) {
        return VIEW_THUMB_FAILED;
    }
    (void)pthread_mutex_lock(&t->lock);
    thumb *wanted = &t->thumbs[index];
    if (wanted->state == VIEW_THUMB_NONE) {
        wanted->state = VIEW_THUMB_ASKED;
        (void)pthread_cond_signal(&t->asked);
    }
    wanted->asked = ++t->order;
    view_thumb_state state = wanted->state;
    if (state == VIEW_THUMB_READY) {
        *out = wanted->document;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return state;
}
