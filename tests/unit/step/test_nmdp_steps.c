// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The steppers mdp and nmdp: closed forms of their rules, convergence to what another stepper finds, and
// the promises of every stepper (no allocation, the same bits when resumed, clear refusals).
#include "pawl/io.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The variants of nmdp, and mdp.
typedef struct variant {
    pawl_stepper_kind stepper;
    pawl_nmdp_dynamics dynamics;
    pawl_nmdp_gradient gradient;
} variant;
static const variant variants[] = {{PAWL_STEPPER_NMDP, PAWL_NMDP_NE, PAWL_NMDP_FIRST},
                                   {PAWL_STEPPER_NMDP, PAWL_NMDP_PBD, PAWL_NMDP_FIRST},
                                   {PAWL_STEPPER_NMDP, PAWL_NMDP_NE, PAWL_NMDP_ZEROTH},
                                   {PAWL_STEPPER_NMDP, PAWL_NMDP_PBD, PAWL_NMDP_ZEROTH},
                                   {PAWL_STEPPER_MDP, PAWL_NMDP_NE, PAWL_NMDP_FIRST}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static pawl_settings steps_settings(const variant *v, double dt, int order)
{
    pawl_settings settings = mechanism_settings(dt, v->stepper);
    settings.nmdp.dynamics = v->dynamics;
    settings.nmdp.gradient = v->gradient;
    settings.nmdp.order = order;
    settings.nmdp.part_energy = INFINITY; // divided parts are no steps of this length
    return settings;
}

// Closed form: implicit Euler has v = v0 - g t and falls by g t (t + h)/2; two stages of second order are
// exact on a parabola.
TEST(a_body_falls_as_each_rule_integrates_a_parabola)
{
    for (int k = 0; k < VARIANTS; ++k) {
        for (int order = 1; order <= (variants[k].dynamics == PAWL_NMDP_NE ? 2 : 1); ++order) {
            mechanism m;
            mechanism_throw(&m);
            double h = 1e-2;
            pawl_settings settings = steps_settings(&variants[k], h, order);
            mechanism_start(&m, &settings);
            mechanism_run(&m, 100);
            double t = mechanism_time(&m), g = 0.5 * 9.81;
            bool second = order == 2 && variants[k].stepper == PAWL_STEPPER_NMDP;
            double z = 5.0 * t - 0.5 * g * t * (second ? t : t + h);
            CHECK_NEAR3(
                pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position,
                v3(t, 0, z), 1e-9);
            CHECK_NEAR(
                pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear.z,
                5.0 - g * t, 1e-9);
            mechanism_end(&m);
        }
    }
}

// A wheel with a controller, no gravity. Closed form of the rule: with x = angle, u = rate,
// (I + h D + h^2 P) u+ = I u + h P (target - x), x+ = x + h u+.
static double steps_wheel(const variant *v, pawl_mdp_pd pd, double h, int steps, double *rate)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id wheel = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.2, 0.2, 0.2));
    pawl_joint_id joint =
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, wheel, v3(0, 0, 0), v3(0, 1, 0));
    pawl_actuator_def servo = pawl_actuator_def_default();
    servo.kind = PAWL_ACTUATOR_POSITION;
    servo.joint = joint;
    servo.stiffness = 100.0;
    servo.damping = 1.0;
    servo.target = pawl_signal_constant(0.7);
    mechanism_actuator(&m, &servo);
    pawl_settings settings = steps_settings(v, h, 1);
    settings.mdp.pd = pd;
    mechanism_start(&m, &settings);
    mechanism_run(&m, steps);
    double angle = mechanism_position(&m, joint, 0);
    *rate = mechanism_rate(&m, joint, 0);
    mechanism_end(&m);
    return angle;
}

TEST(controllers_are_implicit)
{
    const double h = 0.02, I = 0.2, P = 100.0, D = 1.0;
    double x = 0.0, u = 0.0;
    for (int i = 0; i < 20; ++i) {
        u = (I * u + h * P * (0.7 - x)) / (I + h * D + h * h * P);
        x += h * u;
    }
    for (int k = 0; k < VARIANTS; ++k) {
        bool pbd = variants[k].dynamics == PAWL_NMDP_PBD;
        double rate, angle = steps_wheel(&variants[k], PAWL_MDP_STABLE, h, 20, &rate);
        // In space the points of the wheel accelerate along chords: the same rule to third order.
        CHECK_NEAR(angle, x, pbd ? 0.05 : 1e-9);
        CHECK_NEAR(rate, u, pbd ? 1.0 : 1e-8);
    }
    double rate, angle = steps_wheel(&variants[4], PAWL_MDP_EXPLICIT, h, 20, &rate);
    x = u = 0.0;
    for (int i = 0; i < 20; ++i) {
        u += h * (P * (0.7 - x) - D * u) / I;
        x += h * u;
    }
    CHECK_NEAR(angle, x, 1e-9 * fabs(x));
}

// A chain of three bodies swings: a ball, a universal and a hinged joint, springs and damping. `moreau`,
// which shares no code with the coordinates, says where it is after half a second.
static void steps_chain(mechanism *m)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    const pawl_joint_kind kinds[] = {PAWL_JOINT_SPHERICAL, PAWL_JOINT_UNIVERSAL,
                                     PAWL_JOINT_REVOLUTE};
    pawl_body_id before = PAWL_WORLD;
    for (int i = 0; i < 3; ++i) {
        pawl_body_id body =
            mechanism_solid(m, 1.0 + i, v3(0.4 * i + 0.2, 0.1, 0), v3(0.02, 0.05, 0.04));
        pawl_joint_def joint = mechanism_joint_def(m, kinds[i], before, body,
                                                   v3(0.4 * i, 0.05 * i, 0), v3(0.3, 1, 0.2));
        joint.coordinate[0].stiffness = i == 2 ? 20.0 : 0.0;
        joint.coordinate[0].damping = i > 0 ? 0.5 : 0.0;
        mechanism_joint(m, &joint);
        before = body;
    }
}

static pawl_vec3 steps_chain_end(const pawl_settings *settings)
{
    mechanism m;
    steps_chain(&m);
    mechanism_start(&m, settings);
    mechanism_run(&m, (int)(0.5 / settings->dt + 0.5));
    pawl_vec3 end = pawl_pose_apply(
        pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 2)), v3(0.2, 0, 0));
    mechanism_end(&m);
    return end;
}

TEST(errors_fall_like_the_order_says)
{
    pawl_settings fine = mechanism_settings(1.0 / 8192.0, PAWL_STEPPER_MOREAU);
    pawl_vec3 reference = steps_chain_end(&fine);
    for (int k = 0; k < 2; ++k) {
        for (int order = 1; order <= (k == 0 ? 2 : 1); ++order) {
            double error[3];
            for (int r = 0; r < 3; ++r) {
                double dt = (order == 1 ? 1.0 / 256.0 : 1.0 / 64.0) / (double)(1 << r);
                pawl_settings settings = steps_settings(&variants[k], dt, order);
                error[r] = v3_norm(v3_sub(steps_chain_end(&settings), reference));
            }
            double rate = error[1] / error[2];
            print_message("%s order %d: errors %.2e %.2e %.2e\n", k == 0 ? "ne" : "pbd", order,
                          error[0], error[1], error[2]);
            CHECK(order == 1 ? rate > 1.8 && rate < 2.2 : rate > 3.5 && rate < 4.5);
        }
    }
}

// A flat box that slides from 2 m/s with mu = 0.5 on soft ground, k = 1e6 N/m^3. A prototype by others,
// with other code, stopped at these places.
TEST(a_sliding_box_stops_where_the_prototype_did)
{
    const double dt[] = {5e-3, 1e-2, 2e-2, 5e-2}, stop[] = {0.426, 0.418, 0.406, 0.376};
    for (int k = 0; k < 8; ++k) {
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        pawl_body_id box = scene_box(&m, 10.0, v3(0.3, 0.3, 0.1), 0.5);
        pawl_settings settings = steps_settings(&variants[k / 4], dt[k % 4], 1);
        settings.nmdp.stiffness = 1e6;
        settings.nmdp.push_out = 0.0; // the prototype had none
        mechanism_start(&m, &settings);
        pawl_state *state;
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &state));
        pawl_state_copy(state, pawl_sim_state(m.sim));
        pawl_state_set_twist(state, box, (pawl_twist){.linear = v3(2, 0, 0)});
        CHECK_OK(pawl_sim_set_state(m.sim, state));
        pawl_state_destroy(state);
        mechanism_run(&m, (int)(1.0 / settings.dt + 0.5));
        CHECK_NEAR(scene_position(&m, box).x, stop[k % 4], 0.03 * stop[k % 4]);
        CHECK(scene_speed(&m, box) < 1e-4);
        mechanism_end(&m);
    }
}

static void steps_pile(mechanism *m, const pawl_settings *settings)
{
    scene_floor(m, 0.6, 0.1, 0.3);
    pawl_body_id box = scene_box_at(m, 2.0, v3(0.2, 0.1, 0.1), v3(0, 0, 0.3), 0.6);
    pawl_body_id arm = scene_box_at(m, 1.0, v3(0.1, 0.05, 0.05), v3(0.35, 0, 0.3), 0.6);
    pawl_joint_def joint =
        mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, box, arm, v3(0.22, 0, 0.3), v3(0, 1, 0));
    joint.coordinate[0].stiffness = 30.0;
    joint.coordinate[0].damping = 0.3;
    mechanism_joint(m, &joint);
    mechanism_start(m, settings);
}

// A weight with a spring, a damper, a rotor and a servo falls along a line, down to a limit. In one straight
// coordinate what implicit Euler takes is known exactly, so nothing may be left in the balance; it must be a loss.
static pawl_energy steps_weight(const pawl_settings *settings, double stiffness, double upper)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    pawl_body_id weight = mechanism_solid(&m, 2.0, v3(0, 0, 0), v3(1, 1, 1));
    pawl_joint_def def = mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, weight,
                                             v3(0, 0, 0), v3(0, 0, -1));
    def.coordinate[0].stiffness = stiffness;
    def.coordinate[0].damping = 0.5;
    def.coordinate[0].armature = 0.3;
    def.coordinate[0].upper = upper;
    pawl_actuator_def servo = pawl_actuator_def_default();
    servo.kind = PAWL_ACTUATOR_POSITION;
    servo.joint = mechanism_joint(&m, &def);
    servo.stiffness = 20.0;
    servo.damping = 1.0;
    mechanism_actuator(&m, &servo);
    mechanism_start(&m, settings);
    mechanism_run(&m, 50);
    pawl_energy e = mechanism_energy(&m);
    mechanism_end(&m);
    return e;
}

TEST(what_the_method_takes_is_in_the_energy_balance)
{
    for (int k = 0; k < VARIANTS + 1; ++k) {
        const variant *v = &variants[k < VARIANTS ? k : VARIANTS - 1];
        bool nonlinear = v->stepper == PAWL_STEPPER_NMDP;
        pawl_settings settings = steps_settings(v, 0.02, 1);
        settings.mdp.pd = k == VARIANTS ? PAWL_MDP_EXPLICIT : PAWL_MDP_STABLE;
        settings.nmdp.limit_stiffness = 1e4;
        pawl_energy e = steps_weight(&settings, 30.0, nonlinear ? 0.2 : INFINITY);
        CHECK_NEAR(e.balance, 0.0, 1e-8);
        CHECK(e.work_dampers < 0.0 && (e.work_limits != 0.0) == nonlinear);
    }
}

// A rod that spins lands on its tip: inertia and contacts are counted by the same rates, so that with one free body
// nothing is left unexplained, whatever the angle of a step (0.1 rad here; by the chord of the tip a seventh was).
TEST(impacts_leave_no_energy_unexplained)
{
    mechanism m;
    const double v[2] = {0.0, -1.0};
    pawl_settings settings = steps_settings(&variants[0], 0.02, 1);
    settings.nmdp.stiffness = 1e6;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    scene_rod(&m, 0.5, 0.6, v, 5.0, 0.6, 0.0);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 60);
    pawl_energy e = mechanism_energy(&m);
    CHECK(e.work_dampers < 0.0);
    CHECK(fabs(e.balance) < 1e-4 * fabs(e.work_dampers + e.work_contacts));
    mechanism_end(&m);
}

// With two stages the method takes next to nothing: an eighth or so with half the step.
TEST(second_order_takes_less)
{
    double left[2];
    for (int k = 0; k < 2; ++k) {
        pawl_settings settings = steps_settings(&variants[0], k == 0 ? 0.02 : 0.01, 2);
        left[k] = fabs(steps_weight(&settings, 30.0, INFINITY).balance);
    }
    CHECK(left[1] > 0.0 && left[1] < 0.3 * left[0]);
}

// A thing of two boxes falls on a slope: nothing is allocated, and a run resumed from saved bytes has the
// bits of one that went on.
TEST(steps_allocate_nothing_and_resume_with_the_same_bits)
{
    for (int k = 0; k < VARIANTS; ++k) {
        mechanism m, other;
        pawl_settings settings = steps_settings(&variants[k], 5e-3, k == 2 ? 2 : 1);
        settings.nmdp.stiffness = 1e6;
        steps_pile(&m, &settings);
        steps_pile(&other, &settings);
        for (int i = 0; i < 60; ++i) {
            CHECK_OK(pawl_sim_step(m.sim, NULL));
        }
        size_t size = pawl_state_size(pawl_sim_state(m.sim));
        void *bytes = malloc(size);
        pawl_state_save(pawl_sim_state(m.sim), bytes);
        mechanism_take(&other, bytes, size);
        free(bytes);
        int64_t calls = m.t.calls;
        for (int i = 0; i < 60; ++i) {
            CHECK_OK(pawl_sim_step(m.sim, NULL));
            CHECK_OK(pawl_sim_step(other.sim, NULL));
            CHECK(pawl_state_hash(pawl_sim_state(m.sim)) ==
                  pawl_state_hash(pawl_sim_state(other.sim)));
        }
        CHECK_INT(m.t.calls, calls);
        CHECK(pawl_sim_contact_count(m.sim) > 0);
        mechanism_end(&m);
        mechanism_end(&other);
    }
}

// mdp refuses a loop, and nmdp one that is closed by dry friction in every joint, with the name of the joint that closes
// it.
TEST(loops_are_refused_with_their_reason)
{
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id a = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
        pawl_body_id b = mechanism_solid(&m, 1.0, v3(1, 0, 0), v3(1, 1, 1));
        const pawl_body_id ends[3][2] = {{PAWL_WORLD, a}, {PAWL_WORLD, b}, {a, b}};
        const pawl_vec3 at[3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 1}};
        for (int i = 0; i < 3; ++i) {
            pawl_joint_def joint = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, ends[i][0],
                                                       ends[i][1], at[i], v3(0, 1, 0));
            joint.name = i == 2 ? "rod" : i == 1 ? "right" : "left";
            joint.coordinate[0].friction = k == 0 ? 0.0 : 1.0;
            mechanism_joint(&m, &joint);
        }
        mechanism_compile(&m);
        pawl_settings settings =
            mechanism_settings(1e-3, k == 0 ? PAWL_STEPPER_MDP : PAWL_STEPPER_NMDP);
        pawl_sim *sim;
        CHECK_STATUS(pawl_sim_create(&m.t.env, m.model, &settings, &sim), PAWL_UNSUPPORTED);
        CHECK_MESSAGE(&m.t, "joint 'rod'");
        mechanism_end(&m);
    }
}

// A box is thrown on stiff ground, zeroth order, long steps: parts have to be cut. Far from it a ball
// falls, whose velocity must be g t all the same: with the published factors one halved step would give
// 4/3 of it.
static void steps_thrown(mechanism *m, const pawl_settings *settings, pawl_body_id *ball)
{
    scene_floor(m, 0.6, 0.0, 0.0);
    pawl_body_id box = scene_box_at(m, 5.0, v3(0.3, 0.2, 0.1), v3(0, 0, 0.2), 0.6);
    *ball = mechanism_solid(m, 1.0, v3(5, 0, 50), v3(1, 1, 1));
    mechanism_start(m, settings);
    pawl_state *state;
    CHECK_OK(pawl_state_create(&m->t.env, m->model, &state));
    pawl_state_set_twist(state, box, (pawl_twist){v3(1, 0, -2), v3(1, 2, 3)});
    CHECK_OK(pawl_sim_set_state(m->sim, state));
    pawl_state_destroy(state);
}

TEST(cut_steps_keep_time_and_a_free_fall_exact)
{
    for (int pbd = 0; pbd < 2; ++pbd) {
        pawl_settings settings = steps_settings(&variants[2 + pbd], 0.05, 1);
        settings.nmdp.stiffness = 1e9;
        mechanism m;
        pawl_body_id ball;
        int most = 0;
        steps_thrown(&m, &settings, &ball);
        for (int i = 0; i < 12; ++i) {
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(m.sim, &report));
            most = report.substeps > most ? report.substeps : most;
            double t = mechanism_time(&m);
            CHECK_NEAR(t, 0.05 * (i + 1), 1e-12);
            CHECK_NEAR(scene_velocity(&m, ball).z, -SCENE_G * t, 1e-7);
        }
        CHECK(most > 1);
        mechanism_end(&m);
    }
}

TEST(a_step_without_solution_is_reported_and_leaves_the_state)
{
    pawl_settings settings = steps_settings(&variants[2], 0.05, 1);
    settings.nmdp.stiffness = 1e9;
    settings.nmdp.halvings = 0;
    mechanism m;
    pawl_body_id ball;
    steps_thrown(&m, &settings, &ball);
    pawl_status status = PAWL_OK;
    uint64_t before = 0;
    for (int i = 0; i < 12 && status == PAWL_OK; ++i) {
        before = pawl_state_hash(mechanism_state(&m));
        status = pawl_sim_step(m.sim, NULL);
    }
    CHECK_STATUS(status, PAWL_NOT_SOLVED);
    CHECK_MESSAGE(&m.t, "the state before it is kept");
    CHECK(pawl_state_hash(mechanism_state(&m)) == before);
    mechanism_end(&m);
}

// A box dropped on the ground and left there: depth that push-out removes, and that stays without.
TEST(push_out_lifts_what_has_sunk)
{
    double depth[2];
    for (int k = 0; k < 2; ++k) {
        pawl_settings settings = steps_settings(&variants[0], 1e-2, 1);
        settings.nmdp.stiffness = 1e7;
        settings.nmdp.push_out = k == 0 ? 0.0 : 5.0;
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        pawl_body_id box = scene_box_at(&m, 5.0, v3(0.3, 0.3, 0.1), v3(0, 0, 0.45), 0.5);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 150);
        depth[k] = 0.05 - scene_position(&m, box).z;
        CHECK(scene_speed(&m, box) < 1e-3);
        mechanism_end(&m);
    }
    CHECK(depth[0] > 0.0 && depth[1] > 0.0 && depth[1] < depth[0]);
}

// Robosimian jumps: the highest torso of the first jump. As dt goes to 0 it is 1.33 to 1.34 m (both orders
// at 1 ms and less); order two at 20 ms is nearer to it than order one at 5 ms, and stays upright to 50 ms.
static double steps_jump(double dt, int order)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_load_options options = pawl_load_options_default();
    options.motion_path = "models/nmdp/motions/robosimian-jump-linear.motion";
    CHECK_OK(pawl_model_load(&m.t.env, "models/nmdp/robosimian-planar.sdf", &options, &m.model));
    pawl_settings settings = steps_settings(&variants[0], dt, order);
    CHECK_OK(pawl_sim_create(&m.t.env, m.model, &settings, &m.sim));
    pawl_body_id torso = pawl_model_find_body(m.model, "torso");
    double top = -INFINITY, tilt = 0.0;
    for (int i = 0; i < (int)(2.0 / dt + 0.5); ++i) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(m.sim, &report));
        CHECK_INT(report.substeps, 1);
        pawl_pose pose = pawl_state_pose(mechanism_state(&m), torso);
        top = fmax(top, pose.position.z + 0.8);
        tilt = fmax(tilt, fabs(2.0 * pose.orientation.y));
    }
    CHECK(tilt < 0.02);
    mechanism_end(&m);
    return top;
}

TEST(second_order_jumps_nearly_as_high_with_long_steps_as_with_short_ones)
{
    double limit = steps_jump(2e-3, 2);
    double long_steps = steps_jump(2e-2, 2), short_steps = steps_jump(5e-3, 1);
    print_message(
        "peaks: order 2, 2 ms %.3f, 20 ms %.3f, 50 ms %.3f; order 1, 5 ms %.3f, 50 ms %.3f\n",
        limit, long_steps, steps_jump(5e-2, 2), short_steps, steps_jump(5e-2, 1));
    CHECK_NEAR(limit, 1.33, 0.02); // `euler` with rigid contacts at 0.5 ms
    CHECK(fabs(long_steps - limit) < fabs(short_steps - limit));
}

// A pendulum falls against its limit and rests there: k d^2 carries its weight, m g l cos(limit), to which depths tend
// at the rate nmdp.push_out.
TEST(limits_carry_what_rests_on_them)
{
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
        pawl_body_id bob = mechanism_solid(&m, 2.0, v3(0.5, 0, 0), v3(0.01, 0.01, 0.01));
        pawl_joint_def joint =
            mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, bob, v3(0, 0, 0), v3(0, 1, 0));
        joint.coordinate[0].upper = 0.4;
        joint.coordinate[0].damping = 2.0;
        pawl_joint_id hinge = mechanism_joint(&m, &joint);
        pawl_settings settings = steps_settings(&variants[k], 5e-3, 1);
        settings.nmdp.limit_stiffness = 1e5;
        mechanism_start(&m, &settings);
        mechanism_run(&m, 3000);
        double d = mechanism_position(&m, hinge, 0) - 0.4;
        CHECK_NEAR(1e5 * d * d, 2.0 * 9.81 * 0.5 * cos(0.4 + d), 1e-3);
        mechanism_end(&m);
    }
}

// Joints that begin beyond a limit come back at the rate nmdp.push_out, whatever the inertia, the depth, the stiffness
// and the step: a spring of k d^2 throws them back.
TEST(limits_give_no_energy_to_joints_that_begin_beyond_them)
{
    uint64_t seed = 1309;
    for (int trial = 0; trial < 60; ++trial) {
        const double steps[] = {1e-3, 5e-3, 2e-2, 5e-2};
        double h = steps[trial % 4], beyond = random_in(&seed, 0.01, 1.0);
        bool low = random_in(&seed, 0.0, 1.0) < 0.5;
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, 0));
        pawl_body_id bob =
            mechanism_solid(&m, random_in(&seed, 0.01, 20.0), v3(0.5, 0, 0), v3(0.01, 0.01, 0.01));
        pawl_joint_def joint =
            mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, bob, v3(0, 0, 0), v3(0, 1, 0));
        joint.coordinate[0].lower = low ? beyond : -3.0;
        joint.coordinate[0].upper = low ? 3.0 : -beyond;
        pawl_joint_id hinge = mechanism_joint(&m, &joint);
        pawl_settings settings = steps_settings(&variants[trial % VARIANTS], h, 1);
        settings.nmdp.limit_stiffness = pow(10.0, random_in(&seed, 4.0, 8.0));
        mechanism_start(&m, &settings);
        double left = beyond;
        for (int k = 0; k < 40; ++k) {
            mechanism_step(&m);
            double now = beyond - (low ? 1.0 : -1.0) * mechanism_position(&m, hinge, 0);
            CHECK(now < left && left - now <= 1.001 * h * beyond); // no faster than it began
            left = now;
        }
        mechanism_end(&m);
    }
}

// Closed form: 100 kg set down on four points without speed. Forces hold it as soon as they can take all of
// its momentum: full weights until N k d^4/4 = m g d, so it stops at d = (4 m g/(N k))^(1/3).
static double steps_set_down(double stiffness, double dt)
{
    mechanism m;
    scene_floor(&m, 0.5, 0.0, 0.0);
    pawl_body_id body = mechanism_solid(&m, 100.0, v3(0, 0, 0.5), v3(10, 10, 10));
    pawl_wrench_model_def law = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
    law.stiffness = stiffness;
    int model;
    CHECK_OK(pawl_builder_add_wrench_model(m.builder, &law, &model));
    for (int i = 0; i < 4; ++i) {
        pawl_contact_point_def point = pawl_contact_point_def_default();
        point.body = body;
        point.frame.position = v3(i % 2 == 0 ? 0.5 : -0.5, i < 2 ? 0.4 : -0.4, -0.5);
        point.wrench_model = model;
        CHECK_OK(pawl_builder_add_contact_point(m.builder, &point, NULL));
    }
    pawl_settings settings = steps_settings(&variants[0], dt, 1);
    settings.nmdp.push_out = 0.0;
    mechanism_start(&m, &settings);
    mechanism_run(&m, (int)(0.2 / dt + 0.5));
    double depth = 0.5 - scene_position(&m, body).z;
    mechanism_end(&m);
    return depth;
}

TEST(what_is_set_down_stops_where_full_forces_have_taken_its_momentum)
{
    const double stiffness[] = {1e8, 1e10};
    for (int k = 0; k < 2; ++k) {
        double depth = cbrt(4.0 * 100.0 * SCENE_G / (4.0 * stiffness[k])), error[2];
        for (int r = 0; r < 2; ++r) {
            error[r] = fabs(steps_set_down(stiffness[k], r == 0 ? 1e-3 : 2.5e-4) - depth);
            print_message("k %g: depth %.6f, off by %.2e\n", stiffness[k], depth, error[r]);
        }
        CHECK(error[0] < 0.06 * depth && error[1] < 0.4 * error[0]);
    }
}
