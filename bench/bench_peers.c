// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl beside other engines on mechanisms with and without loops: time per step as a ratio to
// MuJoCo's defaults in this very run, with the closure and the energy error that the time bought.
// Absolute times are printed for orientation only: they belong to this machine and this moment.
#include "runner.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pawl/base.h"

enum { PEERS_MAX = BENCH_PAWL_PEERS + BENCH_MUJOCO_PEERS + BENCH_ODE_PEERS };

typedef struct peers_options {
    bool quick;
    bool scaling;
    int repeats;
    double budget;      ///< CPU seconds of one judged run
    double time_budget; ///< CPU seconds of one timed repetition
    const char *json;
    const char *scene;  ///< only cases whose name contains it
    const char *engine; ///< only variants whose "engine variant" contains it
} peers_options;

typedef struct peers_list {
    const bench_peer *peer[PEERS_MAX];
    int count;
    int reference; ///< MuJoCo's defaults; -1 when it is not installed
} peers_list;

typedef struct peers_case {
    bench_scene *scene;
    double dt;
    bench_result result[PEERS_MAX];
    bool present[PEERS_MAX]; ///< the variant says something new on this scene
} peers_case;

// One line, redrawn, so that minutes of work do not look like a hang. Only on a terminal.
static void peers_progress(int done, int total, const char *what, const char *detail)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K[%3d/%d] %s  %s", done, total, what, detail);
        if (done == total) {
            fprintf(stderr, "\r\033[K");
        }
        fflush(stderr);
    }
}

static void peers_add(peers_list *list, const bench_peer *rows, int count, const char *wanted)
{
    for (int i = 0; i < count; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", rows[i].engine, rows[i].variant);
        if (wanted == NULL || strstr(name, wanted) != NULL) {
            if (strcmp(name, "MuJoCo default") == 0) {
                list->reference = list->count;
            }
            list->peer[list->count++] = &rows[i];
        }
    }
}

static peers_list peers_collect(const char *wanted)
{
    peers_list list = {.reference = -1};
    peers_add(&list, bench_pawl_peers, BENCH_PAWL_PEERS, wanted);
#if defined(BENCH_WITH_MUJOCO)
    peers_add(&list, bench_mujoco_peers, BENCH_MUJOCO_PEERS, wanted);
#endif
#if defined(BENCH_WITH_ODE)
    peers_add(&list, bench_ode_peers, BENCH_ODE_PEERS, wanted);
#endif
    return list;
}

static const char *peers_mujoco(void)
{
#if defined(BENCH_WITH_MUJOCO)
    return bench_mujoco_version();
#else
    return "not installed";
#endif
}

static const char *peers_ode(void)
{
#if defined(BENCH_WITH_ODE)
    return bench_ode_version();
#else
    return "not installed";
#endif
}

// ---- running ------------------------------------------------------------------------------------

static void peers_run(peers_case *run, const peers_list *list, const peers_options *options,
                      int *done, int total)
{
    const bench_scene *scene = run->scene;
    double duration = options->quick ? 0.2 : 10.0;
    char what[64];
    snprintf(what, sizeof what, "%s, dt %g ms", scene->name, 1e3 * run->dt);
    for (int i = 0; i < list->count; ++i) {
        const bench_peer *peer = list->peer[i];
        char detail[64];
        snprintf(detail, sizeof detail, "%s %s", peer->engine, peer->variant);
        peers_progress((*done)++, total, what, detail);
        run->present[i] = !peer->loops_only || scene->hinge_count > scene->body_count;
        if (run->present[i]) {
            run->result[i] = bench_judge(peer, scene, run->dt, duration, options->budget);
        }
    }
    // There and back again, so that a machine that slows down or speeds up favours nobody.
    for (int k = 0; k < options->repeats; ++k) {
        peers_progress((*done)++, total, what, "timing");
        for (int j = 0; j < list->count; ++j) {
            int i = k % 2 == 0 ? j : list->count - 1 - j;
            if (run->present[i]) {
                bench_time(&run->result[i], list->peer[i], scene, run->dt, options->time_budget);
            }
        }
    }
}

// ---- the table ----------------------------------------------------------------------------------

static double peers_ratio(const peers_case *run, const peers_list *list, int i)
{
    return list->reference < 0 ? NAN : run->result[i].median / run->result[list->reference].median;
}

static double peers_drift(const bench_result *result)
{
    return result->measure.energy_drift / result->measure.scene->swing;
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

static bool peers_pawl_held(const peers_case *run, const peers_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        const bench_result *result = &run->result[i];
        if (strcmp(list->peer[i]->engine, "pawl") == 0 &&
            (result->outcome != BENCH_DONE || peers_torn(result))) {
            return false;
        }
    }
    return true;
}

static const char *peers_outcome_name(bench_outcome outcome)
{
    static const char *const names[] = {"done", "skipped", "refused", "exploded"};
    return names[outcome];
}

static void peers_print(const peers_case *run, const peers_list *list)
{
    printf("\n%s: %d bodies, %d hinges, dt %g ms\n", run->scene->name, run->scene->body_count,
           run->scene->hinge_count, 1e3 * run->dt);
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
            printf("%10s\n", peers_outcome_name(result->outcome));
            continue;
        }
        double ratio = peers_ratio(run, list, i);
        printf("%10.2f", 1e6 * result->median);
        if (isfinite(ratio)) {
            printf("%9.2f", ratio);
        } else {
            printf("%9s", "-");
        }
        printf("%11.1e%11.4f%%%+11.4f%%%9.2f s", result->measure.closure,
               100.0 * peers_drift(result), 100.0 * peers_change(result), result->simulated);
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

static json_t *peers_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *peers_case_json(const peers_case *run, const peers_list *list)
{
    json_t *rows = json_array();
    for (int i = 0; i < list->count; ++i) {
        if (!run->present[i]) {
            continue;
        }
        const bench_result *result = &run->result[i];
        bool ran = result->steps > 0;
        json_t *seconds = json_array();
        for (int k = 0; k < result->repeats; ++k) {
            json_array_append_new(seconds, json_real(1e6 * result->seconds[k]));
        }
        json_t *row = json_pack(
            "{s:s, s:s, s:s, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:f, s:b, s:b}", "engine",
            list->peer[i]->engine, "variant", list->peer[i]->variant, "outcome",
            peers_outcome_name(result->outcome), "us_per_step", peers_number(1e6 * result->median),
            "us_per_step_repeats", seconds, "ratio_to_mujoco",
            peers_number(peers_ratio(run, list, i)), "timed_steps", result->timed_steps, "closure",
            peers_number(ran ? result->measure.closure : NAN), "energy_drift",
            peers_number(ran ? peers_drift(result) : NAN), "energy_change",
            peers_number(ran ? peers_change(result) : NAN), "energy_drift_joule",
            peers_number(ran ? result->measure.energy_drift : NAN), "energy_scale_joule",
            peers_number(ran ? result->measure.energy_scale : NAN), "simulated", result->simulated,
            "cut_by_budget", (int)result->cut, "torn_apart", (int)peers_torn(result));
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s, s:i, s:i, s:f, s:f, s:o}", "scene", run->scene->name, "bodies",
                     run->scene->body_count, "hinges", run->scene->hinge_count, "dt", run->dt,
                     "swing_joule", run->scene->swing, "results", rows);
}

// ---- how pawl's own cost grows ------------------------------------------------------------------

static json_t *peers_scaling(const peers_options *options)
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
            peers_progress(2 * k + j, 6, scene->name, kinds[j]->variant);
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
                printf("%14s%8d", peers_outcome_name(result.outcome), 0);
            }
            if (isfinite(growth)) {
                printf("%7.2f", growth);
            } else {
                printf("%7s", "-");
            }
            json_object_set_new(row, j == 0 ? "dense" : "sparse",
                                json_pack("{s:o, s:i, s:o}", "us_per_step",
                                          peers_number(1e6 * result.median), "steps", steps,
                                          "exponent", peers_number(growth)));
        }
        printf("\n");
        fflush(stdout);
        json_array_append_new(rows, row);
        bench_scene_destroy(scene);
    }
    peers_progress(6, 6, "", "");
    return rows;
}

// ---- the command --------------------------------------------------------------------------------

static void peers_usage(FILE *out)
{
    fputs("bench_peers: pawl beside MuJoCo and ODE on the same mechanisms, in one run\n"
          "  --quick        a smoke run of a few seconds: small scenes, few steps, rough times\n"
          "  --scene TEXT   only scenes whose name contains TEXT\n"
          "  --engine TEXT  only engines and variants whose name contains TEXT\n"
          "  --budget S     CPU seconds an engine gets for a scene's judged run (5)\n"
          "  --repeat N     timed repetitions (5)\n"
          "  --no-scaling   leave out the table of pawl's own growth, dense and sparse\n"
          "  --json FILE    also write all figures as JSON\n"
          "Exit: 0 done, 1 pawl failed on a scene, 2 bad usage.\n",
          out);
}

static double peers_parse(const char *option, const char *text, double lowest, double highest)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= lowest && value <= highest)) {
        fprintf(stderr, "bench_peers: %s is \"%s\", expected a number from %g to %g\n", option,
                text, lowest, highest);
        exit(2);
    }
    return value;
}

static peers_options peers_parse_all(int count, char **arguments)
{
    peers_options options = {.scaling = true, .repeats = 5, .budget = 5.0, .time_budget = 0.25};
    for (int i = 1; i < count; ++i) {
        const char *name = arguments[i];
        if (strcmp(name, "--quick") == 0) {
            options.quick = true;
            options.repeats = 2;
            options.budget = 0.5;
            options.time_budget = 0.05;
            continue;
        }
        if (strcmp(name, "--no-scaling") == 0) {
            options.scaling = false;
            continue;
        }
        if (strcmp(name, "--help") == 0) {
            peers_usage(stdout);
            exit(0);
        }
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        bool known = strcmp(name, "--json") == 0 || strcmp(name, "--scene") == 0 ||
                     strcmp(name, "--engine") == 0 || strcmp(name, "--budget") == 0 ||
                     strcmp(name, "--repeat") == 0;
        if (!known || value == NULL) {
            fprintf(stderr,
                    known ? "bench_peers: %s needs a value\n"
                          : "bench_peers: unknown option %s; see --help\n",
                    name);
            exit(2);
        }
        ++i;
        if (strcmp(name, "--json") == 0) {
            options.json = value;
        } else if (strcmp(name, "--scene") == 0) {
            options.scene = value;
        } else if (strcmp(name, "--engine") == 0) {
            options.engine = value;
        } else if (strcmp(name, "--budget") == 0) {
            options.budget = peers_parse(name, value, 1e-3, 1e6);
        } else {
            options.repeats = (int)peers_parse(name, value, 1.0, BENCH_MAX_REPEATS);
        }
    }
    return options;
}

static void peers_headline(void)
{
    printf("pawl %s beside MuJoCo %s and ODE %s, one thread, no contact\n", pawl_version(),
           peers_mujoco(), peers_ode());
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

static int peers_select(const peers_options *options, peers_case *cases)
{
    int count = 0;
    for (int i = 0; i < PEERS_SPECS; ++i) {
        const peers_spec *spec = &peers_specs[i];
        bench_scene *scene = spec->make(spec->size);
        bool wanted = (spec->in_quick || !options->quick) &&
                      (options->scene == NULL || strstr(scene->name, options->scene) != NULL);
        if (wanted) {
            cases[count++] = (peers_case){.scene = scene, .dt = spec->dt};
        } else {
            bench_scene_destroy(scene);
        }
    }
    return count;
}

static bool peers_write(const char *path, json_t *root)
{
    if (json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) != 0) {
        fprintf(stderr, "bench_peers: cannot write %s\n", path);
        return false;
    }
    return true;
}

int main(int argument_count, char **arguments)
{
    peers_options options = peers_parse_all(argument_count, arguments);
    peers_list list = peers_collect(options.engine);
    static peers_case cases[PEERS_SPECS];
    int count = peers_select(&options, cases);
    int total = count * (list.count + options.repeats);
    int done = 0;
    int status = 0;
    json_t *scenes = json_array();
    peers_headline();
    for (int i = 0; i < count; ++i) {
        peers_run(&cases[i], &list, &options, &done, total);
        peers_progress(total, total, "", "");
        peers_print(&cases[i], &list);
        if (!peers_pawl_held(&cases[i], &list)) {
            status = 1;
        }
        json_array_append_new(scenes, peers_case_json(&cases[i], &list));
        bench_scene_destroy(cases[i].scene);
    }
    json_t *scaling = options.scaling ? peers_scaling(&options) : json_null();
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:o, s:o}", "pawl", pawl_version(), "mujoco", peers_mujoco(),
                  "ode", peers_ode(), "scenes", scenes, "chain_growth", scaling);
    if (options.json != NULL && !peers_write(options.json, root)) {
        status = 2;
    }
    json_decref(root);
    return status;
}
