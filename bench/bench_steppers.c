// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The cost of a step: every stepper, and every variant of lit, on the primitives and some machines. Steps of one run
// are timed one by one; the median is the cost of a usual step, the mean includes events. Run it in the source
// folder.
#include "options.h"
#include "support/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct steppers_row {
    const char *name;
    pawl_stepper_kind stepper;
    pawl_lit_variant variant;
    bool events; // located
} steppers_row;

static const steppers_row steppers_rows[] = {
    {"euler", PAWL_STEPPER_EULER, PAWL_LIT_MIDPOINT, false},
    {"moreau", PAWL_STEPPER_MOREAU, PAWL_LIT_MIDPOINT, false},
    {"rattle", PAWL_STEPPER_RATTLE, PAWL_LIT_MIDPOINT, false},
    {"lit", PAWL_STEPPER_LIT, PAWL_LIT_MIDPOINT, true},
    {"lit, no events", PAWL_STEPPER_LIT, PAWL_LIT_MIDPOINT, false},
    {"lit paper", PAWL_STEPPER_LIT, PAWL_LIT_PAPER, true},
    {"lit sdirk2", PAWL_STEPPER_LIT, PAWL_LIT_SDIRK2, true},
};

static const char *const steppers_models[] = {
    "models/primitives/box-on-plane.sdf",    "models/primitives/boxes-fixed.sdf",
    "models/primitives/fourbar-fixed.sdf",   "models/primitives/fourbar-free.sdf",
    "models/primitives/fourbar-dropped.sdf", "models/primitives/hulls.sdf",
    "models/primitives/nunchuk.sdf",         "models/classics/A05-governor.sdf",
    "models/classics/D12-stack-10.sdf",
};

static double steppers_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int steppers_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool steppers_run(const char *path, const steppers_row *row, int steps, json_t *rows)
{
    pawl_env env = reference_env();
    pawl_model *model = reference_load_model(&env, path);
    pawl_settings settings = pawl_settings_default();
    settings.dt = 2e-3;
    settings.stepper = row->stepper;
    settings.lit.variant = row->variant;
    settings.lit.events = row->events ? PAWL_LIT_EVENTS_ALL : PAWL_LIT_EVENTS_NONE;
    pawl_sim *sim = NULL;
    double *times = calloc((size_t)steps, sizeof *times), sum = 0.0;
    bool good =
        model != NULL && times != NULL && pawl_sim_create(&env, model, &settings, &sim) == PAWL_OK;
    int done = 0;
    long iterations = 0;
    for (; good && done < steps; ++done) {
        pawl_step_report report;
        double begin = steppers_now();
        good = pawl_sim_step(sim, &report) == PAWL_OK;
        times[done] = steppers_now() - begin;
        sum += times[done];
        iterations += report.iterations;
    }
    if (good) {
        qsort(times, (size_t)steps, sizeof *times, steppers_compare);
        double median = 1e6 * times[steps / 2], mean = 1e6 * sum / steps;
        printf("%-38s %-15s %9.2f %9.2f %9.2f\n", path, row->name, median, mean,
               (double)iterations / steps);
        json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:f}", "model", path, "stepper",
                                              row->name, "median", median, "mean", mean));
    } else {
        printf("%-38s %-15s FAILED\n", path, row->name);
    }
    fflush(stdout);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    free(times);
    return good;
}

int main(int argument_count, char **arguments)
{
    bench_options options =
        bench_parse("bench_steppers", "time a step of every stepper", argument_count, arguments);
    json_t *rows = json_array();
    int failed = 0, steps = options.quick ? 100 : 1000;
    printf("%d steps of 2 ms; times in us\n%-38s %-15s %9s %9s %9s\n", steps, "model", "stepper",
           "median", "mean", "solver");
    for (size_t k = 0; k < sizeof steppers_models / sizeof steppers_models[0]; ++k) {
        if (!bench_wanted(&options, steppers_models[k])) {
            continue;
        }
        for (size_t i = 0; i < sizeof steppers_rows / sizeof steppers_rows[0]; ++i) {
            failed += !steppers_run(steppers_models[k], &steppers_rows[i], steps, rows);
        }
    }
    json_t *root = json_pack("{s:s, s:o}", "pawl", pawl_version(), "steps", rows);
    return !bench_write_json(&options, root) ? 2 : failed == 0 ? 0 : 1;
}
