// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// mdp and nmdp beyond the ground: bodies that touch each other, kinematic bodies, dry friction and prescribed motions of
// joints. Derivatives against central differences; momentum, closed forms.
#include "step/nmdp/nmdp.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 20 };

static pawl_settings bodies_settings(double dt)
{
    return mechanism_settings(dt, PAWL_STEPPER_NMDP);
}

// Two links on a hinge, and a box, a ball, a wheel and an ellipsoid that float into them.
static void bodies_build(mechanism *m, pawl_shape_kind kind, uint64_t *seed)
{
    mechanism_begin(m);
    pawl_body_id arm = mechanism_solid(m, 2.0, v3(0, 0, 0), v3(0.02, 0.03, 0.04));
    scene_shape(m, arm, PAWL_SHAPE_BOX, v3(0.2, 0.15, 0.1), v3(0, 0, 0), 0.5, 0.0);
    mechanism_world_joint(m, PAWL_JOINT_UNIVERSAL, arm, v3(0.3, 0, 0), v3(0, 1, 0));
    pawl_vec3 at = v3(random_in(seed, -0.1, 0.1), random_in(seed, -0.1, 0.1), 0.2);
    pawl_body_id other = mechanism_solid(m, 1.0, at, v3(0.01, 0.02, 0.015));
    scene_shape(m, other, kind, v3(0.12, 0.1, 0.14), v3(0, 0, 0), 0.4, 0.0);
    pawl_settings settings = bodies_settings(0.05);
    mechanism_start(m, &settings);
}

// G and, with unit masses, K's gradient against central differences, with both sides of every pair.
TEST(contacts_of_bodies_have_the_derivatives_of_differences)
{
    uint64_t seed = 5;
    const pawl_shape_kind kinds[] = {PAWL_SHAPE_BOX, PAWL_SHAPE_SPHERE, PAWL_SHAPE_CYLINDER,
                                     PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_CAPSULE};
    int touched = 0;
    for (int trial = 0; trial < 20; ++trial) {
        mechanism m;
        bodies_build(&m, kinds[trial % 5], &seed);
        pawl_settings settings = bodies_settings(0.05);
        settings.nmdp.dynamics = trial % 2 == 0 ? PAWL_NMDP_NE : PAWL_NMDP_PBD_RIGID;
        settings.nmdp.stiffness = 1e6;
        nmdp *s;
        CHECK_OK(pawl_nmdp_create(&m.t.env, m.model, &settings, &s));
        CHECK(s->n <= COLUMNS);
        double theta[COLUMNS], G[2][COLUMNS], matrix[COLUMNS * COLUMNS], size = 0.0;
        pawl_nmdp_read_state(s, mechanism_state(&m));
        s->stage.h = 0.05;
        memcpy(s->stage.place.theta, s->begin.theta, (size_t)s->numbers * sizeof(double));
        memcpy(s->stage.rate.theta, s->begin_rate.theta, (size_t)s->numbers * sizeof(double));
        for (int k = 0; k < s->n; ++k) {
            theta[k] = s->begin.theta[k] + random_in(&seed, -0.1, 0.1);
        }
        for (int i = 0; i < s->weights; ++i) {
            s->w[i] = random_in(&seed, 0.0, 0.2);
        }
        CHECK(isfinite(pawl_nmdp_balance(s, theta, s->w, G[0], matrix)));
        for (int i = 0; i < s->points; ++i) {
            CHECK(s->point[i].pair);
            touched += s->point[i].touching ? 1 : 0;
        }
        for (int i = 0; i < s->n * s->n; ++i) {
            size = fmax(size, fabs(matrix[i]));
        }
        for (int j = 0; j < s->n; ++j) {
            const double d = 1e-6;
            double at = theta[j];
            for (int side = 0; side < 2; ++side) {
                theta[j] = at + (side == 0 ? d : -d);
                pawl_nmdp_balance(s, theta, s->w, G[side], NULL);
            }
            theta[j] = at;
            for (int i = 0; i < s->n; ++i) {
                CHECK_NEAR((G[0][i] - G[1][i]) / (2 * d), matrix[i * s->n + j], 2e-7 * size);
            }
        }
        pawl_nmdp_destroy(s);
        mechanism_end(&m);
    }
    print_message("%d points touched\n", touched);
    CHECK(touched >= 20);
}

// Bodies that collide in space: forces are equal and opposite, so that momentum stays in every step, in coordinates of
// floating bases to rounding; contacts take energy.
TEST(colliding_bodies_keep_their_momentum_and_gain_no_energy)
{
    const double dts[] = {1e-3, 1e-2, 5e-2};
    for (int k = 0; k < 6; ++k) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id a = mechanism_solid(&m, 2.0, v3(-0.3, 0, 0), v3(0.01, 0.01, 0.01));
        pawl_body_id b = mechanism_solid(&m, 0.5, v3(0.3, 0.05, 0), v3(0.002, 0.002, 0.002));
        scene_shape(&m, a, PAWL_SHAPE_SPHERE, v3(0.1, 0, 0), v3(0, 0, 0), 0.5, 0.0);
        bool box = k >= 3;
        scene_shape(&m, b, box ? PAWL_SHAPE_BOX : PAWL_SHAPE_SPHERE, v3(0.1, 0.1, 0.1), v3(0, 0, 0),
                    0.5, 0.0);
        pawl_settings settings = bodies_settings(dts[k % 3]);
        mechanism_start(&m, &settings);
        pawl_state *state = pawl_sim_edit_state(m.sim);
        pawl_state_set_twist(state, a, (pawl_twist){v3(1, 0, 0), v3(0, 0, 0)});
        pawl_state_set_twist(state, b, (pawl_twist){v3(-1, 0, 0), v3(0, 0, 0)});
        pawl_vec3 before = mechanism_momentum(&m);
        double energy = mechanism_energy(&m).kinetic, deepest = 0.0;
        while (mechanism_time(&m) < 1.0) {
            mechanism_step(&m);
            double now = mechanism_energy(&m).kinetic;
            CHECK(now <= energy * (1.0 + 1e-9));
            energy = now;
            deepest = fmax(deepest, m.report.penetration);
        }
        pawl_vec3 p = mechanism_momentum(&m);
        print_message("%g s: momentum %.12f of %.12f, deepest %.4f, relative %.2e m/s\n",
                      dts[k % 3], p.x, before.x, deepest,
                      scene_velocity(&m, b).x - scene_velocity(&m, a).x);
        CHECK_NEAR(v3_norm(v3_sub(p, before)), 0.0, 1e-9);
        CHECK(deepest > 0.0);
        // They meet with 1/2 m v^2 = 0.8 J of the reduced mass 0.4 kg at 2 m/s: k d^4/4 of one point at most.
        CHECK(deepest <= sqrt(sqrt(4.0 * 0.8 / 1e8)) + 1e-6);
        mechanism_end(&m);
    }
}

// A box lies on a box that lies on the ground: depth by depth, each carries what is above it.
TEST(a_box_stands_on_a_box)
{
    for (int d = 0; d < 3; ++d) {
        const double dts[] = {2e-3, 1e-2, 5e-2};
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        scene_box_at(&m, 4.0, v3(0.6, 0.6, 0.2), v3(0, 0, 0.1), 0.5);
        pawl_body_id upper = scene_box_at(&m, 1.0, v3(0.3, 0.3, 0.2), v3(0, 0, 0.3), 0.5);
        pawl_settings settings = bodies_settings(dts[d]);
        mechanism_start(&m, &settings);
        while (mechanism_time(&m) < 3.0) {
            mechanism_step(&m);
        }
        // Set down at touch they stop at most (4 load/(N k))^(1/3) deep, 4 feet each.
        double lower = cbrt(4.0 * 5.0 * SCENE_G / (4.0 * 1e8)), over = cbrt(SCENE_G / 1e8);
        double z = scene_position(&m, upper).z;
        print_message("%g s: z %.5f, speed %.1e\n", dts[d], z, scene_speed(&m, upper));
        CHECK(z <= 0.3 && z >= 0.3 - 1.05 * (lower + over));
        CHECK(scene_speed(&m, upper) < 2e-2); // it is still lifted, at 1/s of the depth
        CHECK_NEAR(scene_position(&m, upper).x, 0.0, 1e-4);
        mechanism_end(&m);
    }
}

// Links of one family do not touch each other, as with the other steppers: a robot whose thighs are inside its trunk, two joints
// away, stood in forces of 20 kN.
TEST(links_of_one_family_do_not_touch)
{
    for (int family = 0; family < 2; ++family) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id body[2];
        for (int i = 0; i < 2; ++i) {
            pawl_body_def def = pawl_body_def_default();
            def.pose.position = v3(0.21 * i, 0.0, 0.0);
            def.twist.linear = v3(-1.0 * i, 0.0, 0.0);
            def.mass = 1.0;
            def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.01;
            def.family = family;
            body[i] = mechanism_body(&m, &def);
            double half = i == 0 ? 0.1 : 0.08;
            scene_shape(&m, body[i], PAWL_SHAPE_BOX, v3(half, half, half), v3(0, 0, 0), 0.5, 0.0);
        }
        pawl_settings settings = bodies_settings(1e-2);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 20);
        double x = scene_position(&m, body[0]).x; // it is pushed along, or passed through
        CHECK(family == 0 ? x < -0.05 : x == 0.0);
        mechanism_end(&m);
    }
}

// A belt: a kinematic body that runs at 1 m/s under a box takes it along, v = mu g t until it has its speed.
TEST(a_box_on_a_belt_is_taken_along)
{
    for (int d = 0; d < 3; ++d) {
        const double dts[] = {2e-3, 1e-2, 2e-2};
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
        pawl_body_def belt = pawl_body_def_default();
        belt.kind = PAWL_BODY_KINEMATIC;
        belt.pose.position = v3(0, 0, -0.1);
        const double times[] = {0.0, 10.0}, way[] = {0.0, 10.0};
        belt.motion[0] =
            (pawl_signal){.kind = PAWL_SIGNAL_TABLE, .count = 2, .times = times, .values = way};
        pawl_body_id base = mechanism_body(&m, &belt);
        scene_shape(&m, base, PAWL_SHAPE_BOX, v3(5, 1, 0.1), v3(0, 0, 0), 0.3, 0.0);
        pawl_body_id box = scene_box_at(&m, 1.0, v3(0.4, 0.4, 0.1), v3(0, 0, 0.045), 0.3);
        pawl_settings settings = bodies_settings(dts[d]);
        mechanism_start(&m, &settings);
        double t = 0.2;
        while (mechanism_time(&m) < t - 1e-9) {
            mechanism_step(&m);
        }
        double v = scene_velocity(&m, box).x;
        print_message("%g s: %.5f of %.5f m/s\n", dts[d], v, 0.3 * SCENE_G * t);
        // The first steps carry what sinks until it rests: m v = mu times the impulse of the ground, which lacks that of
        // the speed at which it still sinks or rises, sqrt(2 g d) at most.
        CHECK_NEAR(v, 0.3 * SCENE_G * t, 0.3 * sqrt(2.0 * SCENE_G * 0.005) + 1e-3);
        while (mechanism_time(&m) < 1.0) {
            mechanism_step(&m);
        }
        CHECK_NEAR(scene_velocity(&m, box).x, 1.0, 1e-4);
        mechanism_end(&m);
    }
}

// A slider with dry friction stops after m v^2/(2 F), short by v dt/2 at most; one that is pulled with less stays.
TEST(dry_friction_of_a_joint_stops_and_holds)
{
    for (int k = 0; k < 8; ++k) {
        const double dts[] = {1e-3, 5e-3, 2e-2, 5e-2};
        bool linear = k >= 4;
        double dt = dts[k % 4], v = 2.0, F = 3.0, mass = 1.5;
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id slider = mechanism_solid(&m, mass, v3(0, 0, 0), v3(1, 1, 1));
        pawl_joint_def joint = mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, slider,
                                                   v3(0, 0, 0), v3(1, 0, 0));
        joint.coordinate[0].friction = F;
        pawl_joint_id rail = mechanism_joint(&m, &joint);
        pawl_actuator_def motor = pawl_actuator_def_default();
        motor.kind = PAWL_ACTUATOR_FORCE;
        motor.joint = rail;
        motor.target = pawl_signal_constant(0.9 * F); // and then it is pulled
        pawl_settings settings =
            mechanism_settings(dt, linear ? PAWL_STEPPER_MDP : PAWL_STEPPER_NMDP);
        mechanism_actuator(&m, &motor);
        mechanism_start(&m, &settings);
        pawl_state_set_twist(pawl_sim_edit_state(m.sim), slider,
                             (pawl_twist){.linear = v3(v, 0, 0)});
        double stop = mass * v * v / (2.0 * 0.1 * F); // friction less the pull
        while (mechanism_time(&m) < 12.0) {
            mechanism_step(&m);
        }
        double x = mechanism_position(&m, rail, 0);
        print_message("%g s: stops at %.6f of %.6f\n", dt, x, stop);
        CHECK(x <= stop + 1e-6 && x >= stop - 0.5 * v * dt - 0.5 * 0.1 * F / mass * dt * dt - 1e-6);
        // A descent ends below nmdp.tolerance, by the square of short steps; mdp's program has a shift of 1e-8 beside the
        // second derivative (F h/m)^2.
        double share = fmin(dt / 0.02, 1.0),
               creep = linear ? 1e-8 * mass / (dt * F) : 1e-6 * share * share / dt;
        CHECK_NEAR(mechanism_rate(&m, rail, 0), 0.0, creep);
        CHECK(m.report.energy.work_friction <= 0.0);
        mechanism_end(&m);
    }
}

// Closed form of implicit Euler: a slider whose motor is at its limit F has the velocity F t/m and the position F t^2/(2 m)
// + F t dt/(2 m); where its law asks for less than F it follows the law. The gain is so stiff that a search on the
// forces with the kink in them takes hundreds of divided steps.
TEST(an_actuator_at_its_limit_pushes_with_it)
{
    const double dts[] = {0.001, 0.01, 0.05}, mass = 2.0, effort = 3.0;
    for (int d = 0; d < 3; ++d) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id slider = mechanism_solid(&m, mass, v3(0, 0, 0), v3(1, 1, 1));
        pawl_joint_def joint = mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, slider,
                                                   v3(0, 0, 0), v3(1, 0, 0));
        pawl_joint_id rail = mechanism_joint(&m, &joint);
        pawl_actuator_def motor = pawl_actuator_def_default();
        motor.joint = rail;
        motor.kind = PAWL_ACTUATOR_POSITION;
        motor.stiffness = 1e6;
        motor.damping = 1e3;
        motor.effort = effort;
        motor.target = pawl_signal_constant(1.0);
        mechanism_actuator(&m, &motor);
        pawl_settings settings = bodies_settings(dts[d]);
        mechanism_start(&m, &settings);
        const double t = 0.5;
        while (mechanism_time(&m) < t - 0.5 * dts[d]) {
            mechanism_step(&m);
            CHECK(m.report.substeps == 1);
        }
        CHECK_NEAR(mechanism_rate(&m, rail, 0), effort * t / mass, 1e-9);
        CHECK_NEAR(mechanism_position(&m, rail, 0), 0.5 * effort * t * (t + dts[d]) / mass, 1e-9);
        mechanism_end(&m);
    }
}

// A cart on a rail is moved as a sine; the pendulum on it has to be moved, too. The coordinate is exact, and the work of the
// motion is what the energy balance lacks else: it falls with dt.
TEST(a_prescribed_coordinate_is_where_it_should_be)
{
    double last = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double dt = 4e-3 / (double)(1 << k);
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
        pawl_body_id cart = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
        pawl_body_id bob = mechanism_solid(&m, 0.5, v3(0, 0, -0.4), v3(0.01, 0.01, 0.01));
        pawl_joint_id rail =
            mechanism_world_joint(&m, PAWL_JOINT_PRISMATIC, cart, v3(0, 0, 0), v3(1, 0, 0));
        pawl_joint_def hinge =
            mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, cart, bob, v3(0, 0, 0), v3(0, 1, 0));
        mechanism_joint(&m, &hinge);
        pawl_motion_def motion = pawl_motion_def_default();
        motion.joint = rail;
        motion.target =
            (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 0.1, .frequency = 6.0};
        mechanism_motion(&m, &motion);
        pawl_settings settings = bodies_settings(dt);
        mechanism_start(&m, &settings);
        double worst = 0.0;
        while (mechanism_time(&m) < 1.0 - 1e-9) {
            mechanism_step(&m);
            double should = 0.1 * sin(6.0 * mechanism_time(&m));
            worst = fmax(worst, fabs(mechanism_position(&m, rail, 0) - should));
        }
        double balance = fabs(m.report.energy.balance);
        print_message("%g s: off by %.1e m, balance %.2e J, work %.3f J\n", dt, worst, balance,
                      m.report.energy.work_motion);
        CHECK(worst < 1e-9);
        CHECK(balance < 0.7 * last);
        last = balance;
        mechanism_end(&m);
    }
}
