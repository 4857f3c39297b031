// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reduced coordinates beside maximal ones: the same steppers pose the same steps in other coordinates, so that
// motion, energies, work and reactions agree but for rounding and tolerances, for trees and loops, with
// everything that a model can have.
#include "base/env.h"
#include "model/state.h"
#include "support/everything.h"
#include "support/many_things.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

static double formulation_distance(const pawl_state *a, const pawl_state *b)
{
    double far = 0.0;
    for (int i = 0; i < a->model->body_count; ++i) {
        const body_state *x = &a->bodies[i], *y = &b->bodies[i];
        far = fmax(far, v3_max_abs(v3_sub(x->r, y->r)));
        far = fmax(far, v3_max_abs(quat_log(quat_mul(x->q, quat_conj(y->q)))));
    }
    return far;
}

static pawl_settings formulation_settings(pawl_formulation formulation, pawl_stepper_kind stepper)
{
    pawl_settings settings = mechanism_settings(1e-3, stepper);
    settings.formulation = formulation;
    settings.solver.tolerance = 1e-11;
    return settings;
}

// Both formulations of one model, step by step.
static void formulation_compare(const pawl_model *model, const pawl_env *env,
                                pawl_stepper_kind stepper, int steps, double slack)
{
    pawl_sim *sim[2];
    for (int k = 0; k < 2; ++k) {
        pawl_settings settings = formulation_settings((pawl_formulation)k, stepper);
        CHECK_OK(pawl_sim_create(env, model, &settings, &sim[k]));
    }
    pawl_step_report report[2];
    for (int i = 0; i < steps; ++i) {
        CHECK_OK(pawl_sim_step(sim[0], &report[0]));
        CHECK_OK(pawl_sim_step(sim[1], &report[1]));
    }
    CHECK_NEAR(formulation_distance(pawl_sim_state(sim[0]), pawl_sim_state(sim[1])), 0.0, slack);
    const pawl_energy *x = &report[0].energy, *y = &report[1].energy;
    double size = fabs(x->kinetic) + fabs(x->gravity) + fabs(x->springs) + 1.0;
    const double a[] = {x->kinetic,       x->gravity,      x->springs,     x->work_actuators,
                        x->work_dampers,  x->work_motion,  x->work_forces, x->work_limits,
                        x->work_friction, x->work_contacts};
    const double b[] = {y->kinetic,       y->gravity,      y->springs,     y->work_actuators,
                        y->work_dampers,  y->work_motion,  y->work_forces, y->work_limits,
                        y->work_friction, y->work_contacts};
    for (size_t i = 0; i < sizeof a / sizeof a[0]; ++i) {
        CHECK_NEAR(b[i], a[i], 100.0 * slack * size);
    }
    pawl_sim_destroy(sim[0]);
    pawl_sim_destroy(sim[1]);
}

static void formulation_compare_file(const char *path, int steps, double slack)
{
    for (int stepper = PAWL_STEPPER_EULER; stepper <= PAWL_STEPPER_MOREAU; ++stepper) {
        mechanism m;
        pawl_settings settings =
            formulation_settings(PAWL_FORMULATION_MAXIMAL, (pawl_stepper_kind)stepper);
        scene_load(&m, path, &settings);
        formulation_compare(m.model, &m.t.env, (pawl_stepper_kind)stepper, steps, slack);
        mechanism_end(&m);
    }
}

TEST(references_move_alike_in_both_formulations)
{
    formulation_compare_file(CLASSIC("A01-pendulum"), 300, 1e-10);
    formulation_compare_file(CLASSIC("A02-N2"), 100, 1e-9);
    formulation_compare_file(CLASSIC("A04-bricard"), 200, 1e-8);
    formulation_compare_file(CLASSIC("A05-governor"), 200, 1e-8);
    formulation_compare_file(CLASSIC("C1-slider-crank"), 200, 1e-9);
    formulation_compare_file(CLASSIC("C2-car-axis"), 200, 1e-9);
    formulation_compare_file(CLASSIC("D2-heavy-top"), 200, 1e-9);
    formulation_compare_file(CLASSIC("D3-furuta"), 200, 1e-9);
    formulation_compare_file(CLASSIC("chain-10"), 200, 1e-8);
}

TEST(contacts_act_alike_in_both_formulations)
{
    formulation_compare_file(CLASSIC("D4-incline-30"), 100, 1e-9);
    formulation_compare_file(CLASSIC("D6-back-spin"), 100, 1e-9);
    formulation_compare_file(CLASSIC("D8-bouncing-ball"), 400, 1e-9);
    formulation_compare_file(CLASSIC("E3-topple"), 100, 1e-9);
    formulation_compare_file(PRIMITIVE("boxes-fixed"), 100, 1e-9);
    formulation_compare_file("models/nmdp/robosimian-planar.sdf", 60, 1e-8);
}

// A tree of bodies on a floating or a fixed base, with springs, dampers, armatures, drives, and with `floor` balls
// that touch the ground; with `loop` a bar to another body closes a loop.
static void formulation_random(mechanism *m, uint64_t seed, bool floor, bool loop)
{
    const pawl_joint_kind kinds[] = {PAWL_JOINT_REVOLUTE,  PAWL_JOINT_REVOLUTE,
                                     PAWL_JOINT_PRISMATIC, PAWL_JOINT_UNIVERSAL,
                                     PAWL_JOINT_SPHERICAL, PAWL_JOINT_CYLINDRICAL};
    int count = 3 + random_index(&seed, 5);
    double low = INFINITY;
    pawl_body_id body[8];
    pawl_vec3 at[8];
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0.0, 0.0, -9.81));
    for (int i = 0; i < count; ++i) {
        pawl_body_def def = pawl_body_def_default();
        int base = i == 0 ? -1 : random_index(&seed, i);
        at[i] = v3_add(base < 0 ? v3(0.0, 0.0, 0.6) : at[base],
                       v3_add(v3(0.15, 0.0, 0.0), random_vec(&seed, 0.1)));
        def.mass = random_in(&seed, 0.3, 3.0);
        random_inertia(&seed, def.mass, 0.2, def.inertia);
        def.pose.position = at[i];
        def.pose.orientation = random_quat(&seed);
        body[i] = mechanism_body(m, &def);
        low = fmin(low, at[i].z);
        if (floor) {
            scene_shape(m, body[i], PAWL_SHAPE_SPHERE, v3(0.02, 0.0, 0.0), v3(0.0, 0.0, 0.0), 0.6,
                        0.0);
        }
        if (i == 0 && random_in(&seed, 0.0, 1.0) < 0.5) {
            continue; // a floating base
        }
        pawl_joint_def joint = mechanism_joint_def(
            m, kinds[random_index(&seed, 6)], base < 0 ? PAWL_WORLD : body[base], body[i],
            v3_axpy(at[i], 0.5, random_vec(&seed, 0.2)), random_vec(&seed, 1.0));
        int coordinates = pawl_joint_kind_coordinates(joint.kind);
        for (int c = 0; c < coordinates; ++c) {
            joint.coordinate[c].stiffness = random_index(&seed, 2) * random_in(&seed, 0.0, 30.0);
            joint.coordinate[c].damping = random_index(&seed, 2) * random_in(&seed, 0.0, 0.5);
            joint.coordinate[c].armature = random_index(&seed, 2) * random_in(&seed, 0.0, 0.1);
        }
        pawl_joint_id id = mechanism_joint(m, &joint);
        if (coordinates > 0 && random_index(&seed, 2) == 1) {
            pawl_actuator_def drive = pawl_actuator_def_default();
            drive.kind = PAWL_ACTUATOR_POSITION;
            drive.joint = id;
            drive.target = pawl_signal_constant(0.2);
            drive.stiffness = pow(10.0, random_in(&seed, 0.0, 4.0)); // some beyond what is folded
            drive.damping = 0.01 * drive.stiffness;
            drive.effort = random_index(&seed, 3) == 0 ? 2.0 : INFINITY;
            mechanism_actuator(m, &drive);
        }
    }
    if (loop) {
        pawl_joint_def rod = mechanism_joint_def(m, PAWL_JOINT_DISTANCE, body[0], body[count - 1],
                                                 at[count - 1], v3(1.0, 0.0, 0.0));
        rod.base_frame.position = v3(0.1, 0.0, 0.0);
        rod.length = -1.0;
        mechanism_joint(m, &rod);
    }
    if (floor) {
        scene_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0.0, 0.0, 0.0), v3(0.0, 0.0, low - 0.02),
                    0.6, 0.0); // one stands from the start
    }
    mechanism_compile(m);
}

// What coordinates hold, what is inertia there and what rows, differs; the motion does not. Formulation auto is one of
// the two, to the last bit. Where drives push bodies onto the ground from the start, the two differ by a part of h^2 g in
// the first steps (2.4e-7, 5.9e-8, 1.5e-8 m in one of 1, 1/2 and 1/4 ms) and keep that distance.
TEST(random_mechanisms_move_alike_in_both_formulations)
{
    for (uint64_t seed = 1; seed <= 24; ++seed) {
        mechanism m;
        bool floor = seed % 3 == 0;
        formulation_random(&m, 977 * seed, floor, seed % 2 == 0);
        formulation_compare(m.model, &m.t.env,
                            seed % 4 == 0 ? PAWL_STEPPER_EULER : PAWL_STEPPER_MOREAU, 80,
                            floor ? 0.3 * 9.81 * 1e-6 : 1e-7);
        pawl_settings settings = formulation_settings(PAWL_FORMULATION_AUTO, PAWL_STEPPER_MOREAU);
        mechanism_start(&m, &settings);
        CHECK(pawl_sim_formulation_reason(m.sim)[0] != '\0');
        mechanism_run(&m, 20);
        settings.formulation = pawl_sim_settings(m.sim)->formulation;
        CHECK(settings.formulation != PAWL_FORMULATION_AUTO);
        pawl_sim *same;
        CHECK_OK(pawl_sim_create(&m.t.env, m.model, &settings, &same));
        for (int i = 0; i < 20; ++i) {
            CHECK_OK(pawl_sim_step(same, NULL));
        }
        CHECK(memcmp(pawl_sim_state(same)->bodies, mechanism_state(&m)->bodies,
                     (size_t)m.model->body_count * sizeof(body_state)) == 0);
        pawl_sim_destroy(same);
        mechanism_end(&m);
    }
}

// What reduced coordinates cannot do, or do otherwise, stays in maximal ones, and the choice says why.
TEST(auto_stays_in_maximal_coordinates_where_it_must)
{
    mechanism m;
    pawl_settings set = formulation_settings(PAWL_FORMULATION_AUTO, PAWL_STEPPER_MOREAU);
    scene_load(&m, "models/suite/biped21.sdf", &set);
    pawl_formulation kind;
    char reason[256];
    CHECK_OK(pawl_choose_formulation(&m.t.env, m.model, &set, &kind, reason, sizeof reason));
    // Both formulations may move it, so that costs decide: the reason has both.
    char costs[sizeof reason];
    memcpy(costs, reason, sizeof costs);
    CHECK(strstr(costs, "columns") != NULL);
    pawl_settings others[] = {set, set, set, set};
    others[0].soft.joint = 0.01;
    others[1].project = false;
    others[2].stepper = PAWL_STEPPER_RATTLE;
    others[3].stepper = PAWL_STEPPER_LIT;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        CHECK_OK(
            pawl_choose_formulation(&m.t.env, m.model, &others[i], &kind, reason, sizeof reason));
        CHECK_INT(kind, PAWL_FORMULATION_MAXIMAL);
        CHECK(reason[0] != '\0' && strcmp(reason, costs) != 0);
    }
    mechanism_end(&m);
}

static double formulation_apart(const char *path, pawl_stepper_kind stepper, double dt, double time)
{
    mechanism m[2];
    for (int k = 0; k < 2; ++k) {
        pawl_settings settings = mechanism_settings(dt, stepper);
        settings.formulation = (pawl_formulation)k;
        scene_load(&m[k], path, &settings);
        mechanism_run(&m[k], (int)lrint(time / dt));
    }
    double far = formulation_distance(mechanism_state(&m[0]), mechanism_state(&m[1]));
    mechanism_end(&m[0]);
    mechanism_end(&m[1]);
    return far;
}

// Both halves of a step of lit follow the joints, in either formulation to the same poses.
TEST(lit_moves_alike_in_both_formulations)
{
    const char *paths[] = {CLASSIC("A02-N2"),    CLASSIC("A04-bricard"), CLASSIC("C1-slider-crank"),
                           CLASSIC("D3-furuta"), CLASSIC("chain-10"),    PRIMITIVE("nunchuk")};
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; ++k) {
        CHECK_NEAR(formulation_apart(paths[k], PAWL_STEPPER_LIT, 4e-3, 0.2), 0.0, 1e-9);
    }
    CHECK_NEAR(formulation_apart(CLASSIC("D8-bouncing-ball"), PAWL_STEPPER_LIT, 2e-3, 1.0), 0.0,
               1e-10);
    CHECK_NEAR(formulation_apart(CLASSIC("E3-topple"), PAWL_STEPPER_LIT, 2e-3, 0.2), 0.0, 1e-9);
    CHECK_NEAR(formulation_apart("models/nmdp/robosimian-planar.sdf", PAWL_STEPPER_LIT, 2e-3, 0.1),
               0.0, 1e-5);
}

// One of everything: kinematic bodies, points, gears, motions, limits, friction losses, actuators.
TEST(everything_acts_alike_in_both_formulations)
{
    for (int stepper = PAWL_STEPPER_EULER; stepper <= PAWL_STEPPER_MOREAU; ++stepper) {
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        CHECK_OK(everything_build(&t.env, &model));
        formulation_compare(model, &t.env, (pawl_stepper_kind)stepper, 100, 1e-8);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

// The impulses of joints that have no rows are found from what they do to the bodies.
TEST(joints_of_the_tree_report_the_reactions_that_rows_would)
{
    const char *paths[] = {CLASSIC("D3-furuta"), CLASSIC("chain-10"), CLASSIC("A01-pendulum"),
                           "models/nmdp/spider-planar.sdf"};
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; ++k) {
        mechanism m[2];
        for (int f = 0; f < 2; ++f) {
            pawl_settings s = formulation_settings((pawl_formulation)f, PAWL_STEPPER_MOREAU);
            s.contact.max_push =
                0.0; // corrections of an overlap follow joints along curves of their own
            scene_load(&m[f], paths[k], &s);
            mechanism_run(&m[f], 40);
        }
        for (int j = 0; j < pawl_model_joint_count(m[0].model); ++j) {
            pawl_vec3 force[2], torque[2];
            for (int f = 0; f < 2; ++f) {
                pawl_sim_joint_reaction(m[f].sim, pawl_model_joint_at(pawl_sim_model(m[f].sim), j),
                                        &force[f], &torque[f]);
            }
            CHECK_NEAR3(force[1], force[0], 1e-5 * (1.0 + v3_norm(force[0])));
            CHECK_NEAR3(torque[1], torque[0], 1e-5 * (1.0 + v3_norm(force[0])));
        }
        mechanism_end(&m[0]);
        mechanism_end(&m[1]);
    }
}

// A tree needs no projection to stay closed, and loops none but of their own joint.
TEST(joints_of_the_tree_are_closed_to_rounding_even_without_projection)
{
    mechanism m;
    pawl_settings settings = mechanism_settings(0.02, PAWL_STEPPER_EULER);
    settings.formulation = PAWL_FORMULATION_REDUCED;
    settings.project = false;
    scene_load(&m, CLASSIC("chain-10"), &settings);
    mechanism_run(&m, 300);
    CHECK(m.verdict.closure.position <= 1e-14 && m.verdict.closure.rotation <= 1e-14);
    mechanism_end(&m);
}

// All solvers see the same problem: each solves the four-bar's loop and those that know contacts a drop.
TEST(every_solver_solves_in_reduced_coordinates)
{
    for (int kind = 0; pawl_solver_name(kind) != NULL; ++kind) {
        for (int delassus = 0; delassus < PAWL_DELASSUS_COUNT; ++delassus) {
            mechanism m;
            pawl_settings s = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
            s.formulation = PAWL_FORMULATION_REDUCED;
            s.solver.kind = (pawl_solver_kind)kind;
            s.delassus = (pawl_delassus_kind)delassus;
            scene_load(&m, CLASSIC("S4-fourbar"), &s);
            mechanism_run(&m, 20);
            CHECK(m.verdict.closure.position <= 1e-10);
            mechanism_end(&m);
        }
    }
}

// However a floating base turns, it moves the same.
TEST(euler_angles_of_a_base_give_the_same_motion)
{
    mechanism m[2];
    for (int k = 0; k < 2; ++k) {
        pawl_settings s = formulation_settings(PAWL_FORMULATION_REDUCED, PAWL_STEPPER_MOREAU);
        s.reduced.base = (pawl_reduced_base)k;
        scene_load(&m[k], PRIMITIVE("nunchuk"), &s);
        mechanism_run(&m[k], 200);
    }
    CHECK_NEAR(formulation_distance(mechanism_state(&m[0]), mechanism_state(&m[1])), 0.0, 1e-8);
    mechanism_end(&m[0]);
    mechanism_end(&m[1]);
}

// Turned by more than a right angle about its second axis, a gimbal passes its lock; its motion is a ball's.
TEST(a_gimbal_passes_its_lock)
{
    mechanism m[2];
    for (int k = 0; k < 2; ++k) {
        mechanism_begin(&m[k]);
        pawl_body_def def = pawl_body_def_default();
        def.mass = 1.0;
        def.inertia[0] = 0.1, def.inertia[1] = 0.2, def.inertia[2] = 0.25;
        def.twist.angular = v3(0.1, 3.0, 0.2);
        pawl_body_id body = mechanism_body(&m[k], &def);
        mechanism_world_joint(&m[k], PAWL_JOINT_GIMBAL, body, v3(0, 0, 0), v3(1, 0, 0));
        pawl_settings s = formulation_settings((pawl_formulation)k, PAWL_STEPPER_MOREAU);
        mechanism_start(&m[k], &s);
        mechanism_run(&m[k], 700);
    }
    CHECK_NEAR(formulation_distance(mechanism_state(&m[0]), mechanism_state(&m[1])), 0.0, 1e-10);
    mechanism_end(&m[0]);
    mechanism_end(&m[1]);
}

TEST(a_step_in_reduced_coordinates_allocates_nothing)
{
    for (int variant = 0; variant < 2 * PAWL_DELASSUS_COUNT; ++variant) {
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        CHECK_OK(everything_build(&t.env, &model));
        pawl_settings settings = mechanism_settings(5e-3, (pawl_stepper_kind)(variant % 2));
        settings.formulation = PAWL_FORMULATION_REDUCED;
        settings.delassus = (pawl_delassus_kind)(variant / 2);
        pawl_sim *sim;
        CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
        int64_t calls = t.calls;
        for (int i = 0; i < 30; ++i) {
            CHECK_OK(pawl_sim_step(sim, NULL));
        }
        CHECK_INT(t.calls, calls);
        pawl_sim_destroy(sim);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

static pawl_status formulation_make(const pawl_env *env, void *argument)
{
    pawl_settings settings = formulation_settings(PAWL_FORMULATION_REDUCED, PAWL_STEPPER_EULER);
    pawl_sim *sim;
    PAWL_TRY(pawl_sim_create(env, argument, &settings, &sim));
    pawl_sim_destroy(sim);
    return PAWL_OK;
}

TEST(reduced_coordinates_survive_running_out_of_memory)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model;
    CHECK_OK(everything_build(&t.env, &model));
    CHECK(CHECK_SURVIVES_NO_MEMORY(formulation_make, model) > 5);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

// Soft joints have no place in a tree.
TEST(what_reduced_coordinates_cannot_do_is_refused_with_the_reason)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
    mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 1), v3(1, 0, 0));
    mechanism_compile(&m);
    pawl_settings settings = formulation_settings(PAWL_FORMULATION_REDUCED, PAWL_STEPPER_EULER);
    settings.soft.joint = 0.02;
    pawl_sim *sim;
    CHECK_STATUS(pawl_sim_create(&m.t.env, m.model, &settings, &sim), PAWL_UNSUPPORTED);
    CHECK_MESSAGE(&m.t, "soft.joint=");
    mechanism_end(&m);
}
