// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A pool of worker threads with one shared counter of items. A free thread takes the next item, so results must
// depend only on the item: then they have the same bits for any number of threads. In a run with stages an item may
// have to wait for earlier items. Running threads have already taken all of these, and the first of them never waits,
// so there is no deadlock.
#define _POSIX_C_SOURCE 200809L // pthread_sigmask
#include "base/thread_pool.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

// Looks at the counter before a waiting thread lets others have the processor: microseconds.
enum { POOL_SPINS = 4000 };

typedef struct pool_worker {
    thread_pool *pool;
    int index;
    pthread_t thread;
} pool_worker;

struct thread_pool {
    pawl_env env;
    pthread_mutex_t env_lock;
    pthread_mutex_t lock; // of what follows, but for `next`
    pthread_cond_t wake, done;
    uint64_t generation; // of runs
    bool open, stop;     // a run takes workers; all are to end
    int running;         // workers at a run, its caller not counted
    atomic_int next;     // item
    atomic_int finished; // items of a run with stages
    int count;
    thread_task *task;
    thread_gate *after; // NULL: no stages
    void *user;
    int started;
    pool_worker *workers; // (capacity)
    int capacity;
};

static void pool_wait(thread_pool *pool, int item)
{
    int wanted = pool->after(pool->user, item);
    for (int spins = 0; atomic_load_explicit(&pool->finished, memory_order_acquire) < wanted;
         ++spins) {
        if (spins >= POOL_SPINS) {
            sched_yield();
        }
    }
}

static void pool_work(thread_pool *pool, int worker)
{
    for (;;) {
        int item = atomic_fetch_add(&pool->next, 1);
        if (item >= pool->count) {
            return;
        }
        if (pool->after != NULL) {
            pool_wait(pool, item);
        }
        pool->task(pool->user, worker, item);
        if (pool->after != NULL) {
            atomic_fetch_add_explicit(&pool->finished, 1, memory_order_release);
        }
    }
}

static void *pool_main(void *argument)
{
    const pool_worker *self = argument;
    thread_pool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        if (!pool->open || pool->generation == seen) {
            pthread_cond_wait(&pool->wake, &pool->lock);
            continue;
        }
        seen = pool->generation;
        ++pool->running;
        pthread_mutex_unlock(&pool->lock);
        pool_work(pool, self->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->running == 0) {
            pthread_cond_signal(&pool->done);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

// The program's signals are for its own threads.
static pawl_status pool_start(thread_pool *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = 0;
    while (pool->started < pool->capacity && failed == 0) {
        pool_worker *w = &pool->workers[pool->started];
        *w = (pool_worker){.pool = pool, .index = pool->started + 1};
        failed = pthread_create(&w->thread, NULL, pool_main, w);
        pool->started += failed == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0 ? PAWL_OK
                       : PAWL_FAIL(&pool->env, PAWL_NO_MEMORY,
                                   "the system could start only %d of %d threads; set fewer",
                                   pool->started + 1, pool->capacity + 1);
}

pawl_status pawl_thread_pool_create(const pawl_env *env, int threads, thread_pool **out)
{
    *out = NULL;
    thread_pool *pool = pawl_alloc(env, sizeof *pool);
    pool_worker *workers = pawl_alloc(env, (size_t)(threads - 1) * sizeof *workers);
    if (pool == NULL || workers == NULL) {
        pawl_free(env, pool, sizeof *pool);
        pawl_free(env, workers, (size_t)(threads - 1) * sizeof *workers);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for %d threads", threads);
    }
    pool->env = *env;
    pool->workers = workers;
    pool->capacity = threads - 1;
    atomic_init(&pool->next, 0);
    atomic_init(&pool->finished, 0);
    pthread_mutex_init(&pool->env_lock, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pawl_status status = pool_start(pool);
    if (status != PAWL_OK) {
        pawl_thread_pool_destroy(pool);
        return status;
    }
    *out = pool;
    return PAWL_OK;
}

void pawl_thread_pool_destroy(thread_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; ++i) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->env_lock);
    pawl_env env = pool->env;
    pawl_free(&env, pool->workers, (size_t)pool->capacity * sizeof *pool->workers);
    pawl_free(&env, pool, sizeof *pool);
}

void pawl_thread_pool_run(thread_pool *pool, int count, thread_task *task, void *user)
{
    pawl_thread_pool_run_stages(pool, count, task, NULL, user);
}

void pawl_thread_pool_run_stages(thread_pool *pool, int count, thread_task *task,
                                 thread_gate *after, void *user)
{
    pthread_mutex_lock(&pool->lock);
    pool->count = count;
    pool->task = task;
    pool->after = after;
    pool->user = user;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->finished, 0);
    ++pool->generation;
    pool->open = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    pool_work(pool, 0);
    // Whoever has not woken up by now is not waited for.
    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    while (pool->running > 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void *pool_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    thread_pool *pool = user;
    pthread_mutex_lock(&pool->env_lock);
    void *fresh = pool->env.resize(pool->env.user, block, old_size, new_size);
    pthread_mutex_unlock(&pool->env_lock);
    return fresh;
}

static void pool_log(void *user, pawl_log_level level, const char *message)
{
    thread_pool *pool = user;
    pthread_mutex_lock(&pool->env_lock);
    pool->env.log(pool->env.user, level, message);
    pthread_mutex_unlock(&pool->env_lock);
}

pawl_env pawl_thread_pool_env(thread_pool *pool)
{
    return (pawl_env){
        .resize = pool_resize, .log = pool->env.log == NULL ? NULL : pool_log, .user = pool};
}
