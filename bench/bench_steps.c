// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl alone on one scene for a number of steps: iterations, factorizations, steps above the tolerance and CPU time by
// phase. For instruction counts: two runs of different length under valgrind --tool=callgrind, and the difference.
#include "pawl_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct steps_options {
    const char *scene;
    int size, steps, from; // from: the step from which on figures count
    double dt;
    bool each;
    pawl_settings settings;
} steps_options;

static bench_scene *steps_spheres(int n)
{
    return bench_scene_bin(BENCH_SPHERE, n);
}
static bench_scene *steps_boxes(int n)
{
    return bench_scene_bin(BENCH_BOX, n);
}
static bench_scene *steps_heavy(int n)
{
    return bench_scene_heavy_stack(n, 1000.0);
}
static bench_scene *steps_nunchuk(int n)
{
    (void)n;
    return bench_scene_nunchuk();
}
static bench_scene *steps_quadruped(int n)
{
    (void)n;
    return bench_scene_quadruped();
}
static bench_scene *steps_toss(int n)
{
    (void)n;
    return bench_scene_toss();
}
static bench_scene *steps_slide(int n)
{
    (void)n;
    return bench_scene_spinning_box();
}

static const struct steps_scene {
    const char *name;
    bench_scene *(*make)(int size);
    int size; // unless said otherwise
} steps_scenes[] = {
    {"stack", bench_scene_stack, 10},   {"wall", bench_scene_wall, 10},
    {"cards", bench_scene_cards, 3},    {"spheres", steps_spheres, 100},
    {"boxes", steps_boxes, 100},        {"heap", bench_scene_heap, 4},
    {"heavy", steps_heavy, 10},         {"nunchuk", steps_nunchuk, 0},
    {"quadruped", steps_quadruped, 0},  {"toss", steps_toss, 0},
    {"spin", steps_slide, 0},           {"chain", bench_scene_chain, 10},
    {"ladder", bench_scene_ladder, 10},
};

static double steps_now(void *user)
{
    (void)user;
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int steps_usage(void)
{
    fprintf(stderr, "usage: bench_steps SCENE [--size N] [--steps N] [--from N] [--dt S] [--each] "
                    "[--set KEY=VALUE]...\nscenes:");
    for (size_t i = 0; i < sizeof steps_scenes / sizeof steps_scenes[0]; ++i) {
        fprintf(stderr, " %s", steps_scenes[i].name);
    }
    fprintf(stderr, "\n");
    return 2;
}

static bool steps_set(const pawl_env *env, pawl_settings *settings, char *text)
{
    char *equals = strchr(text, '=');
    if (equals == NULL) {
        fprintf(stderr, "bench_steps: --set takes KEY=VALUE, got '%s'\n", text);
        return false;
    }
    *equals = '\0';
    return pawl_settings_set(env, settings, text, equals + 1) == PAWL_OK;
}

static bool steps_parse(int count, char **arguments, steps_options *o)
{
    pawl_env env = pawl_env_default();
    *o = (steps_options){.size = -1, .steps = 200, .dt = 5e-3, .settings = pawl_settings_default()};
    for (int i = 1; i < count; ++i) {
        const char *a = arguments[i];
        bool more = i + 1 < count;
        if (a[0] != '-' && o->scene == NULL) {
            o->scene = a;
        } else if (strcmp(a, "--each") == 0) {
            o->each = true;
        } else if (strcmp(a, "--size") == 0 && more) {
            o->size = atoi(arguments[++i]);
        } else if (strcmp(a, "--steps") == 0 && more) {
            o->steps = atoi(arguments[++i]);
        } else if (strcmp(a, "--from") == 0 && more) {
            o->from = atoi(arguments[++i]);
        } else if (strcmp(a, "--dt") == 0 && more) {
            o->dt = strtod(arguments[++i], NULL);
        } else if (strcmp(a, "--set") == 0 && more) {
            if (!steps_set(&env, &o->settings, arguments[++i])) {
                return false;
            }
        } else {
            fprintf(stderr, "bench_steps: unknown or incomplete option '%s'\n", a);
            return false;
        }
    }
    o->settings.dt = o->dt;
    return o->scene != NULL;
}

static bench_scene *steps_make(const steps_options *o)
{
    for (size_t i = 0; i < sizeof steps_scenes / sizeof steps_scenes[0]; ++i) {
        if (strcmp(steps_scenes[i].name, o->scene) == 0) {
            return steps_scenes[i].make(o->size >= 0 ? o->size : steps_scenes[i].size);
        }
    }
    return NULL;
}

static void steps_run(const steps_options *o, bench_world *world)
{
    double seconds[PAWL_PHASE_COUNT] = {0}, worst = 0.0, deepest = 0.0, start = 0.0;
    long iterations = 0, factors = 0, contacts = 0;
    int unsolved = 0, most = 0, counted = 0, methods[PAWL_METHOD_COUNT] = {0};
    pawl_step_report r = {0};
    for (int k = 0; k < o->steps; ++k) {
        start = k == o->from ? steps_now(NULL) : start;
        if (pawl_sim_step(world->sim, &r) != PAWL_OK) {
            printf("step %d failed\n", k);
            break;
        }
        if (o->each) {
            printf("%5d contacts %4d iterations %5d factors %4d %-8s residual %.2e\n", k,
                   r.contacts, r.iterations, r.factorizations, pawl_method_name(r.method),
                   r.own_residual);
        }
        if (k < o->from) {
            continue;
        }
        ++counted;
        iterations += r.iterations;
        factors += r.factorizations;
        contacts += r.contacts;
        most = r.iterations > most ? r.iterations : most;
        unsolved += r.outcome != PAWL_CONVERGED;
        ++methods[r.method];
        worst = fmax(worst, r.own_residual);
        deepest = fmax(deepest, r.penetration);
        for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
            seconds[p] += r.seconds[p];
        }
    }
    double n = counted > 0 ? counted : 1;
    printf("contacts %.1f iterations %.2f (most %d) factors %.2f unsolved %d of %d worst %.1e "
           "depth %.1e kinetic %.2e  us/step %.1f:",
           (double)contacts / n, (double)iterations / n, most, (double)factors / n, unsolved,
           counted, worst, deepest, r.energy.kinetic, 1e6 * (steps_now(NULL) - start) / n);
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        printf(" %s %.1f", pawl_phase_name((pawl_phase)p), 1e6 * seconds[p] / n);
    }
    for (int m = 0; m < PAWL_METHOD_COUNT; ++m) {
        if (methods[m] > 0) {
            printf(" %s:%d", pawl_method_name((pawl_method)m), methods[m]);
        }
    }
    printf("\n");
}

int main(int argument_count, char **arguments)
{
    steps_options o;
    if (!steps_parse(argument_count, arguments, &o)) {
        return steps_usage();
    }
    bench_scene *scene = steps_make(&o);
    if (scene == NULL) {
        return steps_usage();
    }
    bench_world *world = bench_world_create(scene, &o.settings);
    if (world == NULL) {
        return 1;
    }
    pawl_sim_set_clock(world->sim, steps_now, NULL);
    printf("%-22s dt %g ms: ", scene->name, 1e3 * o.dt);
    steps_run(&o, world);
    bench_world_destroy(world);
    bench_scene_destroy(scene);
    return 0;
}
