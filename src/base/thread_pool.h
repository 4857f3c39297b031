// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A few threads that wait for work. Free threads take items one after another: the result of an item must depend only
// on the item, never on the worker, so that results are the same for any number of threads.
//
// Work in stages, such as the columns of a factor, has short items that wait for earlier ones: waking threads for
// each stage would take longer than the stage, so one run has all stages, and waiting threads spin.
#pragma once
#include "base/env.h"

typedef struct thread_pool thread_pool;
// The caller of pawl_thread_pool_run() is one of `threads` workers; the others are started here.
pawl_status pawl_thread_pool_create(const pawl_env *env, int threads, thread_pool **out);
void pawl_thread_pool_destroy(thread_pool *pool); // NULL is fine

// Calls task(user, worker, item) for all items below count, workers below `threads` each in one thread at
// a time, and returns when all are done. Never allocates.
typedef void thread_task(void *user, int worker, int item);
void pawl_thread_pool_run(thread_pool *pool, int count, thread_task *task, void *user);
// The same in stages: item k begins when the first after(user, k) items are done, which is k at most and not less than
// that of the item before.
typedef int thread_gate(const void *user, int item);
void pawl_thread_pool_run_stages(thread_pool *pool, int count, thread_task *task,
                                 thread_gate *after, void *user);

// The pool's own environment made safe for its threads: one call at a time reaches memory and the log.
// Valid while the pool is.
pawl_env pawl_thread_pool_env(thread_pool *pool);
