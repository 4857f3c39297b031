// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What holds for every model holds for redundant loops from files with few digits: the same bits after a
// resume and for any number of threads, no memory in a step, and nearly the same motion whichever way
// the matrix is kept. Which combinations of rows are redundant is part of the state.
#include "pawl/io.h"
#include "support/linkage_random.h"
#include "support/linkage_zoo.h"
#include "support/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bits_run {
    test_env t;
    pawl_model *model;
    pawl_sim *sim;
} bits_run;

static void bits_begin(bits_run *r, const linkage *l, int digits, const pawl_settings *settings)
{
    test_env_init(&r->t);
    char *text = linkage_sdf(l, digits);
    pawl_load_options options = pawl_load_options_default();
    CHECK_OK(pawl_model_parse(&r->t.env, l->name, text, strlen(text), &options, &r->model));
    free(text);
    CHECK_OK(pawl_sim_create(&r->t.env, r->model, settings, &r->sim));
}

static void bits_steps(bits_run *r, int steps)
{
    for (int k = 0; k < steps; ++k) {
        CHECK_OK(pawl_sim_step(r->sim, NULL));
    }
}

static uint64_t bits_hash(const bits_run *r)
{
    return pawl_state_hash(pawl_sim_state(r->sim));
}

static void bits_end(bits_run *r)
{
    pawl_sim_destroy(r->sim);
    pawl_model_destroy(r->model);
    CHECK_NO_LEAK(&r->t);
}

// Saves, makes a new simulation of the same model and goes on in it.
static void bits_resume(bits_run *r, const pawl_settings *settings)
{
    size_t size = pawl_state_size(pawl_sim_state(r->sim));
    void *bytes = malloc(size);
    pawl_state_save(pawl_sim_state(r->sim), bytes);
    pawl_sim_destroy(r->sim);
    CHECK_OK(pawl_sim_create(&r->t.env, r->model, settings, &r->sim));
    pawl_state *state;
    CHECK_OK(pawl_state_create(&r->t.env, r->model, &state));
    CHECK_OK(pawl_state_load(&r->t.env, state, bytes, size));
    CHECK_OK(pawl_sim_set_state(r->sim, state));
    pawl_state_destroy(state);
    free(bytes);
}

static void bits_check_resume(const linkage *l, int digits, const pawl_settings *settings,
                              int before, int after)
{
    bits_run whole, parts;
    bits_begin(&whole, l, digits, settings);
    bits_steps(&whole, before + after);
    bits_begin(&parts, l, digits, settings);
    bits_steps(&parts, before);
    bits_resume(&parts, settings);
    bits_steps(&parts, after);
    CHECK(bits_hash(&whole) == bits_hash(&parts));
    bits_end(&whole);
    bits_end(&parts);
}

// A crowd of mechanisms that have nothing to do with each other.
static void bits_crowd(linkage *l)
{
    linkage other;
    zoo_four_bar(l);
    zoo_bennett(&other);
    linkage_join(l, &other);
    zoo_bricard(&other);
    linkage_join(l, &other);
    zoo_floating_four_bar(&other);
    linkage_join(l, &other);
    zoo_door(&other, 3, ZOO_OFFSET, 1e-5);
    linkage_join(l, &other);
    zoo_sarrus(&other);
    linkage_join(l, &other);
}

// The run that was not interrupted.
TEST(a_resumed_run_has_the_same_bits)
{
    linkage crowd, ladder;
    bits_crowd(&crowd);
    zoo_ladder(&ladder, 4);
    for (int formulation = 0; formulation < PAWL_FORMULATION_COUNT; ++formulation) {
        for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
            pawl_settings settings = mechanism_settings(5e-3, (pawl_stepper_kind)stepper);
            settings.formulation = (pawl_formulation)formulation;
            if (formulation == PAWL_FORMULATION_REDUCED && stepper == PAWL_STEPPER_RATTLE) {
                continue; // has no reduced coordinates
            }
            bits_check_resume(&crowd, 5, &settings, 30, 30);
        }
    }
    // before, in and after the passage of the flat position at about 0.9 s
    pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_MOREAU);
    for (int before = 150; before <= 210; before += 10) {
        bits_check_resume(&ladder, 6, &settings, before, 230 - before);
    }
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    linkage l;
    bits_crowd(&l);
    static const int threads[] = {1, 2, 7};
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_MOREAU);
        settings.threads = threads[k];
        bits_run r;
        bits_begin(&r, &l, 5, &settings);
        bits_steps(&r, 100);
        hash[k] = bits_hash(&r);
        bits_end(&r);
    }
    CHECK(hash[1] == hash[0] && hash[2] == hash[0]);
}

// Bodies after a run, by one setting or another.
static double bits_distance(const bits_run *a, const bits_run *b)
{
    double worst = 0.0;
    for (int i = 0; i < pawl_model_body_count(a->model); ++i) {
        pawl_vec3 p = pawl_state_pose(pawl_sim_state(a->sim),
                                      pawl_model_body_at(pawl_sim_model(a->sim), i))
                          .position,
                  q = pawl_state_pose(pawl_sim_state(b->sim),
                                      pawl_model_body_at(pawl_sim_model(b->sim), i))
                          .position;
        worst = fmax(worst, hypot(p.x - q.x, hypot(p.y - q.y, p.z - q.z)));
    }
    return worst;
}

// Each other: the same problem is solved to rounding by all of them. Up to 0.25 s, before one of the
// mechanisms passes a singular position, where rounding decides.
TEST(islands_and_operators_change_nothing_but_rounding)
{
    linkage l;
    bits_crowd(&l);
    pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_MOREAU);
    bits_run first;
    bits_begin(&first, &l, 5, &settings);
    bits_steps(&first, 50);
    for (int islands = 0; islands < 2; ++islands) {
        for (int kind = PAWL_DELASSUS_DENSE; kind <= PAWL_DELASSUS_SPARSE; ++kind) {
            settings.solver.islands = islands != 0;
            settings.delassus = (pawl_delassus_kind)kind;
            bits_run r;
            bits_begin(&r, &l, 5, &settings);
            bits_steps(&r, 50);
            CHECK_NEAR(bits_distance(&r, &first), 0.0, 1e-9);
            bits_end(&r);
        }
    }
    bits_end(&first);
}

TEST(a_step_asks_for_no_memory)
{
    linkage l;
    bits_crowd(&l);
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        pawl_settings settings = mechanism_settings(5e-3, (pawl_stepper_kind)stepper);
        bits_run r;
        bits_begin(&r, &l, 5, &settings);
        bits_steps(&r, 5);
        int64_t calls = r.t.calls;
        bits_steps(&r, 50);
        CHECK_INT(r.t.calls, calls);
        bits_end(&r);
    }
}

// The steps without the tolerance: what is not redundant, or exactly so, is solved as it was.
TEST(what_is_exact_or_not_redundant_keeps_its_bits)
{
    static void (*const make[])(linkage *) = {zoo_stewart, zoo_pendulum, zoo_four_bar,
                                              zoo_bennett, zoo_bricard,  zoo_delta};
    for (size_t k = 0; k < sizeof make / sizeof make[0]; ++k) {
        for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
            linkage l;
            make[k](&l);
            pawl_settings settings = mechanism_settings(2e-3, (pawl_stepper_kind)stepper);
            bits_run with, without;
            bits_begin(&with, &l, LINKAGE_EXACT, &settings);
            bits_steps(&with, 100);
            settings.loop.tolerance = 0.0;
            bits_begin(&without, &l, LINKAGE_EXACT, &settings);
            bits_steps(&without, 100);
            CHECK(bits_distance(&with, &without) == 0.0);
            bits_end(&with);
            bits_end(&without);
        }
    }
    linkage stewart; // not redundant with any number of digits
    zoo_stewart(&stewart);
    for (int digits = 7; digits <= 9; ++digits) {
        pawl_settings settings = mechanism_settings(2e-3, PAWL_STEPPER_MOREAU);
        bits_run with, without;
        bits_begin(&with, &stewart, digits, &settings);
        bits_steps(&with, 100);
        settings.loop.tolerance = 0.0;
        bits_begin(&without, &stewart, digits, &settings);
        bits_steps(&without, 100);
        CHECK(bits_distance(&with, &without) == 0.0);
        bits_end(&with);
        bits_end(&without);
    }
}
