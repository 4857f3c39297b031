// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Up to 1000 spheres and boxes dropped into a bin: the time of a step by phase, how each phase grows with the number
// of bodies, and whether the bodies come to rest without overlaps.
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BIN_DT 5e-3
// In a heap that moves, exact answers take most of the time and are of little use: sweeps come
// furthest with a hundred iterations, and what they leave open shows in the figures.
#define BIN_TOLERANCE 1e-6
#define BIN_ITERATIONS 100

typedef struct bin_size {
    int count;
    bool in_quick;
} bin_size;
static const bin_size bin_sizes[] = {
    {27, true}, {125, false}, {250, false}, {500, false}, {1000, false}};
enum { BIN_SIZES = sizeof bin_sizes / sizeof bin_sizes[0] };

// Defaults but for what is above; the solver is the first whose name contains that of --engine.
static pawl_settings bin_settings(const bench_options *options)
{
    pawl_settings settings = pawl_settings_default();
    settings.dt = BIN_DT;
    settings.solver.tolerance = BIN_TOLERANCE;
    settings.solver.max_iterations = BIN_ITERATIONS;
    settings.solver.kind = PAWL_SOLVER_PGS_NCP;
    for (int k = PAWL_SOLVER_COUNT - 1; k >= 0 && options->engine != NULL; --k) {
        if (strstr(pawl_solver_name(k), options->engine) != NULL) {
            settings.solver.kind = (pawl_solver_kind)k;
        }
    }
    return settings;
}

static void bin_headline(const pawl_settings *settings, double duration)
{
    printf("pawl %s, one thread: bodies of 0.1 m let fall into a bin, dt %g ms, %g s\n"
           "%s, tolerance %g m/s, at most %d iterations (--engine NAME for another solver)\n",
           pawl_version(), 1e3 * settings->dt, duration,
           pawl_solver_name((int)settings->solver.kind), settings->solver.tolerance,
           settings->solver.max_iterations);
    fputs(
        "  contacts   most in a step, and in a step of the last tenth of the run\n"
        "  us/step    CPU time of the mean step and what each phase has of it; settled: of the "
        "last tenth\n"
        "  iter, most, open  solver iterations a step, most of them, steps above the tolerance\n"
        "  sunk       deepest overlap, over the run and in the end, found anew from the poses\n"
        "  speed      of the fastest body in the end; energy: what is left of that at the start\n",
        stdout);
}

static void bin_print_titles(void)
{
    printf("\n%-20s%8s%8s%10s%10s", "scene", "contacts", "settled", "us/step", "settled");
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        printf("%10s", pawl_phase_name((pawl_phase)p));
    }
    printf("%7s%6s%6s%9s%9s%9s%8s\n", "iter", "most", "open", "sunk m", "at end", "speed",
           "energy");
}

static void bin_print(const bench_scene *scene, const bench_trial *trial)
{
    const pawl_verdict *v = &trial->verdict;
    const bench_touch *touch = &trial->measure.touch;
    printf("%-20s%8d%8.0f%10.0f%10.0f", scene->name, v->contacts_max, trial->settled_contacts,
           1e6 * trial->seconds, 1e6 * trial->settled_seconds);
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        printf("%10.1f", 1e6 * trial->phases[p]);
    }
    printf("%7.1f%6d%6d%9.1e%9.1e%9.1e%7.1f%%%s\n",
           (double)v->iterations_sum / (double)(v->steps > 0 ? v->steps : 1), v->iterations_max,
           (int)v->not_converged, touch->penetration, touch->penetration_end, touch->speed_end,
           100.0 * v->energy_final / v->energy_initial, trial->failed ? "  FAILED" : "");
    fflush(stdout);
}

// How a figure grows with the number of bodies: the exponent between two sizes.
static double bin_growth(double few, double many, const bench_trial *small,
                         const bench_trial *large)
{
    return log(many / few) / log((double)large->bodies / small->bodies);
}

static void bin_print_growth(const char *kind, const bench_trial *trials, const bool *done)
{
    int first = 1; // from 125 on; fewer are all wall
    int last = BIN_SIZES - 1;
    if (!done[first] || !done[last]) {
        return;
    }
    const bench_trial *few = &trials[first], *many = &trials[last];
    printf("%s, growth from %d to %d as a power of the number: contacts %.2f, step %.2f", kind,
           few->bodies, many->bodies,
           bin_growth(few->settled_contacts, many->settled_contacts, few, many),
           bin_growth(few->seconds, many->seconds, few, many));
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        printf(", %s %.2f", pawl_phase_name((pawl_phase)p),
               bin_growth(few->phases[p], many->phases[p], few, many));
    }
    double iterations = (double)many->verdict.iterations_sum / (double)few->verdict.iterations_sum;
    printf(", iterations %.2f\n", bin_growth(1.0, iterations, few, many));
}

int main(int argument_count, char **arguments)
{
    bench_options options = bench_parse("bench_bin", "pawl on bins full of spheres and of boxes",
                                        argument_count, arguments);
    double duration = options.quick ? 0.5 : 10.0;
    pawl_settings settings = bin_settings(&options);
    int status = 0, runs = 0;
    json_t *rows = json_array();
    bin_headline(&settings, duration);
    for (int kind = BENCH_SPHERE; kind <= BENCH_BOX; ++kind) {
        bench_trial trials[BIN_SIZES];
        bool done[BIN_SIZES] = {false};
        bin_print_titles();
        for (int i = 0; i < BIN_SIZES; ++i, ++runs) {
            bench_scene *scene = bench_scene_bin((bench_shape_kind)kind, bin_sizes[i].count);
            done[i] = options.quick == bin_sizes[i].in_quick && bench_wanted(&options, scene->name);
            if (done[i]) {
                trials[i] = bench_try(scene, &settings, duration, runs, 2 * BIN_SIZES);
                bench_progress(1, 1, "", "");
                bin_print(scene, &trials[i]);
                json_array_append_new(rows, bench_trial_json(scene, &trials[i]));
                status = trials[i].failed ? 1 : status;
            }
            bench_scene_destroy(scene);
        }
        bin_print_growth(kind == BENCH_SPHERE ? "spheres" : "boxes", trials, done);
    }
    json_t *root = json_pack("{s:s, s:s, s:f, s:o}", "pawl", pawl_version(), "solver",
                             pawl_solver_name((int)settings.solver.kind), "duration", duration,
                             "scenes", rows);
    return bench_write_json(&options, root) ? status : 2;
}
