// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One engine on one scene. Judging and timing are separate runs, so that neither the reading of
// poses nor the clock is part of the time, and every repetition covers the same steps of the same
// motion.
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bench_result bench_judge(const bench_peer *peer, const bench_scene *scene, double dt,
                         double duration, double budget)
{
    bench_result result = {.median = NAN, .measure = bench_measure_begin(scene)};
    if (peer->max_bodies > 0 && scene->body_count > peer->max_bodies) {
        result.outcome = BENCH_SKIPPED;
        return result;
    }
    pawl_pose *poses = calloc((size_t)scene->body_count, sizeof *poses);
    pawl_twist *twists = calloc((size_t)scene->body_count, sizeof *twists);
    void *world = poses == NULL || twists == NULL ? NULL : peer->create(scene, dt, peer->option);
    if (world == NULL) {
        result.outcome = BENCH_REFUSED;
        free(poses);
        free(twists);
        return result;
    }
    if (peer->watch != NULL) {
        peer->watch(world);
    }
    int wanted = (int)lround(duration / dt);
    int settled = (int)lround(scene->settle / dt);
    while (result.steps < wanted) {
        if (result.spent > budget) {
            result.cut = true;
            break;
        }
        double before = bench_cpu_time();
        bool alive = peer->step(world);
        result.spent += bench_cpu_time() - before;
        if (alive) {
            peer->read(world, poses, twists);
            bench_measure_add(&result.measure, poses, twists);
        }
        if (!alive || result.measure.exploded) {
            result.outcome = BENCH_EXPLODED;
            break;
        }
        ++result.steps;
        if (result.steps == settled) {
            bench_measure_mark(&result.measure, (wanted - result.steps) * dt);
        }
    }
    if (peer->effort != NULL) {
        result.effort = peer->effort(world);
    }
    peer->destroy(world);
    free(poses);
    free(twists);
    result.simulated = result.steps * dt;
    if (result.steps > 0) {
        result.median = result.spent / result.steps; // a first guess, for bench_time()
    }
    return result;
}

static int runner_compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double runner_median(const double *values, int count)
{
    double sorted[BENCH_MAX_REPEATS];
    for (int i = 0; i < count; ++i) {
        sorted[i] = values[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, runner_compare);
    return 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

void bench_time(bench_result *result, const bench_peer *peer, const bench_scene *scene, double dt,
                double budget)
{
    if (result->steps == 0 || result->repeats == BENCH_MAX_REPEATS) {
        return;
    }
    if (result->timed_steps == 0) {
        double fit = budget / fmax(result->median, 1e-9);
        result->timed_steps = fit < result->steps ? (int)fmax(fit, 1.0) : result->steps;
    }
    void *world = peer->create(scene, dt, peer->option);
    if (world == NULL) {
        return;
    }
    double before = bench_cpu_time();
    for (int i = 0; i < result->timed_steps; ++i) {
        peer->step(world);
    }
    double spent = bench_cpu_time() - before;
    peer->destroy(world);
    result->seconds[result->repeats++] = spent / result->timed_steps;
    result->median = runner_median(result->seconds, result->repeats);
}
