// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Only steps one scene with one engine, for tools/step_table: a number of steps until the scene has a steady motion,
// then the counted steps, within bench_counted_steps(). Settings are the defaults; a scene is one of the list, or the
// path of a model file (only for pawl).
#include "pawl/io.h"
#include "pawl_world.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct step_scene {
    const char *name;
    bench_scene *(*make)(int size);
    int size;
    double dt; // [s]
} step_scene;

static bench_scene *step_four_bar(int size)
{
    (void)size;
    return bench_scene_four_bar();
}

static bench_scene *step_quadruped(int size)
{
    (void)size;
    return bench_scene_quadruped();
}

static bench_scene *step_humanoid(int size)
{
    (void)size;
    return bench_scene_humanoid();
}

static bench_scene *step_loop_biped(int size)
{
    (void)size;
    return bench_scene_loop_biped();
}

static bench_scene *step_nunchuk(int size)
{
    (void)size;
    return bench_scene_nunchuk();
}

static bench_scene *step_spheres(int size)
{
    return bench_scene_bin(BENCH_SPHERE, size);
}

static bench_scene *step_boxes(int size)
{
    return bench_scene_bin(BENCH_BOX, size);
}

static const step_scene step_scenes[] = {
    {"four-bar", step_four_bar, 0, 1e-3},
    {"chain-10", bench_scene_chain, 10, 1e-3},
    {"chain-100", bench_scene_chain, 100, 1e-3},
    {"chain-1000", bench_scene_chain, 1000, 1e-3},
    {"chain-10000", bench_scene_chain, 10000, 1e-3},
    {"ladder-10", bench_scene_ladder, 10, 1e-3},
    {"ladder-40", bench_scene_ladder, 40, 1e-3},
    {"ladder-160", bench_scene_ladder, 160, 1e-3},
    {"quadruped", step_quadruped, 0, 5e-3},
    {"humanoid", step_humanoid, 0, 5e-3},
    {"loop-biped", step_loop_biped, 0, 2.5e-3},
    {"nunchuk", step_nunchuk, 0, 5e-3},
    {"cards-3", bench_scene_cards, 3, 5e-3},
    {"stack-10", bench_scene_stack, 10, 5e-3},
    {"stack-40", bench_scene_stack, 40, 5e-3},
    {"wall-10", bench_scene_wall, 10, 5e-3},
    {"wall-20", bench_scene_wall, 20, 5e-3},
    {"spheres-100", step_spheres, 100, 5e-3},
    {"spheres-1000", step_spheres, 1000, 5e-3},
    {"boxes-100", step_boxes, 100, 5e-3},
    {"boxes-1000", step_boxes, 1000, 5e-3},
};

// What a run of pawl went through, for those who want to know what the count is a count of.
typedef struct step_figures {
    long iterations, factorizations, projections;
    int unsolved, contacts;
} step_figures;

static bool step_world(pawl_sim *sim, step_figures *figures)
{
    pawl_step_report report; // judged as in any run: its cost belongs to a step
    if (pawl_sim_step(sim, &report) != PAWL_OK) {
        return false;
    }
    figures->iterations += report.iterations;
    figures->factorizations += report.factorizations;
    figures->projections += report.projections;
    figures->unsolved += report.outcome != PAWL_CONVERGED;
    figures->contacts = report.contacts;
    return true;
}

// The name that callgrind's --toggle-collect asks for.
__attribute__((noinline)) bool bench_counted_steps(pawl_sim *sim, const bench_peer *peer,
                                                   void *world, int count, step_figures *figures);
bool bench_counted_steps(pawl_sim *sim, const bench_peer *peer, void *world, int count,
                         step_figures *figures)
{
    bool good = true;
    for (int i = 0; i < count && good; ++i) {
        good = sim != NULL ? step_world(sim, figures) : peer->step(world);
    }
    return good;
}

static void step_print(const pawl_sim *sim, const step_figures *f, int count)
{
    pawl_closure closure = pawl_state_closure(pawl_sim_state(sim));
    pawl_energy energy = pawl_state_energy(pawl_sim_state(sim));
    double speed = 0.0;
    const pawl_model *model = pawl_sim_model(sim);
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        pawl_vec3 v = pawl_state_twist(pawl_sim_state(sim), pawl_model_body_at(model, i)).linear;
        speed = fmax(speed, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
    }
    printf("contacts %d, iterations %.2f, factorizations %.2f, corrections %.2f, unsolved %d, "
           "closure %.2g m, energy error %.3g J, fastest body %.2g m/s\n",
           f->contacts, (double)f->iterations / count, (double)f->factorizations / count,
           (double)f->projections / count, f->unsolved, closure.position, energy.balance, speed);
}

static bool step_run(pawl_sim *sim, const bench_peer *peer, void *world, int before, int count)
{
    step_figures figures = {0};
    bool good = true;
    for (int i = 0; i < before && good; ++i) {
        good = sim != NULL ? step_world(sim, &figures) : peer->step(world);
    }
    figures = (step_figures){0};
    good = good && bench_counted_steps(sim, peer, world, count, &figures);
    if (good && sim != NULL) {
        step_print(sim, &figures, count);
    }
    return good;
}

static bool step_apply(pawl_settings *settings, int count, char **words)
{
    pawl_env env = pawl_env_default();
    for (int i = 0; i < count; ++i) {
        char key[64];
        const char *value = strchr(words[i], '=');
        if (value == NULL || value - words[i] >= (long)sizeof key) {
            return false;
        }
        memcpy(key, words[i], (size_t)(value - words[i]));
        key[value - words[i]] = '\0';
        if (pawl_settings_set(&env, settings, key, value + 1) != PAWL_OK) {
            return false;
        }
    }
    return true;
}

static bool step_file(const char *path, int before, int count, const pawl_settings *settings)
{
    pawl_env env = pawl_env_default();
    pawl_load_options options = pawl_load_options_default();
    pawl_model *model = NULL;
    pawl_sim *sim = NULL;
    bool good = pawl_model_load(&env, path, &options, &model) == PAWL_OK &&
                pawl_sim_create(&env, model, settings, &sim) == PAWL_OK &&
                step_run(sim, NULL, NULL, before, count);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    return good;
}

static bool step_peer(const bench_scene *scene, double dt, int before, int count)
{
#ifdef BENCH_WITH_MUJOCO
    const bench_peer *peer = &bench_mujoco_peers[0];
    void *world = peer->create(scene, dt, peer->option);
    bool good = world != NULL && step_run(NULL, peer, world, before, count);
    peer->destroy(world);
    return good;
#else
    (void)scene, (void)dt, (void)before, (void)count;
    fprintf(stderr, "bench_step: built without MuJoCo\n");
    return false;
#endif
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 5) {
        fprintf(stderr,
                "usage: bench_step pawl|mujoco SCENE BEFORE COUNTED [KEY=VALUE ...]\nscenes:");
        for (size_t i = 0; i < sizeof step_scenes / sizeof step_scenes[0]; ++i) {
            fprintf(stderr, " %s", step_scenes[i].name);
        }
        fprintf(stderr, " or a model file\n");
        return 2;
    }
    bool is_pawl = strcmp(arguments[1], "pawl") == 0;
    const char *name = arguments[2];
    int before = atoi(arguments[3]), count = atoi(arguments[4]);
    pawl_settings settings = pawl_settings_default();
    for (size_t i = 0; i < sizeof step_scenes / sizeof step_scenes[0]; ++i) {
        const step_scene *s = &step_scenes[i];
        if (strcmp(s->name, name) != 0) {
            continue;
        }
        bench_scene *scene = s->make(s->size);
        settings.dt = s->dt;
        bool good = step_apply(&settings, argument_count - 5, arguments + 5);
        if (good && is_pawl) {
            bench_world *world = bench_world_create(scene, &settings);
            good = world != NULL && step_run(world->sim, NULL, NULL, before, count);
            bench_world_destroy(world);
        } else if (good) {
            good = step_peer(scene, s->dt, before, count);
        }
        bench_scene_destroy(scene);
        return good ? 0 : 1;
    }
    bool good = is_pawl && step_apply(&settings, argument_count - 5, arguments + 5) &&
                step_file(name, before, count, &settings);
    return good ? 0 : 1;
}
