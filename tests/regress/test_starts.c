// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Starts that contradict the model. A joint that started beyond its limit was thrown back at 0.2 of its error a step
// (go2.urdf: 165 rad/s after one step), bodies inside each other gained megajoules, and one in a wedge left
// it at 100 m/s. They are corrected at position level: at a bounded rate, along the joints, and at rest.
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

typedef struct start_variant {
    const char *name;
    pawl_stepper_kind stepper;
    pawl_formulation formulation;
    bool project;
} start_variant;

static const start_variant start_variants[] = {
    {"euler", PAWL_STEPPER_EULER, PAWL_FORMULATION_MAXIMAL, true},
    {"euler unprojected", PAWL_STEPPER_EULER, PAWL_FORMULATION_MAXIMAL, false},
    {"euler reduced", PAWL_STEPPER_EULER, PAWL_FORMULATION_REDUCED, true},
    {"moreau", PAWL_STEPPER_MOREAU, PAWL_FORMULATION_MAXIMAL, true},
    {"moreau reduced", PAWL_STEPPER_MOREAU, PAWL_FORMULATION_REDUCED, true},
    {"lit", PAWL_STEPPER_LIT, PAWL_FORMULATION_MAXIMAL, true},
    {"lit reduced", PAWL_STEPPER_LIT, PAWL_FORMULATION_REDUCED, true},
    {"rattle", PAWL_STEPPER_RATTLE, PAWL_FORMULATION_MAXIMAL, true},
};
enum { START_VARIANTS = sizeof start_variants / sizeof start_variants[0] };

static pawl_settings start_settings(const start_variant *variant, double dt)
{
    pawl_settings s = scene_settings(dt);
    s.stepper = variant->stepper;
    s.formulation = variant->formulation;
    s.project = variant->project;
    return s;
}

static void start_step(mechanism *m)
{
    CHECK_OK(pawl_sim_step(m->sim, &m->report));
    pawl_verdict_add(&m->verdict, &m->report);
}

// A leg of `count` links on a body that floats, each hinge up to a radian beyond its limit.
static double start_leg(mechanism *m, uint64_t *seed, int count)
{
    double beyond = 0.0;
    mechanism_begin(m);
    pawl_body_id last = mechanism_solid(m, 5.0, v3(0, 0, 0), v3(0.1, 0.2, 0.15));
    for (int i = 0; i < count; ++i) {
        double inertia = 1e-3 * random_in(seed, 0.5, 2.0);
        pawl_body_id link = mechanism_solid(m, random_in(seed, 0.05, 1.0), v3(0, 0, -0.3 * (i + 1)),
                                            v3(inertia, inertia, inertia));
        pawl_vec3 axis = v3(random_in(seed, -0.2, 0.2), 1.0, random_in(seed, -0.2, 0.2));
        pawl_joint_def joint =
            mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, last, link, v3(0, 0, -0.3 * i - 0.1), axis);
        double error = random_in(seed, 0.1, 1.0);
        bool lower = random_in(seed, 0.0, 1.0) < 0.5;
        joint.coordinate[0].lower = lower ? error : -3.0;
        joint.coordinate[0].upper = lower ? 3.0 : -error;
        beyond = fmax(beyond, error);
        mechanism_joint(m, &joint);
        last = link;
    }
    return beyond;
}

// Without weight nothing may move at all but by the corrections, whose rate is bounded, and no twist is left.
TEST(a_joint_beyond_its_limit_comes_back_at_rest)
{
    uint64_t seed = 11;
    for (int k = 0; k < 3 * START_VARIANTS; ++k) {
        const start_variant *variant = &start_variants[k % START_VARIANTS];
        mechanism m;
        double beyond = start_leg(&m, &seed, 1 + k % 4);
        pawl_settings settings = start_settings(variant, k % 2 ? 1e-3 : 5e-3);
        mechanism_start(&m, &settings);
        double kinetic = 0.0, last = beyond;
        while (mechanism_time(&m) < 1.5) {
            start_step(&m);
            kinetic = fmax(kinetic, mechanism_energy(&m).kinetic);
            double now = m.report.closure.limit;
            CHECK(now <= last + 1e-6);
            // light links between two hinges may be moved by both
            CHECK(last - now <= 10.0 * settings.limit.max_push * settings.dt);
            last = now;
        }
        print_message("%s: %.2f rad beyond, %.1e rad after 1.5 s, at most %.1e J\n", variant->name,
                      beyond, last, kinetic);
        CHECK(last < 0.05 * beyond);
        CHECK(kinetic < (variant->project ? 1e-9 : 1e-6)); // what joints are open by is pulled back
        mechanism_end(&m);
    }
}

// Shapes of any kind in each other, without weight: they part, at rest.
TEST(bodies_inside_each_other_part_at_rest)
{
    static const pawl_shape_kind kinds[] = {PAWL_SHAPE_SPHERE, PAWL_SHAPE_BOX, PAWL_SHAPE_CYLINDER,
                                            PAWL_SHAPE_CAPSULE, PAWL_SHAPE_ELLIPSOID};
    uint64_t seed = 5;
    for (int k = 0; k < 3 * START_VARIANTS; ++k) {
        const start_variant *variant = &start_variants[k % START_VARIANTS];
        mechanism m;
        mechanism_begin(&m);
        int count = 2 + k % 5;
        for (int i = 0; i < count; ++i) {
            pawl_vec3 at = v3(random_in(&seed, -0.1, 0.1), random_in(&seed, -0.1, 0.1),
                              random_in(&seed, -0.1, 0.1));
            double mass = pow(10.0, random_in(&seed, -1.0, 1.0)), inertia = 0.01 * mass;
            pawl_body_id body = mechanism_solid(&m, mass, at, v3(inertia, inertia, inertia));
            scene_shape(&m, body, kinds[(k + i) % 5], v3(0.1, 0.12, 0.15), v3(0, 0, 0), 0.3, 0.5);
        }
        pawl_settings settings = start_settings(variant, 2e-3);
        mechanism_start(&m, &settings);
        double first = 0.0, kinetic = 0.0;
        while (mechanism_time(&m) < 1.0) {
            start_step(&m);
            first = fmax(first, m.report.penetration);
            kinetic = fmax(kinetic, mechanism_energy(&m).kinetic);
        }
        print_message("%s, %d bodies: %.3f m deep, %.1e m after 1 s, at most %.1e J\n",
                      variant->name, count, first, m.report.penetration, kinetic);
        CHECK(first > 0.02);
        CHECK(m.report.penetration < 0.1 * first);
        CHECK(kinetic < 1e-6);
        mechanism_end(&m);
    }
}

// A box between two planes that leave it no room: nothing explodes, and what corrects it is no faster than
// contact.max_push.
TEST(a_body_in_a_wedge_is_not_thrown_out)
{
    for (int k = 0; k < START_VARIANTS; ++k) {
        const start_variant *variant = &start_variants[k];
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
        for (int side = 0; side < 2; ++side) {
            pawl_shape_def plane = pawl_shape_def_default();
            plane.kind = PAWL_SHAPE_PLANE;
            plane.frame.orientation = quat_exp(v3(side ? 1.54 : -1.54, 0, 0));
            plane.friction = 0.3;
            CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &plane, NULL));
        }
        scene_box_at(&m, 1.0, v3(1, 1, 1), v3(0, 0, 1), 0.3);
        pawl_settings settings = start_settings(variant, 1e-3);
        mechanism_start(&m, &settings);
        double kinetic = 0.0, z = 1.0;
        while (mechanism_time(&m) < 0.5) {
            start_step(&m);
            kinetic = fmax(kinetic, mechanism_energy(&m).kinetic);
            double now =
                pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position.z;
            CHECK(fabs(now - z) <= 1.01 * settings.contact.max_push * settings.dt);
            z = now;
        }
        print_message("%s: %.2e J, at z = %.3f m\n", variant->name, kinetic, z);
        CHECK(kinetic < 1e-6);
        CHECK(fabs(pawl_verdict_energy_error(&m.verdict)) < 1e-6);
        mechanism_end(&m);
    }
}

// A planar four-bar with random lengths in its plane of weight. Crank and rocker begin beyond limits, one on each
// side: returns them.
static void start_four_bar(mechanism *m, uint64_t *seed, double crank_sign, double rocker_sign,
                           pawl_joint_id out[2])
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    double angle = random_in(seed, 0.5, 1.2), ground = random_in(seed, 0.3, 0.5);
    double lean = angle + random_in(seed, -0.3, 0.3);
    double a = random_in(seed, 0.05, 0.1), b = random_in(seed, 0.06, 0.12);
    pawl_vec3 at[4] = {v3(0, 0, 0), v3(a * cos(angle), 0, a * sin(angle)),
                       v3(ground + b * cos(lean), 0, b * sin(lean)), v3(ground, 0, 0)};
    pawl_body_id bodies[3];
    for (int i = 0; i < 3; ++i) {
        double inertia = 1e-5 * random_in(seed, 0.5, 2.0);
        bodies[i] =
            mechanism_solid(m, random_in(seed, 0.05, 0.5), v3_scale(0.5, v3_add(at[i], at[i + 1])),
                            v3(inertia, inertia, inertia));
    }
    for (int i = 0; i < 4; ++i) {
        pawl_body_id base = i == 0 ? PAWL_WORLD : i < 3 ? bodies[i - 1] : PAWL_WORLD;
        pawl_body_id follower = i < 3 ? bodies[i] : bodies[2];
        pawl_joint_def joint =
            mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, base, follower, at[i], v3(0, 1, 0));
        double sign = i == 0 ? crank_sign : i == 3 ? rocker_sign : 0.0;
        if (sign != 0.0) {
            joint.coordinate[0].lower = sign > 0.0 ? 0.3 : -2.0;
            joint.coordinate[0].upper = sign > 0.0 ? 2.0 : -0.3;
        }
        pawl_joint_id id = mechanism_joint(m, &joint);
        if (i == 0 || i == 3) {
            out[i / 3] = id;
        }
    }
}

// Where no motion suits both limits neither may get worse, and the impulses of the two, which oppose each other
// through the loop, stay bounded: every step is solved and the energy explained. (The right ankle of cassie.sdf,
// whose zero position is past its dead centre, went 0.047 rad further beyond one limit to please the other, and with
// both holding, rounding chose impulses of 1e5 N s.)
TEST(limits_that_contradict_each_other_through_a_loop_get_no_worse)
{
    uint64_t seed = 5;
    for (int k = 0; k < 6 * START_VARIANTS; ++k) {
        const start_variant *variant = &start_variants[k % START_VARIANTS];
        double sign = k / START_VARIANTS % 2 ? 1.0 : -1.0;
        mechanism m;
        pawl_joint_id joints[2];
        // crank and rocker turn the same way in such a four-bar
        start_four_bar(&m, &seed, sign, -sign, joints);
        pawl_settings settings = start_settings(variant, 1e-3);
        settings.project = true;
        mechanism_start(&m, &settings);
        double beyond = 0.0;
        for (int i = 0; i < 400; ++i) {
            start_step(&m);
            beyond = fmax(beyond, m.report.closure.limit - 0.3);
        }
        print_message("%s: %.1e rad worse, residual %.1e, energy %.1e\n", variant->name, beyond,
                      m.verdict.own_residual, pawl_verdict_energy_error(&m.verdict));
        CHECK(beyond <= 1e-4);
        CHECK_INT(m.verdict.not_converged, 0);
        CHECK(pawl_verdict_energy_error(&m.verdict) < 1e-6);
        mechanism_end(&m);
    }
}
