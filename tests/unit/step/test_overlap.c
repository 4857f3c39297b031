// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a start begins with is the file's, what comes on top of that is the run's: spheres, whose depth over half
// the thickness is (2 r - d) / r.
#include "model/state.h"
#include "support/scene.h"

#include <math.h>

static const double overlap_radius = 0.1;

typedef struct overlap_variant {
    const char *name;
    pawl_stepper_kind stepper;
    pawl_formulation formulation;
} overlap_variant;
static const overlap_variant overlap_variants[] = {
    {"euler", PAWL_STEPPER_EULER, PAWL_FORMULATION_MAXIMAL},
    {"moreau", PAWL_STEPPER_MOREAU, PAWL_FORMULATION_MAXIMAL},
    {"moreau reduced", PAWL_STEPPER_MOREAU, PAWL_FORMULATION_REDUCED},
    {"lit", PAWL_STEPPER_LIT, PAWL_FORMULATION_MAXIMAL},
    {"rattle", PAWL_STEPPER_RATTLE, PAWL_FORMULATION_MAXIMAL},
};
enum { OVERLAP_VARIANTS = sizeof overlap_variants / sizeof overlap_variants[0] };

static pawl_settings overlap_settings(const overlap_variant *variant)
{
    pawl_settings s = scene_settings(2e-3);
    s.stepper = variant->stepper;
    s.formulation = variant->formulation;
    return s;
}

// Two spheres without weight whose centres are `distance` apart; the second one of the two.
static pawl_body_id overlap_spheres(mechanism *m, double distance)
{
    mechanism_begin(m);
    scene_sphere(m, 1.0, overlap_radius, v3(0, 0, 0), v3(0, 0, 0), 0.3, 0.0);
    return scene_sphere(m, 1.0, overlap_radius, v3(distance, 0, 0), v3(0, 0, 0), 0.3, 0.0);
}

static double overlap_depth(double distance)
{
    return (2.0 * overlap_radius - distance) / overlap_radius;
}

static pawl_criterion overlap_criterion(const mechanism *m, pawl_criterion_kind kind)
{
    pawl_verdict_names names = pawl_model_names(m->model);
    pawl_verdict_list list = pawl_verdict_judge(&m->verdict, pawl_sim_settings(m->sim), &names);
    return list.criteria[kind];
}

static void overlap_move(mechanism *m, pawl_body_id body, double x)
{
    pawl_pose pose = {v3(x, 0, 0), {1, 0, 0, 0}};
    CHECK_OK(pawl_state_set_pose(pawl_sim_edit_state(m->sim), body, pose));
}

TEST(overlaps_of_the_start_are_not_the_runs)
{
    for (int k = 0; k < OVERLAP_VARIANTS; ++k) {
        mechanism m;
        double distance = 0.02 + 0.03 * k;
        overlap_spheres(&m, distance);
        pawl_settings settings = overlap_settings(&overlap_variants[k]);
        mechanism_start(&m, &settings);
        scene_run(&m, 1.5);
        pawl_criterion c = overlap_criterion(&m, PAWL_CRITERION_PENETRATION);
        print_message("%s: began with %.3f, %.1e beyond\n", overlap_variants[k].name,
                      m.verdict.start_depth, c.value);
        CHECK_NEAR(m.verdict.start_depth, overlap_depth(distance), 1e-9);
        CHECK(c.value < 2e-5); // less than 1e-5 is no overlap, then or now
        CHECK(c.judgement == PAWL_PASSED);
        CHECK(m.report.penetration < 0.01 * m.verdict.penetration); // it was corrected
        CHECK_INT(m.report.tunnelled, 0);
        mechanism_end(&m);
    }
}

// Pushed half way out, then put back to where it began: half of that is new.
TEST(what_was_pushed_out_counts_when_it_comes_back)
{
    for (int k = 0; k < OVERLAP_VARIANTS; ++k) {
        mechanism m;
        pawl_body_id body = overlap_spheres(&m, 0.1);
        pawl_settings settings = overlap_settings(&overlap_variants[k]);
        mechanism_start(&m, &settings);
        while (m.report.penetration == 0.0 || m.report.penetration > 0.05) {
            scene_step(&m);
        }
        CHECK(overlap_criterion(&m, PAWL_CRITERION_PENETRATION).judgement == PAWL_PASSED);
        double left = m.report.penetration / overlap_radius;
        double first = scene_position(&m, pawl_model_body_at(m.model, 0)).x;
        overlap_move(&m, body, first + 0.1);
        scene_step(&m);
        pawl_criterion c = overlap_criterion(&m, PAWL_CRITERION_PENETRATION);
        CHECK(c.judgement == PAWL_FAILED);
        CHECK_NEAR(c.value, overlap_depth(0.1) - left, 1e-3);
        mechanism_end(&m);
    }
}

// Begins in the floor on its way out, too slow to get there, and falls back: never deeper than at the start, but for
// what it falls within a step.
TEST(what_turns_back_on_its_way_out_is_not_new)
{
    for (int k = 0; k < OVERLAP_VARIANTS; ++k) {
        for (int trial = 0; trial < 4; ++trial) {
            mechanism m;
            scene_floor(&m, 0.3, 0.0, 0.0);
            double depth = 0.05 + 0.01 * trial, up = 0.1 + 0.15 * trial;
            scene_sphere(&m, 1.0, overlap_radius, v3(0, 0, overlap_radius - depth), v3(0.1, 0, up),
                         0.3, 0.0);
            pawl_settings settings = overlap_settings(&overlap_variants[k]);
            mechanism_start(&m, &settings);
            scene_run(&m, 0.4);
            pawl_criterion c = overlap_criterion(&m, PAWL_CRITERION_PENETRATION);
            print_message("%s, %g m deep, %g m/s: %.1e beyond\n", overlap_variants[k].name, depth,
                          up, c.value);
            CHECK(c.value < 2e-5 + SCENE_G * settings.dt * settings.dt / overlap_radius);
            CHECK(c.judgement == PAWL_PASSED);
            mechanism_end(&m);
        }
    }
}

TEST(a_shape_that_comes_in_later_is_judged_by_all_of_its_depth)
{
    mechanism m;
    pawl_body_id body = overlap_spheres(&m, 0.3);
    pawl_settings settings = overlap_settings(&overlap_variants[1]);
    mechanism_start(&m, &settings);
    scene_run(&m, 0.01);
    overlap_move(&m, body, 0.15);
    scene_step(&m);
    pawl_criterion c = overlap_criterion(&m, PAWL_CRITERION_PENETRATION);
    CHECK(c.judgement == PAWL_FAILED);
    CHECK_NEAR(c.value, overlap_depth(0.15), 1e-9);
    CHECK(m.verdict.start_depth == 0.0);
    // A caller who assembles begins a motion of its own.
    overlap_move(&m, body, 0.12);
    CHECK_OK(pawl_sim_assemble(m.sim, NULL, NULL));
    m.verdict = pawl_verdict_begin(mechanism_state(&m));
    scene_step(&m);
    CHECK(overlap_criterion(&m, PAWL_CRITERION_PENETRATION).judgement == PAWL_PASSED);
    mechanism_end(&m);
}

// What is left of an overlap is part of the state: a resumed run is judged as one that was not interrupted.
TEST(a_resumed_run_knows_the_overlaps_of_its_start)
{
    mechanism m;
    overlap_spheres(&m, 0.05);
    pawl_settings settings = overlap_settings(&overlap_variants[1]);
    mechanism_start(&m, &settings);
    scene_run(&m, 0.02);
    CHECK_INT(pawl_state_overlaps(mechanism_state(&m)).count, 1);
    pawl_verdict before = m.verdict;
    mechanism_resume(&m, &settings);
    m.verdict = before;
    CHECK_INT(pawl_state_overlaps(mechanism_state(&m)).count, 1);
    scene_run(&m, 1.5);
    CHECK(overlap_criterion(&m, PAWL_CRITERION_PENETRATION).judgement == PAWL_PASSED);
    CHECK_INT(pawl_state_overlaps(mechanism_state(&m)).count, 0);
    mechanism_end(&m);
}

// A capsule hangs on a ball joint inside another one: no motion takes it out, and no side of it is the outer one.
TEST(what_joints_keep_inside_has_not_passed_through)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
    scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_CAPSULE, v3(0.03, 0, 0.1), v3(0, 0, 0), 0.0, 0.0);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0.08, 0, 0.0), v3(2e-3, 3e-3, 3e-3));
    scene_shape(&m, body, PAWL_SHAPE_CAPSULE, v3(0.03, 0, 0.1), v3(-0.08, 0, 0), 0.0, 0.0);
    mechanism_world_joint(&m, PAWL_JOINT_SPHERICAL, body, v3(0, 0, 0), v3(1, 0, 0));
    pawl_settings settings = overlap_settings(&overlap_variants[1]);
    mechanism_start(&m, &settings);
    scene_run(&m, 1.0);
    CHECK(m.verdict.start_depth > 1.0);
    CHECK_INT((int)m.verdict.tunnelled, 0);
    mechanism_end(&m);
}
