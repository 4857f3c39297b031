// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Files in several threads at once: libxml2 and HDF5 have global state, which the readers and the
// recorder keep apart. Each thread must find what a single one finds. Run under the thread sanitizer, too.
#include "pawl/io.h"
#include "support/test.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 6, STEPS = 30 };

static const char *const threads_models[] = {
    "models/quickstart.sdf", "models/primitives/fourbar-fixed.sdf", "models/joints/gear.sdf",
    "models/classics/A04-bricard.sdf", "models/primitives/hulls.sdf"};
enum { MODELS = sizeof threads_models / sizeof threads_models[0] };

static const char threads_urdf[] =
    "<robot name='r'><link name='world'/><link name='a'><inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='1'/></inertial></link><joint name='j' type='continuous'>"
    "<parent link='world'/><child link='a'/><axis xyz='0 1 0'/></joint></robot>";

typedef struct threads_work {
    int number;
    uint64_t expected[MODELS], urdf; // hashes of the models
    uint64_t moved[MODELS];          // hash of the state after STEPS steps
    int failures;                    // cmocka's checks belong to the first thread
    char path[256];                  // of its recordings
} threads_work;

static uint64_t threads_load(int model, pawl_model **out)
{
    pawl_env env = pawl_env_default();
    if (pawl_model_load(&env, threads_models[model], NULL, out) != PAWL_OK) {
        return 0;
    }
    return pawl_model_hash(*out);
}

static uint64_t threads_parse(void)
{
    pawl_env env = pawl_env_default();
    pawl_model *model;
    if (pawl_model_parse(&env, "r.urdf", threads_urdf, strlen(threads_urdf), NULL, &model) !=
        PAWL_OK) {
        return 0;
    }
    uint64_t hash = pawl_model_hash(model);
    pawl_model_destroy(model);
    // What is not well-formed goes through libxml2's error handling.
    static const char broken[] = "<sdf><model name='m'></sdf>";
    if (pawl_model_parse(&env, "b.sdf", broken, strlen(broken), NULL, &model) != PAWL_BAD_FILE) {
        return 0;
    }
    return hash;
}

// The hash of the state after some steps, recorded to `path` unless that is NULL.
static uint64_t threads_run(const pawl_env *env, const pawl_model *model, const char *path)
{
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim = NULL;
    pawl_recorder *recorder = NULL;
    pawl_recorder_options options = pawl_recorder_options_default();
    options.interval = 0.0;
    options.flush_frames = 4;
    pawl_status status = pawl_sim_create(env, model, &settings, &sim);
    if (status == PAWL_OK && path != NULL) {
        status = pawl_recorder_create(env, path, sim, &options, &recorder);
    }
    pawl_verdict verdict = {0};
    if (status == PAWL_OK) {
        verdict = pawl_verdict_begin(pawl_sim_state(sim));
    }
    for (int k = 0; k < STEPS && status == PAWL_OK; ++k) {
        pawl_step_report report;
        status = pawl_sim_step(sim, &report);
        if (status == PAWL_OK && recorder != NULL) {
            status = pawl_recorder_add(recorder, &report, &verdict);
        }
    }
    pawl_status closed = pawl_recorder_close(recorder);
    uint64_t hash =
        status == PAWL_OK && closed == PAWL_OK ? pawl_state_hash(pawl_sim_state(sim)) : 0;
    pawl_sim_destroy(sim);
    return hash;
}

static uint64_t threads_read_back(const pawl_env *env, const pawl_model *model, const char *path)
{
    pawl_record *record = NULL;
    pawl_state *state = NULL;
    uint64_t hash = 0;
    if (pawl_record_open(env, path, &record) == PAWL_OK &&
        pawl_state_create(env, model, &state) == PAWL_OK &&
        pawl_record_last_state(record, state, NULL) == PAWL_OK) {
        hash = pawl_state_hash(state);
    }
    pawl_state_destroy(state);
    pawl_record_close(record);
    return hash;
}

static void *threads_load_all(void *argument)
{
    threads_work *w = argument;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int k = 0; k < MODELS; ++k) {
            pawl_model *model = NULL;
            int which = (k + w->number) % MODELS;
            w->failures += threads_load(which, &model) != w->expected[which];
            pawl_model_destroy(model);
        }
        w->failures += threads_parse() != w->urdf;
    }
    return NULL;
}

static void *threads_record_all(void *argument)
{
    threads_work *w = argument;
    pawl_env env = pawl_env_default();
    for (int k = 0; k < MODELS; ++k) {
        pawl_model *model = NULL;
        int which = (k + w->number) % MODELS;
        w->failures += threads_load(which, &model) != w->expected[which];
        w->failures += threads_run(&env, model, w->path) != w->moved[which];
        w->failures += threads_read_back(&env, model, w->path) != w->moved[which];
        char page[300];
        snprintf(page, sizeof page, "%s.html", w->path);
        w->failures += pawl_report_write(&env, w->path, page) != PAWL_OK;
        remove(page);
        pawl_model_destroy(model);
    }
    return NULL;
}

static void threads_all(void *(*work)(void *), threads_work w[THREADS])
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        CHECK_INT(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        CHECK_INT(pthread_join(thread[i], NULL), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        CHECK_INT(w[i].failures, 0);
    }
}

// Threads first: whatever is made at the first use is then made by several at once. The expected values
// are those of the first thread alone, afterwards.
TEST(threads_that_load_models_at_once_from_the_start)
{
    threads_work w[THREADS] = {0};
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        w[i].number = i;
        CHECK_INT(pthread_create(&thread[i], NULL, threads_load_all, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        CHECK_INT(pthread_join(thread[i], NULL), 0);
        // Nothing was expected right: all hashes differ from 0, and nothing crashed.
        CHECK_INT(w[i].failures, ROUNDS * (MODELS + 1));
    }
}

TEST(threads_load_what_one_thread_loads)
{
    threads_work w[THREADS] = {0};
    for (int i = 0; i < THREADS; ++i) {
        w[i].number = i;
        for (int k = 0; k < MODELS; ++k) {
            pawl_model *model = NULL;
            w[i].expected[k] = threads_load(k, &model);
            CHECK(w[i].expected[k] != 0);
            pawl_model_destroy(model);
        }
        w[i].urdf = threads_parse();
        CHECK(w[i].urdf != 0);
    }
    threads_all(threads_load_all, w);
}

TEST(threads_record_and_read_what_one_thread_records)
{
    threads_work w[THREADS] = {0};
    pawl_env env = pawl_env_default();
    for (int k = 0; k < MODELS; ++k) {
        pawl_model *model = NULL;
        uint64_t hash = threads_load(k, &model), moved = threads_run(&env, model, NULL);
        CHECK(moved != 0);
        for (int i = 0; i < THREADS; ++i) {
            w[i].expected[k] = hash;
            w[i].moved[k] = moved;
        }
        pawl_model_destroy(model);
    }
    for (int i = 0; i < THREADS; ++i) {
        char name[32];
        w[i].number = i;
        snprintf(name, sizeof name, "thread%d.h5", i);
        test_path(name, w[i].path, sizeof w[i].path);
    }
    threads_all(threads_record_all, w);
}
