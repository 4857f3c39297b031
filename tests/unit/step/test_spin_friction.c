// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Torsional and rolling friction against closed forms, with both steppers and every solver that knows
// contacts. A ball of radius R, mass m and inertia I = 2/5 m R^2 on a plane, pressed by N = m g:
//   torsion: the spin falls by mu_t N / I a second, and stops after w I / (mu_t N);
//   rolling: the moment mu_r N acts on m R^2 + I = 7/5 m R^2 about the contact, so that the speed
//   falls by 5/7 g mu_r / R a second. On a slope the ball starts to roll at tan(slope) = mu_r / R.
// Where forces are constant the steppers' velocities are exact; stops fall on the end of a step.
#include "math/rotation.h"
#include "support/mechanism.h"
#include "support/reference.h"

#include <string.h>

static const double spin_g = 9.81, spin_mass = 2.0, spin_radius = 0.1;
static const double spin_torsional = 0.004, spin_rolling = 0.002;

// A floor without torsional and rolling friction under gravity that is tilted: downhill is x turned by
// `azimuth`.
static void spin_floor(mechanism *m, double friction, double slope, double azimuth)
{
    mechanism_begin(m);
    pawl_shape_def floor = pawl_shape_def_default();
    floor.kind = PAWL_SHAPE_PLANE;
    floor.friction = friction;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &floor, NULL));
    double along = spin_g * sin(slope);
    pawl_builder_set_gravity(m->builder,
                             v3(along * cos(azimuth), along * sin(azimuth), -spin_g * cos(slope)));
}

static void spin_shape(mechanism *m, pawl_body_id body, pawl_shape_kind kind, pawl_vec3 size,
                       double torsional, double rolling)
{
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = kind;
    shape.size = size;
    shape.friction = 0.8;
    shape.torsional_friction = torsional;
    shape.rolling_friction = rolling;
    CHECK_OK(pawl_builder_add_shape(m->builder, body, &shape, NULL));
}

static double spin_ball_inertia(double mass, double radius)
{
    return 0.4 * mass * radius * radius;
}

static pawl_body_id spin_ball_at(mechanism *m, double mass, double radius, pawl_vec3 at,
                                 pawl_twist twist, double torsional, double rolling)
{
    pawl_body_def def = pawl_body_def_default();
    def.mass = mass;
    def.pose.position = at;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = spin_ball_inertia(mass, radius);
    def.twist = twist;
    pawl_body_id body = mechanism_body(m, &def);
    spin_shape(m, body, PAWL_SHAPE_SPHERE, v3(radius, 0, 0), torsional, rolling);
    return body;
}

static pawl_body_id spin_ball(mechanism *m, pawl_twist twist, double torsional, double rolling)
{
    return spin_ball_at(m, spin_mass, spin_radius, v3(0, 0, spin_radius), twist, torsional,
                        rolling);
}

static pawl_twist spin_spinning(double spin)
{
    return (pawl_twist){.angular = v3(0, 0, spin)};
}

// Rolls without slipping.
static pawl_twist spin_along(double speed, double azimuth)
{
    double x = speed * cos(azimuth), y = speed * sin(azimuth);
    return (pawl_twist){.linear = v3(x, y, 0), .angular = v3(-y / spin_radius, x / spin_radius, 0)};
}

static pawl_twist spin_twist(const mechanism *m, pawl_body_id body)
{
    return pawl_state_twist(mechanism_state(m), body);
}

static const pawl_solver_kind spin_solvers[] = {PAWL_SOLVER_ADMM_NCP, PAWL_SOLVER_PGS_NCP,
                                                PAWL_SOLVER_NSGS, PAWL_SOLVER_NEWTON};
enum { SPIN_VARIANTS = 2 * sizeof spin_solvers / sizeof spin_solvers[0] };
static pawl_settings spin_settings(int variant, double dt)
{
    pawl_settings settings = mechanism_settings(dt, (pawl_stepper_kind)(variant % 2));
    settings.solver.kind = spin_solvers[variant / 2];
    settings.solver.tolerance = 1e-11;
    return settings;
}

// Along an axis, the diagonal, and others.
static const double spin_azimuths[] = {0.0, 0.78539816339744831, 2.0, -1.3};
enum { SPIN_AZIMUTHS = sizeof spin_azimuths / sizeof spin_azimuths[0] };

// --- torsion -------------------------------------------------------------------------------------

static void spin_check_stop(mechanism *m, pawl_body_id body, double spin, double rate)
{
    double dt = pawl_sim_settings(m->sim)->dt, stop = spin / rate, stopped = INFINITY;
    while (mechanism_time(m) < 1.5 * stop) {
        mechanism_run(m, 1);
        double t = mechanism_time(m);
        pawl_twist twist = spin_twist(m, body);
        CHECK_NEAR(twist.angular.z, fmax(spin - rate * t, 0.0), 1e-9 * spin);
        CHECK_NEAR(v3_norm(twist.linear), 0.0, 1e-9);
        stopped = fabs(twist.angular.z) < 1e-9 ? fmin(stopped, t) : stopped;
    }
    CHECK(stopped >= stop - 1e-9 && stopped <= stop + dt);
}

TEST(a_spinning_ball_stops_after_w_i_over_mu_n)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        mechanism m;
        spin_floor(&m, 0.8, 0.0, 0.0);
        pawl_body_id ball = spin_ball(&m, spin_spinning(5.0), spin_torsional, 0.0);
        pawl_settings settings = spin_settings(variant, 1e-3);
        mechanism_start(&m, &settings);
        double inertia = spin_ball_inertia(spin_mass, spin_radius);
        spin_check_stop(&m, ball, 5.0, spin_torsional * spin_mass * spin_g / inertia);
        mechanism_end(&m);
    }
}

// Four corners share the weight, and so the torsion; the floor has no friction of sliding.
TEST(a_spinning_box_stops_as_a_ball_does)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        mechanism m;
        spin_floor(&m, 0.0, 0.0, 0.0);
        pawl_body_def def = pawl_body_def_default();
        def.mass = spin_mass;
        def.pose.position = v3(0, 0, 0.02);
        def.inertia[0] = 0.011, def.inertia[1] = 0.012, def.inertia[2] = 0.02;
        def.twist = spin_spinning(3.0);
        pawl_body_id box = mechanism_body(&m, &def);
        spin_shape(&m, box, PAWL_SHAPE_BOX, v3(0.1, 0.05, 0.02), spin_torsional, 0.0);
        pawl_settings settings = spin_settings(variant, 1e-3);
        mechanism_start(&m, &settings);
        spin_check_stop(&m, box, 3.0, spin_torsional * spin_mass * spin_g / 0.02);
        mechanism_end(&m);
    }
}

// Two balls meet head on with opposite spins: the normal impulse is (1 + e) v / (1/m1 + 1/m2), its
// torsion the same angular impulse on both, and what they have together stays.
TEST(balls_that_meet_exchange_spin_up_to_the_normal_impulse)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        mechanism m;
        mechanism_begin(&m);
        double mass[2] = {1.0, 3.0}, radius[2] = {0.1, 0.2}, spin[2] = {8.0, -5.0}, speed = 2.0;
        spin_ball_at(&m, mass[0], radius[0], v3(-0.15, 0, 0),
                     (pawl_twist){v3(speed, 0, 0), v3(spin[0], 0, 0)}, 0.0, spin_rolling);
        spin_ball_at(&m, mass[1], radius[1], v3(0.2, 0, 0),
                     (pawl_twist){.angular = v3(spin[1], 0, 0)}, spin_torsional, 0.0);
        pawl_settings settings = spin_settings(variant, 1e-3);
        mechanism_start(&m, &settings);
        pawl_vec3 before = mechanism_angular_momentum(&m);
        mechanism_run(&m, 100);
        double impulse = speed / (1.0 / mass[0] + 1.0 / mass[1]); // e = 0
        double moment = spin_torsional * impulse;
        double first = spin[0] - moment / spin_ball_inertia(mass[0], radius[0]);
        double second = spin[1] + moment / spin_ball_inertia(mass[1], radius[1]);
        CHECK_NEAR3(spin_twist(&m, pawl_builder_body_at(m.builder, 0)).angular, v3(first, 0, 0),
                    1e-9);
        CHECK_NEAR3(spin_twist(&m, pawl_builder_body_at(m.builder, 1)).angular, v3(second, 0, 0),
                    1e-9);
        CHECK_NEAR3(mechanism_angular_momentum(&m), before, 1e-13);
        mechanism_end(&m);
    }
}

// --- rolling -------------------------------------------------------------------------------------

TEST(a_rolling_ball_slows_down_stops_and_stays)
{
    for (int k = 0; k < SPIN_AZIMUTHS * SPIN_VARIANTS; ++k) {
        double azimuth = spin_azimuths[k / SPIN_VARIANTS], speed = 0.05;
        mechanism m;
        spin_floor(&m, 0.8, 0.0, 0.0);
        pawl_body_id ball = spin_ball(&m, spin_along(speed, azimuth), 0.0, spin_rolling);
        pawl_settings settings = spin_settings(k % SPIN_VARIANTS, 1e-3);
        mechanism_start(&m, &settings);
        double rate = 5.0 / 7.0 * spin_g * spin_rolling / spin_radius, stop = speed / rate;
        pawl_vec3 rest = {0};
        while (mechanism_time(&m) < 1.5 * stop) {
            mechanism_run(&m, 1);
            double now = fmax(speed - rate * mechanism_time(&m), 0.0);
            pawl_twist twist = spin_twist(&m, ball), expected = spin_along(now, azimuth);
            CHECK_NEAR3(twist.linear, expected.linear, 1e-9);
            CHECK_NEAR3(twist.angular, expected.angular, 1e-8);
            if (mechanism_time(&m) < stop + 2.0 * settings.dt) {
                rest = pawl_state_pose(mechanism_state(&m), ball).position;
            }
        }
        pawl_vec3 end = pawl_state_pose(mechanism_state(&m), ball).position;
        CHECK_NEAR3(end, rest, 1e-10);
        double variant = speed * speed / (2.0 * rate);
        CHECK_NEAR3(end, v3(variant * cos(azimuth), variant * sin(azimuth), spin_radius),
                    speed * settings.dt);
        mechanism_end(&m);
    }
}

TEST(a_ball_rolls_down_a_slope_where_its_tangent_exceeds_mu_over_r)
{
    for (int k = 0; k < SPIN_AZIMUTHS * SPIN_VARIANTS; ++k) {
        double azimuth = spin_azimuths[k / SPIN_VARIANTS],
               threshold = atan(spin_rolling / spin_radius);
        for (int above = 0; above < 2; ++above) {
            double slope = (above ? 1.001 : 0.999) * threshold;
            mechanism m;
            spin_floor(&m, 0.8, slope, azimuth);
            pawl_body_id ball = spin_ball(&m, (pawl_twist){0}, 0.0, spin_rolling);
            pawl_settings settings = spin_settings(k % SPIN_VARIANTS, 1e-3);
            mechanism_start(&m, &settings);
            mechanism_run(&m, 200);
            double rate =
                5.0 / 7.0 * spin_g * (sin(slope) - spin_rolling / spin_radius * cos(slope));
            double speed = above ? rate * mechanism_time(&m) : 0.0;
            pawl_twist twist = spin_twist(&m, ball), expected = spin_along(speed, azimuth);
            CHECK_NEAR3(twist.linear, expected.linear, above ? 1e-9 : 1e-10);
            CHECK_NEAR3(twist.angular, expected.angular, above ? 1e-8 : 1e-9);
            mechanism_end(&m);
        }
    }
}

// Across the slope: friction against a velocity that turns. v' = 5/7 (g_T - g_N mu_r/R v/|v|), by the
// classical method of Runge and Kutta.
static void spin_curve_rate(const double v[2], double slope, double out[2])
{
    double drag = spin_g * cos(slope) * spin_rolling / spin_radius / hypot(v[0], v[1]);
    out[0] = 5.0 / 7.0 * (spin_g * sin(slope) - drag * v[0]);
    out[1] = 5.0 / 7.0 * -drag * v[1];
}

static void spin_curve(double slope, double until, double v[2])
{
    enum { STEPS = 2000 };
    double h = until / STEPS;
    for (int n = 0; n < STEPS; ++n) {
        static const double fraction[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1, 2, 2, 1};
        double k[4][2], at[2], sum[2] = {0};
        for (int s = 0; s < 4; ++s) {
            for (int i = 0; i < 2; ++i) {
                at[i] = v[i] + (s > 0 ? h * fraction[s] * k[s - 1][i] : 0.0);
            }
            spin_curve_rate(at, slope, k[s]);
            for (int i = 0; i < 2; ++i) {
                sum[i] += weight[s] / 6.0 * k[s][i];
            }
        }
        v[0] += h * sum[0];
        v[1] += h * sum[1];
    }
}

TEST(friction_opposes_a_rolling_that_turns)
{
    double slope = 0.5 * spin_rolling / spin_radius, until = 0.5, exact[2] = {0.0, 0.1};
    spin_curve(slope, until, exact);
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        double error[2];
        for (int half = 0; half < 2; ++half) {
            mechanism m;
            spin_floor(&m, 0.8, slope, 0.0);
            pawl_body_id ball =
                spin_ball(&m, spin_along(0.1, 1.5707963267948966), 0.0, spin_rolling);
            pawl_settings settings = spin_settings(variant, half ? 5e-3 : 1e-2);
            mechanism_start(&m, &settings);
            mechanism_run(&m, half ? 100 : 50);
            pawl_vec3 v = spin_twist(&m, ball).linear;
            error[half] = hypot(v.x - exact[0], v.y - exact[1]);
            mechanism_end(&m);
        }
        CHECK_NEAR(reference_order(error[0], error[1]), 1.0, 0.1);
        CHECK(error[1] < 1e-3);
    }
}

// The law itself, contact by contact: moments in their bounds, and on them, against the spin, where
// there is one. A residual of `tolerance` in rad/s is a moment of tolerance times inertia / dt.
static void spin_check_law(const mechanism *m, pawl_body_id body, double inertia)
{
    const pawl_settings *settings = pawl_sim_settings(m->sim);
    pawl_vec3 w = spin_twist(m, body).angular;
    double moves = 10.0 * settings->solver.tolerance, slack = moves * inertia / settings->dt;
    for (int k = 0; k < pawl_sim_contact_count(m->sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m->sim, k);
        double normal = v3_dot(c.force, c.normal), torsion = v3_dot(c.moment, c.normal);
        double drill = v3_dot(w, c.normal), most = spin_rolling * normal;
        pawl_vec3 rolling = v3_axpy(c.moment, -torsion, c.normal);
        pawl_vec3 roll = v3_axpy(w, -drill, c.normal);
        CHECK(fabs(torsion) <= spin_torsional * normal + slack);
        CHECK(v3_norm(rolling) <= most + slack);
        if (fabs(drill) > moves) {
            CHECK_NEAR(torsion, -copysign(spin_torsional * normal, drill), slack);
        }
        if (v3_norm(roll) > moves) {
            CHECK_NEAR3(rolling, v3_scale(-most / v3_norm(roll), roll), slack);
        }
    }
}

static void spin_check_law_until_rest(mechanism *m, pawl_body_id body, double inertia)
{
    int still = 0;
    for (int step = 0; step < 1500; ++step) {
        mechanism_run(m, 1);
        spin_check_law(m, body, inertia);
        double moves = 10.0 * pawl_sim_settings(m->sim)->solver.tolerance;
        still = v3_norm(spin_twist(m, body).angular) < moves ? still + 1 : 0;
    }
    CHECK(still > 100);
}

TEST(a_ball_that_slips_rolls_and_drills_obeys_the_law)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        mechanism m;
        spin_floor(&m, 0.1, 0.0, 0.0);
        pawl_twist twist = {v3(0.1, 0.05, 0), v3(0, 0.5, 1.0)};
        pawl_body_id ball = spin_ball(&m, twist, spin_torsional, spin_rolling);
        pawl_settings settings = spin_settings(variant, 1e-3);
        mechanism_start(&m, &settings);
        spin_check_law_until_rest(&m, ball, spin_ball_inertia(spin_mass, spin_radius));
        mechanism_end(&m);
    }
}

// Two contacts, at levers that differ in the ninth digit: rolling without slip at both is then a drilling
// of 1e-8 rad/s, which torsion opposes. A tolerance below that asks for an answer far away.
TEST(a_roller_on_two_contacts_obeys_the_law)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        mechanism m;
        spin_floor(&m, 0.1, 0.0, 0.0);
        pawl_body_def def = pawl_body_def_default();
        def.mass = spin_mass;
        def.pose.position = v3(0, 0, spin_radius);
        def.pose.orientation = pawl_quat_from_axis_angle(v3(1, 0, 0), 1.5707963267948966);
        def.inertia[0] = def.inertia[1] = 0.02, def.inertia[2] = 0.01;
        def.twist = (pawl_twist){v3(0.1, 0.05, 0), v3(0, 0.5, 1.0)};
        pawl_body_id roller = mechanism_body(&m, &def);
        spin_shape(&m, roller, PAWL_SHAPE_CYLINDER, v3(spin_radius, 0, 0.2), spin_torsional,
                   spin_rolling);
        pawl_settings settings = spin_settings(variant, 1e-3);
        settings.solver.tolerance = 1e-6;
        mechanism_start(&m, &settings);
        spin_check_law_until_rest(&m, roller, 0.02);
        mechanism_end(&m);
    }
}

// A cart on four wheels: (M + 4 m + 4 I/R^2) a = -mu_r (M + 4 m) g / R, whatever each wheel carries.
TEST(a_cart_is_braked_by_its_wheels)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        mechanism m;
        spin_floor(&m, 0.8, 0.0, 0.0);
        double cart_mass = 5.0, wheel_mass = 1.0, speed = 0.5;
        pawl_body_def def = pawl_body_def_default();
        def.mass = cart_mass;
        def.pose.position = v3(0, 0, spin_radius);
        def.inertia[0] = 0.05, def.inertia[1] = 0.1, def.inertia[2] = 0.12;
        def.twist = spin_along(speed, 0.0);
        def.twist.angular = v3(0, 0, 0);
        pawl_body_id cart = mechanism_body(&m, &def);
        for (int k = 0; k < 4; ++k) {
            pawl_vec3 at = v3(k % 2 ? 0.3 : -0.3, k / 2 ? 0.2 : -0.2, spin_radius);
            pawl_body_id wheel = spin_ball_at(&m, wheel_mass, spin_radius, at,
                                              spin_along(speed, 0.0), 0.0, spin_rolling);
            pawl_joint_def axle =
                mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, cart, wheel, at, v3(0, 1, 0));
            mechanism_joint(&m, &axle);
        }
        pawl_settings settings = spin_settings(variant, 1e-3);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 500);
        double weight = (cart_mass + 4.0 * wheel_mass) * spin_g;
        double inertia = spin_ball_inertia(wheel_mass, spin_radius);
        double moved = cart_mass + 4.0 * wheel_mass + 4.0 * inertia / (spin_radius * spin_radius);
        double rate = spin_rolling * weight / spin_radius / moved;
        CHECK_NEAR3(spin_twist(&m, cart).linear, v3(speed - rate * mechanism_time(&m), 0, 0), 1e-8);
        mechanism_end(&m);
    }
}

// --- books, bits ---------------------------------------------------------------------------------

// A ball that rolls and spins on the floor, with both kinds of friction.
static void spin_start_ball(mechanism *m, int variant)
{
    spin_floor(m, 0.8, 0.0, 0.0);
    pawl_twist twist = spin_along(0.05, 0.5);
    twist.angular.z = 2.0;
    spin_ball(m, twist, spin_torsional, spin_rolling);
    pawl_settings settings = spin_settings(variant, 1e-3);
    mechanism_start(m, &settings);
}

// What friction takes is contact work: on a plane at the height of the ball's centre nothing else acts.
TEST(the_energy_lost_is_contact_work)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        mechanism m;
        spin_start_ball(&m, variant);
        double start = mechanism_energy(&m).kinetic;
        mechanism_run(&m, 800);
        pawl_energy e = mechanism_energy(&m);
        CHECK_NEAR(e.kinetic, 0.0, 1e-15);
        CHECK_NEAR(e.work_contacts, -start, 1e-9 * start);
        CHECK_NEAR(m.verdict.balance_max, 0.0, 1e-9 * start);
        mechanism_end(&m);
    }
}

// The second time through the same steps, when the structure of every factor is known.
TEST(steps_with_spin_friction_allocate_nothing)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        mechanism m;
        spin_start_ball(&m, variant);
        pawl_state *start;
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &start));
        mechanism_run(&m, 500);
        CHECK_OK(pawl_sim_set_state(m.sim, start));
        int64_t calls = m.t.calls;
        mechanism_run(&m, 500);
        CHECK_INT(m.t.calls, calls);
        pawl_state_destroy(start);
        mechanism_end(&m);
    }
}

// Saved and loaded while it rolls and when it rests, a run goes on with the same bits.
TEST(a_resumed_run_has_the_same_bits)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        for (int at = 50; at <= 450; at += 400) {
            mechanism m;
            spin_floor(&m, 0.8, 0.3 * spin_rolling / spin_radius, 0.4);
            pawl_twist twist = spin_along(0.03, 2.5);
            twist.angular.z = 1.0;
            spin_ball(&m, twist, spin_torsional, spin_rolling);
            pawl_settings settings = spin_settings(variant, 1e-3);
            mechanism_start(&m, &settings);
            mechanism_run(&m, at);
            size_t size = pawl_state_size(mechanism_state(&m));
            void *bytes = test_malloc(size);
            pawl_state_save(mechanism_state(&m), bytes);
            mechanism_run(&m, 50);
            uint64_t straight = pawl_state_hash(mechanism_state(&m));
            mechanism_restart(&m, &settings);
            mechanism_take(&m, bytes, size);
            test_free(bytes);
            mechanism_run(&m, 50);
            CHECK(pawl_state_hash(mechanism_state(&m)) == straight);
            mechanism_end(&m);
        }
    }
}

// A ball without the coefficients moves with the same bits, whether or not another body that never comes
// near it has them.
TEST(contacts_without_coefficients_keep_their_bits)
{
    for (int variant = 0; variant < SPIN_VARIANTS; ++variant) {
        pawl_twist end[2];
        pawl_pose pose[2];
        for (int other = 0; other < 2; ++other) {
            mechanism m;
            spin_floor(&m, 0.8, 0.2, 0.7);
            pawl_body_id ball = spin_ball(&m, spin_along(0.3, 2.0), 0.0, 0.0);
            spin_ball_at(&m, 1.0, 0.1, v3(0, 0, 100), (pawl_twist){0}, other ? 1.0 : 0.0,
                         other ? 1.0 : 0.0);
            pawl_settings settings = spin_settings(variant, 1e-3);
            mechanism_start(&m, &settings);
            mechanism_run(&m, 200);
            end[other] = spin_twist(&m, ball);
            pose[other] = pawl_state_pose(mechanism_state(&m), ball);
            mechanism_end(&m);
        }
        CHECK(memcmp(&end[0], &end[1], sizeof end[0]) == 0);
        CHECK(memcmp(&pose[0], &pose[1], sizeof pose[0]) == 0);
    }
}
