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
    int trunk = mechanism_body(&m, &def);
    def.mass = k->foot;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1e-3 * k->foot;
    def.pose.position = v3(0, 0, 0.0505);
    int foot = mechanism_body(&m, &def);
    scene_shape(&m, foot, PAWL_SHAPE_SPHERE, v3(0.05, 0, 0), v3(0, 0, 0), k->friction,
                k->restitution);
    pawl_joint_def ankle =
        mechanism_joint_def(&m, k->joint, trunk, foot, v3(0, 0, 0.06), v3(0, 0, 1));
    mechanism_joint(&m, &ankle);
    pawl_settings settings = pawl_settings_default();
    settings.stepper = stepper;
    settings.impact_law = law;
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
