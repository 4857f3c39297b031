// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// contact.allowed_depth, the margin of loops eq. 91a, and eq. 91b as printed with solver.variant=paper. Answers by hand: a
// body at rest keeps the depth that it is allowed, or the distance that a negative one asks for; rows are biased by
// gamma min(0, r / dt) + max(0, r / dt) with r = d + delta.
#include "pawl/sample.h"
#include "support/scene.h"

#include <math.h>

static const double depth_half = 0.1;

static void depth_begin(mechanism *m, const pawl_settings *settings, double gap)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_body_def def = pawl_body_def_default();
    def.mass = 2.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 2.0 / 150.0;
    def.pose.position = v3(0, 0, depth_half + gap);
    pawl_body_id box = mechanism_body(m, &def);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = v3(depth_half, depth_half, depth_half);
    shape.friction = 0.5;
    CHECK_OK(pawl_builder_add_shape(m->builder, box, &shape, NULL));
    pawl_shape_def ground = pawl_shape_def_default();
    ground.kind = PAWL_SHAPE_PLANE;
    ground.friction = 0.5;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &ground, NULL));
    mechanism_start(m, settings);
}

static double depth_height(const mechanism *m)
{
    return pawl_state_pose(pawl_sim_state(m->sim), pawl_model_body_at(m->model, 0)).position.z;
}

TEST(a_box_at_rest_keeps_the_depth_that_it_is_allowed)
{
    static const double allowed[] = {0.0, 1e-4, 1e-5, -5e-4};
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU};
    for (int k = 0; k < 8; ++k) {
        for (int paper = 0; paper < 2; ++paper) {
            mechanism m;
            pawl_settings settings = mechanism_settings(1e-3, steppers[k / 4]);
            settings.solver.kind = paper ? PAWL_SOLVER_ADMM_NCP_LA : PAWL_SOLVER_AUTO;
            settings.solver.variant = paper ? PAWL_VARIANT_PAPER : PAWL_VARIANT_OWN;
            settings.contact.allowed_depth = allowed[k % 4];
            depth_begin(&m, &settings, 2e-4);
            mechanism_run(&m, 600);
            CHECK_NEAR(depth_height(&m), depth_half - allowed[k % 4], 2e-7);
            mechanism_end(&m);
        }
    }
}

TEST(the_published_variant_is_biased_as_printed)
{
    static const double gaps[] = {-1e-3, -1e-5, -1e-9, 1e-9, 4e-4};
    for (int k = 0; k < 5; ++k) {
        mechanism m;
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        settings.solver.kind = PAWL_SOLVER_PGS_NCP;
        settings.solver.variant = PAWL_VARIANT_PAPER;
        settings.contact.allowed_depth = 3e-5;
        depth_begin(&m, &settings, gaps[k]);
        pawl_sim_keep_samples(m.sim, true);
        CHECK_OK(pawl_sim_step(m.sim, &m.report));
        const pawl_sample_data *d = pawl_sample_get(pawl_sim_kept_sample(m.sim));
        CHECK_INT(d->contact_count, 4);
        double r = (gaps[k] + 3e-5) / 1e-3;
        double expected = settings.erp.contact * fmin(0.0, r) + fmax(0.0, r);
        for (int i = d->row_count - 10; i < d->row_count; i += 3) {
            CHECK_NEAR(d->bias[i], expected, 1e-9);
        }
        mechanism_end(&m);
    }
}

TEST(a_distance_beyond_which_contacts_are_unknown_is_refused)
{
    test_env t;
    test_env_init(&t);
    pawl_settings settings = pawl_settings_default();
    settings.contact.allowed_depth = -2.0 * settings.contact.margin;
    CHECK_INT(pawl_settings_check(&t.env, &settings), PAWL_BAD_ARGUMENT);
}
