// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Work comes in batches. Of a batch each rank takes every n-th item, and its threads take those one by one; then rank 0
// gathers the results by index. Apart from times the results do not depend on this distribution. Samples are
// processed in a scattered order, so that an interrupted run covers every machine.
#include "bench_work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "progress.h"
#include "timing.h"

enum { WORK_MAX_THREADS = 256, WORK_BATCH = 24 }; // samples a thread and batch
static const double work_flush = 15.0;            // seconds between two writings of results

typedef struct work_pool {
    void (*item)(void *user, int index);
    void *user;
    int end, stride; // items `next`, next + stride, ... before end
    atomic_int next;
} work_pool;

static void *work_thread(void *user)
{
    work_pool *pool = user;
    for (;;) {
        int index = atomic_fetch_add(&pool->next, pool->stride);
        if (index >= pool->end || interrupt_signal() != 0) {
            return NULL;
        }
        pool->item(pool->user, index);
    }
}

// The items first, first + stride, ... before end, by so many threads, this one among them.
static void work_run(int threads, int first, int end, int stride, void (*item)(void *, int),
                     void *user)
{
    work_pool pool = {.item = item, .user = user, .end = end, .stride = stride};
    pthread_t helpers[WORK_MAX_THREADS];
    int helper_count = 0;
    atomic_init(&pool.next, first);
    for (int i = 1; i < threads && i < WORK_MAX_THREADS; ++i) {
        helper_count += pthread_create(&helpers[helper_count], NULL, work_thread, &pool) == 0;
    }
    work_thread(&pool);
    for (int i = 0; i < helper_count; ++i) {
        pthread_join(helpers[i], NULL);
    }
}

// ---- Recording -----------------------------------------------------------------------------------

typedef struct record_work {
    pawl_env env; // says nothing: runs that fail say so in their verdict
    bench_run *runs;
    progress bar;
    pthread_mutex_t lock;
    int done;
} record_work;

static void record_item(void *user, int index)
{
    record_work *w = user;
    bench_run_do(&w->env, &w->runs[index]);
    pthread_mutex_lock(&w->lock);
    w->done += 1;
    progress_update_work(&w->bar, timing_now(), w->done, w->runs[index].system);
    pthread_mutex_unlock(&w->lock);
}

// Ranks other than 0 leave their samples in files of their own beside the first.
static bool record_write(console *con, const bench_run *runs, int count, const char *path)
{
    pawl_sample_writer *writer = NULL;
    int errors = con->error_count;
    pawl_status status = pawl_sample_writer_create(&con->env, path, &writer);
    for (int i = 0; i < count && status == PAWL_OK; ++i) {
        for (int k = 0; k < runs[i].sample_count && status == PAWL_OK; ++k) {
            status = pawl_sample_writer_add(writer, runs[i].samples[k], NULL, NULL);
        }
    }
    pawl_status closed = pawl_sample_writer_close(writer);
    status = status == PAWL_OK ? closed : status;
    if (status != PAWL_OK) {
        console_explain(con, errors, status, path);
    }
    return status == PAWL_OK;
}

// Rank 0 records all runs: a file of samples is made once, and every rank reads it then.
bool bench_record(console *con, const ranks *r, const bench_limits *limits, bench_run *runs,
                  int count, const char *path)
{
    bool done = true;
    if (r->rank == 0) {
        record_work w = {.env = con->env, .runs = runs, .bar = progress_begin(con, 0, count, 0.0)};
        w.env.log = NULL;
        pthread_mutex_init(&w.lock, NULL);
        work_run(limits->threads, 0, count, 1, record_item, &w);
        progress_end(&w.bar);
        pthread_mutex_destroy(&w.lock);
        done = interrupt_signal() == 0 && record_write(con, runs, count, path);
    }
    return !ranks_any(r, !done);
}

// ---- The matrix ----------------------------------------------------------------------------------

// A row of the matrix on its way to rank 0; the cells follow it.
typedef struct fill_row {
    int sample;
    bench_sample known;
} fill_row;

typedef struct fill_work {
    pawl_env env;
    pawl_sample_file *file;
    bench_data *data;
    const int *order; // (samples)
    double deadline;  // of the limits
    progress bar;
    pthread_mutex_t lock;
    int done;
    atomic_bool failed, spent;
    char failure[320];
} fill_work;

static void fill_fail(fill_work *w, int sample, pawl_status status)
{
    pthread_mutex_lock(&w->lock);
    if (!atomic_exchange(&w->failed, true)) {
        snprintf(w->failure, sizeof w->failure, "sample %d (%s, %s) failed with status %d", sample,
                 w->data->samples[sample].system, w->data->samples[sample].scenario, (int)status);
    }
    pthread_mutex_unlock(&w->lock);
}

static void fill_describe(const pawl_sample *sample, bench_sample *out)
{
    const pawl_sample_data *d = pawl_sample_get(sample);
    snprintf(out->system, sizeof out->system, "%s", d->system);
    snprintf(out->scenario, sizeof out->scenario, "%s", d->scenario);
    out->step = (int)d->step;
    out->rows = d->row_count;
    out->contacts = d->contact_count;
}

static void fill_item(void *user, int index)
{
    fill_work *w = user;
    int i = w->order[index];
    bench_sample *known = &w->data->samples[i];
    if (bench_is_done(w->data, i) || atomic_load(&w->failed)) {
        return;
    }
    if (timing_now() > w->deadline) {
        atomic_store(&w->spent, true);
        return;
    }
    bool perturb = w->data->options.perturb > 0 &&
                   i % w->data->options.perturb == 1 % w->data->options.perturb;
    pawl_sample *sample = NULL, *before = NULL;
    pawl_status status = pawl_sample_file_read(w->file, i, &sample);
    if (status == PAWL_OK && perturb && i > 0) {
        status = pawl_sample_file_read(w->file, i - 1, &before);
    }
    if (status == PAWL_OK) {
        fill_describe(sample, known);
        status = pawl_sample_measure(&w->env, sample, &known->properties);
    }
    if (status == PAWL_OK) {
        status = bench_solve_sample(&w->env, sample, before, perturb, &w->data->entries,
                                    &w->data->options, bench_cell_at(w->data, i, 0));
    }
    pawl_sample_destroy(sample);
    pawl_sample_destroy(before);
    if (status != PAWL_OK) {
        fill_fail(w, i, status);
        return;
    }
    known->measured = 1;
    pthread_mutex_lock(&w->lock);
    w->done += 1;
    progress_update_work(&w->bar, timing_now(), w->done, known->system);
    pthread_mutex_unlock(&w->lock);
}

// The rows of this batch that this rank has done, to rank 0. False when memory is out.
static bool fill_gather(const ranks *r, fill_work *w, int first, int end)
{
    bench_data *d = w->data;
    if (r->count == 1) {
        return true;
    }
    size_t cells = (size_t)d->entries.count * sizeof(bench_cell), size = sizeof(fill_row) + cells;
    char *mine = malloc((size_t)(end - first) * size + 1);
    size_t used = 0;
    for (int k = first + r->rank; mine != NULL && k < end; k += r->count) {
        int i = w->order[k];
        if (bench_is_done(d, i)) {
            fill_row row = {i, d->samples[i]};
            memcpy(mine + used, &row, sizeof row);
            memcpy(mine + used + sizeof row, bench_cell_at(d, i, 0), cells);
            used += size;
        }
    }
    if (ranks_any(r, mine == NULL)) {
        free(mine);
        return false;
    }
    size_t sizes[1024] = {0}, total = 0;
    char *all = ranks_gather(r, mine, used, r->count <= 1024 ? sizes : NULL);
    for (int i = 0; i < r->count && i < 1024; ++i) {
        total += sizes[i];
    }
    for (size_t at = 0; all != NULL && at < total; at += size) {
        fill_row row;
        memcpy(&row, all + at, sizeof row);
        d->samples[row.sample] = row.known;
        memcpy(bench_cell_at(d, row.sample, 0), all + at + sizeof row, cells);
    }
    bool lost = r->rank == 0 && all == NULL;
    free(all);
    free(mine);
    return !ranks_any(r, lost);
}

static int fill_divisor(int a, int b)
{
    return b == 0 ? a : fill_divisor(b, a % b);
}

// Multiples of a stride that is coprime to the count and near its golden section.
static void fill_order(int *order, int count)
{
    int stride = (int)(0.6180339887 * count);
    stride = stride < 1 ? 1 : stride;
    while (fill_divisor(stride, count) != 1) {
        ++stride;
    }
    for (int i = 0; i < count; ++i) {
        order[i] = (int)((long long)i * stride % count);
    }
}

// Batch after batch, until all is done or something ends it.
static bool fill_batches(console *con, const ranks *r, int threads, fill_work *w, const char *path)
{
    int count = w->data->sample_count, batch = WORK_BATCH * threads * r->count;
    double written = timing_now();
    bool going = true;
    for (int first = 0; first < count && going; first += batch) {
        int end = first + batch < count ? first + batch : count;
        work_run(threads, first + r->rank, end, r->count, fill_item, w);
        going = fill_gather(r, w, first, end);
        bool stop = atomic_load(&w->failed) || atomic_load(&w->spent) || interrupt_signal() != 0;
        going = !ranks_any(r, stop) && going;
        if (r->rank == 0 && (!going || end == count || timing_now() - written > work_flush)) {
            going = bench_data_write(con, w->data, path) && going;
            written = timing_now();
        }
        going = !ranks_any(r, !going);
    }
    return going;
}

bool bench_fill(console *con, const ranks *r, const bench_limits *limits, const char *samples_path,
                bench_data *data, const char *path, bool *spent)
{
    int *order = malloc(((size_t)data->sample_count + 1) * sizeof *order),
        errors = con->error_count;
    fill_work w = {.env = con->env,
                   .data = data,
                   .order = order,
                   .deadline = limits->deadline,
                   .done = bench_done_count(data)};
    w.env.log = NULL;
    w.bar = progress_begin(con, w.done, data->sample_count, 0.0);
    w.bar.enabled = w.bar.enabled && r->rank == 0;
    pthread_mutex_init(&w.lock, NULL);
    pawl_status status =
        order == NULL ? PAWL_NO_MEMORY : pawl_sample_file_open(&con->env, samples_path, &w.file);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, samples_path);
    }
    bool going = !ranks_any(r, status != PAWL_OK);
    if (going) {
        fill_order(order, data->sample_count);
        going = fill_batches(con, r, limits->threads, &w, path);
    }
    progress_end(&w.bar);
    if (atomic_load(&w.failed)) {
        console_error(con, "%s", w.failure);
    }
    *spent = ranks_any(r, atomic_load(&w.spent));
    pawl_sample_file_close(w.file);
    pthread_mutex_destroy(&w.lock);
    free(order);
    return going;
}
