// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Factors that share what they form of a placement against one that forms it for itself: the same bits, also after the
// bodies moved and after rows were changed where they are.
#include "coordinates/free_factor.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <string.h>

enum { SHARE_BODIES = 7, SHARE_ROWS = 6 * SHARE_BODIES };

// A tree of hinges with springs: one mechanism.
static void share_build(mechanism *m, uint64_t *seed)
{
    mechanism_begin(m);
    for (int i = 0; i < SHARE_BODIES; ++i) {
        pawl_body_def def = pawl_body_def_default();
        def.mass = random_in(seed, 0.1, 10.0);
        def.pose = random_pose(seed, 1.0);
        random_inertia(seed, def.mass, 0.3, def.inertia);
        mechanism_body(m, &def);
        int parent = random_index(seed, i + 1) - 1;
        parent = parent < 0 && i > 0 ? 0 : parent;
        pawl_joint_def joint = mechanism_joint_def(
            m, PAWL_JOINT_REVOLUTE,
            parent < 0 ? PAWL_WORLD : pawl_builder_body_at(m->builder, parent),
            pawl_builder_body_at(m->builder, i), random_vec(seed, 1.0), random_vec(seed, 1.0));
        joint.coordinate[0].stiffness = 1.0;
        mechanism_joint(m, &joint);
    }
    mechanism_compile(m);
}

// Rows that answers by both differ in.
static int share_compare(const pawl_assembly *a, free_factor *shared, free_factor *own,
                         const double *compliance, uint64_t *seed)
{
    double x[SHARE_ROWS], y[SHARE_ROWS];
    for (int r = 0; r < a->free_rows; ++r) {
        x[r] = y[r] = random_in(seed, -1.0, 1.0);
    }
    (void)pawl_free_factor_update(shared, compliance, 0.0, false);
    (void)pawl_free_factor_update(own, compliance, 0.0, false);
    pawl_free_factor_solve(shared, x);
    pawl_free_factor_solve(own, y);
    return memcmp(x, y, (size_t)a->free_rows * sizeof *x) != 0;
}

TEST(factors_that_share_a_matrix_have_the_bits_of_one_alone)
{
    uint64_t seed = 61;
    for (int n = 0; n < 20; ++n) {
        mechanism m;
        pawl_assembly *a;
        pawl_state *s;
        free_factor *first, *second, *own;
        share_build(&m, &seed);
        CHECK_OK(pawl_assembly_create(&m.t.env, m.model, 0, &a));
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
        CHECK_OK(pawl_free_factor_create(&m.t.env, a, PAWL_DELASSUS_AUTO, &first));
        CHECK_OK(pawl_free_factor_create(&m.t.env, a, PAWL_DELASSUS_AUTO, &second));
        CHECK_OK(pawl_free_factor_create(&m.t.env, a, PAWL_DELASSUS_AUTO, &own));
        CHECK_OK(pawl_free_factor_share(first, second));
        CHECK_INT(pawl_free_factor_part_count(first), 1);
        double stiff[SHARE_ROWS], soft[SHARE_ROWS];
        for (int r = 0; r < a->free_rows; ++r) {
            stiff[r] = pawl_assembly_is_hard(a, r) ? 0.0 : 1e30;
            soft[r] = pawl_assembly_is_hard(a, r) ? 0.0 : random_in(&seed, 0.1, 10.0);
        }
        int wrong = 0;
        for (int pose = 0; pose < 3; ++pose) {
            for (int i = 0; i < SHARE_BODIES && pose > 0; ++i) {
                s->bodies[i].q = random_pose(&seed, 1.0).orientation;
            }
            pawl_assembly_place(a, s->bodies, s->coordinates, 0.0, 0.0);
            wrong += share_compare(a, first, own, stiff, &seed);
            wrong += share_compare(a, second, own, soft, &seed);
            a->J[a->blocks[0].jacobian[0]] += 0.5;
            pawl_assembly_scale_block(a, 0);
            wrong += share_compare(a, first, own, soft, &seed);
        }
        CHECK_INT(wrong, 0);
        pawl_free_factor_destroy(own);
        pawl_free_factor_destroy(first);
        pawl_free_factor_destroy(second);
        pawl_state_destroy(s);
        pawl_assembly_destroy(a);
        mechanism_end(&m);
    }
}
