// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Options, engines and runs of the comparisons.
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- options ------------------------------------------------------------------------------------

static void session_usage(FILE *out, const char *program, const char *summary)
{
    fprintf(out, "%s: %s\n", program, summary);
    fputs("  --quick        a smoke run of a few seconds: small scenes, few steps, rough times\n"
          "  --scene TEXT   only scenes whose name contains TEXT\n"
          "  --engine TEXT  only engines and variants whose name contains TEXT\n"
          "  --budget S     CPU seconds an engine gets for a scene's judged run (5)\n"
          "  --repeat N     timed repetitions (5)\n"
          "  --no-scaling   leave out bench_peers' table of pawl's own growth, dense and sparse\n"
          "  --json FILE    also write all figures as JSON\n"
          "Exit: 0 done, 1 pawl failed on a scene, 2 bad usage.\n",
          out);
}

static double session_number(const char *program, const char *option, const char *text,
                             double lowest, double highest)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= lowest && value <= highest)) {
        fprintf(stderr, "%s: %s is \"%s\", expected a number from %g to %g\n", program, option,
                text, lowest, highest);
        exit(2);
    }
    return value;
}

bench_options bench_parse(const char *program, const char *summary, int count, char **arguments)
{
    bench_options options = {
        .program = program, .scaling = true, .repeats = 5, .budget = 5.0, .time_budget = 0.25};
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
            session_usage(stdout, program, summary);
            exit(0);
        }
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        bool known = strcmp(name, "--json") == 0 || strcmp(name, "--scene") == 0 ||
                     strcmp(name, "--engine") == 0 || strcmp(name, "--budget") == 0 ||
                     strcmp(name, "--repeat") == 0;
        if (!known || value == NULL) {
            fprintf(stderr,
                    known ? "%s: %s needs a value\n" : "%s: unknown option %s; see --help\n",
                    program, name);
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
            options.budget = session_number(program, name, value, 1e-3, 1e6);
        } else {
            options.repeats = (int)session_number(program, name, value, 1.0, BENCH_MAX_REPEATS);
        }
    }
    return options;
}

// ---- engines ------------------------------------------------------------------------------------

static void session_add(bench_list *list, const bench_peer *rows, int count, const char *wanted)
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

bench_list bench_collect_mechanisms(const bench_options *options)
{
    bench_list list = {.reference = -1};
    session_add(&list, bench_pawl_peers, BENCH_PAWL_PEERS, options->engine);
#if defined(BENCH_WITH_MUJOCO)
    session_add(&list, bench_mujoco_peers, BENCH_MUJOCO_PEERS, options->engine);
#endif
#if defined(BENCH_WITH_ODE)
    session_add(&list, bench_ode_peers, BENCH_ODE_PEERS, options->engine);
#endif
    return list;
}

bench_list bench_collect_contacts(const bench_options *options)
{
    bench_list list = {.reference = -1};
    session_add(&list, bench_pawl_contact_peers, BENCH_PAWL_CONTACT_PEERS, options->engine);
#if defined(BENCH_WITH_MUJOCO)
    session_add(&list, bench_mujoco_contact_peers, BENCH_MUJOCO_CONTACT_PEERS, options->engine);
#endif
#if defined(BENCH_WITH_ODE)
    session_add(&list, bench_ode_contact_peers, BENCH_ODE_CONTACT_PEERS, options->engine);
#endif
    return list;
}

const char *bench_mujoco_name(void)
{
#if defined(BENCH_WITH_MUJOCO)
    return bench_mujoco_version();
#else
    return "not installed";
#endif
}

const char *bench_ode_name(void)
{
#if defined(BENCH_WITH_ODE)
    return bench_ode_version();
#else
    return "not installed";
#endif
}

bool bench_is_pawl(const bench_peer *peer)
{
    return strcmp(peer->engine, "pawl") == 0;
}

// ---- running ------------------------------------------------------------------------------------

void bench_progress(int done, int total, const char *what, const char *detail)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K[%3d/%d] %s  %s", done, total, what, detail);
        if (done == total) {
            fprintf(stderr, "\r\033[K");
        }
        fflush(stderr);
    }
}

static bool session_wanted(const bench_peer *peer, const bench_scene *scene)
{
    switch (peer->scope) {
    case BENCH_LOOPS_ONLY:
        return scene->joint_count > scene->body_count;
    case BENCH_JOINTS_ONLY:
        return scene->joint_count > 0;
    case BENCH_EVERYWHERE:
        break;
    }
    return true;
}

int bench_case_work(const bench_list *list, const bench_options *options)
{
    return list->count + options->repeats;
}

void bench_run_case(bench_case *run, const bench_list *list, const bench_options *options,
                    int *done, int total)
{
    const bench_scene *scene = run->scene;
    char what[64];
    snprintf(what, sizeof what, "%s, dt %g ms", scene->name, 1e3 * run->dt);
    for (int i = 0; i < list->count; ++i) {
        const bench_peer *peer = list->peer[i];
        char detail[64];
        snprintf(detail, sizeof detail, "%s %s", peer->engine, peer->variant);
        bench_progress((*done)++, total, what, detail);
        run->present[i] = session_wanted(peer, scene);
        if (run->present[i]) {
            run->result[i] =
                bench_judge(peer, scene, run->dt, run->duration, run->patience * options->budget);
        }
    }
    // There and back again, so that a machine that slows down or speeds up favours nobody.
    for (int k = 0; k < options->repeats; ++k) {
        bench_progress((*done)++, total, what, "timing");
        for (int j = 0; j < list->count; ++j) {
            int i = k % 2 == 0 ? j : list->count - 1 - j;
            if (run->present[i] && !(run->whole && run->result[i].spent > 1.0)) {
                bench_time(&run->result[i], list->peer[i], scene, run->dt, options->time_budget);
            }
        }
    }
}

// ---- figures ------------------------------------------------------------------------------------

double bench_ratio(const bench_case *run, const bench_list *list, int i)
{
    return list->reference < 0 ? NAN : run->result[i].median / run->result[list->reference].median;
}

const char *bench_outcome_name(bench_outcome outcome)
{
    static const char *const names[] = {"done", "skipped", "refused", "exploded"};
    return names[outcome];
}

json_t *bench_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *bench_seconds(const bench_result *result)
{
    json_t *seconds = json_array();
    for (int k = 0; k < result->repeats; ++k) {
        json_array_append_new(seconds, json_real(1e6 * result->seconds[k]));
    }
    return seconds;
}

bool bench_write_json(const bench_options *options, json_t *root)
{
    if (json_dump_file(root, options->json, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) != 0) {
        fprintf(stderr, "%s: cannot write %s\n", options->program, options->json);
        return false;
    }
    return true;
}
