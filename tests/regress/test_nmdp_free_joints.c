// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A URDF file with a link `world` and a `floating` joint has a free joint that holds nothing. nmdp and mdp refused it as
// a loop.
#include "support/scene.h"

#include <math.h>
#include <string.h>

static void float_set_twist(mechanism *m, pawl_body_id body, pawl_twist twist)
{
    pawl_state *state;
    CHECK_OK(pawl_state_create(&m->t.env, m->model, &state));
    pawl_state_copy(state, pawl_sim_state(m->sim));
    pawl_state_set_twist(state, body, twist);
    CHECK_OK(pawl_sim_set_state(m->sim, state));
    pawl_state_destroy(state);
}

// A base that floats by a free joint steps like one without; what hangs on it by ball, universal, planar and gimbal
// joints is a tree. Nothing but gravity acts: the momentum grows by m g t.
TEST(bodies_float_by_free_joints)
{
    const pawl_joint_kind kinds[] = {PAWL_JOINT_SPHERICAL, PAWL_JOINT_UNIVERSAL, PAWL_JOINT_PLANAR,
                                     PAWL_JOINT_GIMBAL};
    const pawl_stepper_kind steppers[] = {PAWL_STEPPER_NMDP, PAWL_STEPPER_MDP};
    for (int k = 0; k < 8; ++k) {
        pawl_vec3 at[2];
        for (int joined = 0; joined < 2; ++joined) {
            mechanism m;
            mechanism_begin(&m);
            pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
            pawl_body_id base = mechanism_solid(&m, 2.0, v3(0, 0, 1), v3(0.02, 0.03, 0.04));
            pawl_body_id arm = mechanism_solid(&m, 1.0, v3(0.3, 0, 1), v3(0.01, 0.02, 0.02));
            pawl_joint_def hinge =
                mechanism_joint_def(&m, kinds[k % 4], base, arm, v3(0.1, 0, 1), v3(0, 1, 0));
            mechanism_joint(&m, &hinge);
            if (joined == 1) {
                mechanism_world_joint(&m, PAWL_JOINT_FREE, base, v3(0, 0, 1), v3(1, 0, 0));
            }
            pawl_settings settings = mechanism_settings(5e-3, steppers[k / 4]);
            mechanism_start(&m, &settings);
            pawl_vec3 w = v3(0.3, 0.5, 0.2), v = v3(1, 0, 0); // as one body
            float_set_twist(&m, base, (pawl_twist){v, w});
            float_set_twist(&m, arm, (pawl_twist){v3_add(v, v3_cross(w, v3(0.3, 0, 0))), w});
            double before = mechanism_momentum(&m).z;
            mechanism_run(&m, 40);
            at[joined] = scene_position(&m, base);
            CHECK_NEAR(mechanism_momentum(&m).z - before, -3.0 * SCENE_G * 0.2, 0.02);
            mechanism_end(&m);
        }
        CHECK(memcmp(&at[0], &at[1], sizeof at[0]) == 0);
    }
}
