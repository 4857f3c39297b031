// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A light foot under a heavy trunk hits the floor while it slides: the mass that counts is that of both. The
// decompression of Poisson's law once searched with the foot's own mass, diverged, and another answer took its
// place without a word.
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

typedef struct foot_case {
    double trunk, foot, friction, restitution, vx, vz;
    pawl_joint_kind joint;
} foot_case;

// The trunk's inertia is so large that nothing turns. Returns the foot's velocity after the impact.
static pawl_vec3 foot_lands(const foot_case *k, pawl_stepper_kind stepper, pawl_impact_law law,
                            pawl_formulation formulation)
{
    mechanism m;
    mechanism_begin(&m);
    scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), k->friction,
                k->restitution);
    pawl_body_def def = pawl_body_def_default();
    def.mass = k->trunk;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1e9 * k->trunk;
    def.pose.position = v3(0, 0, 1);
    def.twist.linear = v3(k->vx, 0, -k->vz);
    pawl_body_id trunk = mechanism_body(&m, &def);
    def.mass = k->foot;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1e-3 * k->foot;
    def.pose.position = v3(0, 0, 0.0505);
    pawl_body_id foot = mechanism_body(&m, &def);
    scene_shape(&m, foot, PAWL_SHAPE_SPHERE, v3(0.05, 0, 0), v3(0, 0, 0), k->friction,
                k->restitution);
    pawl_joint_def ankle =
        mechanism_joint_def(&m, k->joint, trunk, foot, v3(0, 0, 0.06), v3(0, 0, 1));
    mechanism_joint(&m, &ankle);
    pawl_settings settings = pawl_settings_default();
    settings.stepper = stepper;
    settings.contact.impact = law;
    settings.formulation = formulation;
    mechanism_start(&m, &settings);
    for (int i = 0; i < 8; ++i) {
        scene_step(&m);
    }
    CHECK_INT(m.verdict.events[PAWL_EVENT_IMPACT_FALLBACK], 0);
    pawl_vec3 v = scene_velocity(&m, foot);
    mechanism_end(&m);
    return v;
}

// Closed form: both are one mass that does not turn; vz' = e vz, and friction takes mu (1 + e) vz from the
// slide, or all of it.
static void foot_check(const foot_case *k, pawl_formulation formulation)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                 PAWL_STEPPER_LIT};
    double vx = fmax(k->vx - k->friction * (1.0 + k->restitution) * k->vz, 0.0);
    for (int s = 0; s < 3; ++s) {
        for (int law = 0; law < PAWL_IMPACT_LAW_COUNT; ++law) {
            pawl_vec3 v = foot_lands(k, steppers[s], (pawl_impact_law)law, formulation);
            CHECK_NEAR(v.x, vx, 1e-5);
            CHECK_NEAR(v.z, k->restitution * k->vz, 1e-5);
        }
    }
}

TEST(a_light_foot_bounces_with_the_mass_that_it_carries)
{
    const foot_case k = {9.7, 0.3, 0.3, 0.5, 3.0, 1.0, PAWL_JOINT_FIXED};
    foot_check(&k, PAWL_FORMULATION_MAXIMAL);
    foot_check(&k, PAWL_FORMULATION_REDUCED);
}

TEST(feet_of_any_mass_bounce_with_the_mass_that_they_carry)
{
    uint64_t seed = 7;
    for (int i = 0; i < 12; ++i) {
        foot_case k = {.trunk = random_in(&seed, 1.0, 50.0),
                       .friction = random_in(&seed, 0.05, 0.8),
                       .restitution = random_in(&seed, 0.1, 1.0),
                       .vx = random_in(&seed, 0.5, 4.0),
                       .vz = random_in(&seed, 0.5, 3.0),
                       .joint = PAWL_JOINT_FIXED};
        k.foot = k.trunk * pow(10.0, random_in(&seed, -4.0, 0.5));
        foot_check(&k, PAWL_FORMULATION_MAXIMAL);
    }
}

static const pawl_stepper_kind foot_steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                  PAWL_STEPPER_LIT, PAWL_STEPPER_RATTLE};

// Runs until well after the landing. Every impact went by its law, or an event says that it did not.
static void foot_run(mechanism *m, int stepper, int law, pawl_formulation formulation)
{
    pawl_settings settings = pawl_settings_default();
    settings.stepper = foot_steppers[stepper];
    settings.contact.impact = (pawl_impact_law)law;
    settings.formulation = formulation;
    mechanism_start(m, &settings);
    for (int i = 0; i < 8; ++i) {
        scene_step(m);
    }
    CHECK_INT(m->verdict.events[PAWL_EVENT_IMPACT_FALLBACK], 0);
    CHECK_INT(m->verdict.events[PAWL_EVENT_IMPACT_CAPPED], 0);
}

// A trunk that cannot turn on 1 to 4 legs of 1 to 4 links each, down to 1e-4 of its mass; all feet land at once.
// Closed form as above: it is one mass.
static void legs_land(uint64_t seed, int stepper, int law, pawl_formulation formulation)
{
    mechanism m;
    mechanism_begin(&m);
    double mu = random_in(&seed, 0.05, 0.8), e = random_in(&seed, 0.1, 1.0);
    double vx = random_in(&seed, 0.5, 4.0), vz = random_in(&seed, 0.5, 3.0);
    pawl_body_id foot = {0, 0};
    int legs = 1 + random_index(&seed, 4), links = 1 + random_index(&seed, 4);
    scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), mu, e);
    pawl_body_def def = pawl_body_def_default();
    def.mass = random_in(&seed, 1.0, 50.0);
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1e9 * def.mass;
    def.pose.position = v3(0, 0, 0.1 * links + 0.1505);
    def.twist.linear = v3(vx, 0, -vz);
    pawl_body_id trunk = mechanism_body(&m, &def);
    double heaviest = def.mass;
    for (int leg = 0; leg < legs; ++leg) {
        pawl_body_id last = trunk;
        for (int k = 0; k < links; ++k) {
            pawl_vec3 at = v3(0.3 * leg, 0.2 * (leg % 2), 0.1 * (links - 1 - k) + 0.0505);
            def.mass = heaviest * pow(10.0, random_in(&seed, -4.0, 0.0));
            def.inertia[0] = def.inertia[1] = def.inertia[2] = 1e-3 * def.mass;
            def.pose.position = at;
            foot = mechanism_body(&m, &def);
            pawl_joint_def joint =
                mechanism_joint_def(&m, PAWL_JOINT_FIXED, last, foot, at, v3(0, 0, 1));
            mechanism_joint(&m, &joint);
            last = foot;
        }
        scene_shape(&m, foot, PAWL_SHAPE_SPHERE, v3(0.05, 0, 0), v3(0, 0, 0), mu, e);
    }
    foot_run(&m, stepper, law, formulation);
    pawl_vec3 v = scene_velocity(&m, foot);
    CHECK_NEAR(v.x, fmax(vx - mu * (1.0 + e) * vz, 0.0), 1e-5);
    CHECK_NEAR(v.z, e * vz, 1e-5);
    mechanism_end(&m);
}

// A foot that moves down on a carriage that moves sideways, with a flywheel geared to each: downwards it has the
// mass a = foot + I g^2, sideways b = carriage + foot + J k^2. vz' = e vz, and friction takes
// mu (1 + e) vz a / b from the slide, or all of it.
static void geared_foot_lands(uint64_t seed, int stepper, int law, pawl_formulation formulation)
{
    mechanism m;
    mechanism_begin(&m);
    double mu = random_in(&seed, 0.05, 0.8), e = random_in(&seed, 0.1, 1.0);
    double vx = random_in(&seed, 0.5, 4.0), vz = random_in(&seed, 0.5, 3.0);
    double carriage = random_in(&seed, 1.0, 50.0);
    double small = carriage * pow(10.0, random_in(&seed, -4.0, 0.0));
    scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), mu, e);
    pawl_body_def def = pawl_body_def_default();
    def.mass = carriage;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = carriage;
    def.pose.position = v3(0, 0, 1);
    def.twist.linear = v3(vx, 0, 0);
    pawl_body_id slide = mechanism_body(&m, &def);
    def.mass = small;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1e-3 * small;
    def.pose.position = v3(0, 0, 0.0505);
    def.twist.linear = v3(vx, 0, -vz);
    pawl_body_id foot = mechanism_body(&m, &def);
    scene_shape(&m, foot, PAWL_SHAPE_SPHERE, v3(0.05, 0, 0), v3(0, 0, 0), mu, e);
    pawl_joint_id joint[2] = {
        mechanism_world_joint(&m, PAWL_JOINT_PRISMATIC, slide, v3(0, 0, 1), v3(1, 0, 0)), {0, 0}};
    pawl_joint_def down =
        mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, slide, foot, v3(0, 0, 0.5), v3(0, 0, -1));
    joint[1] = mechanism_joint(&m, &down);
    double mass[2] = {carriage + small, small};
    for (int k = 0; k < 2; ++k) {
        double inertia = pow(10.0, random_in(&seed, -4.0, 0.0)),
               ratio = random_in(&seed, 1.0, 20.0);
        pawl_body_def wheel = pawl_body_def_default();
        wheel.mass = 1.0;
        wheel.inertia[0] = wheel.inertia[1] = wheel.inertia[2] = inertia;
        wheel.pose.position = v3(0, 2.0 + k, 2);
        wheel.twist.angular = v3(0, ratio * (k == 0 ? vx : vz), 0);
        pawl_body_id body = mechanism_body(&m, &wheel);
        pawl_gear_def gear = pawl_gear_def_default();
        gear.joint =
            mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, wheel.pose.position, v3(0, 1, 0));
        gear.source_joint = joint[k];
        gear.ratio = ratio;
        mechanism_gear(&m, &gear);
        mass[k] += inertia * ratio * ratio;
    }
    foot_run(&m, stepper, law, formulation);
    pawl_vec3 v = scene_velocity(&m, foot);
    double slower = vx - mu * (1.0 + e) * vz * mass[1] / mass[0];
    CHECK_NEAR(v.x, fmax(slower, 0.0), 1e-5 * (1.0 + vx));
    CHECK_NEAR(v.z, e * vz, 1e-5);
    mechanism_end(&m);
}

TEST(chains_of_feet_and_several_at_once_bounce_with_all_that_they_carry)
{
    for (int i = 0; i < 6 * 16; ++i) {
        legs_land(100u + (uint64_t)(i / 16), i / 4 % 4, i % 4, PAWL_FORMULATION_MAXIMAL);
    }
    for (int i = 0; i < 3 * 12; ++i) {
        legs_land(200u + (uint64_t)(i / 12), i / 4 % 3, i % 4, PAWL_FORMULATION_REDUCED);
    }
}

TEST(geared_feet_bounce_with_the_flywheels_that_they_drive)
{
    for (int i = 0; i < 6 * 16; ++i) {
        geared_foot_lands(300u + (uint64_t)(i / 16), i / 4 % 4, i % 4, PAWL_FORMULATION_MAXIMAL);
    }
    for (int i = 0; i < 3 * 12; ++i) {
        geared_foot_lands(400u + (uint64_t)(i / 12), i / 4 % 3, i % 4, PAWL_FORMULATION_REDUCED);
    }
}
