// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a simulation tells of its contacts, and what the verdict keeps of them, on a box on a plane,
// whose forces are known by hand.
#include "math/rotation.h"
#include "support/mechanism.h"

static const double info_g = 9.81, info_mass = 2.0, info_half = 0.1;

static pawl_body_id info_box(mechanism *m, double mass, pawl_vec3 position, double friction)
{
    pawl_vec3 inertia = v3_scale(mass * 2.0 / 3.0 * info_half * info_half, v3(1, 1, 1));
    pawl_body_id body = mechanism_solid(m, mass, position, inertia);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = v3(info_half, info_half, info_half);
    shape.friction = friction;
    shape.restitution = 0.0;
    CHECK_OK(pawl_builder_add_shape(m->builder, body, &shape, NULL));
    return body;
}

static void info_ground(mechanism *m, double friction)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -info_g));
    pawl_shape_def ground = pawl_shape_def_default();
    ground.kind = PAWL_SHAPE_PLANE;
    ground.friction = friction;
    ground.restitution = 0.0;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &ground, NULL));
}

static pawl_vec3 info_sum(const mechanism *m, int body_b)
{
    pawl_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < pawl_sim_contact_count(m->sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m->sim, k);
        if (pawl_body_index(c.body_b) == body_b) {
            sum = v3_add(sum, c.force);
        }
    }
    return sum;
}

// Statics: the ground carries the weight and no more, on four sticking corners.
TEST(a_box_at_rest_is_carried_by_sticking_corners)
{
    for (int variant = 0; variant < 4; ++variant) {
        mechanism m;
        info_ground(&m, 0.5);
        pawl_body_id box = info_box(&m, info_mass, v3(0, 0, info_half), 0.5);
        pawl_settings settings = mechanism_settings(1e-3, (pawl_stepper_kind)(variant % 2));
        settings.solver.kind = variant < 2 ? PAWL_SOLVER_ADMM_NCP : PAWL_SOLVER_PGS_NCP;
        mechanism_start(&m, &settings);
        CHECK_INT(pawl_sim_contact_count(m.sim), 0); // no step yet
        mechanism_run(&m, 20);
        CHECK_INT(pawl_sim_contact_count(m.sim), 4);
        CHECK_INT(m.report.contacts, 4);
        for (int k = 0; k < 4; ++k) {
            pawl_contact_info c = pawl_sim_contact(m.sim, k);
            CHECK_INT(pawl_body_index(c.body_a), PAWL_WORLD_INDEX);
            CHECK_INT(pawl_body_index(c.body_b), pawl_body_index(box));
            CHECK_INT(pawl_shape_index(c.shape_a), 0);
            CHECK_INT(pawl_shape_index(c.shape_b), 1);
            CHECK_INT(c.mode, PAWL_CONTACT_STICK);
            CHECK_NEAR3(c.normal, v3(0, 0, 1), 1e-12);
            CHECK_NEAR(fabs(c.position.x), info_half, 1e-9);
            CHECK_NEAR(fabs(c.position.y), info_half, 1e-9);
            CHECK_NEAR(c.gap, 0.0, 1e-9);
        }
        // The residual is a velocity: over a step of 1 ms 1e-8 m/s are 1e-5 m/s^2.
        CHECK_NEAR3(info_sum(&m, pawl_body_index(box)), v3(0, 0, info_mass * info_g),
                    info_mass * 2e-5);
        mechanism_end(&m);
    }
}

// Coulomb: mu N against the motion. A pair has the geometric mean of 0.9 and 0.1.
TEST(a_sliding_box_is_braked_by_slipping_corners)
{
    mechanism m;
    info_ground(&m, 0.9);
    pawl_body_id box = info_box(&m, info_mass, v3(0, 0, info_half), 0.1);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    pawl_state *state;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &state));
    pawl_state_copy(state, pawl_sim_state(m.sim));
    pawl_state_set_twist(state, box, (pawl_twist){.linear = v3(1.2, 1.6, 0)});
    CHECK_OK(pawl_sim_set_state(m.sim, state));
    pawl_state_destroy(state);
    mechanism_run(&m, 10);
    int slips = 0;
    for (int k = 0; k < pawl_sim_contact_count(m.sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m.sim, k);
        slips += c.mode == PAWL_CONTACT_SLIP;
        CHECK(c.mode != PAWL_CONTACT_STICK);
    }
    CHECK(slips >= 2);
    double weight = info_mass * info_g;
    CHECK_NEAR3(info_sum(&m, pawl_body_index(box)),
                v3(-0.3 * 0.6 * weight, -0.3 * 0.8 * weight, weight), info_mass * 1e-4);
    mechanism_end(&m);
}

// A box in flight has no contacts; one that leaves within the margin has open ones, without force.
TEST(a_box_that_leaves_has_open_contacts_at_most)
{
    mechanism m;
    info_ground(&m, 0.5);
    pawl_body_id box = info_box(&m, info_mass, v3(0, 0, info_half + 1e-5), 0.5);
    pawl_settings settings = mechanism_settings(1e-4, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    pawl_state *state;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &state));
    pawl_state_copy(state, pawl_sim_state(m.sim));
    pawl_state_set_twist(state, box, (pawl_twist){.linear = v3(0, 0, 1)});
    CHECK_OK(pawl_sim_set_state(m.sim, state));
    pawl_state_destroy(state);
    mechanism_step(&m);
    CHECK_INT(pawl_sim_contact_count(m.sim), 4);
    for (int k = 0; k < 4; ++k) {
        pawl_contact_info c = pawl_sim_contact(m.sim, k);
        CHECK_INT(c.mode, PAWL_CONTACT_OPEN);
        CHECK_NEAR3(c.force, v3(0, 0, 0), 0.0);
        CHECK_NEAR(c.gap, 1e-5, 1e-12);
    }
    mechanism_run(&m, 100);
    CHECK_INT(pawl_sim_contact_count(m.sim), 0);
    CHECK_NEAR(m.verdict.penetration, 0.0, 0.0);
    CHECK_INT(pawl_shape_index(m.verdict.worst_shape_a), -1);
    CHECK_INT(m.verdict.contacts_max, 4);
    mechanism_end(&m);
}

// Newton's third law: the lower box carries its own weight and the upper one's, which presses on it.
TEST(forces_between_two_boxes_act_from_a_on_b)
{
    mechanism m;
    info_ground(&m, 0.5);
    pawl_body_id lower = info_box(&m, info_mass, v3(0, 0, info_half), 0.5);
    pawl_body_id upper = info_box(&m, 3.0, v3(0, 0, 3.0 * info_half), 0.5);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 20);
    CHECK_NEAR3(info_sum(&m, pawl_body_index(lower)), v3(0, 0, (info_mass + 3.0) * info_g), 1e-3);
    CHECK_NEAR3(info_sum(&m, pawl_body_index(upper)), v3(0, 0, 3.0 * info_g), 1e-3);
    for (int k = 0; k < pawl_sim_contact_count(m.sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m.sim, k);
        CHECK(pawl_shape_index(c.shape_a) < pawl_shape_index(c.shape_b) &&
              pawl_body_index(c.body_a) < pawl_body_index(c.body_b));
        CHECK(v3_dot(c.force, c.normal) >= 0.0);
    }
    mechanism_end(&m);
}

// The box that starts 1 cm deep is the worst pair, though another one touches too.
TEST(the_verdict_names_the_worst_pair)
{
    mechanism m;
    info_ground(&m, 0.5);
    info_box(&m, info_mass, v3(1, 0, info_half), 0.5);
    info_box(&m, info_mass, v3(0, 0, info_half - 0.01), 0.5);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 400);
    CHECK_NEAR(m.verdict.penetration, 0.01, 1e-12);
    CHECK_INT(pawl_shape_index(m.verdict.worst_shape_a), 0);
    CHECK_INT(pawl_shape_index(m.verdict.worst_shape_b), 2);
    CHECK_INT(m.verdict.contacts_max, 8);
    CHECK_NEAR(m.report.penetration, 0.0, 1e-6); // pushed out since
    mechanism_end(&m);
}

// 30 boxes have 120 contacts, more than a simulation starts with room for. Whichever request of the
// step that makes room fails, the state stays, and a later try has them all.
TEST(a_step_that_finds_no_memory_for_its_contacts_can_be_tried_again)
{
    mechanism m;
    info_ground(&m, 0.5);
    for (int k = 0; k < 30; ++k) {
        info_box(&m, info_mass, v3(k, 0, info_half), 0.5);
    }
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    uint64_t before = pawl_state_hash(mechanism_state(&m));
    int failures = 0;
    for (;; ++failures) {
        CHECK(failures < 1000);
        m.t.fail_at = m.t.calls + 1 + failures;
        pawl_status status = pawl_sim_step(m.sim, &m.report);
        if (status == PAWL_OK) {
            break;
        }
        CHECK_STATUS(status, PAWL_NO_MEMORY);
        CHECK(pawl_state_hash(mechanism_state(&m)) == before);
        CHECK_INT(pawl_sim_contact_count(m.sim), 0);
    }
    m.t.fail_at = 0;
    CHECK(failures > 3);
    mechanism_run(&m, 5);
    CHECK_INT(pawl_sim_contact_count(m.sim), 120);
    CHECK_NEAR3(info_sum(&m, 29), v3(0, 0, info_mass * info_g), 1e-3);
    mechanism_end(&m);
}

TEST(modes_have_names)
{
    CHECK_TEXT(pawl_contact_mode_name(PAWL_CONTACT_OPEN), "open");
    CHECK_TEXT(pawl_contact_mode_name(PAWL_CONTACT_STICK), "stick");
    CHECK_TEXT(pawl_contact_mode_name(PAWL_CONTACT_SLIP), "slip");
    CHECK(pawl_contact_mode_name(PAWL_CONTACT_MODE_COUNT) == NULL);
}
