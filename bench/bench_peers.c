// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl beside other engines on mechanisms with and without loops: time per step as a ratio to MuJoCo's defaults in
// the same run, with closure and energy error. Absolute times are printed only for orientation, because they depend
// on the machine and its load.
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pawl/base.h"

// ---- the table ----------------------------------------------------------------------------------

static double peers_energy_error(const bench_result *result)
{
    return result->measure.energy_error / result->measure.scene->swing;
}

static double peers_change(const bench_result *result)
{
    return (result->measure.energy_end - result->measure.energy_start) /
           result->measure.scene->swing;
}

static bool peers_torn(const bench_result *result)
{
    return result->measure.closure > result->measure.scene->shortest;
}

static bool peers_pawl_held(const bench_case *run, const bench_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        const bench_result *result = &run->result[i];
        // Without projection nothing holds the joints but erp: its tearing is shown, not a failure.
        bool holds = strstr(list->peer[i]->variant, "project") != NULL;
        if (bench_is_pawl(list->peer[i]) &&
            (result->outcome != BENCH_DONE || (holds && peers_torn(result)))) {
            return false;
        }
    }
    return true;
}

static void peers_print(const bench_case *run, const bench_list *list)
{
    printf("\n%s: %d bodies, %d hinges, dt %g ms\n", run->scene->name, run->scene->body_count,
           run->scene->joint_count, 1e3 * run->dt);
    printf("  %-8s%-16s%10s%9s%11s%12s%12s%11s\n", "engine", "variant", "us/step", "ratio",
           "closure m", "energy max", "energy end", "simulated");
    for (int i = 0; i < list->count; ++i) {
        if (!run->present[i]) {
            continue;
        }
        const bench_peer *peer = list->peer[i];
        const bench_result *result = &run->result[i];
        printf("  %-8s%-16s", peer->engine, peer->variant);
        if (result->steps == 0) {
            printf("%10s\n", bench_outcome_name(result->outcome));
            continue;
        }
        double ratio = bench_ratio(run, list, i);
        printf("%10.2f", 1e6 * result->median);
        if (isfinite(ratio)) {
            printf("%9.2f", ratio);
        } else {
            printf("%9s", "-");
        }
        printf("%11.1e%11.4f%%%+11.4f%%%9.2f s", result->measure.closure,
               100.0 * peers_energy_error(result), 100.0 * peers_change(result), result->simulated);
        if (result->outcome == BENCH_EXPLODED) {
            printf("  exploded");
        } else if (peers_torn(result)) {
            printf("  torn apart");
        } else if (result->cut) {
            printf("  (budget)");
        }
        printf("\n");
    }
    fflush(stdout);
}

static json_t *peers_case_json(const bench_case *run, const bench_list *list)
{
    json_t *rows = json_array();
    for (int i = 0; i < list->count; ++i) {
        if (!run->present[i]) {
            continue;
        }
        const bench_result *result = &run->result[i];
        bool ran = result->steps > 0;
        json_t *row = json_pack(
            "{s:s, s:s, s:s, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:f, s:b, s:b}", "engine",
            list->peer[i]->engine, "variant", list->peer[i]->variant, "outcome",
            bench_outcome_name(result->outcome), "us_per_step", bench_number(1e6 * result->median),
            "us_per_step_repeats", bench_seconds(result), "ratio_to_mujoco",
            bench_number(bench_ratio(run, list, i)), "timed_steps", result->timed_steps, "closure",
            bench_number(ran ? result->measure.closure : NAN), "energy_drift",
            bench_number(ran ? peers_energy_error(result) : NAN), "energy_change",
            bench_number(ran ? peers_change(result) : NAN), "energy_drift_joule",
            bench_number(ran ? result->measure.energy_error : NAN), "energy_scale_joule",
            bench_number(ran ? result->measure.energy_scale : NAN), "simulated", result->simulated,
            "cut_by_budget", (int)result->cut, "torn_apart", (int)peers_torn(result));
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s, s:i, s:i, s:f, s:f, s:o}", "scene", run->scene->name, "bodies",
                     run->scene->body_count, "hinges", run->scene->joint_count, "dt", run->dt,
                     "swing_joule", run->scene->swing, "results", rows);
}

// ---- how pawl's own cost grows ------------------------------------------------------------------

static json_t *peers_scaling(const bench_options *options)
{
    static const int full[] = {10, 100, 1000};
    static const int quick[] = {5, 10, 20};
    const int *links = options->quick ? quick : full;
    const bench_peer *const kinds[] = {&bench_pawl_dense, &bench_pawl_sparse};
    json_t *rows = json_array();
    printf(
        "\nchain of N links, dt 1 ms: how the time per step grows (us/step, steps timed, and p in "
        "N^p since the row above)\n");
    printf("  %6s%14s%8s%7s%14s%8s%7s\n", "N", "dense", "steps", "p", "sparse", "steps", "p");
    double before[2] = {NAN, NAN};
    for (int k = 0; k < 3; ++k) {
        bench_scene *scene = bench_scene_chain(links[k]);
        json_t *row = json_pack("{s:i}", "links", links[k]);
        printf("  %6d", links[k]);
        for (int j = 0; j < 2; ++j) {
            bench_progress(2 * k + j, 6, scene->name, kinds[j]->variant);
            // A dense step of 5000 rows outlasts the budget alone: then the one step counts.
            bench_result result = bench_judge(kinds[j], scene, 1e-3, options->quick ? 0.05 : 1.0,
                                              2.0 * options->time_budget);
            for (int r = 0; r < 3 && result.median < options->budget; ++r) {
                bench_time(&result, kinds[j], scene, 1e-3, options->time_budget);
            }
            double growth =
                k == 0 ? NAN
                       : log(result.median / before[j]) / log((double)links[k] / links[k - 1]);
            before[j] = result.median;
            int steps = result.repeats > 0 ? result.timed_steps : result.steps;
            if (result.steps > 0) {
                printf("%14.2f%8d", 1e6 * result.median, steps);
            } else {
                printf("%14s%8d", bench_outcome_name(result.outcome), 0);
            }
            if (isfinite(growth)) {
                printf("%7.2f", growth);
            } else {
                printf("%7s", "-");
            }
            json_object_set_new(row, j == 0 ? "dense" : "sparse",
                                json_pack("{s:o, s:i, s:o}", "us_per_step",
                                          bench_number(1e6 * result.median), "steps", steps,
                                          "exponent", bench_number(growth)));
        }
        printf("\n");
        fflush(stdout);
        json_array_append_new(rows, row);
        bench_scene_destroy(scene);
    }
    bench_progress(6, 6, "", "");
    return rows;
}

// ---- the command --------------------------------------------------------------------------------

static void peers_headline(void)
{
    printf("pawl %s beside MuJoCo %s and ODE %s, one thread, no contact\n", pawl_version(),
           bench_mujoco_name(), bench_ode_name());
    fputs(
        "  us/step     CPU time, median of the repetitions, without reading or judging the poses\n"
        "  ratio       to MuJoCo's defaults in this run: below 1 is faster\n"
        "  closure m   largest distance between the two anchors of any hinge\n"
        "  energy      largest and last error of kinetic + potential energy, relative to the "
        "scene's\n"
        "              potential at the start above its lowest position\n"
        "  exploded    not finite, or gained that whole energy; the figures end there\n"
        "  torn apart  a hinge opened by more than the shortest rod\n"
        "  (budget)    the engine's CPU time for the scene ran out before 10 s were simulated\n"
        "Closure and energy come from the poses and twists each engine returns, by the same code, "
        "after\n"
        "every step. MuJoCo has joint coordinates: only loops can open there. Each is closed by "
        "one\n"
        "connect constraint; rk4 stiff hardens them (solref 2 dt, solimp 0.99).\n",
        stdout);
}

typedef struct peers_spec {
    bench_scene *(*make)(int size);
    int size;
    double dt;
    bool in_quick;
} peers_spec;

static bench_scene *peers_four_bar(int size)
{
    (void)size;
    return bench_scene_four_bar();
}

// Cases of one scene stand together: MuJoCo's adapter keeps the last model it compiled.
static const peers_spec peers_specs[] = {
    {peers_four_bar, 1, 1e-3, true},        {bench_scene_chain, 10, 1e-3, true},
    {bench_scene_chain, 10, 1e-2, true},    {bench_scene_chain, 100, 1e-3, false},
    {bench_scene_chain, 100, 1e-2, false},  {bench_scene_chain, 1000, 1e-3, false},
    {bench_scene_chain, 1000, 1e-2, false}, {bench_scene_ladder, 10, 1e-3, true},
    {bench_scene_ladder, 40, 1e-3, false},
};
enum { PEERS_SPECS = sizeof peers_specs / sizeof peers_specs[0] };

static int peers_select(const bench_options *options, bench_case *cases)
{
    int count = 0;
    for (int i = 0; i < PEERS_SPECS; ++i) {
        const peers_spec *spec = &peers_specs[i];
        bench_scene *scene = spec->make(spec->size);
        bool wanted = (spec->in_quick || !options->quick) && bench_wanted(options, scene->name);
        if (wanted) {
            cases[count++] = (bench_case){.scene = scene,
                                          .dt = spec->dt,
                                          .duration = options->quick ? 0.2 : 10.0,
                                          .patience = 1.0};
        } else {
            bench_scene_destroy(scene);
        }
    }
    return count;
}

int main(int argument_count, char **arguments)
{
    bench_options options =
        bench_parse("bench_peers", "pawl beside MuJoCo and ODE on the same mechanisms, in one run",
                    argument_count, arguments);
    bench_list list = bench_collect_mechanisms(&options);
    static bench_case cases[PEERS_SPECS];
    int count = peers_select(&options, cases);
    int total = count * bench_case_work(&list, &options);
    int done = 0;
    int status = 0;
    json_t *scenes = json_array();
    peers_headline();
    for (int i = 0; i < count; ++i) {
        bench_run_case(&cases[i], &list, &options, &done, total);
        bench_progress(total, total, "", "");
        peers_print(&cases[i], &list);
        if (!peers_pawl_held(&cases[i], &list)) {
            status = 1;
        }
        json_array_append_new(scenes, peers_case_json(&cases[i], &list));
        bench_scene_destroy(cases[i].scene);
    }
    json_t *scaling = options.scaling ? peers_scaling(&options) : json_null();
    json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:o}", "pawl", pawl_version(), "mujoco",
                             bench_mujoco_name(), "ode", bench_ode_name(), "scenes", scenes,
                             "chain_growth", scaling);
    return bench_write_json(&options, root) ? status : 2;
}
