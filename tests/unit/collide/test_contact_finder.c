// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Coefficients of pairs: each rule by hand, and that the settings reach the contacts.
#include "collide/contact.h"
#include "math/rotation.h"
#include "support/mechanism.h"

typedef struct finder_material {
    double friction, restitution, torsional, rolling;
} finder_material;

static pawl_body_id finder_ball(mechanism *m, double x, double speed, finder_material material)
{
    pawl_body_def ball = pawl_body_def_default();
    ball.mass = ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 1.0;
    ball.pose.position = v3(x, 0, 0);
    ball.twist.linear = v3(speed, 0, 0);
    pawl_body_id body = mechanism_body(m, &ball);
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = PAWL_SHAPE_SPHERE;
    def.size = v3(0.5, 0, 0);
    def.friction = material.friction;
    def.restitution = material.restitution;
    def.torsional_friction = material.torsional;
    def.rolling_friction = material.rolling;
    CHECK_OK(pawl_builder_add_shape(m->builder, body, &def, NULL));
    return body;
}

// The one contact of two balls that touch.
static pawl_contact finder_contact(finder_material a, finder_material b, contact_rules rules)
{
    mechanism m;
    mechanism_begin(&m);
    finder_ball(&m, 0.0, 0.0, a);
    finder_ball(&m, 1.0, 0.0, b);
    mechanism_compile(&m);
    contact_finder *finder;
    CHECK_OK(pawl_contact_finder_create(&m.t.env, m.model, rules, &finder));
    pawl_quat upright = pawl_pose_identity().orientation;
    const body_state bodies[2] = {{.q = upright}, {.r = v3(1, 0, 0), .q = upright}};
    CHECK_INT(pawl_contact_finder_find(finder, bodies, 1e-3, 1e-3), 1);
    pawl_contact contact = pawl_contact_finder_contacts(finder)[0];
    pawl_contact_finder_destroy(finder);
    mechanism_end(&m);
    return contact;
}

TEST(rules_combine_what_two_shapes_have)
{
    static const struct {
        pawl_pair_rule rule;
        double friction, restitution;
    } rows[] = {{PAWL_PAIR_GEOMETRIC, 0.6, 0.2},
                {PAWL_PAIR_MIN, 0.4, 0.1},
                {PAWL_PAIR_MAX, 0.9, 0.4},
                {PAWL_PAIR_MEAN, 0.65, 0.25},
                {PAWL_PAIR_PRODUCT, 0.36, 0.04}};
    finder_material a = {0.4, 0.1, 0.0, 0.03}, b = {0.9, 0.4, 0.02, 0.01};
    CHECK_INT(sizeof rows / sizeof rows[0], PAWL_PAIR_RULE_COUNT);
    for (int k = 0; k < PAWL_PAIR_RULE_COUNT; ++k) {
        contact_rules friction = {.friction = rows[k].rule, .restitution = PAWL_PAIR_MAX};
        contact_rules restitution = {.friction = PAWL_PAIR_MIN, .restitution = rows[k].rule};
        for (int swapped = 0; swapped < 2; ++swapped) {
            finder_material first = swapped ? b : a, second = swapped ? a : b;
            pawl_contact c = finder_contact(first, second, friction);
            CHECK_NEAR(c.friction, rows[k].friction, 1e-15);
            CHECK_NEAR(c.restitution, 0.4, 0.0);
            // of these two always the larger
            CHECK_NEAR(c.torsional, 0.02, 0.0);
            CHECK_NEAR(c.rolling, 0.03, 0.0);
            c = finder_contact(first, second, restitution);
            CHECK_NEAR(c.friction, 0.4, 0.0);
            CHECK_NEAR(c.restitution, rows[k].restitution, 1e-15);
        }
    }
}

// Head on, equal masses: the relative speed after is e times the one before, with e by the setting.
TEST(settings_choose_the_rule_of_a_simulation)
{
    static const struct {
        const char *rule;
        double e;
    } rows[] = {{"geometric", 0.4}, {"min", 0.2}, {"max", 0.8}, {"mean", 0.5}, {"product", 0.16}};
    for (int k = 0; k < PAWL_PAIR_RULE_COUNT; ++k) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id still = finder_ball(&m, 0.0, 0.0, (finder_material){.restitution = 0.2});
        pawl_body_id moving = finder_ball(&m, 1.01, -1.0, (finder_material){.restitution = 0.8});
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        CHECK_OK(pawl_settings_set(&m.t.env, &settings, "contact.restitution_rule", rows[k].rule));
        mechanism_start(&m, &settings);
        mechanism_run(&m, 50);
        double apart = pawl_state_twist(mechanism_state(&m), moving).linear.x -
                       pawl_state_twist(mechanism_state(&m), still).linear.x;
        CHECK_NEAR(apart, rows[k].e, 1e-12);
        mechanism_end(&m);
    }
}
