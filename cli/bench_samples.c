// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Samples come in pairs of successive steps, so that the change of reactions from step to step can be measured; pairs are
// spread evenly over a run. Steps that missed the tolerance are samples, too, up to a limit per run, because they are
// the hardest problems. Steps without rows (a body in free flight) are skipped.
#include "bench_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "models_folder.h"
#include "setting_args.h"
#include "timing.h"

static const char *const suite_all[] = {"box-on-plane", "boxes-fixed", "nunchuk",   "fourbar-fixed",
                                        "fourbar-free", "arm7",        "quadruped", "biped15",
                                        "biped21",      "figure22",    "walker31",  "figure38",
                                        "figure54",     NULL};
static const char *const suite_primitives[] = {"box-on-plane",  "boxes-fixed",  "nunchuk",
                                               "fourbar-fixed", "fourbar-free", NULL};
static const char *const suite_robots[] = {"arm7", "quadruped", "biped15", "biped21", NULL};
static const char *const suite_loops[] = {"figure22", "walker31", "figure38", "figure54", NULL};
static const char *const suite_smoke[] = {"boxes-fixed", "fourbar-fixed", "nunchuk", NULL};

static const bench_suite suite_table[] = {
    {"smoke", "three primitives, a few samples each: seconds", suite_smoke, 2, 0.4},
    {"quick", "all thirteen machines, a few samples of each scenario: minutes", suite_all, 4, 1.0},
    {"primitives", "the five primitives", suite_primitives, 50, 2.0},
    {"robots", "the four robots without loops", suite_robots, 50, 2.0},
    {"loops", "the four machines with closed loops", suite_loops, 50, 2.0},
    {"full", "all thirteen machines: more than 5000 samples", suite_all, 50, 2.0},
    {"verdicts", "all thirteen machines for 10 s in every scenario, with their verdicts", suite_all,
     2, 10.0},
};

const bench_suite *bench_suite_at(int i)
{
    return i >= 0 && i < (int)(sizeof suite_table / sizeof suite_table[0]) ? &suite_table[i] : NULL;
}

const bench_suite *bench_suite_find(const char *name)
{
    for (int i = 0; bench_suite_at(i) != NULL; ++i) {
        if (strcmp(bench_suite_at(i)->name, name) == 0) {
            return bench_suite_at(i);
        }
    }
    return NULL;
}

// ---- Runs ----------------------------------------------------------------------------------------

// Whether a name is in a list; every name is in none at all.
static bool runs_has(const char *list, const char *name)
{
    char word[64];
    bool found = list == NULL;
    while (!found && setting_args_next_word(&list, word, sizeof word)) {
        found = strcmp(word, name) == 0;
    }
    return found;
}

// Scenarios that make sense for a model become runs.
static bool runs_add(console *con, const bench_suite *suite, const char *system,
                     const bench_choice *choice, bench_run *runs, int *count)
{
    char word[128];
    snprintf(word, sizeof word, "suite/%s%s", system,
             strcmp(choice->format, "xml") == 0 ? "-mjcf.xml" : ".sdf");
    char *path = models_find(con, word);
    if (path != NULL && access(path, R_OK) != 0) {
        console_error(con,
                      "there is no '%s': the suite's models belong into ../share/pawl/models or, "
                      "of a build, into ../models beside the command",
                      path);
        free(path);
        return false;
    }
    if (path == NULL) {
        return false;
    }
    pawl_load_options options = pawl_load_options_default();
    pawl_model *model = NULL;
    int errors = con->error_count;
    pawl_status status = pawl_model_load(&con->env, path, &options, &model);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, path);
        free(path);
        return false;
    }
    for (int i = 0; scenario_at(i) != NULL; ++i) {
        if (runs_has(choice->scenarios, scenario_at(i)->name) && scenario_applies(i, model)) {
            bench_run *run = &runs[(*count)++];
            *run = (bench_run){
                .system = system, .scenario = i, .pairs = suite->pairs, .time = suite->time};
            snprintf(run->path, sizeof run->path, "%s", path);
        }
    }
    pawl_model_destroy(model);
    free(path);
    return true;
}

const char *bench_machine_name(const void *user, int i)
{
    (void)user;
    return suite_all[i];
}

static const char *runs_scenario(const void *user, int i)
{
    (void)user;
    return scenario_at(i) != NULL ? scenario_at(i)->name : NULL;
}

// Whether every word of the list is a name; the first that is not is said. No list has every name.
static bool runs_know(console *con, const char *option, const char *list, args_names names)
{
    char word[64], hint[160];
    while (list != NULL && setting_args_next_word(&list, word, sizeof word)) {
        bool known = false;
        for (int i = 0; names(NULL, i) != NULL; ++i) {
            known = known || strcmp(word, names(NULL, i)) == 0;
        }
        if (!known) {
            args_suggest(word, names, NULL, hint, sizeof hint);
            console_error(con, "%s: there is no '%s'%s", option, word,
                          hint[0] != '\0' ? hint : "; 'pawl bench' lists the names");
            return false;
        }
    }
    return true;
}

// A word of a list that names nothing is a mistake, not an empty choice.
static bool runs_knows(console *con, const bench_choice *choice)
{
    return runs_know(con, "--machines", choice->machines, bench_machine_name) &&
           runs_know(con, "--scenarios", choice->scenarios, runs_scenario);
}

bench_run *bench_runs_make(console *con, const bench_suite *suite, const bench_choice *choice,
                           int *count)
{
    int systems = 0, scenarios = 0;
    if (!runs_knows(con, choice)) {
        return NULL;
    }
    while (suite->systems[systems] != NULL) {
        ++systems;
    }
    while (scenario_at(scenarios) != NULL) {
        ++scenarios;
    }
    bench_run *runs = calloc((size_t)(systems * scenarios), sizeof *runs);
    *count = 0;
    for (int i = 0; i < systems && runs != NULL; ++i) {
        if (runs_has(choice->machines, suite->systems[i]) &&
            !runs_add(con, suite, suite->systems[i], choice, runs, count)) {
            bench_runs_free(runs, *count);
            return NULL;
        }
    }
    if (runs == NULL) {
        console_error(con, "out of memory");
    } else if (*count == 0) {
        console_error(con,
                      "no run is left: none of the machines chosen is in suite '%s' and has "
                      "one of the scenarios chosen",
                      suite->name);
        bench_runs_free(runs, 0);
        return NULL;
    }
    return runs;
}

void bench_runs_free(bench_run *runs, int count)
{
    for (int i = 0; runs != NULL && i < count; ++i) {
        for (int k = 0; k < runs[i].sample_count; ++k) {
            pawl_sample_destroy(runs[i].samples[k]);
        }
        free(runs[i].samples);
    }
    free(runs);
}

// ---- One run -------------------------------------------------------------------------------------

// A copy with names of its own.
static pawl_status run_keep(const pawl_env *env, bench_run *run, const pawl_sample *kept)
{
    if (kept == NULL || pawl_sample_get(kept)->row_count == 0) {
        return PAWL_OK;
    }
    pawl_sample_data data = *pawl_sample_get(kept);
    data.system = run->system;
    data.scenario = scenario_at(run->scenario)->name;
    pawl_status status = pawl_sample_create(env, &data, &run->samples[run->sample_count]);
    run->sample_count += status == PAWL_OK ? 1 : 0;
    return status;
}

// Steps 2 k and 2 k + 1 of the pairs: whether this one is kept.
static bool run_is_kept(const bench_run *run, int64_t step, int64_t last)
{
    int64_t every = last / run->pairs;
    int64_t into = step % (every > 2 ? every : 2);
    return (into == every - 2 || into == every - 1) && step / (every > 2 ? every : 2) < run->pairs;
}

static pawl_status run_steps(const pawl_env *env, bench_run *run, pawl_sim *sim,
                             pawl_verdict *verdict)
{
    scenario_run drive;
    double dt = pawl_sim_settings(sim)->dt;
    int64_t last = (int64_t)floor(run->time / dt + 0.5);
    pawl_status status = scenario_begin(&drive, run->scenario, sim);
    pawl_sim_keep_samples(sim, true);
    *verdict = pawl_verdict_begin(pawl_sim_state(sim));
    for (int64_t i = 0; i < last && status == PAWL_OK; ++i) {
        pawl_step_report report;
        status = scenario_drive(&drive);
        status = status == PAWL_OK ? pawl_sim_step(sim, &report) : status;
        if (status != PAWL_OK) {
            break;
        }
        pawl_verdict_add(verdict, &report);
        run->steps = i + 1;
        bool missed = report.outcome != PAWL_CONVERGED && run->missed++ < BENCH_MISSED;
        if (missed || run_is_kept(run, i, last)) {
            status = run_keep(env, run, pawl_sim_kept_sample(sim));
        }
    }
    pawl_verdict_end(verdict, status == PAWL_OK ? PAWL_RUN_DONE : PAWL_RUN_STEP_FAILED,
                     pawl_state_time(pawl_sim_state(sim)), run->time);
    return status;
}

// The first criterion that failed, with its value and limit.
static void run_describe(bench_run *run, const pawl_verdict_list *list)
{
    run->passed = list->judgement != PAWL_FAILED;
    size_t used = 0;
    for (int i = 0; i < list->count; ++i) {
        const pawl_criterion *c = &list->criteria[i];
        if (c->judgement == PAWL_FAILED && used < sizeof run->verdict - 1) {
            used += (size_t)snprintf(run->verdict + used, sizeof run->verdict - used,
                                     "%s%s %.3g, limit %.3g%s%s", used > 0 ? "; " : "", c->name,
                                     c->value, c->limit, c->where[0] != '\0' ? ", " : "", c->where);
        }
    }
    if (run->passed) {
        snprintf(run->verdict, sizeof run->verdict, "passed");
    }
}

void bench_run_do(const pawl_env *env, bench_run *run)
{
    double begun = timing_processor();
    pawl_model *model = NULL;
    pawl_sim *sim = NULL;
    pawl_settings settings = pawl_settings_default();
    pawl_load_options options = pawl_load_options_default();
    run->samples = calloc(2 * (size_t)run->pairs + BENCH_MISSED, sizeof *run->samples);
    pawl_status status = run->samples == NULL ? PAWL_NO_MEMORY : PAWL_OK;
    status = status == PAWL_OK ? pawl_model_load(env, run->path, &options, &model) : status;
    status = status == PAWL_OK ? pawl_sim_create(env, model, &settings, &sim) : status;
    if (status == PAWL_OK) {
        pawl_verdict verdict;
        run->stopped = run_steps(env, run, sim, &verdict) != PAWL_OK;
        pawl_verdict_names names = pawl_model_names(model);
        pawl_verdict_list list = pawl_verdict_judge(&verdict, &settings, &names);
        run_describe(run, &list);
    } else {
        run->stopped = true;
        snprintf(run->verdict, sizeof run->verdict, "could not begin");
    }
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    run->seconds = timing_processor() - begun;
}
