// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Every contact solver on three machines that touch the ground: iterations a step to the default
// tolerance, with joints eliminated exactly or not, and from the last step's impulses or from zero.
#include "options.h"
#include "runner.h"

#include "pawl/contact_problem.h"
#include "pawl/io.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct solvers_machine {
    const char *name, *path;
    double time; // simulated [s]
} solvers_machine;
static const solvers_machine solvers_machines[] = {
    {"boxes-fixed, 1000 kg on 1 kg", BENCH_MODELS "/primitives/boxes-fixed.sdf", 0.3},
    {"nunchuk dropped", BENCH_MODELS "/primitives/nunchuk.sdf", 0.8},
    {"four-bar dropped", BENCH_MODELS "/primitives/fourbar-dropped.sdf", 0.8}};
enum {
    SOLVERS_MACHINES = sizeof solvers_machines / sizeof solvers_machines[0],
    SOLVERS_VARIANTS = 4
};

typedef struct solvers_figures {
    double iterations, us;
    int open;
} solvers_figures;

static void solvers_must(pawl_status status, const char *what)
{
    if (status != PAWL_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, pawl_status_name(status));
        exit(1);
    }
}

static solvers_figures solvers_run(const pawl_env *env, const pawl_model *model, int solver,
                                   int variant, int steps)
{
    pawl_settings settings = pawl_settings_default();
    settings.solver.kind = (pawl_solver_kind)solver;
    settings.solver.exact_joints = variant % 2 == 0;
    solvers_must(
        pawl_settings_set(env, &settings, "solver.warm_start", variant < 2 ? "matched" : "off"),
        "solver.warm_start");
    pawl_sim *sim;
    solvers_must(pawl_sim_create(env, model, &settings, &sim), pawl_model_name(model));
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    double begin = bench_cpu_time();
    for (int k = 0; k < steps; ++k) {
        pawl_step_report report;
        solvers_must(pawl_sim_step(sim, &report), pawl_model_name(model));
        pawl_verdict_add(&verdict, &report);
    }
    double spent = bench_cpu_time() - begin;
    pawl_sim_destroy(sim);
    return (solvers_figures){(double)verdict.iterations_sum / steps, 1e6 * spent / steps,
                             (int)verdict.not_converged};
}

static void solvers_machine_table(const bench_options *options, const solvers_machine *machine,
                                  json_t *all)
{
    pawl_env env = pawl_env_default();
    pawl_model *model;
    solvers_must(pawl_model_load(&env, machine->path, NULL, &model), machine->path);
    int steps = (int)(1e3 * machine->time) / (options->quick ? 40 : 1);
    printf("\n%s: %d steps of 1 ms; iterations a step and, in brackets, steps above 1e-8 m/s\n"
           "%-14s %20s %20s %20s %20s\n",
           machine->name, steps, "solver", "warm, exact joints", "warm, joints swept",
           "cold, exact joints", "cold, joints swept");
    for (int solver = 0; pawl_solver_name(solver) != NULL; ++solver) {
        if (!pawl_solver_takes_contacts(solver)) {
            continue;
        }
        printf("%-14s", pawl_solver_name(solver));
        for (int variant = 0; variant < SOLVERS_VARIANTS; ++variant) {
            solvers_figures f = solvers_run(&env, model, solver, variant, steps);
            printf("%13.1f (%4d)", f.iterations, f.open);
            fflush(stdout);
            json_array_append_new(all, json_pack("{s:s, s:s, s:b, s:b, s:f, s:i, s:f}", "machine",
                                                 machine->name, "solver", pawl_solver_name(solver),
                                                 "exact_joints", variant % 2 == 0, "warm",
                                                 variant < 2, "iterations", f.iterations, "open",
                                                 f.open, "us_per_step", f.us));
        }
        printf("\n");
    }
    pawl_model_destroy(model);
}

int main(int count, char **arguments)
{
    bench_options options = bench_parse(
        "bench_solvers", "every solver on machines that touch the ground", count, arguments);
    json_t *all = json_array();
    for (int i = 0; i < SOLVERS_MACHINES; ++i) {
        if (bench_wanted(&options, solvers_machines[i].name)) {
            solvers_machine_table(&options, &solvers_machines[i], all);
        }
    }
    return bench_write_json(&options, all) ? 0 : 1;
}
