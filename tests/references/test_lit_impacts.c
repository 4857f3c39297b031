// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Impacts that lit locates within its steps, against closed forms that pawl did not compute (D8, D9, D10 of
// tests/references/data) and by halving the step.
#include "support/reference.h"
#include "support/reference_data.h"
#include "support/scene.h"

#include <math.h>

static pawl_settings lit_settings(double dt)
{
    pawl_settings settings = scene_settings(dt);
    settings.stepper = PAWL_STEPPER_LIT;
    settings.solver.tolerance = 1e-10;
    return settings;
}

// Free flight is a parabola, which the trapezoidal rule follows exactly: so are impact times and speeds,
// whatever the step. The Zeno sequence ends in lasting contact.
TEST(d8_bounces_are_located_to_rounding_and_end_in_lasting_contact)
{
    json_t *data = reference_data_load("D8_bouncing_ball.json");
    const double steps[] = {0.05, 1e-2, 1e-3};
    for (int i = 0; i < 3; ++i) {
        pawl_settings settings = lit_settings(steps[i]);
        mechanism m;
        scene_load(&m, CLASSIC("D8-bouncing-ball"), &settings);
        int bounces = 0, lasting = 0;
        double at = 0.0;
        while (mechanism_time(&m) < 4.5 - 1e-9) {
            scene_step(&m);
            for (int k = 0; k < pawl_sim_event_count(m.sim); ++k) {
                pawl_event e = pawl_sim_event(m.sim, k);
                if (e.kind == PAWL_EVENT_COLLISION && bounces < 12) {
                    CHECK_NEAR(e.time, reference_data_item(data, "impact_times", bounces), 1e-12);
                    CHECK_NEAR(0.8 * e.figure,
                               reference_data_item(data, "post_impact_speeds", bounces), 1e-11);
                    ++bounces;
                }
                lasting += e.kind == PAWL_EVENT_LASTING;
                at = e.kind == PAWL_EVENT_LASTING ? e.time : at;
                CHECK(e.kind != PAWL_EVENT_UNRESOLVED);
            }
        }
        CHECK_INT(bounces, 12);
        CHECK_INT(lasting, 1);
        // What is left of the sequence from the threshold of 1 cm/s on takes 2 v / (g (1 - e)).
        CHECK_NEAR(at, reference_data_scalar(data, "t_zeno"), 2.0 * 1e-2 / (9.81 * 0.2) + 1e-9);
        CHECK(scene_speed(&m, pawl_model_body_at(m.model, 0)) < 1e-9);
        CHECK_NEAR(scene_position(&m, pawl_model_body_at(m.model, 0)).z, 0.1, 1e-9);
        CHECK_NEAR(scene_force(&m, PAWL_WORLD, pawl_model_body_at(m.model, 0)).z,
                   reference_data_scalar(data, "contact_force_after"), 1e-6);
        CHECK(pawl_verdict_energy_error(&m.verdict) < 1e-12);
        mechanism_end(&m);
    }
    json_decref(data);
}

// Without a threshold the sequence has no last bounce. It ends all the same.
TEST(d8_without_a_threshold_never_hangs)
{
    pawl_settings settings = lit_settings(1e-2);
    settings.contact.restitution_threshold = 0.0;
    mechanism m;
    scene_load(&m, CLASSIC("D8-bouncing-ball"), &settings);
    scene_run(&m, 4.5);
    CHECK(m.verdict.events[PAWL_EVENT_LASTING] > 0);
    CHECK(scene_speed(&m, pawl_model_body_at(m.model, 0)) < 1e-6);
    CHECK_NEAR(scene_position(&m, pawl_model_body_at(m.model, 0)).z, 0.1, 1e-6);
    mechanism_end(&m);
}

// No weight, one short step: what is left is the impact. Newton's law is the reference's own; rows that say
// so do not depend on the law, sliding with friction included. The tip is round, with 1e-7 m.
TEST(d10_a_rod_hits_the_floor_by_every_law)
{
    json_t *data = reference_data_load("D10_rod_end_impact.json");
    const json_t *row;
    size_t index;
    int poisson = 0;
    for (int law = 0; law < PAWL_IMPACT_LAW_COUNT; ++law) {
        json_array_foreach(reference_data_rows(data, "cases"), index, row)
        {
            // Without restitution newton and poisson are one; the others follow the slip, which ends in some.
            bool any = json_is_true(json_object_get(row, "law_independent")) ||
                       (law == PAWL_IMPACT_POISSON && reference_data_number(row, "e", -1) == 0.0);
            if (law != PAWL_IMPACT_NEWTON && !any) {
                continue;
            }
            poisson += law == PAWL_IMPACT_POISSON;
            double theta = reference_data_number(row, "theta_deg", -1) * SCENE_DEGREE;
            const double v[2] = {reference_data_number(row, "v", 0),
                                 reference_data_number(row, "v", 1)};
            mechanism m;
            mechanism_begin(&m);
            pawl_body_id rod = scene_rod(&m, 0.5, theta, v, reference_data_number(row, "omega", -1),
                                         reference_data_number(row, "mu", -1),
                                         reference_data_number(row, "e", -1));
            pawl_settings settings = lit_settings(1e-9);
            settings.contact.impact = (pawl_impact_law)law;
            mechanism_start(&m, &settings);
            double energy = mechanism_energy(&m).kinetic;
            scene_step(&m);
            pawl_vec3 after = scene_velocity(&m, rod);
            CHECK_NEAR(after.x, reference_data_number(row, "v_plus", 0), 3e-6);
            CHECK_NEAR(after.z, reference_data_number(row, "v_plus", 1), 3e-6);
            CHECK_NEAR(-scene_spin(&m, rod).y, reference_data_number(row, "omega_plus", -1), 1e-5);
            CHECK_NEAR(energy - mechanism_energy(&m).kinetic,
                       reference_data_number(row, "kinetic_loss", -1), 1e-5);
            CHECK(fabs(mechanism_energy(&m).balance) < 1e-9);
            mechanism_end(&m);
        }
    }
    CHECK(poisson >= 4);
    json_decref(data);
}

// Where a body with three balls on it is after it fell and bounced, and how often it did.
typedef struct lit_fall {
    pawl_vec3 inertia, spin;
    double until;
    int bounces;
} lit_fall;

static pawl_pose lit_falling_body(const lit_fall *f, double dt)
{
    const pawl_vec3 balls[3] = {{0.5, 0, 0}, {-0.5, 0, 0}, {0.1, 0.4, 0.0}};
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
    scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), 0.05, 0.5);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = f->inertia.x;
    def.inertia[1] = f->inertia.y;
    def.inertia[2] = f->inertia.z;
    def.pose.position = v3(0, 0, 0.8);
    def.pose.orientation = pawl_quat_from_rpy(0.0, -0.6, 0.0);
    def.twist = (pawl_twist){v3(1.0, 0, 0), f->spin};
    pawl_body_id body = mechanism_body(&m, &def);
    for (int k = 0; k < 3; ++k) {
        scene_shape(&m, body, PAWL_SHAPE_SPHERE, v3(0.02, 0, 0), balls[k], 0.05, 0.5);
    }
    pawl_settings settings = lit_settings(dt);
    mechanism_start(&m, &settings);
    scene_run(&m, f->until);
    CHECK_INT(m.verdict.events[PAWL_EVENT_COLLISION], f->bounces);
    CHECK_INT(m.verdict.events[PAWL_EVENT_UNRESOLVED], 0);
    CHECK(pawl_verdict_energy_error(&m.verdict) < 1e-3);
    pawl_pose pose = pawl_state_pose(mechanism_state(&m), body);
    mechanism_end(&m);
    return pose;
}

static double lit_fall_error(const lit_fall *f, double dt, pawl_pose exact)
{
    pawl_pose at = lit_falling_body(f, dt);
    pawl_vec3 turn = quat_log(quat_mul(at.orientation, quat_conj(exact.orientation)));
    return fmax(v3_norm(v3_sub(at.position, exact.position)), v3_norm(turn));
}

// In a plane between impacts all is parabolas and steady turning: no step is too long.
TEST(d10_a_falling_rod_is_followed_exactly_through_its_impacts)
{
    const lit_fall rod = {{1e-3, 1.0 / 12.0, 1.0 / 12.0}, {0, 1.5, 0}, 0.6, 4};
    pawl_pose exact = lit_falling_body(&rod, 1e-3);
    CHECK(lit_fall_error(&rod, 0.02, exact) < 1e-11);
    CHECK(lit_fall_error(&rod, 0.05, exact) < 1e-11);
}

TEST(a_tumbling_body_is_followed_with_order_two_through_its_impacts)
{
    const lit_fall body = {{0.03, 0.1, 0.12}, {4.0, 1.5, -3.0}, 0.56, 3};
    pawl_pose exact = lit_falling_body(&body, 1e-2 / 64.0);
    double error[3];
    for (int k = 0; k < 3; ++k) {
        error[k] = lit_fall_error(&body, 1e-2 / (double)(1 << k), exact);
    }
    print_message("tumbling body: errors %.2e %.2e %.2e\n", error[0], error[1], error[2]);
    CHECK(error[0] < 2e-3);
    CHECK_NEAR(reference_order(error[0], error[1]), 2.0, 0.2);
    CHECK_NEAR(reference_order(error[1], error[2]), 2.0, 0.2);
}
