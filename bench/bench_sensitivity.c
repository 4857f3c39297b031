// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The cost of the derivatives of a step relative to the step: the robots of models/robots walk with nmdp at 20 ms,
// and every tenth step is differentiated with respect to all inputs (pawl/sensitivity.h). Processor time of steps and
// derivatives in turn, so that the load of the machine affects both; central differences would take two steps for
// each input.
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "pawl/io.h"
#include "pawl/sensitivity.h"

static double sensitivity_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sensitivity_run(const pawl_env *env, const char *robot, const char *gait)
{
    char path[80], motion[80];
    snprintf(path, sizeof path, "models/robots/%s.urdf", robot);
    snprintf(motion, sizeof motion, "models/robots/motions/%s.motion", gait);
    pawl_load_options options = pawl_load_options_default();
    options.motion_path = motion;
    options.ground = (pawl_ground_option){.put = true, .under = true, .friction = 0.8};
    pawl_settings settings = pawl_settings_default();
    settings.dt = 0.02;
    settings.stepper = PAWL_STEPPER_NMDP;
    settings.nmdp.tolerance = 1e-9;
    pawl_model *model = NULL;
    pawl_sim *sim = NULL;
    pawl_sensitivity *d = NULL;
    double step = 0.0, derivative = 0.0;
    int steps = 0, taken = 0, failed = 0, inputs = 0;
    if (pawl_model_load(env, path, &options, &model) != PAWL_OK ||
        pawl_sim_create(env, model, &settings, &sim) != PAWL_OK ||
        pawl_sensitivity_create(env, model, &settings, &d) != PAWL_OK) {
        printf("%-10s cannot be run\n", robot);
        return;
    }
    for (int k = 0; k < PAWL_SENSITIVITY_INPUT_COUNT; ++k) {
        inputs += pawl_sensitivity_input_count(d, (pawl_sensitivity_input)k);
    }
    for (int i = 0; i < 300; ++i) {
        if (i % 10 == 5) {
            double begin = sensitivity_clock();
            pawl_status status = pawl_sensitivity_compute(d, pawl_sim_state(sim));
            derivative += sensitivity_clock() - begin;
            ++taken;
            failed += status == PAWL_OK ? 0 : 1;
        }
        double begin = sensitivity_clock();
        if (pawl_sim_step(sim, NULL) != PAWL_OK) {
            break;
        }
        step += sensitivity_clock() - begin;
        ++steps;
    }
    step /= steps, derivative /= taken;
    printf("%-10s %4d %7d %10.0f %14.0f %7.1f %14.1f %8d of %d\n", robot,
           pawl_sensitivity_coordinate_count(d), inputs, 1e6 * step, 1e6 * derivative,
           derivative / step, 2.0 * inputs, failed, taken);
    pawl_sensitivity_destroy(d);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
}

int main(void)
{
    pawl_env env = pawl_env_default();
    printf("%-10s %4s %7s %10s %14s %7s %14s %s\n", "robot", "nv", "inputs", "step [us]",
           "derivative [us]", "ratio", "by differences", "failed");
    sensitivity_run(&env, "quadruped", "quadruped-crawl");
    sensitivity_run(&env, "biped", "biped-walk");
    sensitivity_run(&env, "hexapod", "hexapod-tripod");
    return 0;
}
