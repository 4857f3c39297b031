// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A light box welded below a heavy one, pushed about on the ground. Without the weld's rows a contact of the light box is as
// heavy as both; a leftover impulse of a contact that opens was nothing by that measure (1e-9 m/s), but by the judge's, whose
// row is the light box's own, a thousand times more: the solver was content and the step was not (7e-7 m/s).
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

static const double light = 1.0, half = 0.1;

static pawl_body_id box(mechanism *m, double mass, double height)
{
    pawl_body_def def = pawl_body_def_default();
    def.mass = mass;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = mass * 4.0 * half * half / 6.0;
    def.pose.position = v3(0, 0, height);
    pawl_body_id body = mechanism_body(m, &def);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = v3(half, half, half);
    shape.friction = 0.5;
    CHECK_OK(pawl_builder_add_shape(m->builder, body, &shape, NULL));
    return body;
}

// Forces of up to half the weight on either body, ten a second: boxes tip over edges and corners, and contacts open.
// Steps that do not meet the tolerance.
static int missed(double heavy, uint64_t seed)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    pawl_body_id lower = box(&m, light, half), upper = box(&m, heavy, 3.0 * half);
    pawl_joint_def weld = pawl_joint_def_default();
    weld.kind = PAWL_JOINT_FIXED;
    weld.base = lower;
    weld.follower = upper;
    weld.base_frame.position = v3(0, 0, half);
    weld.follower_frame.position = v3(0, 0, -half);
    (void)mechanism_joint(&m, &weld);
    pawl_shape_def ground = pawl_shape_def_default();
    ground.kind = PAWL_SHAPE_PLANE;
    ground.friction = 0.5;
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &ground, NULL));
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    double most = 0.5 * 9.81 * (light + heavy);
    int count = 0;
    for (int i = 0; i < 3000; ++i) {
        if (i % 100 == 0) {
            pawl_state *s = pawl_sim_edit_state(m.sim);
            bool below = random_in(&seed, 0.0, 1.0) < 0.5;
            double reach = below ? fmin(most, 100.0 * 0.5 * 9.81 * light) : most;
            pawl_vec3 force = v3(random_in(&seed, -reach, reach), random_in(&seed, -reach, reach),
                                 random_in(&seed, -reach, reach));
            CHECK_OK(pawl_state_set_wrench(s, lower, below ? force : v3(0, 0, 0), v3(0, 0, 0)));
            CHECK_OK(pawl_state_set_wrench(s, upper, below ? v3(0, 0, 0) : force, v3(0, 0, 0)));
        }
        CHECK_OK(pawl_sim_step(m.sim, &m.report));
        count += m.report.residual.natural_scaled <= settings.solver.tolerance ? 0 : 1;
    }
    mechanism_end(&m);
    return count;
}

TEST(contacts_of_a_light_body_under_a_heavy_one_are_solved_by_the_judges_measure)
{
    static const double heavy[] = {30.0, 300.0, 1000.0};
    for (int i = 0; i < 3; ++i) {
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            CHECK(missed(heavy[i], seed) == 0);
        }
    }
}
