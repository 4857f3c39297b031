// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The measurements behind the verdict's limits (docs/verdict.md): every model of models/ with every stepper that
// supports it, at a reasonable and at an absurd step, and the figures of each criterion. `!` marks failures.
#include "options.h"
#include "runner.h"

#include "pawl/io.h"
#include "pawl/pawl.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const pawl_criterion_kind verdict_shown[] = {
    PAWL_CRITERION_RESIDUAL, PAWL_CRITERION_POSITIONS,   PAWL_CRITERION_CLOSURE,
    PAWL_CRITERION_LIMITS,   PAWL_CRITERION_PENETRATION, PAWL_CRITERION_CROSSINGS,
    PAWL_CRITERION_ENERGY,   PAWL_CRITERION_WORK};
enum { VERDICT_SHOWN = sizeof verdict_shown / sizeof *verdict_shown };

// Steps until `duration` or until the CPU time is spent. False: the model does not go with the stepper.
static bool verdict_run(const pawl_env *env, const pawl_model *model, const pawl_settings *settings,
                        double duration, double budget, pawl_verdict_list *list)
{
    pawl_sim *sim = NULL;
    if (pawl_sim_create(env, model, settings, &sim) != PAWL_OK) {
        return false;
    }
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    pawl_run_end end = PAWL_RUN_DONE;
    int64_t steps = llround(duration / settings->dt);
    double begin = bench_cpu_time();
    for (int64_t k = 0; k < steps && bench_cpu_time() - begin < budget; ++k) {
        pawl_step_report report;
        if (pawl_sim_step(sim, &report) != PAWL_OK) {
            end = PAWL_RUN_STEP_FAILED;
            break;
        }
        pawl_verdict_add(&verdict, &report);
    }
    pawl_verdict_end(&verdict, end, pawl_state_time(pawl_sim_state(sim)), duration);
    pawl_verdict_names names = pawl_model_names(model);
    *list = pawl_verdict_judge(&verdict, settings, &names);
    pawl_sim_destroy(sim);
    return true;
}

static void verdict_print(const char *path, const pawl_settings *settings,
                          const pawl_verdict_list *list)
{
    printf("%-32.32s %-7s %7g %-6s", path + strlen("models/"),
           pawl_stepper_name((int)settings->stepper), settings->dt,
           list->judgement == PAWL_PASSED ? "passed" : "FAILED");
    for (int k = 0; k < VERDICT_SHOWN; ++k) {
        const pawl_criterion *c = &list->criteria[verdict_shown[k]];
        if (isnan(c->limit)) {
            printf(" %9s", "-");
        } else {
            printf(" %8.1e%s", c->value, c->judgement == PAWL_FAILED ? "!" : " ");
        }
    }
    printf("\n");
    fflush(stdout);
}

static void verdict_quiet(void *user, pawl_log_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

int main(int count, char **arguments)
{
    bench_options options = bench_parse(
        "bench_verdict", "what the verdict's criteria measure on all models", count, arguments);
    const double dts[] = {1e-3, 0.1}, durations[] = {options.quick ? 0.05 : 2.0, 10.0};
    glob_t found;
    if (glob("models/*/*.sdf", 0, NULL, &found) != 0) {
        fprintf(stderr, "bench_verdict: no models/ here\n");
        return 2;
    }
    pawl_env env = pawl_env_default();
    env.log = verdict_quiet;
    printf("%-32s %-7s %7s %-6s %9s %9s %9s %9s %9s %9s %9s %9s\n", "model", "stepper", "dt [s]",
           "", "residual", "updates", "closure", "limits", "depth", "through", "energy", "work");
    json_t *rows = json_array();
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        const char *path = found.gl_pathv[i];
        pawl_load_options load = pawl_load_options_default();
        pawl_model *model = NULL;
        if (!bench_wanted(&options, path) ||
            pawl_model_load(&env, path, &load, &model) != PAWL_OK) {
            continue;
        }
        bool trees = strstr(path, "/nmdp/") != NULL; // these are for mdp and nmdp
        for (int stepper = trees ? PAWL_STEPPER_MDP : 0;
             stepper < (trees ? PAWL_STEPPER_COUNT : PAWL_STEPPER_MDP); ++stepper) {
            for (int k = 0; k < (options.quick ? 1 : 2); ++k) {
                pawl_settings settings = pawl_settings_default();
                settings.stepper = (pawl_stepper_kind)stepper;
                settings.dt = dts[k];
                pawl_verdict_list list;
                if (verdict_run(&env, model, &settings, durations[k], options.budget, &list)) {
                    verdict_print(path, &settings, &list);
                    json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:b}", "model", path,
                                                          "stepper", pawl_stepper_name(stepper),
                                                          "dt", settings.dt, "passed",
                                                          list.judgement == PAWL_PASSED));
                }
            }
        }
        pawl_model_destroy(model);
    }
    globfree(&found);
    return bench_write_json(&options, rows) ? 0 : 1;
}
