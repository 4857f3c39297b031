// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A run that is saved at any step and resumed by a new simulation ends in the bits of the run that was not
// interrupted: that is what a state promises. Over all steppers, variants, schemes and searches for events, on
// scenes that slide, stick, bounce, swing and close loops, and at every step. lit.variant=paper with
// lit.scheme=1 used to keep the step before outside of the state.
#include "model/state.h"
#include "support/everything.h"
#include "support/random.h"
#include "support/scene.h"

#include <stdlib.h>
#include <string.h>

enum { RESUME_STEPS = 100, RESUME_SHORT = 2 };

typedef struct resume_scene {
    const char *path; // NULL: one of everything
    double dt;
    int steps;
} resume_scene;

static const resume_scene resume_scenes[] = {
    {CLASSIC("E1-slide"), 1e-2, 60},          // slides and stops
    {CLASSIC("E1-spin"), 1e-2, 40},           //
    {CLASSIC("D14-dry-friction"), 1e-2, 90},  // stops and turns back
    {CLASSIC("D6-back-spin"), 1e-2, 60},      // slides, then rolls
    {CLASSIC("D8-bouncing-ball"), 1e-2, 90},  // bounces
    {CLASSIC("D9-cradle"), 1e-2, 40},         //
    {PRIMITIVE("fourbar-dropped"), 5e-3, 60}, // a loop that falls on the floor
    {PRIMITIVE("nunchuk"), 5e-3, 80},         //
    {CLASSIC("A05-governor"), 2e-3, 60},      // loops with stiff springs
    {"models/quickstart.sdf", 5e-3, 60},      //
    {NULL, 5e-3, 40},
};
enum { RESUME_SCENES = sizeof resume_scenes / sizeof resume_scenes[0] };

static void resume_load(mechanism *m, const resume_scene *scene, const pawl_settings *settings)
{
    if (scene->path != NULL) {
        scene_load(m, scene->path, settings);
        return;
    }
    mechanism_begin(m);
    CHECK_OK(everything_build(&m->t.env, &m->model));
    mechanism_start(m, settings);
}

static void resume_compare(const mechanism *m, uint64_t hash, const resume_scene *scene,
                           const pawl_settings *settings, int at)
{
    if (pawl_state_hash(mechanism_state(m)) != hash) {
        fail_msg("%s resumed at step %d: stepper %d, lit variant %d, scheme %d, events %d",
                 scene->path != NULL ? scene->path : "everything", at, (int)settings->stepper,
                 (int)settings->lit.variant, settings->lit.scheme, (int)settings->lit.events);
    }
}

// Runs the scene once, saving every state. Then each of them is taken over for RESUME_SHORT steps by a new
// simulation, and a random one for all the steps that are left.
static void resume_check(const resume_scene *scene, const pawl_settings *settings, uint64_t *seed)
{
    mechanism m;
    resume_load(&m, scene, settings);
    size_t size = pawl_state_size(mechanism_state(&m));
    unsigned char *bytes = test_malloc((size_t)scene->steps * size);
    uint64_t hash[RESUME_STEPS + 1];
    CHECK(scene->steps <= RESUME_STEPS);
    for (int k = 0; k < scene->steps; ++k) {
        pawl_state_save(mechanism_state(&m), bytes + (size_t)k * size);
        scene_step(&m);
        hash[k + 1] = pawl_state_hash(mechanism_state(&m));
    }
    int whole = 1 + random_index(seed, scene->steps - 1);
    for (int at = 1; at + RESUME_SHORT <= scene->steps; ++at) {
        int end = at == whole ? scene->steps : at + RESUME_SHORT;
        mechanism_restart(&m, settings);
        mechanism_take(&m, bytes + (size_t)at * size, size);
        for (int k = at; k < end; ++k) {
            scene_step(&m);
        }
        resume_compare(&m, hash[end], scene, settings, at);
    }
    test_free(bytes);
    mechanism_end(&m);
}

TEST(lit_resumes_to_the_same_bits_in_every_variant)
{
    uint64_t seed = 17;
    for (int k = 0; k < RESUME_SCENES; ++k) {
        for (int variant = 0; variant < PAWL_LIT_VARIANT_COUNT; ++variant) {
            for (int kind = 0; kind < 2 * PAWL_LIT_EVENTS_COUNT; ++kind) {
                pawl_settings settings = mechanism_settings(resume_scenes[k].dt, PAWL_STEPPER_LIT);
                settings.lit.variant = (pawl_lit_variant)variant;
                settings.lit.events = (pawl_lit_events)(kind / 2);
                settings.lit.scheme = 1 + kind % 2;
                resume_check(&resume_scenes[k], &settings, &seed);
            }
        }
    }
}

TEST(the_other_steppers_resume_to_the_same_bits)
{
    uint64_t seed = 18;
    for (int k = 0; k < RESUME_SCENES; ++k) {
        for (int run = 0; run < 8; ++run) {
            static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                         PAWL_STEPPER_RATTLE, PAWL_STEPPER_RATTLE};
            pawl_settings settings = mechanism_settings(resume_scenes[k].dt, steppers[run % 4]);
            settings.rattle.order = run % 4 == 3 ? 4 : 2;
            settings.project = run % 4 >= 2 || run < 4;
            resume_check(&resume_scenes[k], &settings, &seed);
        }
    }
}

TEST(reduced_coordinates_resume_to_the_same_bits)
{
    uint64_t seed = 19;
    for (int k = 0; k < RESUME_SCENES; ++k) {
        for (int stepper = PAWL_STEPPER_EULER; stepper <= PAWL_STEPPER_LIT; ++stepper) {
            pawl_settings settings =
                mechanism_settings(resume_scenes[k].dt, (pawl_stepper_kind)stepper);
            settings.formulation = PAWL_FORMULATION_REDUCED;
            resume_check(&resume_scenes[k], &settings, &seed);
        }
    }
}

TEST(mdp_and_nmdp_resume_to_the_same_bits)
{
    static const resume_scene scenes[] = {{"models/nmdp/robosimian-planar.sdf", 2e-2, 20},
                                          {"models/nmdp/spider-planar.sdf", 2e-2, 20}};
    uint64_t seed = 20;
    for (int k = 0; k < 4; ++k) {
        pawl_settings settings =
            mechanism_settings(scenes[k / 2].dt, k % 2 ? PAWL_STEPPER_NMDP : PAWL_STEPPER_MDP);
        resume_check(&scenes[k / 2], &settings, &seed);
    }
}

// Setting a pose or twist begins another motion: what the step before was has no part in it.
TEST(a_state_that_was_set_by_hand_forgets_the_step_before)
{
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_LIT);
    settings.lit.variant = PAWL_LIT_PAPER;
    settings.lit.scheme = 1;
    mechanism m;
    scene_load(&m, CLASSIC("E1-slide"), &settings);
    for (int k = 0; k < 20; ++k) {
        scene_step(&m);
    }
    pawl_state *set;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &set));
    pawl_state_copy(set, mechanism_state(&m));
    CHECK(pawl_state_knows_before(set));
    pawl_state_set_twist(set, pawl_model_body_at(pawl_state_model(set), 0),
                         pawl_state_twist(set, pawl_model_body_at(pawl_state_model(set), 0)));
    CHECK(!pawl_state_knows_before(set));
    CHECK(pawl_state_hash(set) != pawl_state_hash(mechanism_state(&m)));
    pawl_state_destroy(set);
    mechanism_end(&m);
}
