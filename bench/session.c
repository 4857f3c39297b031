// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Runs one scene in pawl and in every other engine that is installed, judges the motions by the
// same code (motion.h) and gives times as ratios to MuJoCo's defaults, so that runs on different
// machines can be compared.
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

bench_list bench_collect_work(const bench_options *options)
{
    bench_list list = {.reference = -1};
    session_add(&list, bench_pawl_work_peers, BENCH_PAWL_WORK_PEERS, options->engine);
#if defined(BENCH_WITH_MUJOCO)
    session_add(&list, bench_mujoco_contact_peers, BENCH_MUJOCO_CONTACT_PEERS, options->engine);
#endif
#if defined(BENCH_WITH_ODE)
    session_add(&list, bench_ode_contact_peers, BENCH_ODE_CONTACT_PEERS, options->engine);
#endif
#if defined(BENCH_WITH_BULLET)
    session_add(&list, bench_bullet_peers, BENCH_BULLET_PEERS, options->engine);
#endif
    return list;
}

const char *bench_bullet_name(void)
{
#if defined(BENCH_WITH_BULLET)
    return bench_bullet_version();
#else
    return "not installed";
#endif
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

json_t *bench_seconds(const bench_result *result)
{
    json_t *seconds = json_array();
    for (int k = 0; k < result->repeats; ++k) {
        json_array_append_new(seconds, json_real(1e6 * result->seconds[k]));
    }
    return seconds;
}
