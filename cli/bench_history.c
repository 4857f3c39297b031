// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One sample of each run, the middle one of those completed, is solved once more by every solver, and the residual of
// Coulomb's law is recorded after its iterations: after each of the first ones, then at intervals that grow by an
// eighth, so that a history of thousands of iterations has a few dozen points, evenly spaced on a logarithmic axis.
#include "bench_history.h"

#include <stdlib.h>
#include <string.h>

#include "bench_matrix.h"

enum { HISTORY_DENSE = 16 }; // iterations up to which each is noted

typedef struct history_list {
    bench_point *points;
    int count, room;
    bench_point now; // sample and entry at work; the last iteration seen
    int next;        // the iteration to be noted next
    bool failed;
} history_list;

static void history_note(history_list *h, int iteration, double residual)
{
    if (h->count == h->room) {
        int room = 2 * h->room + 1024;
        bench_point *grown = realloc(h->points, (size_t)room * sizeof *grown);
        h->failed = h->failed || grown == NULL;
        if (grown == NULL) {
            return;
        }
        h->points = grown;
        h->room = room;
    }
    h->points[h->count++] = (bench_point){h->now.sample, h->now.entry, iteration, residual};
    h->next = iteration < HISTORY_DENSE ? iteration + 1 : iteration + iteration / 8;
}

static void history_watch(void *user, int iteration, const pawl_residual *residual)
{
    history_list *h = user;
    if (iteration >= h->next) {
        history_note(h, iteration, residual->natural_scaled);
    }
}

// The last point is the answer, with all that is recovered after the iterations.
static pawl_status history_solve(const pawl_env *env, const pawl_sample *sample,
                                 const bench_entry *entry, const bench_options *options,
                                 double *lambda, history_list *h)
{
    pawl_sample_solver *solver = NULL;
    pawl_sample_result result;
    pawl_settings settings = bench_entry_settings(entry, options);
    pawl_status status = pawl_sample_solver_create(env, sample, &settings, &solver);
    h->next = 1;
    if (status == PAWL_OK) {
        memset(lambda, 0, (size_t)pawl_sample_get(sample)->row_count * sizeof *lambda);
        status = pawl_sample_solver_run(solver, NULL, history_watch, h, lambda, &result);
    }
    if (status == PAWL_OK) {
        int last = result.iterations > 0 ? result.iterations : 1;
        while (h->count > 0 && h->points[h->count - 1].sample == h->now.sample &&
               h->points[h->count - 1].entry == h->now.entry &&
               h->points[h->count - 1].iteration >= last) {
            --h->count;
        }
        history_note(h, last, result.residual.natural_scaled);
    }
    pawl_sample_solver_destroy(solver);
    return status;
}

static pawl_status history_sample(const pawl_env *env, pawl_sample_file *file, const bench_data *d,
                                  int index, history_list *h)
{
    pawl_sample *sample = NULL;
    pawl_status status = pawl_sample_file_read(file, index, &sample);
    double *lambda = status == PAWL_OK
                         ? calloc((size_t)pawl_sample_get(sample)->row_count + 1, sizeof *lambda)
                         : NULL;
    status = status == PAWL_OK && lambda == NULL ? PAWL_NO_MEMORY : status;
    for (int e = 0; e < d->entries.count && status == PAWL_OK; ++e) {
        if (bench_cell_at(d, index, e)->done == 1) {
            h->now = (bench_point){.sample = index, .entry = e};
            status = history_solve(env, sample, &d->entries.list[e], &d->options, lambda, h);
        }
    }
    free(lambda);
    pawl_sample_destroy(sample);
    return h->failed ? PAWL_NO_MEMORY : status;
}

static bool history_is_same_run(const bench_sample *a, const bench_sample *b)
{
    return strcmp(a->system, b->system) == 0 && strcmp(a->scenario, b->scenario) == 0;
}

// The middle one of the samples of a run that are done, -1 for none; the run begins at `first` and ends before *end. Samples
// that are not done have no names yet: they are taken for parts of the run around them.
static int history_choose(const bench_data *d, int first, int *end)
{
    int done = 0, seen = 0;
    while (first < d->sample_count && !bench_is_done(d, first)) {
        ++first;
    }
    for (*end = first;
         *end < d->sample_count &&
         (!bench_is_done(d, *end) || history_is_same_run(&d->samples[*end], &d->samples[first]));
         ++*end) {
        done += bench_is_done(d, *end) ? 1 : 0;
    }
    for (int i = first; i < *end; ++i) {
        if (bench_is_done(d, i) && seen++ == done / 2) {
            return i;
        }
    }
    return -1;
}

bool bench_history_record(console *con, const char *samples_path, bench_data *d)
{
    pawl_sample_file *file = NULL;
    history_list h = {0};
    pawl_env silent = con->env;
    silent.log = NULL;
    int errors = con->error_count;
    pawl_status status = pawl_sample_file_open(&con->env, samples_path, &file);
    for (int first = 0, end; first < d->sample_count && status == PAWL_OK; first = end) {
        int index = history_choose(d, first, &end);
        if (index >= 0) {
            status = history_sample(&silent, file, d, index, &h);
        }
    }
    pawl_sample_file_close(file);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, samples_path);
        free(h.points);
        return false;
    }
    free(d->points);
    d->points = h.points;
    d->point_count = h.count;
    return true;
}
