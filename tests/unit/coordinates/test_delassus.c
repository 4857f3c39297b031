// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One chain, four operators, the same motion: what differs is rounding.
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
