// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The same bits for any number of threads, while islands meet and part.
#include "support/many_things.h"

#include <stdint.h>

typedef struct thread_run {
    uint64_t hash[5]; // of the state after every hundred steps
    int fewest, most; // islands
    int64_t iterations, factorizations;
} thread_run;

static thread_run thread_run_make(pawl_delassus_kind delassus, int threads, int steps, int budget)
{
    mechanism m;
    thread_run run = {.fewest = INT32_MAX};
    many_things_build(&m);
    pawl_settings settings = scene_settings(2e-3);
    settings.delassus = delassus;
    settings.threads = threads;
    settings.solver.budget = budget;
    mechanism_start(&m, &settings);
    for (int i = 0; i < steps; ++i) {
        scene_step(&m);
        run.fewest = m.report.islands < run.fewest ? m.report.islands : run.fewest;
        run.most = m.report.islands > run.most ? m.report.islands : run.most;
        run.hash[i / 100] = pawl_state_hash(mechanism_state(&m));
    }
    run.iterations = m.verdict.iterations_sum;
    run.factorizations = m.verdict.factorizations_sum;
    mechanism_end(&m);
    return run;
}

static void thread_run_compare(const thread_run *one, const thread_run *other)
{
    for (int i = 0; i < 5; ++i) {
        CHECK(one->hash[i] == other->hash[i]);
    }
    CHECK_INT(other->iterations, one->iterations);
    CHECK_INT(other->factorizations, one->factorizations);
    CHECK_INT(other->fewest, one->fewest);
    CHECK_INT(other->most, one->most);
}

TEST(one_two_three_and_seven_threads_end_in_the_same_bits)
{
    thread_run one = thread_run_make(PAWL_DELASSUS_AUTO, 1, 500, 0);
    // Many at a time, and they meet: a ball in a stack is one island, not two.
    CHECK(one.most >= MANY_THINGS - MANY_BALLS);
    CHECK(one.fewest < one.most);
    for (int threads = 2; threads <= 7; threads += threads == 3 ? 4 : 1) {
        thread_run other = thread_run_make(PAWL_DELASSUS_AUTO, threads, 500, 0);
        thread_run_compare(&one, &other);
    }
}

TEST(budgets_give_the_same_bits_with_threads)
{
    thread_run one = thread_run_make(PAWL_DELASSUS_AUTO, 1, 60, 8);
    for (int threads = 2; threads <= 7; threads += threads == 3 ? 4 : 1) {
        thread_run other = thread_run_make(PAWL_DELASSUS_AUTO, threads, 60, 8);
        thread_run_compare(&one, &other);
    }
}

TEST(every_operator_gives_the_same_bits_with_threads)
{
    for (int kind = PAWL_DELASSUS_DENSE; kind < PAWL_DELASSUS_COUNT; ++kind) {
        thread_run one = thread_run_make((pawl_delassus_kind)kind, 1, 30, 0);
        thread_run four = thread_run_make((pawl_delassus_kind)kind, 4, 30, 0);
        thread_run_compare(&one, &four);
    }
}
