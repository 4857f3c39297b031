// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The gain by warm starts: iterations and time per step for each kind of start, over scenes that rest, slide, tumble
// and fall in a heap, at the default tolerance.
#include "pawl_world.h"
#include "runner.h"

#include "pawl/pawl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct warm_variant {
    const char *name, *start, *scale;
} warm_variant;
static const warm_variant warm_variants[] = {{"off", "off", "1"},
                                             {"matched", "matched", "1"},
                                             {"matched 0.9", "matched", "0.9"},
                                             {"guess", "guess", "1"}};
enum { WARM_VARIANTS = sizeof warm_variants / sizeof warm_variants[0] };
static const char *const warm_solvers[] = {"auto", "admm-ncp", "pgs-ncp", "nsgs"};
enum { WARM_SOLVERS = sizeof warm_solvers / sizeof warm_solvers[0] };

typedef struct warm_scene {
    bench_scene *scene;
    int steps; // of 1 ms
} warm_scene;

static void warm_must(pawl_status status, const char *what)
{
    if (status != PAWL_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, pawl_status_name(status));
        exit(1);
    }
}

static void warm_run(const warm_scene *s, const char *solver, const warm_variant *variant,
                     int steps)
{
    pawl_env env = pawl_env_default();
    pawl_settings settings = pawl_settings_default();
    warm_must(pawl_settings_set(&env, &settings, "solver", solver), solver);
    warm_must(pawl_settings_set(&env, &settings, "solver.warm_start", variant->start),
              variant->start);
    warm_must(pawl_settings_set(&env, &settings, "solver.warm_start_scale", variant->scale),
              variant->scale);
    bench_world *world = bench_world_create(s->scene, &settings);
    if (world == NULL) {
        exit(1);
    }
    pawl_sim *sim = world->sim;
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    double begin = bench_cpu_time();
    for (int k = 0; k < steps; ++k) {
        pawl_step_report report;
        warm_must(pawl_sim_step(sim, &report), s->scene->name);
        pawl_verdict_add(&verdict, &report);
    }
    double spent = bench_cpu_time() - begin;
    printf("%-20s %-9s %-12s %10.2f %6d %8lld %9.1f\n", s->scene->name, solver, variant->name,
           (double)verdict.iterations_sum / (double)steps, verdict.iterations_max,
           (long long)verdict.not_converged, 1e6 * spent / steps);
    fflush(stdout);
    bench_world_destroy(world);
}

int main(int count, char **arguments)
{
    bool quick = count == 2 && strcmp(arguments[1], "--quick") == 0;
    if (count > 1 && !quick) {
        fprintf(stderr, "usage: bench_warm_start [--quick]\n");
        return 2;
    }
    const warm_scene scenes[] = {{bench_scene_sliding_box(), 1000},  {bench_scene_nunchuk(), 2000},
                                 {bench_scene_quadruped(), 1000},    {bench_scene_stack(10), 100},
                                 {bench_scene_spinning_box(), 1000}, {bench_scene_heap(3), 700}};
    printf("warm starts: iterations a step (mean and most), steps above the tolerance, CPU time\n"
           "%-20s %-9s %-12s %10s %6s %8s %9s\n",
           "scene", "solver", "start", "iterations", "most", "unsolved", "us a step");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        for (int s = 0; s < WARM_SOLVERS; ++s) {
            for (int w = 0; w < WARM_VARIANTS; ++w) {
                int steps = quick ? scenes[i].steps / 50 : scenes[i].steps;
                warm_run(&scenes[i], warm_solvers[s], &warm_variants[w], steps);
            }
        }
        bench_scene_destroy(scenes[i].scene);
    }
    return 0;
}
