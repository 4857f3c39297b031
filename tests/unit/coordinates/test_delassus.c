// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One chain, or two on a mounted frame, four operators, the same motion: what differs is rounding.
#include "support/mechanism.h"

#include <math.h>

enum { CHAIN_LINKS = 12, CHAIN_STEPS = 20 };

// Hinged links with dry friction in the joints, let go from the horizontal.
static void chain_build(mechanism *m)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, (pawl_vec3){0.0, 0.0, -9.81});
    for (int i = 0; i < CHAIN_LINKS; ++i) {
        pawl_vec3 at = {0.1 * i + 0.05, 0.0, 0.0}, hinge = {0.1 * i, 0.0, 0.0};
        pawl_body_id body = mechanism_solid(m, 0.1, at, (pawl_vec3){1e-5, 8e-5, 8e-5});
        pawl_joint_def joint = mechanism_joint_def(
            m, PAWL_JOINT_REVOLUTE, i == 0 ? PAWL_WORLD : pawl_builder_body_at(m->builder, i - 1),
            body, hinge, (pawl_vec3){0.0, 1.0, 0.0});
        joint.coordinate[0].friction = i % 3 == 0 ? 1e-2 : 0.0;
        mechanism_joint(m, &joint);
    }
}

// The same links as two chains on a frame that a weld holds in the world.
static void mounted_build(mechanism *m)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, (pawl_vec3){0.0, 0.0, -9.81});
    pawl_body_id body[CHAIN_LINKS], frame = {0};
    for (int i = 0; i < CHAIN_LINKS; ++i) {
        double side = i < CHAIN_LINKS / 2 ? 1.0 : -1.0;
        int place = i % (CHAIN_LINKS / 2);
        pawl_vec3 at = {side * (0.1 * place + 0.15), 0.01 * i, 0.0};
        body[i] = mechanism_solid(m, 0.1, at, (pawl_vec3){1e-5, 8e-5, 8e-5});
    }
    frame = mechanism_solid(m, 2.0, (pawl_vec3){0.0, 0.1, 0.1}, (pawl_vec3){0.1, 0.2, 0.2});
    pawl_joint_def weld =
        mechanism_joint_def(m, PAWL_JOINT_FIXED, PAWL_WORLD, frame, (pawl_vec3){0.0, 0.0, 0.0},
                            (pawl_vec3){0.0, 0.0, 1.0});
    mechanism_joint(m, &weld);
    for (int i = 0; i < CHAIN_LINKS; ++i) {
        double side = i < CHAIN_LINKS / 2 ? 1.0 : -1.0;
        int place = i % (CHAIN_LINKS / 2);
        pawl_vec3 hinge = {side * (0.1 * place + 0.1), 0.0, 0.0};
        pawl_joint_def joint =
            mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, place == 0 ? frame : body[i - 1], body[i],
                                hinge, (pawl_vec3){0.0, 1.0, 0.1 * place});
        joint.coordinate[0].friction = i % 3 == 0 ? 1e-2 : 0.0;
        mechanism_joint(m, &joint);
    }
}

static void chain_run(mechanism *m, pawl_delassus_kind kind, bool exact_joints, pawl_twist *twists)
{
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    settings.solver.kind = PAWL_SOLVER_ADMM_NCP_FP;
    settings.delassus = kind;
    settings.solver.exact_joints = exact_joints;
    settings.project = false;
    settings.solver.tolerance =
        0.0; // so that all go on to the end, or to a residual of exactly zero
    settings.solver.max_iterations = 50;
    mechanism_restart(m, &settings);
    for (int i = 0; i < CHAIN_STEPS; ++i) {
        CHECK_OK(pawl_sim_step(m->sim, &m->report));
        CHECK_INT(m->report.iterations, 50);
        CHECK_INT(m->report.factorizations, 1);
    }
    for (int i = 0; i < CHAIN_LINKS; ++i) {
        twists[i] = pawl_state_twist(mechanism_state(m), pawl_model_body_at(m->model, i));
    }
}

// Against the dense operator, which is Gaussian elimination of D written out.
TEST(dense_sparse_and_matrix_free_operators_agree)
{
    mechanism m;
    chain_build(&m);
    for (int exact = 0; exact < 2; ++exact) {
        pawl_twist expected[CHAIN_LINKS], got[CHAIN_LINKS];
        chain_run(&m, PAWL_DELASSUS_DENSE, exact == 1, expected);
        for (int kind = 0; kind < PAWL_DELASSUS_COUNT; ++kind) {
            chain_run(&m, (pawl_delassus_kind)kind, exact == 1, got);
            for (int i = 0; i < CHAIN_LINKS; ++i) {
                CHECK_NEAR3(got[i].linear, expected[i].linear, 1e-10);
                CHECK_NEAR3(got[i].angular, expected[i].angular, 1e-10);
            }
        }
    }
    mechanism_end(&m);
}

// A frame in the world adds nothing to the sparse factor but through its weld; the dense one has all of its products.
// Joints of frames carry what hangs on them, so the weld's reaction is compared as well.
TEST(dense_and_sparse_operators_of_a_mounted_frame_agree)
{
    for (int project = 0; project < 2; ++project) {
        pawl_twist twists[2][CHAIN_LINKS + 1];
        pawl_vec3 force[2], torque[2];
        for (int kind = 0; kind < 2; ++kind) {
            mechanism m;
            mounted_build(&m);
            pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
            settings.delassus = kind == 0 ? PAWL_DELASSUS_DENSE : PAWL_DELASSUS_SPARSE;
            settings.project = project == 1;
            mechanism_restart(&m, &settings);
            for (int i = 0; i < CHAIN_STEPS; ++i) {
                CHECK_OK(pawl_sim_step(m.sim, &m.report));
                CHECK_INT(m.report.outcome, PAWL_CONVERGED);
            }
            for (int i = 0; i <= CHAIN_LINKS; ++i) {
                twists[kind][i] =
                    pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, i));
            }
            CHECK_OK(pawl_sim_joint_reaction(m.sim, pawl_model_joint_at(m.model, 0), &force[kind],
                                             &torque[kind]));
            mechanism_end(&m);
        }
        for (int i = 0; i <= CHAIN_LINKS; ++i) {
            CHECK_NEAR3(twists[1][i].linear, twists[0][i].linear, 1e-10);
            CHECK_NEAR3(twists[1][i].angular, twists[0][i].angular, 1e-10);
        }
        CHECK_NEAR3(force[1], force[0], 1e-7);
        CHECK_NEAR3(torque[1], torque[0], 1e-7);
    }
}
