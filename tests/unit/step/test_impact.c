// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Impacts of lit at a given pose: energy, momentum, the two laws against each other and against closed
// forms of one contact.
#include "sim/sim.h"
#include "step/common/impact.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

static pawl_settings impact_settings(pawl_impact_law law)
{
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_LIT);
    settings.contact.impact = law;
    settings.solver.tolerance = 1e-11;
    settings.contact.restitution_threshold = 0.0;
    return settings;
}

// The impact of all that touches at the start of the mechanism.
static void impact_now(mechanism *m)
{
    step_context *c = &m->sim->context;
    pawl_step_report report = {0};
    impact_request request = {.time = 0.0, .reach = 1e-6};
    c->out.events.count = 0;
    CHECK(pawl_impact(c, m->sim->state, &request, &report));
    CHECK_INT(c->out.contact_demand, 0);
    CHECK(report.residual.natural_scaled <= 1e-10);
}

static pawl_vec3 impact_direction(uint64_t *seed)
{
    pawl_quat q = random_quat(seed);
    return pawl_quat_rotate(q, v3(0, 0, 1));
}

// Two spheres that touch, anywhere, with any speeds and spins: v_n+ = -e v_n-, and the impulse is
// (1 + e) m1 m2 / (m1 + m2) times the closing speed, along the line of centres.
TEST(two_smooth_spheres_part_as_newton_and_poisson_both_say)
{
    uint64_t seed = 1;
    for (int i = 0; i < 200; ++i) {
        double e = random_in(&seed, 0.0, 1.0), m1 = random_in(&seed, 0.1, 5.0);
        double m2 = random_in(&seed, 0.1, 5.0), r1 = random_in(&seed, 0.1, 0.5), r2 = 0.2;
        pawl_vec3 n = impact_direction(&seed), at = random_vec(&seed, 2.0);
        pawl_vec3 v1 = random_vec(&seed, 3.0), v2 = random_vec(&seed, 3.0);
        double closing = v3_dot(n, v3_sub(v1, v2));
        if (closing < 0.1) {
            continue;
        }
        pawl_vec3 impulse = v3_scale((1.0 + e) * m1 * m2 / (m1 + m2) * closing, n);
        for (int law = 0; law < PAWL_IMPACT_LAW_COUNT; ++law) {
            mechanism m;
            mechanism_begin(&m);
            pawl_body_id one = scene_sphere(&m, m1, r1, at, v1, 0.0, e);
            pawl_body_id two = scene_sphere(&m, m2, r2, v3_axpy(at, r1 + r2, n), v2, 0.0, e);
            pawl_settings settings = impact_settings((pawl_impact_law)law);
            mechanism_start(&m, &settings);
            double before = mechanism_energy(&m).kinetic;
            impact_now(&m);
            CHECK_NEAR3(scene_velocity(&m, one), v3_axpy(v1, -1.0 / m1, impulse), 1e-11);
            CHECK_NEAR3(scene_velocity(&m, two), v3_axpy(v2, 1.0 / m2, impulse), 1e-11);
            double loss = 0.5 * m1 * m2 / (m1 + m2) * closing * closing * (1.0 - e * e);
            CHECK_NEAR(before - mechanism_energy(&m).kinetic, loss, 1e-11);
            CHECK_INT(m.sim->context.out.events.count, 2);
            CHECK_INT(m.sim->context.out.events.events[0].kind, PAWL_EVENT_COLLISION);
            CHECK_NEAR(m.sim->context.out.events.events[0].figure, closing, 1e-12);
            CHECK_INT(m.sim->context.out.events.events[1].kind, PAWL_EVENT_IMPACT);
            CHECK_NEAR(m.sim->context.out.events.events[1].figure, loss, 1e-11);
            mechanism_end(&m);
        }
    }
}

// A heap of spheres that touch in a triangle or a row, all on a floor or none: some close, some open.
static void impact_heap(mechanism *m, uint64_t *seed, double friction, double e, bool floor)
{
    mechanism_begin(m);
    if (floor) {
        scene_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), friction, e);
    }
    int count = 2 + random_index(seed, 3);
    double r = 0.25;
    for (int k = 0; k < count; ++k) {
        pawl_vec3 at = k < 2 ? v3(2.0 * r * k, 0, r) : v3(r + 2.0 * r * (k - 2), sqrt(3.0) * r, r);
        pawl_body_def def = pawl_body_def_default();
        def.mass = random_in(seed, 0.2, 5.0);
        def.pose.position = at;
        def.twist = (pawl_twist){random_vec(seed, 3.0), random_vec(seed, 5.0)};
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.4 * def.mass * r * r;
        pawl_body_id body = mechanism_body(m, &def);
        scene_shape(m, body, PAWL_SHAPE_SPHERE, v3(r, 0, 0), v3(0, 0, 0), friction, e);
    }
}

// Without friction neither law adds energy, whatever touches; and nothing closes after it.
TEST(smooth_impacts_never_add_energy_and_leave_nothing_closing)
{
    uint64_t seed = 2;
    for (int i = 0; i < 300; ++i) {
        mechanism m;
        impact_heap(&m, &seed, 0.0, random_in(&seed, 0.0, 1.0), i % 2 == 0);
        pawl_settings settings = impact_settings((pawl_impact_law)(i % 3 == 0));
        mechanism_start(&m, &settings);
        double before = mechanism_energy(&m).kinetic;
        impact_now(&m);
        CHECK(mechanism_energy(&m).kinetic <= before + 1e-10);
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-10);
        const pawl_contact *k = m.sim->context.impact->contacts;
        for (int j = 0; j < m.sim->context.assembly->contact_count; ++j) {
            CHECK(pawl_contact_opening(&k[j], m.sim->state->bodies) >= -1e-9);
        }
        mechanism_end(&m);
    }
}

TEST(impacts_between_free_bodies_keep_momentum_with_friction_and_without)
{
    uint64_t seed = 3;
    for (int i = 0; i < 200; ++i) {
        mechanism m;
        impact_heap(&m, &seed, i % 2 == 0 ? 0.0 : 0.6, random_in(&seed, 0.0, 1.0), false);
        pawl_settings settings = impact_settings((pawl_impact_law)(i % 3 == 0));
        mechanism_start(&m, &settings);
        pawl_vec3 p = mechanism_momentum(&m), L = mechanism_angular_momentum(&m);
        impact_now(&m);
        CHECK_NEAR3(mechanism_momentum(&m), p, 1e-11);
        CHECK_NEAR3(mechanism_angular_momentum(&m), L, 1e-11);
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-10);
        mechanism_end(&m);
    }
}

// Plastic impacts dissipate with friction, too.
TEST(plastic_impacts_with_friction_never_add_energy)
{
    uint64_t seed = 4;
    for (int i = 0; i < 200; ++i) {
        mechanism m;
        impact_heap(&m, &seed, random_in(&seed, 0.1, 1.0), 0.0, i % 2 == 0);
        pawl_settings settings = impact_settings((pawl_impact_law)(i % 2));
        mechanism_start(&m, &settings);
        double before = mechanism_energy(&m).kinetic;
        impact_now(&m);
        CHECK(mechanism_energy(&m).kinetic <= before + 1e-10);
        mechanism_end(&m);
    }
}

// A box that lands flat has four contacts where three would do: it goes up with e of its speed,
// without turning.
TEST(a_box_that_lands_flat_bounces_without_turning)
{
    for (int law = 0; law < PAWL_IMPACT_LAW_COUNT; ++law) {
        mechanism m;
        mechanism_begin(&m);
        scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), 0.3, 0.6);
        pawl_body_def def = pawl_body_def_default();
        def.mass = 2.0;
        def.pose.position = v3(0, 0, 0.1);
        def.twist.linear = v3(0, 0, -2.0);
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.02;
        pawl_body_id box = mechanism_body(&m, &def);
        scene_shape(&m, box, PAWL_SHAPE_BOX, v3(0.2, 0.1, 0.1), v3(0, 0, 0), 0.3, 0.6);
        pawl_settings settings = impact_settings((pawl_impact_law)law);
        mechanism_start(&m, &settings);
        impact_now(&m);
        CHECK_NEAR3(scene_velocity(&m, box), v3(0, 0, 1.2), 1e-10);
        CHECK_NEAR3(scene_spin(&m, box), v3(0, 0, 0), 1e-10);
        mechanism_end(&m);
    }
}

// A rod on a hinge, held by nothing else, whose end meets a wall: the hinge takes what it must, and the rate
// after is -e times that before. A motor's rotor turns with it: an armature is inertia.
TEST(a_hinged_rod_bounces_about_its_hinge)
{
    for (int law = 0; law < PAWL_IMPACT_LAW_COUNT; ++law) {
        mechanism m;
        mechanism_begin(&m);
        scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), 0.0, 0.5);
        pawl_body_def def = pawl_body_def_default();
        def.mass = 3.0;
        def.inertia[0] = 1e-3;
        def.inertia[1] = def.inertia[2] = 0.25;
        def.pose.position = v3(0.5, 0, 0.1);
        def.twist = (pawl_twist){v3(0, 0, -1.0), v3(0, 2.0, 0)}; // about the hinge at x = 0
        pawl_body_id rod = mechanism_body(&m, &def);
        scene_shape(&m, rod, PAWL_SHAPE_SPHERE, v3(0.1, 0, 0), v3(0.5, 0, 0), 0.0, 0.5);
        pawl_joint_def hinge = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, rod,
                                                   v3(0, 0, 0.1), v3(0, 1, 0));
        hinge.coordinate[0].armature = 0.7;
        pawl_joint_id joint = mechanism_joint(&m, &hinge);
        pawl_settings settings = impact_settings((pawl_impact_law)law);
        mechanism_start(&m, &settings);
        impact_now(&m);
        CHECK_NEAR(mechanism_rate(&m, joint, 0), -1.0, 1e-10);
        double inertia = 0.25 + 3.0 * 0.25 + 0.7;
        double loss = 0.5 * inertia * (4.0 - 1.0);
        CHECK_NEAR(m.sim->context.out.events.events[1].figure, loss, 1e-9);
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-9);
        mechanism_end(&m);
    }
}

// A slider runs into its limit: no restitution there.
TEST(a_limit_stops_a_slider)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def body = pawl_body_def_default();
    body.mass = 2.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
    body.twist.linear = v3(3.0, 0, 0);
    pawl_body_id slider = mechanism_body(&m, &body);
    pawl_joint_def def =
        mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, slider, v3(0, 0, 0), v3(1, 0, 0));
    def.coordinate[0].lower = -1.0;
    def.coordinate[0].upper = 0.0;
    pawl_joint_id joint = mechanism_joint(&m, &def);
    pawl_settings settings = impact_settings(PAWL_IMPACT_POISSON);
    mechanism_start(&m, &settings);
    impact_now(&m);
    CHECK_NEAR(mechanism_rate(&m, joint, 0), 0.0, 1e-12);
    const step_event *e = m.sim->context.out.events.events;
    CHECK_INT(e[0].kind, PAWL_EVENT_LIMIT);
    CHECK_INT(e[0].joint, pawl_joint_index(joint));
    CHECK_NEAR(e[0].figure, 3.0, 1e-12);
    CHECK_NEAR(e[1].figure, 9.0, 1e-12);
    CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-12);
    mechanism_end(&m);
}

// Below the threshold nothing bounces, and the log says that the contact lasts.
TEST(slow_impacts_end_in_lasting_contact)
{
    mechanism m;
    mechanism_begin(&m);
    scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), 0.0, 0.9);
    pawl_body_id ball = scene_sphere(&m, 1.0, 0.1, v3(0, 0, 0.1), v3(1, 0, -5e-3), 0.0, 0.9);
    pawl_settings settings = impact_settings(PAWL_IMPACT_POISSON);
    settings.contact.restitution_threshold = 1e-2;
    mechanism_start(&m, &settings);
    impact_now(&m);
    CHECK_NEAR3(scene_velocity(&m, ball), v3(1, 0, 0), 1e-12);
    CHECK_INT(m.sim->context.out.events.events[0].kind, PAWL_EVENT_LASTING);
    mechanism_end(&m);
}
