// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The pool: every item once, each worker in one thread at a time, memory through one door.
#include "base/thread_pool.h"
#include "support/test.h"

#include <stdatomic.h>
#include <string.h>

enum { POOL_ITEMS = 200, POOL_THREADS = 4, POOL_ROUNDS = 300 };

typedef struct pool_case {
    atomic_int done[POOL_ITEMS];
    atomic_int inside[POOL_THREADS]; // tasks that a worker is at
    atomic_int shared;               // workers that were at two at a time
    pawl_env env;
} pool_case;

static void pool_case_task(void *user, int worker, int item)
{
    pool_case *c = user;
    if (atomic_fetch_add(&c->inside[worker], 1) != 0) {
        atomic_fetch_add(&c->shared, 1);
    }
    void *block = pawl_alloc(&c->env, (size_t)(item + 1));
    atomic_fetch_add(&c->done[item], block != NULL ? 1 : 100);
    pawl_free(&c->env, block, (size_t)(item + 1));
    atomic_fetch_sub(&c->inside[worker], 1);
}

TEST(every_item_is_done_once_in_every_run)
{
    test_env t;
    test_env_init(&t);
    thread_pool *pool;
    CHECK_OK(pawl_thread_pool_create(&t.env, POOL_THREADS, &pool));
    static pool_case c;
    memset(&c, 0, sizeof c);
    c.env = pawl_thread_pool_env(pool);
    for (int round = 1; round <= POOL_ROUNDS; ++round) {
        int count = round % (POOL_ITEMS + 1);
        for (int i = 0; i < POOL_ITEMS; ++i) {
            atomic_store(&c.done[i], 0);
        }
        pawl_thread_pool_run(pool, count, pool_case_task, &c);
        for (int i = 0; i < POOL_ITEMS; ++i) {
            CHECK_INT(atomic_load(&c.done[i]), i < count ? 1 : 0);
        }
    }
    CHECK_INT(atomic_load(&c.shared), 0);
    pawl_thread_pool_destroy(pool);
    CHECK_NO_LEAK(&t);
}

// Items in stages of 1, 2, 3 ... items: each finds all items of the stages before it done, and none of those after.
typedef struct stage_case {
    int first[POOL_ITEMS]; // of an item's stage
    atomic_int done[POOL_ITEMS];
    atomic_int early; // items that began before an item of a stage before them was done
} stage_case;

static int stage_case_after(const void *user, int item)
{
    return ((const stage_case *)user)->first[item];
}

static void stage_case_task(void *user, int worker, int item)
{
    stage_case *c = user;
    (void)worker;
    for (int i = 0; i < POOL_ITEMS; ++i) {
        bool before = i<c->first[item], after = c->first[i]> item;
        if ((before && atomic_load(&c->done[i]) != 1) || (after && atomic_load(&c->done[i]) != 0)) {
            atomic_fetch_add(&c->early, 1);
        }
    }
    atomic_fetch_add(&c->done[item], 1);
}

TEST(items_of_a_stage_wait_for_those_before)
{
    test_env t;
    test_env_init(&t);
    for (int threads = 2; threads <= 7; ++threads) {
        thread_pool *pool;
        CHECK_OK(pawl_thread_pool_create(&t.env, threads, &pool));
        static stage_case c;
        for (int round = 0; round < 20; ++round) {
            memset(&c, 0, sizeof c);
            for (int i = 0, stage = 0, size = 1 + round % 5; i < POOL_ITEMS; ++i) {
                if (i == stage + size) {
                    stage = i;
                    size = 1 + (size + round) % 9;
                }
                c.first[i] = stage;
            }
            pawl_thread_pool_run_stages(pool, POOL_ITEMS, stage_case_task, stage_case_after, &c);
            CHECK_INT(atomic_load(&c.early), 0);
            for (int i = 0; i < POOL_ITEMS; ++i) {
                CHECK_INT(atomic_load(&c.done[i]), 1);
            }
        }
        pawl_thread_pool_destroy(pool);
    }
    CHECK_NO_LEAK(&t);
}

TEST(a_pool_that_never_ran_ends)
{
    for (int threads = 2; threads < 10; ++threads) {
        test_env t;
        test_env_init(&t);
        thread_pool *pool;
        CHECK_OK(pawl_thread_pool_create(&t.env, threads, &pool));
        pawl_thread_pool_destroy(pool);
        CHECK_NO_LEAK(&t);
    }
    pawl_thread_pool_destroy(NULL);
}
